#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Building leaves nothing outside build/: builds a copy of the tree, committed
# to a repository of its own, and asks git what is new, ignored files too.
# Usage: tree-clean.sh ROOT
set -eu
. "$(dirname -- "$0")/lib.sh"

need git
copy=$tmp/copy
mkdir "$copy"
all_files | tar -c -T - | tar -x -C "$copy"
cd "$copy"
# nothing of the caller's repository or settings
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
GIT_CONFIG_GLOBAL=/dev/null
export GIT_CONFIG_GLOBAL
git init -q .
git add -A
git -c user.name=test -c user.email=test@localhost commit -qm copy

log=$tmp/log
# the tests of this very build are the reader's own; they write to build/ only
{ cmake --preset release -DBUILD_TESTING=OFF && cmake --build --preset release; } \
	>"$log" 2>&1 || { cat "$log"; bad "the copy does not build"; }
git status --porcelain --ignored | grep -v '^!! build/$' >"$tmp/new" || :
[ ! -s "$tmp/new" ] || { cat "$tmp/new"; bad "building left these files"; }
verdict
