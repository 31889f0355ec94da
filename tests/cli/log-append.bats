#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# pmk log append: what becomes a record, acknowledgements, errors.

load common

@test "a record per line, in one process or many" {
	pmk log create l --size 1M --emulated
	works pmk log append l < <(seq 500)
	is "" "$output"
	works pmk log append l --batch 64 < <(seq 501 1000)
	works pmk log append l < <(echo 1001)
	works pmk log read l
	is "$(seq 1001)" "$output"
}

@test "any batch size gives the same log" {
	head -c 300000 /dev/urandom | base64 >in
	for n in 1 2 3 64 1000 1048576; do
		rm -f l
		pmk log create l --size 4M
		works pmk log append l --batch $n <in
		pmk log read l | cmp - in
		is "$(wc -l <in)" "$(pmk log check l --json | jq .records)"
	done
}

@test "the last line needs no newline; empty lines are records of 0 bytes" {
	pmk log create l --size 64k
	works pmk log append l --json < <(printf 'one\n\n\nfour')
	is "4 1 4 7" "$(json '"\(.appended) \(.first_number) \(.last_number) \(.size_bytes)"')"
	works pmk log read l --json
	is "3 0 0 4" "$(json '[.records[].size_bytes] | join(" ")')"
	pmk log read l | cmp - <(printf 'one\n\n\nfour\n')
}

@test "no input, no record" {
	pmk log create l --size 64k
	works pmk log append l --json </dev/null
	is "0 null" "$(json '"\(.appended) \(.first_number)"')"
	works pmk log append l --ack </dev/null
	is "" "$output"
	works pmk log read l
	is "" "$output"
}

@test "NULs are ordinary bytes; --null splits at them" {
	pmk log create l --size 64k
	printf 'a\0b\nc\0\n' >in
	works pmk log append l <in
	pmk log read l | cmp - in
	pmk log create z --size 64k
	printf 'one\nline\0two\0\0four' >in
	works pmk log append z --null <in
	pmk log read z -z | cmp - <(printf 'one\nline\0two\0\0four\0')
	is 4 "$(pmk log check z --json | jq .records)"
}

@test "--whole: the input is one record, whatever is in it" {
	pmk log create l --size 4M
	head -c 1000000 /dev/urandom >in
	works pmk log append l --whole <in
	works pmk log append l --whole --ack </dev/null
	is 2 "$output"
	works pmk log read l --json
	is "1000000 0" "$(json '[.records[].size_bytes] | join(" ")')"
	pmk log read l | head -c 1000000 | cmp - in
}

@test "long lines, around the sizes of buffers" {
	pmk log create l --size 16M
	for n in 1 31 32 33 63 64 65 65535 65536 65537 131071 131072 131073 \
		1048575 1048576 1500000; do
		head -c $n /dev/zero | tr '\0' x
		echo
	done >in
	works pmk log append l --batch 4 <in
	pmk log read l | cmp - in
}

@test "--ack prints each number, and goes on where the log was" {
	pmk log create l --size 1M
	works pmk log append l --ack < <(seq 5)
	is "$(seq 5)" "$output"
	works pmk log append l --ack --batch 7 < <(seq 100)
	is "$(seq 6 105)" "$output"
}

@test "complete records never wait for input, whatever the batch" {
	pmk log create l --size 1M
	mkfifo feed acks
	pmk log append l --ack --batch 1000 <feed >acks 3>&- &
	writer=$!
	exec 5>feed 6<acks
	printf 'one\ntwo\nthr' >&5
	read -r -t 20 -u 6 number
	is 1 "$number"
	read -r -t 20 -u 6 number
	is 2 "$number"
	works pmk log read l
	is "one
two" "$output"
	printf 'ee\n' >&5
	read -r -t 20 -u 6 number
	is 3 "$number"
	exec 5>&- 6<&-
	wait "$writer"
	pmk log read l | cmp - <(printf 'one\ntwo\nthree\n')
}

@test "a full log: what fits stays, the message says what did not" {
	for batch in 1 100; do
		rm -f l
		pmk log create l --size 8k
		seq 1000 >in
		fails 1 '^pmk log append: l: log is full.*: ([0-9]+) records appended, input record ([0-9]+) was not; use a larger log$' \
			sh -c "pmk log append l --ack --batch $batch <in"
		n=${BASH_REMATCH[1]}
		is "$((n + 1))" "${BASH_REMATCH[2]}"
		# 4096 bytes behind the header, a line of 64 bytes a record
		[ "$n" -ge 60 ] && [ "$n" -le 64 ]
		is "$(seq "$n")" "$output"
		works pmk log read l
		is "$(seq "$n")" "$output"
		works pmk log check l
	done
}

@test "a smaller record may still fit where a larger one did not" {
	pmk log create l --size 8k
	(seq 50; head -c 2000 /dev/zero | tr '\0' x; echo; echo small) >in
	fails 1 'log is full.*: 50 records appended, input record 51 was not' \
		sh -c 'pmk log append l --batch 100 <in'
	works pmk log append l --ack < <(echo small)
	is 51 "$output"
}

