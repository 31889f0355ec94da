#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=dash
# The guest's part of tests/guest/memmap: a namespace on each NVDIMM, and where
# it begins, on a serial port; then it waits to be ended from outside.
# shellcheck source=../lib.sh
. /lib.sh

# make HANDLE NAME MODE MAP ALIGN
make() {
	create "$1" "$3" -M "$4" -a "$5" >/dev/null || exit
	echo "$2 $(cat "/sys/bus/nd/devices/region$(region "$1")/resource")"
}

make_all() {
	make 1 devdax-mem-1G devdax mem 1G
	make 2 fsdax-dev-2M fsdax dev 2M
	make 3 devdax-dev-4K devdax dev 4K
	make 4 devdax-dev-2M devdax dev 2M
	make 5 fsdax-mem-2M fsdax mem 2M
	make 6 devdax-mem-4K devdax mem 4K
	make 7 devdax-mem-2M devdax mem 2M
	echo ready
}

make_all >/dev/ttyS1
while :; do
	sleep 10
done
