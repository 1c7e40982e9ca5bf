"""A simulation: created from a scene, advanced step by step, with its state as arrays.

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

import math
import os
import threading
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping, Sequence, Union, overload

import numpy as np
import numpy.typing as npt

from ._library import Doubles, Ints, ffi, lib, pointer, text, view
from ._names import Sealed
from ._report import Report
from .checks import CheckResult, check
from .errors import InputError, StateError, check_result, new_error
from .live import Live, pose
from .mesh import Mesh
from .scene import Scene, SceneBody, Source

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .keys import SceneKeys

Trace = Callable[[int, int, float, float, float], Any]
"""Called after each iteration of the solver with: iteration, inner iterations, energy (J), residual (m/s), seconds."""

_REPORT_FIELDS = [(name, field.type.kind) for name, field in ffi.typeof("prc_step_report").fields]


def _report(raw: Any) -> Report:
    values: list[Any] = []
    for name, kind in _REPORT_FIELDS:
        value = getattr(raw, name)
        values.append(tuple(value) if kind == "array" else text(value) if kind == "pointer" else value)
    return Report(*values)


class _Engine:
    """A prc_sim, and the scene whose functions it calls; arrays keep it alive."""

    def __init__(self, scene: Scene, made: Any = None) -> None:
        self.read = scene._read
        if made is not None:
            self.pointer = ffi.gc(made, lib.prc_sim_destroy)
            return
        error = new_error()
        made = lib.prc_sim_create(self.read.definition, error)
        raised = self.take_error()
        if made == ffi.NULL and raised is None:
            check_result(int(error.code), error)
        self.pointer = ffi.gc(made, lib.prc_sim_destroy)
        if raised is not None:
            raise raised

    def take_error(self) -> BaseException | None:
        """The exception that a Python function raised during the last call."""
        errors = [motion.error for motion in self.read.motions if motion.error is not None]
        for motion in self.read.motions:
            motion.error = None
        return errors[0] if errors else None


@ffi.callback("void(void *, int, int, double, double, double)")  # type: ignore[untyped-decorator,unused-ignore]
def _trace(context: Any, iteration: int, inner: int, energy: float, residual: float, seconds: float) -> None:
    ffi.from_handle(context).tell(iteration, inner, energy, residual, seconds)


class _Tracer:
    def __init__(self, function: Trace) -> None:
        self.function = function
        self.error: BaseException | None = None

    def tell(self, *values: Any) -> None:
        try:
            if self.error is None:
                self.function(*values)
        except BaseException as error:  # raised after the step
            self.error = error


class _Listener:
    """Holds an exception of the main thread, such as KeyboardInterrupt, until the step that it stops has ended."""

    def __init__(self) -> None:
        self.error: BaseException | None = None
        self.handle = ffi.new_handle(self)


def _heard(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if trace is not None:
        ffi.from_handle(trace.tb_frame.f_locals["context"]).error = error


@ffi.callback("bool(void *)", error=True, onerror=_heard)  # type: ignore[untyped-decorator,unused-ignore]
def _listen(context: Any) -> bool:
    """Called by a step in progress. Python handles signals only while it runs Python code, as here; an exception raised
    by a handler ends the step."""
    return False


class Body(Sealed):
    """A body or obstacle of a simulation: its part of each array, without copies."""

    def __init__(self, simulation: Simulation, index: int, body: SceneBody) -> None:
        self._simulation = simulation
        self.index = index
        self.name = body.name
        self.mesh = body.mesh
        """The mesh at time 0, placed, with its groups and properties."""
        self.segments = body.segments
        """(k, 2): edges of an obstacle's polylines, of its own vertices."""
        self.particle_radius = body.particle_radius
        """m; 0 for membranes and obstacles."""
        engine = simulation._engine.pointer
        self.is_obstacle = bool(lib.prc_sim_body_is_obstacle(engine, index))
        first = int(lib.prc_sim_body_first_vertex(engine, index))
        self.vertices = slice(first, first + int(lib.prc_sim_body_vertex_count(engine, index)))
        """Its slice of the arrays of the simulation."""
        self._seal()

    def __repr__(self) -> str:
        kind = "obstacle" if self.is_obstacle else "body"
        of = "particles" if self.particle_radius else "vertices"
        return f"<percale.Body {self.index} {self.name!r}: {kind} of {self.vertices.stop - self.vertices.start} {of}>"

    @property
    def triangles(self) -> Ints:
        """(m, 3), of its own vertices, from 0; none of particles."""
        return self.mesh.triangles[:0] if self.particle_radius else self.mesh.triangles

    @property
    def positions(self) -> Doubles:
        """(n, 3), m; see `Simulation.positions`."""
        return self._simulation.positions[self.vertices]

    @property
    def velocities(self) -> Doubles:
        """(n, 3), m/s."""
        return self._simulation.velocities[self.vertices]

    @property
    def masses(self) -> Doubles:
        """(n,), kg."""
        return self._simulation.masses[self.vertices]

    @property
    def areas(self) -> Doubles:
        """(n,), at rest, m²."""
        return self._simulation.areas[self.vertices]

    @property
    def stretches(self) -> Doubles:
        """(n, 2), principal stretches."""
        return self._simulation.stretches[self.vertices]

    @property
    def stresses(self) -> Doubles:
        """(n, 2), principal Cauchy stresses, N/m."""
        return self._simulation.stresses[self.vertices]

    @property
    def curvatures(self) -> Doubles:
        """(n, 2), mean and Gaussian curvature, 1/m and 1/m²."""
        return self._simulation.curvatures[self.vertices]

    @property
    def energy_densities(self) -> Doubles:
        """(n,), J/m²."""
        return self._simulation.energy_densities[self.vertices]

    @property
    def residuals(self) -> Doubles:
        """(n,), left by the last step, m/s."""
        return self._simulation.residuals[self.vertices]

    @property
    def pressure(self) -> Doubles:
        """(n,), of contact, Pa."""
        return self._simulation.pressure[self.vertices]

    @property
    def gap(self) -> Doubles:
        """(n,), m."""
        return self._simulation.gap[self.vertices]

    @property
    def friction(self) -> float:
        """Coulomb coefficient; may be assigned. 0 without contact."""
        with self._simulation._using() as engine:
            return float(lib.prc_sim_friction(engine, self.index))

    @friction.setter
    def friction(self, friction: float) -> None:
        self._simulation._call("set_friction", self.index, friction)

    def move(self, translate: npt.ArrayLike = (0, 0, 0), axis: npt.ArrayLike = (0, 1, 0), degrees: float = 0) -> None:
        """Moves an obstacle to a pose, like `Collider.move`: rotated about the center of its motion, then translated.
        Its animation continues."""
        self._move_obstacle(pose(translate, axis, degrees))

    def release(self) -> None:
        """Lets an obstacle follow the motion of the scene again."""
        self._move_obstacle(ffi.NULL)

    def _move_obstacle(self, key: Any) -> None:
        if not self.is_obstacle:
            raise InputError(f"body {self.index} is not an obstacle; pins, forces or Simulation.grab move cloth")
        first = self._simulation._scene._read.definition.body_count
        self._simulation._call("move_obstacle", self.index - first, key)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the body in its current state, with texture and groups: OBJ, PLY, STL or VTK, chosen by the file
        extension."""
        mesh = self.mesh
        Mesh(self.positions, self.triangles, texture=mesh.texture, groups=mesh.groups).write(path)


class Bodies(Sequence[Body]):
    """Bodies, then obstacles; by number or name."""

    def __init__(self, items: list[Body]) -> None:
        self._items = items

    @overload
    def __getitem__(self, key: Union[int, str]) -> Body: ...

    @overload
    def __getitem__(self, key: slice) -> Sequence[Body]: ...

    def __getitem__(self, key: Union[int, str, slice]) -> Union[Body, Sequence[Body]]:
        if isinstance(key, str):
            for item in self._items:
                if item.name == key:
                    return item
            raise KeyError(key)
        return self._items[key]

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return repr(self._items)


class Simulation(Live):
    """A running simulation of a scene.

    Takes the arguments of `Scene`, or a `Scene` and keys to change: ``Simulation("flag.yaml", precision="single")``,
    ``Simulation(bodies=[dict(mesh=dict(grid=dict(size=[1, 1], cells=[30, 30])))], backend="cuda")``.

    Arrays such as `positions` are memory of the library, not copies. They are read-only, always show the current state,
    and stay valid as long as you keep them: their values change with the next step, so copy an array to keep its
    values. Inside ``with simulation.edit():`` positions and velocities can be written.

    Calls release the global interpreter lock, so several simulations can run in parallel threads; a simulation may be
    used by only one thread at a time.
    """

    def __init__(self, scene: Scene | Source | None = None, /, *, folder: str | os.PathLike[str] | None = None,
                 set: Mapping[str, Any] | None = None, **keys: Unpack[SceneKeys]) -> None:
        if isinstance(scene, Scene):
            if folder is not None:
                raise InputError("folder: cannot be given with a Scene, which has been read already")
            scene = scene.changed(set=set, **keys) if set or keys else scene
        else:
            scene = Scene(scene, folder=folder, set=set, **keys)
        self._begin(scene, _Engine(scene))

    def _begin(self, scene: Scene, engine: _Engine) -> None:
        self._scene = scene
        self._engine = engine
        self._lock = threading.RLock()
        self._depth = 0
        self._tracer: tuple[_Tracer, Any] | None = None
        self._listener = _Listener()
        error = new_error()
        check_result(lib.prc_sim_set_interrupt(engine.pointer, _listen, self._listener.handle, error), error)
        self._fresh: dict[str, bool] = {}
        self._editing = False
        self._steps = 0
        n = self._count = int(lib.prc_sim_vertex_count(engine.pointer))
        # The memory of these two never moves, so one array each serves for good.
        self._positions = view(lib.prc_sim_positions(engine.pointer), (n, 3), np.float64, engine)
        self._velocities = view(lib.prc_sim_velocities(engine.pointer), (n, 3), np.float64, engine)
        self._set_writable(False)
        self._bodies = Bodies([Body(self, k, body) for k, body in enumerate(scene.bodies)])
        self._seal()

    # ---- calling C ----

    @contextmanager
    def _using(self) -> Iterator[Any]:
        """Allows one thread at a time, and no calls from a function that a step is calling."""
        with self._lock:
            if self._depth:
                raise RuntimeError("a simulation cannot be used by a function that its own step calls")
            self._depth += 1
            try:
                yield self._engine.pointer
            finally:
                self._depth -= 1

    def _finish(self, result: int, error: Any) -> None:
        """Raises the exception of a Python function, else that of the result."""
        self._fresh.clear()
        raised = self._engine.take_error()
        if self._tracer is not None and raised is None:
            raised, self._tracer[0].error = self._tracer[0].error, None
        if raised is None:
            raised, self._listener.error = self._listener.error, None
        if raised is not None:
            raise raised
        check_result(result, error)

    # ---- time ----

    def step(self) -> Report:
        """Advances by ``time.step``. The report tells whether the step converged. If a step cannot be completed, it
        raises a `StateError` and the state is unchanged; the same holds for an exception in a function that moves a pin
        or obstacle."""
        raw, error = ffi.new("prc_step_report *"), new_error()
        with self._using() as engine:
            if self._editing:
                raise RuntimeError("step() inside edit(): leave the with block first, which sets the state")
            result = lib.prc_sim_step(engine, raw, error)
            self._finish(result, error)
        self._steps += 1
        return _report(raw)

    def run(self, seconds: float | None = None, *, callback: Callable[[Simulation, Report], Any] | None = None) -> Report | None:
        """Takes steps for `seconds` of simulated time, by default up to the scene's ``time.duration``; returns the last
        report.

        `callback` is called after each step with the simulation and its report; if it returns False, the run ends. A
        step that does not converge raises a `StateError`, unless ``solver.unconverged`` is ``go_on``; the step is
        accepted in both cases. Ctrl-C promptly raises KeyboardInterrupt: the step in progress is discarded, and the
        state is the one before it.
        """
        report = None
        for _ in range(self._step_count(seconds)):
            report = self.step()
            if callback is not None and callback(self, report) is False:
                break
            self._judge(report)
        return report

    def frames(self, seconds: float | None = None, *, frames_per_second: float | None = None) -> Iterator[float]:
        """Runs, and yields the time at each frame, beginning with the start: ``for time in simulation.frames(2):
        ...``"""
        rate = self._scene.frames_per_second if frames_per_second is None else frames_per_second
        if not 0 < rate < math.inf:
            raise InputError(f"frames_per_second: {rate} is not allowed; expected a number above 0")
        period, count = 1 / rate, self._step_count(seconds)
        begin, frame, step = self.time, 1, self.step_length
        yield begin
        for _ in range(count):
            self._judge(self.step())
            if self.time - begin + 1e-6 * step >= frame * period:
                yield self.time
                frame = max(frame + 1, math.floor((self.time - begin) / period + 1e-6) + 1)

    def _step_count(self, seconds: float | None) -> int:
        """Number of steps in `seconds`, or in the rest of the duration of the scene."""
        if seconds is None:
            seconds = max(0.0, self._scene.duration - self.time)
        if not 0 <= seconds < math.inf:
            raise InputError(f"seconds: {seconds} is not allowed; expected a number >= 0")
        return max(0, math.ceil(seconds / self.step_length - 1e-6))

    def _judge(self, report: Report) -> None:
        if report.converged or self._scene._read.definition.solver.unconverged == lib.PRC_UNCONVERGED_GO_ON:
            return
        parts = f", not even in {report.substeps} sub-steps" if report.substeps > 1 else ""
        raise StateError(f"step {self._steps}, to {report.time:.6g} s: did not converge ({report.stop}; residual "
                         f"{report.residual:.2g} m/s, tolerance {self.tolerance:.2g} m/s){parts}")

    @property
    def time(self) -> float:
        """Simulated time, s."""
        with self._using() as engine:
            return float(lib.prc_sim_time(engine))

    # ---- the state as arrays ----

    def _array(self, name: str, columns: int) -> Doubles:
        """The result of prc_sim_<name> as a read-only array."""
        with self._using() as engine:
            memory = getattr(lib, "prc_sim_" + name)(engine)
            if memory == ffi.NULL:
                raise MemoryError(f"{name}: out of memory")
            shape = (self._count, columns) if columns > 1 else (self._count,)
            array = view(memory, shape, np.float64, self._engine)
            array.flags.writeable = False
            return array

    def _current(self, name: str, array: Doubles) -> Doubles:
        """Positions or velocities, updated once after each step, but not while they are being edited."""
        if not self._fresh.get(name):
            with self._using() as engine:
                getattr(lib, "prc_sim_" + name)(engine)
            self._fresh[name] = True
        return array

    @property
    def positions(self) -> Doubles:
        """(n, 3), m, of all bodies and then obstacles: memory of the library. Assigning sets the state, see
        `set_state`."""
        return self._current("positions", self._positions)

    @positions.setter
    def positions(self, values: npt.ArrayLike) -> None:
        if values is not self._positions:  # where it is, an edit in place has been assigned to what it already is
            self.set_state(positions=values)

    @property
    def velocities(self) -> Doubles:
        """(n, 3), m/s: memory of the library. Assigning sets the state, see `set_state`."""
        return self._current("velocities", self._velocities)

    @velocities.setter
    def velocities(self, values: npt.ArrayLike) -> None:
        if values is not self._velocities:
            self.set_state(velocities=values)

    @contextmanager
    def edit(self) -> Iterator[Simulation]:
        """Makes `positions` and `velocities` writable; at the end of the block they become the state.

        ::

            with simulation.edit():
                simulation.positions[:, 1] += 0.1
                simulation.velocities[...] = 0

        With contact, positions are treated as a start, according to ``contact.start``: if they are refused because they
        intersect, an `InputError` is raised and the state is unchanged. An exception in the block also leaves the state
        unchanged.
        """
        if self._editing:
            raise RuntimeError("edit() inside edit()")
        self.positions, self.velocities  # noqa: B018  bring both up to date
        self._editing = True
        self._set_writable(True)
        try:
            yield self
            self.set_state(self._positions, self._velocities)
        finally:
            self._editing = False
            self._set_writable(False)
            self._fresh.clear()

    def _set_writable(self, writable: bool) -> None:
        self._positions.flags.writeable = writable
        self._velocities.flags.writeable = writable

    def set_state(self, positions: npt.ArrayLike | None = None, velocities: npt.ArrayLike | None = None) -> None:
        """Sets positions (m) and velocities (m/s), each (n, 3); None leaves them unchanged.

        With contact, positions are treated as a start, according to ``contact.start``: by default, intersecting
        positions are refused with an `InputError`, and the state is unchanged. The time does not change.
        """
        arrays = []
        for name, values in (("positions", positions), ("velocities", velocities)):
            array = None if values is None else np.ascontiguousarray(values, np.float64)
            if array is not None and array.shape != (self._count, 3):
                raise InputError(f"{name} has the shape {array.shape}; expected ({self._count}, 3)")
            arrays.append(array)
        error = new_error()
        with self._using() as engine:
            result = lib.prc_sim_set_state(
                engine, *(ffi.NULL if array is None else pointer(array, "double") for array in arrays), error)
            self._finish(result, error)

    @property
    def masses(self) -> Doubles:
        """(n,), kg; 0 for obstacles."""
        return self._array("masses", 1)

    @property
    def areas(self) -> Doubles:
        """(n,), of vertices at rest, m²."""
        return self._array("areas", 1)

    @property
    def stretches(self) -> Doubles:
        """(n, 2), principal stretches, the larger first."""
        return self._array("stretches", 2)

    @property
    def stresses(self) -> Doubles:
        """(n, 2), principal Cauchy stresses of the membrane, N/m, the larger first; elastic part only."""
        return self._array("stresses", 2)

    @property
    def curvatures(self) -> Doubles:
        """(n, 2), mean and Gaussian curvature, 1/m and 1/m²."""
        return self._array("curvatures", 2)

    @property
    def energy_densities(self) -> Doubles:
        """(n,), elastic energy per rest area, J/m²."""
        return self._array("energy_densities", 1)

    @property
    def residuals(self) -> Doubles:
        """(n,), force left unbalanced by the last step, as the velocity that it would give in one step, m/s."""
        return self._array("residuals", 1)

    @property
    def pressure(self) -> Doubles:
        """(n,), normal contact forces on the vertex, divided by its area, Pa."""
        return self._array("contact_pressure", 1)

    @property
    def gap(self) -> Doubles:
        """(n,), distance minus thickness, the smallest of all contacts that push on the vertex, m; infinite without
        contact."""
        return self._array("contact_gap", 1)

    @property
    def triangles(self) -> Ints:
        """(m, 3), of all bodies and obstacles, in the numbering of `positions`."""
        parts = [body.triangles + np.int32(body.vertices.start) for body in self._bodies]
        return np.concatenate(parts) if parts else np.empty((0, 3), np.int32)

    @property
    def bodies(self) -> Bodies:
        """Bodies, then obstacles: ``simulation.bodies[0].positions``, ``simulation.bodies["cloth"].stretches``."""
        return self._bodies

    @property
    def safe_bounds(self) -> Doubles:
        """(n,), m: all vertices may move this far at the same time, in any direction, without any two surfaces
        touching; infinite without contact."""
        return self._array("safe_bounds", 1)

    # ---- forces and energies ----

    def spring(self, index: int) -> tuple[float, float]:
        """Distance between the ends of a spring or stitch (m), and its tension (N)."""
        return self._pair("prc_sim_spring", index, self._scene._read.definition.spring_count, "spring")

    def enclosed(self, index: int) -> tuple[float, float]:
        """Volume enclosed by the bodies of a pressure (m³), and pressure inside minus outside (Pa)."""
        return self._pair("prc_sim_pressure", index, self._scene._read.definition.pressure_count, "pressure")

    def _pair(self, function: str, index: int, count: int, what: str) -> tuple[float, float]:
        if not 0 <= index < count:
            raise IndexError(f"there is no {what} {index}; there are {count}")
        pair = ffi.new("double[2]")
        with self._using() as engine:
            getattr(lib, function)(engine, index, pair, pair + 1)
        return pair[0], pair[1]

    def elastic(self, positions: npt.ArrayLike | None = None) -> tuple[float, Doubles]:
        """Elastic energy (J) at `positions` (default: the current state), and its gradient (n, 3) there (N)."""
        x = self._points(self.positions if positions is None else positions)
        gradient, energy, error = np.empty((self._count, 3)), ffi.new("double *"), new_error()
        with self._using() as engine:
            result = lib.prc_sim_elastic(engine, pointer(x, "double"), energy, pointer(gradient, "double"), error)
            self._finish(result, error)
        return energy[0], gradient

    def elastic_product(self, positions: npt.ArrayLike, direction: npt.ArrayLike) -> Doubles:
        """The Gauss–Newton Hessian of the elastic energy at `positions`, times a direction; (n, 3)."""
        x, d = self._points(positions), self._points(direction)
        product, error = np.empty((self._count, 3)), new_error()
        with self._using() as engine:
            result = lib.prc_sim_elastic_product(engine, pointer(x, "double"), pointer(d, "double"),
                                                 pointer(product, "double"), error)
            self._finish(result, error)
        return product

    def _points(self, values: npt.ArrayLike) -> Doubles:
        array: Doubles = np.ascontiguousarray(values, np.float64)
        if array.shape != (self._count, 3):
            raise InputError(f"an array has the shape {array.shape}; expected ({self._count}, 3)")
        return array

    def check(self) -> CheckResult:
        """Finds intersections of the surfaces in the current state, exactly, with code that the solver does not use.

        Checks surfaces only, not colliders.
        """
        obstacle = np.zeros(self._count, np.bool_)
        for body in self._bodies:
            obstacle[body.vertices] = body.is_obstacle
        return check(self.positions, self.triangles, obstacle=obstacle)

    # ---- another scene, the same state ----

    def remake(self, *, set: Mapping[str, Any] | None = None, **keys: Unpack[SceneKeys]) -> Simulation:
        """A new simulation with other numbers, such as materials, that continues from the state of this one, which is
        unchanged: ``stiffer = simulation.remake(set={"bodies[0].material.stretch": 900})``. Meshes, pins, colliders,
        obstacles and springs must be the same, in the same places."""
        scene = self._scene.changed(set=set, **keys)
        twin = _Engine(self._scene)
        saved, error = self.save(), new_error()
        self._finish(lib.prc_sim_restore(twin.pointer, ffi.from_buffer(saved), len(saved), error), error)
        slot = ffi.new("prc_sim **", twin.pointer)
        ffi.gc(twin.pointer, None)  # no longer ours: the call exchanges it, and destroys the old one
        result = lib.prc_sim_remake(slot, scene._read.definition, error)
        if result:
            twin.pointer = ffi.gc(slot[0], lib.prc_sim_destroy)
            self._finish(result, error)
        made: Simulation = Simulation.__new__(Simulation)
        made._begin(scene, _Engine(scene, slot[0]))
        made._steps = self._steps
        return made

    # ---- saving ----

    def save(self) -> bytes:
        """Everything that later steps depend on, as bytes: a simulation of the same scene that restores it takes
        bitwise the same steps."""
        with self._using() as engine:
            data = bytearray(lib.prc_sim_saved_size(engine))
            lib.prc_sim_save(engine, ffi.from_buffer(data))
        return bytes(data)

    def restore(self, data: bytes) -> None:
        """Restores a saved state; bytes that are damaged or from another scene are refused."""
        error = new_error()
        with self._using() as engine:
            self._finish(lib.prc_sim_restore(engine, ffi.from_buffer(data), len(data), error), error)

    def __reduce__(self) -> tuple[Any, ...]:
        return _remake, (self._scene, self.save(), self._steps)

    # ---- what it is ----

    def set_trace(self, function: Trace | None) -> None:
        """Sets a `function` that is called after each solver iteration, for convergence plots; None removes it."""
        with self._using() as engine:
            if function is None:
                self._tracer = None
                lib.prc_sim_set_trace(engine, ffi.NULL, ffi.NULL)
            else:
                tracer = _Tracer(function)
                handle = ffi.new_handle(tracer)
                lib.prc_sim_set_trace(engine, _trace, handle)
                self._tracer = (tracer, handle)

    @property
    def scene(self) -> Scene:
        """The scene of the simulation."""
        return self._scene

    @property
    def vertex_count(self) -> int:
        """Number of vertices of all bodies and obstacles."""
        return self._count

    @property
    def tolerance(self) -> float:
        """Solver tolerance in use, m/s."""
        return float(lib.prc_sim_tolerance(self._engine.pointer))

    @property
    def backend(self) -> str:
        """The kernels and the device in use: "cpu double avx2", "cuda float, NVIDIA H200"."""
        return text(lib.prc_sim_backend(self._engine.pointer))

    @property
    def fingerprint(self) -> int:
        """A hash of all constant data that steps depend on."""
        return int(lib.prc_sim_fingerprint(self._engine.pointer))

    def __repr__(self) -> str:
        return f"<percale.Simulation: {self._count} vertices, {self.time:.6g} s, {self.backend}>"


def _remake(scene: Scene, saved: bytes, steps: int) -> Simulation:
    simulation = Simulation(scene)
    simulation.restore(saved)
    simulation._steps = steps
    return simulation
