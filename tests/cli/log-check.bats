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

# a writer that was killed before it could close the log
unclean_log() {
	local writer
	pmk log create l --size 64k
	mkfifo feed acks
	pmk log append l --ack --batch 4 <feed >acks 3>&- &
	writer=$!
	exec 5>feed 6<acks
	printf 'number %s\n' one two three four >&5
	for _ in 1 2 3 4; do
		read -r -t 20 -u 6 _
	done
	kill -KILL "$writer"
	wait "$writer" || true
	exec 5>&- 6<&-
}

@test "behind an unclean end, damage and a torn append look the same: said" {
	unclean_log
	works pmk log check l
	grep -Eq '^records +4$' <<<"$output"
	grep -Eq '^incomplete append +none$' <<<"$output"
	grep -Eq '^state lines +sound$' <<<"$output"
	flip l "$(offset l 'number three')"
	works pmk log check l
	[[ ${lines[0]} =~ ^verdict\ +good ]]
	grep -Eq '^records +2$' <<<"$output"
	grep -Eq '^incomplete append +.*cut short.*or damaged.*cannot be told apart' \
		<<<"$(tr '\n' ' ' <<<"$output" | sed 's/incomplete/\nincomplete/')"
}

@test "a state line that is not valid is shown, and harmless" {
	pmk log create l --size 64k
	for i in 1 2 3; do
		echo $i | pmk log append l
	done
	flip l $((1024 + 20))
	works pmk log check l
	grep -Eq '^state lines +one of two' <<<"$output"
	works pmk log check l --json
	is "true true" "$(json '"\(.good) \(.torn_state)"')"
}

@test "an empty log is good" {
	pmk log create l --size 4160
	works pmk log check l --json
	is "true 0" "$(json '"\(.good) \(.records)"')"
}
