# shellcheck shell=dash
# SPDX-License-Identifier: BSD-3-Clause
# What the scripts in the guest share; busybox sh.  A check prints one line;
# finish exits with 1 if one of them failed.
checks=0
failures=0

ok() {
	checks=$((checks + 1))
	echo "ok $checks - $*"
}

not_ok() {
	checks=$((checks + 1))
	failures=$((failures + 1))
	echo "not ok $checks - $*"
}

# check NAME WANT HAVE
check() {
	if [ "$2" = "$3" ]; then
		ok "$1: $3"
	else
		not_ok "$1: want '$2', have '$3'"
	fi
}

# check_match NAME PATTERN HAVE: a pattern of case
check_match() {
	# shellcheck disable=SC2254 # a pattern
	case $3 in
	$2) ok "$1: $3" ;;
	*) not_ok "$1: want '$2', have '$3'" ;;
	esac
}

# check_run NAME WANT COMMAND...: its exit status; what it prints is in
# /tmp/stdout and /tmp/stderr
check_run() {
	local name=$1 want=$2 status=0
	shift 2
	"$@" >/tmp/stdout 2>/tmp/stderr || status=$?
	if [ "$status" = "$want" ]; then
		ok "$name"
	else
		not_ok "$name: exit $status, want $want: $(tail -n 3 /tmp/stderr /tmp/stdout)"
	fi
}

finish() {
	echo "$checks checks, $failures failed"
	[ "$checks" -gt 0 ] && [ "$failures" -eq 0 ]
	exit
}

die() {
	echo "cannot go on: $*"
	exit 1
}

# must COMMAND...: set-up that has to work; quiet
must() {
	"$@" >/tmp/must 2>&1 || die "$* failed: $(tail -n 5 /tmp/must)"
}

# fields KEY... <DOCUMENT: values of a document of pmk, which has a member a line,
# by blanks; "-" for what is not there.  jq takes 0.3 s to start here.
fields() {
	awk -F '": ' -v keys="$*" '
		/^  "/ {
			key = substr($1, 4)
			v = substr($0, length($1) + 4)
			sub(/,$/, "", v)
			gsub(/^"|"$/, "", v)
			gsub(/\\\//, "/", v)
			value[key] = v
		}
		END {
			n = split(keys, want, " ")
			for (i = 1; i <= n; i++)
				printf "%s%s", (i > 1 ? " " : ""), \
					(want[i] in value ? value[want[i]] : "-")
			print ""
		}'
}

# region HANDLE: the number of the region on the HANDLEth NVDIMM of the command
# line; the kernel counts in another order
region() {
	local region dimm
	for region in /sys/bus/nd/devices/region*; do
		dimm=$(cut -d , -f 1 "$region/mapping0" 2>/dev/null) || continue
		[ $(($(cat "/sys/bus/nd/devices/$dimm/nfit/handle"))) -eq "$1" ] || continue
		echo "${region##*region}"
		return
	done
	die "no region on NVDIMM $1"
}

# create HANDLE MODE [OPTION]...: configure that namespace, print its device
create() {
	local ns mode=$2
	ns=namespace$(region "$1").0 || exit
	shift 2
	ndctl create-namespace -f -e "$ns" -m "$mode" "$@" >/tmp/create 2>&1 ||
		die "create-namespace -m $mode $*: $(cat /tmp/create)"
	sed -n 's/.*"\(blockdev\|chardev\)":"\([^"]*\)".*/\2/p' /tmp/create | head -n 1
}
