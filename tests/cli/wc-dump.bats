#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# pmk wc dump and pmk wc restore: the text form, round trips, bad input.

load common

# A path with a blank would be two libraries to the loader.
setup_file() {
	cp "$PMK_PREAD_SHIM" "$BATS_FILE_TMPDIR/shim.so"
	export PMK_PREAD_SHIM=$BATS_FILE_TMPDIR/shim.so
}

# make IMAGE STEP...: as tests/golden/wc_make.c has it
make() {
	local image=$1
	shift
	printf '%s\n' "$@" | "$WC_MAKE" "$image"
}

golden() {
	xz -dc "$PMK_GOLDEN_WC/$1.img.xz" >"$1"
}

# same IMAGE [OPTION...]: all of it comes back from text and data
same() {
	local image=$1
	shift
	rm -rf data dump back
	works pmk wc dump --all --data data -o dump "$image" "$@"
	comes_back
}

# the same for one that was cut off before dirty blocks
same_cut_off() {
	image=$1
	rm -rf data dump back
	fails 3 'data_error' pmk wc dump --all --data data -o dump "$image"
	fails 1 'blocks have no data' pmk wc restore -i dump --data data -o back
	no_file back
	fails 3 'warning: back: ' pmk wc restore -i dump --data data -o back --force
	cmp "$image" back
}

comes_back() {
	works pmk wc restore -i dump --data data -o back
	cmp "$image" back
}

small() {
	make cache 'size 1M' 'cache 4096 254 10' 'entry 3 0 5' 'entry 7 80 9' \
		'entry 8 80 4' 'entry 9 77 -1' 'entry 253 160 10' \
		'block 3 65' 'block 7 66' 'block 8 67' 'block 9 68'
}

@test "the lines are the superblock and each entry in use" {
	small
	works pmk wc dump cache
	is '{"pmk_wc_dump":1,"device_bytes":1048576,"start_sector":0,"magic":591958817,"version":1,"block_size_bytes":4096,"n_blocks":254,"seq_count":10}
{"entry":3,"sector":0,"seq":5,"state":"committed"}
{"entry":7,"sector":80,"seq":9,"state":"committed"}
{"entry":8,"sector":80,"seq":4,"state":"superseded"}
{"entry":253,"sector":160,"seq":10,"state":"uncommitted"}
{"end":5}' "$output"
	text=$output
	works pmk wc dump cache --json -o dump
	is "" "$output"
	is "$text" "$(cat dump)"
}

@test "--all also has stale sectors and what nobody reads" {
	small
	printf '%s\n' 'pad 3' 'poke 40 255' 'poke 4200 1' | "$WC_MAKE" cache
	works pmk wc dump --all cache
	is 3 "$(head -n 1 <<<"$output" | jq .pad)"
	is "0000000000000000ff$(printf '00%.0s' {1..23})" \
		"$(head -n 1 <<<"$output" | jq -r .reserved)"
	# entries end at byte 4128, data begin at 8192
	is "$((2 * (8192 - 4128)))" "$(sed -n 2p <<<"$output" | jq -r '.tail | length')"
	grep -q '^{"entry":9,"sector":77,"seq":18446744073709551615,"state":"free"}$' <<<"$output"
	pmk wc dump --all cache >dump
	run -3 pmk wc restore -i dump -o back --force
	# all before the data
	cmp -n 8192 cache back
}

@test "what a kernel wrote comes back to the byte" {
	golden s4k-crash
	same s4k-crash
	golden p4k-clean
	tail -c +2097153 p4k-clean >device
	same device
	golden p4k-crash
	tail -c +2097153 p4k-crash >device
	same device
	works pmk wc dump --all --data data2 -o dump2 p4k-crash --offset 2M
	cmp dump dump2
	cmp data/blocks data2/blocks
}

