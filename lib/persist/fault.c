/* SPDX-License-Identifier: BSD-3-Clause */
/* Guarded access: a stack of frames per thread, and the handler that looks for
 * a fault's address in them. */
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <ucontext.h>

#include "persist/fault.h"
#include "persist/fault_chain.h"

/* What may lie below the stack pointer of code that was interrupted. */
#define RED_ZONE 128

struct frame {
	sigjmp_buf env;
	const struct pmk_fault_range *ranges;
	size_t n;
	struct pmk_fault fault;
	struct frame *outer;
};

/* initial-exec: any other model may allocate on the first access of a thread,
 * which a signal handler must not. */
static _Thread_local struct frame *volatile innermost
	__attribute__((tls_model("initial-exec")));

static _Atomic bool installed;

/* The bytes that cannot be accessed, as far as the kernel says. */
struct extent {
	uintptr_t start;
	size_t len;
};

static struct extent extent_of(const siginfo_t *info)
{
	struct extent e = { (uintptr_t)info->si_addr, 1 };

	/* the only code for which the kernel sets si_addr_lsb (sigaction(2)) */
	if (info->si_signo == SIGBUS && info->si_code == BUS_MCEERR_AR &&
	    info->si_addr_lsb > 0 && info->si_addr_lsb < 48) {
		e.len = (size_t)1 << info->si_addr_lsb;
		e.start &= ~(e.len - 1);
	}
	return e;
}

/* Unsigned wrap does the comparison on both sides at once. */
static bool overlaps(const struct pmk_fault_range *r, const struct extent *e)
{
	uintptr_t addr = (uintptr_t)r->addr;

	return r->len && (e->start - addr < r->len || addr - e->start < e->len);
}

static struct frame *frame_for(const struct extent *e)
{
	for (struct frame *f = innermost; f; f = f->outer)
		for (size_t i = 0; i < f->n; i++)
			if (overlaps(&f->ranges[i], e))
				return f;
	return NULL;
}

static _Noreturn void land(struct frame *f)
{
	siglongjmp(f->env, 1);
}

/*
 * Return from the handler into land(), not out of it by siglongjmp(): so the
 * kernel restores the signal mask and the alternate stack, and a handler that
 * called this one gets to its end.  Whoever called land() left the stack
 * pointer 8 bytes below a multiple of 16, says the ABI, and DF clear.
 */
static void abandon(ucontext_t *context, struct frame *f)
{
	greg_t *regs = context->uc_mcontext.gregs;

	regs[REG_RSP] = ((regs[REG_RSP] - RED_ZONE) & ~(greg_t)15) - 8;
	regs[REG_RDI] = (greg_t)(uintptr_t)f;
	regs[REG_RIP] = (greg_t)(uintptr_t)land;
	regs[REG_EFL] &= ~((greg_t)1 << 10);
}

/*
 * An address between the halves of the address space is refused by the CPU
 * before the kernel sees it: a general protection fault, which has no address.
 * With 57-bit addresses the gap is smaller and lies within this one.
 */
static bool is_gap(const siginfo_t *info)
{
	return info->si_signo == SIGSEGV && info->si_code == SI_KERNEL &&
	       !info->si_addr;
}

static const struct extent gap = { (uintptr_t)1 << 47,
				   (size_t)0 - ((size_t)1 << 48) };

void pmk_fault_handler(int sig, siginfo_t *info, void *context)
{
	if (pmk_fault_is_access(info) || is_gap(info)) {
		struct extent e = is_gap(info) ? gap : extent_of(info);
		struct frame *f = frame_for(&e);

		if (f) {
			f->fault = (struct pmk_fault){
				.addr = e.start,
				.sig = sig,
				.code = info->si_code,
			};
			abandon(context, f);
			return;
		}
	}
	pmk_fault_chain(sig, info, context);
}

void pmk_fault_look(void)
{
	pmk_fault_install(SIGBUS);
	pmk_fault_install(SIGSEGV);
	atomic_store_explicit(&installed, true, memory_order_release);
}

bool pmk_fault_guard(pmk_fault_fn fn, void *arg,
		     const struct pmk_fault_range *ranges, size_t n,
		     struct pmk_fault *fault_ret)
{
	struct frame f;

	if (!atomic_load_explicit(&installed, memory_order_acquire))
		pmk_fault_look();
	f.ranges = ranges;
	f.n = n;
	f.outer = innermost;
	/* without the signal mask, which takes a system call to save */
	if (sigsetjmp(f.env, 0)) {
		innermost = f.outer;
		if (fault_ret)
			*fault_ret = f.fault;
		return true;
	}
	innermost = &f;
	fn(arg);
	innermost = f.outer;
	return false;
}
