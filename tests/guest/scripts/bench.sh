#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=dash
# pmk bench and pmk memmap simulate --on real devices: the medium that is named, what is refused, and
# that a device or file is left as it should be.  No figure is looked at: the CPU
# is emulated.
# shellcheck source=../lib.sh
. /lib.sh

# bench NAME WANT WHAT PATH OPTION...: the exit status
bench() {
	local name=$1 want=$2 what=$3 path=$4
	shift 4
	check_run "$name" "$want" /t/pmk bench "$what" --quick --rounds 1 \
		--sizes 64 --json --on "$path" "$@"
}

# the medium that the document names
medium() {
	sed -n 's/^ *"medium": "\(.*\)",$/\1/p' /tmp/stdout
}

# simulate NAME WANT PATH OPTION...: the exit status
simulate() {
	local name=$1 want=$2 path=$3
	shift 3
	check_run "$name" "$want" /t/pmk memmap simulate --size 64M --rebinds 1 \
		--json --on "$path" "$@"
}

D=$(create 1 fsdax -M mem) || exit
must mkfs.ext4 -q -F -b 4096 "/dev/$D"
must mount -o dax=always "/dev/$D" /mnt
bench "a new DAX file" 0 flush /mnt/f
check_match "its medium" "persistent memory: fsdax on ext4, $D, granularity cache line, domain *" "$(medium)"
check "what is left" "lost+found" "$(ls /mnt)"
bench "a log in a new DAX file" 0 log /mnt/f
check_match "its medium" "persistent memory: fsdax on ext4, $D, granularity cache line, domain *" "$(medium)"
check "what is left" "lost+found" "$(ls /mnt)"
simulate "a memmap in a new DAX file" 0 /mnt/f
check_match "its medium" "persistent memory: fsdax on ext4, $D, granularity cache line, domain *" "$(medium)"
check "what is left" "lost+found" "$(ls /mnt)"
must dd if=/dev/zero of=/mnt/f bs=1M count=24
bench "a DAX file with content" 1 copy /mnt/f
check_match "the message" "pmk bench: /mnt/f: there is data already*" "$(cat /tmp/stderr)"
bench "the same, to be overwritten" 0 copy /mnt/f --overwrite
check "its size" 25165824 "$(stat -c %s /mnt/f)"
umount /mnt

X=$(create 2 devdax -M mem) || exit
bench "a device" 1 set "/dev/$X"
check_match "the message" "pmk bench: /dev/$X: a device has content*" "$(cat /tmp/stderr)"
bench "the same, to be overwritten" 0 set "/dev/$X" --overwrite
check_match "its medium" "persistent memory: devdax, $X, granularity cache line, domain *" "$(medium)"
simulate "a memmap on a device" 1 "/dev/$X"
check_match "the message" "pmk memmap simulate: /dev/$X: a device has content*" "$(cat /tmp/stderr)"
simulate "the same, to be overwritten" 0 "/dev/$X" --overwrite
check_match "its medium" "persistent memory: devdax, $X, granularity cache line, domain *" "$(medium)"
check "struct pages" 15872 "$(fields struct_pages_written </tmp/stdout)"
simulate "one that is larger than the device, in windows" 0 "/dev/$X" --overwrite --size 40G
check_match "windows" "[2-9]" "$(fields windows </tmp/stdout)"
bench "flushes there" 0 flush "/dev/$X" --overwrite
bench "a log there" 0 log "/dev/$X" --overwrite
check_match "its medium" "persistent memory: devdax, $X, granularity cache line, domain *" "$(medium)"
finish
