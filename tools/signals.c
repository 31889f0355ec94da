/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Signals that would end the command: what it leaves behind, and what it says
 * when a mapped file breaks.
 */
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "out.h"
#include "pmk.h"
#include "signals.h"

/* Every signal ends a process by default, except these. */
static const int harmless[] = { SIGCHLD, SIGCONT, SIGURG,  SIGWINCH,
				SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU };
/* Of the others, a program meets these by its own doing. */
static const int faults[] = { SIGABRT, SIGBUS, SIGFPE, SIGILL,
			      SIGSEGV, SIGSYS, SIGTRAP };

/* pmk wc dump makes two files at once. */
#define MAX_REMOVE 2U

static const char *_Atomic to_remove[MAX_REMOVE];
static sigset_t before_hold;

#define NO_APPEND UINT64_MAX

static char subject[PATH_MAX + 128];
static _Atomic uint64_t last_appended = NO_APPEND;

static bool is_in(const int *list, size_t n, int sig)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == sig)
			return true;
	return false;
}

static void remove_files(void)
{
	for (size_t i = 0; i < MAX_REMOVE; i++) {
		const char *path = atomic_load(&to_remove[i]);

		if (path)
			unlink(path);
	}
}

/* SA_RESETHAND: the second time the signal has its default effect, and so the
 * parent sees which one it was. */
static void on_deadly(int sig)
{
	remove_files();
	raise(sig);
}

/* A line built where no function of stdio may be called. */
struct line {
	char text[sizeof(subject) + 256];
	size_t len;
};

static void add(struct line *l, const char *s)
{
	size_t n = pmk_min_size(strlen(s), sizeof(l->text) - l->len);

	memcpy(l->text + l->len, s, n);
	l->len += n;
}

static void add_number(struct line *l, uint64_t v)
{
	char digits[24];
	size_t i = sizeof(digits) - 1;

	digits[i] = '\0';
	do {
		digits[--i] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	add(l, digits + i);
}

/* A mapped file became shorter, or its storage cannot be read: neither is a
 * fault of this program, so it leaves no core. */
static void on_bus(int sig)
{
	uint64_t last = atomic_load(&last_appended);
	struct line l = { .len = 0 };

	(void)sig;
	remove_files();
	add(&l, *subject ? subject : "pmk");
	add(&l, ": a mapped file was cut off, or its storage failed");
	if (last && last != NO_APPEND) {
		add(&l, "; the last record that was appended is number ");
		add_number(&l, last);
	} else if (!last) {
		add(&l, "; no record was appended");
	}
	add(&l, "\n");
	if (write(STDERR_FILENO, l.text, l.len) < 0)
		_exit(EXIT_FAIL);
	_exit(EXIT_FAIL);
}

static void handle(int sig, void (*fn)(int), int flags)
{
	struct sigaction sa = { .sa_handler = fn, .sa_flags = flags };

	sigemptyset(&sa.sa_mask);
	sigaction(sig, &sa, NULL);
}

void signals_init(void)
{
	struct sigaction old;

	handle(SIGBUS, on_bus, 0);
	/* now, so that the library puts its own handler in front and passes on
	 * what is not its; later it would be taken for the one to keep */
	if (!sigaction(SIGSEGV, NULL, &old) && old.sa_handler == SIG_DFL)
		handle(SIGSEGV, on_deadly, (int)SA_RESETHAND | SA_NODEFER);
	/* a file size limit is an error of the call that meets it: EFBIG */
	handle(SIGXFSZ, SIG_IGN, 0);
}

void signals_remove(const char *path)
{
	struct sigaction old;
	size_t i = 0;

	while (i < MAX_REMOVE && atomic_load(&to_remove[i]))
		i++;
	if (i == MAX_REMOVE)
		return;
	atomic_store(&to_remove[i], path);
	/* SIGKILL and what the C library keeps for itself refuse; what has a
	 * handler or is ignored stays so: nohup(1) has its reasons */
	for (int sig = 1; sig <= SIGRTMAX; sig++)
		if (!is_in(harmless, ARRAY_SIZE(harmless), sig) &&
		    !sigaction(sig, NULL, &old) && old.sa_handler == SIG_DFL)
			handle(sig, on_deadly, (int)SA_RESETHAND | SA_NODEFER);
}

void signals_keep(const char *path)
{
	for (size_t i = 0; i < MAX_REMOVE; i++)
		if (atomic_load(&to_remove[i]) == path)
			atomic_store(&to_remove[i], NULL);
}

void signals_hold(void)
{
	sigset_t set;

	sigfillset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(harmless); i++)
		sigdelset(&set, harmless[i]);
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
		sigdelset(&set, faults[i]);
	sigprocmask(SIG_BLOCK, &set, &before_hold);
}

void signals_release(void)
{
	sigprocmask(SIG_SETMASK, &before_hold, NULL);
}

void signals_mapped(const char *path)
{
	snprintf(subject, sizeof(subject), "%s: %s", out_name(), path);
}

void signals_appended(uint64_t number)
{
	atomic_store(&last_appended, number);
}
