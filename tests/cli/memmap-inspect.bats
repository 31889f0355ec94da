#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# pmk memmap inspect: info blocks of ndctl's and of its own, damage, refusals.

load common

u=00010203-0405-0607-0809-0a0b0c0d0e0f
p=a0b1c2d3-e4f5-4607-8819-2a3b4c5d6e7f

setup() {
	own_directory
	command -v ndctl >/dev/null || skip "no ndctl here"
}

# block FILE: its info block as hexadecimal text
block() {
	od -An -v -tx1 -j 4096 -N 4096 "$1"
}

# write-infoblock prints "wrote 1 infoblock" on stderr
ndctl_write() {
	ndctl write-infoblock -o "$@" 2>/dev/null
}

# put FILE OFFSET HEX: bytes of the block, and its checksum made right: word i
# of 1024 counts 1024 - i times in the upper half
put() {
	printf '%b' "$(fold -w 2 <<<"$3" | sed 's/^/\\x/' | tr -d '\n')" |
		dd of="$1" bs=1 seek=$((4096 + $2)) conv=notrunc status=none
	od -An -v -tu4 -w4 -j 4096 -N 4088 "$1" | awk '
		{ lo += $1; hi += (1025 - NR) * $1 }
		function bytes(v,    i) {
			v %= 4294967296
			for (i = 0; i < 4; i++) {
				printf "\\%03o", v % 256
				v = int(v / 256)
			}
		}
		END { bytes(lo); bytes(hi) }' >sum
	printf '%b' "$(sed 's/\\/\\0/g' sum)" |
		dd of="$1" bs=1 seek=8184 conv=notrunc status=none
}

# verdict STATUS FILTER WANT ARGUMENT...
verdict() {
	local status_wanted=$1 filter=$2 want=$3
	shift 3
	run -"$status_wanted" --separate-stderr "${limit[@]}" pmk memmap inspect --json "$@"
	is "" "$stderr"
	is "$want" "$(json "$filter")"
}

@test "a block of ndctl's is read as ndctl reads it" {
	local mode map align
	for mode in fsdax devdax; do
		for map in mem dev; do
			for align in 4K 2M 1G; do
				rm -f n
				ndctl_write n -s 16G -m $mode -M $map -a $align -u $u -p $p
				works pmk memmap inspect n --size 16G --start 4G --json
				is "$(ndctl read-infoblock -j -i n 2>/dev/null | jq -c '.[0] | del(.file)')" \
					"$(json '{signature, uuid, parent_uuid, flags, version,
						dataoff: .dataoff_bytes, npfns, mode,
						start_pad: .start_pad_bytes, end_trunc: .end_trunc_bytes,
						align: .align_bytes, page_size: .page_size_bytes,
						page_struct_size: .page_struct_size_bytes}' | jq -c .)"
				is "true $mode $map true" \
					"$(json '"\(.loads) \(.type) \(.map) \(.checksum_ok)"')"
			done
		done
	done
}

@test "--write makes the block that ndctl makes, byte by byte" {
	local size mode map align n=0
	for size in 1G 1026M 16G 100G 1T; do
		for mode in fsdax devdax; do
			for map in mem dev; do
				for align in 4K 2M 1G; do
					[ "$align$size" != 1G1G ] || continue
					[ "$align$size" != 1G1026M ] || continue
					rm -f n m
					ndctl_write n -s $size -m $mode -M $map -a $align -u $u -p $p -O 4G
					works pmk memmap inspect m --write --size $size --mode $mode \
						--map $map --align $align --uuid $u --parent-uuid $p
					is "" "$output"
					is "$(block n)" "$(block m)"
					n=$((n + 1))
				done
			done
		done
	done
	is 52 $n
}

@test "ndctl reads and verifies what --write made" {
	works pmk memmap inspect m --write --size 2G --mode devdax --map mem --uuid $u
	ndctl read-infoblock -V -j -i m 2>/dev/null >out
	is "NVDIMM_DAX_INFO $u 1 2097152" \
		"$(jq -r '.[0] | "\(.signature) \(.uuid) \(.mode) \(.dataoff)"' out)"
}

