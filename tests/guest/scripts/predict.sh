#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=dash
# pmk memmap predict against the kernel: the sizes of devices, where their data
# begin, the pages that memmap_init_zone_device() prints, and on 6.12, which counts
# it, the memory that struct pages take.
# shellcheck source=../lib.sh
. /lib.sh

mount -t debugfs none /sys/kernel/debug 2>/dev/null
echo 'func memmap_init_zone_device +p' >/sys/kernel/debug/dynamic_debug/control ||
	die "no dynamic debug"
case $(uname -r) in
6.1.*) K=6.1.192 ;;
6.12.*) K=6.12.117 ;;
*) die "rules of which kernel?" ;;
esac

bus=/sys/bus/nd/devices

# predict NAMESPACE MODE MAP ALIGN: "usable dataoff pages", or what refuses it
predict() {
	/t/pmk memmap predict --json --kernel $K --size "$(cat "$bus/$1/size")" \
		--start "$(cat "$bus/$1/resource")" --mode "$2" --map "$3" --align "$4" >/tmp/predict
	case $? in
	0) fields usable_bytes dataoff_bytes pr_debug_pages </tmp/predict ;;
	3) fields errno reason </tmp/predict ;;
	*) echo "pmk failed" ;;
	esac
}

# kernel DEVICE START: the same of what there is; the last message is of it
kernel() {
	local size
	if [ -d "/sys/block/$1" ]; then
		size=$(($(cat "/sys/block/$1/size") * 512))
		set -- "/sys/block/$1/device" "$2"
	else
		set -- "/sys/bus/dax/devices/$1" "$2"
		size=$(cat "$1/size")
	fi
	echo "$size $(($(cat "$1/resource") - $2)) $(dmesg |
		sed -n 's/.*memmap_init_zone_device initialised \([0-9]*\) pages.*/\1/p' | tail -n 1)"
}

# pages of all struct pages that were made after boot
memmap_pages() {
	awk '$1 == "nr_memmap_pages" { print $2 }' /proc/vmstat
}

# compare_memory NAME NAMESPACE: what was predicted last, which is unbound to see it
compare_memory() {
	local holder with
	holder=$(cat "$bus/$2/holder")
	with=$(memmap_pages)
	[ "$with" ] || return 0
	echo "$holder" >"$(readlink -f "$bus/$holder/driver")/unbind"
	check "$1: memory of struct pages" "$(fields memmap_bytes </tmp/predict)" \
		$(((with - $(memmap_pages)) * 4096))
}

# compare HANDLE MODE MAP ALIGN: a namespace of all of an NVDIMM
compare() {
	local ns want dev name
	ns=namespace$(region "$1").0
	name="$2 $3 $4 of $(cat "$bus/$ns/size")"
	dmesg -c >/dev/null
	dev=$(create "$1" "$2" -M "$3" -a "$4") || exit
	want=$(predict "$ns" "$2" "$3" "$4")
	check "$name" "$want" "$(kernel "$dev" "$(cat "$bus/$ns/resource")")"
	compare_memory "$name" "$ns"
}

for mode in fsdax devdax; do
	for map in dev mem; do
		compare 1 $mode $map 4K
		compare 1 $mode $map 2M
		compare 2 $mode $map 1G
	done
done
compare 2 devdax mem 2M

# 1 GiB has no room for pages of 1 GiB
ns=namespace$(region 1).0
dmesg -c >/dev/null
ndctl create-namespace -f -e "$ns" -m devdax -M mem -a 1G >/tmp/create 2>&1 &&
	not_ok "1 GiB with an alignment of 1 GiB is made"
check "refused, the reason" "ENXIO $(dmesg | sed -n "s/.*$ns \(unable.*\)/\1/p" | tail -n 1)" \
	"$(/t/pmk memmap predict --json --kernel $K --size 1G --align 1G --mode devdax --map mem |
		fields errno reason)"
check_match "refused, the errno" "*No such device or address" "$(grep failed /tmp/create | tail -n 1)"

# --- a region of several, of which one begins where no GiB does

r=$(region 3)
must ndctl disable-region "region$r"
must ndctl init-labels -f "$(cut -d , -f 1 "$bus/region$r/mapping0")"
must ndctl enable-region "region$r"
dmesg -c >/dev/null
chain=''
while read -r size mode map align; do
	must ndctl create-namespace -r "region$r" -s "$size" -m "$mode" -M "$map" -a "$align"
	chain=$chain,$size:$mode:$map:$align
