#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=dash
# What is pmem and what is not, and why: every kind of file and device that can
# lie on an NVDIMM, with the verdict of pmk held against that of the kernel
# (xfs_io maps with MAP_SYNC by itself), of ndctl and of daxctl.
# The firmware says memory_controller (-P mem-ctrl).
# shellcheck source=../lib.sh
. /lib.sh

M=memory_controller
for m in overlay xfs dm_mod kmem; do
	must modprobe $m
done

# doctor PATH KEY: a field of the document; "-" for one that is not there
doctor() {
	/t/pmk doctor --json "$1" >/tmp/doctor.json 2>/tmp/doctor.err
	fields "$2" </tmp/doctor.json
}

# can_sync FILE: yes if the kernel grants MAP_SYNC to another program
can_sync() {
	if xfs_io -c 'mmap -S 0 4096' "$1" >/dev/null 2>&1; then
		echo true
	else
		echo false
	fi
}

# verdict NAME PATH KIND GRANULARITY DOMAIN REASON
verdict() {
	local have
	/t/pmk doctor --json "$2" >/tmp/doctor.json 2>/tmp/doctor.err
	have=$(fields kind granularity domain reason </tmp/doctor.json)
	check "$1" "$3 $4 $5 $6" "$have"
	[ ! -f "$2" ] || check "$1: as the kernel says" "$(can_sync "$2")" \
		"$(fields pmem </tmp/doctor.json)"
}

# remedy NAME WORD: the remedy of the last verdict names it
remedy() {
	check_match "$1: remedy" "*$2*" "$(fields remedy </tmp/doctor.json)"
}

# file PATH [BYTES]: with written blocks
file() {
	dd if=/dev/zero of="$1" bs=65536 count=$((${2:-65536} / 65536)) 2>/dev/null
}

# with_fs DEVICE TYPE MKFS-OPTIONS MOUNT-OPTIONS: make and mount it, or fail
with_fs() {
	umount /mnt 2>/dev/null
	# shellcheck disable=SC2086 # options are words
	case $2 in
	ext4) must mkfs.ext4 -q -F -E lazy_itable_init=1,lazy_journal_init=1 $3 "/dev/$1" ;;
	xfs) must mkfs.xfs -q -f $3 "/dev/$1" ;;
	esac
	mount -t "$2" ${4:+-o $4} "/dev/$1" /mnt 2>/tmp/stderr
}

# must_fs: the same, and it has to work
must_fs() {
	with_fs "$@" || die "mount $*: $(cat /tmp/stderr; dmesg | tail -n 3)"
}

# --- namespaces in fsdax mode, by where the struct pages are and alignment

for map in dev mem; do
	for align in 4K 2M; do
		D=$(create 1 fsdax -M $map -a $align) || exit
		must_fs "$D" ext4 "-b 4096" dax
		file /mnt/f
		verdict "ext4 dax, map=$map align=$align" /mnt/f fsdax cache_line $M dax
		check "ext4 dax, map=$map align=$align: device" "$D" "$(doctor /mnt/f device)"
		umount /mnt
	done
done

# --- mount options; D is map=mem, 2M from here on

for opt in dax=always dax=inode dax=never ""; do
	must_fs "$D" ext4 "-b 4096" "$opt"
	file /mnt/f
	case $opt in
	dax=always) verdict "ext4 $opt" /mnt/f fsdax cache_line $M dax ;;
	dax=never)
		verdict "ext4 $opt" /mnt/f file page device dax_never
		remedy "ext4 $opt" dax=always
		;;
	*)
		verdict "ext4 '$opt', no attribute" /mnt/f file page device no_dax_attribute
		remedy "ext4 '$opt'" dax=always
		mkdir /mnt/dax
		xfs_io -c 'chattr +x' /mnt/dax
		file /mnt/dax/f
		verdict "ext4 '$opt', with the attribute" /mnt/dax/f fsdax cache_line $M dax
		;;
	esac
done

# --- the same file seen otherwise

