#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# pmk bench --on: what it measures on, and what it does not touch.

load common

quick=(--quick --rounds 1 --sizes 64)

# holds FILTER: it yields true for the document in $output
holds() {
	is true "$(json "$1")"
}

# a directory of a file system in memory, with room
in_memory() {
	[ "$(stat -f -c %T /dev/shm 2>/dev/null)" = tmpfs ] ||
		skip "/dev/shm is no tmpfs"
	memory=$(mktemp -d /dev/shm/pmk-test.XXXXXX)
}

teardown() {
	[ -z "${memory-}" ] || rm -rf -- "$memory"
}

@test "a file that is not there is made, and removed" {
	in_memory
	works pmk bench flush "${quick[@]}" --on "$memory/new" --json
	holds '.host.medium == "DRAM: a file on tmpfs, not persistent memory"'
	is "" "$(ls -A "$memory")"
}

@test "an empty file is empty again" {
	in_memory
	: >"$memory/empty"
	for what in flush log; do
		works pmk bench $what "${quick[@]}" --on "$memory/empty"
		is 0 "$(stat -c %s "$memory/empty")"
	done
}

@test "log: the file is gone, and so is libpmemlog's beside it" {
	in_memory
	works pmk bench log "${quick[@]}" --on "$memory/new" --json
	holds '.host.medium == "DRAM: a file on tmpfs, not persistent memory"'
	holds '[.cases[] | .pmk_ns > 0 and .bare_ns > 0] | all'
	is "" "$(ls -A "$memory")"
	# the name may be a link to elsewhere
	mkdir "$memory/links"
	: >"$memory/file"
	ln -s ../file "$memory/links/link"
	works pmk bench log "${quick[@]}" --on "$memory/links/link"
	is "file links" "$(ls -A "$memory" | tr '\n' ' ' | sed 's/ $//')"
	is link "$(ls -A "$memory/links")"
}

@test "log: a directory that takes no file: libpmemlog is left out" {
	in_memory
	: >"$memory/file"
	chmod a-w "$memory"
	[ ! -w "$memory" ] || skip "root may write everywhere"
	works pmk bench log "${quick[@]}" --on "$memory/file" --json
	holds '.host.libpmemlog == null'
	is 0 "$(stat -c %s "$memory/file")"
}

@test "content is not lost unless that is asked for" {
	in_memory
	head -c 16M /dev/zero | tr '\0' x >"$memory/full"
	cp "$memory/full" copy
	for what in copy set flush page clear log; do
		fails 1 'full: there is data already, which would be lost; --overwrite allows it' \
			pmk bench $what "${quick[@]}" --sizes 4k --on "$memory/full"
		cmp copy "$memory/full"
	done
	works pmk bench copy "${quick[@]}" --on "$memory/full" --overwrite --json
	# as large as before, and written to
	is 16777216 "$(stat -c %s "$memory/full")"
	holds '[.cases[].pmk_ns] | all(. > 0)'
	run ! cmp -s copy "$memory/full"
}

@test "what does not fit is left out, and too little is said" {
	in_memory
	truncate -s 16M "$memory/small"
	works pmk bench copy --quick --rounds 1 --sizes 64,64M \
		--on "$memory/small" --overwrite --json
	holds '[.cases[].size_bytes] | unique == [64]'
	truncate -s 1M "$memory/small"
	fails 1 'small: too small: 1 MiB, and at least 4 MiB is needed' \
		pmk bench copy "${quick[@]}" --on "$memory/small" --overwrite
	is 1048576 "$(stat -c %s "$memory/small")"
	# a log of the least size, that every case fits
	truncate -s 4M "$memory/small"
	works pmk bench log --quick --rounds 1 --on "$memory/small" --overwrite --json
	holds '[.cases[] | .pmk_ns > 0 and .bare_ns > 0] == [true, true, true, true]'
	is 4194304 "$(stat -c %s "$memory/small")"
	truncate -s 3M "$memory/small"
	fails 1 'small: too small: 3 MiB, and at least 4 MiB is needed' \
		pmk bench log --quick --rounds 1 --on "$memory/small" --overwrite
}