@test "--write makes an image of the whole namespace, and a UUID of its own" {
	works pmk memmap inspect a --write --size 16M
	works pmk memmap inspect b --write --size 16M --offset 1M
	is "16777216 600" "$(stat -c '%s %a' a)"
	is 17825792 "$(stat -c %s b)"
	is 0 "$(head -c 4096 a | tr -d '\0' | wc -c)"
	works pmk memmap inspect b --offset 1M --start 4G --json
	[[ $(json .uuid) =~ ^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$ ]]
	is 16777216 "$(json .namespace_size_bytes)"
	[ "$(block a)" != "$(block b | tail -n +1)" ]
	works pmk memmap inspect c --write --size 16M --json
	is "true 14680064" "$(json '"\(.loads) \(.usable_bytes)"')"
}

@test "--write into a file that is there: only where there is room and no data" {
	truncate -s 64M f
	printf x | dd of=f bs=1 seek=0 conv=notrunc status=none
	works pmk memmap inspect f --write --uuid $u
	is "x" "$(head -c 1 f)"
	is 67108864 "$(stat -c %s f)"
	cp f before
	fails 1 'there is data already at byte 4096; --force overwrites it$' \
		pmk memmap inspect f --write --size 32M
	cmp f before
	works pmk memmap inspect f --write --size 32M --force --json
	is 33554432 "$(json .namespace_size_bytes)"
	fails 1 'too short for a namespace' pmk memmap inspect f --write --size 65M --force
	fails 1 'too short for a namespace' \
		pmk memmap inspect f --write --size 32M --offset 33M --force
}

@test "--write that fails leaves nothing" {
	fails 1 'unable to satisfy' pmk memmap inspect f --write --size 1G --align 1G
	no_file f
	fails 1 'start misaligned' pmk memmap inspect f --write --size 1G --start 4097M
	no_file f
	fails 1 '--size SIZE makes a new file' pmk memmap inspect f --write
	no_file f
	fails 1 'EFBIG|[Tt]oo large' pmk memmap inspect f --write --size 7168P
	no_file f
	fails 1 'No such file' pmk memmap inspect no/f --write --size 1G
	mkdir d
	fails 1 'not a regular file' pmk memmap inspect d --write --size 1G
	mkfifo p
	fails 1 'not a regular file' pmk memmap inspect p --write --size 1G
	fails 1 'not a regular file' pmk memmap inspect /dev/null --write --size 1G
}

@test "no room on the device: nothing is left behind" {
	in_tmpfs 16k sh -c 'dd if=/dev/zero of=mnt/fill bs=4k count=8 2>/dev/null
		pmk memmap inspect mnt/f --write --size 1G; echo "$?"; ls mnt'
	is "$(printf '1\nfill')" "$output"
	[[ $stderr == *"mnt/f: "*"pace"* ]]
}

@test "damage that ndctl is silent about: the checksum" {
	ndctl_write n -s 1G -u $u
	verdict 0 .checksum_ok true n --size 1G
	flip n 4200
	is "[]" "$(ndctl read-infoblock -V -j -i n 2>/dev/null | jq -c . || :)"
	verdict 3 '"\(.loads) \(.errno) \(.check) \(.checksum_ok)"' \
		"false ENODEV checksum false" n
	[ "$(json .checksum)" != "$(json .checksum_computed)" ]
	[[ $(json .remedy) == *"writes a new one over it"* ]]
	run -3 pmk memmap inspect n
	[[ $output == *"(wrong: 0x"* ]]
	# each byte counts
	for off in 4096 4112 8183 8184 8191; do
		cp n m
		flip m 4200
		verdict 0 .checksum_ok true m --size 1G
		flip m $off
		verdict 3 .loads false m
	done
}

@test "damage that ndctl is silent about: another label, larger struct pages" {
	ndctl_write n -s 1G -u $u -p $p
	verdict 0 .loads true n --size 1G --parent-uuid $p
	verdict 3 '"\(.errno) \(.check)"' "ENODEV parent_uuid" n --size 1G --parent-uuid $u
	verdict 3 '"\(.errno) \(.check)"' "ENODEV parent_uuid" n --size 1G --parent-uuid 0
	verdict 0 .loads true n --size 1G --uuid $u
	verdict 3 '"\(.errno) \(.check)"' "ENODEV uuid" n --size 1G --uuid $p
	for m in 80 96; do
		verdict 3 '"\(.errno) \(.check) \(.kernel_says)"' \
			"EOPNOTSUPP page_struct_size init failed, struct page size mismatch" \
			n --size 1G --struct-page $m
		rm -f m
		works pmk memmap inspect m --write --size 1G --struct-page $m
		verdict 0 .loads true m --struct-page $m
	done
	ndctl_write k -s 1G -M mem
	verdict 0 .loads true k --size 1G --struct-page 96
}

