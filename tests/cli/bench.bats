#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# pmk bench: the shape of what it prints.  No test depends on a time: figures
# must be positive, and ratios the quotients of the figures beside them.

load common

# holds FILTER: it yields true for the document in $output
holds() {
	is true "$(json "$1")"
}

# a peer that cannot be loaded, for both libraries
break_peers() {
	mkdir broken
	touch broken/libpmem.so.1 broken/libpmemlog.so.1
	export LD_LIBRARY_PATH=$PWD/broken
}

# near: a and b differ by less than the digits printed
near='def near($a; $b): (($a - $b) | fabs) <= 0.0001 * $b;'

@test "copy: schema, cases and figures" {
	works pmk bench copy --quick --json
	holds '.schema == 1'
	holds '[.cases[].size_bytes] | unique ==
		[8,16,24,64,128,192,256,1000,1024,4096,65536,1048576,16777216]'
	holds '[.cases[].dst_offset_bytes] | unique == [0, 8]'
	holds '[.cases[] | [.op, .policy, .pattern, .threads]] | unique == [
		["copy", "batch64", "stream", 1],
		["copy", "persist", "hot", 1],
		["copy", "persist", "stream", 1]]'
	# 13 sizes and 2 offsets, and batches up to 64 KiB
	is 74 "$(json '.cases | length')"
	holds '[.cases[] | .pmk_ns, .libc_ns, .ratio_libc] | all(. > 0)'
	holds "$near [.cases[] | near(.ratio_libc; .libc_ns / .pmk_ns)] | all"
	holds '[.cases[] | .pmk_p25_ns <= .pmk_ns and .pmk_ns <= .pmk_p75_ns] | all'
}

@test "copy: the ratios to libpmem and the summary of them" {
	works pmk bench copy --quick --rounds 1 --json
	[ "$(json '.host.libpmem')" != null ] ||
		skip "$(json '.host.libpmem_missing')"
	holds "$near [.cases[] | near(.ratio_libpmem; .libpmem_ns / .pmk_ns)] | all"
	for who in libpmem libc; do
		holds "$near near(.summary.worst_ratio_$who;
			[.cases[].ratio_$who] | min)"
		holds "$near near(.summary.geomean_ratio_$who;
			[.cases[].ratio_$who | log] | add / length | exp)"
		holds "(.summary.losing_cases_$who | length) ==
			([.cases[].ratio_$who | select(. < 0.97)] | length)"
	done
}

@test "log: schema, cases and figures" {
	works pmk bench log --quick --json
	# a record has a header of 32 bytes and takes whole lines of 64
	is '[["append",32,64,1],["append",64,128,1],["batch64",32,64,64],["batch64",64,128,64]]' \
		"$(json '[.cases[] | [.op, .size_bytes, .media_bytes,
			.records_per_drain]] | sort | tojson')"
	holds '[.cases[] | .pmk_ns, .bare_ns, .pmk_over_bare] | all(. > 0)'
	holds "$near [.cases[] | near(.pmk_over_bare; .pmk_ns / .bare_ns)] | all"
	holds '[.cases[] | select(.records_per_drain == 1) |
		.pmk_latency_p50_ns > 0 and
		.pmk_latency_p50_ns <= .pmk_latency_p99_ns] | all'
	holds '.targets.append_64_over_bare | .at_most == 1.25 and
		.met == (.value <= 1.25)'
	holds '.targets.batch64_64_ns | .at_most == 25 and .met == (.value <= 25)'
	holds '.targets.batch64_64_ns.value == (.cases[] |
		select(.op == "batch64" and .size_bytes == 64) | .pmk_ns)'
}

@test "log: the ratios to libpmemlog" {
	works pmk bench log --quick --rounds 1 --json
	[ "$(json '.host.libpmemlog')" != null ] ||
		skip "$(json '.host.libpmemlog_missing')"
	holds "$near [.cases[] |
		near(.ratio_libpmemlog; .libpmemlog_ns / .pmk_ns)] | all"
	holds '.targets.append_64_ratio_libpmemlog | .at_least == 2 and
		.met == (.value >= 2)'
}