must_fs "$D" ext4 "-b 4096" dax=always
file /mnt/f 4194304
chmod 644 /mnt/f
mkdir -p /tmp/bind /tmp/over
must mount --bind /mnt /tmp/bind
verdict "bind mount" /tmp/bind/f fsdax cache_line $M dax
umount /tmp/bind
mkdir /mnt/upper /mnt/work /mnt/lower
file /mnt/lower/l
must mount -t overlay -o lowerdir=/mnt/lower,upperdir=/mnt/upper,workdir=/mnt/work overlay /tmp/over
file /tmp/over/u
verdict "overlayfs, upper" /tmp/over/u file page unknown overlayfs
verdict "overlayfs, lower" /tmp/over/l file page unknown overlayfs
umount /tmp/over
check "not root" "fsdax cache_line $M dax" "$(
	chmod 755 /tmp /t
	/usr/bin/setpriv --reuid 65534 --clear-groups /t/pmk doctor --json /mnt/f |
		fields kind granularity domain reason
)"
check "/sys masked" "fsdax cache_line unknown dax" "$(
	unshare -m sh -c 'mount -t tmpfs none /sys; /t/pmk doctor --json /mnt/f' |
		fields kind granularity domain reason
)"
check "no /sys, no block node, no /proc" "fsdax cache_line unknown dax" "$(
	unshare -m sh -c 'umount -l /sys; mount -t tmpfs none /dev; mount -t tmpfs none /proc
		/t/pmk doctor --json /mnt/f' |
		fields kind granularity domain reason
)"
check "/dev of a container" "fsdax cache_line $M dax" "$(
	unshare -m sh -c 'mount -t tmpfs none /dev; /t/pmk doctor --json /mnt/f' |
		fields kind granularity domain reason
)"
: >/mnt/empty
verdict "empty file" /mnt/empty fsdax cache_line $M dax

# --- what a mapping costs

# calls PATH: system calls inside pmk_map_open()
calls() {
	strace -o /tmp/strace /t/open_map "$1" >/dev/null 2>&1
	awk '/^getppid/ { n++; next } n == 1 { c++ } END { print c + 0 }' /tmp/strace
}

# at_most NAME LIMIT HAVE
at_most() {
	if [ "$3" -gt 0 ] && [ "$3" -le "$2" ]; then
		ok "$1: $3 (at most $2)"
	else
		not_ok "$1: $3, allowed are 1 to $2: $(cat /tmp/strace)"
	fi
}

at_most "system calls of a mapping, fsdax" 20 "$(calls /mnt/f)"
check "open, fsdax" "fsdax cache line $M size=4194304 align=4096 sync=1" "$(/t/open_map /mnt/f)"

# --- file systems and blocks

with_fs "$D" ext4 "-b 1024" dax && not_ok "ext4 -b 1024: mounted with dax"
must_fs "$D" ext4 "-b 1024" ""
file /mnt/f
verdict "ext4 -b 1024" /mnt/f file page device block_size
remedy "ext4 -b 1024" 4096
must_fs "$D" xfs "-m reflink=0" dax=always
file /mnt/f 4194304
verdict "xfs reflink=0, dax=always" /mnt/f fsdax cache_line $M dax
must_fs "$D" xfs "-m reflink=0" dax=never
file /mnt/f
verdict "xfs dax=never" /mnt/f file page device dax_never
must_fs "$D" xfs "-m reflink=1" ""
file /mnt/f
verdict "xfs without option" /mnt/f file page device no_dax_attribute
umount /mnt

# --- layers on top of the namespace

