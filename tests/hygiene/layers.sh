#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# #include lines obey layers.txt: a layer of lib/ includes only itself and those
# below; public headers include only public ones, of their own layer or below;
# tools/ and examples/ see the public headers (tools also lib/base).
# Usage: layers.sh ROOT
set -eu
. "$(dirname -- "$0")/lib.sh"

table=tests/hygiene/layers.txt

# layer_of INCLUDED: the layer of "map/probe.h", "pmk/map.h" or "probe.h" (its
# own directory: $from); nothing for what is not ours
layer_of() {
	case $1 in
	pmk/pmk.h) echo all ;;
	pmk/*) awk -v h="${1#pmk/}" '$1 == h && $2 == "=" { print $3 }' "$table" ;;
	*/*) echo "${1%%/*}" ;;
	*) echo "$from" ;;
	esac
}

# allowed FROM TO
allowed() {
	awk -v from="$1:" -v to="$2" '
		$1 == from { for (i = 2; i <= NF; i++) if ($i == to) ok = 1 }
		END { exit !ok }' "$table"
}

# includes FILE: what it includes of ours: "..." and <pmk/...>
includes() {
	sed -n 's,^[[:space:]]*#[[:space:]]*include[[:space:]]*"\([^"]*\)".*,\1,p
		s,^[[:space:]]*#[[:space:]]*include[[:space:]]*<\(pmk/[^>]*\)>.*,\1,p' "$1"
}

check_lib() {
	from=$1
	f=$2
	includes "$f" | while read -r inc; do
		to=$(layer_of "$inc")
		[ -n "$to" ] || { bad "$f: <$inc> is not in $table"; continue; }
		allowed "$from" "$to" || bad "$f: layer $from must not include $inc ($to)"
	done
}

check_program() {
	f=$1
	includes "$f" | while read -r inc; do
		case $inc in
		pmk/*) ;;
		base/*)
			case $f in
			tools/*) ;;
			*) bad "$f: must not include $inc" ;;
			esac
			;;
		*)
			[ -e "tools/$inc" ] || [ -e "$(dirname "$f")/$inc" ] ||
				bad "$f: must not include $inc"
			;;
		esac
	done
}

for f in $(all_files | grep '\.\(c\|h\|def\)$'); do
	case $f in
	lib/include/pmk/pmk.h | tests/*) ;;
	lib/include/pmk/*)
		layer=$(layer_of "${f#lib/include/}")
		[ -n "$layer" ] || { bad "$f is not in $table"; continue; }
		! includes "$f" | grep -v '^pmk/' || bad "$f: includes a private header"
		check_lib "$layer" "$f"
		;;
	lib/*)
		layer=${f#lib/}
		layer=${layer%%/*}
		grep -q "^$layer:" "$table" || bad "$f: layer $layer is not in $table"
		check_lib "$layer" "$f"
		;;
	tools/* | examples/*) check_program "$f" ;;
	esac
done
verdict
