"""Makes the package's modules that mirror C, from the headers: make_binding.py COMPILER SOURCE_FOLDER OUTPUT_FOLDER

  _binding.py   the declarations, as cffi keeps them ("out-of-line ABI mode"): no compiler, no parser when imported
  _report.py    what a step reports and the codes of errors, as Python classes with the comments of the headers

SPDX-License-Identifier: Apache-2.0
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import cffi

STANDARD = ["stdbool.h", "stddef.h", "stdint.h"]  # cffi knows the types of these


def declarations(compiler: str, source: Path) -> str:
    """The headers as the preprocessor leaves them. Standard headers are empty: their names are cffi's."""
    with tempfile.TemporaryDirectory() as folder:
        for name in STANDARD:
            Path(folder, name).touch()
        return subprocess.run(
            [compiler, "-E", "-P", "-U__GNUC__", "-nostdinc", f"-I{folder}", f"-I{source / 'include'}",
             f"-I{source / 'src'}", str(source / "python/generate/binding.h")],
            check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout


def comments(header: str, struct: str) -> dict[str, str]:
    """The comment after each field of a struct."""
    body = re.search(r"typedef struct %s \{(.*?)\n\} %s;" % (struct, struct), header, re.S)
    found = {}
    for names, comment in re.findall(r"^    [a-z][a-z_ *]*? \*?([a-z_, \[\]0-9]+);\s*/\* (.*?) \*/", body[1], re.S | re.M):
        for name in re.findall(r"[a-z_]+", names):
            found[name] = re.sub(r"\s+", " ", comment)
    return found


def python_type(field: "cffi.model.BaseType") -> str:
    kind = field.type
    if kind.kind == "array":
        return "tuple[%s]" % ", ".join(["float"] * kind.length)
    if kind.kind == "pointer":
        return "str"
    return {"double": "float", "int": "int", "_Bool": "bool"}[kind.cname]


def make_report(ffi: cffi.FFI, header: str, errors: str) -> str:
    said = comments(header, "prc_step_report")
    lines = ['"""Step reports and error codes. Made from the C headers by python/generate/make_binding.py."""',
             "from __future__ import annotations", "", "import enum", "from dataclasses import dataclass", "", "",
             "class ErrorCode(enum.IntEnum):", '    """Kind of failure of an Error."""', ""]
    for name, value, note in re.findall(r"PRC_ERROR_([A-Z]+) = (\d+),\s*/\* (.*?) \*/", errors):
        lines += [f"    {name} = {value}", f'    """{note}."""']
    lines += ["", "", "@dataclass(frozen=True)", "class Report:",
              '    """Result of a step. Energies are in joules; the residual is the velocity that the unbalanced forces would give',
              "    in one step, as a mass-weighted rms: an upper bound of the remaining error. If a step was taken in sub-steps,",
              "    counts and seconds are sums over all attempts; residual and decrement are the largest of the accepted",
              '    sub-steps."""', ""]
    for name, field in ffi.typeof("prc_step_report").fields:
        lines.append(f"    {name}: {python_type(field)}")
        if name in said:
            lines.append('    """%s."""' % said[name].rstrip("."))
    return "\n".join(lines) + "\n"


def main() -> None:
    compiler, source, output = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    output.mkdir(parents=True, exist_ok=True)
    text = declarations(compiler, source)
    ffi = cffi.FFI()
    ffi.cdef(text)
    ffi.set_source("percale._binding", None)
    binding = output / "_binding.py"
    ffi.emit_python_code(str(binding))
    binding.write_text("# mypy: ignore-errors\n" + binding.read_text(encoding="utf-8"), encoding="utf-8")
    include = source / "include/percale"
    report = make_report(ffi, (include / "sim.h").read_text(encoding="utf-8"),
                         (include / "base.h").read_text(encoding="utf-8"))
    (output / "_report.py").write_text(report, encoding="utf-8")


main()
