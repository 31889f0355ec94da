# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# What the test files share.  Each case runs in its own empty directory, with
# the pmk that the environment names first on the path.

bats_require_minimum_version 1.5.0

setup() {
	own_directory
}

own_directory() {
	PATH=$(dirname -- "$PMK"):$PATH
	# a case that hangs is a failure, and soon
	limit=(timeout 60)
	# bats keeps files of its own in the directory above
	mkdir "$BATS_TEST_TMPDIR/work"
	cd "$BATS_TEST_TMPDIR/work" || return 1
}

# fails STATUS REGEX COMMAND...: it ends with STATUS, and its message is one
# line that matches; what it printed is in $output
fails() {
	local status_wanted=$1 regex=$2
	shift 2
	run -"$status_wanted" --separate-stderr "${limit[@]}" "$@"
	# shellcheck disable=SC2154 # run sets it
	if [ "${#stderr_lines[@]}" -ne 1 ] || ! [[ $stderr =~ $regex ]]; then
		printf 'message is not one line that matches %s:\n%s\n' \
			"$regex" "$stderr"
		return 1
	fi
}

# works COMMAND...: exit 0 and no message; $output is what it printed
works() {
	run -0 --separate-stderr "${limit[@]}" "$@"
	if [ -n "$stderr" ]; then
		printf 'unexpected message: %s\n' "$stderr"
		return 1
	fi
}

# is EXPECTED ACTUAL
is() {
	[ "$1" = "$2" ] || {
		printf 'expected: %s\n  actual: %s\n' "$1" "$2"
		return 1
	}
}

# no_file PATH...: none of them is there
no_file() {
	local f
	for f; do
		[ ! -e "$f" ] || {
			printf 'left behind: %s\n' "$f"
			return 1
		}
	done
}

# json FILTER: of the document in $output, which must be one document
json() {
	jq -es 'length == 1 and .[0].schema == 1' <<<"$output" >/dev/null &&
		jq -r "$1" <<<"$output"
}

# wait_for COMMAND...: until it succeeds, at most 20 seconds
wait_for() {
	local i
	for ((i = 0; i < 2000; i++)); do
		! "$@" || return 0
		sleep 0.01
	done
	return 1
}

# flip FILE OFFSET: change the byte there
flip() {
	local byte
	byte=$(od -An -tu1 -j "$2" -N 1 "$1")
	# shellcheck disable=SC2059 # the format is the byte
	printf "\\x$(printf %x $((byte ^ 255)))" |
		dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# offset FILE TEXT: where TEXT is in a binary file
offset() {
	grep -abo -m 1 -F -- "$2" "$1" | head -n 1 | cut -d: -f1
}

# in_tmpfs SIZE COMMAND...: run it with ./mnt a tmpfs of that size; skips the
# case where that is not permitted
in_tmpfs() {
	local size=$1 flags=-m
	shift
	[ "$(id -u)" -eq 0 ] || flags=-Urm
	unshare $flags true 2>/dev/null ||
		skip "unshare $flags is not permitted here"
	mkdir -p mnt
	# shellcheck disable=SC2016 # the inner shell expands
	run --separate-stderr "${limit[@]}" unshare $flags sh -c '
		size=$1; shift
		mount -t tmpfs -o size="$size",mode=700 pmk-test mnt || exit 99
		"$@"' sh "$size" "$@"
	[ "$status" -ne 99 ] || skip "mounting a tmpfs is not permitted here"
}

# as_nobody COMMAND...: with no right to anything of ours; skips the case where
# that cannot be had
as_nobody() {
	if [ "$(id -u)" -ne 0 ]; then
		"$@"
		return
	fi
	setpriv --reuid=65534 --clear-groups "$PMK" --version >/dev/null 2>&1 ||
		skip "$PMK cannot be run by another user"
	setpriv --reuid=65534 --clear-groups "$@"
}
