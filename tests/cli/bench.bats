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
	works pmk bench copy --quick --rounds 1 --json
	holds '.schema == 1 and .benchmark == "copy"'
	holds '[.cases[] | select(.op == "copy") | .size_bytes] | unique ==
		[8,16,24,64,128,192,248,256,1000,1024,4096,65536,1048576,16777216]'
	holds '[.cases[].dst_offset_bytes] | unique == [0, 8]'
	holds '[.cases[] | select((has("cpu") | not) and .threads == 1) |
		[.op, .policy, .pattern]] | unique == [
		["copy", "batch64", "stream"], ["copy", "nodrain", "stream"],
		["copy", "persist", "hot"], ["copy", "persist", "stream"],
		["flushcache", "batch64", "hot"],
		["flushcache", "batch64", "stream"],
		["flushcache", "nodrain", "hot"],
		["flushcache", "nodrain", "stream"]]'
	# where there is a second CPU
	if [ "$(nproc)" -gt 1 ]; then
		holds '[.cases[] | select(.threads == 2) | [.policy, .pattern,
			.size_bytes]] | sort == [
			["persist", "stream", 65536],
			["persist", "stream", 1048576],
			["persist", "stream", 16777216]]'
	fi
	# 14 sizes and 2 offsets for 3 of them, batches up to 1 MiB; each case once
	is 110 "$(json '[.cases[] | select(.op == "copy" and .threads == 1 and
		(has("cpu") | not))] | length')"
	is 36 "$(json '[.cases[] | select(.op == "flushcache")] | length')"
	holds '[.cases[] | [.op, .size_bytes, .dst_offset_bytes,
		.src_offset_bytes, .policy, .pattern, .threads, .cpu]] |
		length == (unique | length)'
	holds '[.cases[] | .pmk_ns, .libc_ns, .ratio_libc] | all(. > 0)'
	holds "$near [.cases[] | near(.ratio_libc; .libc_ns / .pmk_ns)] | all"
	holds '[.cases[] | .pmk_p25_ns <= .pmk_ns and .pmk_ns <= .pmk_p75_ns] | all'
	holds '[.cases[] | .pmk_variant | type == "string"] | all'
	# percentiles of what is durable on return, up to 4 KiB
	holds '[.cases[] | select(has("pmk_latency_p50_ns"))] | all(
		.policy == "persist" and .size_bytes <= 4096 and
		.pmk_latency_p50_ns <= .pmk_latency_p99_ns and
		.pmk_latency_p99_ns <= .pmk_latency_p999_ns)'
	holds '[.cases[] | select(.policy == "persist" and .size_bytes <= 4096)] |
		all(has("pmk_latency_p50_ns") and has("libc_latency_p999_ns"))'
}

# The CPU is asked, not the bench: AVX-512 in use means a process without.
@test "copy: 4 KiB without AVX-512, where there is AVX-512" {
	works pmk bench copy --quick --rounds 1 --sizes 4k --json
	bench=$output
	works pmk cpu --json
	if [ "$(json '.features[] | select(.name == "avx512f").used')" = true ]; then
		is 8 "$(jq '[.cases[] | select(.cpu == "without avx512f")] |
			length' <<<"$bench")"
	fi
	works env PMK_DISABLE_CPU_FEATURES=avx512f \
		pmk bench copy --quick --rounds 1 --sizes 4k --json
	holds '[.cases[] | has("cpu")] | any | not'
	holds '[.cases[].pmk_variant | test("avx512")] | any | not'
}

@test "copy: the ratios to libpmem and the summary of them" {
	works pmk bench copy --quick --rounds 1 --sizes 8,64,4k --json
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
		holds "$near .summary.by_op as \$ops | [\"copy\", \"flushcache\"] as \$all |
			[.cases[] | {op, r: .ratio_$who}] | group_by(.op) |
			map({key: .[0].op, value: ([.[].r] | min)}) |
			all(near(\$ops[.key].worst_ratio_$who; .value))"
	done
	holds '.summary.losing_cases == .summary.losing_cases_libpmem'
	holds '.summary.cases == (.cases | length)'
	holds '.summary.cases_measured_again <= .summary.cases'
}

