#!/usr/bin/env bash
# The documentation site, into build/docs/html; a warning is an error.
#
#   tools/docs.sh [build]    the folder of the build, whose bin/percale says what its verbs do
#
# Needs Sphinx with MyST and furo, node and KaTeX (tools/packages.sh docs); ends with status 77 where one is missing.
# SPDX-License-Identifier: Apache-2.0
set -uo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}
missing() { echo "docs: $1 is not installed; tools/packages.sh docs installs what the site needs"; exit 77; }
# The first Python that has all of it: Debian's packages are for /usr/bin/python3, which need not come first.
python=""
for candidate in ${PYTHON:-python3 /usr/bin/python3}; do
    ! "$candidate" -c 'import sphinx, myst_parser, furo' 2>/dev/null || { python=$candidate; break; }
done
[[ -n $python ]] || missing "Sphinx with MyST and furo (python3-sphinx python3-myst-parser furo)"
command -v node >/dev/null || missing "node (nodejs)"
katex=$(dirname "$(find /usr/share/javascript/katex /usr/share/nodejs/katex/dist -name katex.min.css -print -quit 2>/dev/null)")
[[ -f $katex/katex.min.css ]] || missing "KaTeX (katex)"
[[ -x $build/bin/percale ]] || { echo "docs: $build/bin/percale is not built"; exit 1; }

source=$build/docs/source html=$build/docs/html
rm -rf "$html"
export PERCALE_ROOT=$PWD PERCALE_STAGED=$(realpath -m "$source") PYTHONDONTWRITEBYTECODE=1
"$python" docs/site/stage.py "$build/bin/percale" "$source" || exit 1
mkdir -p "$source/_static/katex"
cp -rL "$katex/katex.min.css" "$katex/fonts" "$source/_static/katex/"
rm -f "$source"/_static/katex/fonts/*.ttf "$source"/_static/katex/fonts/*.woff # browsers take the .woff2
"$python" -m sphinx -q -W --keep-going -j auto -b html -c docs/site -d "$build/docs/cache" "$source" "$html" || exit 1
"$python" docs/site/check_links.py "$html" || exit 1
echo "docs: $html/index.html"
