#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=dash
# pmk list against ndctl and daxctl, field by field: whatever they say of a
# region, namespace, DIMM or dax device, pmk says too, in one state of the
# machine after another.
# shellcheck source=../lib.sh
. /lib.sh

# One line a fact: "KIND DEVICE KEY VALUE".  ndctl's "unknown" is null in pmk;
# ndctl sees a system-ram device as devdax, as it does not look at its driver, nor
# whether a dax device is enabled: daxctl does.  Of a disabled namespace it says the
# mode raw, whatever it comes up in.
# shellcheck disable=SC2016 # variables of jq
ndctl_facts='
def facts($kind; $dev; $keys): . as $o | $keys[] | select($o[.] != null) |
	"\($kind) \($dev) \(.) \(if $o[.] == "unknown" then null else $o[.] end)";
def namespaces: .[]? | select(.size > 0) | .dev as $dev |
	(if .state == "disabled" then del(.mode, .sector_size) else . end) |
	facts("namespace"; $dev; ["mode", "map", "size", "uuid", "align", "sector_size",
		"blockdev", "chardev", "numa_node", "target_node", "badblock_count"]),
	(select(.chardev | not) | "namespace \($dev) enabled \(.state != "disabled")");
.[] | facts("bus"; .dev; ["provider"]),
	(.dimms[]? | facts("dimm"; .dev; ["id", "handle", "phys_id"])),
	(.regions[]? | .dev as $dev |
		facts("region"; $dev; ["size", "available_size", "align", "type",
			"numa_node", "target_node", "persistence_domain", "badblock_count"]),
		(.mappings[]? | "mapping \($dev) \(.dimm) \(.offset) \(.length) \(.position)"),
		(.namespaces | namespaces)),
	(.namespaces | namespaces)'
# shellcheck disable=SC2016
daxctl_facts='
def facts($kind; $dev; $keys): . as $o | $keys[] | select($o[.] != null) |
	"\($kind) \($dev) \(.) \($o[.])";
(if type == "array" then .[] else . end) |
	facts("daxregion"; .path; ["id", "size", "align", "available_size"]),
	(.devices[]? | .chardev as $dev |
		facts("dax"; $dev; ["size", "align", "target_node", "mode",
			"online_memblocks", "total_memblocks"]),
		"dax \($dev) enabled \(.state != "disabled")")'
# shellcheck disable=SC2016
pmk_facts='
def facts($kind; $dev; $keys): . as $o | $keys | to_entries[] |
	"\($kind) \($dev) \(.key) \($o[.value])";
(.buses[] | facts("bus"; .dev; {provider: "provider"})),
(.dimms[] | facts("dimm"; .dev; {id: "id", handle: "handle", phys_id: "phys_id"})),
(.regions[] | .dev as $dev | facts("region"; $dev; {size: "size_bytes",
	available_size: "available_size_bytes", align: "align_bytes", type: "type",
	numa_node: "numa_node", target_node: "target_node",
	persistence_domain: "persistence_domain", badblock_count: "badblock_count"}),
	(.mappings[] | "mapping \($dev) \(.dimm) \(.offset_bytes) \(.length_bytes) \(.position)")),
(.dax_regions[] | facts("daxregion"; .path; {id: "id", size: "size_bytes",
	align: "align_bytes", available_size: "available_size_bytes"})),
(.devices[] |
	(select(.namespace) | (if .mode == "system-ram" then .mode = "devdax" else . end) |
		facts("namespace"; .namespace; {mode: "mode", map: "map", size: "size_bytes",
		uuid: "uuid", align: "align_bytes", sector_size: "sector_size_bytes",
		blockdev: "blockdev", chardev: "chardev", numa_node: "numa_node",
		target_node: "target_node", badblock_count: "badblock_count",
		enabled: "enabled"})),
	(select(.chardev) | facts("dax"; .chardev; {size: "size_bytes",
		align: "align_bytes", target_node: "target_node", mode: "mode",
		online_memblocks: "online_memory_blocks",
		total_memblocks: "total_memory_blocks", enabled: "enabled"})))'

# agree NAME: the state of the machine, as all of them see it
agree() {
	/t/pmk list --json >/tmp/pmk.json 2>/tmp/pmk.err
	jq -r "$pmk_facts" /tmp/pmk.json | sort >/tmp/pmk.facts
	{
		ndctl list -BDNRi | jq -r "$ndctl_facts"
		daxctl list -RDi | jq -r "$daxctl_facts"
	} | sort >/tmp/peer.facts
	# what is in the second file only
	comm -13 /tmp/pmk.facts /tmp/peer.facts >/tmp/missing 2>/dev/null ||
		grep -vxF -f /tmp/pmk.facts /tmp/peer.facts >/tmp/missing
	if [ -s /tmp/missing ] || [ ! -s /tmp/peer.facts ]; then
		not_ok "$1: not as ndctl or daxctl say: $(cat /tmp/missing /tmp/pmk.err)"
		while read -r kind dev key _; do
			grep "^$kind $dev $key " /tmp/pmk.facts
		done </tmp/missing
	else
		ok "$1: $(wc -l </tmp/peer.facts) facts of ndctl and daxctl"
	fi
	if [ -d /out ]; then
		/bin/sh /t/capture.sh /sys >"/out/$1.txt"
		ndctl list -BDNRXi >"/out/$1.ndctl.json"
		daxctl list -RDi >"/out/$1.daxctl.json"
	fi
}

for m in nd_e820 virtio_pci virtio_pmem dax_hmem nd_btt; do
	must modprobe "$m"
done
while [ "$(ndctl list -B | jq '[.[].provider] | index("virtio-pmem")')" = null ]; do
	sleep 0.1
done
[ ! -d /t/out ] || mkdir /out
agree fresh

D=$(create 1 fsdax -M dev) || exit
X=$(create 2 devdax -M mem -a 2M) || exit
agree modes

# bad blocks on the namespace
echo "64 8" >"/sys/block/$D/badblocks"
echo "4096 1" >"/sys/block/$D/badblocks"
agree badblocks
check "bad blocks" "9" "$(jq --arg d "$D" '.devices[] | select(.blockdev == $d) | .badblock_count' /tmp/pmk.json)"
check_run "exit status with bad blocks" 3 /t/pmk list

# several namespaces on one region, by labels
must ndctl disable-region "region$(region 3)"
must ndctl init-labels -f "$(cut -d , -f 1 "/sys/bus/nd/devices/region$(region 3)/mapping0")"
must ndctl enable-region "region$(region 3)"
for mode in fsdax "devdax -M mem -a 2M" raw sector; do
	# shellcheck disable=SC2086 # words
	must ndctl create-namespace -r "region$(region 3)" -s 64M -m $mode
done
agree labels

must modprobe kmem
# daxctl refuses where the kernel would not wait for it (6.12)
echo offline >/sys/devices/system/memory/auto_online_blocks
must daxctl reconfigure-device -m system-ram "$X"
agree system-ram
check "system-ram" system-ram "$(jq -r --arg x "$X" '.devices[] | select(.chardev == $x) | .mode' /tmp/pmk.json)"
must daxctl reconfigure-device -f -m devdax "$X"
must daxctl disable-device "$X"
must ndctl disable-namespace "namespace$(region 1).0"
agree disabled

# what cannot be seen is not called absent
check "/sys masked" "hidden hidden" "$(
	unshare -m sh -c 'mount -t tmpfs none /sys; /t/pmk list --json' |
		jq -r '.nd_bus.state + " " + .dax_bus.state')"
check_run "the table" 0 /t/pmk list
cat /tmp/stdout
finish
