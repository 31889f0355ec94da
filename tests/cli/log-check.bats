#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# pmk log check of logs that are good.

load common

@test "counts are those of what was appended" {
	pmk log create l --size 64k --emulated
	printf 'one\ntwo\n\nfour\n' | pmk log append l
	works pmk log check l --json
	is "l true 0 4 10 0 0 65536 65536 true true 1" \
		"$(json '"\(.path) \(.good) \(.problems | length) \(.records) \(.record_bytes) \(.damaged_ranges) \(.lost_records) \(.size_bytes) \(.file_bytes) \(.clean) \(.emulated) \(.writer_opens)"')"
	free=$(json .free_bytes)
	end=$(json .end_offset_bytes)
	is 65536 "$((end + free))"
	echo five | pmk log append l
	works pmk log check l --json
	is "5 2" "$(json '"\(.records) \(.writer_opens)"')"
	[ "$(json .free_bytes)" -lt "$free" ]
}

@test "the table has the verdict first" {
	pmk log create l --size 64k
	echo one | pmk log append l
	works pmk log check l
	[[ ${lines[0]} =~ ^verdict\ +good ]]
	grep -Eq '^records +1$' <<<"$output"
	grep -Eq '^log size +64 KiB \(65536 B\)$' <<<"$output"
}

@test "an empty log is good" {
	pmk log create l --size 4160
	works pmk log check l --json
	is "true 0" "$(json '"\(.good) \(.records)"')"
}
