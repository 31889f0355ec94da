#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=dash
# Storage that cannot be read: bad blocks below an ext4-dax file, and a file
# that is truncated behind its mapping.  The damaged byte range is reported, the
# rest is saved, and nothing crashes.
# shellcheck source=../lib.sh
. /lib.sh

D=$(create 1 fsdax -M mem) || exit
must mkfs.ext4 -q -F -b 4096 "/dev/$D"
must mount -o dax "/dev/$D" /mnt

# bad FILE BLOCK SECTORS: the first sectors of that 4 KiB block of the file
# turn bad.  The file is one extent.
bad() {
	local first
	sync
	first=$(filefrag -v "$1" | awk '$1 == "0:" { sub(/\.\..*/, "", $4); print $4 }')
	echo "$(((first + $2) * 8)) $3" >"/sys/block/$D/badblocks" || die "no bad block"
	# no page that was mapped before stays so
	umount /mnt
	must mount -o dax "/dev/$D" /mnt
}

# zeros OFFSET BYTES SRC DST: DST is SRC with zeros in that range
zeros() {
	cp "$3" "$4"
	dd if=/dev/zero of="$4" bs=512 seek=$(($1 / 512)) count=$(($2 / 512)) conv=notrunc 2>/dev/null
}

# --- pmk copy

seq 1000000 | head -c 1048576 >/tmp/good
cp /tmp/good /mnt/f
bad /mnt/f 2 1
# the kernel's verdict, which reads by pages
must dd if=/mnt/f of=/dev/null bs=4096 count=2
check_run "dd: EIO" 1 dd if=/mnt/f of=/dev/null bs=4096 skip=2 count=1

check_run "copy: exit 3" 3 /t/pmk copy /mnt/f /tmp/saved
check_match "copy: the range" "*4096 bytes at offset 8192*" "$(cat /tmp/stderr)"
check "copy: one line" 1 "$(wc -l </tmp/stderr)"
zeros 8192 4096 /tmp/good /tmp/want
check_run "copy: the rest is saved" 0 cmp /tmp/want /tmp/saved
rm /tmp/saved
/t/pmk copy --json /mnt/f /tmp/saved >/tmp/json 2>/dev/null
check "copy --json" '[{"offset_bytes":8192,"size_bytes":4096}]' "$(jq -c .damaged /tmp/json)"
echo precious >/tmp/saved
check_run "copy --force: exit 3" 3 /t/pmk copy --force /mnt/f /tmp/saved
check "copy --force: does not replace what is there" precious "$(cat /tmp/saved)"
check_match "copy --force: says what helps" "*--skip-damaged*" "$(cat /tmp/stderr)"
check_run "copy --force --skip-damaged" 3 /t/pmk copy --force --skip-damaged /mnt/f /tmp/saved
check_run "copy --force --skip-damaged: the rest" 0 cmp /tmp/want /tmp/saved
check "copy leaves nothing behind" "" "$(find /tmp -name "*pmk-copy*")"

# the doctor says how much is bad
check "doctor: bad bytes of the device" 512 "$(/t/pmk doctor --json /mnt/f | jq .device_bad_bytes)"

# --- the library: how far a copy and a clear of the mapping get

cp /tmp/good /mnt/r
bad /mnt/r 4 1
check "reach: before the bad block" "copy left 0, clear left 0, clear" "$(/t/reach /mnt/r 0 8192)"
check "reach: up to it" "copy left 49153, clear left 49153, clear" "$(/t/reach /mnt/r 1 65536)"
check "reach: in it" "copy left 10, clear left 10, clear" "$(/t/reach /mnt/r 20470 10)"
check "reach: behind it" "copy left 0, clear left 0, clear" "$(/t/reach /mnt/r 20480 65536)"
umount /mnt
must mount -o dax "/dev/$D" /mnt
{
	dd if=/dev/zero bs=16384 count=1
	dd if=/dev/zero bs=4096 count=1
	dd if=/dev/zero bs=65536 count=1
	tail -c +86017 /tmp/good
} >/tmp/want 2>/dev/null
check_run "reach: the clears are in the file, and nothing else" 3 /t/pmk copy /mnt/r /tmp/saved-r
check_run "reach: as expected" 0 cmp /tmp/want /tmp/saved-r

# --- a record log

must /t/pmk log create --size 1M /mnt/log
seq 1001 5000 | /t/pmk log append --batch 64 /mnt/log >/dev/null || not_ok "append"
bad /mnt/log 10 8
check_run "log check: exit 3" 3 /t/pmk log check --json /mnt/log
check "log check: damaged" "bad_record 40960 4096" \
	"$(jq -r '[.problems[0], .first_damaged_offset_bytes, .damaged_bytes] | join(" ")' /tmp/stdout)"
check_run "log read: exit 3" 3 /t/pmk log read /mnt/log
check_match "log read: the range" "*4096 bytes at offset 40960*" "$(cat /tmp/stderr)"
check_run "log read --skip-damaged: exit 3" 3 /t/pmk log read --skip-damaged /mnt/log
cp /tmp/stdout /tmp/read
# a record of 4 bytes takes a line of 64, from offset 4096 on: in that page are
# the 577th to the 640th
{
	seq 1001 1576
	seq 1641 5000
} >/tmp/want
check_run "log read --skip-damaged: all the others" 0 cmp /tmp/want /tmp/read
check "log read --skip-damaged: how many" 3936 "$(wc -l </tmp/read)"

# the first page: nothing can be read of that log, and that is said
must /t/pmk log create --size 1M /mnt/log2
bad /mnt/log2 0 8
check_run "log check, header unreadable" 3 /t/pmk log check /mnt/log2
check_run "log read, header unreadable" 3 /t/pmk log read /mnt/log2
check_run "log append, header unreadable" 1 sh -c 'echo x | /t/pmk log append /mnt/log2'
check_match "log append, header unreadable: a message" "*/mnt/log2*" "$(cat /tmp/stderr)"
check_run "doctor on it" 0 /t/pmk doctor /mnt/log2

# --- a destination that is bad: a message, and no file

cp /tmp/good /mnt/g
bad /mnt/g 3 8
rm /mnt/g
sync
# the allocator takes the same blocks again
check_run "copy to a bad block: exit 1" 1 /t/pmk copy /tmp/good /mnt/h
check_match "copy to a bad block: a message" "pmk copy: /mnt/h: *" "$(cat /tmp/stderr)"
check "copy to a bad block: one line" 1 "$(wc -l </tmp/stderr)"
check "copy to a bad block: nothing is left" "" "$(find /mnt -name h -o -name "*pmk-copy*")"

# --- a file truncated behind its mapping

must /t/pmk log create --size 1M /mnt/cut
mkfifo /tmp/fifo
/t/pmk log append --ack /mnt/cut </tmp/fifo >/tmp/acks 2>/tmp/append.err &
writer=$!
exec 4>/tmp/fifo
echo one >&4
while ! grep -q 1 /tmp/acks; do sleep 0.1; done
: >/mnt/cut
echo two >&4
exec 4>&-
wait "$writer"
check "append to a truncated log" 1 $?
check_match "append to a truncated log: a message" "*/mnt/cut*" "$(cat /tmp/append.err)"
finish
