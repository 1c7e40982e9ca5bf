"""Scenes: from a file or from keywords, read by the same code.

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Mapping, Union

import numpy as np

from ._library import Ints, ffi, lib, text, view
from ._memory import Memory, Motion, flatten, plain, write
from ._names import Sealed
from .errors import InputError, Problem, check_result, make_error, new_error
from .mesh import Mesh, _from_c

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .keys import SceneKeys

Source = Union[str, "os.PathLike[str]", Mapping[str, Any]]


@dataclass(frozen=True)
class SceneBody:
    """A body or obstacle of a scene, as it stands at time 0."""

    name: str
    mesh: Mesh
    """Placed, with its groups and properties; its arrays are the scene's memory."""
    is_obstacle: bool
    segments: Ints
    """(k, 2): edges of an obstacle's polylines, which belong to no triangle."""
    particle_radius: float
    """m; 0 for membranes and obstacles. The triangles of a mesh of particles count for nothing."""


@dataclass(frozen=True)
class StartCrossing:
    """An edge that passes through a triangle at the start. Vertices are numbered over all bodies."""

    edge: tuple[int, int]
    triangle: tuple[int, int, int]
    edge_body: int
    triangle_body: int
    point: tuple[float, float, float]
    """Where, m."""


@dataclass(frozen=True)
class StartClose:
    """Two primitives that are closer than allowed: a vertex and a triangle, two edges, or a vertex and a collider."""

    a: tuple[int, ...]
    b: tuple[int, ...]
    bodies: tuple[int, int]
    """Of both; -1 for a collider."""
    collider: int
    """-1 for none."""
    distance: float
    """m."""
    smallest: float
    """What they must be farther apart than, m."""


@dataclass(frozen=True)
class StartReport:
    """All problems of a start; false if there are none."""

    crossings: tuple[StartCrossing, ...]
    close: tuple[StartClose, ...]

    def __bool__(self) -> bool:
        return bool(self.crossings or self.close)


class _Read:
    """A prc_scene and the objects that it points to."""

    def __init__(self, pointer: Any, memory: Memory) -> None:
        self.pointer = ffi.gc(pointer, lib.prc_scene_destroy)
        self.definition = lib.prc_scene_sim_def(pointer)
        self.motions: list[Motion] = []
        self.handles: list[Any] = []
        d = self.definition
        for k in range(d.pin_count):
            self._take(d.pins[k], memory, d.pins[k].vertex_count)
        for k in range(d.obstacle_count):
            mesh = d.obstacles[k].mesh
            self._take(d.obstacles[k], memory, mesh.vertex_count,
                       view(mesh.positions, (mesh.vertex_count, 3), np.float64, None))

    def _take(self, item: Any, memory: Memory, count: int, start: Any = None) -> None:
        """Each pin and obstacle gets its own context, with its number of vertices."""
        if item.animate == ffi.NULL or not 0 < int(ffi.cast("intptr_t", item.animate_context)) <= len(memory.things):
            return
        motion = Motion(memory.function(item.animate_context), count, start)
        handle = ffi.new_handle(motion)
        item.animate_context = handle
        self.motions.append(motion)
        self.handles.append(handle)


