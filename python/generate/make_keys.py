"""Makes keys.py, the types of all keys of a scene, from the schema: make_keys.py SCHEMA.json OUTPUT.py

SCHEMA.json is what `percale schema --json-schema` prints. Each table becomes a TypedDict with the sentences of the
schema, so that editors complete keywords and mypy checks them.

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

import json
import keyword
import sys
import textwrap
from pathlib import Path
from typing import Any

HEAD = '''"""Every table of a scene as a TypedDict: what `Scene`, `Simulation` and the dicts in them take.

Made from the schema by python/generate/make_keys.py; the keys are those of scene files (docs/scene.md). A key that is a word
of Python has a second name with an underscore behind it: ``from_``, ``except_``.
"""
from __future__ import annotations

import os
from typing import Any, Callable, Literal, Sequence, TypedDict, Union

import numpy as np
import numpy.typing as npt

from .mesh import Mesh

Real = Union[float, "np.floating[Any]", str]
"""A number, or an expression of numbers and variables: ``"size / 2"``."""
Whole = Union[int, "np.integer[Any]", str]
"""A whole number, or an expression."""
Reals = Union[Sequence[Real], npt.NDArray[Any]]
"""Numbers."""
Wholes = Union[Sequence[Whole], npt.NDArray[Any]]
"""Whole numbers."""
Path = Union[str, "os.PathLike[str]"]
"""A file name, relative to the scene file, or to `folder` of a scene made in code."""
Motion = Callable[[float, npt.NDArray[np.float64]], Any]
"""A motion in Python: called with the time (s) and an (n, 3) array of positions (m), which it changes or returns anew.

The array contains the positions when the pin took hold or, for an obstacle, its positions in the scene. The same time
and positions must give the same result."""


class MeshArrays(TypedDict, total=False):
    """A mesh as arrays, in place of a table of mesh keys: the arguments of `Mesh`."""

    positions: npt.ArrayLike
    """(n, 3), m."""
    triangles: npt.ArrayLike
    """(m, 3): vertices, counter-clockwise seen from the front; of particles there may be none."""
    texture: npt.ArrayLike
    """(n, 2), m: a flat pattern."""
    groups: dict[str, npt.ArrayLike]
    """Vertices by the name of their group, for ``select=dict(group=...)``."""
    properties: dict[str, npt.ArrayLike]
    """Numbers per vertex, for ``select=dict(property=...)``."""
'''

TAIL = '''
MATERIAL_MODELS: tuple[str, ...] = (%s)
"""Names of all material models."""
'''

SPECIAL = {"mesh": "Union[{0}, Mesh, MeshArrays]", "follow": "Union[{0}, Motion]", "animation": "Union[{0}, Motion]"}


def class_name(table: str) -> str:
    return "".join(part.capitalize() for part in table.split("_")) + "Keys"


def type_of(schema: dict[str, Any]) -> str:
    """The Python type of what a JSON Schema allows."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        if name == "expression":
            return "str"
        return SPECIAL.get(name, "{0}").format(f'"{class_name(name)}"')
    if "const" in schema:
        return f"Literal[{schema['const']!r}]"
    if "enum" in schema:
        return "Literal[%s]" % ", ".join(map(repr, schema["enum"]))
    if "anyOf" in schema:
        parts = [type_of(part) for part in schema["anyOf"]]
        numbers = {("float", "str"): "Real", ("int", "str"): "Whole"}.get(tuple(parts))
        return numbers or "Union[%s]" % ", ".join(dict.fromkeys(parts))
    kind = schema.get("type")
    if isinstance(kind, list):
        return "Union[%s]" % ", ".join({"string": "str"}.get(k) or type_of({"type": k}) for k in kind)
    if kind == "array":
        item = type_of(schema["items"])
        if item in ("Real", "Whole"):
            return item + "s"
        if item in ("Reals", "Wholes"):
            return f"Union[Sequence[{item}], npt.NDArray[Any]]"
        return f"Sequence[{item}]"
    if kind == "object" and "additionalProperties" in schema and "properties" not in schema:
        return "dict[str, Real]"
    return {"number": "float", "integer": "int", "string": "Path", "boolean": "bool"}[str(kind)]


def make_table(name: str, table: dict[str, Any]) -> list[str]:
    lines, keys = [], table["properties"]
    types = {key: type_of(value["allOf"][0]) for key, value in keys.items()}
    reserved = [key for key in keys if keyword.iskeyword(key)]
    base = "TypedDict"
    if reserved:
        base = f"_{class_name(name)}"
        body = ", ".join(f"{key!r}: {types[key]}" for key in reserved)
        lines.append(f"{base} = TypedDict({base!r}, {{{body}}}, total=False)\n\n")
    lines += [f"class {class_name(name)}({base}, total=False):", 
              '    """%s"""' % textwrap.fill(table["description"], 112, subsequent_indent="    "), ""]
    for key, value in keys.items():
        lines.append(f"    {key}{'_' if key in reserved else ''}: {types[key]}")
        note = value["description"]
        if "default" in value:
            note += f" Default: {value['default'] if isinstance(value['default'], str) else json.dumps(value['default'])}."
        note = textwrap.fill(note, 112, subsequent_indent="    ")
        lines.append('    """%s%s"""' % (note, " " if note.endswith('"') else ""))
    return lines


def main() -> None:
    schema = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    tables = {name: table for name, table in schema["$defs"].items() if name != "expression"}
    text = HEAD
    for name, table in tables.items():
        text += "\n\n" + "\n".join(make_table(name, table)) + "\n"
    models = tables["material"]["properties"]["model"]["allOf"][0]["enum"]
    text += TAIL % ", ".join(map(repr, models))
    Path(sys.argv[2]).write_text(text, encoding="utf-8")


main()
