#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# pmk wc info and size: what kernels left, damage, and what is no cache.  The
# figures of golden images are those of the README beside them.

load common

# A path with a blank would be two libraries to the loader.
setup_file() {
	cp "$PMK_PREAD_SHIM" "$BATS_FILE_TMPDIR/shim.so"
	export PMK_PREAD_SHIM=$BATS_FILE_TMPDIR/shim.so
}

golden() {
	xz -dc "$PMK_GOLDEN_WC/$1.img.xz" >"$1"
}

# hex FILE OFFSET HEX: bytes there
hex() {
	printf '%b' "$(fold -w 2 <<<"$3" | sed 's/^/\\x/' | tr -d '\n')" |
		dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# info STATUS OPTION...: what it says, as JSON
info() {
	local wanted=$1
	shift
	run -"$wanted" --separate-stderr "${limit[@]}" pmk wc info --json "$@"
	is '' "$stderr"
}

# cache: 1 MiB with 254 free blocks, and seq_count 3
cache() {
	pmk wc format --size 1M cache
	hex cache 24 03
}

# entry N SECTOR SEQ: one byte of each is enough
entry() {
	hex cache $((64 + 16 * $1)) "$(printf %02x "$2")00000000000000"
	hex cache $((64 + 16 * $1 + 8)) "$(printf %02x "$3")00000000000000"
}

@test "a cache in mode p, after a crash" {
	golden p4k-crash
	info 0 --offset 2M p4k-crash
	is "4096 3570 3 256 16 3298 0 0 1048576 loads null null" "$(json '
		[.block_size_bytes, .n_blocks, .seq_count, .committed,
		 .uncommitted, .free, .superseded, .unreadable, .dirty_bytes,
		 .verdict, .errno, .kernel_message] | map(tostring) | join(" ")')"
	is "dm-writecache, version 1" "$(json .layout)"
	is "2097152 0 57344" "$(json '"\(.offset_bytes) \(.start_sector) \(.data_offset_bytes)"')"
	is false "$(json .superblock_in_doubt)"
	# 72 bytes a block, 16 more in mode s
	is 314160 "$(json .kernel_memory_bytes)"
	info 0 --offset 2M --mode p p4k-crash
	is 257040 "$(json .kernel_memory_bytes)"
	works pmk wc info --offset 0x200000 p4k-crash
	[[ $output == *"the kernel loads it"*"blocks used   272 of 3570 (7.6 %)"*"dirty         1 MiB (1048576 B)"*"data at       0x20e000"* ]]
}

@test "a cache in mode s, and the same behind start_sector" {
	golden s4k-crash
	info 0 s4k-crash
	is "1020 2 256 0 764" "$(json '"\(.n_blocks) \(.seq_count) \(.committed) \(.uncommitted) \(.free)"')"
	golden p4k-clean
	info 0 --start-sector 4096 p4k-clean
	is "3570 256 0 4096" "$(json '"\(.n_blocks) \(.committed) \(.uncommitted) \(.start_sector)"')"
	info 3 --start-sector 4096 --length 15M p4k-clean
	is "refused EINVAL Memory area is too small" \
		"$(json '"\(.verdict) \(.errno) \(.kernel_message)"')"
	info 3 --start-sector 4096 --block-size 512 p4k-clean
	is "Block size does not match superblock" "$(json .kernel_message)"
}

@test "nothing is written" {
	golden s4k-crash
	chmod 400 s4k-crash
	sum=$(sha256sum s4k-crash)
	info 0 s4k-crash
	is "$sum" "$(sha256sum s4k-crash)"
}

@test "--dirty is for scripts" {
	cache
	works pmk wc info --dirty cache
	entry 0 8 3 # not committed: the kernel erases it
	works pmk wc info --dirty cache
	entry 1 16 2
	run -3 --separate-stderr pmk wc info --dirty cache
	is '' "$stderr"
	# nothing at all, and nothing that can be told
	truncate -s 1M blank
	works pmk wc info --dirty blank
	head -c 1M /dev/urandom >noise
	hex noise 0 01
	run -3 pmk wc info --dirty noise
	fails 1 '^pmk wc info: none: No such file' pmk wc info --dirty none
}

@test "blocks that others supersede are not dirty" {
	cache
	entry 0 8 1
	entry 1 8 2
	entry 2 16 2
	info 0 cache
	is "3 1 8192 251" "$(json '"\(.committed) \(.superseded) \(.dirty_bytes) \(.free)"')"
	# the same sequence: the kernel says so, and serves reads only
	entry 1 8 1
	info 3 cache
	is "loads_with_error EINVAL two identical entries 8192" \
		"$(json '"\(.verdict) \(.errno) \(.kernel_message) \(.dirty_bytes)"')"
}

@test "layouts by name" {
	cache
	for v in \
		"0000000000000000 formats null blank: the kernel formats it" \
		"0000000001000000 refused Invalid magic in the superblock dm-writecache, version 1, without its magic" \
		"2193482302000000 refused Invalid version in the superblock dm-writecache, PetaSAN's proposal (version 2)" \
		"2193482300100000 refused Invalid version in the superblock dm-writecache, the prototype of 2016 (no version)" \
		"2348932100000001 refused Invalid magic in the superblock dm-writecache, written big endian" \
		"2193482307000000 refused Invalid version in the superblock dm-writecache of an unknown version" \
		"4c41424554574f00 refused Invalid magic in the superblock not a dm-writecache superblock"; do
		hex cache 0 "${v%% *}"
		info 3 cache
		is "${v#* }" "$(json '"\(.verdict) \(.kernel_message) \(.layout)"')"
	done
}

@test "the first bytes are lost: the rest is told, and doubted" {
	cache
	entry 1 16 2
	hex cache 0 0000000000000000
	info 3 cache
	is "formats true 254 1 4096" "$(json '"\(.verdict) \(.superblock_in_doubt) \(.n_blocks) \(.committed) \(.dirty_bytes)"')"
	run -3 pmk wc info cache
	[[ $output == *"all that is there is lost"*"in doubt"*"the rest fits the device"* ]]
	# without n_blocks there is no rest
	hex cache 16 0000000000000000
	info 3 cache
	is "false null" "$(json '"\(.superblock_in_doubt) \(.n_blocks)"')"
}

@test "the number of commits is lost: both readings" {
	cache
	entry 0 8 7
	entry 1 16 9
	entry 2 24 9
	info 0 cache
	is "true 3 0 3" "$(json '"\(.superblock_in_doubt) \(.seq_count) \(.committed) \(.uncommitted)"')"
	is "9 1 2 4096;10 3 0 12288" "$(json '[.readings[] |
		"\(.seq_count) \(.committed) \(.uncommitted) \(.dirty_bytes)"] | join(";")')"
	run -3 pmk wc info --dirty cache
	[[ $output == *"if commits were 10"*"3 committed, 0 superseded, 0 uncommitted, 12 KiB dirty"* ]]
	# an entry of the generation that is being written is as it should be
	hex cache 24 09
	info 0 cache
	is "false 0" "$(json '"\(.superblock_in_doubt) \(.readings | length)"')"
}

