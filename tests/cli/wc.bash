# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# Writecache devices, byte by byte, for the test files of pmk wc.

# A path with a blank would be two libraries to the loader.
shims() {
	cp "$PMK_PREAD_SHIM" "$BATS_FILE_TMPDIR/pread.so"
	cp "$PMK_WRITE_SHIM" "$BATS_FILE_TMPDIR/write.so"
	cp "$PMK_KILL_SHIM" "$BATS_FILE_TMPDIR/kill.so"
}

# golden NAME: a device that a kernel wrote
golden() {
	xz -dc "$PMK_GOLDEN_WC/$1.img.xz" >"$1"
}

# hex FILE OFFSET HEX: bytes there
hex() {
	printf '%s' "$3" | tr a-f A-F | basenc --base16 -d |
		dd of="$1" bs=4096 seek="$2" oflag=seek_bytes conv=notrunc status=none
}

# le NUMBER: 64 bits as they are on media
le() {
	local n i
	n=$(printf %016x "$1")
	for ((i = 14; i >= 0; i -= 2)); do
		printf %s "${n:i:2}"
	done
}

# cache SEQ: an empty one in the file "cache": 1 MiB, 254 blocks of 4096, the
# entries from byte 64 and the data from byte 8192 on
cache() {
	truncate -s 0 cache
	truncate -s 1M cache
	head -c 4064 /dev/zero | tr '\0' '\377' |
		dd of=cache bs=64 seek=1 conv=notrunc status=none
	hex cache 0 "21934823010000000010000000000000$(le 254)$(le "$1")"
}

# entry I SECTOR SEQ: and its block has a text of its own
entry() {
	hex cache $((64 + 16 * $1)) "$(le "$2")$(le "$3")"
	text "$1" | dd of=cache bs=4096 seek=$((2 + $1)) conv=notrunc status=none
}

# text I: the 4096 bytes of block I
text() {
	yes "block $1" | head -c 4096
}

# origin SIZE: of the letter o, in the file "origin", and a copy in "want"
origin() {
	head -c "$1" /dev/zero | tr '\0' o >origin
	cp origin want
}

# wanted SECTOR I: in "want", block I there
wanted() {
	text "$2" | dd of=want bs=512 seek="$1" conv=notrunc status=none
}

# seq_at FILE I: the sequence of an entry, as hexadecimal digits on media
seq_at() {
	od -An -tx1 -j $((64 + 16 * $2 + 8)) -N 8 "$1" | tr -d ' \n'
}

# is_free I...: the sequence is all ones, in "cache"
is_free() {
	local i
	for i; do
		is ffffffffffffffff "$(seq_at cache "$i")"
	done
}

# is_kept I...: the entry is as it was in "before"
is_kept() {
	local i
	for i; do
		is "$(seq_at before "$i")" "$(seq_at cache "$i")"
		[ "$(seq_at cache "$i")" != ffffffffffffffff ]
	done
}

# words SEED FROM TO: the content that kernels wrote to bytes FROM to TO
words() {
	seq $(($2 / 8)) $(($3 / 8 - 1)) | awk -v seed="$1" '{
		printf "%02X%02X%02X00%s000000", $1 % 256,
			int($1 / 256) % 256, int($1 / 65536), seed }' |
		basenc --base16 -d
}

# served: what the kernel served of all golden devices, to "want"
served() {
	golden origin
	{
		head -c $((0x200000)) origin
		words 33 $((0x200000)) $((0x210000))
		words 22 $((0x210000)) $((0x300000))
		tail -c +$((0x300001)) origin
	} >want
	# the README says so, and that the rest is the origin's
	words 11 0 $((0x100000)) | cmp - <(head -c 1M want)
}
