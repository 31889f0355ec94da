/* SPDX-License-Identifier: BSD-3-Clause */
/* gnuplot(1) as a process, which does not outlive a signal that ends this. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pmk/error.h>

#include "base/cleanup.h"
#include "bench/html.h"
#include "out.h"
#include "pmk.h"

/* How often it is asked whether it has ended. */
#define PATIENCE_MS 20

/* In the child: nothing of what this process does with signals is left. */
static void exec_gnuplot(const char *dir)
{
	sigset_t none;

	/* a file size limit: ignored by this process; handlers end with exec */
	signal(SIGXFSZ, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* what it says is for stderr; JSON may be on stdout */
	dup2(STDERR_FILENO, STDOUT_FILENO);
	if (!chdir(dir))
		execlp("gnuplot", "gnuplot", "plots.gp", (char *)NULL);
	_exit(127);
}

/* Readable while a signal waits that will end this process. */
static int open_held(void)
{
	struct sigaction now;
	sigset_t held;

	sigprocmask(SIG_BLOCK, NULL, &held);
	/* while it is blocked, also a signal that is ignored waits */
	for (int sig = 1; sig <= SIGRTMAX; sig++)
		if (!sigaction(sig, NULL, &now) && now.sa_handler == SIG_IGN)
			sigdelset(&held, sig);
	return signalfd(-1, &held, SFD_CLOEXEC);
}

/* Until it ends, or is ended because a signal waits.  The signal is not taken:
 * it does what it does when it is no longer held. */
static int wait_for(pid_t pid, int *status_ret)
{
	_cleanup_fd_ int held = open_held();
	struct pollfd p = { .fd = held, .events = POLLIN };
	bool ended = false;
	pid_t rc;

	while (!(rc = waitpid(pid, status_ret, ended ? 0 : WNOHANG)) ||
	       (rc < 0 && errno == EINTR))
		if (!ended && poll(&p, 1, PATIENCE_MS) > 0) {
			kill(pid, SIGKILL);
			ended = true;
		}
	if (rc < 0)
		return out_error("gnuplot: %s", pmk_strerror(-errno));
	return ended ? EXIT_FAIL : EXIT_OK;
}

static int judge(int status)
{
	static const char remedy[] =
		"what it said is above; apt install --reinstall gnuplot-nox";

	if (WIFSIGNALED(status))
		return out_error("gnuplot failed: ended by signal %d (%s); %s",
				 WTERMSIG(status), strsignal(WTERMSIG(status)),
				 remedy);
	if (WEXITSTATUS(status) == 127)
		return out_error("gnuplot failed: it cannot be run; apt "
				 "install --reinstall gnuplot-nox");
	if (WEXITSTATUS(status))
		return out_error("gnuplot failed: exit status %d; %s",
				 WEXITSTATUS(status), remedy);
	return EXIT_OK;
}

int html_gnuplot(const char *dir)
{
	int status = 0, rc;
	pid_t pid = fork();

	if (!pid)
		exec_gnuplot(dir);
	if (pid < 0)
		return out_error("gnuplot cannot be started: %s",
				 pmk_strerror(-errno));
	rc = wait_for(pid, &status);
	return rc ? rc : judge(status);
}
