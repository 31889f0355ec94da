#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# pmk copy to a file system without space, a read-only one, another one.

load common

@test "no space: nothing left, the old file as it was" {
	head -c 2M /dev/urandom >src
	in_tmpfs 1M sh -c 'echo old >mnt/dst; pmk copy src mnt/dst --force
		s=$?; ls -A mnt; cat mnt/dst; exit $s'
	is "1 dst
old" "$status $output"
	is 1 "${#stderr_lines[@]}"
	[[ $stderr == "pmk copy: mnt/dst: "*"No space left on device"* ]]
}

@test "to a tmpfs and back" {
	head -c 3M /dev/urandom >src
	in_tmpfs 8M sh -c 'pmk copy src mnt/f --verify --json &&
		cmp src mnt/f && pmk copy mnt/f back --verify'
	is "0 " "$status $stderr"
	is volatile "$(json .domain)"
	cmp src back
}

@test "a read-only file system" {
	echo data >src
	in_tmpfs 1M sh -c 'echo old >mnt/dst; mount -o remount,ro mnt || exit 99
		pmk copy src mnt/dst --force'
	is 1 "$status"
	[[ $stderr == "pmk copy: mnt/dst: "*"Read-only file system"* ]]
}
