/* SPDX-License-Identifier: BSD-3-Clause */
/* Signals that would end the command with a core file or leave a file behind.
 */
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "pmk.h"
#include "signals.h"

static const int deadly[] = { SIGHUP, SIGINT, SIGTERM };

static const char *_Atomic to_remove;

static void remove_file(void)
{
	const char *path = atomic_load(&to_remove);

	if (path)
		unlink(path);
}

/* SA_RESETHAND: the second time the signal has its default effect, and so the
 * parent sees which one it was. */
static void on_deadly(int sig)
{
	remove_file();
	raise(sig);
}

/* A mapped file became shorter, or its storage cannot be read: neither is a
 * fault of this program, so it leaves no core. */
static void on_bus(int sig)
{
	static const char text[] = "pmk: a mapped file was cut off or its "
				   "storage failed\n";

	(void)sig;
	remove_file();
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
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
	handle(SIGBUS, on_bus, 0);
	/* a file size limit is an error of the call that meets it: EFBIG */
	handle(SIGXFSZ, SIG_IGN, 0);
}

void signals_remove(const char *path)
{
	struct sigaction old;

	atomic_store(&to_remove, path);
	if (!path)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(deadly); i++)
		/* nohup(1) has its reasons */
		if (!sigaction(deadly[i], NULL, &old) &&
		    old.sa_handler != SIG_IGN)
			handle(deadly[i], on_deadly,
			       (int)SA_RESETHAND | SA_NODEFER);
}
