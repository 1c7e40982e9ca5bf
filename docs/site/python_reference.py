#!/usr/bin/env python3
"""docs/site/python_reference.py — the Python reference, from the doc strings of the package.

    python_reference.py --check FOLDER      names public things that no doc string describes; status 1 if any
    python_reference.py FOLDER PAGE         writes the page; FOLDER is python/percale

What is public is `__all__` of the package, and the members of its classes that begin with no underscore. The sources are
read, not imported: nothing has to be built. Modules that the build writes are not there and are left out.
SPDX-License-Identifier: Apache-2.0
"""
import ast
import os
import re
import sys


def parse(folder, module):
    path = os.path.join(folder, module + ".py")
    return ast.parse(open(path, encoding="utf-8").read()) if os.path.exists(path) else None


def public(folder):
    """Module after module, what of it is public: (module, tree, names)."""
    top = parse(folder, "__init__")
    names = next(ast.literal_eval(n.value) for n in top.body
                 if isinstance(n, ast.Assign) and n.targets[0].id == "__all__")
    found = []
    for node in top.body:
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 1:
            wanted = [a.asname or a.name for a in node.names if (a.asname or a.name) in names]
            tree = parse(folder, node.module)
            if wanted and tree:
                found.append((node.module, tree, wanted))
    return found[::-1]  # what is imported last stands on the others, and is what most people look for


def signature(node, method):
    arguments = ast.unparse(node.args)
    if method:
        arguments = re.sub(r"^(self|cls)(, )?", "", arguments)
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{node.name}({arguments}){result}"


def decorators(node):
    return [ast.unparse(d) for d in node.decorator_list]


def members(node):
    """Methods and properties of a class; setters belong to their getters, overloads to what they are of."""
    for item in node.body:
        if isinstance(item, ast.FunctionDef) and (not item.name.startswith("_")):
            marks = decorators(item)
            if not any(m.endswith(".setter") or m.endswith("overload") for m in marks):
                yield item, "property" in marks or "cached_property" in " ".join(marks)


def attributes(node):
    """Fields of data classes and of enumerations, with the text that follows them."""
    body = node.body
    for k, item in enumerate(body):
        name = (item.target.id if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name) else
                item.targets[0].id if isinstance(item, ast.Assign) and isinstance(item.targets[0], ast.Name) else None)
        if not name or name.startswith("_"):
            continue
        after = body[k + 1] if k + 1 < len(body) else None
        text = (after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) and
                isinstance(after.value.value, str) else "")
        kind = ast.unparse(item.annotation) if isinstance(item, ast.AnnAssign) else ""
        yield name, kind, " ".join(text.split())


def text_of(node):
    """A doc string as Markdown: what follows `::` is code."""
    text = re.sub(r"\n+SPDX-.*", "", ast.get_docstring(node) or "")
    out, code = [], False
    for line in text.split("\n"):
        if code and line and not line.startswith("    "):
            while out[-1] == "":
                out.pop()
            out.append("```\n")
            code = False
        if not code and line.endswith("::"):
            out += [line[:-1], "", "```python"]
            code = None  # opened, its first line is still to come
            continue
        if code is None and line:
            code = True
        if code is None:
            continue
        out.append(line[4:] if code and line.startswith("    ") else line if code else escape(line))
    if code:
        out.append("```")
    return "\n".join(out).strip()


def escape(line):
    parts = re.split(r"(`+[^`]*`+)", line)
    return "".join(re.sub(r"``([^`]*)``", r"`\1`", p) if p.startswith("`") else re.sub(r"([*<>\[\]|$_])", r"\\\1", p)
                   for p in parts)


def write_class(node, out):
    bases = [ast.unparse(b) for b in node.bases]
    out.append(f"## class {node.name}\n")
    start = next((n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"), None)
    call = signature(start, True).replace("__init__", node.name).replace(" -> None", "") if start else \
        node.name + (f"({', '.join(bases)})" if bases else "")
    out += ["```python\n" + call + "\n```\n", text_of(node) + "\n"]
    if start and ast.get_docstring(start):
        out.append(text_of(start) + "\n")
    fields = list(attributes(node))
    if fields:
        out += ["| field | type | |", "|---|---|---|"]
        out += [f"| `{n}` | {'`' + t.replace('|', '&#124;') + '`' if t else ''} | {escape(d)} |" for n, t, d in fields]
        out.append("")
    properties = [item for item, is_property in members(node) if is_property]
    if properties:
        out += ["| property | type | |", "|---|---|---|"]
        for item in properties:
            kind = "`" + ast.unparse(item.returns).replace("|", "&#124;") + "`" if item.returns else ""
            out.append(f"| `{item.name}` | {kind} | {escape(' '.join((ast.get_docstring(item) or '').split()))} |")
        out.append("")
    for item, is_property in members(node):
        if not is_property:
            out += [f"### {node.name}.{item.name}\n", "```python\n" + signature(item, True) + "\n```\n",
                    text_of(item) + "\n"]


def undescribed(folder):
    for module, tree, names in public(folder):
        for node in tree.body:
            if getattr(node, "name", None) not in names:
                continue
            if not ast.get_docstring(node):
                yield f"{module}.py:{node.lineno}: {node.name}"
            if isinstance(node, ast.ClassDef):
                for item, _ in members(node):
                    if not ast.get_docstring(item):
                        yield f"{module}.py:{item.lineno}: {node.name}.{item.name}"


def page(folder):
    out = ["# Python reference\n", text_of(parse(folder, "__init__")) + "\n"]
    for module, tree, names in public(folder):
        # The class that a module is named after comes first.
        for node in sorted(tree.body, key=lambda n: getattr(n, "name", "").lower() != module):
            if getattr(node, "name", None) not in names:
                continue
            if isinstance(node, ast.ClassDef):
                write_class(node, out)
            elif isinstance(node, ast.FunctionDef) and "overload" not in decorators(node):
                out += [f"## {node.name}\n", "```python\n" + signature(node, False) + "\n```\n", text_of(node) + "\n"]
    return "\n".join(out)


def main(arguments):
    if len(arguments) != 2:
        print(__doc__)
        return 2
    if arguments[0] == "--check":
        found = list(undescribed(arguments[1]))
        for name in found:
            print(f"{arguments[1]}/{name} has no doc string")
        count = sum(len(names) for _, _, names in public(arguments[1]))
        print(f"{count} public names, {len(found)} without a doc string")
        return bool(found) or count == 0
    with open(arguments[1], "w", encoding="utf-8") as file:
        file.write(page(arguments[0]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
