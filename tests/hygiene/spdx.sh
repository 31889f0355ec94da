#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every text file that can carry a comment names its licence in its first lines.
# Usage: spdx.sh ROOT
set -eu
. "$(dirname -- "$0")/lib.sh"

text_files | while read -r f; do
	case $f in
	# no comments in their syntax, or prose, or data of tests
	LICENSE | *.json | *.md | .gitignore | .clang-format | .editorconfig) continue ;;
	tests/*/corpus/* | tests/golden/* | *.pc.in) continue ;;
	esac
	head -n 5 "$f" | grep -q 'SPDX-License-Identifier: BSD-3-Clause' ||
		bad "$f: no SPDX-License-Identifier: BSD-3-Clause in its first lines"
done
verdict
