/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who handles a fault that is not a guarded one: what was there before.
 *
 * An application may install its handler later, over this library's, and call
 * that from its own.  When the library goes in front again, each has the other
 * behind it; so all that were found are kept, the newest last, and a call that
 * comes back during a call to one of them goes to the one before.
 */
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "persist/fault_chain.h"

/* Different handlers that one process installs over each other; of more, the
 * oldest are forgotten. */
#define MAX_BEHIND 8

struct chain {
	struct sigaction act[MAX_BEHIND];
	unsigned int n;
};

static struct chain chain_bus, chain_segv;

/* Process id of who has the lock of both; 0 if nobody. */
static _Atomic pid_t lock_owner;

/* The call to a handler behind, if one is under way in this thread. */
struct calling {
	const void *context;  /* of the signal */
	const char *frame;    /* where on the stack */
	unsigned int earlier; /* how many handlers there are before that one */
};

static _Thread_local struct calling calling
	__attribute__((tls_model("initial-exec")));

/*
 * Signals are blocked, so that no handler in this thread waits for its own
 * thread.  A child forked while another thread had the lock would find it taken
 * for ever: there it is not the owner's process any more.
 */
static void lock(sigset_t *old_ret)
{
	pid_t self = getpid(), owner;
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, old_ret);
	for (;;) {
		owner = atomic_load(&lock_owner);
		if (owner != self &&
		    atomic_compare_exchange_strong(&lock_owner, &owner, self))
			return;
		sched_yield();
	}
}

static void unlock(const sigset_t *old)
{
	atomic_store(&lock_owner, 0);
	pthread_sigmask(SIG_SETMASK, old, NULL);
}

static struct chain *chain_of(int sig)
{
	return sig == SIGBUS ? &chain_bus : &chain_segv;
}

static bool same_handler(const struct sigaction *a, const struct sigaction *b)
{
	return a->sa_handler == b->sa_handler;
}

static bool is_own(const struct sigaction *a)
{
	return a->sa_flags & SA_SIGINFO && a->sa_sigaction == pmk_fault_handler;
}

static void forget(struct chain *c, unsigned int i)
{
	c->n--;
	memmove(&c->act[i], &c->act[i + 1], (c->n - i) * sizeof(c->act[0]));
}

/* Last, and once only: an application may install the same one again and
 * again. */
static void remember(struct chain *c, const struct sigaction *act)
{
	for (unsigned int i = 0; i < c->n; i++)
		if (same_handler(&c->act[i], act))
			forget(c, i);
	if (c->n == MAX_BEHIND)
		forget(c, 0);
	c->act[c->n++] = *act;
}

static bool is_handler(const struct sigaction *act)
{
	return act->sa_handler != SIG_DFL && act->sa_handler != SIG_IGN;
}

void pmk_fault_install(int sig)
{
	struct sigaction own = { .sa_sigaction = pmk_fault_handler }, old;
	int kept = SA_ONSTACK | SA_RESTART;
	sigset_t mask;

	if (sigaction(sig, NULL, &old) || is_own(&old))
		return;
	/* the stack and the system calls of a handler behind are as it wants
	 * them; its mask is set when it is called */
	if (is_handler(&old))
		kept &= old.sa_flags;
	own.sa_flags = SA_SIGINFO | SA_NODEFER | kept;
	lock(&mask);
	if (!sigaction(sig, &own, &old) && !is_own(&old))
		remember(chain_of(sig), &old);
	unlock(&mask);
}

/* By someone, or by the kernel for poison that nobody has tried to read yet:
 * the instruction that was interrupted has not failed. */
static bool was_sent(const siginfo_t *info)
{
	return info->si_code <= 0 ||
	       (info->si_signo == SIGBUS && info->si_code == BUS_MCEERR_AO);
}

bool pmk_fault_is_access(const siginfo_t *info)
{
	return !was_sent(info) && info->si_code != SI_KERNEL;
}

/* How many handlers to go back for this call. */
static unsigned int earlier_than_calling(const void *context, const char *frame,
					 unsigned int n)
{
	/* the same signal, deeper on the stack; else the call that was under
	 * way has been left by longjmp() */
	if (calling.context == context && frame < calling.frame &&
	    calling.earlier < n)
		return calling.earlier;
	return n;
}

/* The handler to call, and how many there are before it. */
static struct sigaction behind(int sig, const void *context, const char *frame,
			       unsigned int *earlier_ret)
{
	struct sigaction act = { .sa_handler = SIG_DFL };
	struct chain *c = chain_of(sig);
	unsigned int n;
	sigset_t mask;

	lock(&mask);
	n = earlier_than_calling(context, frame, c->n);
	if (n) {
		act = c->act[--n];
		if (act.sa_flags & (int)SA_RESETHAND && is_handler(&act))
			c->act[n] = (struct sigaction){ .sa_handler = SIG_DFL };
	}
	unlock(&mask);
	*earlier_ret = n;
	return act;
}

/* With the mask that the kernel would have set. */
static void call(const struct sigaction *act, int sig, siginfo_t *info,
		 ucontext_t *context)
{
	sigset_t mask, old;

	sigorset(&mask, &context->uc_sigmask, &act->sa_mask);
	if (!(act->sa_flags & SA_NODEFER))
		sigaddset(&mask, sig);
	pthread_sigmask(SIG_SETMASK, &mask, &old);
	if (act->sa_flags & SA_SIGINFO)
		act->sa_sigaction(sig, info, context);
	else
		act->sa_handler(sig);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* The instruction fails once more and ends the process, with the status and
 * the core that it would have left; a signal that was sent is sent again. */
static void default_action(int sig, const siginfo_t *info)
{
	const struct sigaction act = { .sa_handler = SIG_DFL };

	sigaction(sig, &act, NULL);
	if (was_sent(info))
		raise(sig);
}

void pmk_fault_chain(int sig, siginfo_t *info, void *context)
{
	const char *frame = __builtin_frame_address(0);
	struct calling outer = calling;
	unsigned int earlier;
	struct sigaction act = behind(sig, context, frame, &earlier);

	if (act.sa_handler == SIG_DFL) {
		default_action(sig, info);
		return;
	}
	if (act.sa_handler == SIG_IGN) {
		/* the kernel does not let a fault be ignored */
		if (!was_sent(info))
			default_action(sig, info);
		return;
	}
	calling = (struct calling){ context, frame, earlier };
	call(&act, sig, info, context);
	calling = outer;
}
