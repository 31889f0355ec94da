#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=dash
# Memory that is not an NVDIMM's: RAM that the kernel was told is pmem (e820,
# memmap=256M!1G), virtio-pmem, and a dax device without any namespace, as CXL
# memory has (soft-reserved memory, dax_hmem), where libpmem 1.12 crashes.
# shellcheck source=../lib.sh
. /lib.sh

for m in nd_e820 virtio_pci virtio_pmem dax_hmem; do
	must modprobe "$m"
done

# block PROVIDER: the block device on the bus of that provider; may come late
block() {
	local tries=0 name
	while [ $tries -lt 50 ]; do
		name=$(ndctl list -BN | jq -r --arg p "$1" \
			'.[] | select(.provider == $p) | .namespaces[0].blockdev // empty')
		[ ! -b "/dev/$name" ] || { echo "$name"; return; }
		tries=$((tries + 1))
		sleep 0.1
	done
	die "no block device of $1"
}

# verdict NAME PATH WANT
verdict() {
	check "$1" "$3" "$(/t/pmk doctor --json "$2" |
		fields kind granularity domain reason)"
}

E=$(block e820) || exit
must mkfs.ext4 -q -F -b 4096 "/dev/$E"
must mount -o dax "/dev/$E" /mnt
must dd if=/dev/zero of=/mnt/f bs=64k count=1
# it is RAM, and root can see that
verdict "e820 by memmap=" /mnt/f "fsdax cache_line volatile volatile_region"
check_match "e820 by memmap=: mapping" "fsdax cache line volatile * sync=1" "$(/t/open_map /mnt/f)"
chmod 755 /tmp /t
chmod 644 /mnt/f
check "e820, not root" "null fsdax unknown memmap dax" "$(
	/usr/bin/setpriv --reuid 65534 --clear-groups /t/pmk doctor --json /mnt/f |
		fields pmem kind domain domain_reason reason)"
umount /mnt

V=$(block virtio-pmem) || exit
must mkfs.ext4 -q -F -b 4096 "/dev/$V"
must mount -o dax "/dev/$V" /mnt
must dd if=/dev/zero of=/mnt/f bs=64k count=1
verdict "virtio-pmem" /mnt/f "file page device async_flush"
check_match "virtio-pmem: mapping" "file page device * sync=0" "$(/t/open_map /mnt/f)"
umount /mnt

# dm over NVDIMM first, over virtio-pmem then: the kernel grants MAP_SYNC from
# old habit, and nobody must be taken in
must modprobe dm_mod
N=$(create 1 fsdax -M mem) || exit
for d in "$N" "$V"; do
	must dmsetup create lin --noudevsync --table "0 98304 linear /dev/$d 0"
	must mkfs.ext4 -q -F -b 4096 /dev/dm-0
	mount -o dax=always /dev/dm-0 /mnt 2>/dev/null || must mount /dev/dm-0 /mnt
	must dd if=/dev/zero of=/mnt/f bs=64k count=1
	have=$(/t/pmk doctor --json /mnt/f | fields pmem kind granularity)
	open=$(/t/open_map /mnt/f)
	umount /mnt
	must dmsetup remove --noudevsync lin
done
check "dm over virtio-pmem" "false file page" "$have"
check_match "dm over virtio-pmem: mapping" "file page *" "$open"

# a devdax node cannot send flush commands
ns=$(ndctl list -N | jq -r --arg v "$V" '.[] | select(.blockdev == $v) | .dev')
must ndctl create-namespace -f -e "$ns" -m devdax -M mem
X=$(ndctl list -N -n "$ns" | sed -n 's/.*"chardev":"\([^"]*\)".*/\1/p')
verdict "devdax on virtio-pmem" "/dev/$X" "none none device async_flush"
check "devdax on virtio-pmem: mapping" "error: the demanded granularity cannot be had" \
	"$(/t/open_map "/dev/$X")"

X=$(daxctl list -R | sed -n 's/.*"path":".*\/hmem\.\([0-9]*\)".*/dax\1.0/p')
check_match "a dax device without a namespace" "/sys/devices/platform/hmem*" \
	"$(readlink -f "/sys/bus/dax/devices/$X")"
# Linux 6.12 leaves it to kmem, which is not loaded
if [ ! -e "/sys/bus/dax/devices/$X/driver" ]; then
	verdict "hmem, no driver" "/dev/$X" "none none unknown device_off"
	must daxctl enable-device "$X"
fi
verdict "hmem" "/dev/$X" "devdax cache_line volatile devdax_not_pmem"
check "hmem: mapping" "devdax cache line volatile size=268435456 align=2097152" \
	"$(/t/open_map "/dev/$X" | sed 's/ sync=.//')"
check_match "hmem: deep sync" "*deep=sysfs*" "$(/t/open_map -d "/dev/$X")"
finish
