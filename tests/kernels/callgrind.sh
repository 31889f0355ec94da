#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Instructions that a small copy executes, counted by callgrind, which is the
# same on a busy machine: at most a bound a case, and not suspiciously few.
#
# valgrind 3.19 knows no CLWB, CLFLUSHOPT, MOVDIR64B or AVX-512, and hides them
# from CPUID; without AVX the counts do not depend on the CPU at all.
# Usage: callgrind.sh PROGRAM [--print], which prints the counts instead.
set -eu

program=$1
calls=10000 # CALLS in callgrind_case.c
command -v valgrind >/dev/null || {
	echo "skipped: valgrind is not installed"
	[ -z "${PMK_TEST_STRICT-}" ] || exit 1
	exit 77
}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# Function, at least, at most: counted with gcc 12 -O2, less a half, and more by
# 15 %.  After a change for the better, lower the last column.
bounds() {
	cat <<-END
		case_flushcache_64 16 20
		case_flushcache_8 2 5
		case_nodrain_192 50 107
		case_nodrain_24 20 46
		case_nodrain_24_at_8 20 46
		case_nodrain_64 30 80
		case_nodrain_8 15 35
		case_persist_192_at_8 100 257
		case_persist_64 40 143
		case_persist_8 40 102
	END
}

PMK_DISABLE_CPU_FEATURES=avx,movdir64b,clwb,clflushopt PMK_TUNING='' \
	valgrind -q --tool=callgrind --callgrind-out-file="$tmp/out" "$program"

# "1,550,011 (15.53%)  FILE:case_nodrain_64 [PROGRAM]": what the function
# executes in all its calls; headers count under their own name, but in it
callgrind_annotate --inclusive=yes --threshold=100 --auto=no "$tmp/out" |
	awk -v calls=$calls '/ \[/ && match($0, /:case_[a-z0-9_]+/) {
		name = substr($0, RSTART + 1, RLENGTH - 1)
		gsub(/,/, "", $1)
		print name, int($1 / calls)
	}' | sort >"$tmp/counts"

if [ "${2-}" = --print ]; then
	cat "$tmp/counts"
	exit
fi
bounds | sort | join -a 1 - "$tmp/counts" | awk '
	{ n++ }
	NF != 4 { print $1 ": not counted"; bad = 1; next }
	$4 < $2 { print $1 ": " $4 " instructions, which cannot be: under " $2 }
	$4 > $3 { print $1 ": " $4 " instructions a call, more than " $3 }
	$4 < $2 || $4 > $3 { bad = 1; next }
	{ print $1 ": " $4 " instructions a call, of " $3 }
	END { exit bad || !n }'
