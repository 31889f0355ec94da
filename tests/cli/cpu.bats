#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# pmk cpu, against what the kernel says of the CPU.

load common


@test "features are those that the kernel reports" {
	works pmk cpu --json
	doc=$output
	flags=" $(sed -n 's/^flags[^:]*: //p' /proc/cpuinfo | head -n 1) "
	for f in clflush clflushopt clwb avx avx2 avx512f movdiri movdir64b \
		erms fsrm; do
		present=false
		[[ $flags != *" $f "* ]] || present=true
		output=$doc
		is "$f $present" "$f $(json ".features[] | select(.name == \"$f\").present")"
	done
}

@test "the table names features and kernels" {
	works pmk cpu
	grep -Eq '^clflush +(yes|no)$' <<<"$output"
	grep -Eq '^flush +(clwb|clflushopt|clflush)$' <<<"$output"
	grep -Eq '^OPERATION +KERNEL$' <<<"$output"
}

@test "every operation has a kernel" {
	works pmk cpu --json
	is "clear,clear nontemporal,copy,copy backward,copy blocks,copy cached,copy drained,copy page,copy page from,copy streams,flush,set,store line" \
		"$(json '[.kernels[] | select(.kernel != "") | .operation] | sort | join(",")')"
	names=$(json '.kernels[].kernel')
	works pmk cpu
	for k in $names; do
		grep -Eq " $k\$" <<<"$output"
	done
}

@test "without features the oldest kernels are left" {
	export PMK_DISABLE_CPU_FEATURES=avx,clwb,clflushopt,movdir64b,movdiri
	works pmk cpu --json
	is clflush "$(json '.kernels[] | select(.operation == "flush").kernel')"
	is sse2 "$(json '[.kernels[] | select(.operation | test("^(copy( (backward|blocks|cached|drained|streams))?|set|store line)$")).kernel] | unique | join(",")')"
	is 0 "$(json '[.features[] | select(.name | test("avx|clwb|movdir|clflushopt")) | select(.used)] | length')"
	works pmk cpu
	run ! grep -E '^(avx|avx2|avx512f|clwb) +yes$' <<<"$output"
}

@test "a disabled feature that is present is shown as disabled" {
	grep -qw clflush /proc/cpuinfo || skip "the CPU has no clflush"
	PMK_DISABLE_CPU_FEATURES=clflush works pmk cpu
	grep -Eq '^clflush +disabled$' <<<"$output"
}

@test "thresholds of the environment that do not parse are refused" {
	PMK_TUNING=nt_edges=1k,eight_streams=off works pmk cpu
	PMK_TUNING=no_such=1 fails 2 "PMK_TUNING: .*unknown threshold 'no_such'" \
		pmk cpu
	PMK_TUNING=nt_edges=big fails 2 "PMK_TUNING: .*'nt_edges=big' is not" \
		pmk cpu
}
