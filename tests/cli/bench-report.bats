#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# pmk bench --report: a directory that is whole or not there.

load common

quick=(pmk bench copy --quick --rounds 1 --sizes "64,256,4k")
small=(pmk bench flush --quick --rounds 1 --sizes "64,128")

need_gnuplot() {
	command -v gnuplot >/dev/null || skip "gnuplot is not installed"
}

# whole DIR: every plot that the page shows is there, and is a plot with a curve
# for each side
whole() {
	local svg
	[ -s "$1/results.json" ]
	grep -o 'src="[^"]*"' "$1/index.html" | sed 's/src="//; s/"//' | sort >shown
	(cd "$1" && ls -- *.svg) | sort >there
	cmp shown there
	while read -r svg; do
		grep -q '^</svg>' "$1/$svg"
		grep -q 'prefers-color-scheme:dark' "$1/$svg"
		grep -q '<text>pmk' "$1/$svg"
		grep -q '<text>libc' "$1/$svg"
	done <there
}

@test "a page, its plots and its figures" {
	need_gnuplot
	works "${quick[@]}" --report r
	# the table is printed as ever
	grep -q '^against libc: ' <<<"$output"
	whole r
	# percentiles of what is durable on return, times and rates of all
	ls r/rate-01.svg r/time-01.svg r/latency-01.svg
	# the page says what it must, and every picture has a text
	for text in 'Medium: DRAM' '<h2>Targets' '<h2>Lost' '<h2>Ratios' \
		'<h2>Against size' '<h2>Measured on' 'name=viewport'; do
		grep -qF "$text" r/index.html
	done
	is "$(grep -c '<img ' r/index.html)" "$(grep -c 'alt="[^"]*GB/s' r/index.html)"
	# nothing from elsewhere
	run ! grep -Eq '(src|href)="?(https?:)?//' r/index.html
	# the figures are those of --json
	jq -e '.schema == 1 and (.cases | length) > 20 and .summary and .host' \
		r/results.json >/dev/null
	# and the plots can be drawn again
	rm r/rate-01.svg
	(cd r && gnuplot plots.gp)
	[ -s r/rate-01.svg ]
}

@test "as many cells are red as cases are lost" {
	need_gnuplot
	works "${quick[@]}" --report r
	is "$(jq '[.cases[] | .ratio_libpmem, .ratio_libc |
		select(. != null and . < 0.97)] | length' r/results.json)" \
		"$(grep -o '<td class=l[123]' r/index.html | wc -l)"
}

@test "with --json, and for every benchmark" {
	need_gnuplot
	works "${quick[@]}" --json --report r
	is "$(json '.cases | length')" "$(jq '.cases | length' r/results.json)"
	for what in set flush; do
		works pmk bench $what --quick --rounds 1 --sizes 64,4k --report r
		jq -e --arg what "$what" '.benchmark == $what' r/results.json
		grep -q "<title>pmk bench $what --quick</title>" r/index.html
	done
}

