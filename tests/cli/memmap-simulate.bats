#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# pmk memmap simulate: what it writes is what kernels wrote; its documents and
# its reports; what it leaves behind.  No case looks at how long anything took.

load common

golden=$BATS_TEST_DIRNAME/../golden/memmap
quick=(pmk memmap simulate --size 64M --rebinds 2)

@test "--dump writes what real kernels wrote, by every engine" {
	local version profile mode start pgmap engine
	while read -r version profile mode start pgmap; do
		xz -dc "$golden/memmap-$version-$mode"*.bin.xz >kernel
		for engine in slow template call inline stream; do
			works pmk memmap simulate --size 1G --start "$start" \
				--mode "${mode%2M}" --kernel "$profile" \
				--pgmap "$pgmap" --engine $engine \
				--rebinds 0 --dump ours
			is "" "$output"
			cmp kernel ours
		done
	done <<-END
		6.1 6.1 devdax2M 4G 0xffff88803ff6f180
		6.1 6.1.192 fsdax 5G 0xffff8880045386b0
		6.16.3 6.15 devdax2M 8G 0xffff888006d7e540
		6.18.15 6.18 devdax2M 8G 0xffff888007cb20c0
		7.2.12 7.2 devdax2M 8G 0xffff888005bbda80
		7.2.12 7.1 fsdax 6G 0xffff8880058eecb8
	END
}

@test "--dump is checked by verify, in windows or not" {
	works pmk memmap simulate --size 1G --mode devdax --map mem --rebinds 0 --dump a
	works pmk memmap simulate --size 1G --mode devdax --map mem --rebinds 0 \
		--memory 1M --dump b
	cmp a b
	works pmk memmap verify --size 1G --mode devdax --map mem a
	# 96 bytes each, for 130 MiB
	works pmk memmap simulate --size 130M --struct-page 96 --rebinds 0 --dump c
	is $((130 * 256 * 96)) "$(stat -c %s c)"
	works pmk memmap verify --size 130M --struct-page 96 --untouched 0 c
}

@test "a dump that cannot be written leaves nothing, and what was there" {
	echo old >dump
	fails 1 'no/dump: No such file' "${quick[@]}" --rebinds 0 --dump no/dump
	fails 1 '\.: not a regular file' "${quick[@]}" --rebinds 0 --dump .
	fails 1 "'': No such file" "${quick[@]}" --rebinds 1 --dump ''
	is "" "$output"
	run -1 --separate-stderr bash -c 'ulimit -f 100; exec "$@"' bash \
		"${quick[@]}" --rebinds 0 --dump dump
	is old "$(cat dump)"
	is dump "$(ls -A)"
}

@test "a dump takes the place of regular files only, and of none that is in use" {
	mkfifo fifo
	echo target >target
	ln -s fifo link
	fails 1 'fifo: not a regular file' "${quick[@]}" --dump fifo
	fails 1 'link: not a regular file' "${quick[@]}" --dump link
	[ -p fifo ]
	fails 1 '/dev/null: not a regular file' "${quick[@]}" --dump /dev/null
	[ -c /dev/null ]
	fails 1 'both --on and --dump' "${quick[@]}" --on same --dump same
	no_file same
	fails 1 'both --on and --dump' "${quick[@]}" --on target --overwrite --dump ./target
	# before anything is measured
	fails 1 'no/dump: No such file' "${quick[@]}" --dump no/dump
	is "" "$output"
	# it stays whose it was
	chmod 640 target
	works "${quick[@]}" --rebinds 0 --dump target
	is 640 "$(stat -c %a target)"
	is $((64 * 256 * 64)) "$(stat -c %s target)"
}

@test "compounds of 1 GiB: windows of one, and not less" {
	local g=(pmk memmap simulate --mode devdax --align 1G --rebinds 1 --engine stream)
	works "${g[@]}" --size 40G --memory 20M --json
	# 16 MiB each, so one a window
	is "true 20971520" "$(json '"\(.windows >= 39) \(.window_bytes)"')"
	fails 1 '--memory: 16 MiB is the least' "${g[@]}" --size 40G --memory 1M
	works "${g[@]}" --size 40G --map mem --memory 1M --json
	is 1 "$(json .windows)"
}

@test "the document: engines in order, all with figures" {
	works "${quick[@]}" --json
	is "slow template call inline stream" "$(json '[.engines[].engine] | join(" ")')"
	is "67108864 4294967296 2097152 fsdax dev 7.2 64 1 2 1" \
		"$(json '"\(.size_bytes) \(.start_bytes) \(.align_bytes) \(.mode) \(.map) \(.kernel) \(.struct_page_bytes) \(.threads) \(.rebinds) \(.windows)"')"
	# 16384 pages, less those in front of the data: 1 MiB of struct pages and
	# the info block, up to a multiple of 2 MiB
	is "15872 15872" "$(json '"\(.pr_debug_pages) \(.struct_pages_written)"')"
	is true "$(json '[.engines[] | .mean_ms > 0 and .median_ms > 0 and
		.ns_per_page > 0 and .gb_per_s > 0 and .ratio_to_slow > 0 and
		.ratio_to_fill_limit > 0 and (.rebinds_ms | length) == 2] | all')"
	is "273.52 245.73 150.83 96.79 null" \
		"$(json '[.engines[].published_ms | tostring] | join(" ")')"
	is "null true true true null" "$(json '[.engines[].published_ratio_to_previous |
		if . then . > 1 else null end | tostring] | join(" ")')"
	is true "$(json '.fill_limit.gb_per_s > 0 and .altmap_mean_ms > 0 and
		(.host.cpu | length) > 0 and (.host.medium | test("DRAM"))')"
	works "${quick[@]}" --mode devdax --map mem --engine inline --engine slow --json
	# the step is from the row above, there as here
	is true "$(json '.engines[1] | .published_ratio_to_previous > 2.6 and .ratio_to_previous > 0')"
	is "slow inline" "$(json '[.engines[].engine] | join(" ")')"
	# 32 compounds of which 128 are written each
	is "4096 16384" "$(json '"\(.struct_pages_written) \(.pr_debug_pages)"')"
	is "313.45 119.04" "$(json '[.engines[].published_ms | tostring] | join(" ")')"
}

