#!/usr/bin/env python3
"""docs/site/c_reference.py — the C reference, from the comments of the public headers.

    c_reference.py --check HEADER...        names the functions and types that no comment describes; status 1 if any
    c_reference.py FOLDER HEADER...         writes a page per header, and index.md

A comment describes what follows it without a blank line between: one declaration or several. A comment at the end of a
line describes that line. What is described is C as the headers of percale are written, not all that C allows.
SPDX-License-Identifier: Apache-2.0
"""
import os
import re
import sys


class Group:
    """Declarations that belong together, and the comment above them."""

    def __init__(self, comment, code, line):
        self.comment, self.code, self.line = comment, code, line
        bare = re.sub(r"/\*.*?\*/", "", code, flags=re.S)
        flat = re.sub(r"\{.*?\}", "", bare, flags=re.S)
        self.functions = re.findall(r"\b(prc_\w+)\s*\((?!\*)", re.sub(r"typedef[^;]*;", "", flat))
        self.types = re.findall(r"\}\s*(prc_\w+)\s*;", bare)
        self.types += re.findall(r"typedef\s+[^;{]*\(\*(prc_\w+)\)", bare)
        self.types += re.findall(r"typedef\s+struct\s+\w+\s+(prc_\w+)\s*;", bare)
        self.macros = re.findall(r"^#define (PRC_\w+)", code, flags=re.M)

    def undescribed(self):
        """Names that neither the comment above nor one in their line describes."""
        if self.comment:
            return []
        names = [f for f in self.functions if not re.search(rf"\b{f}\s*\([^;]*;[ \t]*/\*", self.code)]
        # The members of a type may say all there is to say.
        return names + [t for t in self.types if "/*" not in self.code and "{" not in self.code]


def clean(comment):
    """The text of a comment."""
    text = re.sub(r"^/\*+ ?|\s*\*/$", "", comment.strip())
    return re.sub(r"\s*SPDX-License-Identifier: \S+", "", re.sub(r"^ \*(  ?| $)?", "", text, flags=re.M)).strip()


def read(path):
    """The comment at the top of a header, and its groups; titles of sections are groups without code."""
    text = open(path, encoding="utf-8").read()
    top = re.match(r"/\*.*?\*/", text, flags=re.S).group(0)
    body = text[len(top):]
    line = top.count("\n") + 1
    # What the preprocessor needs is not for readers.
    body = re.sub(r'^#(ifndef|endif|include|ifdef|if|else|elif).*$|^extern "C" \{$|^\}$|^__attribute__.*$', "", body,
                  flags=re.M)
    body = re.sub(r"^#define PERCALE_\w+_H$", "", body, flags=re.M)
    lines = body.split("\n")
    groups, comment, code, start = [], "", "", line

    def flush():
        nonlocal comment, code
        if code.strip():
            groups.append(Group(clean(comment) if comment else "", code.strip("\n"), start))
        elif comment:
            title = re.fullmatch(r"/\* ---+ (.*?) ---+\s*\*/", comment.strip())
            groups.append(Group(title.group(1) if title else clean(comment), "", start))
        comment = code = ""

    at = 0
    while at < len(lines):
        text = lines[at] + "\n"
        first = at
        while "/*" in text and "*/" not in text[text.rindex("/*"):]:  # a comment over several lines
            at += 1
            text += lines[at] + "\n"
        at += 1
        inside = code.count("{") > code.count("}")
        if text.startswith("/*") and not inside:
            flush()
            comment, start = text, line + first
        elif not text.strip() and not inside:
            flush()
        else:
            if not code and not comment:
                start = line + first
            code += text
    flush()
    return clean(top), groups


def reference(name, links):
    """A link; a heading may have several names, so it goes to an anchor of its own."""
    return f'<a href="{links[name]}"><code class="docutils literal notranslate">{name}</code></a>'


def prose(text, links):
    """A comment as Markdown: names of the interface are links, whatever Markdown would take amiss is escaped."""
    def escape(part):
        part = re.sub(r"([\\*<>\[\]|$#])", r"\\\1", part)

        def name(match):
            word = match.group(0)
            return reference(word, links) if word in links else f"`{word}`"

        part = re.sub(r"\b[A-Za-z]\w*_\w+(\(\))?", name, part)
        return re.sub(r"docs/(\w+)\.md", r'<a href="../\1.html">docs/\1.md</a>', part)

    lines = []
    for line in text.split("\n"):
        parts = re.split(r"(`[^`]*`)", line)
        lines.append("".join(p if p.startswith("`") else escape(p) for p in parts))
    # A list item begins with a dash; all else is text.
    return re.sub(r"\n +(?=- )", "\n", "\n".join(lines)).replace("\n   ", "\n  ")


def page(path, links):
    top, groups = read(path)
    name = "percale/" + os.path.basename(path)
    first, _, rest = top.partition("\n\n")
    first = re.sub(r"^\S+ — ", "", first.replace("\n", " "))
    out = [f"# {name}\n", prose(first[0].upper() + first[1:], links) + "\n"]
    if rest:
        out.append(prose(rest, links) + "\n")
    for group in groups:
        if not group.code:
            title, _, more = group.comment.partition("; ")
            if len(title) < 60:
                out.append(f"## {title[0].upper() + title[1:]}\n")
            text = more if len(title) < 60 else group.comment
            if text:
                out.append(prose(text[0].upper() + text[1:], links) + "\n")
            continue
        names = group.types + group.functions
        out += [f'<a id="{n}"></a>' for n in names]
        if names:
            out.append("\n### " + ", ".join(f"`{n}`" for n in dict.fromkeys(names)) + "\n")
        out.append("```c\n" + group.code + "\n```\n")
        if group.comment:
            out.append(prose(group.comment, links) + "\n")
    return "\n".join(out)


def index(headers, links):
    out = ["# C reference\n",
           "From the comments of the headers in `include/percale`. `#include <percale/percale.h>` brings all of them.\n",
           "```{toctree}\n:maxdepth: 1\n"]
    out += [os.path.basename(h)[:-2] for h in headers]
    out += ["```\n", "| name | header |", "|---|---|"]
    rows = []
    for header in headers:
        stem = os.path.basename(header)[:-2]
        for group in read(header)[1]:
            rows += [(n, stem) for n in dict.fromkeys(group.functions)]
    out += [f"| {reference(n, links)} | `percale/{stem}.h` |" for n, stem in sorted(rows)]
    return "\n".join(out) + "\n"


def main(arguments):
    if len(arguments) < 2:
        print(__doc__)
        return 2
    headers = [h for h in arguments[1:] if os.path.basename(h) != "percale.h"]
    if arguments[0] == "--check":
        count = found = 0
        for header in headers:
            for group in read(header)[1]:
                count += len(group.functions)
                for name in group.undescribed():
                    print(f"{header}:{group.line}: {name} has no comment")
                    found += 1
        print(f"{count} functions, {found} names without a comment")
        return found > 0 or count == 0
    links = {}
    for header in headers:
        stem = os.path.basename(header)[:-2]
        for group in read(header)[1]:
            for name in group.functions + group.types:
                links[name] = f"{stem}.html#{name}"
    os.makedirs(arguments[0], exist_ok=True)
    for header in headers:
        stem = os.path.basename(header)[:-2]
        with open(os.path.join(arguments[0], stem + ".md"), "w", encoding="utf-8") as file:
            file.write(page(header, links))
    with open(os.path.join(arguments[0], "index.md"), "w", encoding="utf-8") as file:
        file.write(index(headers, links))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
