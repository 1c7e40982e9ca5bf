"""Intersection tests of surfaces, and continuous collision detection of moving primitives.

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ._library import ffi, lib, pointer
from .errors import InputError, check_result, new_error
from .mesh import Mesh


@dataclass(frozen=True)
class Crossing:
    """An edge and a triangle that intersect."""

    edge: tuple[int, int]
    triangle: tuple[int, int, int]
    point: tuple[float, float, float]
    """Where, m."""


@dataclass(frozen=True)
class CheckResult:
    """Result of `check`."""

    crossings: int
    """Pairs of an edge and a triangle that have a point in common; touching counts."""
    triangle_pairs: int
    """Pairs of triangles that cross."""
    degenerate: int
    """Triangles without area: tested as the edge or point they are."""
    listed: tuple[Crossing, ...]
    """The first crossings."""
    distance: float
    """Between the nearest primitives that share no vertex, m; infinite where there are none."""
    nearest: tuple[tuple[int, ...], tuple[int, ...]]
    """Vertices of these two: a vertex and a triangle, or two edges."""


def check(positions: npt.ArrayLike, triangles: npt.ArrayLike, *, obstacle: npt.ArrayLike | None = None,
          distances: bool = True, most_listed: int = 10) -> CheckResult:
    """Tests every edge against every triangle with which it shares no vertex, exactly.

    `obstacle` marks the vertices of obstacles; pairs of two obstacles are not tested. `distances`: also find the
    smallest distance.
    """
    mesh = Mesh(positions, triangles)
    n = len(mesh.positions)
    if mesh.triangles.size and not 0 <= mesh.triangles.min() <= mesh.triangles.max() < n:
        raise InputError(f"triangles use vertices that do not exist; there are 0 to {n - 1}")
    options = ffi.new("prc_check_options *", dict(skip_distances=not distances, most_listed=max(0, most_listed)))
    if obstacle is not None:
        flags = np.ascontiguousarray(obstacle, np.bool_)
        if flags.shape != (n,):
            raise InputError(f"obstacle has the shape {flags.shape}; expected ({n},)")
        options.obstacle = pointer(flags, "bool")
    result = ffi.gc(ffi.new("prc_check_result *"), lib.prc_check_result_release)
    error = new_error()
    check_result(lib.prc_check_surfaces(pointer(mesh.positions, "double"), n, pointer(mesh.triangles, "int"),
                                        len(mesh.triangles), options, result, error), error)
    listed = tuple(Crossing((c.edge[0], c.edge[1]), (c.triangle[0], c.triangle[1], c.triangle[2]),
                            (c.point[0], c.point[1], c.point[2]))
                   for c in (result.listed[k] for k in range(result.listed_count)))
    near = result.nearest
    pair = (tuple(near.a[0:near.a_count]), tuple(near.b[0:near.b_count])) if near.found else ((), ())
    return CheckResult(result.crossings, result.triangle_pairs, result.degenerate, listed,
                       near.distance if near.found else float("inf"), pair)


def ccd_point_triangle(start: npt.ArrayLike, end: npt.ArrayLike, separation: float = 0.0) -> tuple[bool, float]:
    """Tests whether a point and a triangle that move in straight lines from `start` to `end` come as close as
    `separation`.

    Both are (4, 3): the point, then the corners. Returns a bool and the time, 0 to 1, up to which the motion is safe.
    If it is False, the distance stays above the separation during the whole motion: no contact is missed.
    """
    return _ccd(lib.prc_ccd_point_triangle, start, end, separation)


def ccd_edge_edge(start: npt.ArrayLike, end: npt.ArrayLike, separation: float = 0.0) -> tuple[bool, float]:
    """The same for two edges: (4, 3), the ends of one and the ends of the other."""
    return _ccd(lib.prc_ccd_edge_edge, start, end, separation)


def _ccd(function: Any, start: npt.ArrayLike, end: npt.ArrayLike, separation: float) -> tuple[bool, float]:
    points = [np.ascontiguousarray(values, np.float64) for values in (start, end)]
    if any(array.shape != (4, 3) for array in points):
        raise InputError(f"start and end have the shapes {points[0].shape} and {points[1].shape}; expected (4, 3)")
    time = ffi.new("double *")
    answer = function(*(ffi.from_buffer("double[][3]", array) for array in points), separation, time)
    return bool(answer), time[0]
