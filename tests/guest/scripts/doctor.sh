#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=dash
# What pmk doctor says beyond the verdict: the page faults of a mapping, and why
# they are small, on layouts that are made so; bad blocks of device and file;
# inodes that are excluded from DAX; devices made of several.
# The firmware says memory_controller (-P mem-ctrl).
# shellcheck source=../lib.sh
. /lib.sh

for m in xfs dm_mod; do
	must modprobe $m
done
aligned="-E stride=512,stripe_width=512"

# says NAME PATH KEYS WANT: the values of these keys, by blanks
says() {
	/t/pmk doctor --json "$2" >/tmp/doctor.json 2>/dev/null
	# shellcheck disable=SC2086 # keys are words
	check "$1" "$4" "$(fields $3 </tmp/doctor.json)"
}
huge="huge_faults huge_faults_reason"
bad="device_bad_bytes device_bad_bytes_reason file_bad_bytes file_bad_bytes_reason"

# on DEVICE MKFS-OPTIONS MOUNT-OPTIONS: ext4, with a file of 8 MiB in one piece
on() {
	umount /mnt 2>/dev/null
	# shellcheck disable=SC2086 # options are words
	must mkfs.ext4 -q -F -b 4096 $2 "/dev/$1"
	must mount -o "$3" "/dev/$1" /mnt
	must dd if=/dev/zero of=/mnt/f bs=8M count=1
}

# --- page faults

D=$(create 1 fsdax -M mem) || exit
on "$D" "$aligned" dax=always
says "aligned" /mnt/f "$huge" "yes null"
must xfs_io -f -c 'falloc 0 8m' /mnt/g
says "allocated, not written" /mnt/g "$huge" "null no_full_range"
: >/mnt/e
says "empty" /mnt/e "$huge reason" "null no_full_range dax"
on "$D" "$aligned" dax=always
must xfs_io -c 'mmap -r 0 4096' -c 'mread 0 4096' /mnt/f
says "a small page is left" /mnt/f "$huge" "partly layout_fits"
umount /mnt
must mount -o dax=always "/dev/$D" /mnt
says "and forgotten" /mnt/f "$huge" "yes null"
i=0
while [ $i -lt 512 ]; do
	echo "pwrite -q $((i * 8192)) 4096"
	i=$((i + 1))
done >/tmp/even
must xfs_io -f /mnt/s </tmp/even
says "every second block" /mnt/s "$huge" "null no_full_range"
umount /mnt
must mkfs.xfs -q -f -d su=2m,sw=1 "/dev/$D"
must mount -o dax=always "/dev/$D" /mnt
must xfs_io -c 'extsize 2m' /mnt
must dd if=/dev/zero of=/mnt/f bs=8M count=1
must xfs_io -f -c 'reflink /mnt/f 0 0 8m' /mnt/shared
says "xfs, shared extents" /mnt/shared "$huge reason" "yes null dax"
umount /mnt
printf 'label: gpt\nstart=2048,size=300MiB\nstart=618496,size=300MiB\n' | must sfdisk -q "/dev/$D"
on "${D}p1" "$aligned" dax=always
says "partition at 1 MiB" /mnt/f "$huge" "no partition_alignment"
on "${D}p2" "$aligned" dax=always
says "partition at 302 MiB" /mnt/f "$huge" "yes null"

# --- bad blocks: outside of the partition, in it, in the file

first=$(filefrag -v /mnt/f | awk '$1 == "0:" { sub(/\.\..*/, "", $4); print $4 }')
says "no bad blocks" /mnt/f "$bad" "0 null 0 null"
echo "8 8" >"/sys/block/$D/badblocks"
says "a bad block elsewhere" /mnt/f "$bad" "0 null 0 null"
echo "1232496 8" >"/sys/block/$D/badblocks"
echo "$((618496 + first * 8 + 4096)) 1" >"/sys/block/$D/badblocks"
says "a bad block in the file" /mnt/f "$bad" "4608 null 512 null"
says "of the whole device" "/dev/$D" device_bad_bytes 8704
# a page that is bad is not touched, and the others tell
umount /mnt
must mount -o dax=always "/dev/${D}p2" /mnt
says "faults beside a bad block" /mnt/f "huge_faults" yes
umount /mnt

