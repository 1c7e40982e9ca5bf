"""Triangle meshes: arrays, files and the generators of scenes.

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Mapping, Union

import numpy as np
import numpy.typing as npt

from ._library import Doubles, Ints, ffi, lib, pointer, text, view
from ._names import Sealed
from .errors import InputError, check_result, new_error

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .keys import MeshKeys


def _array(name: str, values: npt.ArrayLike, dtype: Any, shape: tuple[int, ...]) -> npt.NDArray[Any]:
    """A contiguous array of the type that C needs; copied only if necessary."""
    given = np.asarray(values)
    if given.dtype.kind not in ("iu" if np.dtype(dtype).kind == "i" else "iuf") and given.size:
        raise InputError(f"mesh: {name} is an array of {given.dtype}; expected {'whole ' if dtype is np.int32 else ''}numbers")
    if given.size == 0 and given.ndim < len(shape):
        given = given.reshape((0,) * len(shape[:1]) + shape[1:])
    good = given.ndim == len(shape) and all(want < 0 or want == have for want, have in zip(shape, given.shape))
    if not good:
        wanted = ", ".join("n" if want < 0 else str(want) for want in shape)
        raise InputError(f"mesh: {name} has the shape {given.shape}; expected ({wanted}{',' if len(shape) == 1 else ''})")
    if dtype is np.int32 and given.size and (given.max() > 2**31 - 1 or given.min() < -(2**31)):
        raise InputError(f"mesh: {name} contains numbers that are not vertices")
    return np.ascontiguousarray(given, dtype)


class Mesh(Sealed):
    """A triangle mesh as numpy arrays.

    Arrays of doubles and 32-bit integers in C order are used without a copy, others are copied. A `Mesh` can be used
    wherever a scene has a table of mesh keys: ``bodies=[dict(mesh=Mesh(positions, triangles))]``, the ``rest`` of a
    body, obstacles and colliders. The simulation makes a copy.
    """

    _assignable = frozenset({"positions", "triangles", "texture", "groups", "properties"})

    positions: Doubles
    """(n, 3), m."""
    triangles: Ints
    """(m, 3): vertices, counter-clockwise seen from the front; for particles and single points there may be none."""
    texture: Union[Doubles, None]
    """(n, 2), m: a flat pattern that may serve as the rest shape (``rest="texture"``)."""
    groups: dict[str, Ints]
    """Vertices by the name of their group, for ``select=dict(group=...)``."""
    properties: dict[str, Doubles]
    """A number per vertex, by name, for ``select=dict(property=...)``."""

    def __init__(self, positions: npt.ArrayLike, triangles: npt.ArrayLike = (), *, texture: npt.ArrayLike | None = None,
                 groups: Mapping[str, npt.ArrayLike] | None = None,
                 properties: Mapping[str, npt.ArrayLike] | None = None) -> None:
        self.positions = _array("positions", positions, np.float64, (-1, 3))
        self.triangles = _array("triangles", triangles, np.int32, (-1, 3))
        count = len(self.positions)
        self.texture = None if texture is None else _array("texture", texture, np.float64, (count, 2))
        self.groups = {}
        for name, vertices in (groups or {}).items():
            numbers = np.unique(_array(f"group {name}", vertices, np.int32, (-1,)))
            if numbers.size and (numbers[0] < 0 or numbers[-1] >= count):
                raise InputError(f"mesh: group {name} has vertex {numbers[-1]}; there are 0 to {count - 1}")
            self.groups[name] = numbers
        self.properties = {name: _array(f"property {name}", values, np.float64, (count,))
                           for name, values in (properties or {}).items()}
        self._seal()

    def __repr__(self) -> str:
        return f"<percale.Mesh: {len(self.positions)} vertices, {len(self.triangles)} triangles>"

    def check(self) -> None:
        """Raises an `InputError` with the first problems if the mesh cannot be simulated."""
        mesh, _kept = self._c_mesh()
        error = new_error()
        check_result(lib.prc_mesh_check(mesh, error), error)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes OBJ, PLY, STL or legacy VTK, chosen by the file extension. The file is written completely or not at
        all."""
        mesh, _kept = self._c_mesh()
        error = new_error()
        check_result(lib.prc_mesh_write(mesh, os.fsencode(path), error), error)

    def _c_mesh(self) -> tuple[Any, list[Any]]:
        """A prc_mesh that points to the arrays, and the objects that must stay alive while it is used."""
        mesh = ffi.new("prc_mesh *")
        kept: list[Any] = [self, mesh]
        mesh.vertex_count, mesh.triangle_count = len(self.positions), len(self.triangles)
        mesh.positions = pointer(self.positions, "double")
        mesh.triangles = pointer(self.triangles, "int")
        if self.texture is not None:
            mesh.texture = pointer(self.texture, "double")
        groups = ffi.new("prc_mesh_group[]", len(self.groups))
        for item, (name, vertices) in zip(groups, self.groups.items()):
            item.name = kept_name = ffi.new("char[]", name.encode())
            item.vertices, item.vertex_count = pointer(vertices, "int"), len(vertices)
            kept.append(kept_name)
        properties = ffi.new("prc_mesh_property[]", len(self.properties))
        for item, (name, values) in zip(properties, self.properties.items()):
            item.name = kept_name = ffi.new("char[]", name.encode())
            item.values = pointer(values, "double")
            kept.append(kept_name)
        mesh.groups, mesh.group_count = groups, len(self.groups)
        mesh.properties, mesh.property_count = properties, len(self.properties)
        return mesh, kept + [groups, properties]


