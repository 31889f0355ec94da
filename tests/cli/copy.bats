#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# pmk copy, against cmp(1) and stat(1).

load common

# nothing but these names in the directory
only() {
	is "$*" "$(ls -A | tr '\n' ' ' | sed 's/ $//')"
}

@test "sizes around lines, pages and chunks" {
	for n in 1 63 64 65 4095 4096 4097 1048577 4194303 4194304 4194305 \
		9000001; do
		head -c $n /dev/urandom >src
		works pmk copy src dst --force --verify
		is "" "$output"
		cmp src dst
	done
	only dst src
}

@test "--json" {
	head -c 10000 /dev/urandom >src
	works pmk copy src dst --json
	is "src dst 10000 null" "$(json '"\(.source) \(.destination) \(.size_bytes) \(.verified)"')"
	[ "$(json '.elapsed_ns')" -gt 0 ]
	works pmk copy src dst --json --force --verify
	is true "$(json .verified)"
}

@test "permission bits are those of the source" {
	echo data >src
	for mode in 400 600 644 755 777; do
		chmod $mode src
		(umask 077 && pmk copy src dst --force)
		is $mode "$(stat -c %a dst)"
	done
}

@test "an empty source makes an empty file" {
	touch src
	works pmk copy src dst --verify
	is 0 "$(stat -c %s dst)"
	echo old >old
	works pmk copy src old --force
	is 0 "$(stat -c %s old)"
	only dst old src
}

@test "an existing file is not replaced without --force" {
	echo new >src
	echo old >dst
	fails 1 '^pmk copy: dst: File exists; --force replaces it' \
		pmk copy src dst
	is old "$(cat dst)"
	works pmk copy src dst --force
	is new "$(cat dst)"
	only dst src
}

@test "a replaced file is another file: who has the old one open keeps it" {
	echo new >src
	echo old >dst
	exec 5<dst
	works pmk copy src dst --force
	is old "$(cat <&5)"
	exec 5<&-
}

@test "a symbolic link: what it leads to is replaced" {
	mkdir dir
	echo new >src
	echo old >dir/real
	ln -s dir/real link
	works pmk copy src link --force
	[ -L link ]
	is new "$(cat dir/real)"
	is real "$(ls -A dir)"
	ln -s nowhere dangling
	for option in "" --force; do
		# shellcheck disable=SC2086 # none at all
		fails 1 '^pmk copy: dangling: a symbolic link to nothing$' \
			pmk copy src dangling $option
	done
	no_file nowhere
	ln -s src from
	works pmk copy from dst
	is new "$(cat dst)"
}

@test "onto itself: refused" {
	echo data >src
	ln src hard
	ln -s src soft
	for dst in src ./src hard soft; do
		fails 1 "^pmk copy: $dst: is the same file as src" \
			pmk copy src $dst --force
	done
	is data "$(cat src)"
	only hard soft src
}

@test "sources and destinations of the wrong type, without hanging" {
	mkdir dir
	mkfifo fifo
	echo data >src
	fails 1 '^pmk copy: missing: No such file' pmk copy missing dst
	fails 1 '^pmk copy: dir: Is a directory' pmk copy dir dst
	fails 1 '^pmk copy: fifo: neither a regular file nor' pmk copy fifo dst
	fails 1 '^pmk copy: /dev/null: ' pmk copy /dev/null dst
	fails 1 '^pmk copy: /dev/zero: ' pmk copy /dev/zero dst
	no_file dst
	fails 1 '^pmk copy: dir: Is a directory' pmk copy src dir --force
	fails 1 '^pmk copy: fifo: neither a regular file nor' \
		pmk copy src fifo --force
	fails 1 '^pmk copy: /dev/null: neither a regular file nor' \
		pmk copy src /dev/null --force
	fails 1 '^pmk copy: no/dst: .*No such file' pmk copy src no/dst
	fails 1 '^pmk copy: new/: ' pmk copy src new/
	fails 1 '^pmk copy: src/dst: .*Not a directory' pmk copy src src/dst
	[ -p fifo ]
	[ -c /dev/null ]
	only dir fifo src
}