must dmsetup create lin --noudevsync --table "0 $(cat "/sys/block/$D/size") linear /dev/$D 0"
must_fs dm-0 ext4 "-b 4096" dax=always
file /mnt/f
verdict "dm-linear" /mnt/f fsdax cache_line $M dax
umount /mnt
must dmsetup remove --noudevsync lin
printf 'label: gpt\nsize=300MiB\n' | must sfdisk -q "/dev/$D"
must_fs "${D}p1" ext4 "-b 4096" dax=always
file /mnt/f
verdict "partition" /mnt/f fsdax cache_line $M dax
check "partition: device" "${D}p1" "$(doctor /mnt/f device)"
umount /mnt
# 512-byte sectors: the file system's blocks cross pages
printf 'label: dos\nstart=2049,size=600000\n' | must sfdisk -q --force "/dev/$D"
with_fs "${D}p1" ext4 "-b 4096" dax=always && not_ok "misaligned partition: mounted with dax"
must_fs "${D}p1" ext4 "-b 4096" ""
file /mnt/f
verdict "misaligned partition" /mnt/f file page device partition_alignment
umount /mnt

# --- modes without DAX

D=$(create 1 sector) || exit
with_fs "$D" ext4 "-b 4096" dax && not_ok "sector mode: mounted with dax"
must_fs "$D" ext4 "-b 4096" ""
file /mnt/f
verdict "sector mode (btt)" /mnt/f file page device sector_mode
remedy "sector mode" fsdax
umount /mnt
D=$(create 1 raw) || exit
with_fs "$D" ext4 "-b 4096" dax && not_ok "raw mode: mounted with dax"
must_fs "$D" ext4 "-b 4096" ""
file /mnt/f
verdict "raw mode" /mnt/f file page device raw_mode
remedy "raw mode" fsdax
umount /mnt
file /tmp/f
verdict "tmpfs" /tmp/f file page volatile volatile_fs
file /f
verdict "initramfs" /f file page volatile volatile_fs

# --- device dax

for map in dev mem; do
	for align in 4096 2097152; do
		X=$(create 2 devdax -M $map -a $align) || exit
		name="devdax map=$map align=$align"
		size=$(daxctl list -d "$X" | sed -n 's/.*"size":\([0-9]*\).*/\1/p')
		verdict "$name" "/dev/$X" devdax cache_line $M devdax
		check "$name: size" "$size" "$(doctor "/dev/$X" size_bytes)"
		check "$name: align" $align "$(doctor "/dev/$X" align_bytes)"
		check "$name: whole" "devdax cache line $M size=$size align=$align sync=1" \
			"$(/t/open_map "/dev/$X" | sed "s/sync=0/sync=1/")"
		check "$name: part" "devdax cache line $M size=4194304 align=$align" \
			"$(/t/open_map "/dev/$X" 4194304 2097152 | sed 's/ sync=.//')"
		check "$name: odd length" "error: not a multiple of the device's alignment" \
			"$(/t/open_map "/dev/$X" 4194305)"
		check "$name: past the end" "error: range is not inside the mapping or the file" \
			"$(/t/open_map "/dev/$X" 1099511627776)"
	done
done
at_most "system calls of a mapping, devdax" 25 "$(calls "/dev/$X")"
check "devdax, /sys masked" "none none unknown no_sysfs" "$(
	unshare -m sh -c "mount -t tmpfs none /sys; /t/pmk doctor --json /dev/$X" |
		fields kind granularity domain reason
)"
# daxctl refuses where the kernel would not wait for it (6.12)
echo offline >/sys/devices/system/memory/auto_online_blocks
must daxctl reconfigure-device -m system-ram "$X"
verdict "system-ram" "/dev/$X" none none unknown system_ram
check "system-ram: open" "error: dax device is not in devdax mode" "$(/t/open_map "/dev/$X")"
must daxctl reconfigure-device -f -m devdax "$X"
verdict "back in devdax mode" "/dev/$X" devdax cache_line $M devdax
must daxctl disable-device "$X"
verdict "disabled" "/dev/$X" none none unknown device_off
must daxctl enable-device "$X"

# --- other paths

verdict "a directory of the initramfs" /mnt none none volatile volatile_fs
verdict "a block device in raw mode" "/dev/$D" none none device raw_mode
verdict "another character device" /dev/null none none unknown file_type
finish