@test "random images come back to the byte" {
	head -c 1049000 /dev/urandom >cache
	# so that there are stale, superseded, uncommitted and wild entries
	make cache 'poke 32 1 2 3' 'magic 0x23489321' 'version 1' \
		'block_size 4096' 'n_blocks 200' 'seq 0x8000000000000000' \
		'entries 0 20 0 0 7' 'entries 20 20 0 8 -1' 'entry 40 0 -2'
	same cache
	# more blocks than the device has room for
	truncate -s 500001 cache
	same_cut_off cache
	# blocks that are not there at all
	truncate -s 7000 cache
	same_cut_off cache
	# a lost magic, and no version
	make cache 'size 1M' 'magic 0' 'version 0'
	same cache
}

@test "a start sector stays" {
	make cache 'size 2M' 'at 64k' 'cache 512 100 10' 'entry 5 1 1' 'block 5 9'
	same cache --start-sector 128
	is 128 "$(head -n 1 dump | jq .start_sector)"
}

@test "--data keeps the data of dirty blocks" {
	small
	works pmk wc dump cache --data data -o dump
	is 8192 "$(stat -c %s data/blocks)"
	is "0 4096" "$(jq -r 'select(.data | type == "number") | .data' dump | paste -sd ' ')"
	works pmk wc restore -i dump --data data -o back
	# block 3 and 7; of others nothing
	cmp -i 20480 -n 4096 cache back
	cmp -i 36864 -n 4096 cache back
	cmp -i 40960:0 -n 4096 back /dev/zero
	fails 1 'data/blocks: File exists' pmk wc dump cache --data data
	is 8192 "$(stat -c %s data/blocks)"
}

@test "a block that cannot be read costs that block" {
	small
	# block 3
	bad=(env PMK_TEST_BAD=cache:20480+512 "LD_PRELOAD=$PMK_PREAD_SHIM")
	fails 3 '^pmk wc dump: cache: .*data_error' \
		"${bad[@]}" pmk wc dump cache --data data -o dump
	is '{"entry":3,"sector":0,"seq":5,"state":"committed","data_error":true}' \
		"$(sed -n 2p dump)"
	is 4096 "$(stat -c %s data/blocks)"
	# an entry: sector 1 has entries 28 to 59
	bad=(env PMK_TEST_BAD=cache:512+512 "LD_PRELOAD=$PMK_PREAD_SHIM")
	fails 1 '1 blocks have no data' pmk wc restore -i dump --data data -o back
	no_file back
	run -3 --separate-stderr "${bad[@]}" pmk wc dump cache
	[[ $stderr == *"cache: 32 entries cannot be read"* ]]
	is 32 "$(grep -c '"state":"unreadable"' <<<"$output")"
}

@test "dirty blocks without data are zeros, and that is said" {
	small
	pmk wc dump cache >dump
	fails 1 '2 blocks have no data' pmk wc restore -i dump -o back
	no_file back
	run -3 --separate-stderr "${limit[@]}" pmk wc restore -i dump -o back --json --force
	[[ $stderr =~ ^"pmk wc restore: warning: back: 2 blocks have no data" ]]
	is "254 4 2" "$(json '"\(.n_blocks) \(.in_use) \(.dirty_without_data)"')"
	run -3 --separate-stderr "${limit[@]}" pmk wc restore -i - -o back2 --force <dump
	cmp back back2
}

@test "a dump with data needs them" {
	small
	pmk wc dump cache --data data -o dump
	fails 1 'dump: it was made with --data' pmk wc restore -i dump -o back
	fails 1 'none/blocks: No such file' pmk wc restore -i dump -o back --data none
	truncate -s 5000 data/blocks
	fails 1 'dump: line 3: its data is behind' pmk wc restore -i dump -o back --data data
	no_file back
}

# refuses NUMBER LINE...: restore names the line
refuses() {
	local n=$1
	shift
	printf '%s\n' "$@" >bad
	fails 1 "^pmk wc restore: bad: line $n: " pmk wc restore -i bad -o back
	no_file back .pmk-copy-*
}

