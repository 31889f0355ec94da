#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# ./quickstart in a tree of its own, with the pmk of this build in place of a
# build and of the benchmarks: what it does, leaves behind, and builds.

load common

setup() {
	own_directory
	make_tree tree
	mkdir tmp bin
	export TMPDIR=$PWD/tmp
	PATH=$PWD/bin:$PATH
	make_cmake
}

make_tree() {
	mkdir -p "$1/scripts"
	cp "$BATS_TEST_DIRNAME/../../quickstart" "$BATS_TEST_DIRNAME/../../check" "$1"
	printf '#!/bin/sh\n' >"$1/scripts/install-packages"
	chmod +x "$1/scripts/install-packages"
}

# A cmake that configures the release preset where it is, and builds the pmk of
# this test, whose benchmarks are short.
make_cmake() {
	cat >bin/cmake <<-'END'
		#!/bin/sh
		echo "$*" >>cmake.log
		[ "$1" != --workflow ] || exit 0
		dir=build/release
		mkdir -p $dir/tools
		if [ "$1" != --build ]; then
			printf '%s\n' "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" \
				"CMAKE_CACHEFILE_DIR:INTERNAL=$PWD/$dir" >$dir/CMakeCache.txt
			exit
		fi
		cat >$dir/tools/pmk <<-INNER
			#!/bin/sh
			[ "\$1" != bench ] || { echo "bench \$2"; exit; }
			exec "$PMK" "\$@"
		INNER
		chmod +x $dir/tools/pmk
	END
	chmod +x bin/cmake
}

# no file but those that the test made
nothing_left() {
	is "" "$(ls -A tmp)"
	no_file log tree/log
}

@test "the main job, emulated and on a file, leaves nothing behind" {
	for path in "" log; do
		# shellcheck disable=SC2086 # none at all
		works sh tree/quickstart $path
		grep -q '^PASS: every acknowledged record survived' <<<"$output"
		grep -q '^bench log$' <<<"$output"
		grep -q '^medium: ' <<<"$output"
		nothing_left
	done
}

@test "data is refused, and a file of zeros is left as one" {
	echo precious >data
	run -1 --separate-stderr sh tree/quickstart data
	# shellcheck disable=SC2154 # run sets it
	is "pmk log create: data: there is data already" "$stderr"
	grep -q '^FAIL: data holds data' <<<"$output"
	is precious "$(cat data)"
	run -1 --separate-stderr sh tree/quickstart tmp
	grep -q '^FAIL: no log can be made in tmp' <<<"$output"
	truncate -s 1M zero
	works sh tree/quickstart zero
	is 1048576 "$(stat -c %s zero)"
	cmp -n 1048576 zero /dev/zero
	nothing_left
}

@test "configured anew only where that is needed: not twice, but after a move" {
	works sh tree/quickstart log
	works sh tree/quickstart log
	mv tree moved
	works sh moved/quickstart log
	is "--fresh no no no --fresh no" "$(awk '{
		print /--fresh/ ? "--fresh" : "no" }' moved/cmake.log |
		tr '\n' ' ' | sed 's/ $//')"
	# a configuration that is of no use: once more, from the beginning
	# shellcheck disable=SC2016 # the script expands
	sed -i '2a [ "$1" = --build ] || [ "$#" -gt 3 ] || exit 1' bin/cmake
	works sh moved/quickstart log
	grep -q -e --fresh <<<"$(tail -n 2 moved/cmake.log)"
}

@test "found through a symbolic link, and with CDPATH set" {
	ln -s tree/quickstart link
	works sh ./link log
	mkdir other
	CDPATH=$PWD/other:$PWD works sh tree/quickstart log
	is "building build/release/tools/pmk" "${lines[0]}"
	mv tree "a tree"
	ln -s "a tree/check" check
	CDPATH=$PWD/other:$PWD works sh ./check
	grep -q -- '--workflow --preset release' "a tree/cmake.log"
}

@test "an argument that is none is named, and nothing is done" {
	run -2 --separate-stderr sh tree/quickstart --bogus
	is "" "$output"
	is "quickstart: there is no option --bogus (a file of that name is ./--bogus)" \
		"$stderr"
	run -2 --separate-stderr sh tree/check --bogus
	is "" "$output"
	is "check: it takes no arguments" "$stderr"
	run -0 sh tree/check --help
	[ ! -e tree/cmake.log ]
}

@test "a tree that cannot be written" {
	ln -s /proc/self/fdinfo tree/build # root cannot write that either
	run -1 sh tree/quickstart
	is "FAIL: $(readlink -f tree)/build cannot be written, and pmkit builds there" \
		"${lines[-1]}"
}
