#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=dash
# Memory errors, as MADV_HWPOISON makes them.  On DAX mappings the library
# recovers and says where; on tmpfs, where the kernel remembers them for every
# process, the commands report the damaged range and save the rest.
# shellcheck source=../lib.sh
. /lib.sh

D=$(create 1 fsdax -M mem) || exit
X=$(create 2 devdax -M mem -a 2M) || exit
must mkfs.ext4 -q -F -b 4096 "/dev/$D"
must mount -o dax "/dev/$D" /mnt
# less than 2 MiB: mapped by pages of 4 KiB
must dd if=/dev/zero of=/mnt/f bs=64k count=1

# --- a devdax node holds what is copied to it
seq 1000000 | head -c 4194304 >/tmp/data
check_run "copy to devdax: not without --force" 1 /t/pmk copy /tmp/data "/dev/$X"
check_run "copy to devdax" 0 /t/pmk copy --force --verify /tmp/data "/dev/$X"
check_run "copy from devdax" 0 /t/pmk copy --verify "/dev/$X" /tmp/whole
head -c 4194304 /tmp/whole >/tmp/part
check_run "copy from devdax: the same" 0 cmp /tmp/data /tmp/part
rm /tmp/whole

# --- memory errors

# BUS_MCEERR_AR is 4
check "ext4-dax" "signal 7 (BUS), code 4, at offset 40960; before it 0 of 40960 bytes missing" \
	"$(/t/poison /mnt/f 40960)"
# the device maps 2 MiB at once, which fail at once
check "devdax" "signal 7 (BUS), code 4, at offset 6291456; before it 0 of 6291456 bytes missing" \
	"$(/t/poison "/dev/$X" 6295552)"
check_match "the kernel's log" "*recovery action for dax page: Recovered*" \
	"$(dmesg | grep 'Memory failure' | tail -n 1)"

# --- the commands

seq 1000000 | head -c 1048576 >/tmp/good
cp /tmp/good /tmp/f
/t/poison /tmp/f 8192
check_run "dd: EIO" 1 dd if=/tmp/f of=/dev/null bs=4096 skip=2 count=1
check_run "copy: exit 3" 3 /t/pmk copy /tmp/f /mnt/saved
check_match "copy: the range" "*4096 bytes at offset 8192*" "$(cat /tmp/stderr)"
cp /tmp/good /tmp/want
must dd if=/dev/zero of=/tmp/want bs=4096 seek=2 count=1 conv=notrunc
check_run "copy: the rest is saved" 0 cmp /tmp/want /mnt/saved

# the library on that file, across the poison and behind it
check "reach: up to it" "copy left 57344, clear left 57344, clear" "$(/t/reach /tmp/f 1 65535)"
check "reach: in it" "copy left 100, clear left 100, clear" "$(/t/reach /tmp/f 12000 100)"
check "reach: behind it" "copy left 0, clear left 0, clear" "$(/t/reach /tmp/f 12288 65536)"

must /t/pmk log create --size 1M /tmp/log
seq 1001 5000 | /t/pmk log append --batch 64 /tmp/log >/dev/null || not_ok "append"
/t/poison /tmp/log 40960
check_run "log read: exit 3" 3 /t/pmk log read /tmp/log
check_match "log read: the range" "*4096 bytes at offset 40960*" "$(cat /tmp/stderr)"
check_run "log read --skip-damaged" 3 /t/pmk log read --skip-damaged /tmp/log
check "log read --skip-damaged: how many" 3936 "$(wc -l </tmp/stdout)"
check "log read --skip-damaged: the last" 5000 "$(tail -n 1 /tmp/stdout)"
check_run "log check" 3 /t/pmk log check --json /tmp/log
check "log check: damaged" "40960 4096" \
	"$(jq -r '[.first_damaged_offset_bytes, .damaged_bytes] | join(" ")' /tmp/stdout)"
finish
