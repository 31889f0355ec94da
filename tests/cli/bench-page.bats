#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# pmk bench page: the shape of what it prints.  No test depends on a time:
# figures must be positive, and others the quotients of those beside them.

load common

# holds FILTER: it yields true for the document in $output
holds() {
	is true "$(json "$1")"
}

# near: a and b differ by less than the digits printed
near='def near($a; $b): (($a - $b) | fabs) <= 0.0001 * $b;'

# variants that every CPU has
always=rep_movsq,rep_movsb,mc_loop8,movnti_2021,movnti_2021_batch,sse2_streams

@test "page: schema, cases and figures" {
	works pmk bench page --quick --rounds 1 --json
	is '[["page","scattered","from_pmem",4096],["page","scattered","from_pmem",2097152],["page","scattered","to_pmem",4096],["page","scattered","to_pmem",2097152]]' \
		"$(json '[.cases[] | [.op, .pattern, .direction, .size_bytes]] | sort | tojson')"
	holds "(\"pmk,$always\" | split(\",\")) as \$v |
		[.cases[] as \$c | \$v[] | \$c[. + \"_ns\"]] | length == 28 and all(. > 0)"
	holds '[.cases[] | .read_after == (.direction == "from_pmem")] | all'
	# a round is 32 MiB
	holds '[.cases[].moved_bytes] | all(. >= 33554432)'
}

@test "page: milliseconds a GiB are nanoseconds a page, times pages" {
	works pmk bench page --quick --rounds 1 --sizes 4k --json
	holds '[.cases[].size_bytes] == [4096, 4096]'
	holds "$near [.cases[] | . as \$c | .ms_per_gib | to_entries[] |
		near(.value; \$c[.key + \"_ns\"] * 262144 / 1e6)] | length > 12 and all"
	holds "$near [.cases[] | near(.ratio_rep_movsq; .rep_movsq_ns / .pmk_ns)] | all"
	holds '.targets.page_4k_ratio_rep_movsq | .at_least == 1.25 and
		.met == (.value >= 1.25)'
	holds "$near near(.targets.page_4k_ratio_rep_movsq.value;
		.cases[] | select(.direction == \"to_pmem\") | .ratio_rep_movsq)"
}

@test "page: the published figures, what was left out, and the cache" {
	works pmk bench page --quick --rounds 1 --sizes 2M --json
	holds '[.notes[] | select(test("2030 ms .* 890 ms .* 372 and 477"))] | length == 1'
	holds '[.notes[] | select(test("other hardware"))] | length == 1'
	holds '[.notes[] | select(startswith("--quick: "))] | length == 1'
	holds '[.notes[] | select(test("third-level cache"))] | length == 1'
}

@test "page: a disabled feature takes its variants away" {
	export PMK_DISABLE_CPU_FEATURES=avx,movdir64b
	works pmk bench page --quick --rounds 1 --sizes 4k --json
	holds '[.cases[] | keys[] | select(test("avx|movdir64b"))] == []'
	holds '[.cases[].pmk_variant] | sort | .[1] == "sse2_streams"'
}

@test "page: the table" {
	works pmk bench page --quick --rounds 1 --sizes 2M
	for v in pmk ${always//,/ }; do
		grep -Eq "^page scattered to_pmem +1 2 MiB .* $v " <<<"$output"
	done
	# in ms/GiB; pages of 4 KiB were not asked for
	grep -Eq '^MS/GIB +4K TO PMEM +4K FROM PMEM +2M TO PMEM' <<<"$output"
	grep -Eq '^rep_movsq +- +- +[0-9.]+ +[0-9.]+$' <<<"$output"
}

@test "page: on a file" {
	# as much as there is, but not less than 128 MiB
	in_tmpfs 300M sh -c 'truncate -s 128M mnt/f &&
		pmk bench page --quick --rounds 1 --sizes 2M --on mnt/f --overwrite --json'
	is "0: " "$status: $stderr"
	is '["DRAM: a file on tmpfs, not persistent memory"]' "$(json '[.host.medium] | tojson')"
	holds '[.notes[] | select(startswith("Pages in random order: 128 MiB of"))] | length == 1'
}

@test "page: --migrate measures the call, and moves where there are two nodes" {
	works pmk bench page --migrate --quick --json
	if [ "$(json '.not_measurable // "" | test("libnuma|NUMA support")')" = true ]; then
		skip "$(json .not_measurable)"
	fi
	is '["query","already_there"]' "$(json '[.cases[].policy][:2] | tojson')"
	if [ "$(json .measurable)" = false ]; then
		is "one NUMA node" "$(json .not_measurable)"
		is 2 "$(json '.cases | length')"
	else
		is 6 "$(json '.cases | length')"
	fi
	# a container may not permit the call
	holds '[.cases[] | .not_measurable or
		(.move_pages_ns > 0 and .pages > 0)] | all'
}

@test "page: --migrate says in words what is not measurable" {
	works pmk bench page --migrate --quick --json
	why=$(json '.not_measurable // ""')
	[ "$why" ] || skip "there are two nodes"
	works pmk bench page --migrate --quick
	grep -qxF "Moves between nodes: not measurable: $why" <<<"$output"
	run ! grep -E '^move ' <<<"$output"
}

@test "page: --migrate has its own memory, and no plots" {
	fails 2 'page --migrate does not take --on$' pmk bench page --migrate --on f
	no_file f
	fails 2 'page --migrate does not take --report$' pmk bench page --migrate --report d
	no_file d
	fails 2 'copy does not take --migrate' pmk bench copy --migrate
}
