# docs/site/conf.py — the documentation site, for Sphinx. stage.py gathers the pages; tools/docs.sh runs both.
#
# Mathematics is typeset by KaTeX while the pages are built: they need no script and no network for it, and a formula
# that cannot be read is a warning, which ends the build.
# SPDX-License-Identifier: Apache-2.0
import json
import os
import re
import subprocess

from docutils import nodes
from sphinx.util import logging

here = os.path.dirname(os.path.abspath(__file__))
root, staged = os.environ["PERCALE_ROOT"], os.environ["PERCALE_STAGED"]
with open(os.path.join(root, "include/percale/base.h"), encoding="utf-8") as header:
    release = version = re.search(r'#define PRC_VERSION "([^"]+)"', header.read()).group(1)

project = "percale"
author = "the percale authors"
copyright = author  # noqa: A001: Sphinx wants this name
extensions = ["myst_parser"]
myst_enable_extensions = ["dollarmath"]
myst_dmath_double_inline = True
myst_heading_anchors = 4
# Words such as `percale run` in a fenced block are no language; a page may begin with a heading of any depth.
suppress_warnings = ["myst.header"]
source_suffix = {".md": "markdown"}
exclude_patterns = []
highlight_language = "none"
nitpicky = True

html_theme = "furo"
html_title = f"percale {release}"
html_static_path = [os.path.join(staged, "_static")]
html_css_files = ["katex/katex.min.css", "site.css"]
html_extra_path = [os.path.join(staged, "extra")]
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False
html_math_renderer = "percale"

log = logging.getLogger(__name__)


class Katex:
    """A node process that turns formulas into HTML, one at a time."""

    process = None

    def render(self, formula, display, where):
        if not Katex.process:
            Katex.process = subprocess.Popen(["node", os.path.join(here, "katex.js")], stdin=subprocess.PIPE,
                                             stdout=subprocess.PIPE, text=True, encoding="utf-8")
        Katex.process.stdin.write(json.dumps({"formula": formula, "display": display}) + "\n")
        Katex.process.stdin.flush()
        answer = json.loads(Katex.process.stdout.readline())
        if answer["error"]:
            log.warning("formula: %s", answer["error"], location=where)
        return answer["html"]


katex = Katex()


def visit_inline(self, node):
    self.body.append(katex.render(node.astext(), False, node))
    raise nodes.SkipNode


def visit_block(self, node):
    self.body.append('<div class="math">' + katex.render(node.astext(), True, node) + "</div>")
    raise nodes.SkipNode


def setup(app):
    app.add_html_math_renderer("percale", (visit_inline, None), (visit_block, None))
