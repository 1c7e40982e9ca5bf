"""Animation files for other programs.

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ._library import ffi, lib, pointer
from .errors import InputError, check_result, new_error

if TYPE_CHECKING:
    from .simulation import Simulation


class Recording:
    """Frames of a simulation, kept in memory (single precision) until they are written.

    ::

        recording = percale.Recording(simulation)
        for time in simulation.frames(2, frames_per_second=24):
            recording.add()
        recording.write("cloth.glb")      # browsers, Blender; also .usda, .mdd, .pc2
    """

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self.times: list[float] = []
        self.frames: list[npt.NDArray[np.float32]] = []

    def add(self) -> None:
        """Adds the current state as a frame."""
        time = self._simulation.time
        if self.times and time <= self.times[-1]:
            raise InputError(f"the time is {time:g} s, but the last frame is at {self.times[-1]:g} s; expected a later one")
        self.times.append(time)
        self.frames.append(self._simulation.positions.astype(np.float32))

    def write(self, path: str | os.PathLike[str], *, frames_per_second: float | None = None) -> None:
        """Writes all frames in the format of the file extension: GLB (with morph targets, for browsers and Blender),
        USD (.usda), MDD or PC2 (for Blender's Mesh Cache; `Body.write` writes the mesh). The file is written completely
        or not at all. `frames_per_second` defaults to that of the frames added."""
        if not self.frames:
            raise InputError("there are no frames; expected at least one call of add()")
        if not lib.prc_clip_is_path(os.fsencode(path)):
            raise InputError(f"{os.fspath(path)}: expected a name ending in .glb, .usda, .mdd or .pc2")
        span = self.times[-1] - self.times[0]
        rate = frames_per_second or ((len(self.times) - 1) / span if span > 0 else self._simulation.scene.frames_per_second)
        bodies = self._simulation.bodies
        kept = [ffi.new("char[]", body.name.encode()) if body.name else ffi.NULL for body in bodies]
        parts = ffi.new("prc_obj_part[]", len(bodies))
        for part, body, name in zip(parts, bodies, kept):
            part.name, part.vertex_count, part.triangle_count = name, len(body.mesh.positions), len(body.triangles)
            part.texture = ffi.NULL if body.mesh.texture is None else pointer(body.mesh.texture, "double")
            part.edge_count = len(body.segments)
        triangles, times = self._simulation.triangles, np.array(self.times)
        edges = np.concatenate([body.segments + np.int32(body.vertices.start) for body in bodies])
        definition = ffi.new("prc_clip_def *", dict(
            parts=parts, part_count=len(bodies), body_count=sum(not body.is_obstacle for body in bodies),
            triangles=pointer(triangles, "int"), edges=pointer(edges, "int"), frame_count=len(self.frames),
            times=pointer(times, "double"), rate=rate))
        error = new_error()
        clip = lib.prc_clip_open(os.fsencode(path), definition, error)
        if clip == ffi.NULL:
            check_result(int(error.code), error)
        for frame in self.frames:
            result = lib.prc_clip_add(clip, pointer(np.ascontiguousarray(frame, np.float64), "double"), error)
            if result:
                lib.prc_clip_abandon(clip)
                check_result(result, error)
        check_result(lib.prc_clip_finish(clip, error), error)
