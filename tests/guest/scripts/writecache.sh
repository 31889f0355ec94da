#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=dash
# The guest's part of tests/guest/writecache: /t/phase says what to do.
# shellcheck source=../lib.sh
. /lib.sh

must modprobe -a dm_writecache virtio_pci virtio_blk

# pmem HANDLE: the device of the namespace that was made there
pmem() {
	local r
	r=$(region "$1") || exit
	# shellcheck disable=SC2012 # one, of a plain name
	echo "/dev/$(ls "/sys/bus/nd/devices/region$r"/pfn*/block | head -n 1)"
}

read -r phase seed how </t/phase
if [ "$phase" = use ]; then
	create 1 fsdax -M mem >/dev/null || exit
	create 2 fsdax -M mem >/dev/null || exit
	create 3 fsdax -M mem >/dev/null || exit
	/t/wc_crash use "$seed" "$how" "$(pmem 1)" "$(pmem 2)" "$(pmem 3)"
else
	/t/wc_crash serve "$(pmem 1)" "$(pmem 2)" "$(pmem 3)"
fi
