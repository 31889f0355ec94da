#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Logs that were damaged or cut off after they were closed.

load common

# five records, closed, of which the third is damaged in its data
damaged_log() {
	pmk log create l --size 64k --emulated
	for i in one two three four five; do
		echo "this is record number $i"
	done | pmk log append l
	at=$(offset l "number three")
	flip l "$at"
}

@test "a damaged record: read stops there, says where, exit 3" {
	damaged_log
	fails 3 '^pmk log read: l: damaged: ([0-9]+) bytes at offset ([0-9]+), from record 3 on; --skip-damaged' \
		pmk log read l
	[ "${BASH_REMATCH[2]}" -le "$at" ]
	[ "$at" -lt $((BASH_REMATCH[1] + BASH_REMATCH[2])) ]
	is "this is record number one
this is record number two" "$output"
}

@test "--skip-damaged: all others, the place on stderr, exit 3" {
	damaged_log
	fails 3 '^pmk log read: l: damaged: .* from record 3 on; skipped$' \
		pmk log read l --skip-damaged
	is "this is record number one
this is record number two
this is record number four
this is record number five" "$output"
}

@test "json is well-formed in both cases" {
	damaged_log
	fails 3 'at offset' pmk log read l --json
	is "1 2" "$(json '[.records[].number] | join(" ")')"
	is "false 1" "$(json '"\(.complete) \(.damaged | length)"')"
	run -3 --separate-stderr pmk log read l --json --skip-damaged
	is "" "$stderr"
	is "1 2 4 5" "$(json '[.records[].number] | join(" ")')"
	is "false 1 1" "$(json '"\(.complete) \(.damaged | length) \(.damaged[0].lost_records)"')"
	off=$(json '.damaged[0].offset_bytes')
	[ "$off" -le "$at" ]
	[ "$at" -lt $((off + $(json '.damaged[0].size_bytes'))) ]
}

@test "check: exit 3, counted, not changed" {
	damaged_log
	before=$(sha256sum l)
	run -3 --separate-stderr pmk log check l --json
	is "false bad_record 4 1 1" \
		"$(json '"\(.good) \(.problems | join(",")) \(.records) \(.damaged_ranges) \(.lost_records)"')"
	run -3 --separate-stderr pmk log check l
	[[ ${lines[0]} =~ ^verdict\ +damaged ]]
	is "$before" "$(sha256sum l)"
}

@test "a damaged log can be appended to, and nothing good is lost" {
	damaged_log
	works pmk log append l --ack < <(echo "this is record number six")
	is 6 "$output"
	run -3 --separate-stderr pmk log read l --json --skip-damaged
	is "1 2 4 5 6" "$(json '[.records[].number] | join(" ")')"
}

@test "several damaged places" {
	pmk log create l --size 1M
	seq -f 'record number %04.0f' 1000 | pmk log append l --batch 10
	for i in 0100 0500 0501 0900; do
		flip l "$(offset l "number $i")"
	done
	run -3 --separate-stderr pmk log read l --skip-damaged
	is "$(seq -f 'record number %04.0f' 1000 | grep -v -E '0100|0500|0501|0900')" \
		"$output"
	run -3 --separate-stderr pmk log check l --json
	is "996 4" "$(json '"\(.records) \(.lost_records)"')"
}

@test "a truncated log: read prints what there is, exit 3; no append" {
	pmk log create l --size 64k
	seq -f 'record number %03.0f' 200 | pmk log append l
	whole=$(pmk log read l)
	truncate -s "$(offset l 'number 150')" l
	before=$(sha256sum l)
	run -3 --separate-stderr pmk log read l
	[[ $stderr == *"file is shorter than the log"* ]]
	n=${#lines[@]}
	[ "$n" -ge 148 ] && [ "$n" -le 149 ]
	is "$(head -n "$n" <<<"$whole")" "$output"
	run -3 --separate-stderr pmk log read l --json --skip-damaged
	is "$n false true" "$(json '"\(.records | length) \(.complete) \(.truncated)"')"
	run -3 --separate-stderr pmk log check l --json
	grep -qw short_file <<<"$(json '.problems | join(" ")')"
	echo more >in
	fails 1 '^pmk log append: l: file is shorter than the log' \
		sh -c 'pmk log append l <in'
	is "$before" "$(sha256sum l)"
}

# unreadable STATUS REGEX: read, check and append of l
unreadable() {
	local c
	for c in read check; do
		fails "$1" "^pmk log $c: l: $2" pmk log $c l
		is "" "$output"
	done
	fails 1 "^pmk log append: l: $2" sh -c 'pmk log append l </dev/null'
}

@test "both super blocks damaged: there is a log, exit 3, in JSON too" {
	damaged_log
	flip l 20
	flip l $((2048 + 20))
	unreadable 3 'record log is damaged'
	fails 3 'record log is damaged' pmk log read l --json
	is "0 0 false false" "$(json '"\(.records | length) \(.damaged | length) \(.truncated) \(.complete)"')"
	fails 3 'record log is damaged' pmk log check l --json
	is "l false no_header" "$(json '"\(.path) \(.good) \(.problems | join(" "))"')"
}

@test "a log cut off inside its header: exit 3, in JSON too" {
	damaged_log
	truncate -s 2000 l
	unreadable 3 'file is shorter than the log'
	fails 3 'file is shorter' pmk log read l --json
	is "0 true false" "$(json '"\(.records | length) \(.truncated) \(.complete)"')"
	fails 3 'file is shorter' pmk log check l --json
	is "l false short_file" "$(json '"\(.path) \(.good) \(.problems | join(" "))"')"
	# nothing says any more that it was one
	truncate -s 10 l
	unreadable 1 'not a record log'
}

@test "cut off anywhere: no crash, no wrong record" {
	pmk log create whole --size 8k
	seq 40 | pmk log append whole
	# a header page, 40 records of one line, which end at 6656, and nothing
	for n in 0 1 63 64 100 1000 2048 4095 4096 4097 4160 5000 6000 6655; do
		head -c $n whole >l
		run --separate-stderr "${limit[@]}" pmk log read l --skip-damaged
		[ "$status" -eq 1 ] || [ "$status" -eq 3 ]
		# shellcheck disable=SC2154 # run sets it
		is "$(seq "${#lines[@]}")" "$output"
	done
	# behind the last record nothing is lost, but the log is not whole
	head -c 8191 whole >l
	works pmk log read l
	is "$(seq 40)" "$output"
	run -3 --separate-stderr pmk log check l --json
	is short_file "$(json '.problems | join(" ")')"
}

@test "random damage: no crash, no wrong record" {
	pmk log create whole --size 16k
	seq -f 'record number %03.0f' 100 >in
	pmk log append whole <in
	# not i: run has one of its own
	for ((round = 0; round < 60; round++)); do
		cp whole l
		for ((hit = 0; hit <= round % 4; hit++)); do
			flip l $((RANDOM % 16384))
		done
		run --separate-stderr "${limit[@]}" pmk log read l --skip-damaged
		[ "$status" -eq 0 ] || [ "$status" -eq 1 ] || [ "$status" -eq 3 ]
		wrong=$(grep -vxFf in <<<"$output" | grep . || true)
		is "" "$wrong"
		run --separate-stderr "${limit[@]}" pmk log check l
		[ "$status" -eq 0 ] || [ "$status" -eq 1 ] || [ "$status" -eq 3 ]
	done
}