@test "garbage is refused with its line, and leaves nothing" {
	sb='{"pmk_wc_dump":1,"device_bytes":1048576,"magic":591958817,"version":1,"block_size_bytes":4096,"n_blocks":254,"seq_count":10'
	e='{"entry":3,"sector":0,"seq":5,"state":"committed"'
	refuses 1 ''
	refuses 1 '{'
	refuses 1 '[]'
	refuses 1 '{}'
	refuses 1 "$e}"
	refuses 1 "${sb/:1,/:2,}}"
	refuses 1 "${sb/4096/4095}}"
	refuses 1 "${sb/254/70000}}"
	refuses 1 "${sb/254/18446744073709551615}}"
	refuses 1 "${sb/254/18446744073709551616}}"
	refuses 1 "${sb/254/-1}}"
	refuses 1 "${sb/254/1.5}}"
	refuses 1 "${sb/254/\"254\"}}"
	refuses 1 "$sb,\"colour\":1}"
	refuses 1 "$sb,\"reserved\":\"0\"}"
	refuses 1 "$sb,\"reserved\":\"zz\"}"
	refuses 1 "$sb}}"
	refuses 2 "$sb}" "$sb}"
	refuses 2 "$sb}" ''
	refuses 2 "$sb}" "$e"
	refuses 2 "$sb}" "$e,\"sectors\":1}"
	refuses 2 "$sb}" "${e/3/254}}"
	refuses 2 "$sb}" "$e,\"data\":0}"
	refuses 2 "$sb}" '{"entry":3,"sector":0}'
	refuses 2 "$sb}" '{"at":8192,"bytes":1}'
	refuses 2 "$sb}" '{"tail":"0"}'
	refuses 2 "$sb}" "{\"tail\":\"$(printf '00%.0s' {1..4065})\"}"
	refuses 3 "$sb}" "$e}" "$e}"
	refuses 3 "$sb}" "$e}" "${e/3/2}}"
	refuses 2 "$sb}" "$(head -c 1100000 /dev/zero | tr '\0' ' ')$e}"
	head -c 100000 /dev/urandom >bad
	fails 1 '^pmk wc restore: bad: line 1: ' pmk wc restore -i bad -o back
	: >bad
	fails 1 '^pmk wc restore: bad: it is empty' pmk wc restore -i bad -o back
	no_file back
	# and without any of that it is good, also from a system of other lines
	printf '%s\n' "$sb}" "${e/5/15}}" '{"end":2}' >good
	works pmk wc restore -i good -o back
	sed 's/$/\r/' good >crlf
	works pmk wc restore -i crlf -o back2
	cmp back back2
}

@test "a dump of which lines are missing" {
	small
	pmk wc dump cache --data data -o dump
	for edit in '$d' '3,$d' 3d '2,4d' '$s/5/4/' '$s/5/6/' '3p'; do
		sed "$edit" dump >bad
		fails 1 '^pmk wc restore: bad: line [0-9]+: ' \
			pmk wc restore -i bad --data data -o back
		no_file back
	done
	refuses 3 "$(head -n 1 dump | sed 's/,"data":"dirty"//')" '{"end":1}' '{"end":2}'
	sed 3d dump >bad
	fails 3 'back: lines of the dump are missing' \
		pmk wc restore -i bad --data data -o back --force --json
	is false "$(json .complete)"
	works pmk wc restore -i dump --data data -o whole --json
	is true "$(json .complete)"
	# entry 7 is the one that is lost
	is 16 "$(cmp -l -n 8192 whole back | wc -l)"
}

@test "an image that is there stays, unless it may be replaced" {
	small
	pmk wc dump cache >dump
	echo precious >back
	fails 1 'back: File exists; --force' pmk wc restore -i dump -o back
	echo garbage >>dump
	fails 1 'line 7: not a JSON' pmk wc restore -i dump -o back --force
	is precious "$(cat back)"
	sed -i '$d' dump
	run -3 pmk wc restore -i dump -o back --force
	is 1048576 "$(stat -c %s back)"
	fails 1 '/dev/null: not a regular file' pmk wc restore -i dump -o /dev/null --force
}

