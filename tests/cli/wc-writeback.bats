#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# pmk wc writeback: the dirty blocks into the origin.

load common
load wc

setup_file() {
	shims
}

# shim VARIABLE=VALUE...: writeback with a library that makes writes fail
shim() {
	writeback=(env "$@" "LD_PRELOAD=$BATS_FILE_TMPDIR/write.so"
		pmk wc writeback cache origin)
}

# A cache of each kind of entry.
mixed() {
	origin 1M
	cache 10
	entry 0 80 9
	entry 1 88 1
	entry 2 0 5
	entry 3 0 3
	entry 4 0 4
	entry 5 160 10
	entry 253 2040 2
	wanted 80 0
	wanted 88 1
	wanted 0 2
	wanted 2040 253
	cp cache before
}

@test "what the kernel served after its own recovery; what was not committed stays" {
	served
	for name in p4k-crash s4k-crash; do
		golden origin
		golden $name
		cp $name before
		offset=0
		[ $name = s4k-crash ] || offset=2097152
		works pmk wc writeback $name origin --offset $offset --json
		is "256 256 256 0" "$(json '"\(.dirty_blocks) \(.copied_blocks) \(.freed_entries) \(.failed_blocks)"')"
		cmp want origin
		# 8 bytes of each of 256 entries, and all of them ones
		is "2048 377" "$(cmp -l before $name | awk '
			{ n++; to = $3 } $3 != 377 { to = "bad"; exit }
			END { print n, to }')"
		works pmk wc info $name --offset $offset --json
		wanted=0
		[ $name = s4k-crash ] || wanted=16
		is "0 $wanted" "$(json '"\(.committed) \(.uncommitted)"')"
	done
}

@test "entries are freed, their sectors and all else stay" {
	mixed
	works pmk wc writeback cache origin
	cmp want origin
	is_free 0 1 2 3 4 253
	is_kept 5
	is 48 "$(cmp -l before cache | wc -l)"
	# nothing more to do
	cp cache before
	works pmk wc writeback cache origin --json
	is "0 0" "$(json '"\(.dirty_blocks) \(.freed_entries)"')"
	cmp before cache
}

@test "--no-metadata-update" {
	mixed
	chmod 400 cache
	works pmk wc writeback cache origin --no-metadata-update
	cmp want origin
	cmp before cache
}

@test "the order: origin, sync, losers, sync, winners, sync" {
	mixed
	shim PMK_TEST_LOG="$PWD/log"
	run -0 "${writeback[@]}" --threads 1
	# entry I has its sequence at 72 + 16 * I
	is "write origin 0 4096
write origin 40960 8192
write origin 1044480 4096
sync origin
write cache 120 8
write cache 136 8
sync cache
write cache 104 8
write cache 72 8
write cache 88 8
write cache 4120 8
sync cache" "$(cat log)"
}

@test "killed instead of any write or sync: nothing is lost, and it goes on" {
	mixed
	cp cache cache0
	cp origin origin0
	for ((n = 1; n <= 13; n++)); do
		cp cache0 cache
		cp origin0 origin
		shim PMK_TEST_KILL=$n
		# the one behind the last is that none is left
		run "${writeback[@]}"
		is $((n > 12 ? 0 : 137)) "$status"
		works pmk wc export cache origin -o view --force
		cmp want view
		works pmk wc writeback cache origin
		cmp want origin
		is_free 0 1 2 3 4 253
	done
}

# big: 128 MiB of dirty blocks, of 512 bytes, which are two batches
big() {
	pmk wc format --size 160M --block-size 512 cache
	hex cache 24 05
	# entry I for sector 7 * I modulo 2^18, each generation in turn
	seq 0 262143 | awk 'function le(v,  s, i) {
			for (i = 0; i < 8; i++) {
				s = s sprintf("%02X", v % 256)
				v = int(v / 256)
			}
			return s
		}
		{ printf "%s%s", le(($1 * 7) % 262144), le($1 % 5) }' |
		basenc --base16 -d |
		dd of=cache bs=64 seek=1 conv=notrunc status=none
	data=$(pmk wc info cache --json | jq .data_offset_bytes)
	seq -f '%15.0f' 0 8388607 | head -c 128M |
		dd of=cache bs=64k seek="$data" oflag=seek_bytes conv=notrunc status=none
	truncate -s 128M origin
}

