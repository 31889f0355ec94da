#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=dash
# One round of tests/guest/records: check the logs of the round before against
# what was acknowledged then (/t/acked, if there was one), append to all of
# them at once until the guest is ended from outside, or by itself (/t/reset:
# after so many seconds).  Acknowledgements go to a serial port for each log:
# what has come through there was durable before.
# shellcheck source=../lib.sh
. /lib.sh

# name, serial port of the acknowledgements, file
logs() {
	echo "ext4 /dev/ttyS1 /mnt/ext4/log"
	echo "xfs /dev/ttyS2 /mnt/xfs/log"
	echo "devdax /dev/ttyS3 /dev/dax$(region 3).0"
}

make_devices() {
	ext4=$(create 1 fsdax -M mem) || exit
	xfs=$(create 2 fsdax -M mem) || exit
	create 3 devdax -M mem -a 2M >/dev/null || exit
	must mkfs.ext4 -q -F -b 4096 -E lazy_itable_init=1,lazy_journal_init=1 "/dev/$ext4"
	must mkfs.xfs -q -f -m reflink=0 "/dev/$xfs"
}

mount_all() {
	mkdir -p /mnt/ext4 /mnt/xfs
	must mount -t ext4 -o dax=always "/dev/pmem$(region 1)" /mnt/ext4
	must mount -t xfs -o dax=always "/dev/pmem$(region 2)" /mnt/xfs
}

# verify NAME PORT FILE: in order, none missing up to the last acknowledged one
verify() {
	local acked count
	acked=$(sed -n "s/^$1 //p" /t/acked)
	check_run "$1: check" 0 /t/pmk log check "$3"
	/t/pmk log read "$3" >/tmp/read 2>/tmp/stderr || not_ok "$1: read: $(cat /tmp/stderr)"
	count=$(awk -v name="$1" '$0 != name " record " NR { exit 1 } END { print NR }' /tmp/read) ||
		not_ok "$1: record $count is another one"
	if [ "${count:-0}" -ge "$acked" ]; then
		ok "$1: $acked acknowledged, $count there"
	else
		not_ok "$1: $acked acknowledged, only $count there"
	fi
	echo "$count" >"/tmp/count.$1"
}

append() {
	stty -F "$2" -opost
	awk -v name="$1" -v n="$(cat "/tmp/count.$1" 2>/dev/null || echo 0)" \
		'BEGIN { while (1) print name " record " ++n }' |
		/t/pmk log append --ack "$3" >"$2" ||
		echo "not ok - $1: append ended by itself"
}

if [ -f /t/acked ]; then
	mount_all
	logs >/tmp/logs
	while read -r name port file; do
		verify "$name" "$port" "$file"
	done </tmp/logs
	[ "$failures" -eq 0 ] || finish
else
	make_devices
	mount_all
	logs >/tmp/logs
	while read -r name port file; do
		case $file in
		/dev/*) must /t/pmk log create "$file" ;;
		*) must /t/pmk log create --size 32M "$file" ;;
		esac
	done </tmp/logs
fi
[ ! -f /t/last ] || finish

while read -r name port file; do
	append "$name" "$port" "$file" &
done </tmp/logs
echo "appending"
if [ -s /t/reset ]; then
	sleep "$(cat /t/reset)"
	echo b >/proc/sysrq-trigger
fi
wait
finish
