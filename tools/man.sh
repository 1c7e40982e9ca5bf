#!/usr/bin/env bash
# Man pages from what `percale help` says: percale(1), and percale-VERB(1) for each verb.
#
#   tools/man.sh PERCALE FOLDER    the program, and where the pages go
#
# The texts in app/cli/main.c stay the only ones. Their layout is what is read here: the first lines are the synopsis;
# lines that begin with two spaces and a dash are options, with two spaces a command or a table as it is; everything
# else is text. Needs awk only.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
[[ $# -eq 2 ]] || { sed -n '2,5s/^# \{0,1\}//p' "$0"; exit 2; }
percale=$1 folder=$2
mkdir -p "$folder"
version=$("$percale" --version | awk 'NR == 1 {print $2}')
# Of the program, so that the same one gives the same pages.
day=$(date -u -d "@${SOURCE_DATE_EPOCH:-$(stat -c %Y "$percale")}" +%Y-%m-%d)
mapfile -t verbs < <("$percale" help | awk '$1 == "percale" && /^  percale [a-z]/ && $2 != "help" && !seen[$2]++ {print $2}')
[[ ${#verbs[@]} -gt 0 ]] || { echo "man: '$percale help' lists no verbs" >&2; exit 1; }

page() { # verb or ""
    local brief
    brief=$("$percale" help | awk -v verb="$1" '$1 == "percale" && $2 == verb && /^  / {print substr($0, 37); exit}')
    "$percale" help ${1:+"$1"} | awk -v verb="$1" -v brief="$brief" -v version="$version" -v day="$day" -v verbs="${verbs[*]}" '
    # Text as roff takes it.
    function safe(text) {
        gsub(/\\/, "\\e", text); gsub(/-/, "\\-", text)
        gsub(/…/, "...", text); gsub(/—/, "\\(em", text); gsub(/²/, "\\(S2", text); gsub(/−/, "\\-", text)
        if (text ~ /^[.\x27]/) text = "\\&" text
        return text
    }
    function add(name, line) { section[name] = section[name] line "\n" }
    function paragraph(name) { if (mode != "text" || place != name) add(name, ".PP"); mode = "text"; place = name }
    function raw_end() { if (mode == "raw") { add(place, ".EE\n.RE"); mode = "" } }
    function raw_line(name, line) {
        if (mode != "raw" || place != name) { raw_end(); add(name, ".PP\n.RS 4\n.EX"); mode = "raw"; place = name }
        sub(/^  /, "", line); add(name, safe(line))
    }
    function item(name, head, text) {
        raw_end(); mode = "item"; place = name
        add(name, ".TP\n.B " safe(head)); if (text != "") add(name, safe(text))
    }
    BEGIN { title = "percale" (verb == "" ? "" : "-" verb) }
    { sub(/[ \t]+$/, "") }
    $0 == "" { raw_end(); mode = ""; first_over = 1; next }
    !first_over {
        if (verb == "") { what = "simulate elastic membranes: cloth, foil, rubber sheets"; next }
        at = match($0, /   +/)
        line = at ? substr($0, 1, at - 1) : $0
        if (at) more = more ".PP\n.B " safe(line) "\n" safe(substr($0, at + RLENGTH)) ".\n"
        if (at && what == "") what = substr($0, at + RLENGTH)
        count_synopsis++
        synopsis = synopsis (synopsis == "" ? "" : ".br\n") ".B " safe(line) "\n"
        next
    }
    /^  -/ {
        at = match(substr($0, 3), /  +/)
        head = at ? substr($0, 3, at - 1) : substr($0, 3)
        head = pending head
        if (!at) { pending = head " "; next }
        pending = ""
        item("OPTIONS", head, substr($0, 2 + at + RLENGTH)); next
    }
    mode == "item" && /^        / {
        line = $0; sub(/^ +/, "", line)
        if (match(line, /^[a-z_]+  +/)) {
            word = line; sub(/ .*/, "", word); sub(/^[a-z_]+ +/, "", line)
            add(place, ".br\n.BR " safe(word) " :\n" safe(line))
        } else add(place, safe(line))
        next
    }
    verb == "" && /^  percale / { # what a verb does stands in a column of its own
        head = substr($0, 3, 33); sub(/ +$/, "", head)
        item("COMMANDS", head, substr($0, 37)); next
    }
    /^  percale / { raw_line("EXAMPLES", $0); next }
    /^ / { raw_line("DESCRIPTION", $0); next }
    at = match($0, /Exit status: */) {
        raw_end()
        rest = substr($0, at + RLENGTH)
        if (at > 1) { paragraph("DESCRIPTION"); add("DESCRIPTION", safe(substr($0, 1, at - 2))) }
        mode = ""; status = 1; $0 = rest
    }
    { raw_end()
      name = status ? "EXIT STATUS" : "DESCRIPTION"
      paragraph(name); add(name, safe($0)) }
    END {
        raw_end()
        if (count_synopsis > 1) what = brief
        else more = ""    # it is in the name
        printf ".\\\" Made by tools/man.sh from the help texts of the program.\n"
        printf ".TH %s 1 \"%s\" \"percale %s\" \"percale\"\n", toupper(title), day, version
        printf ".SH NAME\n%s \\- %s\n", safe(title), safe(what)
        if (verb == "") synopsis = ".B percale\n.I verb\n.RI [ options ]\n"
        printf ".SH SYNOPSIS\n%s", synopsis
        sub(/^\.PP\n/, "", more)
        if (more != "" || section["DESCRIPTION"] != "") printf ".SH DESCRIPTION\n%s", more
        count = split("DESCRIPTION,COMMANDS,OPTIONS,EXAMPLES,EXIT STATUS", order, ",")
        for (k = 1; k <= count; k++) {
            text = section[order[k]]
            if (text == "") continue
            if (order[k] != "DESCRIPTION") printf ".SH %s\n", order[k]
            if (order[k] != "DESCRIPTION" || more == "") sub(/^\.PP\n/, "", text)
            printf "%s", text
        }
        printf ".SH SEE ALSO\n"
        n = split(verbs, list, " "); text = verb == "" ? "" : ".BR percale (1)"
        for (k = 1; k <= n; k++)
            if (list[k] != verb) text = text (text == "" ? "" : ",\n") ".BR percale\\-" list[k] " (1)"
        print text
    }'
}

page "" >"$folder/percale.1"
for verb in "${verbs[@]}"; do
    page "$verb" >"$folder/percale-$verb.1"
done
