#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=dash
# The persistence domain as the firmware gives it, on fsdax and devdax.  What is
# expected stands on the kernel's command line (test.domain=, test.granularity=)
# and must also be what ndctl and the kernel say.
# shellcheck source=../lib.sh
. /lib.sh

domain=$(sed -n 's/.*test\.domain=\([a-z_]*\).*/\1/p' /proc/cmdline)
granularity=$(sed -n 's/.*test\.granularity=\([a-z_]*\).*/\1/p' /proc/cmdline)

D=$(create 1 fsdax -M mem) || exit
X=$(create 2 devdax -M mem -a 2M) || exit
must mkfs.ext4 -q -F -b 4096 "/dev/$D"
must mount -o dax "/dev/$D" /mnt
must dd if=/dev/zero of=/mnt/f bs=64k count=1

check "ndctl, region $(region 1)" "$domain" \
	"$(ndctl list -R -r "region$(region 1)" | sed -n 's/.*"persistence_domain":"\([^"]*\)".*/\1/p')"
attribute=/sys/bus/nd/devices/region$(region 1)/persistence_domain
check "attribute of the region" "$domain" "$(cat "$attribute" 2>/dev/null || echo unknown)"
for path in /mnt/f "/dev/$X"; do
	check "$path: doctor" "$granularity $domain" "$(
		/t/pmk doctor --json "$path" | fields granularity domain)"
	check_match "$path: mapping" "* $(echo "$granularity" | tr _ ' ') $domain *" "$(/t/open_map "$path")"
done

# --- deep flush: QEMU's NVDIMMs have no flush hints
deep_flush=/sys/bus/nd/devices/region$(region 2)/deep_flush
check "deep_flush of the region" 0 "$(cat "$deep_flush")"
check_match "deep sync, devdax without hints" "*deep=not needed" "$(/t/open_map -d "/dev/$X")"
check_match "deep sync, fsdax" "*deep=done" "$(/t/open_map -d /mnt/f)"

# as on a platform that has them
echo 1 >/tmp/deep_flush
must mount --bind /tmp/deep_flush "$deep_flush"
check_match "deep sync, devdax with hints" "*deep=done" "$(/t/open_map -d "/dev/$X")"
check "the flush was asked for" 1 "$(cat /tmp/deep_flush)"
chmod 644 /tmp/deep_flush
chmod 666 "/dev/$X"
chmod 755 /t
check_match "deep sync, devdax, not root" "*deep=deep flush is not permitted" \
	"$(/usr/bin/setpriv --reuid 65534 --clear-groups /t/open_map -d "/dev/$X")"
umount "$deep_flush"
finish