def _from_c(mesh: Any, owner: object) -> Mesh:
    """Arrays over the memory of a prc_mesh, which `owner` keeps alive."""
    n = mesh.vertex_count
    made = Mesh.__new__(Mesh)
    made.positions = view(mesh.positions, (n, 3), np.float64, owner)
    made.triangles = view(mesh.triangles, (mesh.triangle_count, 3), np.int32, owner)
    made.texture = view(mesh.texture, (n, 2), np.float64, owner) if mesh.texture else None
    made.groups = {text(group.name): view(group.vertices, (group.vertex_count,), np.int32, owner)
                   for group in mesh.groups[0:mesh.group_count]} if mesh.group_count else {}
    made.properties = {text(item.name): view(item.values, (n,), np.float64, owner)
                       for item in mesh.properties[0:mesh.property_count]} if mesh.property_count else {}
    made._seal()
    return made


def read_mesh(path: str | os.PathLike[str], *, vertices: tuple[int, int] = (0, 0), split_texture: bool = False,
              mend: bool = True, points: bool = False) -> Mesh:
    """Reads a mesh file; the format is chosen by the file extension (docs/meshes.md).

    The keywords are those of ``mesh`` with ``file`` in a scene: `vertices` keeps a range of vertices (the first, and
    the count), `split_texture` cuts an OBJ mesh open along its texture seams, `mend` repairs problems that have only
    one possible repair. `points` accepts a file with vertices and no triangles.
    """
    mesh = ffi.gc(ffi.new("prc_mesh *"), lib.prc_mesh_release)
    options = ffi.new("prc_mesh_file_def *", dict(vertices=list(vertices), split_texture=split_texture, mend=mend,
                                                       points=points))
    error = new_error()
    check_result(lib.prc_mesh_load(mesh, os.fsencode(path), options, ffi.NULL, error), error)
    return _from_c(mesh, mesh)


def write_mesh(path: str | os.PathLike[str], positions: npt.ArrayLike, triangles: npt.ArrayLike) -> None:
    """Writes arrays as OBJ, PLY, STL or legacy VTK, chosen by the file extension. The file is written completely or not
    at all."""
    Mesh(positions, triangles).write(path)


def make_mesh(**keys: Unpack[MeshKeys]) -> Mesh:
    """A mesh as a scene would make it: ``make_mesh(grid=dict(size=[1, 1], cells=[30, 30]))``; points without triangles
    too: ``make_mesh(packing=dict(count=1000, spacing=0.01))``."""
    from .scene import Scene

    points = "lattice" in keys or "packing" in keys
    mesh = Scene(bodies=[dict(mesh=keys, kind="particles") if points else dict(mesh=keys)]).bodies[0].mesh
    return Mesh(mesh.positions.copy(), mesh.triangles.copy(), texture=mesh.texture, groups=mesh.groups,
                properties=mesh.properties)
