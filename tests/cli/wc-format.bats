#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# pmk wc format: the bytes that the kernel writes, where, and over what.

load common
load wc

# bytes FILE OFFSET LENGTH
bytes() {
	od -An -v -tx1 -j "$2" -N "$3" "$1" | tr -d ' \n'
}

# all BYTE FILE OFFSET LENGTH: it is all there is
all() {
	is "$4" "$(dd if="$2" bs=64K iflag=skip_bytes,count_bytes skip="$3" count="$4" status=none |
		tr -d -c "\\$1" | wc -c)"
}

@test "as the kernel formats 1 MiB" {
	works pmk wc format --size 1M cache
	is 1048576 "$(stat -c %s cache)"
	is 21934823010000000010000000000000fe000000000000000000000000000000 \
		"$(bytes cache 0 32)"
	all 000 cache 32 32
	all 377 cache 64 4064
	all 000 cache 4128 1044448
}

@test "data blocks are left as they are" {
	truncate -s 2M cache
	echo data | dd of=cache bs=1 seek=1M conv=notrunc status=none
	works pmk wc format --json cache
	is "509 4096 12288" "$(json '"\(.n_blocks) \(.block_size_bytes) \(.data_offset_bytes)"')"
	is 646174610a "$(bytes cache 1048576 5)"
}

@test "smaller blocks, behind an offset and start_sector" {
	works pmk wc format --size 2M --offset 64k --start-sector 128 --block-size 512 cache
	all 000 cache 0 131072
	is 21934823010000000002 "$(bytes cache 131072 10)"
	works pmk wc info --offset 64k --start-sector 128 cache
	works pmk wc info --json --offset 128k cache
	is "$(pmk wc size --size 1920k --block-size 512 --json | jq .n_blocks)" "$(json .n_blocks)"
}

@test "what is there is not overwritten" {
	works pmk wc format --size 1M cache
	printf '\x05' | dd of=cache bs=1 seek=24 conv=notrunc status=none
	sum=$(sha256sum cache)
	fails 1 'there is a cache already .dm-writecache, version 1.; .*--force' \
		pmk wc format cache
	fails 1 'cache: File exists; without --size' pmk wc format --size 1M cache
	is "$sum" "$(sha256sum cache)"
	works pmk wc format --force cache
	is 0000000000000000 "$(bytes cache 24 8)"
	# a file system whose superblock is not at the start
	truncate -s 1M fs
	echo _BHRfS_M | dd of=fs bs=1 seek=65600 conv=notrunc status=none
	fails 1 'there is data already; --force' pmk wc format fs
	# the last entry of many is overwritten as well
	truncate -s 64M big
	echo x | dd of=big bs=1 seek=261183 conv=notrunc status=none
	fails 1 'there is data already; --force' pmk wc format big
	is 21934823 "$(pmk wc format --force big && bytes big 0 4)"
}

@test "a file that another command has is not touched, with --force either" {
	shims
	cache 10
	entry 0 0 1
	entry 1 80 1
	origin 1M
	wanted 0 0
	wanted 80 1
	# writeback waits in the middle of its verification: the second read
	env "PMK_TEST_WAIT=origin:$PWD/go" \
		"LD_PRELOAD=$BATS_FILE_TMPDIR/pread.so" \
		pmk wc writeback cache origin 3>&- &
	writeback=$!
	wait_for cmp -s want origin
	cp cache before
	fails 1 'cache: .*(locked|busy)' pmk wc format --force cache
	fails 1 'origin: .*(locked|busy)' pmk wc format --force origin
	cmp before cache
	cmp want origin
	touch go
	wait "$writeback"
	works pmk wc format --force cache
}

@test "no room, no file, no rights" {
	fails 1 'no room for a block of 4096' pmk wc format --size 8191 cache
	no_file cache
	fails 1 'behind the end' pmk wc format --size 1M --start-sector 2048 cache
	no_file cache
	fails 1 'No such file or directory; --size' pmk wc format cache
	mkfifo fifo
	fails 1 'fifo: neither a regular file nor' pmk wc format fifo
	fails 1 '/dev/null: neither a regular file nor' pmk wc format /dev/null
	truncate -s 1M mine
	chmod 400 mine
	run -1 --separate-stderr as_nobody "$PMK" wc format mine
	is "pmk wc format: mine: Permission denied" "$stderr"
	run -2 pmk wc format --size 1M --block-size 3000 cache
	run -2 pmk wc format
	no_file cache
}

@test "a full disk leaves no new file" {
	in_tmpfs 100k pmk wc format --size 64M mnt/cache
	is 1 "$status"
	[[ $stderr == "pmk wc format: mnt/cache: No space left on device" ]]
}
