#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# pmk wc: what makes files is killed, interrupted, or has no room left: nothing
# half-written has the name that was asked for, and run again it is done.

load common
load wc

setup_file() {
	shims
}

# bulk: a cache of 32 MiB with a data block in each megabyte, of some kinds, and
# an origin, so that each command makes some dozens of calls
bulk() {
	pmk wc format --size 32M cache
	local data i
	data=$(pmk wc info cache --json | jq .data_offset_bytes)
	hex cache 24 "$(le 10)"
	for ((i = 0; i < 28; i++)); do
		hex cache $((64 + 16 * 256 * i)) "$(le $((8 * i)))$(le $((i % 9)))"
		text $i | dd of=cache bs=4096 seek=$((data + 4096 * 256 * i)) \
			oflag=seek_bytes conv=notrunc status=none
	done
	# two alike, for repair
	hex cache $((64 + 16)) "$(le 8)$(le 1)"
	truncate -s 1M origin
	cp cache cache0
	cp origin origin0
}

# with SIGNAL N COMMAND...: the signal comes before the Nth call
with() {
	local signal=$1 n=$2
	shift 2
	run --separate-stderr env PMK_TEST_SIGNAL="$signal:$n" \
		PMK_TEST_COUNT="$PWD/count" \
		LD_PRELOAD="$BATS_FILE_TMPDIR/kill.so" "$@"
}

# whole NAME...: each is not there, or as in ./right; and what is read is as it was
whole() {
	local name
	for name; do
		[ ! -e "$name" ] || cmp "right/${name//\//-}" "$name"
	done
	cmp cache0 cache
	cmp origin0 origin
}

# killed NAMES COMMAND...: COMMAND, which makes the files of NAMES, meets SIGKILL
# at a dozen random points, and the first and last ones
killed() {
	local names=$1 seed=${PMK_TEST_SEED:-20240229} n total at name
	shift
	echo "PMK_TEST_SEED=$seed"
	RANDOM=$seed
	mkdir -p right
	with 9 0 "$@"
	is 0 "$status"
	total=$(cat count)
	for name in $names; do
		mv "$name" "right/${name//\//-}"
	done
	at=(1 2 $((total - 3)) $((total - 2)) $((total - 1)) "$total")
	for ((n = 0; n < 12; n++)); do
		at+=($((1 + RANDOM % total)))
	done
	for n in "${at[@]}"; do
		echo "call $n of $total"
		with 9 "$n" "$@"
		is 137 "$status"
		# shellcheck disable=SC2086 # words
		whole $names
		# run again it is done, but for what was the last to be done
		run "$@"
		[ "$status" -eq 0 ] || [[ $output == *"File exists"* ]]
		# shellcheck disable=SC2086 # words
		whole $names
		if [ "$status" -ne 0 ]; then
			# shellcheck disable=SC2086 # words
			rm -f $names
			run -0 "$@"
		fi
		# shellcheck disable=SC2086 # words
		rm $names
	done
}

@test "SIGKILL of export" {
	bulk
	killed file pmk wc export cache origin -o file --threads 1
}

@test "SIGKILL of repair -o" {
	bulk
	killed new pmk wc repair cache -o new --yes
}

@test "SIGKILL of dump, lines and data" {
	bulk
	killed "data/blocks dump" pmk wc dump --all cache --data data -o dump
}

@test "SIGKILL of restore" {
	bulk
	pmk wc dump --all cache --data data -o dump
	killed back pmk wc restore -i dump --data data -o back
	cmp cache right/back
}

# interrupted NAMES COMMAND...: SIGINT at each of the first and last calls, and
# some between: nothing is left at all, and run again it is done
interrupted() {
	local names=$1 n total all before name
	shift
	with 2 0 "$@"
	is 0 "$status"
	total=$(cat count)
	for name in $names; do
		rm "$name"
	done
	before=$(find . | sort)
	for n in 1 2 3 $((total / 3)) $((total / 2)) $((total - 3)) $((total - 2)); do
		echo "call $n of $total"
		with 2 "$n" "$@"
		is 130 "$status"
		all=1
		for name in $names; do
			[ -e "$name" ] || all=0
		done
		# the last calls may be those behind which all is done
		[ $all -eq 1 ] || is "$before" "$(find . | sort)"
		for name in $names; do
			rm -f "$name"
		done
		run -0 "$@"
		for name in $names; do
			rm "$name"
		done
	done
}

@test "SIGINT of export, repair -o, dump and restore: nothing is left" {
	bulk
	mkdir data
	interrupted file pmk wc export cache origin -o file --threads 1
	interrupted new pmk wc repair cache -o new --yes
	interrupted "data/blocks dump" pmk wc dump --all cache --data data -o dump
	pmk wc dump --all cache --data data -o dump
	interrupted back pmk wc restore -i dump --data data -o back
}

@test "SIGINT of repair --in-place: nothing is changed, or all" {
	cache 10
	# three steps: losers, what else is freed, the superblock
	entry 0 3 9
	entry 1 3 2
	entry 2 8 5
	entry 3 8 5
	hex cache 24 "$(le 4)"
	cp cache before
	repair=(pmk wc repair cache --in-place --undo undo --yes --seq-count 10)
	with 2 0 "${repair[@]}"
	is 0 "$status"
	total=$(cat count)
	[ "$total" -gt 6 ]
	cp cache after
	for ((n = 1; n <= total; n++)); do
		cp before cache
		rm -f undo
		with 2 "$n" "${repair[@]}"
		is 130 "$status"
		if [ -e undo ]; then
			cmp after cache
			# and it was said
			[[ $output == *WC_SEQ_AHEAD* ]]
		else
			cmp before cache
		fi
		run -0 "${repair[@]}"
		cmp after cache
	done
}

# no_room KIB REGEX COMMAND...: no file may be larger: one line, exit 1, and
# nothing is left
no_room() {
	local kib=$1 regex=$2 before
	shift 2
	before=$(find . | sort)
	# shellcheck disable=SC2016 # the inner shell expands
	fails 1 "$regex" bash -c 'ulimit -f "$0"; exec "$@"' "$kib" "$@"
	is "$before" "$(find . | sort)"
	cmp cache0 cache
}

@test "no room in the middle of dump and restore" {
	bulk
	mkdir data
	no_room 64 '^pmk wc dump: data/blocks: File too large' \
		pmk wc dump --all cache --data data -o dump
	no_room 1 '^pmk wc dump: dump: File too large' \
		pmk wc dump cache -o dump
	pmk wc dump --all cache --data data -o dump
	no_room 16384 '^pmk wc restore: back: File too large' \
		pmk wc restore -i dump --data data -o back
	works pmk wc restore -i dump --data data -o back
	cmp cache back
}

@test "no room in the middle of writeback: what was written stays" {
	cache 10
	truncate -s 1M origin
	for i in 0 1 2 3; do
		# sector 0, 512, 1024, 1536: at 0, 256, 512, 768 KiB
		entry $i $((512 * i)) 1
	done
	cp cache before
	cp origin want
	wanted 0 0
	wanted 512 1
	run -3 --separate-stderr bash -c 'ulimit -f 500
		exec pmk wc writeback cache origin'
	is "pmk wc writeback: cache: 2 blocks, the first is block 2, sector 1024 of the origin: cannot be written: File too large" \
		"$stderr"
	cmp want origin
	is_free 0 1
	is_kept 2 3
	wanted 1024 2
	wanted 1536 3
	works pmk wc writeback cache origin
	cmp want origin
	is_free 0 1 2 3
}
