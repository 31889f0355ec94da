#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# pmk memmap predict, against ndctl write-infoblock, and figures of kernels.

load common

# predict FILTER OPTION...: a value of its document
predict() {
	local filter=$1
	shift
	works pmk memmap predict --json "$@"
	json "$filter"
}

@test "100 GiB, as kernels print and ndctl lists it" {
	is "1679818752 25804288 105694363648 25804288 1677721600 pmem" \
		"$(predict '"\(.dataoff_bytes) \(.npfns) \(.usable_bytes) \(.pr_debug_pages) \(.memmap_bytes) \(.memmap_in)"' --size 100G)"
	is "2097152 26213888 107372085248 26214400 6553600 419430400 dram" \
		"$(predict '"\(.dataoff_bytes) \(.npfns) \(.usable_bytes) \(.pr_debug_pages) \(.struct_pages_written) \(.memmap_bytes) \(.memmap_in)"' \
			--size 100G --mode devdax --map mem)"
	is "both" "$(predict .memmap_in --size 100G --start 0x104000000)"
	is "fsdax dev 2097152 4294967296 107374182400 64 1" \
		"$(predict '"\(.mode) \(.map) \(.align_bytes) \(.start_bytes) \(.size_bytes) \(.struct_page_bytes) \(.ways)"' --size 100G)"
	is "null null null null null" \
		"$(predict '"\(.errno) \(.reason) \(.warning) \(.ndctl_refuses) \(.shared_sections)"' --size 100G)"
}

@test "every key is there, with what the table says" {
	local keys='align_bytes altmap_free_pages altmap_reserve_pages altmap_used_pages
		dataoff_bytes end_trunc_bytes errno kernel map memmap_bytes
		memmap_dram_bytes memmap_in memmap_pmem_bytes mode ndctl_refuses
		ndctl_size_bytes npfns pr_debug_pages reason schema shared_sections
		size_bytes start_bytes struct_page_bytes struct_pages_written
		usable_bytes usable_wanted_bytes warning ways'
	# shellcheck disable=SC2086 # words
	is "$(printf '%s\n' $keys)" "$(predict 'keys[]' --size 16G)"
	works pmk memmap predict --size 16G
	grep -Eq '^usable +15\.7 GiB \(16909336576 B\)$' <<<"$output"
	grep -Eq '^data at offset +258 MiB \(270532608 B\)$' <<<"$output"
	grep -Eq '^altmap pages used +66046$' <<<"$output"
}

# What ndctl writes is read at the offsets of the format: dataoff 0x38, npfns
# 0x40, start_pad 0x4c, end_trunc 0x50, in the block at 0x1000.  A block of which
# nothing is left for data it writes as Linux 6.1 does, and else "-".
ndctl_says() {
	local w pad trunc
	read -r -a w < <(ndctl write-infoblock -c -m "$1" -M "$2" -a "$3" -s "$4" -O $(($5)) 2>/dev/null |
		od -An -v -tu8 -w32 -j $((0x1038)) -N 32 2>/dev/null)
	[ "${#w[@]}" -eq 4 ] || { echo -; return; }
	pad=$((w[2] >> 32))
	trunc=$((w[3] & 0xffffffff))
	# A start that is not aligned to 1 GiB: ndctl has start_pad, which the
	# kernel has not, and takes it off the pages twice, once with dataoff.
	echo "${w[0]} $(((w[1] + pad / 4096) % (1 << 52))) $trunc"
}

@test "288 namespaces are laid out as ndctl write-infoblock does" {
	local start size align map mode n=0
	local starts='0x100000000 0x100200000 0x108000000 0x1bf000000 0x10000000000 0x3fffe00000'
	command -v ndctl >/dev/null || skip "ndctl is not installed"
	for start in $starts; do
		for size in 16M 128M 1G 1040M 3G 16G 17000M 1512G; do
			for align in 4K 2M 1G; do
				for map in mem dev; do
					mode=fsdax
					[ $((n++ % 2)) -eq 0 ] || mode=devdax
					echo "$start $size $align $map $mode $(ndctl_says $mode $map $align $size "$start")"
					pmk memmap predict --json --kernel 6.1 --mode $mode --map $map \
						--align $align --size $size --start "$start" >>pmk.json || [ $? -eq 3 ]
				done
			done
		done
	done >ndctl
	is 288 "$(wc -l <ndctl)"
	cut -d ' ' -f 1-5 ndctl >asked
	jq -r 'if .errno then "-" else "\(.dataoff_bytes) \(.npfns) \(.end_trunc_bytes)" end' pmk.json >said
	paste -d ' ' asked said | diff ndctl -
	# it is not all refusals
	[ "$(grep -vc -- '-$' ndctl)" -ge 230 ]
}