@test "the host and the medium are named" {
	for what in copy log; do
		works pmk bench $what --quick --rounds 1 --json
		is "Linux $(uname -r)" "$(json .host.kernel)"
		is "$(getconf _NPROCESSORS_ONLN)" "$(json .host.cpus_online)"
		holds '.host.medium | test("DRAM.*not persistent memory")'
		bench=$output
		works pmk cpu --json
		is "$(json '[.kernels[].kernel] | tojson')" \
			"$(jq -c '[.host.pmk_kernels[]]' <<<"$bench")"
	done
}

@test "without the peers: said so, and the rest is measured" {
	break_peers
	works pmk bench copy --quick --rounds 1
	grep -q '^libpmem cannot be loaded: .*broken/libpmem.so.1: file too short' \
		<<<"$output"
	works pmk bench log --quick --rounds 1
	grep -q '^peer    cannot be loaded: .*broken/libpmemlog.so.1: file too short' \
		<<<"$output"
	works pmk bench log --quick --rounds 1 --json
	is null "$(json '.host.libpmemlog')"
	holds '.host.libpmemlog_missing | test("file too short")'
	holds '[.cases[] | has("libpmemlog_ns") or has("ratio_libpmemlog")] | any | not'
	holds '.targets | has("append_64_ratio_libpmemlog") | not'
}

@test "peers that are not there: what to install" {
	# a pmk that looks for libraries which nobody has
	LC_ALL=C sed 's/libpmem\(log\)\?\.so\.1/libpmem\1.so.9/g' "$PMK" >pmk
	chmod +x pmk
	works ./pmk bench copy --quick --rounds 1
	grep -q '^libpmem not installed: apt install libpmem1$' <<<"$output"
	works ./pmk bench log --quick --rounds 1
	grep -q '^peer    not installed: apt install libpmemlog1$' <<<"$output"
}

@test "tables name the columns, and nothing is left in /dev/shm" {
	before=$(find /dev/shm -maxdepth 1 -name 'pmk-bench.*')
	works pmk bench copy --quick --rounds 1
	grep -Eq '^POLICY +PATTERN +SIZE .*LIBPMEM/PMK' <<<"$output"
	grep -Eq '^against libc: geometric mean [0-9.]+, worst' <<<"$output"
	works pmk bench log --quick --rounds 1
	grep -Eq '^append of 64 bytes / bare store .*at most 1.25: (met|missed)' <<<"$output"
	is "$before" "$(find /dev/shm -maxdepth 1 -name 'pmk-bench.*')"
}

@test "kernels that older CPUs use can be measured too" {
	export PMK_DISABLE_CPU_FEATURES=avx,movdir64b,clwb
	works pmk bench log --quick --rounds 1 --json
	is sse2 "$(json .host.pmk_kernels.store_line)"
}

@test "wrong arguments: exit 2" {
	fails 2 "^pmk bench: no benchmark 'frobnicate'; there are copy and log" \
		pmk bench frobnicate
	for args in "" "copy log" "copy --rounds 0" "copy --rounds 10001" \
		"copy --rounds x" "log --rounds -1" "log --quick=1"; do
		# shellcheck disable=SC2086 # words
		run -2 --separate-stderr "${limit[@]}" pmk bench $args
		[[ $stderr == "pmk bench: "* ]]
		is "" "$output"
	done
}

@test "not enough memory: exit 1, in one line" {
	# address space for the program, and not for what it measures; a
	# sanitizer's runtime takes more
	sh -c 'ulimit -v 60000; exec pmk --version' || skip "sanitizer"
	fails 1 'Cannot allocate memory' \
		sh -c 'ulimit -v 60000; exec pmk bench copy --quick'
}

@test "what cannot be written is a failure" {
	run -1 --separate-stderr sh -c \
		'pmk bench log --quick --rounds 1 >/dev/full'
	[[ $stderr == *"standard output: No space left on device" ]]
}