@test "fields that a kernel refuses" {
	ndctl_write n -s 1G -u $u
	local off hex want
	while read -r off hex want; do
		cp n m
		put m "$off" "$hex"
		verdict 3 '"\(.errno) \(.check)"' "$want" m --size 1G --start 4G --parent-uuid 0
	done <<-'END'
		0x00 58 ENODEV signature
		0x20 01 ENODEV parent_uuid
		0x48 00000000 ENXIO mode
		0x58 00000100 EOPNOTSUPP page_size
		0x5c 3f00 EOPNOTSUPP page_struct_size
		0x54 00000080 EOPNOTSUPP align_fits
		0x38 0000004000000000 EOPNOTSUPP dataoff_fits
		0x38 0010200100000000 EOPNOTSUPP offset
		0x50 00100000 EOPNOTSUPP end
		0x50 00000040 EOPNOTSUPP room
		0x38 0000200000000000 ENOMEM memmap
	END
	cp n m
	put m 0x50 00000040
	verdict 3 '"\(.errno) \(.check)"' "EINVAL pads" m --size 1G --start 4G --kernel 6.1
	cp n m
	put m 0x54 00100000
	verdict 3 '"\(.errno) \(.check)"' "EOPNOTSUPP start" m --size 1G --start 4097M
}

@test "old versions are taken as a kernel takes them" {
	ndctl_write n -s 1G -u $u
	put n 0x36 0000
	# 18 MiB: the highest power of two is 16 MiB, which does not fit
	verdict 3 '"\(.check) \(.align_bytes) \(.effective.align_bytes)"' \
		"offset 2097152 16777216" n --size 1G --start 4G
	[[ $(json '.notes | join(" ")') == *"old version"*"no align"* ]]
	put n 0x36 0400
	put n 0x34 0900
	verdict 0 '.notes[0][:23]' "the major version is no" n --size 1G --start 4G
}

@test "the underflow of ndctl is seen" {
	ndctl_write n -O 4098M -s 1G -a 1G -u $u
	run --separate-stderr pmk memmap inspect n --start 4098M --size 1G --json
	is 3 "$status"
	is false "$(json .loads)"
}

@test "a kernel that does not look at the room" {
	works pmk memmap inspect m --write --size 16M --json
	works pmk memmap inspect m --kernel 6.1 --start 4G --json
	is not_applicable "$(json '.checks[] | select(.name == "room").result')"
	works pmk memmap inspect m --kernel 6.12 --start 4G --json
	is passed "$(json '.checks[] | select(.name == "room").result')"
}

@test "what is not known is not checked, and is said" {
	works pmk memmap inspect m --write --size 16M
	works pmk memmap inspect m --json
	is "null 16777216 null" \
		"$(json '"\(.namespace_start) \(.namespace_size_bytes) \(.namespace_uuid)"')"
	is "parent_uuid uuid settings offset start end" \
		"$(json '[.checks[] | select(.result == "skipped").name] | join(" ") | sub(" memmap"; "")')"
	works pmk memmap inspect m
	[[ $output == *"if what is not known here is right"* ]]
	# only the block: its size says nothing of the namespace
	head -c 8192 m >block
	works pmk memmap inspect block --json
	is null "$(json .namespace_size_bytes)"
}

@test "--mode is the driver that looks" {
	works pmk memmap inspect m --write --size 16M --mode devdax
	verdict 0 .type devdax m
	verdict 0 .loads true m --mode devdax
	verdict 3 '"\(.errno) \(.check)"' "ENODEV signature" m --mode fsdax
}

@test "a BTT is known by its signature, at both places" {
	truncate -s 16M b
	printf BTT_ARENA_INFO | dd of=b bs=1 seek=4096 conv=notrunc status=none
	put b 0x34 0100
	verdict 0 '"\(.type) \(.loads) \(.dataoff_bytes)"' "sector true null" b
	flip b 6000
	verdict 3 '"\(.type) \(.check)"' "sector checksum" b
	flip b 6000
	dd if=b of=c bs=4096 skip=1 count=1 status=none
	truncate -s 16M c
	verdict 0 .type sector c
}

