#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# pmk bench clear: the shape of what it prints.  No test depends on a time.

load common

# holds FILTER: it yields true for the document in $output
holds() {
	is true "$(json "$1")"
}

# near: a and b differ by less than the digits printed
near='def near($a; $b): (($a - $b) | fabs) <= 0.0001 * $b;'

# the variants that are documented, but for those that not every CPU has
variants='["loop8", "unrolled", "rep_stosq", "rep_stosb", "memset", "nt_movnti",
	"nt_sse2"]'

@test "every size, both uses and dd, with every variant" {
	works pmk bench clear --quick --rounds 1 --json
	holds '.schema == 1 and .benchmark == "clear"'
	holds '[.cases[] | select(.op == "clear_read") | .size_bytes] ==
		[64, 512, 4096, 65536, 1048576]'
	holds '[.cases[] | select(.op == "clear") | .size_bytes] ==
		[4096, 65536, 1048576, 33554432]'
	holds '[.cases[] | [.op, .pattern]] | unique ==
		[["clear", "stream"], ["clear_read", "hot"], ["dd", "hot"],
			["dd", "stream"]]'
	holds "$variants as \$v | [.cases[] | . as \$c | \$v[] |
		\$c[. + \"_ns\"] > 0 and \$c[\"ratio_\" + .] > 0] | all"
	holds "$near [.cases[] | near(.ratio_loop8; .loop8_ns / .pmk_ns) and
		near(.ratio_memset; .memset_ns / .pmk_ns)] | all"
	# what pmk does is what the memory is cleared for
	holds '[.cases[] | [.op, .pmk_variant]] | unique ==
		[["clear", "nontemporal"], ["clear_read", "default"],
			["dd", "clear_user"]]'
	holds '[.cases[] | select(.op == "clear_read") |
		.pmk_nontemporal_ns > 0] | all'
	holds '[.cases[] | select(.op == "clear") | .pmk_default_ns > 0] | all'
}

@test "the targets are those of the cases" {
	works pmk bench clear --quick --rounds 1 --json
	holds "$near .targets.read_over_memset.value as \$v |
		near(\$v; [.cases[] | select(.op == \"clear_read\") |
			.ratio_memset] | min)"
	holds '.targets.read_over_memset | .at_least == 0.97 and
		.met == (.value >= 0.97)'
	holds "$near .targets.nt_over_rep_stosb.value as \$v |
		near(\$v; [.cases[] | select(.op == \"clear\" and
			.size_bytes >= 33554432) | .ratio_rep_stosb] | min)"
	holds '.targets.nt_over_rep_stosb | .at_least == 2 and
		.met == (.value >= 2)'
}

@test "variants that the CPU has not are left out" {
	PMK_DISABLE_CPU_FEATURES=avx,movdir64b works pmk bench clear --quick \
		--rounds 1 --sizes 4k --json
	holds '[.cases[] | has("avx512_ns") or has("nt_avx512_ns") or
		has("nt_movdir64b_ns")] | any | not'
	is nt_sse2 "$(json .host.pmk_kernels.clear_nontemporal)"
	works pmk bench clear --quick --rounds 1 --sizes 4k --json
	for f in avx512f:nt_avx512 movdir64b:nt_movdir64b; do
		grep -qw "${f%:*}" /proc/cpuinfo || continue
		holds ".cases[0] | has(\"${f#*:}_ns\")"
	done
}

@test "the table, and what the figures do not say" {
	works pmk bench clear --quick --rounds 1 --sizes 64,1M
	grep -Eq '^clear_read hot +1 +64 B +0 pmk +default ' <<<"$output"
	grep -Eq '^clear stream +1 +1 MiB +0 loop8 ' <<<"$output"
	grep -Eq '^dd hot +1 +1 MiB +0 pmk +clear_user ' <<<"$output"
	grep -Eq '^against loop8: geometric mean [0-9.]+, worst' <<<"$output"
	grep -Eq '^against memset: geometric mean [0-9.]+, worst' <<<"$output"
	grep -Eq '^clear_read: memset / pmk, worst .*: (met|missed)\)$' <<<"$output"
	# no case of that size was measured
	grep -Eq '^clear, 32 MiB on: .* - +\(none of these sizes\)$' <<<"$output"
	grep -q '^Published for dd' <<<"$output"
}