class Scene(Sealed):
    """The complete description of a simulation.

    ``Scene("flag.yaml")`` reads a file; ``Scene(bodies=[dict(mesh=...)], time=dict(step=1e-3))`` takes the same keys as
    keywords, dicts and lists (docs/scene.md; `percale.keys` has their types). With both, keywords change values of the
    file, like the option ``--set``: ``Scene("flag.yaml", time=dict(step=2e-3))``; `set` changes values by name:
    ``Scene("flag.yaml", set={"bodies[0].material.stretch": 900})``.

    In code, a `Mesh` or a dict of arrays can replace a table of mesh keys, and a Python function the ``follow`` of a
    pin or the ``animation`` of an obstacle (see `percale.keys.Motion`). Python keywords get an underscore: ``from_``,
    ``except_``. File names are relative to the folder of the scene file or, in code, to `folder` (default: the current
    folder).

    The constructor reads everything and creates all meshes; mistakes raise an `InputError` that names the keys.
    """

    def __init__(self, source: Source | None = None, /, *, folder: str | os.PathLike[str] | None = None,
                 set: Mapping[str, Any] | None = None, **keys: Unpack[SceneKeys]) -> None:
        self._source = source
        self._folder = folder
        self._changes: list[tuple[str, Any]] = list((set or {}).items())
        table: dict[str, Any] = dict(keys)
        if isinstance(source, Mapping) or source is None:
            table = {**(source or {}), **table}
            table.setdefault("percale", 1)
            self._table: dict[str, Any] | None = table
        elif folder is not None:
            raise InputError("folder: cannot be given with a scene file, which has its own")
        else:
            self._changes += table.items()
            self._table = None
        self._read = self._parse()
        self._seal()

    def _parse(self) -> _Read:
        memory = Memory()
        body = "" if self._table is None else write(plain(self._table, memory, ""))
        changes = [change for key, value in self._changes for change in flatten(key, plain(value, memory, key))]
        overrides = [ffi.new("char[]", change.encode("utf-8", "surrogateescape")) for change in changes]
        table, _kept = memory.table()
        errors = ffi.new("prc_scene_errors *")
        if self._table is not None:
            path = os.path.join(os.fsencode(self._folder or ""), b"<scene>")
            content = body.encode("utf-8", "surrogateescape")
        else:
            assert not isinstance(self._source, Mapping) and self._source is not None
            path = os.fsencode(self._source)
            content = b""
        if self._table is None and not memory.things:
            pointer = lib.prc_scene_read(path, overrides, len(overrides), errors)
        else:
            if self._table is None:
                with open(path, "rb") as file:
                    content = file.read()
            pointer = lib.prc_scene_parse_with(content, len(content), path, overrides, len(overrides), table,
                                               len(memory.things), errors)
        if not pointer:
            raise _scene_error(errors, path if self._table is not None else None, changes)
        return _Read(pointer, memory)

    def changed(self, *, set: Mapping[str, Any] | None = None, **keys: Unpack[SceneKeys]) -> Scene:
        """The same scene with other values: tables change the keys they contain, lists are replaced; `set` changes
        values inside lists: ``scene.changed(set={"bodies[0].material.stretch": 900})``."""
        other: Scene = Scene.__new__(Scene)
        other._source, other._folder, other._table = self._source, self._folder, self._table
        other._changes = self._changes + list((set or {}).items()) + list(keys.items())
        other._read = other._parse()
        other._seal()
        return other

    def __reduce__(self) -> tuple[Any, ...]:
        return _remake, (self._table if self._table is not None else self._source, self._folder, self._changes)

    def __repr__(self) -> str:
        name = "in code" if self._table is not None else repr(os.fspath(self._source))  # type: ignore[arg-type]
        vertices = sum(len(body.mesh.positions) for body in self.bodies)
        return f"<percale.Scene {name}: {len(self.bodies)} bodies and obstacles, {vertices} vertices>"

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes about what was found and repaired: "shirt.obj: 3 isolated vertices removed"."""
        pointer = self._read.pointer
        return tuple(text(lib.prc_scene_note(pointer, k)) for k in range(lib.prc_scene_note_count(pointer)))

    @property
    def bodies(self) -> tuple[SceneBody, ...]:
        """Bodies, then obstacles, with each instance separately, in the order of the simulation."""
        d = self._read.definition
        made = []
        for k in range(d.body_count):
            body = d.bodies[k]
            made.append(SceneBody(text(body.name), _from_c(body.mesh, self._read), False, np.empty((0, 2), np.int32),
                                  float(body.particle.radius) if body.kind == lib.PRC_BODY_PARTICLES else 0))
        for k in range(d.obstacle_count):
            item = d.obstacles[k]
            made.append(SceneBody(text(item.name), _from_c(item.mesh, self._read), True,
                                  view(item.segments, (item.segment_count, 2), np.int32, self._read), 0))
        return tuple(made)

    @property
    def step(self) -> float:
        """``time.step``, s."""
        return float(self._read.definition.time.step)

    @property
    def duration(self) -> float:
        """``time.duration``, s."""
        return float(self._read.definition.time.duration)

    @property
    def frames_per_second(self) -> float:
        """``time.frames_per_second``, 1/s."""
        return float(self._read.definition.time.frames_per_second)

    def examine_start(self) -> StartReport:
        """Intersections and gaps that are too small at the start, whatever ``contact.start`` says; contact must be
        enabled."""
        report = ffi.gc(ffi.new("prc_start_report *"), lib.prc_start_report_release)
        error = new_error()
        check_result(lib.prc_start_examine(self._read.definition, report, error), error)
        crossings = [StartCrossing((c.edge[0], c.edge[1]), (c.triangle[0], c.triangle[1], c.triangle[2]), c.edge_body,
                                   c.triangle_body, (c.point[0], c.point[1], c.point[2]))
                     for c in (report.crossings[k] for k in range(report.crossing_count))]
        close = [StartClose(tuple(c.vertices[0:c.a_count]), tuple(c.vertices[c.a_count:c.a_count + c.b_count]),
                            (c.body[0], c.body[1]), c.collider, c.distance, c.smallest)
                 for c in (report.close[k] for k in range(report.close_count))]
        return StartReport(tuple(crossings), tuple(close))


def _remake(source: Source, folder: Any, changes: list[tuple[str, Any]]) -> Scene:
    scene: Scene = Scene.__new__(Scene)
    scene._source, scene._folder, scene._changes = source, folder, changes
    scene._table = dict(source) if isinstance(source, Mapping) else None
    scene._read = scene._parse()
    scene._seal()
    return scene


def _scene_error(errors: Any, path: bytes | None, changes: list[str]) -> Exception:
    """The exception for the errors of a scene. For text made from Python values, line numbers mean nothing and are left
    out; the keys are enough."""
    problems = []
    kept = min(errors.count, len(errors.items))
    for item in errors.items[0:kept]:
        message, line, column, source = text(item.message), item.line, item.column, text(item.source)
        place = ""
        if item.file == 0 and path is not None:
            place = path[:200].decode("utf-8", "replace") + (f":{line}:{column}: " if line else ": ")
            line, column, source = 0, 0, ""
        elif item.file < 0:
            known = [f"--set {change.encode()[:200].decode('utf-8', 'ignore')}: " for change in changes]
            place = next((prefix for prefix in known if message.startswith(prefix)), "")
        problems.append(Problem(message[len(place):] if message.startswith(place) else message, line, column, source))
    lines = [problem.message for problem in problems]
    if errors.count > kept:
        lines.append(f"… and {errors.count - kept} more")
    return make_error(int(errors.code), "\n".join(lines), tuple(problems))
