#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=dash
# The commands of docs/writecache.md around LVM, in its order: an LV with a
# cachevol on pmem, which LVM uses in mode p, its parts found and mapped in all
# the ways named there, exported, repaired, written back, and what LVM says then.
# shellcheck source=../lib.sh
. /lib.sh

must modprobe -a dm_writecache loop
# libdm makes the nodes
export DM_DISABLE_UDEV=1 LVM_SUPPRESS_FD_WARNINGS=1
mkdir -p /etc/lvm /run/lock/lvm
cat >/etc/lvm/lvm.conf <<'EOF'
activation { udev_sync = 0 udev_rules = 0 monitoring = 0 }
devices { use_devicesfile = 0 obtain_device_list_from_udev = 0 external_device_info_source = "none" }
global { use_lvmpolld = 0 event_activation = 0 locking_dir = "/run/lock/lvm" }
backup { backup = 0 archive = 0 }
EOF
MIB=1048576
LV_BYTES=$((12 * MIB))
CVOL=/dev/mapper/vg-fast_cvol
ORIG=/dev/mapper/vg-lv_wcorig

# attach: the LV gets its cachevol, both active
attach() {
	must lvm lvchange -an vg/lv vg/fast
	must lvm lvconvert -y --type writecache --cachevol fast \
		--cachesettings "high_watermark=90 low_watermark=80" vg/lv
	must lvm lvchange -ay vg/lv
}

# dirty LETTER MIB: a MiB of it there, by the cache, and in /tmp/want
dirty() {
	head -c $MIB /dev/zero | tr '\0' "$1" >/tmp/letters
	must dd if=/tmp/letters of=/tmp/want bs=1M seek="$2" conv=notrunc
	must dd if=/tmp/letters of=/dev/vg/lv bs=4k seek=$(($2 * 256)) oflag=direct conv=fsync
}

# field LV FIELD: of lvs; NAME of pvs and vgs likewise
field() {
	lvm lvs -a --noheadings -o "$2" "vg/$1" | tr -d ' '
}

# info NAME WANT ARG...: pmk wc info --dirty, and how many blocks are dirty
info() {
	local name=$1 want=$2 status=0
	shift 2
	[ "$want" = 0 ] || status=3
	check_run "$name: info --dirty" "$status" /t/pmk wc info --dirty --json "$@"
	check "$name: dirty" $((want * 4096)) "$(fields dirty_bytes </tmp/stdout)"
}

# export_is NAME CACHE ORIGIN
export_is() {
	check_run "$1: export" 0 /t/pmk wc export "$2" "$3" -o /tmp/merged
	check_run "$1: what it would be" 0 cmp /tmp/want /tmp/merged
	rm -f /tmp/merged
}

# refuses NAME MESSAGE COMMAND...: one of LVM's
refuses() {
	local name=$1 message=$2
	shift 2
	check_run "$name" 5 lvm "$@"
	check_match "$name: LVM says" "*$message*" "$(head -n 1 /tmp/stderr)"
}

# the LV's content, after all
lv_is() {
	check_run "$1: activated" 0 lvm lvchange -ay vg/lv
	check_run "$1: the LV's content" 0 cmp /tmp/want /dev/vg/lv
}

D=$(create 1 fsdax -M mem) || exit
truncate -s 24M /tmp/slow
truncate -s $LV_BYTES /tmp/want
must losetup /dev/loop0 /tmp/slow
must lvm pvcreate /dev/loop0 "/dev/$D"
must lvm vgcreate vg /dev/loop0 "/dev/$D"
must lvm lvcreate -y -Wn -Zn -n lv -L 12M vg /dev/loop0
must lvm lvcreate -y -Wn -Zn -n fast -L 8M vg "/dev/$D"

attach
check_match "LVM's table" "*writecache p 254:* 254:* 4096 4 high_watermark 90 low_watermark 80" \
	"$(dmsetup table vg-lv)"
check "block size" 4096 "$(field lv writecache_block_size)"
dirty a 3
check_run "in use" 1 /t/pmk wc info $CVOL
check_match "the message" "*Device or resource busy*" "$(cat /tmp/stderr)"
must lvm lvchange -an vg/lv
check "nothing of the VG is mapped" "No devices found" "$(dmsetup ls)"

