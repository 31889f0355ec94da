/* SPDX-License-Identifier: BSD-3-Clause */
/* What can be simulated, and what is assumed where nothing is said. */
#ifndef LIB_MEMMAP_PARAMS_H
#define LIB_MEMMAP_PARAMS_H

#include <pmk/memmap.h>

/* Has ordinary memory a part of these bytes? */
bool pmk_memmap_overlaps_ram(const struct pmk_memmap_params *p, uint64_t start,
			     uint64_t end);

/* 0, or an error of pmk_memmap_new(), which is explained to the log. */
int pmk_memmap_check_sim(const struct pmk_memmap_sim *sim);

/* Fill in the bytes of a struct page, and what is kept for one. */
void pmk_memmap_complete_sim(struct pmk_memmap_sim *sim);

/* Predict the namespace of a simulation that is checked and complete: there are
 * struct pages in it, and it is known which. */
int pmk_memmap_lay_out(const struct pmk_memmap_sim *sim,
		       struct pmk_memmap_layout *layout_ret);

#endif /* LIB_MEMMAP_PARAMS_H */
