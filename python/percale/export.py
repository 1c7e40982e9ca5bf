"""Files for other programs, frame by frame.

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

import os
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

from ._library import ffi, lib, pointer
from .errors import InputError, check_result, new_error


class PointCache:
    """A PC2 file that grows frame by frame, for Blender's Mesh Cache modifier and other programs.

    ::

        body.write("cloth.obj")
        with percale.PointCache("cloth.pc2", len(body.positions)) as cache:
            for time in simulation.frames(2, frames_per_second=24):
                cache.add(body.positions)

    The file is whole after every frame.
    """

    def __init__(self, path: str | os.PathLike[str], vertex_count: int) -> None:
        error = new_error()
        self._series: Any = lib.prc_pc2_series_open(os.fsencode(path), vertex_count, -1, error)
        self._shape = (vertex_count, 3)
        if self._series == ffi.NULL:
            check_result(int(error.code), error)

    def add(self, positions: npt.ArrayLike) -> None:
        """Appends a frame: (n, 3), m; kept in single precision."""
        array = np.ascontiguousarray(positions, np.float64)
        if array.shape != self._shape:
            raise InputError(f"positions has the shape {array.shape}; expected {self._shape}")
        if self._series is None:
            raise InputError("the file has been closed")
        error = new_error()
        check_result(lib.prc_pc2_series_add(self._series, pointer(array, "double *"), error), error)

    def close(self) -> None:
        """Ends the file; nothing can be added after it. Closing twice does no harm."""
        if self._series is not None:
            series, self._series = self._series, None
            error = new_error()
            check_result(lib.prc_pc2_series_close(series, error), error)

    def __enter__(self) -> PointCache:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_series", None):
            lib.prc_pc2_series_close(self._series, new_error())
