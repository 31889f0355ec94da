#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# pmk doctor, against what stat(1), findmnt(8) and this file say.

load common

@test "a file on tmpfs: volatile, page, not pmem" {
	in_tmpfs 1M sh -c 'echo data >mnt/f; pmk doctor mnt/f --json'
	is 3 "$status"
	is "false file page volatile tmpfs volatile_fs 5" \
		"$(json '"\(.pmem) \(.kind) \(.granularity) \(.domain) \(.fs_type) \(.reason) \(.size_bytes)"')"
	is "$PWD/mnt" "$(json .mount_point)"
	[ -n "$(json .remedy)" ]
}

@test "a file here: file system and mount point are those of findmnt" {
	head -c 5000 /dev/zero >f
	run --separate-stderr pmk doctor f --json
	is "$(findmnt -n -o FSTYPE -T f)" "$(json .fs_type)"
	is "$(findmnt -n -o TARGET -T f)" "$(json .mount_point)"
	is 5000 "$(json .size_bytes)"
	# whatever it lies on, verdict, granularity and exit status agree
	case $(json .granularity) in
	page) is "3 false" "$status $(json .pmem)" ;;
	byte | cache_line) is "0 true" "$status $(json .pmem)" ;;
	*) false ;;
	esac
}

@test "an ext4 or xfs file on a disk: the block device is the reason" {
	case $(findmnt -n -o FSTYPE,SOURCE -T .) in
	*pmem*) skip "this is a pmem device" ;;
	ext4* | xfs*) ;;
	*) skip "neither ext4 nor xfs here" ;;
	esac
	echo data >f
	run -3 --separate-stderr pmk doctor f
	grep -Eq '^verdict +not persistent memory' <<<"$output"
	grep -Eq '^granularity +page' <<<"$output"
	grep -Eq '^reason .*block device is not persistent memory' <<<"$output"
	grep -Eq '^remedy .*namespace' <<<"$output"
	is "" "$stderr"
}

@test "an emulated log is good, and the file under it is told too" {
	pmk log create l --size 64k --emulated
	works pmk doctor l
	grep -Eq '^verdict +emulated persistent memory' <<<"$output"
	grep -q 'not of the machine' <<<"$output"
	grep -q "$(findmnt -n -o FSTYPE -T l)" <<<"$output"
	works pmk doctor l --json
	is "true true file" "$(json '"\(.record_log) \(.emulated) \(.kind)"')"
}

@test "a log that is not emulated is judged by its file" {
	pmk log create l --size 64k
	run --separate-stderr pmk doctor l --json
	is "true false" "$(json '"\(.record_log) \(.emulated)"')"
	is "$(json '.pmem')" "$([ "$status" -eq 0 ] && echo true || echo false)"
}

@test "what is not there, or cannot be opened: exit 1" {
	fails 1 '^pmk doctor: missing: No such file or directory' pmk doctor missing
	is "" "$output"
	touch file
	fails 1 'Not a directory' pmk doctor file/below
	fails 1 'No such file' pmk doctor ""
	ln -s loop loop
	fails 1 'symbolic links' pmk doctor loop
	fails 1 'name too long' pmk doctor "$(printf '%5000s' x)"
}

@test "what cannot be mapped: exit 3, and the reason, without hanging" {
	mkdir dir
	mkfifo fifo
	for p in dir fifo /dev/null /proc/self/stat; do
		run -3 --separate-stderr "${limit[@]}" pmk doctor $p --json
		is "false none" "$(json '"\(.pmem) \(.kind)"')"
		is "" "$stderr"
	done
	run -3 --separate-stderr "${limit[@]}" pmk doctor fifo --json
	is "file_type fifo" "$(json '"\(.reason) \(.type)"')"
	run -3 --separate-stderr "${limit[@]}" pmk doctor /dev/null --json
	is "file_type character_device" "$(json '"\(.reason) \(.type)"')"
}

@test "an empty file and a directory: as a file with data beside them" {
	mkdir dir
	touch dir/empty
	head -c 5000 /dev/zero >dir/f
	run --separate-stderr pmk doctor dir/f --json
	[ "$(json .pmem)" = false ] || skip "this is a DAX file system"
	want=$(json '"\(.reason) \(.domain) \(.fs_type) \(.mount_point) \(.device)"')
	for p in dir dir/empty; do
		run -3 --separate-stderr pmk doctor $p --json
		is "$want" "$(json '"\(.reason) \(.domain) \(.fs_type) \(.mount_point) \(.device)"')"
	done
	is "$(printf 'empty\nf')" "$(ls -A dir)"
	run -3 --separate-stderr pmk doctor dir/empty
	grep -q 'it is empty' <<<"$output"
	run -3 --separate-stderr pmk doctor dir
	grep -q '^verdict .*a directory: a new file in it would not be' <<<"$output"
}

