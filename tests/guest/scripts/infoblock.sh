# shellcheck shell=dash
# SPDX-License-Identifier: BSD-3-Clause
# Good and damaged info blocks: what the kernel does with each must be what
# `pmk memmap inspect` says of it.  NVDIMM 1 has 256 MiB at a multiple of 128
# MiB, NVDIMM 2 has 32 MiB, so that the 256 MiB of NVDIMM 3 begin inside a section.
# shellcheck disable=SC1091
. /lib.sh

drivers=/sys/bus/nd/drivers/nd_pmem
case $(uname -r) in
6.1.*) profile=6.1.192 ;;
*) profile=6.12.117 ;;
esac

# raw: the namespace $ns as it is, without what an info block makes of it
raw() {
	ndctl disable-namespace "$ns" >/dev/null 2>&1
	echo 1 >"/sys/bus/nd/devices/$ns/force_raw"
	echo "$ns" >$drivers/bind || die "$ns: no raw device"
}

# let_kernel_look: what bind says is in the log
let_kernel_look() {
	sync
	echo "$ns" >$drivers/unbind
	echo 0 >"/sys/bus/nd/devices/$ns/force_raw"
	dmesg -c >/dev/null
	echo "$ns" >$drivers/bind 2>/dev/null
	# the device of an info block comes later
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		[ -z "$(made)" ] || break
		dmesg | grep -q 'failed with error' && break
		sleep 0.1
	done
}

# made: "raw", or the bytes of the device that the kernel made; nothing if there
# is none
made() {
	local region=${ns#namespace}
	if [ -e "/sys/bus/nd/devices/$ns/block/$blockdev" ]; then
		echo raw
	elif [ -e "/sys/block/$blockdev/size" ]; then
		echo $(($(cat "/sys/block/$blockdev/size") * 512))
	else
		cat "/sys/bus/nd/devices/region${region%.*}"/dax*/dax[0-9]*/size 2>/dev/null
	fi
}

# put OFFSET BYTES VALUE: a field of /tmp/block, little endian
put() {
	awk -v n="$2" -v v="$3" 'BEGIN {
		for (i = 0; i < n; i++) {
			printf "\\0%03o", v % 256
			v = int(v / 256)
		}
	}' >/tmp/bytes
	# shellcheck disable=SC2059 # escapes
	printf '%b' "$(cat /tmp/bytes)" |
		dd of=/tmp/block bs=1 seek=$(($1)) conv=notrunc 2>/dev/null
}

# seal: word i of 1024 counts 1024 - i times in the upper half of the checksum
seal() {
	head -c 4088 /tmp/block | od -An -v -tu4 | awk '
		{
			for (f = 1; f <= NF; f++) {
				lo += $f
				hi += (1024 - n++) * $f
			}
		}
		END {
			print lo % 4294967296
			print hi % 4294967296
		}' >/tmp/sums
	put 0xff8 4 "$(head -n 1 /tmp/sums)"
	put 0xffc 4 "$(tail -n 1 /tmp/sums)"
}

# start OPTION...: a block as `pmk memmap inspect --write` makes it
start() {
	rm -f /tmp/image
	must ./pmk memmap inspect /tmp/image --write --size 256M --start 4G "$@"
	must dd if=/tmp/image of=/tmp/block bs=4096 skip=1 count=1
}

# inspect_raw: what pmk says of the raw device
inspect_raw() {
	./pmk memmap inspect "/dev/$blockdev" --kernel $profile --json "$@" \
		>/tmp/document 2>/tmp/stderr
}

field() {
	fields "$@" </tmp/document
}

# vector NAME WANT: the block, what pmk says of it and what the kernel does; WANT
# is "loads" or "ERRNO check", so that both cannot be wrong in the same way
vector() {
	local loads errno check usable says
	raw
	must dd if=/tmp/block of="/dev/$blockdev" bs=4096 seek=1 conv=notrunc
	inspect_raw
	# shellcheck disable=SC2046 # words
	set -- "$1" "$2" $(field loads errno check usable_bytes)
	loads=$3 errno=$4 check=$5 usable=$6
	says=$(field kernel_says)
	let_kernel_look
	if [ "$loads" = true ]; then
		check "$1: pmk" "$2" loads
		check "$1: bytes of the device" "$usable" "$(made)"
		return
	fi
	check "$1: pmk" "$2" "$errno $check"
	case $errno in
	ENODEV | ENXIO)
		check "$1: it comes up raw" raw "$(made)"
		check "$1: nothing is said" "" "$(dmesg)"
		return
		;;
	EOPNOTSUPP) number=-95 ;;
	EINVAL) number=-22 ;;
	ENOMEM) number=-12 ;;
	*) number=none ;;
	esac
	check "$1: no device" "" "$(made)"
	check_match "$1: the kernel's error" "*error $number" \
		"$(dmesg | grep 'failed with error')"
	case $says in
	null | "a warning"*) ;;
	*) check_match "$1: its words" "*$says*" "$(dmesg | grep "$says")" ;;
	esac
}

