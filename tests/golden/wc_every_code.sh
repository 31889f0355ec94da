#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Each problem of the table is met in a recipe; each recipe is in RECIPES, and says
# what repair does.
# Usage: wc_every_code.sh ROOT
set -eu
cd "$1"
bad=0

# unit/wc_check has these: a device of 2^47 blocks, which no file system here can
# hold, and a logical block, which no file has.
codes=$(sed -n 's/^PMK_WC_PROBLEM(\([A-Z0-9_]*\),.*/WC_\1/p' lib/wc/problem.def |
	grep -v '^WC_DEVICE_TOO_LARGE$\|^WC_TABLE_LOGICAL_BLOCK$')
[ -n "$codes" ]
for code in $codes; do
	grep -q "^$code\b" tests/golden/wc/*.recipe || {
		echo "$code is in no recipe"
		bad=1
	}
done
for recipe in tests/golden/wc/*.recipe; do
	name=${recipe##*/}
	grep -q "^${name%.recipe}[[:blank:]]" tests/golden/wc/RECIPES || {
		echo "$name is not in RECIPES"
		bad=1
	}
	grep -q '^\[\(run \)\?repair' "$recipe" || {
		echo "$name has no repair"
		bad=1
	}
done
exit $bad
