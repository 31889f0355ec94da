#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Build one program against an installed libpmk, as its user would, and run it.
# Usage: consumer.sh cmake|pkgconfig shared|static c|cxx PREFIX WORKDIR
# Takes CC, CXX and CMAKE from the environment.
set -eu

how=$1
link=$2
lang=$3
prefix=$4
work=$5
project=$(cd "$(dirname -- "$0")" && pwd)/project

rm -rf "$work"
mkdir -p "$work"
program=$work/main

by_cmake() {
	target=pmk::pmk
	[ "$link" = shared ] || target=pmk::pmk_static
	"$CMAKE" -S "$project" -B "$work" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
		-DCONSUMER_TARGET="$target" -DCONSUMER_LANG="$lang"
	"$CMAKE" --build "$work"
}

by_pkgconfig() {
	PKG_CONFIG_PATH=$(dirname -- "$(find "$prefix" -name libpmk.pc)")
	export PKG_CONFIG_PATH
	static=
	[ "$link" = shared ] || static=-static
	# eval: pkg-config quotes what it must for a shell
	eval "set -- $(pkg-config ${static:+--static} --cflags --libs libpmk)"
	case $lang in
	c) "$CC" -std=c11 $static -o "$program" "$project/main.c" "$@" ;;
	cxx) "$CXX" -std=c++17 $static -o "$program" "$project/main.cc" "$@" ;;
	esac
	eval "LD_LIBRARY_PATH=$(pkg-config --variable=libdir libpmk)"
	export LD_LIBRARY_PATH
}

"by_$how"

# the right library, of the right name
needed=$(readelf -d "$program" | grep -c 'NEEDED.*\[libpmk\.so\.0\]' || :)
case $link in
shared) [ "$needed" -eq 1 ] || { echo "$program does not need libpmk.so.0"; exit 1; } ;;
static) [ "$needed" -eq 0 ] || { echo "$program needs libpmk.so.0"; exit 1; } ;;
esac
"$program" "$work/map"
