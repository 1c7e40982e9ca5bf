"""Converts Python values to text for the scene reader; arrays and functions are passed beside it.

A scene made in code is written as YAML and read by the same reader as a scene file, so keys, checks and messages are
the same. Meshes and functions cannot be written as text: the text refers to them by name with the key `memory`, and the
library gets a table of these names.

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

import json
import keyword
import math
import os
from typing import Any, Callable, Mapping, Sequence

import numpy as np

from ._library import Doubles, ffi, view
from .errors import InputError
from .mesh import Mesh


class Motion:
    """A Python function that moves the vertices of one pin or obstacle."""

    def __init__(self, function: Callable[..., Any], count: int = 0, start: Doubles | None = None) -> None:
        self.function = function
        self.count = count
        self.start = start
        self.error: BaseException | None = None

    def move(self, time: float, memory: Any) -> None:
        positions = view(memory, (self.count, 3), np.float64, None)
        if self.start is not None:
            positions[...] = self.start
        try:
            moved = self.function(time, positions)
            if moved is not None and moved is not positions:
                positions[...] = moved
        except BaseException as error:  # C cannot pass it on: the step fails, and the caller of it raises this one
            self.error = self.error or error
            positions[...] = math.nan


@ffi.callback("void(void *, double, double *)")  # type: ignore[untyped-decorator,unused-ignore]
def animate(context: Any, time: float, positions: Any) -> None:
    ffi.from_handle(context).move(time, positions)


class Memory:
    """Meshes and functions of a scene, by their names in its text."""

    def __init__(self) -> None:
        self.things: list[Any] = []  # Mesh or function; number k is called "#k"

    def name(self, thing: Any) -> dict[str, str]:
        for k, known in enumerate(self.things):
            if known is thing:
                return {"memory": f"#{k}"}
        self.things.append(thing)
        return {"memory": f"#{len(self.things) - 1}"}

    def table(self) -> tuple[Any, list[Any]]:
        """The prc_scene_memory of all items, and the objects that must stay alive while the scene is read. The context
        of a function is a number, which the scene replaces by that of the pin or obstacle, see `number`."""
        table = ffi.new("prc_scene_memory[]", len(self.things))
        kept: list[Any] = []
        for k, thing in enumerate(self.things):
            name = ffi.new("char[]", f"#{k}".encode())
            table[k].name = name
            if isinstance(thing, Mesh):
                table[k].mesh, more = thing._c_mesh()
                kept.append(more)
            else:
                table[k].animate = animate
                table[k].context = ffi.cast("void *", k + 1)
            kept.append(name)
        return table, kept

    def function(self, context: Any) -> Callable[..., Any]:
        """The function of the number that a pin or obstacle has as its context."""
        function: Callable[..., Any] = self.things[int(ffi.cast("intptr_t", context)) - 1]
        return function


def _key(key: object, path: str) -> str:
    """`from_` stands for `from`: Python keywords cannot be argument names."""
    if not isinstance(key, str):
        raise InputError(f"{path or 'scene'}: {key!r} is not a key; expected text")
    return key[:-1] if key.endswith("_") and keyword.iskeyword(key[:-1]) else key


def plain(value: Any, memory: Memory, path: str) -> Any:
    """The value as dicts, lists, numbers and strings. Keys whose value is None are left out."""
    if isinstance(value, Mesh) or callable(value):
        return memory.name(value)
    if isinstance(value, Mapping):
        if "positions" in value:
            return memory.name(Mesh(**value))
        keys = {_key(key, path): item for key, item in value.items() if item is not None}
        return {key: plain(item, memory, f"{path}.{key}" if path else key) for key, item in keys.items()}
    if isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Sequence):
        return [plain(item, memory, f"{path}[{k}]") for k, item in enumerate(value)]
    raise InputError(f"{path}: a {type(value).__name__} cannot be part of a scene; expected values of a scene file, "
                     "arrays, a Mesh or a function")


def write(value: Any) -> str:
    """Plain values as YAML on one line: JSON, except for numbers that JSON cannot represent."""
    if isinstance(value, dict):
        return "{%s}" % ", ".join(f"{write(key)}: {write(item)}" for key, item in value.items())
    if isinstance(value, list):
        return "[%s]" % ", ".join(map(write, value))
    if isinstance(value, float) and not math.isfinite(value):
        return ".nan" if math.isnan(value) else ".inf" if value > 0 else "-.inf"
    return json.dumps(value, ensure_ascii=False)


def flatten(key: str, value: Any) -> list[str]:
    """Overrides in the form of the option --set: a table changes the keys it contains and leaves the others."""
    if isinstance(value, dict) and value and "memory" not in value:
        return [text for name, item in value.items() for text in flatten(f"{key}.{name}", item)]
    return [f"{key}={write(value)}"]
