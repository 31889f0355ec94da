#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# pmk list: this machine, and trees of sysfs against what ndctl and daxctl said
# of the same machine, and against what people wrote down.

load common

trees=$BATS_TEST_DIRNAME/../unit/sysfs
capture=$BATS_TEST_DIRNAME/../guest/scripts/capture.sh

# tree NAME: ./NAME is the tree of NAME.txt
tree() {
	mkdir "$1"
	"$LOAD_MANIFEST" "$1" <"$trees/$1.txt"
}

# list STATUS ARG...: of that exit status
list() {
	local status_wanted=$1
	shift
	run -"$status_wanted" --separate-stderr "${limit[@]}" pmk list "$@"
}

@test "a machine without devices: a message that says what was looked at" {
	mkdir -p empty/bus/nd/devices empty/bus/dax/devices
	list 0 --sysfs empty
	is "" "$output"
	is "pmk list: no persistent memory found in $PWD/empty/bus/nd/devices and $PWD/empty/bus/dax/devices" \
		"$stderr"
	list 0 --sysfs empty --json
	is "seen seen" "$(json '"\(.nd_bus.state) \(.dax_bus.state)"')"
	is "[[],[],[],[],[]]" \
		"$(json '[.buses, .dimms, .regions, .dax_regions, .devices] | tostring')"
}

@test "this machine, whatever it has or hides" {
	run --separate-stderr "${limit[@]}" pmk list --json
	is "$(find /sys/bus/dax/devices -type l 2>/dev/null | wc -l)" \
		"$(json '[.devices[] | select(.chardev)] | length')"
	case $(json '"\(.nd_bus.state) \(.dax_bus.state)"') in
	*hidden*) is 1 "$status" ;;
	*) [ "$status" -eq 0 ] || is 3 "$status" ;;
	esac
}

@test "wrong arguments: exit 2" {
	run -2 --separate-stderr pmk list extra
	[[ $stderr == "pmk list: one argument too many: 'extra'"* ]]
	run -2 --separate-stderr pmk list --sysfs
	run -2 --separate-stderr pmk list --frobnicate
	fails 1 '^pmk list: missing: No such file or directory$' \
		pmk list --sysfs missing
	touch file
	fails 1 '^pmk list: file: Not a directory$' pmk list --sysfs file
}

@test "trees written by hand: all that was written down of them" {
	for name in interleaved dax-only; do
		tree $name
		run --separate-stderr "${limit[@]}" pmk list --sysfs $name --json
		is "" "$stderr"
		is "" "$(json 'def misfits($e; $path):
			if ($e | type) == "object" then
				. as $a | $e | to_entries[] | .key as $k | .value as $v |
				if $a | has($k) then $a[$k] | misfits($v; "\($path).\($k)")
				else "\($path).\($k) is missing" end
			elif ($e | type) == "array" and length == ($e | length) then
				. as $a | range($e | length) as $i |
				$a[$i] | misfits($e[$i]; "\($path)[\($i)]")
			elif . == $e then empty
			else "\($path) is \(.) and not \($e)" end;
			misfits('"$(cat "$trees/$name.json")"'; "")')"
	done
}

# What ndctl shows, in order, as pmk list should: it counts seeds of 0 bytes as
# devices, calls what it cannot know of a disabled namespace raw, and has the
# use of a dax device beside the mode of its namespace.
ndctl_devices() {
	jq -S '[.[] as $bus | $bus.regions[] as $r | $r.namespaces[] |
		select(.size > 0) | (.daxregion.devices[0] // {}) as $dax | {
			bus: $bus.dev, region: $r.dev, namespace: .dev, map, uuid,
			size_bytes: .size, numa_node, target_node, blockdev,
			align_bytes: .align, sector_size_bytes: .sector_size,
			chardev: $dax.chardev, enabled: ((.state // $dax.state) != "disabled"),
			mode: (if .state == "disabled" then "not asked" else $dax.mode // .mode end),
			persistence_domain: (if $r.persistence_domain == "unknown" then null
				else $r.persistence_domain end)
		}] | sort_by(.namespace)' "$trees/$1.ndctl.json"
}

@test "guests: devices as ndctl shows them" {
	for name in guest-modes guest-disabled guest-mixed; do
		tree $name
		run --separate-stderr "${limit[@]}" pmk list --sysfs $name --json
		json '[.devices[] | {bus, region, namespace, map, uuid, size_bytes,
			numa_node, target_node, blockdev, align_bytes,
			sector_size_bytes, chardev, enabled, persistence_domain,
			mode: (if .enabled or .chardev then .mode else "not asked" end)}] |
			sort_by(.namespace)' | jq -S . >ours
		ndctl_devices $name >theirs
		diff -u theirs ours
	done
}

