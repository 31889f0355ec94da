#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=dash
# The library's unit and kernel tests, as many as lie in /t.
# shellcheck source=../lib.sh
. /lib.sh

grep -o -w -E 'clflush|clflushopt|clwb|avx2' /proc/cpuinfo | sort -u | tr '\n' ' '
echo
PMK_TEST_SHARED_LIB=$(echo /t/libpmk.so*)
export PMK_TEST_SHARED_LIB
for t in /t/test_*; do
	check_run "${t#/t/}" 0 "$t"
done
finish
