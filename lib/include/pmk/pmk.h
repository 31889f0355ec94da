/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Everything libpmk offers.  A program that needs one part only may include
 * that part's header instead.
 */
#ifndef PMK_PMK_H
#define PMK_PMK_H

#include <pmk/clear.h>
#include <pmk/copy.h>
#include <pmk/cpu.h>
#include <pmk/discover.h>
#include <pmk/domain.h>
#include <pmk/error.h>
#include <pmk/flush.h>
#include <pmk/infoblock.h>
#include <pmk/kernel.h>
#include <pmk/log.h>
#include <pmk/map.h>
#include <pmk/memmap.h>
#include <pmk/page.h>
#include <pmk/rlog.h>
#include <pmk/tune.h>
#include <pmk/version.h>
#include <pmk/wc.h>
#include <pmk/wc_check.h>
#include <pmk/wc_format.h>
#include <pmk/wc_image.h>
#include <pmk/wc_repair.h>
#include <pmk/wc_writeback.h>

#endif /* PMK_PMK_H */