@test "log: bare stores are drawn, and nothing is lost to them" {
	need_gnuplot
	works pmk bench log --quick --rounds 1 --report r
	jq -e '.benchmark == "log" and (.cases | length) == 4' r/results.json
	grep -q '<title>pmk bench log --quick</title>' r/index.html
	is "latency-01.svg rate-01.svg rate-02.svg time-01.svg time-02.svg" \
		"$(cd r && ls -- *.svg | tr '\n' ' ' | sed 's/ $//')"
	for svg in r/*.svg; do
		grep -q '<text>pmk' "$svg"
		grep -q '<text>bare' "$svg"
		# both sizes are marked, also the one at the end
		grep -q '<text>32 B</text>' "$svg"
		grep -q '<text>64 B</text>' "$svg"
	done
	for svg in r/rate-0[12].svg; do
		grep -qF "src=\"${svg#r/}\"" r/index.html
	done
	# no tile, no cell, no row among the lost
	run ! grep -Eq 'bare / pmk|<th scope=col>bare|lost to bare|[0-9] to bare' r/index.html
	is "$(jq '[.cases[].ratio_libpmemlog | select(. != null and . < 0.97)] |
		length' r/results.json)" \
		"$(grep -o '<td class=l[123]' r/index.html | wc -l)"
}

@test "an earlier report is replaced, whole" {
	need_gnuplot
	works "${quick[@]}" --report r
	rm r/time-01.svg
	echo old >>r/plots.gp
	works "${quick[@]}" --report r/
	whole r
	run ! grep -q '^old' r/plots.gp
	mkdir empty
	works "${quick[@]}" --report empty
	whole empty
	is "empty r shown there" "$(ls -A | tr '\n' ' ' | sed 's/ $//')"
}

@test "what is there and is no report stays as it is" {
	need_gnuplot
	echo mine >file
	fails 1 'file: is there already and is not a directory' \
		"${quick[@]}" --report file
	mkdir dir
	echo mine >dir/mine
	fails 1 "dir: is there already and is not a report: it has 'mine'" \
		"${quick[@]}" --report dir
	rm dir/mine
	echo mine >dir/index.html
	fails 1 'dir: is there already and is not a report$' \
		"${quick[@]}" --report dir
	is mine "$(cat dir/index.html file | uniq)"
	works "${quick[@]}" --report r
	# also what has nearly a name of ours
	for name in mine figure-1.svg rate-1.svg rate-01.svg.svg; do
		echo mine >r/$name
		fails 1 "r: is there already and is not a report: it has '$name'" \
			"${quick[@]}" --report r
		is mine "$(cat r/$name)"
		rm r/$name
	done
}

@test "an earlier report stays where no new one can replace it" {
	need_gnuplot
	works "${small[@]}" --report r
	sum=$(cat r/* | sha256sum)
	ln -s r link
	for name in link link/ link/. link//./; do
		fails 1 'link: is a symbolic link' "${small[@]}" --report $name
	done
	cd r
	fails 1 '\.: not a name for a report' "${small[@]}" --report .
	cd ..
	is "$sum" "$(cat r/* | sha256sum)"
	is "link r" "$(ls -A | tr '\n' ' ' | sed 's/ $//')"
	# but any way to write its name will do
	echo old >>r/plots.gp
	works "${small[@]}" --report r/.//
	run ! grep -q '^old' r/plots.gp
	in_tmpfs 10M sh -c 'cp r/* mnt && "$@"; status=$?
		ls mnt; exit $status' sh "${small[@]}" --report mnt
	is 1 "$status"
	[[ $stderr == *"mnt: is a mount point, which cannot be replaced"* ]]
	is "$(ls r)" "$output"
}

@test "a standard output that is full: why, and the report is made" {
	need_gnuplot
	run -1 --separate-stderr sh -c '"$@" >/dev/full' sh "${small[@]}" --report r
	is "pmk bench: standard output: No space left on device" "$stderr"
	[ -s r/index.html ] && [ -s r/rate-01.svg ]
	grep -q '^set xtics ("64 B" 64, "128 B" 128)$' r/plots.gp
}

@test "a gnuplot that hangs ends with pmk" {
	mkdir bin
	# shellcheck disable=SC2016 # the script expands
	printf '#!/bin/sh\necho $$ >"$PID_FILE"\nexec sleep 600\n' >bin/gnuplot
	chmod +x bin/gnuplot
	export PATH=$PWD/bin:$PATH PID_FILE=$PWD/pid
	"${small[@]}" --report r >/dev/null 2>&1 &
	wait_for test -s pid
	# the signals that pmk holds are not held by what it starts
	is 0 "$((0x$(sed -n 's/^SigBlk:[[:space:]]*//p' "/proc/$(cat pid)/status")))"
	kill -s TERM $!
	wait $! || status=$?
	is 143 "$status"
	run ! kill -0 "$(cat pid)"
	is "bin pid" "$(ls -A | tr '\n' ' ' | sed 's/ $//')"
}

@test "the first figures are of what others use, not of variants of pmk" {
	need_gnuplot
	works pmk bench clear --quick --rounds 1 --sizes 4k --report r
	grep -o 'class=tile>.*geometric mean' r/index.html |
		sed 's/.*<span>//; s, / pmk.*,,' >tiles
	is "memset rep_stosb loop8" "$(tr '\n' ' ' <tiles | sed 's/ $//')"
}

@test "where no report can be made: said before anything is measured" {
	need_gnuplot
	fails 1 'nowhere: No such file or directory' \
		"${quick[@]}" --report nowhere/r
	for name in . .. / ./. nowhere/..; do
		fails 1 ": not a name for a report$" "${quick[@]}" --report $name
	done
	is "" "$output"
	mkdir closed
	chmod a-w closed
	[ ! -w closed ] || skip "root may write everywhere"
	fails 1 'closed: Permission denied' "${quick[@]}" --report closed/r
}

@test "no gnuplot: one line, before anything is measured" {
	# the full benchmark would take minutes
	fails 1 '^pmk bench: --report needs gnuplot: apt install gnuplot-nox$' \
		env PATH="$PWD" "$PMK" bench copy --report r
	is "" "$output"
	no_file r
}

@test "a gnuplot that fails leaves nothing behind" {
	mkdir bin
	printf '#!/bin/sh\nexit 3\n' >bin/gnuplot
	chmod +x bin/gnuplot
	PATH=$PWD/bin:$PATH
	run -1 --separate-stderr "${limit[@]}" "${quick[@]}" --report r
	[[ $stderr == "pmk bench: gnuplot failed: exit status 3; "*"gnuplot-nox" ]]
	is bin "$(ls -A)"
	# nor one that makes no plots
	printf '#!/bin/sh\nexit 0\n' >bin/gnuplot
	run -1 --separate-stderr "${limit[@]}" "${quick[@]}" --report r
	[[ $stderr == *"gnuplot made no plot rate-01.svg" ]]
	is bin "$(ls -A)"
}
