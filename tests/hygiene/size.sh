#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# No function over 100 lines, no C file over 700: what is longer has two jobs.
# Tables and unrolled kernels are exempt if the line before the function says
# "long: REASON" in a comment.  Prints the longest ones.
# Usage: size.sh ROOT
set -eu
. "$(dirname -- "$0")/lib.sh"

max_function=100
max_file=700

# functions FILE: "LINES FILE:LINE NAME", from the first line of the signature
# to the brace that closes in column 0
functions() {
	awk -v file="$1" '
		/^[ \t]*$/ || /^[}#]/ || /\*\/[ \t]*$/ || /;[ \t]*$/ {
			if (!body) start = 0
		}
		!body && !start && /^[a-zA-Z_]/ { start = NR; first = $0 }
		!body && start && first !~ /\(/ && /^[a-zA-Z_].*\(/ { first = $0 }
		/^\{/ && start { body = 1 }
		/long: / { exempt = NR }
		/^}/ {
			if (body && exempt != start - 1) {
				name = first
				sub(/\(.*/, "", name)
				sub(/.*[ *]/, "", name)
				print NR - start + 1, file ":" start, name
			}
			body = start = 0
		}' "$1"
}

for f in $(c_files); do
	functions "$f"
	lines=$(wc -l <"$f")
	[ "$lines" -le "$max_file" ] || bad "$f: $lines lines, more than $max_file"
done | tee "$tmp/all" | grep -v '^[0-9]' || :
sort -rn "$tmp/all" >"$tmp/sorted"
echo "longest functions:"
head -n 5 "$tmp/sorted"
while read -r lines where name; do
	[ "$lines" -le "$max_function" ] ||
		bad "$where: $name has $lines lines, more than $max_function"
done <<END
$(grep '^[0-9]' "$tmp/sorted")
END
verdict