@test "SIGKILL at random points, more than one batch" {
	seed=${PMK_TEST_SEED:-20240229}
	echo "PMK_TEST_SEED=$seed"
	RANDOM=$seed
	big
	pmk wc export cache origin -o want
	for ((round = 0; round < 6; round++)); do
		n=$((1 + (RANDOM * 32768 + RANDOM) % 150000))
		echo "round $round: call $n"
		shim PMK_TEST_KILL=$n
		run "${writeback[@]}"
		[ "$status" -eq 137 ] || [ "$status" -eq 0 ]
		works pmk wc export cache origin -o view --force
		cmp want view
	done
	works pmk wc writeback cache origin
	cmp want origin
	run -0 pmk wc info cache --dirty
}

@test "SIGTERM: stops in order, says what is left, and goes on" {
	big
	pmk wc export cache origin -o want
	shim PMK_TEST_TERM=3
	fails 1 '^pmk wc writeback: cache: interrupted: [0-9]+ blocks were written back, [0-9]+ are left; run it again$' \
		"${writeback[@]}" --json
	is true "$(json .stopped)"
	is 262144 "$(json '.copied_blocks + .left_blocks')"
	is "$(json .copied_blocks)" "$(json .freed_entries)"
	left=$(json .left_blocks)
	[ "$left" -gt 0 ]
	works pmk wc writeback cache origin --json
	is "$left 0" "$(json '"\(.copied_blocks) \(.left_blocks)"')"
	cmp want origin
}

@test "a block that cannot be read costs that block only" {
	mixed
	# entry 0, which is read together with entry 1; and the winner of sector 0
	run -3 --separate-stderr env \
		"PMK_TEST_BAD=cache:8192+4096,cache:16384+512" \
		"LD_PRELOAD=$BATS_FILE_TMPDIR/pread.so" \
		pmk wc writeback cache origin
	is 2 "${#stderr_lines[@]}"
	[[ ${stderr_lines[0]} == "pmk wc writeback: cache: block 2, sector 0 of the origin: cannot be read from the cache: Input/output error" ]]
	[[ ${stderr_lines[1]} == *"block 0, sector 80 of"* ]]
	# what it supersedes stays as well
	is_kept 0 2 3 4 5
	is_free 1 253
	# storage works again
	works pmk wc writeback cache origin
	cmp want origin
	is_free 0 1 2 3 4 253
}

@test "--retries" {
	mixed
	# the first three reads of that place: all at once, and twice alone; the
	# superblock and the entries are two reads before
	fails 3 'block 0, sector 80 of the origin: cannot be read' env \
		"PMK_TEST_BAD=cache:8192+4096" \
		"LD_PRELOAD=$BATS_FILE_TMPDIR/pread.so" \
		pmk wc writeback cache origin --retries 0
	is_kept 0
	works pmk wc writeback cache origin --retries 0
	cmp want origin
}

@test "a place of the origin that cannot be written costs that block only" {
	mixed
	shim PMK_TEST_BAD_WRITE=origin:45056+4096
	cp cache again
	fails 3 '^pmk wc writeback: cache: block 1, sector 88 of the origin: cannot be written: Input/output error$' \
		"${writeback[@]}"
	is_kept 1 5
	is_free 0 2 3 4 253
	cp again cache
	run -3 --separate-stderr "${writeback[@]}" --json
	is "" "$stderr"
	is "1 write EIO" "$(json '.failed[] | "\(.entry) \(.why) \(.error)"')"
	is_kept 1 5
	is_free 0 2 3 4 253
	works pmk wc writeback cache origin
	cmp want origin
}

@test "the origin's sync fails once: all is written again" {
	mixed
	shim PMK_TEST_BAD_SYNC=origin:1 PMK_TEST_LOG="$PWD/log"
	works "${writeback[@]}" --threads 1
	cmp want origin
	is "2 2" "$(grep -c '^sync origin' log) $(grep -c '^write origin 0 4096' log)"
	# and no entry was freed before the second one
	is "" "$(awk '/^sync origin/ { n++ } /^write cache/ && n < 2' log)"
}

@test "the origin's sync fails, and a place of it then: that block only" {
	mixed
	shim PMK_TEST_BAD_SYNC=origin:1 PMK_TEST_BAD_WRITE=origin:0+1
	fails 3 'block 2, sector 0 of the origin: cannot be written' \
		"${writeback[@]}"
	is_kept 2 3 4
	is_free 0 1 253
}

@test "what reads back differently is not freed" {
	mixed
	shim PMK_TEST_LOSE=origin:45057
	fails 3 'block 1, sector 88 of the origin: was written, and reads back differently$' \
		"${writeback[@]}"
	is_kept 1
	is_free 0 2 3 4 253
}

