#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# pmk wc repair: what is wrong with a cache made right, and back again.

load common
load wc

setup_file() {
	shims
}

# repaired STATUS OPTION...: in place and undone again, then as a copy, which is
# repaired again: each time the result is the same; it is left in "cache", and
# what was there before in "before"
repaired() {
	local wanted=$1
	shift
	cp cache before
	run -"$wanted" pmk wc repair cache --in-place --undo undo --yes "$@"
	cp cache after
	if [ -e undo ]; then
		works pmk wc repair --undo-apply undo cache
		cmp before cache
	fi
	cp before cache
	run -"$wanted" pmk wc repair cache -o new --yes "$@"
	cmp before cache
	cmp after new
	# what is right stays as it is
	run -"$wanted" pmk wc repair new -o again --yes --json "$@"
	is 0 "$(json .change_count)"
	cmp new again
	cp new cache
	rm -f new again undo
}

# clean: nothing but what is ordinary after a crash
clean() {
	run -0 --separate-stderr pmk wc repair cache --dry-run --json
	is "0 true" "$(json '"\(.change_count) \(.clean)"')"
	run pmk wc check cache --json
	is loads "$(json .verdict)"
}

# changed N: so many bytes are others than before
changed() {
	is "$1" "$(cmp -l before cache | wc -l)"
}

@test "a good cache, and what a crash leaves" {
	cache 10
	repaired 0
	changed 0
	entry 0 0 3
	entry 1 8 10
	repaired 0
	changed 0
	repaired 0 --free-uncommitted
	is_free 1
	is_kept 0
	changed 8
	for name in p4k-crash s4k-crash; do
		golden $name
		offset=0
		[ $name = s4k-crash ] || offset=2M
		works pmk wc repair $name -o new --offset $offset --yes --force
		cmp $name new
	done
}

@test "two of a sector: the loser is freed, the later one of two alike wins" {
	cache 10
	entry 0 0 3
	entry 1 0 5
	entry 2 8 5
	entry 3 8 3
	repaired 0
	is_free 0 3
	is_kept 1 2
	cache 10
	entry 0 0 5
	entry 1 0 5
	entry 2 8 5
	repaired 0
	is_free 0
	is_kept 1 2
	clean
	changed 8
}

@test "losers are freed, and durable, before others" {
	cache 10
	# an unaligned sector twice: the newer one must not go first
	entry 0 3 9
	entry 1 3 2
	cp cache before
	run -0 env PMK_TEST_LOG="$PWD/log" \
		"LD_PRELOAD=$BATS_FILE_TMPDIR/write.so" \
		pmk wc repair cache --in-place --undo undo --yes
	is "write cache 88 8
sync cache
write cache 72 8
sync cache" "$(cat log)"
	clean
}

@test "killed instead of any write or sync: a second repair ends it, or undo" {
	cache 10
	entry 0 3 9
	entry 1 3 2
	entry 2 8 5
	entry 3 8 5
	hex cache 0 00
	cp cache before
	run -3 pmk wc repair cache --in-place --undo undo --yes
	# the magic is not proven with a sector like that
	cmp before cache
	hex cache 0 21
	cp cache before
	run -0 pmk wc repair cache --in-place --undo undo --yes
	cp cache after
	for ((n = 1; n <= 6; n++)); do
		cp before cache
		rm undo
		run env PMK_TEST_KILL=$n "LD_PRELOAD=$BATS_FILE_TMPDIR/write.so" \
			pmk wc repair cache --in-place --undo undo --yes
		is $((n > 5 ? 0 : 137)) "$status"
		cp cache killed
		works pmk wc repair --undo-apply undo cache
		cmp before cache
		cp killed cache
		run -0 pmk wc repair cache --in-place --undo undo2 --yes
		cmp after cache
		rm -f undo2
	done
}

@test "sectors that cannot be right, and those behind an origin" {
	cache 10
	entry 0 3 1
	hex cache $((64 + 16)) "f8ffffffffffffff$(le 1)"
	entry 2 2048 1
	entry 3 2040 1
	cp cache start
	repaired 0
	is_free 0 1
	is_kept 2 3
	cp start cache
	truncate -s 1M origin
	repaired 0 --origin origin
	is_free 0 1 2
	is_kept 3
	cp start cache
	truncate -s 1044481 origin
	repaired 0 --origin origin
	is_free 0 1 2 3
}

@test "the magic and the version" {
	cache 10
	entry 0 0 1
	entry 5 80 9
	cp cache good
	for bytes in "0 00" "0 00000000" "0 0000000000000000" "4 07"; do
		cp good cache
		# shellcheck disable=SC2086 # two words
		hex cache $bytes
		repaired 0
		cmp good cache
		clean
	done
	# version 2 is another layout, and may be meant
	cp good cache
	hex cache 4 02
	repaired 3
	changed 0
	# something else than a cache
	head -c 1M /dev/urandom >cache
	repaired 3
	changed 0
}

