#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=dash
# move_pages(2) between DRAM and persistent memory that is used as RAM: all that
# it can answer, in the words of the command, and pmk bench page --migrate.
# shellcheck source=../lib.sh
. /lib.sh

# The NVDIMM on node 1 becomes memory; the other one only has to be a device.
Y=$(create 1 devdax -M mem -a 2M) || exit
X=$(create 2 devdax -M mem -a 2M) || exit
must /bin/modprobe kmem
# or the kernel puts the memory into use before daxctl can say how
echo offline >/sys/devices/system/memory/auto_online_blocks
must daxctl reconfigure-device -m system-ram "$X"
check "nodes with memory" 0-1 "$(cat /sys/devices/system/node/has_memory)"

# --- the answers

/t/migrate 0 1 "/dev/$Y" >/tmp/said 2>&1
# a group of processes that may use node 0 only
mkdir /tmp/cgroup
must mount -t cgroup2 cgroup /tmp/cgroup
echo +cpuset >/tmp/cgroup/cgroup.subtree_control
mkdir /tmp/cgroup/confined
echo 0 >/tmp/cgroup/confined/cpuset.mems
# shellcheck disable=SC2016 # the inner shell expands
sh -c 'echo $$ >/tmp/cgroup/confined/cgroup.procs; /t/migrate 0 1 confined' >>/tmp/said 2>&1

# said NAME WANT: what was said of that case
said() {
	check "$1" "$2" "$(sed -n "s/^$1: //p" /tmp/said)"
}
said "new page" "done; node 0"
said "to where it is" "done; node 0"
said "its frame after that" "the same"
said "to the other node" "done; node 1"
said "its frame" "another"
said "its content" "the same"
said "asked again" "done; node 1"
said "and back" "done; node 0"
said "2 MiB" "done; node 1"
said "2 MiB, its last page" "done; node 1"
unset="no status: not moved, or not tried"
efault="done; EFAULT: not mapped, the page of zeros, or never to be moved"
enoent="done; ENOENT: no page there (yet), or one of a device"
said "never touched, query" "$enoent"
said "never touched" "$enoent"
said "page of zeros, query" "$efault"
said "page of zeros" "$efault"
said "unmapped, query" "$efault"
said "unmapped" "$efault"
said "shared" "done; EACCES: shared with other processes: needs MPOL_MF_MOVE_ALL"
said "shared, all" "done; node 1"
said "pinned" "1 pages were not moved; $unset"
said "pinned, query" "done; node 0"
said "of the kernel" "done; EBUSY: in use, cannot be taken out of it now"
said "poisoned" "$enoent"
said "devdax, query" "$enoent"
said "devdax" "$efault"
eperm="EPERM: MPOL_MF_MOVE_ALL, or another user's process: needs CAP_SYS_NICE"
said "no such node" "ENODEV: no such node, or it has no memory; $unset"
said "unknown flag" "EINVAL: unknown flags, or a process of the kernel; $unset"
said "no such process" "ESRCH: no such process; $unset"
said "no list" "EFAULT: a list is not readable, or the statuses not writable; $unset"
said "all, without rights" "$eperm; $unset"
said "of another user" "$eperm; $unset"
said "full" "ENOMEM: no memory; $unset"
said "confined" "EACCES: the process may not use that node; $unset"

# --- the command

check_run "bench page --migrate" 0 /t/pmk bench page --migrate --quick --rounds 2 --json
check "it is measurable" true "$(fields measurable </tmp/stdout)"
rows=$(jq -r '.cases[] | [.policy, .size_bytes, .direction // "-", has("not_measurable"),
	.move_pages_ns > 0, (.pmk_ns // 1) > 0] | join(" ")' /tmp/stdout | tr '\n' ',')
check "its cases" "query 4096 - false true true,\
already_there 4096 - false true true,\
move 4096 node0_to_node1 false true true,\
move 4096 node1_to_node0 false true true,\
move 2097152 node0_to_node1 false true true,\
move 2097152 node1_to_node0 false true true," "$rows"
finish