ns=namespace$(region 1).0
blockdev=$(ls "/sys/bus/nd/devices/$ns/block")

start --map mem
vector "mem" loads
start --map mem --align 4K
vector "mem, 4K" loads
start
vector "dev" loads
start --struct-page 128
vector "128 bytes for each struct page" loads
start --mode devdax
vector "devdax" loads
start --mode devdax --map mem --align 4K
vector "devdax, mem, 4K" loads

start
put 0x200 1 1
vector "checksum" "ENODEV checksum"
start
put 0 1 110
seal
vector "signature" "ENODEV signature"
start
put 0x20 1 1
seal
vector "the UUID of another namespace" "ENODEV parent_uuid"
start
put 0x48 4 0
seal
vector "mode 0" "ENXIO mode"
start
put 0x58 4 65536
seal
vector "pages of 64 KiB" "EOPNOTSUPP page_size"
start
put 0x5c 2 63
seal
vector "struct pages of 63 bytes" "EOPNOTSUPP page_struct_size"
start --mode devdax
put 0x54 4 4194304
put 0x38 8 8388608
seal
vector "devdax, 4 MiB" "EOPNOTSUPP align"
start --map mem
put 0x54 4 4194304
put 0x38 8 4194304
seal
vector "fsdax, 4 MiB" loads
start
put 0x54 4 536870912
seal
vector "align 512 MiB" "EOPNOTSUPP align_fits"
start --mode devdax --map mem
put 0x54 4 1073741824
seal
vector "devdax, align 1 GiB" "EOPNOTSUPP align_fits"
start --map mem
put 0x54 4 268435456
put 0x38 8 268435456
seal
vector "align and dataoff 256 MiB" "EOPNOTSUPP dataoff_fits"
start --map mem
put 0x4c 4 2097152
put 0x54 4 4194304
seal
vector "start_pad 2 MiB, align 4 MiB" loads
start
put 0x38 8 268435456
seal
vector "dataoff 256 MiB" "EOPNOTSUPP dataoff_fits"
start --map mem
put 0x38 8 2101248
seal
vector "data at 2 MiB + 4 KiB" "EOPNOTSUPP offset"
start --map mem
put 0x4c 4 4096
put 0x38 8 2093056
put 0x54 4 4096
seal
vector "start_pad 4 KiB" "EOPNOTSUPP start"
start --map mem
put 0x50 4 4096
seal
vector "end_trunc 4 KiB" "EOPNOTSUPP end"
start --map mem
put 0x50 4 1073741824
seal
vector "end_trunc 1 GiB" "EINVAL pads"
start --map mem
put 0x38 8 4096
put 0x54 4 4096
seal
vector "data in the info block" "EINVAL reserve"
start --map mem
put 0x4c 4 2097152
put 0x50 4 2097152
seal
vector "start_pad and end_trunc 2 MiB" loads
start --map mem
put 0x54 4 0
seal
vector "no align" loads
start
put 0x36 2 0
put 0x38 8 8388608
put 0x4c 4 4096
seal
vector "version 1.0, data at 8 MiB" loads
start
put 0x36 2 1
seal
vector "version 1.1, data at 6 MiB" "EOPNOTSUPP offset"
start
put 0x36 2 3
put 0x58 6 0
seal
vector "version 1.3" loads
start
put 0x34 2 9
seal
vector "version 9.4" loads
start
put 0x40 8 1099511627776
seal
vector "npfns 2^40" loads
check_match "the kernel counts them anew" "*truncated*" "$(dmesg)"

if [ $profile = 6.12.117 ]; then
	start --map mem
	put 0x38 8 266338304
	put 0x50 4 2097152
	seal
	vector "no room" "EOPNOTSUPP room"
fi