@test "what the kernel refuses: exit 3, errno and reason" {
	run -3 --separate-stderr pmk memmap predict --size 1G --align 1G --json
	is "" "$stderr"
	is "ENXIO unable to satisfy requested alignment null null" \
		"$(json '"\(.errno) \(.reason) \(.usable_bytes) \(.memmap_in)"')"
	# the second begins where the first ends
	run -3 --separate-stderr pmk memmap predict --size 1025M,1G --json
	is "" "$stderr"
	is "null EINVAL start misaligned null" \
		"$(json '.namespaces | "\(.[0].errno) \(.[1].errno) \(.[1].reason) \(.[1].npfns)"')"
	# from 4.5 to 5.25 GiB: a device without a page before 6.12
	is "0 0 0" "$(predict '"\(.npfns) \(.usable_bytes) \(.pr_debug_pages)"' \
		--size 768M --start 0x120000000 --align 1G --mode devdax --map mem --kernel 6.1)"
	run -3 pmk memmap predict --size 768M --start 0x120000000 --align 1G --kernel 6.12
}

@test "a start that no namespace can have" {
	run -2 --separate-stderr pmk memmap predict --size 1G --start 0x100100000
	is "" "$output"
	is "pmk memmap predict: --start: 0x100100000 is not a multiple of 2M: the kernel says EINVAL (start misaligned)" "$stderr"
	run -2 pmk memmap predict --usable 1G --start 1M --json
}

@test "what ndctl refuses is said, and no failure" {
	works pmk memmap predict --size 1G --start 0x100200000
	grep -q '^refused by ndctl .*base' <<<"$output"
	is true "$(predict '.ndctl_refuses | test("16 MiB")' --size 20M)"
	is true "$(predict '.ndctl_refuses | test("ways")' --size 1G --ways 3)"
	is null "$(predict .ndctl_refuses --size 1056M --ways 3)"
	is null "$(predict .ndctl_refuses --size 16M)"
}

@test "--usable: the smallest size, and it gives that much" {
	# 16 MiB in front of the data are enough there, of 1 GiB it is 18
	is "1071644672 1054867456 1054867456 1073741824" \
		"$(predict '"\(.size_bytes) \(.usable_bytes) \(.usable_wanted_bytes) \(.ndctl_size_bytes)"' --usable 1054867456)"
	local size
	size=$(predict .size_bytes --usable 100G)
	[ "$(predict .usable_bytes --size "$size")" -ge 107374182400 ]
	[ "$(predict .usable_bytes --size $((size - 2097152)))" -lt 107374182400 ]
	size=$(predict .ndctl_size_bytes --usable 100G)
	[ "$(predict .usable_bytes --size "$size")" -ge 107374182400 ]
	[ "$(predict .usable_bytes --size $((size - 16777216)))" -lt 107374182400 ]
	is null "$(predict .ndctl_refuses --size "$size")"
	is 12884901888 "$(predict .size_bytes --usable 8G --align 1G --ways 6 --map mem)"
}

@test "a chain: each begins where the one before ended" {
	works pmk memmap predict --json --map mem --size 1G,2G:devdax:dev --size 16G:1G:devdax
	is "4294967296 1073741824 fsdax mem 2097152 1071644672
5368709120 2147483648 devdax dev 2097152 2111832064
7516192768 17179869184 devdax mem 1073741824 16106127360" \
		"$(json '.namespaces[] | "\(.start_bytes) \(.size_bytes) \(.mode) \(.map) \(.align_bytes) \(.usable_bytes)"')"
	works pmk memmap predict --size 1G,1G
	is 3 "${#lines[@]}"
	# one of them is refused, the others are not
	run -3 --separate-stderr pmk memmap predict --json --align 1G --size 1G,2G
	is "ENXIO null" "$(json '"\(.namespaces[0].errno) \(.namespaces[1].errno)"')"
}

