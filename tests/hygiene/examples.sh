#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The examples of a document run.  Of a Markdown file: each block ```sh as a
# script, each block ```c as a program; other blocks (```console) are not run.
# Of a manual page: each literal block under EXAMPLES, as a program in sections
# 3 and 7, as a script in section 1.  All blocks of a document share one
# temporary directory, in order; one that names a device is refused.
# Usage: examples.sh ROOT DOCUMENT PMK SHARED CC
set -eu
. "$(dirname -- "$0")/lib.sh"

doc=$2
pmk=$3
libdir=$(dirname -- "$4")
cc=$5

# blocks PREFIX: writes each block to PREFIX-NN.sh or .c
blocks() {
	case $doc in
	*.md) section='.*' kind= ;;
	*.1.scd) section='^# EXAMPLES' kind=sh ;;
	*) section='^# EXAMPLES' kind=c ;;
	esac
	awk -v prefix="$1" -v section="$section" -v kind="$kind" '
		!block && (/^# / || NR == 1) { inside = $0 ~ section }
		/^\t*```/ && !block {
			block = 1
			word = $0; sub(/^\t*```/, "", word)
			type = kind != "" ? kind : word
			file = ""
			if (inside && (type == "sh" || type == "c"))
				file = sprintf("%s-%02d.%s", prefix, ++n, type)
			match($0, /^\t*/); indent = RLENGTH
			next
		}
		/^\t*```/ && block { if (file) close(file); block = 0; next }
		block && file {
			text = substr($0, indent + 1)
			# scdoc takes a backslash away
			if (kind != "") gsub(/\\\\/, "\\", text)
			print text >file
		}' "$doc"
}

run_c() {
	# as a user would compile it, and without a warning
	"$cc" -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -I"$root/lib/include" \
		-o "$tmp/program" "$1" -L"$libdir" -lpmk "-Wl,-rpath,$libdir" &&
		"$tmp/program"
}

blocks "$tmp/block"
mkdir "$tmp/work"
PATH=$(dirname -- "$pmk"):$PATH
export PATH
found=
for block in "$tmp"/block-*; do
	[ -e "$block" ] || continue
	found=1
	# as root they may be there
	if grep -qE '/dev/(dax|dm|loop|mapper|nvme|pmem|sd|vd)' "$block"; then
		cat "$block"
		bad "$doc: example ${block##*block-} names a device, and is not run"
		continue
	fi
	case $block in
	*.sh) run="sh -e $block" ;;
	*) run="run_c $block" ;;
	esac
	(cd "$tmp/work" && $run </dev/null) >"$tmp/out" 2>&1 || {
		cat "$block" "$tmp/out"
		bad "$doc: example ${block##*block-} fails"
	}
done
[ -n "$found" ] || bad "$doc has no example that runs"
verdict
