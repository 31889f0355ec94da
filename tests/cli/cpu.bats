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

@test "without features the oldest kernels are left" {
	export PMK_DISABLE_CPU_FEATURES=avx,clwb,clflushopt,movdir64b,movdiri
	works pmk cpu --json
	is clflush "$(json '.kernels[] | select(.operation == "flush").kernel')"
	is 0 "$(json '[.features[] | select(.name | test("avx|clwb|movdir|clflushopt")) | select(.used)] | length')"
	works pmk cpu
	run ! grep -E '^(avx|avx2|avx512f|clwb) +yes$' <<<"$output"
}

@test "a disabled feature that is present is shown as disabled" {
	grep -qw clflush /proc/cpuinfo || skip "the CPU has no clflush"
	PMK_DISABLE_CPU_FEATURES=clflush works pmk cpu
	grep -Eq '^clflush +disabled$' <<<"$output"
}