@test "a record larger than the log: refused, the log as it was" {
	pmk log create l --size 8k
	echo first | pmk log append l
	head -c 100000 /dev/urandom >large
	fails 1 '^pmk log append: l: record is larger than the log.*: 0 records appended, input record 1 was not' \
		sh -c 'pmk log append l --whole <large'
	(echo second; head -c 100000 /dev/zero | tr '\0' x) >in
	fails 1 'record is larger than the log.*: 1 record appended, input record 2 was not' \
		sh -c 'pmk log append l <in'
	works pmk log read l
	is "first
second" "$output"
}

@test "an endless line ends at the size of the log, not of the memory" {
	pmk log create l --size 8k
	fails 1 'record is larger than the log' \
		sh -c 'pmk log append l </dev/zero'
	fails 1 'record is larger than the log' \
		sh -c 'pmk log append l --whole </dev/zero'
	works pmk log read l
	is "" "$output"
}

@test "two writers: the second is refused, the first goes on" {
	pmk log create l --size 64k --emulated
	mkfifo feed acks
	pmk log append l --ack <feed >acks 3>&- &
	writer=$!
	exec 5>feed 6<acks
	echo one >&5
	read -r -t 20 -u 6 number
	echo other >in
	fails 1 '^pmk log append: l: log is open for writing elsewhere$' \
		sh -c 'pmk log append l <in'
	works pmk log read l
	is one "$output"
	echo two >&5
	read -r -t 20 -u 6 number
	is 2 "$number"
	exec 5>&- 6<&-
	wait "$writer"
	works pmk log read l
	is "one
two" "$output"
	works pmk log append l <in
}

@test "a reader of --ack that goes away: exit 1, the log is closed in order" {
	pmk log create l --size 16M
	seq 100000 >in
	mkfifo acks
	pmk log append l --ack <in >acks 2>message 3>&- &
	writer=$!
	read -r number <acks
	is 1 "$number"
	status=0
	wait $writer || status=$?
	is 1 "$status"
	works pmk log check l --json
	is "true true" "$(json '"\(.good) \(.clean)"')"
	n=$(json .records)
	[ "$n" -ge 1 ] && [ "$n" -lt 100000 ]
	is "pmk log append: standard output: Broken pipe: $n records appended" \
		"$(sed 's/ 1 records/ 1 record/' message)"
	pmk log read l | cmp - <(seq "$n")
}

@test "--ack to what cannot be written: exit 1, and how many were appended" {
	pmk log create l --size 64k
	fails 1 '^pmk log append: standard output: No space left on device: 1 record appended$' \
		sh -c 'seq 10 | pmk log append l --ack >/dev/full'
	fails 1 '^pmk log append: standard output: No space left on device: 10 records appended$' \
		sh -c 'seq 10 | pmk log append l --ack --batch 10 >/dev/full'
	fails 1 '^pmk log append: standard output: Bad file descriptor: 1 record appended$' \
		sh -c 'seq 10 | pmk log append l --ack >&-'
	works pmk log check l
	works pmk log read l
	is 12 "${#lines[@]}"
}

@test "a file that is cut off under the writer: exit 1, named, no core" {
	pmk log create l --size 64k
	mkfifo feed acks
	pmk log append l --ack <feed >acks 2>message 3>&- &
	writer=$!
	exec 5>feed 6<acks
	printf 'one\ntwo\n' >&5
	for n in 1 2; do
		read -r -t 20 -u 6 number
		is $n "$number"
	done
	truncate -s 0 l
	echo three >&5
	exec 5>&- 6<&-
	status=0
	wait "$writer" || status=$?
	is 1 "$status"
	is "pmk log append: l: a mapped file was cut off, or its storage failed; the last record that was appended is number 2" \
		"$(cat message)"
}

@test "an input that does not block is waited for" {
	pmk log create l --size 64k
	command -v python3 >/dev/null || skip "no python3 to set O_NONBLOCK"
	works sh -c '(echo one; sleep 0.2; echo two) | {
		python3 -c "import os; os.set_blocking(0, False)"
		pmk log append l --ack; }'
	is "1
2" "$output"
}

@test "what is no log, or nothing: exit 1, nothing is changed" {
	echo record >in
	fails 1 '^pmk log append: missing: .*No such file' \
		sh -c 'pmk log append missing <in'
	no_file missing
	head -c 20000 /dev/urandom >random
	before=$(sha256sum random)
	fails 1 '^pmk log append: random: not a record log' \
		sh -c 'pmk log append random <in'
	is "$before" "$(sha256sum random)"
	mkdir dir
	mkfifo fifo
	touch empty
	for p in dir fifo /dev/null empty; do
		fails 1 "^pmk log append: $p: " sh -c "pmk log append $p <in"
	done
	is 0 "$(stat -c %s empty)"
}

@test "input that cannot be read" {
	pmk log create l --size 64k
	fails 1 '^pmk log append: standard input: Is a directory: 0 records appended' \
		sh -c 'pmk log append l <.'
}

@test "options that contradict each other or are no numbers: exit 2" {
	pmk log create l --size 64k
	for o in "--json --ack" "--null --whole" "--batch 0" "--batch x" \
		"--batch -1" "--batch 1k" "--batch 1048577" \
		"--batch 99999999999999999999"; do
		# shellcheck disable=SC2086 # words
		run -2 --separate-stderr pmk log append l $o </dev/null
		[[ $stderr == "pmk log append: "* ]]
	done
}