@test "an entry that cannot be freed: nothing is lost" {
	mixed
	shim PMK_TEST_BAD_WRITE=cache:104+8
	fails 1 'entry 2 cannot be freed.*4 of 4 blocks were written back' \
		"${writeback[@]}"
	is_kept 2
	works pmk wc export cache origin -o view
	cmp want view
	works pmk wc writeback cache origin
	cmp want origin
}

@test "an origin without room for a block: nothing is written" {
	mixed
	truncate -s 1044479 origin
	cp origin short
	fails 1 '^pmk wc writeback: cache: 1 blocks have no place on origin \(1044479 bytes\), the first is block 253 of sector 2040: is it the right origin\?  Nothing was written; --skip-bad writes the others$' \
		pmk wc writeback cache origin
	cmp short origin
	cmp before cache
	fails 3 'block 253, sector 2040 of the origin: ends behind the end of the origin$' \
		pmk wc writeback cache origin --skip-bad
	# and it is not made larger
	cmp <(head -c 1044479 want | head -c 1044480) origin
	is_kept 253
	is_free 0 1 2 3 4
}

@test "sectors that no kernel writes are left alone" {
	mixed
	entry 6 3 1
	hex cache $((64 + 16 * 7)) "ffffffffffffffff$(le 1)"
	cp cache before
	fails 1 '2 blocks have no place on origin' pmk wc writeback cache origin
	run -3 pmk wc writeback cache origin --skip-bad
	cmp want origin
	is_kept 6 7
}

@test "the same device twice, by any name" {
	mixed
	ln cache hard
	ln -s cache soft
	for name in cache hard soft ./cache; do
		fails 1 "$name: it is the cache itself" \
			pmk wc writeback cache "$name"
	done
	cmp before cache
}

@test "a file that somebody has locked" {
	mixed
	# the first one waits in the middle of its verification
	env "PMK_TEST_WAIT=origin:$PWD/go" \
		"LD_PRELOAD=$BATS_FILE_TMPDIR/pread.so" \
		pmk wc writeback cache origin 3>&- &
	first=$!
	wait_for cmp -s want origin
	fails 1 'origin: .*another program has the file locked' \
		pmk wc writeback before origin
	fails 1 'cache: .*another program has the file locked' \
		pmk wc writeback cache want
	touch go
	wait "$first"
	cmp want origin
}

@test "no cache, and one whose superblock needs repair" {
	mixed
	hex cache 0 00
	fails 1 'no cache that blocks can be taken from' \
		pmk wc writeback cache origin
	fails 1 'none: No such file' pmk wc writeback none origin
	fails 1 'none: No such file' pmk wc writeback before none
	fails 1 'neither a regular file nor' pmk wc writeback before /dev/null
	mkdir dir
	fails 1 'dir: ' pmk wc writeback before dir
	run -2 pmk wc writeback before
	no_file none
}

@test "a wrong number of blocks or block size: nothing is taken" {
	for field in "16 $(le 510)" "16 $(le 1278)" "16 $(le 33022)" \
		"16 $(le 126)" "8 00080000" "8 00200000" "0 00000000"; do
		mixed
		# shellcheck disable=SC2086 # words
		hex cache $field
		cp cache before
		fails 1 "no block is taken|no cache" pmk wc writeback cache origin
		fails 1 "no block is taken|no cache" pmk wc export cache origin -o view
		cmp before cache
		cmp <(head -c 1M /dev/zero | tr '\0' o) origin
	done
}

@test "a flipped bit of the number of blocks of a device that a kernel wrote" {
	for bit in 0 1 8 9 10 11 12 13 14 15 16 17; do
		golden origin
		cp origin want
		golden s4k-crash
		n=$(od -An -tu8 -j16 -N8 s4k-crash)
		hex s4k-crash 16 "$(le $((n ^ 1 << bit)))"
		cp s4k-crash before
		fails 1 "no block is taken|no cache" pmk wc writeback s4k-crash origin
		cmp before s4k-crash
		cmp want origin
	done
}

@test "an entry that cannot be read: blocks are written, none is freed" {
	mixed
	run -3 env PMK_TEST_BAD=cache:1024+512 \
		LD_PRELOAD="$BATS_FILE_TMPDIR/pread.so" \
		pmk wc writeback cache origin
	cmp want origin
	cmp before cache
}