@test "a source that is shorter than it says: refused, nothing left" {
	[ -r /sys/kernel/mm/transparent_hugepage/enabled ] ||
		skip "no sysfs attribute to read"
	fails 1 '^pmk copy: /sys/.*: ends at byte [0-9]+ of 4096' \
		pmk copy /sys/kernel/mm/transparent_hugepage/enabled dst
	fails 1 '^pmk copy: /proc/self/status: has data, but says it has 0' \
		pmk copy /proc/self/status dst
	is "" "$(ls -A)"
}

@test "the longest file name" {
	name=$(printf '%255s' x | tr ' ' n)
	echo data >src
	works pmk copy src "$name" --verify
	cmp src "$name"
	works pmk copy "$name" "./-dash"
	cmp src ./-dash
	works pmk copy --force -- "$name" -dash
}

@test "a source that changes meanwhile: --verify says so, nothing in place" {
	head -c 8388608 /dev/zero >src
	(
		i=0
		while [ ! -e stop ]; do
			printf '%08d' $((i++)) 1<>src
		done
	) 3>&- &
	changer=$!
	bad=
	for ((k = 0; k < 200; k++)); do
		run --separate-stderr "${limit[@]}" pmk copy src dst --verify --json
		if [ "$status" -eq 3 ]; then
			bad=1
			is false "$(json .verified)"
			[ "$(json .mismatch_offset_bytes)" -lt 8 ]
			[[ $stderr == "pmk copy: dst: differs from src at byte "*"; it was not put in place" ]]
			no_file dst
			break
		fi
		is 0 "$status"
		rm dst
	done
	touch stop
	wait "$changer"
	is 1 "$bad"
	only src stop
}

@test "a DST that appears while the copy runs is not replaced" {
	truncate -s 256M src
	# at the latest when the copy is there, and not yet in place
	pmk copy src dst --verify 2>message 3>&- &
	copier=$!
	wait_for compgen -G '.pmk-copy-*' >/dev/null
	echo precious >dst
	status=0
	wait $copier || status=$?
	is 1 "$status"
	is "pmk copy: dst: File exists; --force replaces it" "$(cat message)"
	is precious "$(cat dst)"
	only dst message src
}

@test "a log that a writer has open is not replaced" {
	echo data >src
	pmk log create l --size 64k
	mkfifo feed acks
	pmk log append l --ack <feed >acks 3>&- &
	writer=$!
	exec 5>feed 6<acks
	echo one >&5
	read -r -t 20 -u 6 number
	is 1 "$number"
	fails 1 '^pmk copy: l: log is open for writing elsewhere$' \
		pmk copy src l --force
	# a reader of it is no writer
	works pmk copy l other
	exec 5>&- 6<&-
	wait "$writer"
	works pmk log read l
	is one "$output"
	works pmk copy src l --force
}

@test "an empty name" {
	echo data >src
	fails 1 "^pmk copy: '': No such file or directory" pmk copy src ""
	fails 1 "^pmk copy: '': No such file or directory" pmk copy "" dst
	only src
}

@test "a signal leaves nothing behind, and the old file as it was" {
	truncate -s 256M src
	echo old >dst
	temp() { compgen -G '.pmk-copy-*' >/dev/null; }
	for sig in TERM INT HUP QUIT PIPE ALRM USR1 USR2 XCPU VTALRM PROF RTMIN; do
		# without job control a shell starts jobs with SIGINT ignored
		(
			ulimit -c 0
			exec env --default-signal=$sig \
				pmk copy src dst --force --verify 3>&-
		) &
		copier=$!
		wait_for temp
		kill -$sig $copier
		status=0
		wait $copier || status=$?
		is "$sig" "$(kill -l $status)"
		only dst src
		is old "$(cat dst)"
	done
}

@test "no bar where there is no terminal" {
	truncate -s 256M src
	works pmk copy src dst --verify
}

@test "a file size limit is an error, not a death" {
	head -c 100000 /dev/zero >src
	fails 1 '^pmk copy: dst: .*File too large' \
		sh -c 'ulimit -f 64; pmk copy src dst'
	only src
}