@test "guests: regions and DIMMs as ndctl shows them, pools as daxctl does" {
	for name in guest-modes guest-disabled guest-mixed; do
		tree $name
		run --separate-stderr "${limit[@]}" pmk list --sysfs $name --json
		json '[.regions[] | {dev, bus, type, size: .size_bytes,
			align: .align_bytes, available_size: .available_size_bytes,
			numa_node, target_node,
			persistence_domain: (.persistence_domain // "unknown"),
			mappings: [.mappings[] | {dimm, offset: .offset_bytes,
				length: .length_bytes, position}]}] +
			[.dimms[] | {dev, bus, id, handle, phys_id}]' | jq -S . >ours
		jq -S '([.[] | .dev as $bus | .regions[] | {dev, bus: $bus, type,
				size, align, available_size, numa_node, target_node,
				persistence_domain, mappings: (.mappings // [])}] |
				sort_by(.dev)) +
			([.[] | .dev as $bus | (.dimms // [])[] | {dev, bus: $bus,
				id, handle, phys_id}] | sort_by(.dev))' \
			"$trees/$name.ndctl.json" >theirs
		diff -u theirs ours
		json '[.dax_regions[] | {path, id, size: .size_bytes,
			align: .align_bytes}]' | jq -S . >ours
		jq -S '[.[] | {path, id, size, align}] | sort_by(.path)' \
			"$trees/$name.daxctl.json" >theirs
		diff -u theirs ours
	done
}

@test "dax devices, one of them without a namespace, as daxctl shows them" {
	tree guest-6.12
	run --separate-stderr "${limit[@]}" pmk list --sysfs guest-6.12 --json
	json '[.devices[] | select(.chardev) | {chardev, size: .size_bytes, mode,
		align: .align_bytes, target_node, enabled}] | sort_by(.chardev)' | jq -S . >ours
	jq -S '[.[] | .devices[] | {chardev, size, mode, align, target_node,
		enabled: (.state != "disabled")}] | sort_by(.chardev)' \
		"$trees/guest-6.12.daxctl.json" >theirs
	diff -u theirs ours
	is "dax5.0 null" "$(json '.devices[] | select(.region == null) |
		"\(.chardev) \(.namespace)"')"
}

@test "bad blocks: exit 3, as many as were marked, and where" {
	tree guest-modes
	list 3 --sysfs guest-modes --json
	is "namespace0.0 4 4096 2048" "$(json '.devices[] | select(.badblock_count > 0) |
		"\(.namespace) \(.badblock_count) \(.badblocks[0].offset_bytes) \(.badblocks[0].length_bytes)"')"
	tree guest-disabled
	list 0 --sysfs guest-disabled
}

@test "the table: a row a device, in order of numbers" {
	tree interleaved
	list 3 --sysfs interleaved
	is "" "$stderr"
	is "REGION NAMESPACE DEVICE MODE MAP SIZE ALIGN DOMAIN NUMA BAD DIRTY" \
		"$(tr -s ' ' <<<"${lines[0]}")"
	is "region2 namespace2.0 /dev/pmem2s sector - 1022.0 MiB - memory_controller 1 8 7" \
		"$(tr -s ' ' <<<"${lines[1]}")"
	is "region2 namespace2.1 dax2.1 system-ram mem 510 MiB 2 MiB memory_controller 1 4 7" \
		"$(tr -s ' ' <<<"${lines[3]}")"
	is "namespace2.0 namespace2.1 namespace2.1 namespace10.2 namespace10.10" \
		"$(awk 'NR > 1 { printf "%s%s", sep, $2; sep = " " }' <<<"$output")"
}

@test "regions without a device: no silence" {
	mkdir -p t/bus/nd/devices t/bus/dax/devices t/devices/ndbus0/region0
	ln -s ../../../devices/ndbus0/region0 t/bus/nd/devices/region0
	list 0 --sysfs t
	[[ $stderr == *"regions of persistent memory, but no device"* ]]
}

@test "no bus, a hidden bus and no device are told apart" {
	mkdir -p none/bus/pci hidden/bus/pci hidden/module/libnvdimm nothing
	list 0 --sysfs none
	[[ $stderr == *"none/bus/nd/devices is not there: the kernel has no driver"* ]]
	list 0 --sysfs none --json
	is "no_bus no_bus" "$(json '"\(.nd_bus.state) \(.dax_bus.state)"')"
	# the driver is there, and the bus that it makes is not
	list 1 --sysfs hidden
	[[ $stderr == *"cannot see all devices: "*"libnvdimm"* ]]
	list 1 --sysfs hidden --json
	is "hidden no_bus" "$(json '"\(.nd_bus.state) \(.dax_bus.state)"')"
	list 1 --sysfs nothing
	[[ $stderr == *"there is no $PWD/nothing/bus"* ]]
}