# Where struct pages are.  The word at 8 is the pgmap in those of data; in those
# of the pages that hold struct pages it is a list of itself.
word() {
	dd if="/dev/$blockdev" bs=8 skip=$(($1 / 8 + 1)) count=1 2>/dev/null | od -An -tx8
}

# struct_pages NAME OFFSET: of the first page that has one in the namespace and is
# initialised as data
struct_pages() {
	local page
	raw
	inspect_raw --translate "$2"
	page=$(sed -n 's/.*"struct_page_device_bytes": \([0-9]*\).*/\1/p' /tmp/document)
	check_match "$1: there is a struct page" "[1-9]*" "$page"
	check "$1: the next one has the same pgmap" \
		"$(word "$page")" "$(word $((page + 64)))"
	if [ "$(word "$page")" != "$(word $((page - 64)))" ]; then
		ok "$1: the one before has not"
	else
		not_ok "$1: the one before has it, too: $(word "$page")"
	fi
}

start
vector "dev, for its struct pages" loads
struct_pages "the first page of data" data:0
must ndctl disable-namespace "$ns"
first=$ns

# labels VERSION: NVDIMM 2 anew, with labels, and without a namespace
labels() {
	local dimm
	dimm=$(cut -d , -f 1 "/sys/bus/nd/devices/region$labelled/mapping0")
	must ndctl disable-region "region$labelled"
	must ndctl init-labels -f -V "$1" "$dimm"
	must ndctl enable-region "region$labelled"
}

# create_labelled OPTION...: a namespace with a label; $ns is it
create_labelled() {
	local dir
	must ndctl create-namespace -r "region$labelled" "$@"
	for dir in /sys/bus/nd/devices/namespace"$labelled".*; do
		[ "$(cat "$dir/size")" = 0 ] || ns=${dir##*/}
	done
}

# inspect_labelled: $ns in raw mode
inspect_labelled() {
	raw
	blockdev=$(ls "/sys/bus/nd/devices/$ns/block")
	inspect_raw
}

# A label: its UUID is in sysfs and in the block.
labelled=$(region 2)
labels 1.1
create_labelled -m fsdax -M mem
inspect_labelled
check "label: pmk" "true $(cat "/sys/bus/nd/devices/$ns/uuid")" "$(field loads namespace_uuid)"
check "label: the block has the same" "$(field namespace_uuid)" "$(field parent_uuid)"
inspect_raw --parent-uuid 0
check "another label: pmk" "ENODEV parent_uuid" "$(field errno check)"

# What is not raw.
must ndctl disable-namespace "$ns"
echo 0 >"/sys/bus/nd/devices/$ns/force_raw"
must ndctl enable-namespace "$ns"
set -- /sys/bus/nd/devices/pfn"$labelled".*/block/pmem*
check_run "the device of an info block has none" 3 ./pmk memmap inspect "/dev/${1##*/}"
check_match "and it is said where it is" "*device that comes of pfn*" \
	"$(grep remedy /tmp/stdout)"

# A BTT, behind the first page, and with newer labels in it.
must ndctl destroy-namespace -f "$ns"
for version in 1.1 1.2; do
	labels $version
	create_labelled -m sector
	inspect_labelled
	check "a BTT, labels $version" "true sector BTT_ARENA_INFO true" \
		"$(field loads type signature checksum_ok)"
	check_match "its version" "${version#1.}.*" "$(field version)"
	must ndctl destroy-namespace -f "$ns"
done

ns=namespace$(region 3).0
blockdev=$(ls "/sys/bus/nd/devices/$ns/block")
start
vector "begins inside a section" loads
# it begins at 4 GiB + 288 MiB, the next section at 4 GiB + 384 MiB
struct_pages "the first page of a whole section" namespace:96M
inspect_raw --translate namespace:98303K
check "before that, struct pages are in ordinary memory" null "$(sed -n \
	's/.*"struct_page_device_bytes": \([a-z0-9]*\).*/\1/p' /tmp/document)"
must ndctl disable-namespace "$ns"

# What is left of these makes later attempts fail.
ns=$first
blockdev=$(raw && ls "/sys/bus/nd/devices/$ns/block")
start --align 4K
put 0x38 8 4096
seal
vector "altmap in the info block" "EINVAL altmap"
start --align 4K
put 0x38 8 6287360
seal
vector "a page too little for struct pages" "ENOMEM memmap"
finish
