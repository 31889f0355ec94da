#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The bash completion offers what pmk has.

load common

# complete_line WORD...: what is offered for the last of them, and "FILES" if
# file names are
complete_line() {
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	COMPREPLY=()
	compopt() { [[ $* != "+o default" ]] || default=; }
	local default=FILES
	# shellcheck source=../../tools/completion/pmk
	source "$BATS_TEST_DIRNAME/../../tools/completion/pmk"
	_pmk
	# the default comes into play where nothing is offered
	echo "${COMPREPLY[*]:-$default}"
}

@test "commands and subcommands" {
	is "bench copy cpu doctor list log memmap wc help" "$(complete_line pmk "")"
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
	# as readline cuts "--format=" and "--format=j"
	is "raw json" "$(complete_line pmk log read --format =)"
	is "json" "$(complete_line pmk log read --format = j)"
	is "--usable= --usage" "$(complete_line pmk memmap predict --us)"
	is "dev mem" "$(complete_line pmk memmap predict --map "")"
	is "devdax" "$(complete_line pmk memmap predict --size 1G --mode = d)"
	is "p s" "$(complete_line pmk wc info --mode "")"
	is "4K 2M 1G" "$(complete_line pmk memmap predict --align "")"
	is FILES "$(complete_line pmk memmap predict --iomem "")"
}

@test "what bench takes, once" {
	is "copy set page clear flush log wc" "$(complete_line pmk bench "")"
	is "copy set page clear flush log wc" "$(complete_line pmk bench --quick "")"
	is FILES "$(complete_line pmk bench copy --on "")"
	is "log" "$(complete_line pmk bench l)"
	is "--quick" "$(complete_line pmk bench copy --q)"
	is "" "$(complete_line pmk bench copy "")"
	# page and clear have bats files that run them
	for what in copy set flush log; do
		works pmk bench "$what" --quick --rounds 1 --sizes 64
	done
}

@test "help goes before commands, not before options and files" {
	is "bench copy cpu doctor list log memmap wc" "$(complete_line pmk help "")"
	is "append check create read" "$(complete_line pmk help log "")"
	is "" "$(complete_line pmk help cpu "")"
	is "" "$(complete_line pmk help log read --s)"
}

@test "nothing behind what is no command" {
	is "" "$(complete_line pmk nonsense "")"
	is "" "$(complete_line pmk nonsense --he)"
	is "" "$(complete_line pmk log nonsense "")"
	is "" "$(complete_line pmk --version "")"
}

@test "arguments are left to file names" {
	is FILES "$(complete_line pmk doctor "")"
	is FILES "$(complete_line pmk log read "")"
	is FILES "$(complete_line pmk log append --ack "")"
}