# --- two regions in one device

D=$(create 1 fsdax -M mem) || exit
E=$(create 2 fsdax -M mem) || exit
d=$(cat "/sys/block/$D/size")
printf '%s\n' "0 $d linear /dev/$D 0" "$d $(cat "/sys/block/$E/size") linear /dev/$E 0" |
	must dmsetup create two --noudevsync
on dm-0 "$aligned" dax=always
# Linux 6.12 puts this file elsewhere
first=$(filefrag -v /mnt/f | awk '$1 == "0:" { sub(/\.\..*/, "", $4); print $4 }')
[ $((first % 512)) -eq 0 ] && want="yes null" || want="no stacked"
says "dm-linear" /mnt/f "reason domain $huge $bad" \
	"dax memory_controller $want 0 null 0 null"
check_match "dm-linear: both regions" "region?,region?" "$(fields region </tmp/doctor.json)"
echo "8 8" >"/sys/block/$E/badblocks"
says "dm-linear, a bad block below" /mnt/f "$bad" "null stacked null stacked"
umount /mnt
must dmsetup remove --noudevsync two
E=$(create 2 sector) || exit
printf '%s\n' "0 $d linear /dev/$D 0" "$d 8192 linear /dev/$E 0" |
	must dmsetup create mixed --noudevsync
on dm-0 "" rw
says "dm on a part without DAX" /mnt/f reason stacked_mixed
umount /mnt
must dmsetup remove --noudevsync mixed

# --- inodes

on "$D" "" dax=inode
exec 5</mnt/f
must xfs_io -c 'chattr +x' /mnt/f
says "attribute of an open file" /mnt/f reason dax_pending
exec 5<&-
sync
echo 2 >/proc/sys/vm/drop_caches
says "and in effect" /mnt/f reason dax
on "$D" "" data=journal
must xfs_io -c 'chattr +x' /mnt
: >/mnt/j
says "data=journal" /mnt/j reason inode_excluded
on "$D" "" dax=always
umount /mnt
must debugfs -w -R "sif /f flags 0x84000" "/dev/$D"
must mount -o dax=always "/dev/$D" /mnt
says "chattr +j, which has no effect" /mnt/f reason dax
umount /mnt
must mount -o dax=always,nodelalloc "/dev/$D" /mnt
says "chattr +j" /mnt/f reason inode_excluded
says "a directory" /mnt reason new_file_dax
says "a block device" "/dev/$D" "reason mount_point" "pmem_block_device /mnt"
umount /mnt
X=$(create 2 fsdax -M mem) || exit
must mkfs.xfs -q -f -m reflink=0,rmapbt=0 -r "rtdev=/dev/$X" "/dev/$D"
must mount -o "dax=always,rtdev=/dev/$X" "/dev/$D" /mnt
must xfs_io -f -c 'chattr +r' -c 'pwrite 0 8m' /mnt/rt
says "realtime device of xfs" /mnt/rt "reason domain domain_reason file_bad_bytes_reason" \
	"dax unknown realtime realtime"
umount /mnt

# --- device dax

X=$(create 2 devdax -M mem -a 4096) || exit
says "devdax, 4 KiB" "/dev/$X" "$huge" "no device_alignment"
X=$(create 2 devdax -M mem -a 2M) || exit
says "devdax, 2 MiB" "/dev/$X" "$huge" "yes null"
list=/sys/bus/nd/devices/region$(region 2)/badblocks
# before the device, which begins at 2 MiB of the region, and in it
printf '%s\n' "0 8" "4096 16" >/tmp/badblocks
must mount --bind /tmp/badblocks "$list"
says "devdax, bad blocks" "/dev/$X" device_bad_bytes 8192
umount "$list"
finish
