#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Map, headers and shared library name the same functions, each with a version;
# every global of the archive carries the prefix.
# Usage: symbols.sh ROOT SHARED STATIC
set -eu
. "$(dirname -- "$0")/lib.sh"

so=$2
archive=$3

sed -n 's/^[[:space:]]*\(pmk_[a-z0-9_]*\);.*/\1/p' lib/libpmk.map | sort >"$tmp/map"
public_functions >"$tmp/headers"
nm -D --defined-only "$so" | awk '$2 == "T" { print $3 }' >"$tmp/versioned"
sed 's/@.*//' "$tmp/versioned" | sort >"$tmp/exported"

[ -s "$tmp/headers" ] || bad "no function found in the headers"
diff -u "$tmp/headers" "$tmp/map" || bad "lib/libpmk.map is not the headers' functions"
diff -u "$tmp/map" "$tmp/exported" || bad "the library does not export what lib/libpmk.map lists"
! grep -v '@@LIBPMK_' "$tmp/versioned" || bad "exported without a version"
# anything else, data for example; the version nodes themselves are "A"
! nm -D --defined-only "$so" | awk '$2 != "T" && $2 != "A"' | grep . ||
	bad "exported, but not a function"
# sanitizers and coverage add symbols of their own to objects, hence not here
! nm --defined-only "$archive" |
	awk '$2 ~ /^[TDBRVWC]$/ && $3 !~ /^pmk_/ { print $3 }' | grep . ||
	bad "globals of the archive without the prefix pmk_"
verdict
