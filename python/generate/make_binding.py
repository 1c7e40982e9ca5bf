"""Makes the package's modules that mirror C, from the headers: make_binding.py COMPILER SOURCE_FOLDER OUTPUT_FOLDER

  _binding.py   the declarations, as cffi keeps them ("out-of-line ABI mode"): no compiler, no parser when imported
  _report.py    what a step reports and the codes of errors, as Python classes that say what they mean

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


def python_type(field: "cffi.model.BaseType") -> str:
    kind = field.type
    if kind.kind == "array":
        return "tuple[%s]" % ", ".join(["float"] * kind.length)
    if kind.kind == "pointer":
        return "str"
    return {"double": "float", "int": "int", "_Bool": "bool"}[kind.cname]


def report_list(text: str) -> dict[str, str]:
    """Each name in step/report.inl with its meaning and unit."""
    found = {}
    for name, unit, meaning in re.findall(r'^PRC_REPORT\((\w+), \w+, \w+, "(.*?)", "(.*?)"\)$', text, re.M):
        found[name] = meaning + (", " + unit.strip(" []") if unit else "")
    for name, meaning in re.findall(r'^PRC_REPORT_PART\((\w+), "(.*?)"\)$', text, re.M):
        found["seconds_" + name] = meaning + ", s"
    return found


def make_report(ffi: cffi.FFI, said: dict[str, str], errors: str) -> str:
    fields = ffi.typeof("prc_step_report").fields
    if {name for name, _ in fields} != set(said):
        sys.exit("step/report.inl and prc_step_report of percale/sim.h differ: "
                 + ", ".join(sorted({name for name, _ in fields} ^ set(said))))
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
    for name, field in fields:
        lines += [f"    {name}: {python_type(field)}", '    """%s."""' % said[name]]
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
    report = make_report(ffi, report_list((source / "src/step/report.inl").read_text(encoding="utf-8")),
                         (source / "include/percale/base.h").read_text(encoding="utf-8"))
    (output / "_report.py").write_text(report, encoding="utf-8")


main()