@test "the table: a line a rebind, a row an engine" {
	works "${quick[@]}"
	grep -Eq '^ +1( +[0-9.]+){6}$' <<<"$output"
	grep -Eq '^ +2( +[0-9.]+){6}$' <<<"$output"
	is 5 "$(grep -cE '^(slow|template|call|inline|stream) ' <<<"$output")"
	grep -q '15872 struct pages of 64 bytes written' <<<"$output"
	works "${quick[@]}" --engine stream
	is 1 "$(grep -cE '^(slow|template|call|inline|stream) ' <<<"$output")"
}

@test "threads and windows" {
	works "${quick[@]}" --threads 3 --memory 1M --mode devdax --json
	is "3 15872" "$(json '"\(.threads) \(.struct_pages_written)"')"
	is true "$(json '.windows == 1 and .window_bytes == 1048576')"
	works "${quick[@]}" --size 1G --threads 2 --memory 3M --json
	is "257536 true" "$(json '"\(.struct_pages_written) \(.windows > 5)"')"
	works "${quick[@]}" --size 1G --memory 3M --engine stream
	grep -Eq '^windows +[0-9]+, one after the other in 3 MiB' <<<"$output"
}

@test "--on a file: made and removed, or as it was" {
	works "${quick[@]}" --on new --json
	no_file new
	is true "$(json '.host.medium | length > 0')"
	: >empty
	works "${quick[@]}" --on empty
	is 0 "$(stat -c %s empty)"
	echo precious >old
	fails 1 'there is data already, which would be lost; --overwrite' \
		"${quick[@]}" --on old
	is precious "$(cat old)"
	truncate -s 100K small
	fails 1 'small' "${quick[@]}" --on small --overwrite
	fails 1 'nowhere/f: No such file' "${quick[@]}" --on nowhere/f
}

@test "--report: a page with a chart" {
	works "${quick[@]}" --report r
	is "index.html plots.gp results.json time-01.svg" "$(cd r && echo *)"
	jq -e '.engines | length == 5' r/results.json
	grep -q '<svg' r/time-01.svg
	grep -q 'time-01.svg' r/index.html
	grep -q 'map=dev' r/index.html
	# an earlier one is replaced
	works "${quick[@]}" --json --report r
	json . >/dev/null
	mkdir mine && : >mine/f
	fails 1 'mine: is there already and is not a report' "${quick[@]}" --report mine
}

@test "namespaces that cannot be are refused" {
	fails 1 'unable to satisfy requested alignment' \
		pmk memmap simulate --size 1G --align 1G
	fails 1 'start misaligned' pmk memmap simulate --size 1G --start 4097
	fails 1 'ends behind' pmk memmap simulate --size 0x8000000000000000
	fails 1 'no such namespace' pmk memmap simulate --size 2M
	fails 1 'behind 4 PiB' pmk memmap simulate --size 4P
	fails 1 'beyond 64 TiB' pmk memmap simulate --size 65T --section-in-flags
	fails 1 'multiple of 4096' pmk memmap simulate --size 1G --vmemmap-base 1
	# 6.1 makes a device without a page of that
	fails 1 'nothing is left for data' pmk memmap simulate --size 1145044992 \
		--start 4571791360 --mode devdax --align 1G --kernel 6.1
	fails 1 'nothing is left for data' pmk memmap verify --size 1145044992 \
		--start 4571791360 --mode devdax --align 1G --kernel 6.1
}

@test "usage errors" {
	local args
	for args in '' '--size 0' '--size x' '--size 1G --engine fast' \
		'--size 1G --rebinds 0' '--size 1G --rebinds 1001' \
		'--size 1G --threads 0' '--size 1G --threads 65' \
		'--size 1G --memory 1' '--size 1G --mode sector' \
		'--size 1G --align 3M' '--size 1G --kernel 9.9' \
		'--size 1G --rebinds 0 --dump d --report r' \
		'--size 1G --struct-page 128' '--size 1G file'; do
		# shellcheck disable=SC2086 # words
		run -2 --separate-stderr pmk memmap simulate $args
		[ -z "$output" ]
		[[ ${stderr_lines[0]} == 'pmk memmap simulate: '* ]]
	done
	is "" "$(ls -A)"
}
