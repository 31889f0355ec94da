/* SPDX-License-Identifier: BSD-3-Clause */
/* Which field of a struct page is wrong, by name. */
#ifndef LIB_MEMMAP_VERIFY_FIELD_H
#define LIB_MEMMAP_VERIFY_FIELD_H

#include <stdbool.h>
#include <stdint.h>

#include "memmap/verify_frame.h"

/* Faults found so far, and who is told. */
struct verify_report {
	pmk_memmap_fault_fn *fn;
	void *arg;
	int64_t faults;
	bool stop; /* nobody wants to hear more */
};

void pmk_verify_fault(struct verify_report *r, uint64_t frame,
		      const char *field, uint64_t expected, uint64_t found);

/* Report each field of the struct page of @frame that differs; every byte of
 * it is in one. */
void pmk_verify_fields(const struct verify_ns *ns, struct verify_report *r,
		       uint64_t frame, enum verify_kind kind,
		       const uint64_t expected[VERIFY_WORDS],
		       const uint64_t found[VERIFY_WORDS]);

#endif /* LIB_MEMMAP_VERIFY_FIELD_H */
