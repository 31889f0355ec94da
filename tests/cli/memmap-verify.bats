#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# pmk memmap verify: struct pages that a kernel wrote, and those of the engines.

load common

golden=$BATS_TEST_DIRNAME/../golden/memmap

# kernel_wrote devdax|fsdax: its struct pages in ./dump
kernel_wrote() {
	xz -dc "$golden"/memmap-6.1-"$1"*.bin.xz >dump
	verify=(pmk memmap verify dump --size 1G --mode "$1" --kernel 6.1)
	[ "$1" = devdax ] || verify+=(--start 5G)
}

@test "what a kernel wrote is good, with the pgmap that is in it" {
	kernel_wrote devdax
	works "${verify[@]}" --json
	is "dump true 6.1 262144 2 0 0 18446612683143180672" \
		"$(json '"\(.path) \(.good) \(.kernel) \(.struct_pages) \(.unchecked_struct_pages) \(.faults) \(.first_faults | length) "')$(pgmap)"
	kernel_wrote fsdax
	works "${verify[@]}" --untouched 0 --json
	is "true 0 18446612682142615216" \
		"$(json '"\(.good) \(.unchecked_struct_pages) "')$(pgmap)"
	works "${verify[@]}" --pgmap 0xffff8880045386b0
	[[ ${lines[0]} =~ ^verdict\ +good$ ]]
	grep -Eq '^pgmap +0xffff8880045386b0$' <<<"$output"
	grep -Eq '^faults +0$' <<<"$output"
}

# jq 1.6 would make a double of it
pgmap() {
	grep -o '"pgmap": *[0-9]*' <<<"$output" | grep -o '[0-9]*$'
}

@test "one wrong byte is one fault, named" {
	kernel_wrote fsdax
	# the reference count of frame 5000
	flip dump $((5000 * 64 + 52))
	run -3 --separate-stderr "${limit[@]}" "${verify[@]}" --json
	is "false 1 5000 1315720 refcount 1 254" \
		"$(json '"\(.good) \(.faults) \(.first_faults[0] | "\(.frame) \(.pfn) \(.field) \(.expected) \(.found)")"')"
	run -3 --separate-stderr "${limit[@]}" "${verify[@]}"
	[[ ${lines[0]} =~ ^verdict\ +wrong$ ]]
	grep -Eq '^5000 +0x141388 +refcount +0x1 +0xfe$' <<<"$output"
}

@test "a wrong pgmap is a fault, also in the page that tells it" {
	kernel_wrote fsdax
	flip dump $((4608 * 64 + 9))
	run -3 --separate-stderr "${limit[@]}" "${verify[@]}" --json
	is "1 4608 pgmap" "$(json '"\(.faults) \(.first_faults[0].frame) \(.first_faults[0].field)"')"
}

@test "twenty faults are shown, and all are counted" {
	kernel_wrote fsdax
	run -3 --separate-stderr "${limit[@]}" "${verify[@]}" --nid 1
	# two frames of 262144 are not checked
	is 20 "$(grep -c ' node ' <<<"$output")"
	is "and 262122 more" "${lines[-1]}"
	run -3 --separate-stderr "${limit[@]}" "${verify[@]}" --nid 1 --json
	is "262142 20" "$(json '"\(.faults) \(.first_faults | length)"')"
}

@test "untouched struct pages are checked if asked for" {
	kernel_wrote fsdax
	flip dump 0
	works "${verify[@]}"
	run -3 --separate-stderr "${limit[@]}" "${verify[@]}" --untouched 0 --json
	is "1 0 untouched 255" \
		"$(json '"\(.faults) \(.first_faults[0] | "\(.frame) \(.field) \(.found)")"')"
}

# engines ARGUMENT...: all are good; prints how many struct pages each wrote
engines() {
	works pmk memmap verify --json "$@"
	is "true slow,template,call,inline,stream true" \
		"$(json '"\(.good) \([.engines[].engine] | join(",")) \(all(.engines[]; .good and .faults == 0))"')"
	written=$(json '[.engines[].struct_pages_written] | unique | join(",")')
}

@test "every engine builds what the kernel does" {
	engines --size 1G --kernel 6.1
	is 257536 "$written"
	engines --size 1G --mode devdax --kernel 6.12 --nid 1 --untouched 0xff
	is 257536 "$written"
	engines --size 1G --mode devdax --map mem
	is 65536 "$written"
	engines --size 1G --mode devdax --map mem --align 4K --struct-page 96
	is 262144 "$written"
	engines --size 4G --mode devdax --map mem --align 1G --kernel 6.15
	is 512 "$written"
	engines --size 1G --mode devdax --struct-page 80 --section-in-flags \
		--kernel 7.1 --zone 3
	is 256512 "$written"
}

@test "the table has a row for each engine" {
	works pmk memmap verify --size 128M
	is 6 "${#lines[@]}"
	[[ ${lines[0]} =~ ^ENGINE\ +VERDICT\ +FRAMES\ +WRITTEN\ +FAULTS$ ]]
	[[ ${lines[5]} =~ ^stream\ +good\ +32768\ +31744\ +0$ ]]
}

@test "a file of another size is refused" {
	truncate -s 16777215 short
	fails 1 'short: 16777215 bytes; the 262144 struct pages.* are 16777216$' \
		pmk memmap verify short --size 1G
	truncate -s 16777217 long
	fails 1 'long: 16777217 bytes' pmk memmap verify long --size 1G
	fails 1 'none: No such file' pmk memmap verify none --size 1G
	fails 1 'not a regular file' pmk memmap verify /dev/null --size 1G
	mkfifo fifo
	fails 1 'fifo: not a regular file' pmk memmap verify fifo --size 1G
}

@test "namespaces that cannot be are refused" {
	fails 1 'unable to satisfy requested alignment' \
		pmk memmap verify --size 1G --align 1G
	fails 1 'start misaligned' pmk memmap verify --size 1G --start 4097
	fails 1 'ends behind' pmk memmap verify --size 0x8000000000000000
}

@test "usage errors" {
	local args
	for args in '' '--size 0' '--size 1G --struct-page 128' \
		'--size 1G --untouched 256' '--size 1G --untouched x' \
		'--size 1G --zone 8' '--size 1G --nid 1024' \
		'--size 1G --kernel 5.4' '--size 1G --pgmap here' \
		'--size 1G a b'; do
		# shellcheck disable=SC2086 # words
		run -2 --separate-stderr pmk memmap verify $args
		[ -z "$output" ]
		[[ ${stderr_lines[0]} == 'pmk memmap verify: '* ]]
	done
}
