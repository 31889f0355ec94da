#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# pmk log read: raw and JSON.

load common

@test "raw: each record and a newline, or a NUL" {
	pmk log create l --size 64k
	printf 'one\ntwo\n\n' | pmk log append l
	pmk log read l | cmp - <(printf 'one\ntwo\n\n')
	pmk log read l --format raw | cmp - <(printf 'one\ntwo\n\n')
	pmk log read l -z | cmp - <(printf 'one\0two\0\0')
}

@test "json: UTF-8 as text, all else as hex, any string escaped" {
	pmk log create l --size 64k
	{
		printf 'plain\0'
		printf 'quote " backslash \\ tab \t newline \n bell \a del \177 /\0'
		printf 'gr\xc3\xbc\xc3\x9fe \xe2\x82\xac \xf0\x9f\x98\x80\0'
		printf '\xff\xfe\0'
		printf 'overlong \xc0\xaf\0'
		printf 'surrogate \xed\xa0\x80\0'
		printf 'beyond \xf4\x90\x80\x80\0'
		printf 'cut off \xe2\x82\0'
		printf '\0'
	} | pmk log append l -z
	printf 'with \0 NUL' | pmk log append l --whole
	works pmk log read l --json
	doc=$output
	is "true" "$(json .complete)"
	is "utf-8 utf-8 utf-8 hex hex hex hex hex utf-8 hex" \
		"$(json '[.records[].encoding] | join(" ")')"
	is "plain" "$(json '.records[0].data')"
	is $'quote " backslash \\ tab \t newline \n bell \a del \177 /' \
		"$(json '.records[1].data')"
	is "grüße € 😀" "$(json '.records[2].data')"
	is "fffe" "$(json '.records[3].data')"
	is "637574206f666620e282" "$(json '.records[7].data')"
	is "" "$(json '.records[8].data')"
	is "776974682000204e554c" "$(json '.records[9].data')"
	is "1 2 3 4 5 6 7 8 9 10" "$(json '[.records[].number] | join(" ")')"
	is "$doc" "$(pmk log read l --format json)"
}

@test "json: an offset is that of the record in the file" {
	pmk log create l --size 64k
	printf 'first\nsecond\nthird\n' | pmk log append l
	works pmk log read l --json
	for n in 0 1 2; do
		at=$(json ".records[$n].offset_bytes")
		there=$(offset l "$(json ".records[$n].data")")
		[ "$at" -le "$there" ] && [ "$there" -lt $((at + 64)) ]
	done
}

@test "json of an empty log" {
	pmk log create l --size 64k
	works pmk log read l --json
	is "0 0 true" "$(json '"\(.records | length) \(.damaged | length) \(.complete)"')"
}

@test "a reader sees what a writer has appended so far" {
	pmk log create l --size 64k
	mkfifo feed acks
	pmk log append l --ack <feed >acks 3>&- &
	writer=$!
	exec 5>feed 6<acks
	for n in 1 2 3; do
		echo "record $n" >&5
		read -r -t 20 -u 6 number
		is $n "$number"
		works pmk log read l
		is $n "${#lines[@]}"
		is "record $n" "${lines[n - 1]}"
	done
	exec 5>&- 6<&-
	wait "$writer"
}

@test "reading changes nothing" {
	pmk log create l --size 64k
	seq 100 | pmk log append l
	chmod 400 l
	before=$(sha256sum l; stat -c '%y %z' l)
	pmk log read l >/dev/null
	pmk log read l --json >/dev/null
	pmk log check l >/dev/null
	is "$before" "$(sha256sum l; stat -c '%y %z' l)"
}

@test "what is no log, or nothing: exit 1, without hanging" {
	head -c 20000 /dev/urandom >random
	head -c 20000 /dev/zero >zero
	mkdir dir
	mkfifo fifo
	touch empty
	for c in read check; do
		fails 1 "^pmk log $c: missing: .*No such file or directory" \
			pmk log $c missing
		for p in dir fifo /dev/null empty; do
			fails 1 "^pmk log $c: $p: " pmk log $c $p
			is "" "$output"
		done
		for p in random zero; do
			fails 1 "^pmk log $c: $p: not a record log" pmk log $c $p
		done
	done
	fails 1 "not a record log" pmk log read random --json
	is "" "$output"
}

@test "files of the kernel, an empty name: exit 1, in words" {
	for c in read check; do
		fails 1 "^pmk log $c: /proc/cpuinfo: a file of proc cannot hold a record log\$" \
			pmk log $c /proc/cpuinfo
		fails 1 "^pmk log $c: '': cannot open: No such file or directory\$" \
			pmk log $c ""
	done
}

@test "a format that is unknown, or that other options contradict: exit 2" {
	run -2 --separate-stderr pmk log read l --format xml
	[[ $stderr == "pmk log read: --format: 'xml' is neither raw nor json"* ]]
	for o in "--json --format raw" "--format raw -j" "--json -z" \
		"-z --format=json"; do
		# shellcheck disable=SC2086 # words
		run -2 --separate-stderr pmk log read l $o
		[[ $stderr == "pmk log read: --"* ]]
	done
	pmk log create l --size 64k
	works pmk log read l --json --format json
	is true "$(json .complete)"
}

# cut_under_reader SIZE ARG...: l becomes SIZE bytes while pmk log read ARG...
# waits for a pipe to be read; sets status, leaves output and message
cut_under_reader() {
	local size=$1 reader first
	shift
	# far more than a pipe holds
	rm -f l records
	pmk log create l --size 16M
	seq 200000 | pmk log append l --batch 1000
	mkfifo records
	pmk log read l "$@" >records 2>message 3>&- &
	reader=$!
	exec 5<records
	read -r -t 20 -u 5 first
	# it waits for the pipe, with most of the log still to read
	truncate -s "$size" l
	{ printf '%s\n' "$first" && cat <&5; } >output
	exec 5<&-
	status=0
	wait "$reader" || status=$?
}

@test "a file that is cut off under the reader: all up to the cut, exit 3" {
	for size in 4096 0 6000064; do
		cut_under_reader $size
		is 3 "$status"
		is "pmk log read: l: file is shorter than the log in it; records behind its end may be lost" \
			"$(cat message)"
		n=$(wc -l <output)
		[ "$n" -gt 1000 ] && [ "$n" -lt 200000 ]
		seq "$n" | cmp - output
	done
	# at 64 bytes each, behind the header
	is $(((6000064 - 4096) / 64)) "$n"
	cut_under_reader 4096 --json
	is 3 "$status"
	output=$(cat output)
	is "true false" "$(json '"\(.truncated) \(.complete)"')"
}