done <<END
48M fsdax dev 2M
2G devdax mem 1G
272M devdax dev 4K
16M fsdax mem 4K
END
dmesg | sed -n 's/.*memmap_init_zone_device initialised \([0-9]*\) pages.*/\1/p' >/tmp/pages
for n in 0 1 2 3; do
	ns=$bus/namespace$r.$n
	holder=$(cat "$ns/holder")
	echo "$(($(cat "$ns/resource"))) $(cat "$ns/size") $(cat "$bus/$holder/size") $(($(cat "$bus/$holder/resource") - $(cat "$ns/resource"))) $(sed -n $((n + 1))p /tmp/pages)"
done >/tmp/have
/t/pmk memmap predict --json --kernel $K --start "$(cat "$bus/region$r/resource")" \
	--size "${chain#,}" | jq -r '.namespaces[] |
	"\(.start_bytes) \(.size_bytes) \(.usable_bytes) \(.dataoff_bytes) \(.pr_debug_pages)"' >/tmp/want
check "a region of four" "$(cat /tmp/want)" "$(cat /tmp/have)"

# what ndctl refuses
check_run "20 MiB: ndctl" 234 ndctl create-namespace -r "region$r" -m fsdax -s 20M
check_match "20 MiB: pmk" "*16 MiB*" "$(/t/pmk memmap predict --json --size 20M | fields ndctl_refuses)"
check_run "1040 MiB with 1G: ndctl" 234 ndctl create-namespace -r "region$r" -m fsdax -a 1G -s 1040M
check_match "1040 MiB with 1G: pmk" "*ways*" \
	"$(/t/pmk memmap predict --json --size 1040M --align 1G --kernel 6.1 | fields ndctl_refuses)"

# --- nothing is left for data: Linux 6.1 makes such a device

dmesg -c >/dev/null
start=$(/t/pmk memmap predict --json --start "$(cat "$bus/region$r/resource")" --size "${chain#,}" |
	jq '.namespaces[-1] | .start_bytes + .size_bytes')
want=$(/t/pmk memmap predict --json --kernel $K --size 1G --start "$start" --map mem --align 1G |
	fields errno usable_bytes pr_debug_pages)
if ndctl create-namespace -r "region$r" -s 1G -m fsdax -M mem -a 1G >/tmp/create 2>&1; then
	check "no data" "$want" "null $(kernel "$(sed -n 's/.*"blockdev":"\([^"]*\)".*/\1/p' /tmp/create)" 0 |
		cut -d ' ' -f 1,3)"
else
	check_match "no data: refused" "*No such device or address" "$(grep failed /tmp/create | tail -n 1)"
	check "no data: predicted" "ENXIO - -" "$(echo "$want" | sed 's/null/-/g')"
fi

# --- memory that shares sections with RAM

must modprobe nd_e820
for ns in "$bus"/namespace*; do
	case $(readlink -f "$ns") in
	*e820*) break ;;
	esac
done
start=$(cat "$ns/resource")
check "what the kernel was told" "$((0x42000000)) 201326592" "$((start)) $(cat "$ns/size")"
dmesg -c >/dev/null
must ndctl create-namespace -f -e "${ns##*/}" -m fsdax -M dev
want=$(predict "${ns##*/}" fsdax dev 2M)
check "e820" "$want" \
	"$(kernel "$(ndctl list -N -n "${ns##*/}" | sed -n 's/.*"blockdev":"\([^"]*\)".*/\1/p')" "$start")"
# from 1056 to 1248 MiB: both of its sections have RAM in front or behind
/t/pmk memmap predict --json --size 192M --start "$start" --iomem /proc/iomem >/tmp/predict
check "e820: shared sections" "2 dram 0" "$(fields shared_sections memmap_in memmap_bytes </tmp/predict)"
compare_memory e820 "${ns##*/}"
chmod 755 /t
check_run "/proc/iomem, not root" 1 /usr/bin/setpriv --reuid 65534 --clear-groups \
	/t/pmk memmap predict --size 192M --start "$start" --iomem /proc/iomem
check_match "/proc/iomem, not root" "*all addresses are 0*" "$(cat /tmp/stderr)"
finish
