#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# pmk copy of files of which parts cannot be read: pread(2) fails there, by a
# library that is preloaded (pread_shim.c).

load common

# A path with a blank would be two libraries to the loader.
setup_file() {
	cp "$PMK_PREAD_SHIM" "$BATS_FILE_TMPDIR/shim.so"
	export PMK_PREAD_SHIM=$BATS_FILE_TMPDIR/shim.so
}

# bad RANGES: these parts of src, "OFF+LEN ...", cannot be read by "${copy[@]}"
bad() {
	local r list=
	for r in $1; do
		[[ $r == *:* ]] || r=src:$r
		list+=${list:+,}$r
	done
	copy=(env "PMK_TEST_BAD=$list" "LD_PRELOAD=$PMK_PREAD_SHIM" pmk copy)
}

# zero FILE OFF LEN
zero() {
	head -c "$3" /dev/zero |
		dd of="$1" bs=64k seek="$2" oflag=seek_bytes conv=notrunc status=none
}

# expect OFF LEN ...: what dst has to be
expect() {
	cp src want
	while [ $# -gt 0 ]; do
		zero want "$1" "$2"
		shift 2
	done
	cmp want dst
}

only() {
	is "$*" "$(ls -A | tr '\n' ' ' | sed 's/ $//')"
}

@test "a new DST: the rest is saved, zeros for what is lost, exit 3" {
	head -c 3000000 /dev/urandom >src
	bad 1024+512
	fails 3 '^pmk copy: src: damaged: 512 bytes at offset 1024 cannot be read; zeros in dst$' \
		"${copy[@]}" src dst
	expect 1024 512
	only dst src want
}

@test "the first sector, the last one, one across chunks, all" {
	head -c 9000100 /dev/urandom >src
	bad 0+512
	fails 3 'damaged: 512 bytes at offset 0 cannot' "${copy[@]}" src dst
	expect 0 512
	rm dst
	# 17578 whole sectors, and one of 164 bytes
	bad 8999936+512
	fails 3 'damaged: 164 bytes at offset 8999936 cannot' \
		"${copy[@]}" src dst
	expect 8999936 164
	rm dst
	bad 4190208+8192
	fails 3 'damaged: 8192 bytes at offset 4190208 cannot' \
		"${copy[@]}" src dst
	expect 4190208 8192
	rm dst
	bad 0+10000000
	fails 3 'damaged: 9000100 bytes at offset 0 cannot' \
		"${copy[@]}" src dst
	expect 0 9000100
}

@test "neighbours are one range; many ranges are not many lines" {
	head -c 400000 /dev/urandom >src
	bad "4096+512 4608+512 5120+512"
	fails 3 'damaged: 1536 bytes at offset 4096 cannot' \
		"${copy[@]}" src dst
	expect 4096 1536
	rm dst
	ranges=() zeros=()
	for ((i = 0; i < 25; i++)); do
		ranges+=($((i * 8192))+512)
		zeros+=($((i * 8192)) 512)
	done
	bad "${ranges[*]}"
	run -3 --separate-stderr "${copy[@]}" src dst
	is 21 "${#stderr_lines[@]}"
	is "pmk copy: src: damaged: 512 bytes at offset 155648 cannot be read; zeros in dst" \
		"${stderr_lines[19]}"
	is "pmk copy: src: damaged: ... and 5 more ranges; 12800 bytes in all" \
		"${stderr_lines[20]}"
	expect "${zeros[@]}"
	rm dst
	run -3 --separate-stderr "${copy[@]}" src dst --json
	is "" "$stderr"
	is "25 12800 196608 512 true" \
		"$(json '"\(.damaged | length) \(.damaged_bytes) \(.damaged[24].offset_bytes) \(.damaged[24].size_bytes) \(.in_place)"')"
}

@test "a DST that exists: stops, and leaves it; --skip-damaged saves the rest" {
	head -c 3000000 /dev/urandom >src
	echo old >dst
	bad "8192+1024 1000448+512"
	fails 3 '^pmk copy: src: damaged: 1024 bytes at offset 8192 cannot be read; dst is as it was, --skip-damaged saves the rest$' \
		"${copy[@]}" src dst --force --verify
	is old "$(cat dst)"
	only dst src
	bad "8192+1024"
	fails 3 'dst is as it was' "${copy[@]}" src dst --force --json
	is "1 false 8192 null" \
		"$(json '"\(.damaged | length) \(.in_place) \(.damaged[0].offset_bytes) \(.verified)"')"
	is old "$(cat dst)"
	bad "8192+1024 1000448+512"
	run -3 --separate-stderr "${copy[@]}" src dst \
		--force --skip-damaged
	is 2 "${#stderr_lines[@]}"
	expect 8192 1024 1000448 512
	# without damage it is an option like any other
	works pmk copy src dst --force --skip-damaged
	cmp src dst
}

@test "the first range is known whole before the copy stops" {
	head -c 20000000 /dev/urandom >src
	echo old >dst
	bad "1024+12000256 15000064+512"
	fails 3 'damaged: 12000256 bytes at offset 1024 cannot' \
		"${copy[@]}" src dst --force
	is old "$(cat dst)"
}

@test "--verify compares what could be read" {
	head -c 9000000 /dev/urandom >src
	bad 5000192+512
	fails 3 'damaged: 512 bytes at offset 5000192 cannot be read; zeros in dst$' \
		"${copy[@]}" src dst --verify
	expect 5000192 512
	rm dst
	run -3 --separate-stderr "${copy[@]}" src dst --verify --json
	is "true true 512" "$(json '"\(.verified) \(.in_place) \(.damaged_bytes)"')"
}

@test "--verify: SRC fails after it was copied: nothing is lost" {
	head -c 1000000 /dev/urandom >src
	# one read copies all of it
	bad 4096+512@2
	fails 3 '^pmk copy: src: damaged: 512 bytes at offset 4096 could be read for the copy, but not again to compare$' \
		"${copy[@]}" src dst --verify
	cmp src dst
}

@test "--verify: DST cannot be read back: it is not put in place" {
	head -c 1000000 /dev/urandom >src
	bad .pmk-copy-:4096+512
	fails 3 '^pmk copy: dst: damaged: 512 bytes at offset 4096 cannot be read back; it was not put in place$' \
		"${copy[@]}" src dst --verify
	only src
	fails 3 'cannot be read back' \
		"${copy[@]}" src dst --verify --json
	is "false false 0" "$(json '"\(.verified) \(.in_place) \(.damaged_bytes)"')"
}

@test "ranges at random" {
	for ((round = 0; round < 20; round++)); do
		head -c $((RANDOM * 200 + RANDOM + 1)) /dev/urandom >src
		size=$(stat -c %s src)
		cp src want
		ranges=()
		for ((hit = 0; hit <= round; hit++)); do
			off=$(((RANDOM * 32768 + RANDOM) % size / 512 * 512))
			len=$((RANDOM % 40 * 512 + 512))
			ranges+=("$off+$len")
			zero want $off $len
		done
		truncate -s "$size" want
		rm -f dst
		bad "${ranges[*]}"
		run -3 --separate-stderr "${copy[@]}" src dst --verify
		cmp want dst
	done
}

# the shim itself looks through all ranges at each read
@test "very many bad sectors take no longer than that many reads" {
	truncate -s 2M src
	bad "$(seq -f '%.0f+512' 0 1024 $((2097152 - 1)))"
	SECONDS=0
	run -3 --separate-stderr "${limit[@]}" "${copy[@]}" src dst --json
	is 2048 "$(json '.damaged | length')"
	[ "$SECONDS" -lt 30 ]
}

@test "a DST that is cut off while it is written: an error, nothing left" {
	head -c 9000000 /dev/urandom >src
	env PMK_TEST_WAIT=src:go LD_PRELOAD="$PMK_PREAD_SHIM" \
		pmk copy src dst 2>err 3>&- &
	copier=$!
	wait_for compgen -G '.pmk-copy-*' >/dev/null
	truncate -s 0 .pmk-copy-*
	touch go
	status=0
	wait $copier || status=$?
	is 1 "$status"
	is "pmk copy: dst: a mapped file was cut off, or its storage failed" \
		"$(cat err)"
	only err go src
}

@test "a source that is cut off is no damage" {
	head -c 9000000 /dev/urandom >src
	env PMK_TEST_WAIT=src:go LD_PRELOAD="$PMK_PREAD_SHIM" \
		pmk copy src dst 2>err 3>&- &
	copier=$!
	wait_for compgen -G '.pmk-copy-*' >/dev/null
	truncate -s 5000000 src
	touch go
	status=0
	wait $copier || status=$?
	is 1 "$status"
	is "pmk copy: src: ends at byte 5000000 of 9000000: it was cut off during the copy" \
		"$(cat err)"
	only err go src
}
