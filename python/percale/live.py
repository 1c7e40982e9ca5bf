"""Changing a running simulation, and reading its contacts.

Use it between two steps; changes take effect from the next step on. Settings are not part of a saved state. No setting
lets surfaces pass through each other.

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

from contextlib import AbstractContextManager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Sequence, Union

import numpy as np
import numpy.typing as npt

from ._library import Doubles, ffi, lib
from ._names import Sealed
from .errors import InputError, new_error

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .keys import AirKeys

_NUMBERS = {"double": np.float64, "int": np.int32}


def _dtype(struct: str) -> np.dtype[Any]:
    """A C struct of numbers as a structured numpy type, with the names and offsets of C."""
    names, formats, offsets = [], [], []
    for name, field in ffi.typeof(struct).fields:
        kind: Any = field.type
        shape: tuple[int, ...] = ()
        if kind.kind == "array":
            kind, shape = kind.item, (kind.length,)
        names.append(name)
        formats.append((_NUMBERS[kind.cname], shape))
        offsets.append(field.offset)
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": ffi.sizeof(struct)})


CONTACT = _dtype("prc_contact_point")
"""The type of `Simulation.contacts`: point and normal (m), gap (m), force (N), body, collider, a_count, b_count, vertices."""


def vector(name: str, values: npt.ArrayLike) -> Any:
    """Three numbers for C."""
    array = np.asarray(values, np.float64)
    if array.shape != (3,):
        raise InputError(f"{name} has the shape {array.shape}; expected 3 numbers")
    return ffi.new("double[3]", array.tolist())


def pose(translate: npt.ArrayLike, axis: npt.ArrayLike, degrees: float) -> Any:
    """A prc_pose_key."""
    key = ffi.new("prc_pose_key *")
    key.translate, key.axis, key.degrees = vector("translate", translate), vector("axis", axis), degrees
    return key


class Collider(Sealed):
    """A collider of a simulation."""

    def __init__(self, simulation: Live, index: int) -> None:
        self._simulation = simulation
        self.index = index
        self._seal()

    def __repr__(self) -> str:
        return f"<percale.Collider {self.index}>"

    def move(self, translate: npt.ArrayLike = (0, 0, 0), axis: npt.ArrayLike = (0, 1, 0), degrees: float = 0) -> None:
        """Moves it to a pose, relative to its place in the scene: rotated about its center, then translated. It moves
        there in one step and stays; if cloth is in the way it moves as far as it can, and on in the next steps. A long
        move in one step hits cloth hard: divide it into several."""
        key = pose(translate, axis, degrees)
        self._simulation._call("move_collider", self.index, key)

    def release(self) -> None:
        """Lets it follow the motion of the scene again."""
        self._simulation._call("move_collider", self.index, ffi.NULL)

    def set_friction(self, friction: float) -> None:
        """Coulomb coefficient; negative: that of the body that touches it."""
        self._simulation._call("set_collider_friction", self.index, friction)

    @property
    def pose(self) -> tuple[Doubles, Doubles]:
        """Its current pose: a (3, 3) rotation and a shift (m) that take a point from its place in the scene."""
        turn, shift = ffi.new("double[9]"), ffi.new("double[3]")
        with self._simulation._using() as engine:
            lib.prc_sim_collider_pose(engine, self.index, turn, shift)
        return np.array(list(turn)).reshape(3, 3), np.array(list(shift))


class Grab(Sealed):
    """A soft pin that holds a point of a body, created by `Simulation.grab`; it cannot overcome contact. Also a context
    manager, which ends the grab."""

    def __init__(self, simulation: Live, number: int) -> None:
        self._simulation = simulation
        self._number = number
        self._seal()

    def move(self, target: npt.ArrayLike) -> None:
        """Moves the target, m."""
        self._simulation._call("grab_move", self._number, vector("target", target))

    def end(self) -> None:
        """Ends the grab."""
        with self._simulation._using() as engine:
            lib.prc_sim_grab_end(engine, self._number)

    def read(self) -> tuple[Doubles, float]:
        """The position of the grabbed point (m) and the pull on it (N)."""
        point, force = ffi.new("double[3]"), ffi.new("double *")
        with self._simulation._using() as engine:
            if not lib.prc_sim_grab_read(engine, self._number, point, force):
                raise InputError("the grab has ended")
        return np.array(list(point)), force[0]

    def __enter__(self) -> Grab:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.end()


class Live(Sealed):
    """The part of a `Simulation` that changes it while it runs."""

    def _using(self) -> AbstractContextManager[Any]:
        raise NotImplementedError

    def _finish(self, result: int, error: Any) -> None:
        raise NotImplementedError

    def _call(self, name: str, *arguments: Any) -> None:
        """Calls a function prc_sim_<name> that may fail."""
        error = new_error()
        with self._using() as engine:
            self._finish(getattr(lib, "prc_sim_" + name)(engine, *arguments, error), error)

    @property
    def gravity(self) -> Doubles:
        """m/s²; may be assigned."""
        values = ffi.new("double[3]")
        with self._using() as engine:
            lib.prc_sim_gravity(engine, values)
        return np.array(list(values))

    @gravity.setter
    def gravity(self, values: npt.ArrayLike) -> None:
        self._call("set_gravity", vector("gravity", values))

    @property
    def wind(self) -> Doubles:
        """Velocity of the air, m/s; may be assigned. It acts where ``air.density`` is not 0."""
        with self._using() as engine:
            return np.array(list(lib.prc_sim_air(engine).wind))

    @wind.setter
    def wind(self, values: npt.ArrayLike) -> None:
        self._call("set_wind", vector("wind", values))

    def set_air(self, **keys: Unpack[AirKeys]) -> None:
        """Replaces the air: keys of ``air`` as in a scene; keys that are not given have their defaults."""
        from .scene import Scene

        scene = Scene(air=keys, bodies=[dict(mesh=dict(grid=dict(cells=[1, 1])))])
        self._call("set_air", ffi.addressof(scene._read.definition, "air"))

    @property
    def step_length(self) -> float:
        """Length of the following steps, s; may be assigned."""
        with self._using() as engine:
            return float(lib.prc_sim_step_length(engine))

    @step_length.setter
    def step_length(self, seconds: float) -> None:
        self._call("set_step", seconds)

    def set_friction(self, friction: float) -> None:
        """Sets the Coulomb coefficient of all bodies and obstacles that have none of their own; see also
        `Body.friction`."""
        self._call("set_friction", -1, friction)

    @property
    def colliders(self) -> Sequence[Collider]:
        """The colliders; none without contact."""
        with self._using() as engine:
            return [Collider(self, k) for k in range(lib.prc_sim_collider_count(engine))]

    def grab(self, vertices: Union[int, Sequence[int]], target: npt.ArrayLike, *, body: int = 0,
             weights: Sequence[float] | None = None, stiffness: float = 0, damping: float = 0, limit: float = 0) -> Grab:
        """Grabs a vertex of a body, or a point of a triangle (three vertices and their weights), and pulls it towards
        `target` (m) with a spring of `stiffness` (N/m; 0: as stiff as the cloth there) and at most with the force
        `limit` (N; 0: no limit). It is an ordinary force, so it cannot overcome contact."""
        numbers = [vertices] if isinstance(vertices, (int, np.integer)) else list(vertices)
        shares = [1.0 / len(numbers)] * len(numbers) if weights is None else list(weights)
        if not 1 <= len(numbers) <= 3 or len(shares) != len(numbers):
            raise InputError(f"{len(numbers)} vertices and {len(shares)} weights; expected one to three of both")
        definition = ffi.new("prc_grab_def *", lib.prc_grab_def_default())
        definition.body, definition.target = body, vector("target", target)
        definition.vertex = [int(k) for k in numbers] + [0] * (3 - len(numbers))
        definition.weight = shares + [0.0] * (3 - len(numbers))
        definition.stiffness, definition.damping, definition.limit = stiffness, damping, limit
        number = ffi.new("int *")
        self._call("grab", definition, number)
        return Grab(self, number[0])

    @property
    def contacts(self) -> npt.NDArray[np.void]:
        """All contacts of the current state, as the next step will find them: a structured array of the type `CONTACT`,
        a copy. ``contacts["force"]`` is (k, 3), N, on the first side; ``contacts["point"]`` the position; ``gap``
        distance minus thickness, m; ``body`` the bodies of both sides, -1 for a collider."""
        points, count, error = ffi.new("prc_contact_point **"), ffi.new("int *"), new_error()
        with self._using() as engine:
            self._finish(lib.prc_sim_contacts(engine, points, count, error), error)
            if not count[0]:
                return np.empty(0, CONTACT)
            return np.frombuffer(ffi.buffer(points[0], count[0] * CONTACT.itemsize), CONTACT).copy()
