#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=dash
# The kernel loads writecache devices that the engine made.  In mode p they are
# on one medium: devdax for the engine, which maps it, fsdax for the kernel.
# shellcheck source=../lib.sh
. /lib.sh

must modprobe -a dm_writecache loop

X=$(create 1 devdax -M mem) || exit
check_run "p: write" 0 /t/wc_engine write p "/dev/$X"
D=$(create 1 fsdax -M mem) || exit
check_run "p: the kernel" 0 /t/wc_engine check p "/dev/$D"
cat /tmp/stdout

truncate -s 8M /tmp/medium
must losetup /dev/loop7 /tmp/medium
check_run "s: write" 0 /t/wc_engine write s /dev/loop7
check_run "s: the kernel" 0 /t/wc_engine check s /dev/loop7
cat /tmp/stdout
finish
