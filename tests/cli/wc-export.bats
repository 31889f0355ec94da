#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# pmk wc export: what the origin would be, as a file.

load common
load wc

setup_file() {
	shims
}

only() {
	is "$*" "$(ls -A | tr '\n' ' ' | sed 's/ $//')"
}

@test "what the kernel served after its own recovery, modes p and s" {
	served
	golden p4k-crash
	golden p4k-clean
	golden s4k-crash
	works pmk wc export p4k-crash origin -o file --offset 2M
	cmp want file
	works pmk wc export p4k-clean origin -o file --offset 2M --force
	cmp want file
	works pmk wc export s4k-crash origin -o file --force --json
	cmp want file
	is "256 256 0 0 0 false" "$(json '[.dirty_blocks, .copied_blocks,
		.failed_blocks, .left_blocks, .lost_origin_bytes, .stopped]
		| map(tostring) | join(" ")')"
}

@test "neither is touched: both may be read-only" {
	origin 1M
	cache 10
	entry 0 0 1
	wanted 0 0
	sha256sum cache origin >sums
	chmod 400 cache origin
	works pmk wc export cache origin -o file
	cmp want file
	sha256sum -c --quiet sums
	is 600 "$(stat -c %a file)"
}

@test "the newest of a sector, and nothing that was not committed" {
	origin 1M
	cache 10
	entry 0 16 5
	entry 1 16 3
	entry 2 16 9
	entry 3 32 10
	entry 4 48 10
	entry 253 2040 0
	wanted 16 2
	wanted 2040 253
	works pmk wc export cache origin -o file
	cmp want file
	# of two alike, the later one
	entry 6 16 9
	wanted 16 6
	works pmk wc export cache origin -o file --force
	cmp want file
	# higher than the superblock's: that is wrong, or this
	entry 4 48 11
	fails 1 WC_SEQ_AHEAD pmk wc export cache origin -o file --force
	cmp want file
}

@test "holes stay holes, zeros become holes" {
	truncate -s 64M origin
	cp origin want
	cache 10
	entry 0 8192 1
	entry 1 131064 1
	wanted 8192 0
	wanted 131064 1
	# a block of zeros over data
	entry 2 16384 1
	head -c 4096 /dev/zero | dd of=cache bs=4096 seek=4 conv=notrunc status=none
	text 9 | dd of=origin bs=512 seek=16384 conv=notrunc status=none
	works pmk wc export cache origin -o file
	cmp want file
	is 67108864 "$(stat -c %s file)"
	[ "$(du -k file | cut -f1)" -le 64 ]
}

@test "blocks of 512 bytes, an origin that ends in the middle of one of 4096" {
	pmk wc format --size 256k --block-size 512 small
	origin 1000500
	hex small 24 05
	hex small 64 "$(le 3)$(le 1)$(le 4)$(le 1)$(le 1953)$(le 1)"
	# entry and data of the geometry that info tells
	data=$(pmk wc info small --json | jq .data_offset_bytes)
	for i in 0 1 2; do
		text $i | head -c 512 | dd of=small bs=512 \
			seek=$((data / 512 + i)) conv=notrunc status=none
	done
	for i in "3 0" "4 1" "1953 2"; do
		text "${i#* }" | head -c 512 |
			dd of=want bs=512 seek="${i% *}" conv=notrunc status=none
	done
	works pmk wc export small origin -o file
	cmp want file
}

@test "a block that cannot be read: the origin's, and exit 3" {
	origin 1M
	cache 10
	entry 0 0 1
	entry 1 8 1
	entry 2 16 1
	wanted 0 0
	wanted 16 2
	# one read takes all three at first
	fails 3 '^pmk wc export: cache: block 1, sector 8 of the origin: cannot be read from the cache: Input/output error$' \
		env "PMK_TEST_BAD=cache:12800+512" \
		"LD_PRELOAD=$BATS_FILE_TMPDIR/pread.so" \
		pmk wc export cache origin -o file
	cmp want file
}

@test "sectors of the origin that cannot be read: zeros, unless a block covers them" {
	origin 1M
	cache 10
	entry 0 16 1
	wanted 16 0
	head -c 1024 /dev/zero | dd of=want bs=512 seek=3 conv=notrunc status=none
	# 1536..2560, and all of the covered block
	fails 3 '^pmk wc export: origin: 1024 bytes cannot be read; zeros in file$' \
		env "PMK_TEST_BAD=origin:1536+1024,origin:8192+4096" \
		"LD_PRELOAD=$BATS_FILE_TMPDIR/pread.so" \
		pmk wc export cache origin -o file
	cmp want file
}

@test "blocks that the origin has no place for" {
	origin 1M
	cache 10
	entry 0 2048 1
	entry 1 3 1
	entry 2 0 1
	wanted 0 2
	run -3 --separate-stderr pmk wc export cache origin -o file
	is 2 "${#stderr_lines[@]}"
	[[ ${stderr_lines[0]} == *"block 1, sector 3 of the origin: has a sector that is no multiple of the block size" ]]
	[[ ${stderr_lines[1]} == *"block 0, sector 2048 of the origin: ends behind the end of the origin" ]]
	cmp want file
}

@test "full disk: nothing is left" {
	origin 1M
	cache 10
	entry 0 0 1
	fails 1 '^pmk wc export: file: File too large.*; no file was made$' \
		bash -c 'ulimit -f 512; exec pmk wc export cache origin -o file'
	only cache origin want
}

@test "a file that exists, or is one of the two" {
	origin 1M
	cache 10
	echo old >file
	fails 1 'file: File exists; --force replaces it$' \
		pmk wc export cache origin -o file
	is old "$(cat file)"
	fails 1 'is the same file as origin$' \
		pmk wc export cache origin -o origin --force
	ln -s cache link
	fails 1 'is the same file as cache$' \
		pmk wc export cache origin -o link --force
	fails 1 'cache: it is the cache itself' \
		pmk wc export cache cache -o new
	fails 1 'link: it is the cache itself' \
		pmk wc export cache link -o new
	run -2 pmk wc export cache origin
	[[ $output == *"-o FILE is missing"* ]]
}

@test "no cache" {
	origin 1M
	fails 1 'no cache that blocks can be taken from' \
		pmk wc export origin want -o file
	fails 1 'none: No such file' pmk wc export none origin -o file
	cache 10
	fails 1 'none: No such file' pmk wc export cache none -o file
	only cache origin want
}
