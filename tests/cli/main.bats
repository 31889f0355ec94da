#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The command itself: dispatch, help, exit codes, standard output, environment.

load common

@test "without a command: usage error, one line" {
	fails 2 '^pmk: which command\?' pmk
	is "" "$output"
	fails 2 '^pmk log: which command\?' pmk log
}

@test "an unknown command: usage error, one line" {
	fails 2 "^pmk: no command 'frobnicate'" pmk frobnicate
	fails 2 "^pmk log: no command 'frobnicate'" pmk log frobnicate
	fails 2 "^pmk: no command '--frobnicate'" pmk --frobnicate
	fails 2 "^pmk: no command ''" pmk ""
}

@test "--list-commands lists each on its own line" {
	works pmk --list-commands
	is "cpu
doctor
list
copy
log
log create
log append
log read
log check
memmap
memmap predict
memmap inspect
memmap simulate
memmap verify
wc
wc check
wc dump
wc export
wc format
wc info
wc repair
wc restore
wc size
wc writeback
bench" "$output"
}

@test "--version" {
	works pmk --version
	[[ $output =~ ^pmk\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
	version=$output
	works pmk -V
	is "$version" "$output"
	for o in --version -V --list-commands; do
		fails 2 "^pmk: one argument too many: 'x'" pmk $o x
	done
}

@test "--help names every command" {
	works pmk --help
	for c in cpu doctor list copy log memmap bench; do
		grep -q "^  $c " <<<"$output"
	done
	works pmk log --help
	for c in create append read check; do
		grep -q "^  $c " <<<"$output"
	done
	grep -q 'pmk-log(1)' <<<"$output"
	works pmk memmap --help
	for c in predict inspect simulate verify; do
		grep -q "^  $c " <<<"$output"
	done
	grep -q 'pmk-memmap(1)' <<<"$output"
}

@test "help X is X --help, and every command has it, on stdout" {
	pmk --list-commands >list
	while read -r c; do
		# shellcheck disable=SC2086 # a command of several words
		works pmk help $c
		by_help=$output
		# shellcheck disable=SC2086
		works pmk $c --help
		is "$by_help" "$output"
		grep -q "^Usage: pmk $c" <<<"$output"
	done <list
	works pmk help
	works pmk help log read
	by_help=$output
	works pmk help help log read
	is "$by_help" "$output"
	works pmk --help
	by_help=$output
	works pmk help help
	is "$by_help" "$output"
	fails 2 "no command 'nothing'" pmk help nothing
}

@test "wrong options and arguments: exit 2, named by the command" {
	run -2 --separate-stderr pmk cpu --frobnicate
	[[ $stderr == "pmk cpu: "* ]]
	run -2 --separate-stderr pmk cpu extra
	[[ $stderr == "pmk cpu: one argument too many: 'extra'"* ]]
	run -2 --separate-stderr pmk doctor
	[[ $stderr == "pmk doctor: PATH is missing"* ]]
	run -2 --separate-stderr pmk copy one
	[[ $stderr == "pmk copy: DST is missing"* ]]
	run -2 --separate-stderr pmk log read
	[[ $stderr == "pmk log read: FILE is missing"* ]]
	run -2 --separate-stderr pmk log append a b
	[[ $stderr == "pmk log append: one argument too many: 'b'"* ]]
}

@test "what cannot be written to standard output is a failure" {
	pmk log create l --size 64k
	echo record | pmk log append l
	for c in "--version" "--help" "--list-commands" "cpu" "cpu --json" \
		"cpu --help" "log read l" "log read l --json" "log check l"; do
		# shellcheck disable=SC2086 # words
		run -1 --separate-stderr sh -c "pmk $c >/dev/full"
		is 1 "${#stderr_lines[@]}"
		[[ $stderr == *": standard output: No space left on device" ]]
	done
}

@test "closed standard descriptors" {
	run -1 sh -c 'pmk cpu >&-'
	run -0 sh -c 'pmk cpu <&- 2>&-'
	# the log must not become the standard input that is appended to it
	pmk log create l --size 64k
	fails 1 "standard input: Bad file descriptor" sh -c 'pmk log append l <&-'
	works pmk log read l
	is "" "$output"
	# nor the message be written into the log
	run -1 sh -c 'pmk log append l <&- 2>&- >&-'
	works pmk log check l
}

@test "PMK_DISABLE_CPU_FEATURES with an unknown name: exit 2, names listed" {
	fails 2 "unknown CPU feature 'sse9'.*clflush, clflushopt, clwb, avx" \
		env PMK_DISABLE_CPU_FEATURES=clwb,sse9 pmk cpu
	no_file l
	fails 2 "unknown CPU feature" \
		env PMK_DISABLE_CPU_FEATURES=CLWB pmk log create l --size 64k
	no_file l
	works env PMK_DISABLE_CPU_FEATURES= pmk cpu
}

@test "a reader of standard output that goes away ends the command" {
	pmk log create l --size 16M
	seq 100000 | pmk log append l --batch 1000
	run -0 sh -c 'pmk log read l | head -n 1'
	is 1 "$output"
}
