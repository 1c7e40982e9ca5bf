#!/usr/bin/env bash
# What makes the documents: that it finds what it is there to find, and that man pages say what help says.
#
#   test/test_docs.sh [build]    the folder of the build, whose bin/percale is asked
#
# Ends with `N passed, N failed`; the exit status is the number of failures.
# SPDX-License-Identifier: Apache-2.0
set -uo pipefail
cd "$(dirname "$0")/.."
root=$PWD kit=$PWD/test/kit
percale=$(realpath "${1:-build}")/bin/percale
[[ -x $percale ]] || { echo "  skipped: $percale is not built"; echo "0 passed, 0 failed"; exit 0; }
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
source "$kit/claims.sh"
export PYTHONDONTWRITEBYTECODE=1

says() { "${@:2}" >said.txt 2>&1; grep -qF -- "$1" said.txt || { cat said.txt; false; }; }
fails() { ! "$@"; }
every_option_of() { # verb
    local option
    for option in $("$percale" help "$1" | grep -oE '^  (-o, )?--[a-z-]+' | grep -oE -- '--[a-z-]+'); do
        sed 's/\\-/-/g' "man/percale-$1.1" | grep -qF -- "$option" || { echo "$option is missing"; return 1; }
    done
}
every_verb_has_a_page() {
    local verb
    for verb in $("$percale" help | awk '/^  percale [a-z]/ && $2 != "help" {print $2}'); do
        [[ -s man/percale-$verb.1 ]] || { echo "$verb has none"; return 1; }
    done
}

claim "man_pages_are_made" "$root/tools/man.sh" "$percale" man
claim "every_verb_has_a_page" every_verb_has_a_page
for verb in run resume info check convert plot; do
    claim "the_page_of_${verb}_has_every_option_of_its_help" every_option_of "$verb"
done
claim "pages_tell_the_exit_status" grep -q '^.SH EXIT STATUS' man/percale-run.1

if command -v python3 >/dev/null; then
    c_check=(python3 "$root/docs/site/c_reference.py" --check)
    printf '/* good.h — all is said. */\n/* What it does. */\nint prc_one(void);\nint prc_two(void);\n\nint prc_three(int a,\n    int b); /* what it does */\n' >good.h
    claim "a_comment_describes_what_follows_without_a_gap_or_stands_at_the_end" "${c_check[@]}" good.h
    printf '/* bad.h — something is not. */\n/* What it does. */\nint prc_one(void);\n\nint prc_two(void);\n' >bad.h
    claim "a_function_without_a_comment_is_named" says "bad.h:5: prc_two has no comment" "${c_check[@]}" bad.h
    claim "and_is_a_failure" fails "${c_check[@]}" bad.h
    mkdir package
    printf '"""A package."""\nfrom .a import f, g\n__all__ = ["f", "g"]\n' >package/__init__.py
    printf 'def f():\n    """Says it."""\n\ndef g():\n    pass\n' >package/a.py
    claim "a_python_function_without_a_doc_string_is_named" says "a.py:4: g has no doc string" \
        python3 "$root/docs/site/python_reference.py" --check package
    mkdir site
    printf '<a href="b.html#here">x</a><a href="#top">y</a><p id="top">' >site/a.html
    printf '<p id="here">' >site/b.html
    claim "links_that_lead_somewhere_are_good" python3 "$root/docs/site/check_links.py" site
    printf '<a href="c.html">x</a>' >site/d.html
    claim "a_link_to_no_page_is_found" says "c.html leads nowhere" python3 "$root/docs/site/check_links.py" site
    printf '<a href="b.html#there">x</a>' >site/d.html
    claim "a_link_to_no_place_in_a_page_is_found" says "the place is not" python3 "$root/docs/site/check_links.py" site
fi

echo "$passed passed, $failed failed"
exit "$failed"
