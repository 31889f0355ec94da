#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Manual pages: mandoc finds no error; every public function is in a page of
# section 3; every page is named by its function or command; every long option
# in "pmk X --help" is in the page of pmk X, and back.
# Usage: man.sh ROOT MANDIR PMK
set -eu
. "$(dirname -- "$0")/lib.sh"

man=$2
pmk=$3
need mandoc

# words FILE: a page as plain text, without overstriking
words() {
	mandoc -T ascii "$1" | sed 's/.\x08//g'
}

# A page without its examples, which run other commands too.
without_examples() {
	awk '/^[A-Z]/ { skip = /^EXAMPLES/ } !skip'
}

long_options() {
	grep -o -E -- '(^|[^[:alnum:]-])--[a-z][a-z0-9-]*' | grep -o -E -- '--.*' | sort -u
}

check_lint() {
	# warnings are scdoc's own habits (empty paragraphs)
	[ -n "$(find "$man" -name '*.[1-8]')" ] || bad "no page in $man"
	find "$man" -name '*.[1-8]' -exec mandoc -T lint -W error {} + ||
		bad "mandoc finds errors"
	# each source is built
	find docs/man -name '*.scd' | while read -r scd; do
		page=${scd##*/}
		[ -f "$man/${page%.scd}" ] || bad "$scd is not built by docs/CMakeLists.txt"
	done
}

check_functions() {
	for page in "$man"/*.3; do
		words "$page" >>"$tmp/section3"
	done
	public_functions >"$tmp/functions"
	while read -r f; do
		grep -qw "$f" "$tmp/section3" || bad "$f is in no page of section 3"
	done <"$tmp/functions"
	# and back: a page does not name what is not there
	grep -o '\bpmk_[a-z0-9_]*()' "$tmp/section3" | sed 's/()//' | sort -u |
		comm -13 "$tmp/functions" - | while read -r f; do
		bad "section 3 names $f(), which does not exist"
	done
}

# Each line of --list-commands is a command ("cpu") or one of a group ("log
# read"); the page is that of the first word.
check_options() {
	"$pmk" --list-commands >"$tmp/commands"
	[ -s "$tmp/commands" ] || bad "pmk --list-commands is empty"
	cut -d ' ' -f 1 "$tmp/commands" | sort -u >"$tmp/groups"
	while read -r group; do
		page=$man/pmk-$group.1
		[ -f "$page" ] || { bad "pmk $group has no page"; continue; }
		words "$page" | without_examples | long_options >"$tmp/in-page"
		grep -E "^$group( |\$)" "$tmp/commands" | while read -r cmd; do
			# shellcheck disable=SC2086 # two words
			"$pmk" $cmd --help </dev/null || bad "pmk $cmd --help fails"
		done | long_options >"$tmp/in-help"
		comm -23 "$tmp/in-help" "$tmp/in-page" | while read -r o; do
			bad "pmk $group --help has $o, pmk-$group(1) has not"
		done
		comm -13 "$tmp/in-help" "$tmp/in-page" | while read -r o; do
			bad "pmk-$group(1) has $o, pmk $group --help has not"
		done
	done <"$tmp/groups"
	for page in "$man"/pmk-*.1; do
		group=${page##*/pmk-}
		grep -qx -- "${group%.1}" "$tmp/groups" ||
			bad "${page##*/}: there is no such command"
	done
}

check_lint
check_functions
check_options
verdict
