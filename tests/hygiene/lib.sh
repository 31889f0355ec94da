# shellcheck shell=sh
# SPDX-License-Identifier: BSD-3-Clause
# Common to the hygiene tests; sourced with $1 the root of the source tree.
# A test collects its complaints with bad() and ends with verdict.

root=$(cd "$1" && pwd)
cd "$root" || exit 1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
: >"$tmp/bad"

bad() {
	echo "$*" | tee -a "$tmp/bad"
}

verdict() {
	[ ! -s "$tmp/bad" ]
}

skip() {
	echo "skipped: $*"
	[ -z "${PMK_TEST_STRICT-}" ] || exit 1
	exit 77
}

# need TOOL: skip without it (./check sets PMK_TEST_STRICT: then it fails)
need() {
	command -v "$1" >/dev/null || skip "$1 is not installed"
}

# All files of the project, one a line; in a tarball, all but build/.
all_files() {
	if [ "$(git rev-parse --show-toplevel 2>/dev/null)" = "$root" ]; then
		git ls-files --cached --others --exclude-standard
	else
		find . -path ./build -prune -o -type f -print | sed 's,^\./,,'
	fi | while read -r f; do
		[ ! -f "$f" ] || echo "$f"
	done | sort
}

# Those that are text.
text_files() {
	all_files | while read -r f; do
		[ ! -s "$f" ] || ! LC_ALL=C grep -qI '' "$f" || echo "$f"
	done
}

c_files() {
	all_files | grep '\.[ch]$'
}

shell_files() {
	text_files | while read -r f; do
		case $f in
		*.sh | *.bats) echo "$f" ;;
		*) ! head -n 1 "$f" | grep -Eq '^#!.*\b(ba)?sh\b' || echo "$f" ;;
		esac
	done
}

# Functions of the public headers, one a line.  Helpers that are "static
# inline" are not public; PMK_INLINE functions are symbols of the library too.
public_functions() {
	echo '#include <pmk/pmk.h>' >"$tmp/all.c"
	gcc -std=gnu11 -fsyntax-only -DPMK_INLINE= -Ilib/include \
		-aux-info "$tmp/aux" "$tmp/all.c"
	sed -n 's,^/\* [^ ]*/pmk/[a-z0-9_]*\.h:[0-9]*:N[CF] \*/ extern [^(]*\b\(pmk_[a-z0-9_]*\) (.*,\1,p' \
		"$tmp/aux" | sort -u
}