@test "no info block: zeros, text, random bytes" {
	truncate -s 16M z
	verdict 3 '"\(.loads) \(.errno) \(.check) \(.signature) \(.uuid)"' \
		"false ENODEV signature null null" z
	yes | head -c 9000 >t
	verdict 3 .signature null t
	head -c 100000 /dev/urandom >r
	verdict 3 .check signature r
	run -3 pmk memmap inspect r
	[[ ${lines[0]} == *"no info block: ENODEV (signature)" ]]
}

@test "--translate: an offset, seen from everywhere" {
	works pmk memmap inspect m --write --size 1G --offset 1M
	local rows='"\(.area) \(.device_bytes) \(.namespace_bytes) \(.data_bytes) \(.physical_address) \(.struct_page_device_bytes)"'
	local want="data 19922944 18874368 0 4313841664 3440640"
	for t in data:0 dax:0 namespace:18M device:19M physical:4313841664; do
		verdict 0 ".translate | $rows" "$want" m --offset 1M --start 4G --translate $t
	done
	verdict 0 ".translate | $rows" "header 1048576 0 null null null" m --offset 1M --translate device:1M
	verdict 0 .translate.area memmap m --offset 1M --translate namespace:8192
	verdict 0 .translate.data_bytes 1054867455 m --offset 1M --translate namespace:1073741823
	verdict 0 .translate null m --offset 1M
	fails 1 'outside the namespace' pmk memmap inspect m --offset 1M --translate device:0
	fails 1 'behind the end' pmk memmap inspect m --offset 1M --translate namespace:1G
	fails 1 'range is not inside|behind the end' pmk memmap inspect m --offset 1M --translate data:1054867456
	fails 1 'range is not inside|outside' pmk memmap inspect m --offset 1M --translate data:16383P
	fails 1 'start of the namespace is not known' \
		pmk memmap inspect m --offset 1M --translate physical:4G
	fails 1 'outside the namespace' \
		pmk memmap inspect m --offset 1M --start 4G --translate physical:0
	head -c 8192 <(tail -c +1048577 m) >b
	fails 1 'size of the namespace is not known' pmk memmap inspect b --translate data:0
	truncate -s 1M z
	fails 1 'nothing can be translated' pmk memmap inspect z --translate data:0
	works pmk memmap inspect m --offset 1M --start 4G --translate data:0
	[[ $output == *"physical address"*0x101200000* ]]
}

@test "a block that would not be loaded is still translated, with exit 3" {
	works pmk memmap inspect m --write --size 1G
	flip m 4200
	verdict 3 .translate.namespace_bytes 18874368 m --translate data:0
}

@test "what cannot be read: exit 1, one line" {
	fails 1 'No such file' pmk memmap inspect nothing
	mkdir d
	fails 1 'directory' pmk memmap inspect d
	mkfifo p
	fails 1 'neither a regular file nor a block device' pmk memmap inspect p
	fails 1 'neither a regular file nor a block device' pmk memmap inspect /dev/null
	fails 1 "''" pmk memmap inspect ""
	: >empty
	fails 1 'too short' pmk memmap inspect empty
	head -c 8191 /dev/zero >short
	fails 1 'too short' pmk memmap inspect short
	truncate -s 1M f
	fails 1 'too short' pmk memmap inspect f --offset 1M
	fails 1 'too short' pmk memmap inspect f --offset 16383P
	truncate -s 8192 edge
	run -3 pmk memmap inspect edge
}

@test "it is read-only" {
	works pmk memmap inspect m --write --size 16M
	cp -p m before
	chmod 400 m
	works pmk memmap inspect m
	cmp m before
}

@test "a command line that is wrong: exit 2" {
	local -a bad
	works pmk memmap inspect m --write --size 16M
	while read -ra bad; do
		run -2 --separate-stderr "${limit[@]}" pmk memmap inspect "${bad[@]}"
		[[ ${stderr_lines[0]} == "pmk memmap inspect: "* ]]
	done <<-'END'
		--json
		m m
		m --uuid x
		m --uuid 00010203-0405-0607-0809-0a0b0c0d0e0
		m --parent-uuid 00010203040506070809-0a0b0c0d0e0f
		m --offset -1
		m --size 0
		m --kernel 5
		m --struct-page 65
		m --mode raw
		m --map dev
		m --align 2M
		m --force
		m --translate 5
		m --translate data:
		m --translate nothing:5
		m --translate data:x
		m --write --translate data:0
		n --write --size 0
		n --write --size 2M
		n --write --size 4097K
		n --write --size 16M --align 3M
		n --write --size 16M --map no
		n --write --size 99999999999999999999
	END
	no_file n
}