@test "--iomem: sections shared with RAM" {
	cat >iomem <<-'END'
		00000000-00000fff : Reserved
		00001000-0009fbff : System RAM
		00100000-bfffffff : System RAM
		  01000000-022fffff : Kernel code
		fee00000-fee00fff : Local APIC
		100000000-103ffffff : System RAM
		104000000-143ffffff : Persistent Memory
		144000000-23fffffff : System RAM
		240000000-33fffffff : System RAM (kmem)
	END
	# 64 MiB at both ends: 32 compounds each with all 512, and 448 with 128
	is "2 90112 3670016" "$(predict '"\(.shared_sections) \(.struct_pages_written) \(.memmap_bytes)"' --iomem iomem \
		--start 0x104000000 --size 1G --mode devdax --map mem)"
	is "1" "$(predict .shared_sections --iomem iomem --start 0x104000000 --size 960M)"
	# memory that was added later is not in the way
	is "0" "$(predict .shared_sections --iomem iomem --start 0x240000000 --size 1G)"
	fails 2 '0x100000000 would overlap System RAM; --start' \
		pmk memmap predict --iomem iomem --size 1G
}

@test "--iomem: files that are none" {
	fails 1 'z: all addresses are 0.*root' sh -c '
		printf "00000000-00000000 : Reserved\n00000000-00000000 : System RAM\n" >z
		pmk memmap predict --size 1G --iomem z'
	fails 1 '^pmk memmap predict: none: No such file' pmk memmap predict --size 1G --iomem none
	fails 1 '^pmk memmap predict: \.: Is a directory' pmk memmap predict --size 1G --iomem .
	fails 1 'zero: line 1 is not' pmk memmap predict --size 1G --iomem /dev/zero
	fails 1 'null: no System RAM' pmk memmap predict --size 1G --iomem /dev/null
	for line in '' 'System RAM' '0-1: System RAM' '1-0 : System RAM' '0-1 :System RAM' \
		'0x0-1 : System RAM' '-1-2 : System RAM' '10000000000000000-2 : System RAM' \
		'0- : System RAM' "0-$(printf %600d 1) : System RAM"; do
		printf '0-fff : Reserved\n%s\n' "$line" >f
		fails 1 '^pmk memmap predict: f: line 2 is not' pmk memmap predict --size 1G --iomem f
	done
	printf '0-ffffffffffffffff : System RAM' >f
	fails 2 'would overlap' pmk memmap predict --size 1G --iomem f
}

@test "bad input: exit 2, one message, nothing printed" {
	local args
	while read -r args; do
		# shellcheck disable=SC2086 # words
		run -2 --separate-stderr "${limit[@]}" pmk memmap predict $args
		is "" "$output"
		[[ $stderr == "pmk memmap predict: "* ]]
		# what argp adds to its own
		is 1 "$(grep -Evc '^Try |^information\.$' <<<"$stderr")"
	done <<-END

		--size 0
		--size 1
		--size 4194303
		--size 4194305
		--size x
		--size -1
		--size 1G,
		--size 1G,,1G
		--size 1G:
		--size 1G:raw
		--size 1G:8K
		--size 9223372036854775808
		--size 0x8000000000000000
		--size 99999999999999999999
		--size 8192P
		--size 1G --start 0xffffffffffe00000
		--size 1G --start 9223372036854775808
		--size 4096P,4096P
		--usable 0
		--usable x
		--usable 9223372036854775808
		--usable 8191P
		--usable 1G --size 1G
		--size 1G --mode sector
		--size 1G --map both
		--size 1G --align 8K
		--size 1G --align 0
		--size 1G --struct-page 63
		--size 1G --struct-page 0
		--size 1G --kernel 6.2
		--size 1G --ways 0
		--size 1G --ways 33
		--size 1G x
		--size 1G --nonsense
	END
	run -2 pmk memmap predict --size ''
	run -2 pmk memmap predict --size 1G --kernel ''
}
