#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# A writer that is killed: what it acknowledged is there.

load common

# kill_round LOG BATCH: append endlessly, kill after some acknowledgements
kill_round() {
	local writer pause
	: >acks
	seq 100000000 >feed &
	feeder=$!
	pmk log append "$1" --ack --batch "$2" <feed >acks 2>message &
	writer=$!
	wait_for test -s acks
	pause=$((RANDOM % 30))
	sleep "0.0$(printf %02d "$pause")"
	kill -KILL "$writer"
	status=0
	wait "$writer" 2>/dev/null || status=$?
	is 137 "$status"
	# it may have ended already, of the pipe that nobody reads
	kill "$feeder" 2>/dev/null || true
	wait "$feeder" 2>/dev/null || true
}

# The records are 1 2 3 ... once more for each round; those that were
# acknowledged, at least.
check_round() {
	local acked found
	# the last line may have been cut off by the kill: drop it then
	acked=$(head -c -1 acks | sed '$d' | tail -n 1)
	works pmk log check "$1"
	pmk log read "$1" >found
	found=$(wc -l <found)
	[ "$found" -ge "${acked:-0}" ]
	awk '$1 != expected + 1 && $1 != 1 { bad = 1 } { expected = $1 }
		END { exit bad }' found
}

kill_rounds() {
	mkfifo feed
	for ((round = 0; round < 10; round++)); do
		kill_round l "$1" 3>&-
		check_round l
	done
	# and it goes on
	works pmk log append l < <(echo last)
	is last "$(pmk log read l | tail -n 1)"
}

@test "SIGKILL in the middle of appends, emulated, one by one" {
	pmk log create l --size 256M --emulated --sparse
	kill_rounds 1
}

@test "SIGKILL in the middle of batches, emulated" {
	pmk log create l --size 256M --emulated --sparse
	kill_rounds 128
}

@test "SIGKILL in the middle of appends made durable by msync" {
	pmk log create l --size 16M --sparse
	kill_rounds 8
}
