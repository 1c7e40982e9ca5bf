#!/usr/bin/env python3
"""docs/site/stage.py — gathers the pages of the site from all over the repository.

    stage.py PERCALE FOLDER    the program, and where the pages go (emptied first)

The Markdown files are written to be read where they lie. Here their links are turned: to other pages of the site, and
to copies of the files that are no pages. References to equations become links, pages are added for scenes, examples,
verbs and the C interface. A link to a file that is not there is an error, as is a reference to an equation that is not.
SPDX-License-Identifier: Apache-2.0
"""
import glob
import os
import re
import shutil
import subprocess
import sys

import c_reference
import python_reference

root = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
pictures = (".svg", ".png", ".jpg", ".gif", ".webp", ".mp4", ".webm")
errors = []


def complain(path, text):
    errors.append(f"{path}: {text}")


def find_pages():
    """What is a page of the site: path in the repository → path among the pages."""
    pages = {"README.md": "index.md", "docs/README.md": "index.md", "scenes/README.md": "gallery.md"}
    for name in ("ARCHITECTURE", "STYLE", "CONTRIBUTING", "CHANGELOG"):
        pages[name + ".md"] = name.lower() + ".md"
    for path in sorted(glob.glob("docs/*.md", root_dir=root) + glob.glob("docs/notes/*.md", root_dir=root)):
        pages.setdefault(path, os.path.relpath(path, "docs"))
    for path in sorted(glob.glob("scenes/*.yaml", root_dir=root)):
        pages[path] = "scenes/" + os.path.basename(path)[:-5] + ".md"
    for path in sorted(glob.glob("examples/*.c", root_dir=root)):
        pages[path] = "examples_c.md"
    for path in sorted(glob.glob("examples/python/*.py", root_dir=root)):
        pages[path] = "examples_python.md"
    for path in sorted(glob.glob("include/percale/*.h", root_dir=root)):
        name = os.path.basename(path)
        pages[path] = "c/" + ("index" if name == "percale.h" else name[:-2]) + ".md"
    return pages


