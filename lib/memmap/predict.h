/* SPDX-License-Identifier: BSD-3-Clause */
/* The accounting of a namespace, without a word to the log. */
#ifndef LIB_MEMMAP_PREDICT_H
#define LIB_MEMMAP_PREDICT_H

#include <pmk/memmap.h>

/* As pmk_memmap_predict(), which tells the log what @layout_ret->reason is. */
int pmk_memmap_work_out(const struct pmk_memmap_params *p,
			struct pmk_memmap_layout *layout_ret);

#endif /* LIB_MEMMAP_PREDICT_H */
