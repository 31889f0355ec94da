#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Stage an install for the other tests of this directory, and a second one that
# is moved after it was made: nothing in it may remember where it was.
# Usage: install.sh CMAKE BUILD STAGE MOVED
set -eu

cmake=$1
build=$2
stage=$3
moved=$4

rm -rf "$stage" "$moved" "$moved.before"
"$cmake" --install "$build" --prefix "$stage" >/dev/null
"$cmake" --install "$build" --prefix "$moved.before" >/dev/null
mv "$moved.before" "$moved"
if grep -rIlF -e "$moved.before" -e "$build" "$moved"; then
	echo "the files above name the directory of the install or the build"
	exit 1
fi
