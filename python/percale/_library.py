"""The shared library, and what all modules need to call it.

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
    """Waiting threads sleep instead of spinning, unless the user says otherwise, as in the program percale. OpenMP reads
    the environment when it is loaded, so it is changed for that moment alone."""
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
    """A C string; "" where it is NULL."""
    return bytes(ffi.string(pointer)).decode("utf-8", "replace") if pointer else ""


def view(pointer: Any, shape: tuple[int, ...], dtype: Any, owner: object) -> npt.NDArray[Any]:
    """Memory of the library as an array, without a copy. The array keeps `owner` alive, whose memory it is."""
    dtype = np.dtype(dtype)
    size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    if size == 0:
        return np.empty(shape, dtype)
    kept = ffi.gc(pointer, lambda _: owner)  # nothing to do in the end: the reference is the point
    return np.frombuffer(ffi.buffer(kept, size), dtype).reshape(shape)


def pointer(array: npt.NDArray[Any], kind: str) -> Any:
    """The memory of a contiguous array, as items of a kind. The result keeps the array alive; what it is assigned to in C
    does not."""
    return ffi.from_buffer(kind + "[]", array) if array.size else ffi.NULL