class Stage:
    def __init__(self, percale, folder):
        self.percale, self.folder, self.pages = percale, folder, find_pages()
        self.files = set()  # of the repository, copied because a page refers to them

    def write(self, path, text):
        path = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def copy_picture(self, path):
        target = os.path.join(self.folder, "pictures", path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy(os.path.join(root, path), target)
        return "pictures/" + path

    def link(self, source, staged, text, target, image):
        """A link of a Markdown file, as it has to be among the pages."""
        if re.match(r"[a-z]+:", target) or target.startswith("#"):
            return f"{image}[{text}]({target})"
        path, _, anchor = target.partition("#")
        path = os.path.normpath(os.path.join(os.path.dirname(source), path))
        here = os.path.dirname(staged)
        full = os.path.join(root, path)
        if not os.path.exists(full) or path.startswith(".."):
            complain(source, f"links to {target}, which is not there")
            return text
        if path in self.pages:
            to = os.path.relpath(self.pages[path], here or ".")
            return f"{image}[{text}]({to}{'#' + anchor if anchor else ''})"
        if path.endswith(pictures):
            return f"{image}[{text}]({os.path.relpath(self.copy_picture(path), here or '.')})"
        if os.path.isdir(full):
            return text
        self.files.add(path)
        return f'<a href="{os.path.relpath("files/" + path + ".txt", here or ".")}">{text}</a>'

    def turn_links(self, source, staged, text):
        out, fenced = [], False
        for line in text.split("\n"):
            if line.lstrip().startswith("```"):
                fenced = not fenced
            if not fenced:
                line = re.sub(r"\[(!\[[^\]]*\]\([^)\s]+\))\]\(([^()\s]+)\)",  # a picture that is a link
                              lambda m: self.link(source, staged, m[1], m[2], ""), line)
                line = re.sub(r"(!?)\[((?:[^\[\]]|`[^`]*`)*)\]\(([^()\s]+)\)",
                              lambda m: self.link(source, staged, m[2], m[3], m[1]), line)
                line = re.sub(r'(<img [^>]*src=")([^":]+)(")', lambda m: m[1] + self.picture_of(source, staged, m[2]) + m[3], line)
            out.append(line)
        return "\n".join(out)

    def picture_of(self, source, staged, target):
        path = os.path.normpath(os.path.join(os.path.dirname(source), target))
        if not os.path.exists(os.path.join(root, path)):
            complain(source, f"shows {target}, which is not there")
            return target
        # Raw HTML is not looked into by Sphinx: the picture goes where the page will look for it.
        name = "pictures/" + path
        extra = os.path.join(self.folder, "extra", name)
        os.makedirs(os.path.dirname(extra), exist_ok=True)
        shutil.copy(os.path.join(root, path), extra)
        return os.path.relpath(name, os.path.dirname(staged) or ".")

    def markdown(self, source):
        """A Markdown file of the repository becomes a page."""
        text = open(os.path.join(root, source), encoding="utf-8").read()
        if source == "docs/theory.md":
            text = link_equations(text)
        staged = self.pages[source]
        self.write(staged, self.turn_links(source, staged, text))

    def finish(self):
        """Copies of files that are no pages, as text, so that a browser shows them."""
        for path in sorted(self.files):
            target = os.path.join(self.folder, "extra/files", path + ".txt")
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy(os.path.join(root, path), target)


# ---- equations ----

def link_equations(text):
    """(2.1) and Eq. 2.1 become links to the equation with that tag."""
    tags = re.findall(r"\\tag\{([\d.]+)\}", text)
    for tag in tags:
        if tags.count(tag) > 1:
            complain("docs/theory.md", f"two equations have the number {tag}")

    def reference(match):
        tag = match[0]
        if tag not in tags:
            complain("docs/theory.md", f"speaks of equation {tag}, which is not there")
        return f'<a class="reference" href="#eq-{tag}">{match[0]}</a>'

    parts = re.split(r"(\$\$.*?\$\$|\$[^$\n]*\$|`[^`\n]*`)", text, flags=re.S)
    for k, part in enumerate(parts):
        tag = re.search(r"\\tag\{([\d.]+)\}", part) if part.startswith("$$") else None
        if tag:
            parts[k] = f'<a id="eq-{tag[1]}"></a>\n\n{part}'
        elif not part.startswith(("$", "`")):
            parts[k] = re.sub(r"(?<=\()\d+\.\d+(?=[),–])|(?<=\bEq\. )\d+\.\d+", reference, part)
    check_citations(tags, text)
    return "".join(parts)


def check_citations(tags, text):
    """Sources cite equations and sections of this document by number."""
    sections = re.findall(r"^#+ ([\d.]+?)\.? ", text, flags=re.M)
    for folder in ("src", "include", "app", "bench"):
        for path in glob.glob(f"{folder}/**/*.[chi]*", root_dir=root, recursive=True):
            source = open(os.path.join(root, path), encoding="utf-8").read()
            source = re.sub(r"\n \* ?", " ", source)
            for kind, number in re.findall(r"theory\.md, (Eq\.|sections?) ([\d.]*\d)", source):
                if number not in (tags if kind == "Eq." else sections):
                    complain(path, f"cites {kind} {number} of docs/theory.md, which is not there")


# ---- pages that are made ----

def describe(scene):
    """The comment at the top of a scene: its first paragraph."""
    lines = []
    for line in open(os.path.join(root, scene), encoding="utf-8"):
        if not line.startswith("# "):
            break
        lines.append(line[2:].strip())
    return " ".join(lines)


def scene_pages(stage):
    shown = open(os.path.join(root, "docs/gallery.md"), encoding="utf-8").read()
    for path in sorted(p for p in stage.pages if p.startswith("scenes/") and p.endswith(".yaml")):
        name = os.path.basename(path)[:-5]
        picture = next((f"docs/gallery/{name}{e}" for e in (".jpg", ".png")
                        if os.path.exists(os.path.join(root, f"docs/gallery/{name}{e}"))), None)
        out = [f"# {name}\n", describe(path) + "\n"]
        if picture:
            out.append(f"![{name}]({os.path.relpath(stage.copy_picture(picture), 'scenes')})\n")
        else:
            complain(path, f"has no picture docs/gallery/{name}.jpg; tools/gallery.sh {name} makes one")
        if f"(../{path})" not in shown:
            complain(path, "is not in docs/gallery.md")
        out.append(f"`{path}`:\n\n```yaml\n" + open(os.path.join(root, path), encoding="utf-8").read() + "```\n")
        stage.write(stage.pages[path], "---\norphan: true\n---\n\n" + "\n".join(out))


def example_page(stage, title, pattern, language, target, intro):
    out = [f"# {title}\n", intro + "\n"]
    paths = sorted(glob.glob(pattern, root_dir=root))
    for path in paths:
        out.append(f"## {path}\n\n```{language}\n" + open(os.path.join(root, path), encoding="utf-8").read() + "```\n")
    if paths:
        stage.write(target, "\n".join(out))
    return bool(paths)


def verb_page(stage):
    """What the program says about itself."""
    def help_of(*verb):
        return subprocess.run([stage.percale, "help", *verb], check=True, capture_output=True, text=True).stdout

    general = help_of()
    verbs = list(dict.fromkeys(re.findall(r"^  percale ([a-z]+)", general, flags=re.M)))
    out = ["# The program\n", "What `percale help` and `percale help VERB` print; the man pages `percale(1)` and "
           "`percale-VERB(1)` have the same text.\n", "```\n" + general + "```\n"]
    for verb in verbs:
        if verb != "help":
            out.append(f"## percale {verb}\n\n```\n" + help_of(verb) + "```\n")
    stage.write("program.md", "\n".join(out))


def index_page(stage):
    text = open(os.path.join(root, "docs/site/index.md"), encoding="utf-8").read()
    # Pages that not every repository state has are left out of the contents.
    lines = [line for line in text.split("\n")
             if not re.fullmatch(r"[a-z_]+(/[a-z_]+)?", line) or
             os.path.exists(os.path.join(stage.folder, line + ".md"))]
    stage.write("index.md", stage.turn_links("docs/site/index.md", "index.md", "\n".join(lines)))


def main(arguments):
    if len(arguments) != 2:
        print(__doc__)
        return 2
    stage = Stage(os.path.abspath(arguments[0]), os.path.abspath(arguments[1]))
    shutil.rmtree(stage.folder, ignore_errors=True)
    for source, staged in stage.pages.items():
        if source.endswith(".md") and staged != "index.md" and source != "scenes/README.md":
            stage.markdown(source)
        elif source.endswith(".md"):  # no page, but its links are to lead somewhere
            stage.turn_links(source, staged, open(os.path.join(root, source), encoding="utf-8").read())
    scene_pages(stage)
    verb_page(stage)
    example_page(stage, "C examples", "examples/*.c", "c", "examples_c.md",
                 "Each example is a complete program with one idea; `make test` builds and runs all of them.")
    example_page(stage, "Python examples", "examples/python/*.py", "python", "examples_python.md",
                 "Each example is a complete program; `make test` runs all of them.")
    headers = sorted(glob.glob(os.path.join(root, "include/percale/*.h")))
    if c_reference.main(["--check", *headers]):
        errors.append("include/percale: names without a comment")
    c_reference.main([os.path.join(stage.folder, "c"), *headers])
    package = os.path.join(root, "python/percale")
    if os.path.isdir(package):
        if python_reference.main(["--check", package]):
            errors.append("python/percale: names without a doc string")
        python_reference.main([package, os.path.join(stage.folder, "python_reference.md")])
    index_page(stage)
    stage.finish()
    os.makedirs(os.path.join(stage.folder, "_static"))
    shutil.copy(os.path.join(root, "docs/site/site.css"), os.path.join(stage.folder, "_static"))
    for error in errors:
        print("stage:", error, file=sys.stderr)
    return bool(errors)


if __name__ == "__main__":
    os.chdir(root)
    sys.exit(main(sys.argv[1:]))
