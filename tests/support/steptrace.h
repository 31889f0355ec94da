/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Run a call instruction by instruction, count what matters for persistence
 * and watch memory change.
 *
 * A flush that is missing changes nothing that a test can read back: on DRAM
 * every test of contents passes without it.  So the tests look at what is
 * executed.  The call runs in a forked child with the trap flag set, which
 * needs no permission and no second process per step (1 to 2 us an
 * instruction; ptrace takes ten times as long).  Memory that is not shared does
 * not change in the caller.
 */
#ifndef TESTS_SUPPORT_STEPTRACE_H
#define TESTS_SUPPORT_STEPTRACE_H

#include <stddef.h>
#include <stdint.h>

#include "support/insn.h"

/* Memory to watch; optional. */
struct step_watch {
	void *addr; /* 64-byte aligned */
	size_t len;
	/* what aligned 8-byte words at @addr may turn into, or NULL: after
	 * each instruction each must be all old or all new (also the
	 * iterations of a rep prefix are seen one by one) */
	const void *expected;
};

#define STEP_FENCES 16

struct step_counts {
	/* executed, by kind; @kinds[INSN_OTHER] is the rest */
	uint64_t kinds[INSN_KINDS];

	/* sums of kinds */
	uint64_t nt_stores;
	uint64_t nt_bytes; /* that those stored */
	uint64_t flushes;
	uint64_t fences; /* sfence and mfence */
	/* how many non-temporal stores there were before each of the first
	 * fences */
	uint64_t nt_before[STEP_FENCES];

	/* NT stores, flushes and changes of watched memory that no fence
	 * followed: 0 if the last fence comes behind all of them */
	uint64_t after_fence;

	/* watched memory only: */
	uint64_t lines_written;   /* by ordinary stores (that changed it) */
	uint64_t lines_covered;   /* flushed or stored non-temporally */
	uint64_t lines_unflushed; /* no flush since their last ordinary store */
	uint64_t lines_mixed; /* ordinary and non-temporal stores in one line */
	uint64_t words_torn;  /* steps that left a word neither old nor new */
	size_t torn_at;       /* the first such word, bytes from @addr */
};

/*
 * Run @fn(@arg) and count.  Call it once before if it has anything lazy to do.
 * It runs in a child: asserts in it are lost, it must have SIGTRAP to itself,
 * and only its own thread is traced.
 * Returns 0 or -errno; -ECHILD if the child died, which is said on stderr.
 */
int steptrace_run(void (*fn)(void *), void *arg, const struct step_watch *watch,
		  struct step_counts *ret);

/*
 * Emulators may not know the trap flag.  Returns NULL if it works, else the
 * reason, for a test that then exits with 77.
 */
const char *steptrace_unavailable(void);

#endif /* TESTS_SUPPORT_STEPTRACE_H */
