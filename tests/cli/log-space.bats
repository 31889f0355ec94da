#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# A file system that becomes full: on a small tmpfs in a mount namespace.

load common

@test "ENOSPC in the middle of an append: nothing acknowledged is lost" {
	seq -f 'record number %08.0f' 100000 >in
	cat >script <<-'END'
		set -e
		pmk log create mnt/l --size 16M --sparse
		head -c 1M /dev/zero >mnt/ballast
		pmk log append mnt/l --ack <in >acks 2>message && exit 90
		echo $? >status
		pmk log check mnt/l >/dev/null || exit 91
		pmk log read mnt/l >found
		# still full: refused again, still good
		tail -n +$(($(wc -l <found) + 1)) in >rest
		pmk log append mnt/l --ack <rest >>acks 2>message2 && exit 92
		pmk log read mnt/l >found
		# with space again it goes on where it was
		rm mnt/ballast
		tail -n +$(($(wc -l <found) + 1)) in >rest
		head -n 5000 rest | pmk log append mnt/l --ack >>acks
		pmk log check mnt/l >/dev/null || exit 93
		pmk log read mnt/l >end
	END
	in_tmpfs 4M sh script
	is "0 " "$status $stderr"
	is 1 "$(cat status)"
	[[ $(cat message) =~ ^pmk\ log\ append:\ mnt/l:\ .*No\ space\ left.*:\ ([0-9]+)\ records\ appended,\ input\ record\ ([0-9]+)\ was\ not ]]
	is 1 "$(wc -l <message)"
	is "$((BASH_REMATCH[1] + 1))" "${BASH_REMATCH[2]}"
	[ "${BASH_REMATCH[1]}" -gt 100 ]
	n=$(wc -l <end)
	is "$(seq "$n" | sha256sum)" "$(sha256sum <acks)"
	[ "$n" -eq $(($(wc -l <found) + 5000)) ]
	cmp end <(head -n "$n" in)
}

@test "create: no space, no file" {
	in_tmpfs 1M sh -c 'pmk log create mnt/l --size 2M; s=$?; ls -A mnt; exit $s'
	is "1 " "$status $output"
	[[ $stderr == "pmk log create: mnt/l: "*"No space left"* ]]
}

@test "create in an old file: no space, the old size" {
	in_tmpfs 1M sh -c 'head -c 8192 /dev/zero >mnt/l
		pmk log create mnt/l --size 2M; s=$?; stat -c %s mnt/l; exit $s'
	is "1 8192" "$status $output"
}

@test "--sparse on a full file system: create fails or the log is good" {
	in_tmpfs 64k sh -c 'head -c 64k /dev/zero >mnt/ballast
		pmk log create mnt/l --size 1M --sparse; s=$?
		ls mnt; exit $s'
	is "1 ballast" "$status $output"
}
