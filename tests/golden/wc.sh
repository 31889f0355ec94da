#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Run a recipe of tests/golden/wc: make the image, then compare what each
# command says to it with what the recipe says.  Usage: wc.sh RECIPE
# wc/RECIPES has the form of recipes.
set -u

recipe=$(realpath -e -- "$1") || exit 1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
bad=0

# wc COMMAND ARG...: with the reads that the recipe makes fail
wc() {
	if [ -s unreadable ]; then
		# a path with a blank would be two libraries to the loader
		cp "$PMK_PREAD_SHIM" shim.so
		PMK_TEST_BAD=$(paste -sd , unreadable) \
			LD_PRELOAD=$dir/shim.so "$PMK" wc "$@"
	else
		"$PMK" wc "$@"
	fi
}

# Two steps are not of wc_make: "unreadable OFFSET+LEN" of the image, kept for
# wc(), and "origin SIZE".
make_image() {
	sed -n 's/^unreadable /image:/p' step >>unreadable
	sed -n 's/^origin //p' step | xargs -r -I{} truncate -s {} origin
	grep -v '^\(unreadable\|origin\) ' step | "$WC_MAKE" image
}

# What check says, as the recipe has it.
say_check() {
	local status=0
	wc check --json "$@" image >out.json || status=$?
	echo "exit $status"
	jq -r '
		"verdict \(.verdict)",
		(select(.errno) | "errno \(.errno)"),
		(select(.kernel_message) | "message \(.kernel_message)"),
		(.problems[] | .code + (
			if .other_entry != null then " \(.entry) \(.other_entry)"
			elif .entry != null then " \(.entry)"
			elif .detail != "" then ": " + .detail
			else "" end)),
		(.more | to_entries[] | "more \(.key) \(.value)")' out.json
}

# What repair does in place, and that it does no more a second time; that it can
# be undone to the byte is tried on a copy.
say_repair() {
	local status=0
	cp image before
	rm -f undo
	wc repair --in-place --undo undo --yes --json "$@" image >out.json || status=$?
	echo "exit $status"
	jq -r '
		"clean \(.clean)",
		(.changes[] | if .entry == null then .code else "\(.code) \(.entry)" end)' \
		out.json
	if [ -e undo ]; then
		cp image undone
		wc repair --undo-apply undo --yes undone || echo "undo fails"
		cmp before undone
	fi
	wc repair --in-place --undo undo2 --yes --json "$@" image |
		jq -r 'select(.change_count != 0) | "again \(.change_count)"'
	rm -f undo2
}

# The exit status of any other command, and its messages.
say_run() {
	local status=0
	wc "$@" >out 2>err || status=$?
	echo "exit $status"
	sed 's/^pmk [a-z ]*: //' err
}

# there_and_back WHAT: text and data of the image make it again to the byte,
# unless there are no entries, or not all of it can be read
there_and_back() {
	local status=0
	[ ! -s unreadable ] || return
	rm -rf data dump back
	wc dump --all --data data -o dump image 2>err || status=$?
	if [ $status -eq 1 ] && grep -q 'there are no entries' err; then
		return
	fi
	# 3: the device was cut off before a dirty block
	[ $status -eq 0 ] || [ $status -eq 3 ] || bad=1
	wc restore -i dump --data data -o back --force 2>>err
	[ $? -eq $status ] || bad=1
	if ! cmp image back; then
		echo "${recipe##*/}: $1: dump and restore make another image"
		cat err
		bad=1
	fi
}

# compare WHAT: the step's lines with those in ./said
compare() {
	grep -v '^\(#\|$\)' step >wanted
	if ! diff -u wanted said >differences; then
		echo "${recipe##*/}: $1:"
		cat differences
		bad=1
	fi
}

# run KIND ARG...: a section, whose lines are in ./step
run() {
	local kind=$1
	shift
	case $kind in
	recipe)
		make_image || bad=1
		there_and_back recipe
		;;
	check)
		say_check "$@" >said
		compare "check $*"
		;;
	repair)
		say_repair "$@" >said
		compare "repair $*"
		there_and_back repair
		;;
	run)
		say_run "$@" >said
		compare "run $*"
		;;
	*)
		echo "${recipe##*/}: no such section: $kind"
		bad=1
		;;
	esac
}

: >unreadable
truncate -s 1M origin
section=
: >step
while IFS= read -r line; do
	case $line in
	\[*\])
		# shellcheck disable=SC2086 # words
		[ -z "$section" ] || run $section
		section=${line#\[}
		section=${section%\]}
		: >step
		;;
	*) printf '%s\n' "$line" >>step ;;
	esac
done <"$recipe"
# shellcheck disable=SC2086 # words
[ -z "$section" ] || run $section
exit $bad
