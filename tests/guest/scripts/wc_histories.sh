#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=dash
# The kernel and the engine take turns on the same writecache devices.
# shellcheck source=../lib.sh
. /lib.sh

must modprobe -a dm_writecache loop
D=$(create 1 fsdax -M mem) || exit
# a file "seed", given to the guest with the program, repeats a run
[ ! -f /t/seed ] || PMK_TEST_SEED=$(cat /t/seed)
export PMK_TEST_SEED
check_run "histories" 0 /t/wc_histories "/dev/$D" 50
cat /tmp/stdout
finish
