#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Print what sysfs says of persistent-memory devices as a manifest, of which
# tests make a directory tree again (tests/support/manifest.h has the format):
# both buses, the device directories below them, and the links from dev/ and
# class/.  Runs in any POSIX shell, busybox's too, and starts next to no
# process: a guest under emulation has thousands of attributes to read.
# Usage: capture.sh [SYSFS-ROOT]
set -u
LC_ALL=C
export LC_ALL

root=$(cd -P -- "${1:-/sys}" && pwd -P) || exit 1
newline='
'

# escape TEXT: sets $escaped
escape() {
	case $1 in
	*[!\ -~]* | *\\*)
		escaped=$(printf '%s' "$1" | od -An -v -to1 |
			sed 's/ \([0-7]\{3\}\)/\\\1/g' | tr -d '\n ') ;;
	*) escaped=$1 ;;
	esac
}

# name PATH: sets $name to what the manifest calls it
name() {
	escape "${1#"$root"/}"
	case $escaped in
	*\ *) name=$(printf '%s' "$escaped" | sed 's/ /\\040/g') ;;
	*) name=$escaped ;;
	esac
}

# content FILE: sets $content; fails if it cannot be read.  The shell drops NUL
# bytes, which text attributes do not have.
content() {
	content=
	line=
	{
		while IFS= read -r line; do
			escape "$line"
			content=$content$escaped\\n
		done <"$1"
	} 2>/dev/null || return
	# behind the last newline
	escape "$line"
	content=$content$escaped
	# to the shell a file that fails looks as one that is empty
	[ -n "$content" ] || cat "$1" >/dev/null 2>&1
}

file() {
	case $1 in
	# reading this one waits until all devices are found
	*/wait_probe) return ;;
	esac
	case $newline$write_only$newline in
	*"$newline$1$newline"*) return ;;
	esac
	name "$1"
	if content "$1"; then
		# no blank at the end of a line
		case $content in
		*' ') content=${content%?}\\040 ;;
		esac
		printf 'f %s%s\n' "$name" "${content:+ $content}"
	else
		printf 'e %s\n' "$name"
	fi
}

link() {
	target=$(readlink "$1") || return
	case $target in
	"$root"/*) target=/${target#"$root"/} ;;
	esac
	name "$1"
	escape "$target"
	printf 'l %s %s\n' "$name" "$escaped"
}

# entry PATH: whatever it is; links are told, not followed
entry() {
	if [ -L "$1" ]; then
		link "$1"
	elif [ -f "$1" ]; then
		file "$1"
	elif [ -d "$1" ]; then
		case $1 in */power) return ;; esac
		tree "$1"
	fi
}

tree() {
	# positional parameters are the only variables of a function's own
	name "$1"
	printf 'd %s\n' "$name"
	set -- "$1"/*
	for e; do
		entry "$e"
	done
}

# below PATH: is it one of the directories already told?
below() {
	case $newline$told in
	*"$newline$1$newline"*) return 0 ;;
	esac
	case ${1%/*} in
	"$root" | '') return 1 ;;
	*) below "${1%/*}" ;;
	esac
}

# inside PATH: sets $real to where a link leads, if that is below the root
inside() {
	real=$(cd -P -- "$1" 2>/dev/null && pwd -P) || return 1
	case $real in "$root"/*) ;; *) return 1 ;; esac
}

# pick DIRECTORY: all of it, unless it was told before
pick() {
	! below "$1" || return 0
	told=$told$1$newline
	write_only=$(find "$1" -type f ! -perm -400)
	tree "$1"
}

# device LINK: the link, and the directory that it leads to
device() {
	[ -L "$1" ] || return 0
	link "$1"
	inside "$1" || return 0
	pick "$real"
	# the pool that a dax device is part of
	pool=${real%/*}/dax_region
	case $1 in
	*/bus/dax/*) [ ! -d "$pool" ] || [ -L "$pool" ] || pick "$pool" ;;
	esac
}

# known LINK: the link, if it leads to what was told
known() {
	[ ! -L "$1" ] || ! inside "$1" || ! below "$real" || link "$1"
}

printf '# SPDX-License-Identifier: BSD-3-Clause\n'
printf '# sysfs of %s\n' "$(uname -sr)"
told=
for bus in nd dax; do
	for e in "$root/bus/$bus/devices" "$root/bus/$bus/drivers"; do
		[ ! -d "$e" ] || printf 'd %s\n' "${e#"$root"/}"
	done
	# a bus of NVDIMMs has all the others below it
	for e in "$root/bus/$bus/devices/ndbus"*; do
		device "$e"
	done
	for e in "$root/bus/$bus/devices/"*; do
		case $e in
		*/ndbus*) ;;
		*) device "$e" ;;
		esac
	done
done
for e in "$root"/class/nd/* "$root"/class/dax/* "$root"/class/block/* \
	"$root"/dev/block/* "$root"/dev/char/*; do
	known "$e"
done