@test "a bus that may not be read is hidden" {
	# where others get, too
	t=$(mktemp -d)
	chmod 755 "$t"
	mkdir -p "$t/bus/nd/devices" "$t/bus/dax/devices"
	chmod 0 "$t/bus/nd/devices"
	run --separate-stderr as_nobody "$PMK" list --sysfs "$t" --json
	chmod 755 "$t/bus/nd/devices"
	rm -r "$t"
	is 1 "$status"
	is hidden "$(json .nd_bus.state)"
	[[ $(json .nd_bus.reason) == *"Permission denied" ]]
}

@test "something mounted over a bus, or no sysfs at all: hidden" {
	[ -d /sys/bus/nd ] || skip "the kernel has no bus of NVDIMMs"
	unshare -m true 2>/dev/null || skip "unshare -m is not permitted here"
	run --separate-stderr unshare -m sh -c '
		mount -t tmpfs none /sys/bus/nd || exit 99; exec pmk list --json'
	[ "$status" -ne 99 ] || skip "mounting is not permitted here"
	is 1 "$status"
	is hidden "$(json .nd_bus.state)"
	[[ $stderr == *"something is mounted over /sys/bus/nd" ]]
	run -1 --separate-stderr unshare -m sh -c '
		mount -t tmpfs none /sys; exec pmk list'
	[[ ${stderr_lines[0]} == *"no sysfs is mounted on /sys" ]]
}

@test "libndctl is loaded for those who have a DIMM, not for all" {
	run -0 readelf -d "$PMK"
	run ! grep -E 'NEEDED.*(ndctl|daxctl|udev|kmod)' <<<"$output"
}

@test "capture.sh gives the tree back, in several shells" {
	for name in guest-modes interleaved dax-only; do
		tree $name
		for shell in sh bash 'busybox ash'; do
			command -v "${shell%% *}" >/dev/null || continue
			mkdir again
			# shellcheck disable=SC2086 # words
			"${limit[@]}" $shell "$capture" $name >manifest
			"$LOAD_MANIFEST" again <manifest
			pmk list --sysfs $name --json >before || [ $? -eq 3 ]
			pmk list --sysfs again --json >after || [ $? -eq 3 ]
			sed "s,$PWD/$name,$PWD/again," before | diff -u - after
			rm -r again
		done
	done
}

@test "capture.sh: any byte, and nothing that blocks or leads away" {
	mkdir -p t/bus/nd/devices t/devices/ndbus0/sub secret
	echo secret >secret/f
	ln -s ../../../devices/ndbus0 t/bus/nd/devices/ndbus0
	ln -s "$PWD/secret" t/bus/nd/devices/region0
	ln -s ../../../secret t/devices/ndbus0/sub/out
	cd t/devices/ndbus0
	printf 'tab\tback\\slash \001\377\n\nno end' >odd
	printf 'blank ' >blank
	printf ' two  words \n' >words
	: >empty
	printf 'x\n' >'a name'
	printf 'x\n' >wait_probe
	mkfifo fifo
	printf 'x\n' >write_only
	chmod 200 write_only
	cd ../../..
	for shell in sh bash 'busybox ash'; do
		command -v "${shell%% *}" >/dev/null || continue
		# shellcheck disable=SC2086 # words
		"${limit[@]}" $shell "$capture" t | grep -v '^#' >manifest
		is 'd bus/nd/devices
l bus/nd/devices/ndbus0 ../../../devices/ndbus0
d devices/ndbus0
f devices/ndbus0/a\040name x\n
f devices/ndbus0/blank blank\040
f devices/ndbus0/empty
f devices/ndbus0/odd \164\141\142\011\142\141\143\153\134\163\154\141\163\150\040\001\377\n\nno end
d devices/ndbus0/sub
l devices/ndbus0/sub/out ../../../secret
f devices/ndbus0/words  two  words \n
l bus/nd/devices/region0 '"$PWD/secret" "$(cat manifest)"
		mkdir again
		"$LOAD_MANIFEST" again <manifest
		cmp t/devices/ndbus0/odd again/devices/ndbus0/odd
		cmp t/devices/ndbus0/words again/devices/ndbus0/words
		cmp t/devices/ndbus0/blank again/devices/ndbus0/blank
		rm -r again
	done
	run -1 --separate-stderr sh "$capture" missing
}

@test "what cannot be written is a failure" {
	run -1 --separate-stderr sh -c 'pmk list --json >/dev/full'
	[[ $stderr == *"standard output: No space left on device" ]]
}