@test "flushes that make nothing durable are not measured" {
	case $(stat -f -c %T .) in
	tmpfs | ramfs) skip "the directory of the tests is in memory" ;;
	esac
	run --separate-stderr pmk doctor .
	[ "$status" -eq 3 ] || skip "the directory of the tests may be DAX"
	for what in copy set; do
		fails 1 'f: not persistent memory: .*; what is flushed there is durable by msync\(2\) only' \
			pmk bench $what "${quick[@]}" --on f
		no_file f
	done
	works pmk bench flush "${quick[@]}" --on f --json
	holds '[.cases[] | .op == "msync" and .pmk_variant == "msync" and
		.libc_ns > 0] | all'
	holds '.host.medium | test("^not persistent memory: .*granularity page")'
	no_file f
	before=$(ls -A)
	works pmk bench log "${quick[@]}" --on f --json
	holds '[.cases[] | .pmk_variant == "msync" and .bare_variant == "msync" and
		.pmk_ns > 0 and .bare_ns > 0] | all'
	holds '.host.medium | test("^not persistent memory: .*granularity page")'
	holds '[.targets[] | .met == null and
		.why == "of msync(2) nothing is promised"] | all'
	is "$before" "$(ls -A)"
}

# libpmemlog makes its records durable there as well: its first ones lie in the
# third page of the pool, and it syncs that page.
@test "log: where pmk calls msync, so does libpmemlog" {
	local pool
	command -v strace >/dev/null || skip "strace is not installed"
	case $(stat -f -c %T .) in
	tmpfs | ramfs) skip "the directory of the tests is in memory" ;;
	esac
	run --separate-stderr pmk doctor .
	[ "$status" -eq 3 ] || skip "the directory of the tests may be DAX"
	# leaks cannot be looked for under strace
	run -0 --separate-stderr env ASAN_OPTIONS=detect_leaks=0 \
		strace -y -e trace=mmap,msync -o trace \
		"$PMK" bench log "${quick[@]}" --on f --json
	[ "$(json '.host.libpmemlog')" != null ] ||
		skip "$(json '.host.libpmemlog_missing')"
	pool=$(sed -n 's,.*mmap(.* 33554432.*/pmk-bench\..* = \(0x[0-9a-f]*\)$,\1,p' trace)
	grep -q "msync($(printf '0x%x' $((pool + 8192)))," trace
}

@test "what cannot be mapped is refused" {
	mkdir dir
	for path in dir /dev/null; do
		run -1 --separate-stderr "${limit[@]}" \
			pmk bench copy "${quick[@]}" --on $path --overwrite
		is 1 "${#stderr_lines[@]}"
		[[ $stderr == "pmk bench: $path: "* ]]
		is "" "$output"
	done
	fails 1 'nowhere/f: No such file or directory' \
		pmk bench flush "${quick[@]}" --on nowhere/f
	ln -s nothing link
	run -1 --separate-stderr "${limit[@]}" pmk bench flush "${quick[@]}" --on link
	no_file nothing
	fails 1 '/dev/dax9\.9: No such device$' \
		pmk bench flush "${quick[@]}" --on /dev/dax9.9
	no_file /dev/dax9.9
}

@test "interrupted: the file that was made is gone" {
	in_memory
	pmk bench flush --on "$memory/new" >/dev/null 2>&1 &
	wait_for test -s "$memory/new"
	kill -s TERM $!
	wait $! || status=$?
	is 143 "$status"
	is "" "$(ls -A "$memory")"
}

@test "interrupted: the file that was empty is empty" {
	in_memory
	for signal in INT:130 TERM:143 HUP:129 QUIT:131; do
		: >"$memory/empty"
		# job control: without it a command in the background ignores INT
		# shellcheck disable=SC2016 # the inner shell expands
		run bash -c 'ulimit -c 0; set -m
			pmk bench flush --on "$1" >/dev/null 2>&1 &
			for ((i = 0; i < 2000; i++)); do
				[ ! -s "$1" ] || break
				sleep 0.01
			done
			kill -s "$2" $!
			wait $!' bash "$memory/empty" "${signal%:*}"
		is "${signal#*:}" "$status"
		is 0 "$(stat -c %s "$memory/empty")"
	done
}
