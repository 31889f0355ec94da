#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=dash
# pmk bench wc --beside: the engine and the kernel's dm-writecache write the same
# blocks with the same commits, each on one half of a pmem device, and both media
# have the same data then.  With -icount shift=0 of QEMU a nanosecond is an
# instruction: what is printed are lengths of paths.  No figure is looked at.
# shellcheck source=../lib.sh
. /lib.sh

must modprobe -a dm_writecache loop

# bench NAME WANT OPTION...: the exit status
bench() {
	local name=$1 want=$2
	shift 2
	check_run "$name" "$want" /t/pmk bench wc --quick --rounds 1 --json \
		--on /mnt/f --store auto --commit-every 16 "$@"
}

# of KEY: its number in the last document
of() {
	sed -n "s/^ *\"$1\": \"\{0,1\}\([^\",]*\).*/\1/p" /tmp/stdout
}

# make TYPE [PARAMETERS]...: a new target on the second half, its block size and
# options last
make() {
	local type=$1
	shift
	must dd if=/dev/zero of="/dev/${D}p2" bs=64k count=1 oflag=direct
	must dmsetup --noudevsync create wc --table "0 8192 $type $*"
}

unmake() {
	must dmsetup --noudevsync remove wc
}

# refused NAME WANT MESSAGE OPTION...
refused() {
	local name=$1 want=$2 message=$3
	shift 3
	bench "$name" "$want" --beside "$W" "$@"
	check_match "the message" "*$message*" "$(tail -n 1 /tmp/stderr)"
}

# The same 4 MiB, by each from its own medium: ours from the file, where the
# first cache is a fifth of it, the kernel's from its device, a block at a time.
compare_media() {
	/t/pmk wc export --length 8388608 /mnt/f /tmp/zero -o /tmp/ours >/dev/null ||
		not_ok "export"
	must dd if="$W" of=/tmp/kernels bs="$1" iflag=direct
	check_run "$1: both media have the same data" 0 cmp /tmp/ours /tmp/kernels
	check "$1: as much as was written" 4194304 "$(stat -c %s /tmp/kernels)"
	rm /tmp/ours /tmp/kernels
}

# The superblock's sequence, when nobody has the device any more: each flush was
# a commit.
compare_commits() {
	local flushes seq
	flushes=$(dmsetup status --noflush wc | cut -d ' ' -f 16)
	unmake
	seq=$(dd if="/dev/${D}p2" bs=4096 count=1 iflag=direct 2>/dev/null |
		od -An -t u8 -j 24 -N 8 | tr -d ' ')
	check "$1: commits on the medium" "$flushes" "$seq"
}

# beside BLOCK: both, and that they did the same
beside() {
	local b
	make writecache p /dev/loop0 "/dev/${D}p2" "$1" "$quiet"
	bench "$1: beside the kernel" 0 --beside "$W" --overwrite
	grep -E '"(size_bytes|commit_every|pmk_ns|kernel_ns|ratio_kernel|medium|beside|kernel)"' /tmp/stdout
	check_match "$1: two rows" "[1-9]* [1-9]*" "$(of pmk_ns) $(of kernel_ns)"
	b=$(of pmk_proof_blocks)
	check "$1: ours: blocks, commits, read back" "$b $((b / 16)) $b" \
		"$b $(of pmk_proof_commits) $(of pmk_proof_same)"
	check "$1: the kernel's" "$b $((b / 16)) $b" \
		"$(of kernel_proof_blocks) $(of kernel_proof_commits) $(of kernel_proof_same)"
	check "$1: by its own counters: writes, hits, flushes" "$b $b $((b / 16))" \
		"$(of kernel_counted_writes) $(of kernel_counted_write_hits) $(of kernel_counted_flushes)"
	check_match "$1: what emulation is" "*The CPU is emulated (QEMU, TCG)*" \
		"$(grep -o 'The CPU is emulated.*' /tmp/stdout)"
	compare_media "$1"
	compare_commits "$1"
}

D=$(create 1 fsdax -M mem) || exit
printf '2048,104448\n106496,\n' >/tmp/partitions
must sfdisk -q -X dos "/dev/$D" </tmp/partitions
must mkfs.ext4 -q -F -b 4096 "/dev/${D}p1"
must mount -o dax=always "/dev/${D}p1" /mnt
must dd if=/dev/zero of=/mnt/f bs=1M count=40
truncate -s 4M /tmp/origin /tmp/zero
must losetup /dev/loop0 /tmp/origin
# without udev there is no /dev/mapper/wc
W=/dev/dm-0
# nothing but the commits that are asked for, and no writing back
quiet="8 autocommit_blocks 1000000 autocommit_time 3600000 high_watermark 100 low_watermark 100"

beside 4096
beside 512

make writecache p /dev/loop0 "/dev/${D}p2" 4096 "2 autocommit_blocks 15"
refused "one that commits earlier" 1 "it commits after 15 blocks by itself" --overwrite
refused "other blocks" 2 "has blocks of 4096 bytes" --overwrite --block 512
refused "without a word" 1 "a device has content, which would be lost"
must dmsetup --noudevsync create user --table "0 8192 linear $W 0"
refused "in use" 1 "Device or resource busy" --overwrite
must dmsetup --noudevsync remove user
unmake
make writecache s /dev/loop0 "/dev/${D}p2" 4096 0
refused "mode s" 1 "its mode is s" --overwrite
unmake
make linear "/dev/${D}p2" 0
refused "another target" 1 "no device of one writecache target" --overwrite
unmake
W=/dev/${D}p2
refused "none of device mapper" 1 "no device of one writecache target" --overwrite
finish