# extents, by the formulas of the document
range=$(field fast_cvol seg_pe_ranges)
check_match "one range of the PV" "/dev/$D:[0-9]*-[0-9]*" "$range"
FIRST=${range#*:}
LAST=${FIRST#*-}
FIRST=${FIRST%-*}
start=$(lvm pvs --noheadings -o pe_start --units s "/dev/$D" | tr -dc 0-9)
extent=$(lvm vgs --noheadings -o vg_extent_size --units s vg | tr -dc 0-9)
first=$((start + FIRST * extent))
sectors=$(((LAST - FIRST + 1) * extent))
check "as much as the LV" 16384 "$sectors"
info "in the PV, by offset" 256 --offset $((first * 512)) --length $((sectors * 512)) "/dev/$D"
info "in the PV, by start sector" 256 --start-sector "$first" "/dev/$D"

# the parts, by LVM
check_run "parts: activate" 0 lvm lvchange -y -ay vg/fast_cvol vg/lv_wcorig
check "parts: read only" "L--r L--r" \
	"$(dmsetup info -c --noheadings -o attr | tr '\n' ' ' | sed 's/ $//')"
check_run "parts: no writeback to them" 1 /t/pmk wc writeback $CVOL $ORIG
check_match "parts: the message" "pmk wc writeback: $CVOL: *read-only*" "$(cat /tmp/stderr)"
info "parts" 256 $CVOL
check_run "parts: check" 0 /t/pmk wc check $CVOL --origin $ORIG
export_is parts $CVOL $ORIG
refuses "parts: no activation of the whole" "prohibited while logical volume vg/fast_cvol is active" \
	lvchange -ay vg/lv
for d in vg-fast_cvol vg-lv_wcorig; do
	dmsetup table $d >/tmp/table
	check_run "parts: load $d" 0 dmsetup load $d /tmp/table
	check_run "parts: resume $d" 0 dmsetup resume $d
done
check_run "dump" 0 /t/pmk wc dump --all --data /tmp/data -o /tmp/dump $CVOL
check_run "restore" 0 /t/pmk wc restore -i /tmp/dump --data /tmp/data -o /tmp/back
check_run "restore: the same" 0 cmp /tmp/back $CVOL
must dd if=/dev/zero of=$CVOL bs=8 count=1 conv=notrunc,fsync
check_run "zeroed: check" 3 /t/pmk wc check $CVOL
check_run "zeroed: repair a copy" 0 /t/pmk wc repair -o /tmp/fixed --yes $CVOL
check_run "zeroed: the copy" 0 cmp /tmp/back /tmp/fixed
check_run "zeroed: repair in place" 0 /t/pmk wc repair --in-place --undo /tmp/undo --yes $CVOL
check_run "zeroed: in place" 0 cmp /tmp/back $CVOL
check_run "zeroed: undo" 0 /t/pmk wc repair --undo-apply /tmp/undo $CVOL
check_run "zeroed: undone" 3 /t/pmk wc check $CVOL
check_run "zeroed: repair again" 0 /t/pmk wc repair --in-place --undo /tmp/undo2 --yes $CVOL
rm -rf /tmp/data /tmp/dump /tmp/back /tmp/fixed
check_run "parts: writeback" 0 /t/pmk wc writeback $CVOL $ORIG
info "parts, written back" 0 $CVOL
check_run "parts: deactivate" 0 lvm lvchange -an vg/fast_cvol vg/lv_wcorig
check_run "splitcache, inactive" 0 lvm lvconvert --splitcache vg/lv
check "the type" linear "$(field lv segtype)"
lv_is "after splitcache"

# the target taken away, its parts kept
attach
dirty b 5
check_run "kept: remove the target" 0 dmsetup remove vg-lv
info kept 256 $CVOL
check_run "kept: writeback" 0 /t/pmk wc writeback $CVOL $ORIG
refuses "kept: no activation yet" "prohibited while" lvchange -ay vg/lv
check_run "kept: remove the parts" 0 dmsetup remove vg-fast_cvol vg-lv_wcorig
lv_is kept
check_match "kept: nothing is dirty for the kernel" "* writecache 0 2040 2040 0 *" "$(dmsetup status vg-lv)"

# by hand, and what LVM does not know
dirty c 7
must lvm lvchange -an vg/lv
check_run "by hand: the cache" 0 dmsetup create --readonly cvol --table "0 $sectors linear /dev/$D $first"
check_run "by hand: the origin" 0 dmsetup create --readonly orig --table "0 24576 linear /dev/loop0 2048"
info "by hand" 256 /dev/mapper/cvol
export_is "by hand" /dev/mapper/cvol /dev/mapper/orig
check_run "by hand: LVM activates the LV all the same" 0 lvm lvchange -ay vg/lv
must lvm lvchange -an vg/lv
check_run "by hand: remove" 0 dmsetup remove cvol orig

# detached by force, and got back
check_run "splitcache by force, inactive" 0 lvm lvconvert -y --splitcache --force vg/lv
must lvm lvchange -ay vg/lv vg/fast
check_run "by force: the LV is out of date" 1 cmp -s /tmp/want /dev/vg/lv
info "by force" 256 /dev/vg/fast
check_run "by force: writeback" 0 /t/pmk wc writeback /dev/vg/fast /dev/vg/lv
lv_is "by force"
finish
