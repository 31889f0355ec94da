#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Each public header compiles alone, and twice, in C11 and C++17, without
# extensions and without a warning; pmk.h includes all of them.
# Usage: headers.sh ROOT CC CXX
set -eu
. "$(dirname -- "$0")/lib.sh"

cc=$2
cxx=$3
warnings="-Wall -Wextra -Wpedantic -Werror"

for path in lib/include/pmk/*.h; do
	header=pmk/${path##*/}
	printf '#include <%s>\n#include <%s>\nint pmk_test_unit;\n' \
		"$header" "$header" >"$tmp/unit.c"
	cp "$tmp/unit.c" "$tmp/unit.cc"
	# shellcheck disable=SC2086 # a list of words
	"$cc" -std=c11 $warnings -Ilib/include -c -o "$tmp/unit.o" "$tmp/unit.c" ||
		bad "$header does not compile alone in C11"
	# shellcheck disable=SC2086
	"$cxx" -std=c++17 $warnings -Ilib/include -c -o "$tmp/unit.o" "$tmp/unit.cc" ||
		bad "$header does not compile alone in C++17"
	[ "$header" = pmk/pmk.h ] || grep -q "^#include <$header>" lib/include/pmk/pmk.h ||
		bad "$header is not in pmk/pmk.h"
	grep -q "include/$header" lib/CMakeLists.txt ||
		bad "$header is not installed by lib/CMakeLists.txt"
done
verdict
