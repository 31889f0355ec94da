#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# pmk bench wc: what it counts is the kernel's table, whatever the times are.

load common

# holds FILTER: it yields true for the document in $output
holds() {
	is true "$(json "$1")"
}

# near: a and b differ by less than the digits printed
near='def near($a; $b): (($a - $b) | fabs) <= 0.0001 * $b;'

@test "wc: cases, sides and rates" {
	works pmk bench wc --quick --rounds 1 --json
	holds '.benchmark == "wc" and (.cases | length) == 8'
	holds '[.cases[].size_bytes] | unique == [512, 1024, 2048, 4096]'
	holds '[.cases[].commit_every] | unique == [1, 64]'
	holds '[.cases[] | .pmk_ns, .call_ns, .explicit_ns] | all(. > 0)'
	holds "$near [.cases[] |
		near(.call_mb_per_s; .size_bytes * 1000 / .call_ns) and
		near(.call_commits_per_s; 1e9 / .call_ns / .commit_every)] | all"
	holds '.notes | any(test("496/642/725/744.*373/688/1100/1200.*2 %"))'
}

# A block that replaces one: 16 bytes for its entry, 8 to free the old one, and
# 8 and three fences for the commit.
@test "wc: metadata of a block" {
	for n in 1 8 64; do
		works pmk bench wc --quick --rounds 1 --block 4k \
			--commit-every "$n" --json
		holds "$near .cases | length == 1 and (.[0] |
			near(.metadata_bytes_per_block; 24 + 8 / $n) and
			near(.metadata_stores_per_block; 3 + 1 / $n) and
			near(.fences_per_block; 3 / $n))"
	done
}

@test "wc: what is ours" {
	for how in inline call explicit; do
		works pmk bench wc --quick --rounds 1 --block 512 \
			--commit-every 64 --store "$how" --json
		holds ".cases[0].pmk_variant == \"$how\""
		holds ".cases[0] | has(\"${how}_ns\") | not"
	done
}

@test "wc: bad options" {
	fails 2 "^pmk bench: wc: blocks are 512, 1024, 2048 or 4096 bytes" \
		pmk bench wc --block 8k
	for args in "--store movnti" "--commit-every 0" "--commit-every 513"; do
		# shellcheck disable=SC2086 # words
		run -2 --separate-stderr "${limit[@]}" pmk bench wc $args
		[[ $stderr == *"${args%% *}"* ]]
	done
	fails 2 "^pmk bench: log does not take --store" \
		pmk bench log --store call
	fails 2 "^pmk bench: copy does not take --block" \
		pmk bench copy --block 512
}

@test "wc: beside what is no writecache" {
	fails 1 "^pmk bench: /dev/null: a device has content, which would be lost; --overwrite allows it" \
		pmk bench wc --beside /dev/null
	fails 1 "^pmk bench: /dev/null: Block device required" \
		pmk bench wc --beside /dev/null --overwrite
	echo kept >file
	fails 1 "^pmk bench: file: Block device required" \
		pmk bench wc --beside file --overwrite
	is kept "$(cat file)"
	fails 1 "^pmk bench: nothing: No such file or directory" \
		pmk bench wc --beside nothing --overwrite
	no_file nothing
	fails 2 "^pmk bench: log does not take --beside" \
		pmk bench log --beside /dev/null --overwrite
	fails 2 "^pmk bench: --overwrite is for --on and --beside" \
		pmk bench wc --overwrite
}

@test "wc: on a file" {
	file=/dev/shm/pmk-bench-wc.$$
	works pmk bench wc --quick --rounds 1 --block 4k --on "$file" --json
	no_file "$file"
	# msync(2) is no fence
	fails 1 "not persistent memory" pmk bench wc --on here
	no_file here
}
