/* SPDX-License-Identifier: BSD-3-Clause */
/* Run a call instruction by instruction. */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "support/steptrace.h"

#define LINE      64U
#define PAGE      4096U
#define FLAG_TRAP 0x100 /* TF of EFLAGS: trap after each instruction */

/* What is known of a watched line. */
enum {
	LINE_WRITTEN = 1,   /* an ordinary store changed it */
	LINE_COVERED = 2,   /* flushed or stored non-temporally */
	LINE_UNFLUSHED = 4, /* an ordinary store, no flush since */
	LINE_STREAMED = 8,  /* a non-temporal store */
};

enum trace_state {
	TRACE_BEFORE = 0,
	TRACE_STEPPING,
	TRACE_DONE
};

/* What the child hands back, in shared memory. */
struct shared {
	struct step_counts counts;
	enum trace_state state;
};

struct trace {
	const struct step_watch *watch;
	unsigned char *old;   /* watched memory before the call */
	unsigned char *now;   /* after the last step */
	unsigned char *lines; /* LINE_* of each watched line */
	struct insn insn;     /* that the next trap follows */
	struct shared *shared;
};

/* The trace of this process, for the signal handler; used in the child. */
static struct trace *active;
/* Moves bytes that may not be mapped: the kernel answers with EFAULT. */
static int probe[2];

/* The @len bytes of code at @addr, or fewer at the end of a mapping. */
static void read_code(uint64_t addr, uint8_t *bytes, size_t len)
{
	const void *code = (const void *)(uintptr_t)addr;
	size_t in_page = PAGE - (addr & (PAGE - 1));

	if (in_page < len) {
		/* so few bytes go into a pipe whole or not at all */
		if (write(probe[1], code, len) == (ssize_t)len &&
		    read(probe[0], bytes, len) == (ssize_t)len)
			return;
		len = in_page;
	}
	memcpy(bytes, code, len);
}

/* Mark the watched lines of [@addr, @addr + @len). */
static void mark_lines(struct trace *t, uint64_t addr, size_t len,
		       unsigned char set, unsigned char clear)
{
	uint64_t base = (uintptr_t)t->watch->addr;
	uint64_t line = addr & ~(uint64_t)(LINE - 1);

	for (; line < addr + len; line += LINE) {
		if (line < base || line >= base + t->watch->len)
			continue;
		t->lines[(line - base) / LINE] |= set;
		t->lines[(line - base) / LINE] &= (unsigned char)~clear;
	}
}

static void count_insn(struct trace *t, const struct insn *insn)
{
	struct step_counts *c = &t->shared->counts;

	c->kinds[insn->kind]++;
	if (insn->kind == INSN_SFENCE || insn->kind == INSN_MFENCE) {
		if (c->fences < STEP_FENCES)
			c->nt_before[c->fences] = c->nt_stores;
		c->fences++;
		c->after_fence = 0;
	} else if (insn->len) {
		c->nt_stores++;
		c->nt_bytes += insn->len;
		c->after_fence++;
		if (t->watch)
			mark_lines(t, insn->addr, insn->len,
				   LINE_COVERED | LINE_STREAMED, 0);
	} else if (insn->kind >= INSN_CLWB && insn->kind <= INSN_CLFLUSH) {
		c->flushes++;
		c->after_fence++;
		if (t->watch)
			mark_lines(t, insn->addr, 1, LINE_COVERED,
				   LINE_UNFLUSHED);
	}
}

static void check_words(struct trace *t)
{
	const unsigned char *want = t->watch->expected;
	struct step_counts *c = &t->shared->counts;

	for (size_t i = 0; i + 8 <= t->watch->len; i += 8) {
		if (!memcmp(t->now + i, t->old + i, 8) ||
		    !memcmp(t->now + i, want + i, 8))
			continue;
		if (!c->words_torn++)
			c->torn_at = i;
		return;
	}
}

/* What did the instruction that has just been executed change? */
static void compare_watched(struct trace *t)
{
	const unsigned char *next = t->watch->addr;
	size_t len = t->watch->len;
	bool nt = t->insn.len > 0;

	if (!memcmp(t->now, next, len))
		return;
	if (!nt)
		t->shared->counts.after_fence++;
	for (size_t i = 0; i < len && !nt; i++)
		if (t->now[i] != next[i])
			t->lines[i / LINE] |= LINE_WRITTEN | LINE_UNFLUSHED;
	memcpy(t->now, next, len);
	if (t->watch->expected)
		check_words(t);
}