@test "a full file system: nothing is left" {
	small
	pmk wc dump --all --data data cache -o dump
	in_tmpfs 12k pmk wc restore -i dump --data data -o mnt/back
	is 1 "$status"
	[[ $stderr =~ ^"pmk wc restore: mnt/back: No space left" ]]
	in_tmpfs 4k pmk wc dump --data mnt cache
	is 1 "$status"
	[[ $stderr =~ ^"pmk wc dump: mnt/blocks: No space left" ]]
	# shellcheck disable=SC2016 # the inner shell expands
	fails 1 'standard output' sh -c 'pmk wc dump cache "$@" >/dev/full' sh
}

@test "entries that were unreadable are not taken for free ones" {
	small
	PMK_TEST_BAD=cache:512+512 LD_PRELOAD=$PMK_PREAD_SHIM \
		pmk wc dump cache --data data -o dump || is 3 $?
	fails 1 '32 entries were unreadable' pmk wc restore -i dump --data data -o back
	no_file back
	fails 3 '32 entries were unreadable' pmk wc restore -i dump --data data -o back --force
}

@test "dump replaces no device, no cache, nothing unasked" {
	small
	cp cache before
	mkfifo fifo
	ln cache hard
	ln -s cache soft
	mkdir data
	echo precious >old
	fails 1 'old: File exists' pmk wc dump cache -o old
	is precious "$(cat old)"
	for to in cache hard soft; do
		fails 1 'is the same file' pmk wc dump cache -o $to --force
	done
	for to in fifo data /dev/null; do
		fails 1 'not a regular file' pmk wc dump cache -o $to --force
	done
	fails 1 'which is for data' pmk wc dump cache --data data -o data/x --force
	no_file data/x data/blocks
	cmp cache before
	works pmk wc dump cache -o old --force
}

@test "what has no entries cannot be dumped" {
	truncate -s 1M cache
	fails 1 '^pmk wc dump: cache: there are no entries: blank' pmk wc dump cache -o dump
	no_file dump
	fails 1 '^pmk wc dump: none: No such file' pmk wc dump none
}

# bar NAME COMMAND...: on a terminal, a bar with that name is shown by COMMAND,
# which waits until ./go is there
bar() {
	local name=$1
	shift
	rm -f go typescript
	script -qec "$*" typescript >/dev/null 3>&- &
	# longer than quick work, which has no bar
	sleep 0.5
	touch go
	wait $! || is 3 $?
	grep -q "$name \\[.*% " typescript
}

@test "a bar on a terminal" {
	# not in order, so that there is work after the second read
	make cache 'size 1M' 'cache 4096 254 10' 'entry 0 8 1' 'entry 1 0 1'
	export PMK_TEST_WAIT=cache:$PWD/go
	bar reading env "LD_PRELOAD=$PMK_PREAD_SHIM" pmk wc check cache
	bar reading env "LD_PRELOAD=$PMK_PREAD_SHIM" pmk wc info cache
	unset PMK_TEST_WAIT
	pmk wc dump cache >dump
	head -n 1 dump >first
	tail -n +2 dump >rest
	cat >slow <<-'EOF'
		mkfifo fifo
		{ cat first; until [ -e go ]; do sleep 0.1; done; cat rest; } >fifo &
		pmk wc restore -i fifo -o back --force
	EOF
	bar restoring sh slow
	grep -q 'warning: back: 2 blocks have no data' typescript
}

# usage TEXT ARG...: the arguments are refused with a message that has TEXT
usage() {
	local text=$1
	shift
	run -2 --separate-stderr "${limit[@]}" pmk wc "$@"
	[[ ${stderr_lines[0]} == *"$text"* ]]
}

@test "a wrong command line" {
	usage 'CACHE is missing' dump
	usage '-i DUMP and -o CACHE' restore -i dump
	usage '-i DUMP and -o CACHE' restore -o cache
	usage 'Too many' restore -i dump -o cache more
}
