"""The shared library, and helpers for calling it.

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _binding

ffi: Any = _binding.ffi


def _load() -> Any:
    """Makes waiting threads sleep instead of spin, as in the program percale, unless the user has set this. OpenMP
    reads the environment when it is loaded, so it is changed only during loading."""
    wanted = {"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "20000"}
    ours = [] if "OMP_WAIT_POLICY" in os.environ else [key for key in wanted if key not in os.environ]
    for key in ours:
        os.environ[key] = wanted[key]
    try:
        return ffi.dlopen(str(Path(__file__).with_name("libpercale_python.so")))
    finally:
        for key in ours:
            del os.environ[key]


lib: Any = _load()

Doubles = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]


def text(pointer: Any) -> str:
    """A C string as str; "" if it is NULL."""
    return bytes(ffi.string(pointer)).decode("utf-8", "replace") if pointer else ""


def view(pointer: Any, shape: tuple[int, ...], dtype: Any, owner: object) -> npt.NDArray[Any]:
    """An array over memory of the library, without a copy. The array keeps `owner` alive, which owns the memory."""
    dtype = np.dtype(dtype)
    size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    if size == 0:
        return np.empty(shape, dtype)
    kept = ffi.gc(pointer, lambda _: owner)  # nothing to do in the end: the reference is the point
    return np.frombuffer(ffi.buffer(kept, size), dtype).reshape(shape)


def pointer(array: npt.NDArray[Any], kind: str) -> Any:
    """A typed pointer to the memory of a contiguous array. The result keeps the array alive; a C field that it is
    assigned to does not."""
    return ffi.from_buffer(kind + "[]", array) if array.size else ffi.NULL