static struct insn decode_at(const greg_t *g)
{
	const uint64_t regs[16] = {
		(uint64_t)g[REG_RAX], (uint64_t)g[REG_RCX],
		(uint64_t)g[REG_RDX], (uint64_t)g[REG_RBX],
		(uint64_t)g[REG_RSP], (uint64_t)g[REG_RBP],
		(uint64_t)g[REG_RSI], (uint64_t)g[REG_RDI],
		(uint64_t)g[REG_R8],  (uint64_t)g[REG_R9],
		(uint64_t)g[REG_R10], (uint64_t)g[REG_R11],
		(uint64_t)g[REG_R12], (uint64_t)g[REG_R13],
		(uint64_t)g[REG_R14], (uint64_t)g[REG_R15],
	};
	uint8_t bytes[INSN_MAX_BYTES] = { 0 };

	read_code((uint64_t)g[REG_RIP], bytes, sizeof(bytes));
	return insn_decode(bytes, regs, (uint64_t)g[REG_RIP]);
}

/* Comes at the int3 before the call, after each instruction, and at the int3
 * behind the call; RIP is at the next instruction. */
static void on_trap(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	greg_t *g = uc->uc_mcontext.gregs;
	struct trace *t = active;
	int saved = errno;

	(void)sig;
	(void)info;
	if (t->shared->state == TRACE_DONE)
		return;
	if (t->shared->state == TRACE_STEPPING && t->watch)
		compare_watched(t);
	t->shared->state = TRACE_STEPPING;
	t->insn = decode_at(g);
	if (t->insn.kind == INSN_INT3) {
		t->shared->state = TRACE_DONE;
		g[REG_EFL] &= ~(greg_t)FLAG_TRAP;
	} else {
		count_insn(t, &t->insn);
		g[REG_EFL] |= FLAG_TRAP;
	}
	errno = saved;
}

static void sum_lines(struct trace *t)
{
	struct step_counts *c = &t->shared->counts;

	for (size_t i = 0; i < (t->watch->len + LINE - 1) / LINE; i++) {
		unsigned char both = LINE_WRITTEN | LINE_STREAMED;

		c->lines_mixed += (t->lines[i] & both) == both;
		c->lines_written += !!(t->lines[i] & LINE_WRITTEN);
		c->lines_covered += !!(t->lines[i] & LINE_COVERED);
		c->lines_unflushed += !!(t->lines[i] & LINE_UNFLUSHED);
	}
}

static __attribute__((noreturn)) void child_main(struct trace *t,
						 void (*fn)(void *), void *arg)
{
	struct sigaction sa = { .sa_sigaction = on_trap,
				.sa_flags = SA_SIGINFO };

	active = t;
	if (pipe(probe) || sigaction(SIGTRAP, &sa, NULL))
		_exit(1);
	__asm__ volatile("int3" ::: "memory");
	fn(arg);
	__asm__ volatile("int3" ::: "memory");
	if (t->watch)
		sum_lines(t);
	_exit(0);
}

static int start_trace(struct trace *t, const struct step_watch *watch)
{
	size_t len = watch ? watch->len : 0;

	t->watch = watch;
	t->shared = mmap(NULL, sizeof(*t->shared), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (t->shared == MAP_FAILED)
		return -errno;
	t->old = calloc(3, len + 1);
	if (!t->old) {
		munmap(t->shared, sizeof(*t->shared));
		return -ENOMEM;
	}
	t->now = t->old + len;
	t->lines = t->now + len;
	if (len) {
		memcpy(t->old, watch->addr, len);
		memcpy(t->now, watch->addr, len);
	}
	return 0;
}

static int wait_child(const struct trace *t, pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	if (status == 0 && t->shared->state == TRACE_DONE)
		return 0;
	fprintf(stderr, "steptrace: the traced call ended with status %#x\n",
		(unsigned int)status);
	return -ECHILD;
}

int steptrace_run(void (*fn)(void *), void *arg, const struct step_watch *watch,
		  struct step_counts *ret)
{
	struct trace t = { 0 };
	int rc = start_trace(&t, watch);
	pid_t pid;

	if (rc)
		return rc;
	pid = fork();
	if (pid == 0)
		child_main(&t, fn, arg);
	rc = pid < 0 ? -errno : wait_child(&t, pid);
	*ret = t.shared->counts;
	free(t.old);
	munmap(t.shared, sizeof(*t.shared));
	return rc;
}

static void nothing(void *arg)
{
	(void)arg;
}

const char *steptrace_unavailable(void)
{
	struct step_counts counts;
	int rc = steptrace_run(nothing, NULL, NULL, &counts);

	if (rc)
		return strerrordesc_np(-rc);
	/* call and return at least */
	return counts.kinds[INSN_OTHER] < 2 ? "the trap flag does nothing"
					    : NULL;
}
