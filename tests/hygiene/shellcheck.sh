#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# All shell scripts and bats files pass shellcheck.
# Usage: shellcheck.sh ROOT
set -eu
. "$(dirname -- "$0")/lib.sh"

need shellcheck
shell_files >"$tmp/list"
grep -qx check "$tmp/list" || bad "the search for scripts does not find ./check"
check() {
	xargs -r shellcheck --external-sources --source-path=SCRIPTDIR "$@" ||
		bad "shellcheck complains"
}
grep -v '\.bats$' "$tmp/list" | check
# bats sets variables of its own, $stderr for example; sh -c '...' is common
grep '\.bats$' "$tmp/list" | check --severity=warning --exclude=SC2154
verdict