@test "copy: the targets are the worst of the cases they name" {
	works pmk bench copy --quick --rounds 1 --json
	[ "$(json '.host.libpmem')" != null ] ||
		skip "$(json '.host.libpmem_missing')"
	holds "$near near(.targets.any_case.value; [.cases[].ratio_libpmem] | min)"
	holds "$near near(.targets.persist_64_128_192.value;
		[.cases[] | select(.op == \"copy\" and .policy == \"persist\" and
			.threads == 1 and .dst_offset_bytes == 0 and
			(has(\"cpu\") | not) and
			(.size_bytes | IN(64, 128, 192))) | .ratio_libpmem] | min)"
	holds "$near near(.targets.persist_256_to_4096_at_8_32.value;
		[.cases[] | select(.op == \"copy\" and .policy == \"persist\" and
			.dst_offset_bytes == 8 and (has(\"cpu\") | not) and
			(.size_bytes | IN(256, 1000, 1024, 4096))) |
			.ratio_libpmem] | min)"
	holds '[.targets[] | .met == (.value >= .at_least)] | all'
	is '{"any_case":0.97,"flushcache_batch64_8_16_24":30,"flushcache_nodrain_64":3,"persist_256_to_4096_at_8_32":1.25,"persist_64_128_192":1.05,"persist_64k_up":1.25,"persist_8_16_248":0.98}' \
		"$(json '.targets | del(.persist_64k_up_2_threads,
			.persist_4096_without_avx512f) | map_values(.at_least) |
			to_entries | sort_by(.key) | from_entries | tojson')"
}

@test "set and flush: cases and figures" {
	works pmk bench set --quick --rounds 1 --sizes 8,100,4k --json
	# any size: 3, 2 offsets, 3 policies
	is 18 "$(json '.cases | length')"
	holds '[.cases[].size_bytes] | unique == [8, 100, 4096]'
	holds '[.cases[] | .op == "set" and .pmk_ns > 0 and .libc_ns > 0] | all'
	works pmk bench flush --quick --rounds 1 --sizes 64,4k --json
	# 2 sizes, 3 patterns, with and without a drain
	is 12 "$(json '.cases | length')"
	holds '[.cases[] | [.op, .pattern]] | unique == [
		["flush", "clean_hot"], ["flush", "dirty_hot"],
		["flush", "dirty_stream"], ["persist", "clean_hot"],
		["persist", "dirty_hot"], ["persist", "dirty_stream"]]'
	# every CPU has that one
	holds '[.cases[] | .clflush_ns > 0 and .ratio_clflush > 0] | all'
	holds '[.cases[] | select(.op == "persist") |
		.pmk_latency_p50_ns <= .pmk_latency_p999_ns] | all'
}

@test "--sizes: what is asked for, and nothing else" {
	works pmk bench copy --quick --rounds 1 --sizes 100,3k --json
	holds '[.cases[].size_bytes] | unique == [100, 3072]'
	works pmk bench copy --rounds 1 --sizes 5 --json
	# 2 threads, 5 and 2 offsets, 3 policies, 2 patterns; or one thread
	holds '(.cases | length) == 60 * ([.cases[].threads] | max)'
	holds '[.cases[].dst_offset_bytes] | unique == [0, 1, 8, 32, 60]'
	holds '[.cases[].src_offset_bytes] | unique == [0, 1]'
	for what in flush log; do
		fails 2 'no size that this benchmark has' \
			pmk bench $what --quick --sizes 100
	done
}

@test "log: schema, cases and figures" {
	works pmk bench log --quick --rounds 1 --json
	# a record has a header of 32 bytes and takes whole lines of 64
	is '[["append",32,64,1],["append",64,128,1],["batch64",32,64,64],["batch64",64,128,64]]' \
		"$(json '[.cases[] | [.op, .size_bytes, .media_bytes,
			.records_per_drain]] | sort | tojson')"
	holds '[.cases[] | .pmk_ns, .bare_ns, .pmk_over_bare] | all(. > 0)'
	# the least that can be: nothing is lost to it
	holds '[.cases[] | has("ratio_bare")] | any | not'
	holds '.summary | tojson | test("bare") | not'
	holds "$near [.cases[] | near(.pmk_over_bare; .pmk_ns / .bare_ns)] | all"
	holds '[.cases[] | select(.records_per_drain == 1) |
		.pmk_latency_p50_ns > 0 and
		.pmk_latency_p50_ns <= .pmk_latency_p99_ns and
		.pmk_latency_p99_ns <= .pmk_latency_p999_ns] | all'
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
	holds "$near near(.summary.worst_ratio_libpmemlog;
		[.cases[].ratio_libpmemlog] | min)"
	holds '(.summary.losing_cases | length) ==
		([.cases[].ratio_libpmemlog | select(. < 0.97)] | length)'
	holds '.targets.append_64_ratio_libpmemlog | .at_least == 2 and
		.met == (.value >= 2)'
}

@test "log: of one size; what is promised of another is not known" {
	works pmk bench log --quick --rounds 1 --sizes 32 --json
	holds '[.cases[] | [.op, .size_bytes]] == [["append", 32], ["batch64", 32]]'
	holds '[.targets[] | .value == null and .met == null and
		.why == "no records of 64 bytes"] | all'
}

