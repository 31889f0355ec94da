#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The bash completion offers what pmk has.

load common

# complete_line WORD...: what is offered for the last of them
complete_line() {
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	COMPREPLY=()
	compopt() { :; }
	# shellcheck source=../../tools/completion/pmk
	source "$BATS_TEST_DIRNAME/../../tools/completion/pmk"
	_pmk
	echo "${COMPREPLY[*]}"
}

@test "commands and subcommands" {
	is "bench copy cpu doctor log help" "$(complete_line pmk "")"
	is "copy cpu" "$(complete_line pmk c)"
	is "append check create read" "$(complete_line pmk log "")"
	is "create" "$(complete_line pmk log cr)"
}

@test "options, from the help of the command" {
	is "--size=" "$(complete_line pmk log create --si)"
	is "--skip-damaged" "$(complete_line pmk log read l --sk)"
	is "--verify" "$(complete_line pmk copy a b --v)"
	is "--version" "$(complete_line pmk --v)"
	is "raw json" "$(complete_line pmk log read --format "")"
}

@test "arguments are left to file names" {
	is "" "$(complete_line pmk doctor "")"
	is "" "$(complete_line pmk log read "")"
}
