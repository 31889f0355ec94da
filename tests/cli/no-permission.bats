#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What the user may not do: exit 1, one line, nothing changed.  As root these
# run as another user.

load common

denied() {
	run -1 --separate-stderr as_nobody "$PMK" "$@"
	is 1 "${#stderr_lines[@]}"
	[[ $stderr == "pmk "*": Permission denied"* ]]
}

@test "create in a directory that may not be written" {
	mkdir dir
	chmod 555 dir
	denied log create dir/l --size 64k
	no_file dir/l
}

@test "append to a log that may only be read" {
	pmk log create l --size 64k
	echo one | pmk log append l
	chmod 444 l
	before=$(sha256sum l)
	denied log append l </dev/null
	is "$before" "$(sha256sum l)"
	# reading it is all right
	run -0 --separate-stderr as_nobody "$PMK" log read l
	is one "$output"
	run -0 --separate-stderr as_nobody "$PMK" log check l
}

@test "read, check and doctor of a file that may not be read" {
	pmk log create l --size 64k
	chmod 000 l
	denied log read l
	denied log check l
	denied doctor l
	denied log create l --force
}

@test "copy from and to where it may not" {
	mkdir dir
	echo secret >secret
	chmod 000 secret
	echo data >data
	chmod 555 dir
	denied copy secret copy
	denied copy data dir/copy
	no_file dir/copy copy
	is "" "$(ls -A dir)"
}