@test "the host and the medium are named" {
	for what in "copy --sizes 64" "set --sizes 64" "flush --sizes 64" log; do
		# shellcheck disable=SC2086 # words
		works pmk bench $what --quick --rounds 1 --json
		is "Linux $(uname -r)" "$(json .host.kernel)"
		is "$(getconf _NPROCESSORS_ONLN)" "$(json .host.cpus_online)"
		holds '.host.medium | test("DRAM.*not persistent memory")'
		holds '.host | .numa_nodes >= 1 and (.governor | length > 0) and
			(.huge_pages | IN("none", "in part", "all", "unknown"))'
		bench=$output
		works pmk cpu --json
		is "$(json '[.kernels[].kernel] | tojson')" \
			"$(jq -c '[.host.pmk_kernels[]]' <<<"$bench")"
	done
}

@test "without the peers: said so, and the rest is measured" {
	break_peers
	works pmk bench copy --quick --rounds 1 --sizes 64
	grep -q '^libpmem cannot be loaded: .*broken/libpmem.so.1: file too short' \
		<<<"$output"
	works pmk bench log --quick --rounds 1
	grep -q '^libpmemlog cannot be loaded: .*broken/libpmemlog.so.1: file too short' \
		<<<"$output"
	works pmk bench log --quick --rounds 1 --json
	is null "$(json '.host.libpmemlog')"
	holds '.host.libpmemlog_missing | test("file too short")'
	holds '[.cases[] | has("libpmemlog_ns") or has("ratio_libpmemlog")] | any | not'
	holds '.targets | .append_64_ratio_libpmemlog.value == null'
	# nothing was won, nor lost
	holds '.summary | has("losing_cases") and .losing_cases == null and
		.worst_ratio_libpmemlog == null'
}

@test "peers that are not there: what to install" {
	# a pmk that looks for libraries which nobody has
	LC_ALL=C sed 's/libpmem\(log\)\?\.so\.1/libpmem\1.so.9/g' "$PMK" >pmk
	chmod +x pmk
	works ./pmk bench copy --quick --rounds 1 --sizes 64
	grep -q '^libpmem not installed: apt install libpmem1$' <<<"$output"
	works ./pmk bench log --quick --rounds 1
	grep -q '^libpmemlog not installed: apt install libpmemlog1$' <<<"$output"
}

@test "tables name the columns, and nothing is left in /dev/shm" {
	before=$(find /dev/shm -maxdepth 1 -name 'pmk-bench.*')
	works pmk bench copy --quick --rounds 1 --sizes 64
	grep -Eq '^CASE +THREADS +SIZE +OFFSET +PMK NS .*LIBC/PMK' <<<"$output"
	grep -Eq '^against libc: geometric mean [0-9.]+, worst' <<<"$output"
	works pmk bench log --quick --rounds 1
	grep -Eq '^CASE +THREADS +SIZE .*BARE NS .*PMK/BARE .*PMK P50 +PMK P99 +PMK P99.9' \
		<<<"$output"
	grep -q 'record of 32 bytes takes 64 on media, one of 64 takes 128\.$' \
		<<<"$output"
	grep -Eq '^append of 64 bytes / bare store .*at most 1.25: (met|missed)' <<<"$output"
	is "$before" "$(find /dev/shm -maxdepth 1 -name 'pmk-bench.*')"
}

@test "kernels that older CPUs use can be measured too" {
	export PMK_DISABLE_CPU_FEATURES=avx,movdir64b,clwb
	works pmk bench log --quick --rounds 1 --json
	is sse2 "$(json .host.pmk_kernels.store_line)"
}

@test "wrong arguments: exit 2" {
	fails 2 "^pmk bench: no benchmark 'frobnicate'; there are copy, set, page, clear, flush, log and wc" \
		pmk bench frobnicate
	for args in "" "copy log" "copy --rounds 0" "copy --rounds 10001" \
		"copy --rounds x" "log --rounds -1" "log --quick=1" \
		"copy --sizes 4x" "copy --sizes 0" "copy --sizes ,," \
		"copy --overwrite" "copy --migrate" "log --overwrite" \
		"log --migrate"; do
		# shellcheck disable=SC2086 # words
		run -2 --separate-stderr "${limit[@]}" pmk bench $args
		[[ $stderr == "pmk bench: "* ]]
		is "" "$output"
	done
}

@test "names that are empty: exit 2" {
	fails 2 '^pmk bench: --on: an empty name$' pmk bench copy --on ''
	fails 2 '^pmk bench: --report: an empty name$' pmk bench copy --report ''
}

@test "sizes in any order, and twice, are measured in order and once" {
	works pmk bench flush --quick --rounds 1 --sizes 1k,64,64 --sizes 256,64 --json
	holds '[.cases[] | [.op, .pattern, .size_bytes]] |
		length == (unique | length)'
	works pmk bench set --quick --rounds 1 --sizes 4k,64,64,1k --json
	holds '.cases | group_by([.op, .policy, .pattern, .dst_offset_bytes]) |
		all(map(.size_bytes) == [64, 1024, 4096])'
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
