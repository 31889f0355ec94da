#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# pmk log create: sizes, existing files, refusals that leave nothing behind.

load common

# an empty log in a file of this many bytes
is_log() {
	is "$2" "$(stat -c %s "$1")"
	works pmk log check "$1" --json
	is "true 0" "$(json '"\(.good) \(.records)"')"
}

@test "a new file has the size asked for, in any notation" {
	works pmk log create a --size 65536
	is "" "$output"
	works pmk log create b --size 64k
	works pmk log create c --size 64KiB
	works pmk log create d --size 0x10000
	works pmk log create e --size=1M
	for f in a b c d; do
		is_log $f 65536
	done
	is_log e 1048576
	is 600 "$(stat -c %a a)"
}

@test "--json tells what was made" {
	works pmk log create a --size 64k --emulated --json
	is "a 65536 true emulated cache_line memory_controller" \
		"$(json '"\(.path) \(.size_bytes) \(.emulated) \(.kind) \(.granularity) \(.domain)"')"
	works pmk log create b --size 64k --json
	is "false" "$(json .emulated)"
}

@test "blocks are reserved, unless --sparse" {
	pmk log create full --size 4M
	pmk log create sparse --size 4M --sparse
	[ $(($(stat -c %b full) * 512)) -ge 4194304 ]
	[ $(($(stat -c %b sparse) * 512)) -lt 1048576 ]
	is_log sparse 4194304
}

@test "sizes that are wrong: exit 2, no file" {
	for s in 0 4095 4159 -1 " 64k" 64q 1.5M 64kk 99999999999999999999 16777217T \
		"" abc; do
		run -2 --separate-stderr pmk log create f "--size=$s"
		[[ $stderr == "pmk log create: --size: "* ]]
		no_file f
	done
	works pmk log create f --size 4160
	is_log f 4160
}

@test "a size is rounded down to lines of 64 bytes, and --json tells it" {
	works pmk log create f --size 8191 --json
	is 8128 "$(json .size_bytes)"
	is_log f 8128
}

@test "more than the file system has: exit 1, no file, an old one as it was" {
	for s in 100T 1000P 8191P; do
		fails 1 '^pmk log create: f: .*(No space left|File too large|no file can)' \
			pmk log create f --size $s
		no_file f
	done
	head -c 8192 /dev/zero >old
	fails 1 '^pmk log create: old: ' pmk log create old --size 1000T
	is 8192 "$(stat -c %s old)"
	cmp -n 8192 old /dev/zero
}

@test "a missing file needs a size" {
	fails 1 '^pmk log create: f: .*No such file or directory.*--size' \
		pmk log create f
	no_file f
	fails 1 '^pmk log create: no/f: .*No such file' \
		pmk log create no/f --size 64k
	no_file no
}

@test "an existing file without data: all of it, or less; never shorter" {
	truncate -s 128k whole
	works pmk log create whole
	is_log whole 131072
	truncate -s 1M larger
	works pmk log create larger --size 64k --json
	is 65536 "$(json .size_bytes)"
	is_log larger 1048576
	truncate -s 16k smaller
	works pmk log create smaller --size 64k
	is_log smaller 65536
	touch empty
	works pmk log create empty --size 64k
	is_log empty 65536
}

@test "an existing file of 0 bytes without a size" {
	touch empty
	run -1 --separate-stderr pmk log create empty
	is 1 "${#stderr_lines[@]}"
	is 0 "$(stat -c %s empty)"
}

@test "data is not overwritten without --force, and keeps its size with it" {
	head -c 100000 /dev/urandom >f
	before=$(sha256sum f)
	fails 1 '^pmk log create: f: there is data already.*--force' \
		pmk log create f --size 64k
	is "$before" "$(sha256sum f)"
	fails 1 'there is data already' pmk log create f --size 1M
	is "$before" "$(sha256sum f)"
	works pmk log create f --size 64k --force
	is_log f 100000
}

@test "a log is data: no second one in it without --force" {
	pmk log create f --size 64k
	echo precious | pmk log append f
	fails 1 'there is data already' pmk log create f --size 64k
	works pmk log read f
	is precious "$output"
	works pmk log create f --size 64k --force
	is_log f 65536
	works pmk log read f
	is "" "$output"
}

@test "records of an earlier log do not come back" {
	pmk log create f --size 64k
	seq 200 | pmk log append f --batch 200
	works pmk log create f --size 64k --force
	seq 1000 1099 | pmk log append f
	works pmk log read f
	is "$(seq 1000 1099)" "$output"
}

@test "not a file: refused, without hanging" {
	mkdir dir
	mkfifo fifo
	fails 1 '^pmk log create: dir: ' pmk log create dir --size 64k
	fails 1 '^pmk log create: fifo: ' pmk log create fifo --size 64k
	fails 1 '^pmk log create: /dev/null: ' pmk log create /dev/null --size 64k
	fails 1 '^pmk log create: /dev/null: ' pmk log create /dev/null --force
	[ -c /dev/null ]
	[ -p fifo ]
}

@test "a file of the kernel: refused in words" {
	for o in "" "--size 64k" "--size 64k --force"; do
		# shellcheck disable=SC2086 # words
		fails 1 '^pmk log create: /proc/cpuinfo: a file of proc cannot hold a record log$' \
			pmk log create /proc/cpuinfo $o
	done
}

@test "a signal: no log, or a whole one" {
	# kill_create SIGNAL: as soon as there is a file; prints the exit status
	cat >kill_create <<-'END'
		pmk log create mnt/l --size 192M &
		until [ -e mnt/l ]; do :; done
		kill -s "$1" $!
		status=0
		wait $! 2>/dev/null || status=$?
		echo "$status"
		stat -c %s mnt/l
		pmk log check mnt/l
	END
	for sig in TERM HUP QUIT; do
		in_tmpfs 256M sh kill_create $sig
		is "0 " "$status $stderr"
		# the shell's number for it, unless the command was faster
		is $((128 + $(kill -l $sig))) "${lines[0]}" || is 0 "${lines[0]}"
		is 201326592 "${lines[1]}"
		[[ ${lines[2]} =~ ^verdict\ +good ]]
	done
}

@test "a file size limit is an error, not a death" {
	fails 1 'File too large' sh -c 'ulimit -f 64; pmk log create f --size 1M'
	no_file f
}

@test "a log that a writer has open is not replaced" {
	pmk log create f --size 64k
	mkfifo feed
	pmk log append f <feed 3>&- &
	writer=$!
	exec 5>feed
	echo kept >&5
	wait_for grep -q kept f
	fails 1 'open for writing elsewhere' pmk log create f --size 64k --force
	exec 5>&-
	wait "$writer"
	works pmk log read f
	is kept "$output"
}