@test "sectors that cannot be read" {
	[ -z "${ASAN_OPTIONS-}${TSAN_OPTIONS-}" ] || skip "nothing can be preloaded"
	cache
	entry 0 8 1
	entry 28 16 1
	entry 60 24 1
	LD_PRELOAD=$PMK_PREAD_SHIM PMK_TEST_BAD="cache:512+512" info 3 cache
	is "loads_with_error EIO 2 32 220" "$(json '"\(.verdict) \(.errno) \(.committed) \(.unreadable) \(.free)"')"
	LD_PRELOAD=$PMK_PREAD_SHIM PMK_TEST_BAD="cache:0+512" info 3 cache
	is "refused EIO Unable to read first block of metadata" \
		"$(json '"\(.verdict) \(.errno) \(.kernel_message)"')"
}

@test "what is no cache" {
	mkfifo fifo
	fails 1 '^pmk wc info: fifo: neither a regular file nor' pmk wc info fifo
	fails 1 '^pmk wc info: .: neither a regular file nor' pmk wc info .
	fails 1 '^pmk wc info: none: No such file' pmk wc info none
	touch empty
	info 3 empty
	is "refused ENOSPC Invalid device size" "$(json '"\(.verdict) \(.errno) \(.kernel_message)"')"
	fails 1 '^pmk wc info: empty: .*not inside' pmk wc info --offset 1 empty
	run -2 pmk wc info
	run -2 pmk wc info a b
	run -2 pmk wc info --mode x a
	run -2 pmk wc info --block-size 4k a
	fails 1 'standard output: No space' sh -c 'pmk wc info empty >/dev/full'
}

@test "size: blocks, metadata and memory" {
	while read -r bytes bs n data_off slack; do
		works pmk wc size --size "$bytes" --block-size "$bs" --json
		is "$n $data_off $slack" "$(json '"\(.n_blocks) \(.metadata_bytes) \(.unused_bytes)"')"
	done <<-END
		8k 4096 1 4096 0
		1M 4096 254 8192 0
		1M 2048 508 8192 0
		1M 1024 1008 16384 0
		1M 512 1985 32256 0
		1049088 4096 254 8192 512
		3M 4096 764 12288 4096
		16M 65536 255 65536 0
		1G 4096 261123 4182016 0
		100G 4096 26112398 417800192 0
	END
	# 4096 is the default
	works pmk wc size --size 100G --json
	is "26112398 1880092656 2297891024" \
		"$(json '"\(.n_blocks) \(.kernel_memory_p_bytes) \(.kernel_memory_s_bytes)"')"
	works pmk wc size --size 16M --start-sector 4096
	[[ $output == *"blocks                3570"* ]]
	fails 3 'no room for a block of 4096' pmk wc size --size 8191
	run -2 pmk wc size
	run -2 pmk wc size --size 1M --block-size 3000
	run -2 pmk wc size --size 1M --start-sector 2048
}
