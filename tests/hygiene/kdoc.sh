#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The declaration of each public function stands right behind a kernel-doc
# block that names the function and each parameter, in order, and has "Return:"
# if and only if the function returns something.
# Usage: kdoc.sh ROOT
set -eu
. "$(dirname -- "$0")/lib.sh"

# One line a declaration: "NAME RETURNS(0|1) PARAM... | DOCNAME DOCRETURN @PARAM..."
declarations() {
	awk '
	function finish(    name, head, args, n, i, p, void) {
		gsub(/__attribute__\(\(.*\)\)/, "", decl)
		gsub(/PMK_MUST_CHECK/, "", decl)
		sub(/[ \t]*[;{].*/, "", decl)
		gsub(/[ \t]+/, " ", decl)
		head = decl; sub(/\(.*/, "", head)
		name = head; sub(/.*[ *]/, "", name)
		void = head ~ /(^| )void pmk_/
		args = decl; sub(/^[^(]*\(/, "", args); sub(/\) *$/, "", args)
		printf "%s:%d %s %d", FILENAME, FNR, name, !void
		n = split(args, part, ",")
		for (i = 1; i <= n; i++) {
			p = part[i]; gsub(/\[.*\]/, "", p); sub(/ +$/, "", p)
			if (p == "void") continue
			sub(/.*[ *]/, "", p)
			printf " %s", p
		}
		printf " | %s\n", docend == declstart - 1 ? doc : ""
		decl = ""
	}
	/^\/\*\*$/ { indoc = 1; doc = ""; ret = 0; docname = ""; params = ""; next }
	indoc && /^ \*\// {
		indoc = 0; docend = FNR; doc = docname " " ret params; next
	}
	indoc {
		if (docname == "" && match($0, /pmk_[a-z0-9_]+\(\) - ./)) {
			docname = $2; sub(/\(\)/, "", docname)
		}
		if ($0 ~ /^ \* @[a-z0-9_]+: ./) { p = $2; gsub(/[@:]/, "", p); params = params " " p }
		if ($0 ~ /^ \* Return: ./) ret = 1
		next
	}
	# helpers: not public, though others may see them
	/^static inline/ { helper = !/pmk_[a-z0-9_]+\(/; next }
	helper { helper = 0; next }
	decl == "" && !/^typedef/ && !/^[ \t#\/]/ && /(^|[ *])pmk_[a-z0-9_]+\(/ {
		declstart = FNR; decl = $0
		if ($0 ~ /[;{]/ || $0 ~ /\)$/) { finish() }
		next
	}
	decl != "" { decl = decl " " $0; if ($0 ~ /[;{]/ || $0 ~ /\)$/) finish() }
	' "$1"
}

for header in lib/include/pmk/*.h; do
	declarations "$header"
done >"$tmp/decl"

while read -r where rest; do
	code=${rest%% |*}
	doc=${rest#*| }
	name=${code%% *}
	echo "$name" >>"$tmp/names"
	if [ -z "$doc" ] || [ "$doc" = "|" ]; then
		bad "$where: $name() has no kernel-doc block right before it"
	elif [ "$code" != "$doc" ]; then
		bad "$where: $name(): code says '$code', comment says '$doc' (name, returns, parameters)"
	fi
done <"$tmp/decl"

# the parser above must not have missed any
public_functions >"$tmp/functions"
sort -u "$tmp/names" | diff -u "$tmp/functions" - || bad "functions found and functions that are differ"
verdict
