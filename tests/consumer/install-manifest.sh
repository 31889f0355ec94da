#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The manifest of an install lists all of it: removing what it lists, and the
# directories that are empty then, leaves nothing; and nothing is missing.
# Usage: install-manifest.sh CMAKE BUILD ROOT
set -eu

cmake=$1
build=$2
root=$3
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
prefix=$tmp/prefix
rc=0

"$cmake" --install "$build" --prefix "$prefix" >/dev/null
# it has no newline at the end
{ cat "$build/install_manifest.txt"; echo; } | sed '/^$/d' >"$tmp/manifest"

# expect PATTERN...: each must match a line of the manifest
expect() {
	for pattern; do
		grep -qE "^$prefix/$pattern\$" "$tmp/manifest" ||
			{ echo "not installed: $pattern"; rc=1; }
	done
}

expect bin/pmk 'lib.*/libpmk\.so' 'lib.*/libpmk\.so\.0' \
	'lib.*/libpmk\.so\.0\.[0-9.]+' 'lib.*/libpmk\.a' \
	'lib.*/pkgconfig/libpmk\.pc' 'lib.*/cmake/pmk/pmk-config\.cmake' \
	'lib.*/cmake/pmk/pmk-config-version\.cmake' \
	'lib.*/cmake/pmk/pmk-targets\.cmake' \
	'share/bash-completion/completions/pmk' 'share/man/man1/pmk\.1'
for header in "$root"/lib/include/pmk/*.h; do
	expect "include/pmk/${header##*/}"
done
for page in "$root"/docs/man/*.scd; do
	page=${page##*/}
	page=${page%.scd}
	expect "share/man/man${page##*.}/$page"
done

while read -r f; do
	rm "$f" || rc=1
done <"$tmp/manifest"
find "$prefix" -depth -type d -empty -delete
if [ -e "$prefix" ]; then
	echo "left after removing what the manifest lists:"
	find "$prefix" ! -type d
	rc=1
fi
exit $rc