@test "a block device: what a file on it would be" {
	dev=$(findmnt -n -o SOURCE -T .)
	[ -b "$dev" ] || skip "no block device below this directory"
	run -3 --separate-stderr pmk doctor "$dev" --json
	is "block_device $(findmnt -n -o FSTYPE -T .)" "$(json '"\(.type) \(.fs_type)"')"
	is "$(lsblk -n -d -b -o SIZE "$dev" | tr -d ' ')" "$(json .size_bytes)"
}

@test "the verdict comes first, and what is not known has a reason" {
	head -c 5000 /dev/zero >f
	run --separate-stderr pmk doctor f
	[[ ${lines[0]} =~ ^verdict ]]
	[[ ${lines[1]} =~ ^reason ]]
	run --separate-stderr pmk doctor f --json
	for key in huge_faults device_bad_bytes file_bad_bytes; do
		# null and a reason, or a value and none
		is true "$(json "has(\"$key\") and
			((.$key == null) == (.${key}_reason != null) or
			.${key} == \"no\" or .${key} == \"partly\") and
			((.${key}_reason == null) == (.${key}_reason_text == null))")"
	done
	is true "$(json '(.domain == "unknown") == (.domain_reason != null)')"
}

@test "without /sys: the device is not known, and the reason is" {
	unshare -m true 2>/dev/null || skip "unshare -m is not permitted here"
	case $(findmnt -n -o FSTYPE -T .) in
	ext4 | xfs) ;;
	*) skip "neither ext4 nor xfs here" ;;
	esac
	echo data >f
	run -3 --separate-stderr unshare -m sh -c 'mount -t tmpfs none /sys || exit 99
		pmk doctor f --json'
	is "no_sysfs unknown no_sysfs" "$(json '"\(.reason) \(.domain) \(.domain_reason)"')"
	is "null no_sysfs" "$(json '"\(.device_bad_bytes) \(.device_bad_bytes_reason)"')"
}

@test "without /proc: the mount is not known, and nothing else is lost" {
	unshare -m true 2>/dev/null || skip "unshare -m is not permitted here"
	head -c 5000 /dev/zero >f
	run --separate-stderr pmk doctor f --json
	want="$(json '"\(.kind) \(.granularity) \(.domain) \(.device) \(.fs_type)"')"
	run --separate-stderr unshare -m sh -c 'mount -t tmpfs none /proc || exit 99
		pmk doctor f --json'
	is "$want" "$(json '"\(.kind) \(.granularity) \(.domain) \(.device) \(.fs_type)"')"
	is "" "$(json .mount_point)"
}

@test "what may not be read: exit 1, and what can be seen without that" {
	echo data >f
	chmod 000 f
	run -1 --separate-stderr as_nobody "$PMK" doctor f --json
	is "null no_access file" "$(json '"\(.pmem) \(.reason) \(.type)"')"
	is "$(findmnt -n -o FSTYPE -T f)" "$(json .fs_type)"
	is "pmk doctor: f: Permission denied" "$stderr"
}

@test "nothing is written" {
	head -c 10000 /dev/urandom >f
	chmod 400 f
	before=$(sha256sum f; stat -c '%y %z %s' f)
	run pmk doctor f
	is "$before" "$(sha256sum f; stat -c '%y %z %s' f)"
}

@test "options of the mount and of the file system are told apart" {
	in_tmpfs 1M sh -c 'echo data >mnt/f; mkdir bind
		mount --bind mnt bind && mount -o remount,bind,ro,noexec bind ||
			exit 99
		pmk doctor bind/f --json; s=$?
		findmnt -n -o VFS-OPTIONS bind; findmnt -n -o FS-OPTIONS bind
		exit $s'
	is 3 "$status"
	vfs=${lines[-2]}
	fs=${lines[-1]}
	output=$(head -n -2 <<<"$output")
	is "$vfs" "$(json .mount_options)"
	is "$fs" "$(json .fs_options)"
}

@test "a UTF-8 path is shown as it is, and figures have a dot" {
	head -c 1536 /dev/zero >grüße
	run -3 --separate-stderr env LC_ALL=C.UTF-8 pmk doctor grüße
	grep -Eq '^path +grüße$' <<<"$output"
	run -3 --separate-stderr env LC_ALL=C pmk doctor grüße
	grep -Eq '^path +gr\\xc3\\xbc' <<<"$output"
}

@test "a link to nothing is named as one" {
	ln -s nowhere dangling
	fails 1 '^pmk doctor: dangling: a symbolic link to nothing$' \
		pmk doctor dangling
}

@test "a path that is not UTF-8 makes valid JSON" {
	f=$'bad\xff\xfename'
	echo data >"$f"
	run --separate-stderr pmk doctor "$f" --json
	is 'bad??name' "$(json .path)"
}