@test "an interrupted format is finished" {
	cache 0
	hex cache 0 00000000
	repaired 0
	clean
	pmk wc format --size 1M formatted
	cmp <(head -c 8192 formatted) <(head -c 8192 cache)
	# entries are in use: perhaps a cache that lost more than its magic
	cache 0
	hex cache 0 00000000
	for i in 100 200 253; do
		entry $i 8 3
	done
	repaired 3
	changed 0
}

@test "the number of blocks, where the entries prove it" {
	for n in 0 255 281474976710656 4503599627370496; do
		cache 10
		entry 0 0 1
		entry 253 8 9
		cp cache good
		hex cache 16 "$(le $n)"
		repaired 0
		cmp good cache
		clean
	done
	# data that is no entry, where the last one should be
	hex cache 16 "$(le 255)"
	hex cache $((64 + 16 * 253)) "$(le 5)$(le 77)"
	repaired 3
	changed 0
}

@test "the block size, where it is proven or told" {
	cache 10
	entry 0 0 1
	cp cache good
	hex cache 8 b80b0000
	repaired 0
	cmp good cache
	clean
	hex cache 8 00000000
	repaired 0 --block-size 4096
	cmp good cache
}

@test "a device that was cut off is left as it is" {
	cache 10
	entry 0 0 1
	truncate -s 512K cache
	repaired 3
	changed 0
}

@test "the sequence is changed where it is proven wrong, and told" {
	cache 10
	entry 0 0 12
	entry 1 8 3
	cp cache start
	# the superblock is behind its entries
	repaired 3
	changed 0
	repaired 0 --seq-count 13
	is "$(le 13)" "$(od -An -tx1 -j 24 -N 8 cache | tr -d ' ')"
	clean
	# a good one is not touched
	cp cache before
	run -0 pmk wc repair cache -o new --yes --seq-count 99
	cmp cache new
	rm new
	# 2^64-1 with blocks in it; and empty, when any number does
	hex cache 24 ffffffffffffffff
	repaired 3
	changed 0
	cache 10
	hex cache 24 ffffffffffffffff
	repaired 0
	clean
	is "$(le 0)" "$(od -An -tx1 -j 24 -N 8 cache | tr -d ' ')"
}

@test "4096 bytes that were zeroed" {
	cache 10
	entry 0 0 1
	entry 252 16 4
	entry 253 8 9
	cp cache good
	head -c 4096 /dev/zero | dd of=cache bs=4096 conv=notrunc status=none
	repaired 3
	changed 0
	# with this one, data would be entries
	repaired 3 --block-size 512 --seq-count 10
	changed 0
	repaired 0 --block-size 4096 --seq-count 10
	clean
	is_free 0 1 251
	cp good before
	is_kept 252 253
	cmp <(head -c 64 good) <(head -c 64 cache)
	# the first 252 entries are lost, and all ones
	is $((252 * 16)) "$(head -c 4096 cache | tail -c 4032 | tr -d -c '\377' | wc -c)"
}

@test "behind an offset and a start sector; undo counts from the start" {
	cache 10
	entry 0 0 5
	entry 1 0 5
	{
		head -c 5000 /dev/zero
		head -c 1024 /dev/zero
		cat cache
	} >outer
	cp outer before
	run -0 pmk wc repair outer --in-place --undo undo --yes \
		--offset 5000 --start-sector 2
	is 8 "$(cmp -l before outer | wc -l)"
	is "at $((5000 + 1024 + 72)) $(le 5) ffffffffffffffff" \
		"$(grep ^at undo)"
	works pmk wc repair --undo-apply undo outer
	cmp before outer
}

@test "an undo file of something else, or incomplete" {
	cache 10
	entry 0 0 5
	entry 1 0 5
	entry 2 3 5
	cp cache before
	run -0 pmk wc repair cache --in-place --undo undo --yes
	cp cache after
	for edit in 1d '$d' 's/^end 2/end 3/' 2d 's/^at 72 0/at 72 1/' \
		's/^at 72/at 2000000/' 's/ff$/fe/' 's/^at/it/'; do
		sed "$edit" undo >bad
		fails 1 '^pmk wc repair: bad: ' \
			pmk wc repair --undo-apply bad cache
		cmp after cache
	done
	# it was used since
	hex cache 72 0400000000000000
	cp cache used
	fails 1 'neither what they were before the repair nor' \
		pmk wc repair --undo-apply undo cache
	cmp used cache
	works pmk wc repair --undo-apply undo cache --force
	cmp before cache
}

