#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# pmk wc check: what it prints, and when it fails.  What it finds is in
# tests/golden/wc.

load common

# make IMAGE STEP...: as tests/golden/wc_make.c has it
make() {
	local image=$1
	shift
	printf '%s\n' "$@" | "$WC_MAKE" "$image"
}

# golden NAME: a device that a kernel wrote
golden() {
	xz -dc "$PMK_GOLDEN_WC/$1.img.xz" >"$1"
}

@test "devices that a kernel left after a crash, and after a clean end" {
	golden p4k-crash
	works pmk wc check p4k-crash --offset 2M --json
	is "loads null null info 256 0 16 3298 1048576" \
		"$(json '[.verdict, .errno, .kernel_message, .worst, .committed,
			.superseded, .uncommitted, .free, .dirty_bytes] |
			map(tostring) | join(" ")')"
	is "WC_UNCOMMITTED 528 8192 3" \
		"$(json '.problems[0] | "\(.code) \(.entry) \(.sector) \(.seq_count)"')"
	is '{"WC_UNCOMMITTED":16}' "$(json '.found | tojson')"
	golden p4k-clean
	works pmk wc check p4k-clean --offset 2M --mode p --json
	is "loads none 256 0" "$(json '"\(.verdict) \(.worst) \(.committed) \(.problems | length)"')"
	golden s4k-crash
	works pmk wc check s4k-crash --json
	is "loads none 256 0" "$(json '"\(.verdict) \(.worst) \(.committed) \(.problems | length)"')"
}

@test "a cache that is looked for at the wrong place would be formatted" {
	golden p4k-crash
	run -3 --separate-stderr "${limit[@]}" pmk wc check p4k-crash --json
	is "formats warning WC_BLANK" \
		"$(json '"\(.verdict) \(.worst) \(.problems[0].code)"')"
}

@test "a table for people: verdict, counts, then problems by severity" {
	make cache 'size 1M' 'cache 4096 254 10' 'entry 0 0 5' 'entry 1 0 5' \
		'entry 2 8 10'
	run -3 --separate-stderr "${limit[@]}" pmk wc check cache
	is "" "$stderr"
	[[ ${lines[0]} =~ ^verdict\ +the\ kernel\ loads\ it\ with\ its\ error\ flag ]]
	[[ ${lines[1]} =~ ^kernel\ says\ +EINVAL:\ two\ identical\ entries$ ]]
	grep -Eq '^committed entries +2$' <<<"$output"
	grep -Eq '^dirty +4 KiB \(4096 B\)$' <<<"$output"
	grep -Eq '^ +there +entry 0, sector 0, sequence 5; wins: entry 1$' <<<"$output"
	is "WC_EQUAL_SEQ WC_UNCOMMITTED" \
		"$(grep -o 'WC_[A-Z_]*' <<<"$output" | tr '\n' ' ' | sed 's/ $//')"
}

@test "of many problems some are listed, and all are counted" {
	make cache 'size 8M' 'cache 4096 2040 10' 'entries 0 1500 0 8 10'
	works pmk wc check cache --json
	is '1000 999 {"WC_UNCOMMITTED":1500} {"WC_UNCOMMITTED":500}' \
		"$(json '"\(.problems | length) \(.problems[-1].entry) \(.found) \(.more)"')"
	works pmk wc check cache
	is 5 "$(grep -c '^ *there ' <<<"$output")"
	grep -q ' and 1495 more$' <<<"$output"
}

@test "nothing is written, and a cache that may only be read is enough" {
	make cache 'size 1M' 'cache 4096 254 10' 'entry 0 0 5' 'entry 1 0 5'
	chmod 444 cache
	sha256sum cache >sum
	run -3 "${limit[@]}" pmk wc check cache
	sha256sum --quiet -c sum
	is "2" "$(find . -type f | wc -l)"
}

@test "an origin is asked for its size only" {
	make cache 'size 1M' 'cache 4096 254 10' 'entry 0 2040 5'
	truncate -s 1M origin
	works pmk wc check cache --origin origin
	truncate -s 1044993 origin
	run -3 "${limit[@]}" pmk wc check cache --origin origin --json
	is WC_ACROSS_ORIGIN_END "$(json '.problems[0].code')"
	fails 1 '^pmk wc check: none: No such file' pmk wc check cache --origin none
	fails 1 '^pmk wc check: /dev/null: neither' pmk wc check cache --origin /dev/null
	: >empty
	fails 1 '^pmk wc check: empty: no origin' pmk wc check cache --origin empty
	ln -s cache link
	fails 1 '^pmk wc check: link is the cache itself$' pmk wc check cache --origin link
}

@test "what is no cache, and what is no file" {
	fails 1 '^pmk wc check: none: No such file' pmk wc check none
	fails 1 '^pmk wc check: \.: ' pmk wc check .
	fails 1 '^pmk wc check: /dev/zero: ' pmk wc check /dev/zero
	: >empty
	run -3 --separate-stderr "${limit[@]}" pmk wc check empty --json
	is "refused ENOSPC WC_DEVICE_TOO_SMALL" \
		"$(json '"\(.verdict) \(.errno) \(.problems[0].code)"')"
	truncate -s 1M short
	fails 1 '^pmk wc check: short: ' pmk wc check short --offset 2M
}

# usage TEXT ARG...: the arguments are refused with a message that has TEXT
usage() {
	local text=$1
	shift
	run -2 --separate-stderr "${limit[@]}" pmk wc check "$@"
	[[ ${stderr_lines[0]} == *"$text"* ]]
}

@test "a wrong command line" {
	usage 'CACHE is missing'
	usage '--mode:' cache --mode x
	usage '--block-size:' cache --block-size 0
	usage 'other' cache other
}

@test "standard output that is full" {
	make cache 'size 1M' 'cache 4096 254 10'
	# shellcheck disable=SC2016 # the inner shell expands
	fails 1 'standard output' sh -c 'pmk wc check cache "$@" >/dev/full' sh
	# shellcheck disable=SC2016 # the inner shell expands
	fails 1 'standard output' sh -c 'pmk wc check cache "$@" >/dev/full' sh --json
}
