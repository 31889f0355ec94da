#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What .editorconfig says of all files: no trailing blanks, no carriage returns,
# a newline at the end; tabs where it says tabs.
# Usage: whitespace.sh ROOT
set -eu
. "$(dirname -- "$0")/lib.sh"

cr=$(printf '\r')
text_files | grep -v '/corpus/' | while read -r f; do
	! grep -Hn '[[:blank:]]$' "$f" || bad "$f: trailing blanks"
	! grep -Hn "$cr" "$f" || bad "$f: carriage return"
	[ -z "$(tail -c 1 "$f")" ] || bad "$f: no newline at the end"
	case $f in
	*.c | *.h | *.def | *.map | *.sh | *.bats | *CMakeLists.txt | *.cmake)
		! grep -Hn '^ \{2,\}[^* \\]' "$f" || bad "$f: indented with spaces" ;;
	esac
done
verdict
