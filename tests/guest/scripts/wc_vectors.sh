#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=dash
# What the kernel does with every vector of tests/guest/wc, in both modes, and
# that pmk wc check predicted it.
# shellcheck source=../lib.sh
. /lib.sh

must modprobe -a dm_writecache loop
D=$(create 1 fsdax -M mem) || exit
truncate -s 16M /tmp/medium
must losetup /dev/loop7 /tmp/medium

check_vectors() {
	check_run "vectors $*" 0 /t/wc_vectors "$@"
	cat /tmp/stdout
}

check_vectors p "/dev/$D" /t/pmk
check_vectors s /dev/loop7 /t/pmk
check_vectors s /dev/loop7 /t/pmk hang
finish