@test "nothing is written before --yes, nor by --dry-run" {
	cache 10
	entry 0 0 5
	entry 1 0 5
	cp cache before
	run -1 --separate-stderr pmk wc repair cache --in-place --undo undo </dev/null
	[[ $stderr == *"1 changes are to be made; --yes makes them, nothing was changed" ]]
	[[ $output == *WC_EQUAL_SEQ*0*72*8*0500000000000000*ffffffffffffffff* ]]
	run -0 --separate-stderr pmk wc repair cache --dry-run --json
	is "1 false true WC_EQUAL_SEQ 0 72 8" "$(json '[.change_count, .applied, .clean,
		.changes[0].code, .changes[0].entry, .changes[0].offset_bytes,
		.changes[0].size_bytes] | map(tostring) | join(" ")')"
	chmod 400 cache
	run -0 pmk wc repair cache --dry-run --in-place
	run -1 pmk wc repair cache -o new </dev/null
	cmp before cache
	no_file undo new
}

@test "an undo file that cannot be written: nothing is changed" {
	cache 10
	for ((i = 0; i < 30; i++)); do
		entry $i 0 5
	done
	cp cache before
	echo mine >undo
	fails 1 'undo: File exists; nothing was changed$' \
		pmk wc repair cache --in-place --undo undo --yes
	is mine "$(cat undo)"
	fails 1 'no/undo: No such file' \
		pmk wc repair cache --in-place --undo no/undo --yes
	fails 1 'nothing was changed$' bash -c 'ulimit -f 1
		exec pmk wc repair cache --in-place --undo other --yes'
	cmp before cache
	no_file other
}

@test "a copy: sparse, not over a file that exists, none if there is no room" {
	cache 10
	entry 0 0 5
	entry 1 0 5
	truncate -s 64M cache
	echo old >new
	fails 1 'new: File exists; --force replaces it$' \
		pmk wc repair cache -o new --yes
	is old "$(cat new)"
	run -0 pmk wc repair cache -o new --yes --force
	is 67108864 "$(stat -c %s new)"
	[ "$(du -k new | cut -f1)" -le 64 ]
	rm new
	fails 1 'new: File too large; no copy was made$' \
		bash -c 'ulimit -f 4; exec pmk wc repair cache -o new --yes'
	is "cache" "$(ls -A)"
}

@test "usage" {
	cache 10
	run -2 pmk wc repair cache
	run -2 pmk wc repair cache --in-place --yes
	run -2 pmk wc repair cache --in-place --undo u -o new
	run -2 pmk wc repair cache -o new --undo u
	run -2 pmk wc repair cache --undo-apply u --in-place
	run -2 pmk wc repair -o new
	fails 1 'none: No such file' pmk wc repair none --dry-run
	fails 1 'none: No such file' pmk wc repair cache --undo-apply none
}

@test "a copy replaces no device and nothing that is read" {
	cache 10
	cp cache before
	truncate -s 1M origin
	mkfifo fifo
	mkdir dir
	ln cache hard
	ln -s cache soft
	for to in cache hard soft origin; do
		fails 1 'is the same file' \
			pmk wc repair cache --origin origin -o $to --yes --force
	done
	for to in fifo dir /dev/null; do
		fails 1 'not a regular file' pmk wc repair cache -o $to --yes --force
	done
	for from in fifo dir /dev/null; do
		fails 1 'neither a regular file' pmk wc repair -n --origin $from cache
		fails 1 'neither a regular file' pmk wc repair -o new $from
	done
	cmp before cache
}

@test "an origin that is empty, and an undo file that is no file" {
	cache 10
	entry 0 0 1
	: >empty
	mkfifo fifo
	mkdir dir
	fails 1 'empty: no origin: it is empty' \
		pmk wc repair cache --dry-run --origin empty
	for f in fifo dir; do
		fails 1 "$f: not a regular file" pmk wc repair --undo-apply $f cache
	done
}

@test "undo of a cache that was written back since would bring old data back" {
	cache 10
	entry 0 0 1
	entry 1 0 5
	head -c 1M /dev/zero | tr '\0' o >origin
	run -0 pmk wc repair cache --in-place --undo undo --yes
	works pmk wc writeback cache origin
	cp cache after
	fails 1 '^pmk wc repair: undo: .*changed since the repair' \
		pmk wc repair --undo-apply undo cache
	cmp after cache
	works pmk wc repair --undo-apply undo --force cache
	is "$(le 0)$(le 1)" "$(od -An -v -tx1 -j 64 -N 16 cache | tr -d " \n")"
}
