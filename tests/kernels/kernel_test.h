/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel tests share: flag sets, and a buffer check with a message. */
#ifndef TESTS_KERNELS_KERNEL_TEST_H
#define TESTS_KERNELS_KERNEL_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <pmk/copy.h>
#include <pmk/cpu.h>
#include <pmk/flush.h>

#include "base/util.h"
#include "persist/ops.h"
#include "support/guard.h"
#include "support/seed.h"

/* Bytes around a destination that are checked to stay as they were. */
#define MARGIN 64
/* Of 64 destination offsets, every OFF_STEP-th: ThreadSanitizer makes a test
 * of contents 20 times slower, and has nothing to find in one thread. */
#ifdef __SANITIZE_THREAD__
#define OFF_STEP 9
#else
#define OFF_STEP 1
#endif
/* What memory holds before; sources have bytes below 0x80 only. */
#define BEFORE 0xa5

/* Every combination of the known flags, then bits that must be ignored: 8 and
 * 16 are libpmem's WC and WB. */
static const unsigned int flag_sets[] = {
	0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x20,       0x21,
	0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x08, 0x10, 0x80000000, ~0U,
};

/* Can this CPU, less what is disabled, run the kernel @k? */
#define CAN_RUN(k) (((k)->needs & pmk_cpu_features()) == (k)->needs)

/* One call, for messages. */
struct what {
	const char *name;
	size_t dst_off, src_off, len;
	unsigned int flags;
};

static inline void fail_at(const struct what *w, const char *problem,
			   ptrdiff_t at)
{
	fail_msg("%s, destination offset %zu, source offset %zu, %zu bytes, "
		 "flags %#x: %s at byte %td",
		 w->name, w->dst_off, w->src_off, w->len, w->flags, problem,
		 at);
}

/* @got is as @want; @dst is where byte 0 of the destination is in @got. */
static inline void check_same(const struct what *w, const uint8_t *got,
			      const uint8_t *want, size_t len,
			      const uint8_t *dst)
{
	if (!memcmp(got, want, len))
		return;
	for (size_t i = 0; i < len; i++)
		if (got[i] != want[i])
			fail_at(w, "wrong content", got + i - dst);
}

/* The part of @g that is at most MARGIN away from [@p, @p + @len). */
static inline uint8_t *margin_start(const struct guard *g, uint8_t *p)
{
	return p - pmk_min_size((size_t)(p - g->start), MARGIN);
}

static inline uint8_t *margin_end(const struct guard *g, uint8_t *p, size_t len)
{
	size_t behind = (size_t)(g->start + g->len - (p + len));

	return p + len + pmk_min_size(behind, MARGIN);
}

#endif /* TESTS_KERNELS_KERNEL_TEST_H */
