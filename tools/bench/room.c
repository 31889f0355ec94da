/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory that a benchmark works on. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/size.h"
#include "base/util.h"
#include "bench/memory.h"
#include "bench/room.h"
#include "bench/suite.h"
#include "out.h"
#include "pmk.h"
#include "signals.h"

#define HUGE_PAGE ((size_t)2 << 20)

/* Write every page, so that no copy has to fetch one. */
static void touch(struct bench_room *r)
{
	r->addr = pmk_map_addr(r->map);
	r->size = pmk_map_size(r->map);
	memset(r->addr, 0xa5, r->size);
}

int bench_room_dram(struct bench_room *r, size_t size)
{
	const struct pmk_map_params params = {
		.len = pmk_align_up(size, HUGE_PAGE),
		.flags = PMK_MAP_EMULATED,
	};
	int rc = memory_check(params.len, "--quick or --sizes need less");

	if (rc)
		return rc;
	rc = pmk_map_open(NULL, &params, &r->map);
	if (rc)
		return out_fail("memory to measure on", rc, NULL);
	touch(r);
	return EXIT_OK;
}

/* The file that was empty, for as long as it has to be made so again. */
static const char *_Atomic to_empty;

/* Other threads may touch what is gone now: they wait for the end. */
static void on_bus(int sig)
{
	(void)sig;
	for (;;)
		pause();
}

/* SA_RESETHAND: the second time the signal has its default effect. */
static void on_deadly(int sig)
{
	const struct sigaction wait = { .sa_handler = on_bus };
	const char *path = atomic_load(&to_empty);

	if (path) {
		sigaction(SIGBUS, &wait, NULL);
		(void)!truncate(path, 0);
	}
	raise(sig);
}

/* Make the file empty again also if one of the signals ends the process that
 * people and shells end processes with. */
static void empty_on_signal(const char *path)
{
	static const int deadly[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	const struct sigaction sa = {
		.sa_handler = on_deadly,
		.sa_flags = (int)SA_RESETHAND | SA_NODEFER,
	};
	struct sigaction old;

	atomic_store(&to_empty, path);
	/* what is ignored stays so: nohup(1) */
	for (size_t i = 0; path && i < ARRAY_SIZE(deadly); i++)
		if (!sigaction(deadly[i], NULL, &old) &&
		    old.sa_handler == SIG_DFL)
			sigaction(deadly[i], &sa, NULL);
}

static bool is_same_directory(const char *a, const char *b)
{
	struct stat one, other;

	return !stat(a, &one) && !stat(b, &other) &&
	       one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/* A file in /dev would be taken for a device ever after; in a container /dev
 * may be a tmpfs. */
static bool is_for_devices(const char *path)
{
	_cleanup_free_ char *dir = strdup(path);
	struct pmk_map_report rep;
	char *slash;

	if (!dir)
		out_of_memory();
	slash = strrchr(dir, '/');
	if (!slash)
		strcpy(dir, ".");
	else
		slash[slash == dir] = '\0';
	return is_same_directory(dir, "/dev") ||
	       (!pmk_map_explain(dir, &rep) &&
		!strcmp(rep.fs_type, "devtmpfs"));
}

/* An empty file of our own where there is none, so that there is something to
 * be judged. */
static int create(struct bench_room *r)
{
	int fd;

	if (is_for_devices(r->path))
		return out_fail(r->path, -ENODEV, NULL);
	signals_hold();
	fd = open(r->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0) {
		close(fd);
		r->created = true;
		signals_remove(r->path);
	}
	signals_release();
	return fd < 0 ? out_fail(r->path, -errno, NULL) : EXIT_OK;
}

/* What may be written to, and what it is. */
static int judge(struct bench_room *r, const struct bench_options *opt,
		 struct pmk_map_report *rep)
{
	int rc = pmk_map_explain(r->path, rep);

	if (!rc && rep->object == PMK_MAP_OBJECT_UNKNOWN &&
	    rep->error == -ENOENT) {
		rc = create(r);
		if (rc)
			return rc;
		rc = pmk_map_explain(r->path, rep);
	}
	/* an empty file cannot be mapped yet: -EINVAL */
	if (!rc && rep->error && (rep->size_bytes || !rep->kind))
		rc = rep->error;
	if (rc)
		return out_fail(r->path, rc, NULL);
	r->was_empty = rep->object == PMK_MAP_OBJECT_FILE && !rep->size_bytes;
	if (r->was_empty || opt->overwrite)
		return EXIT_OK;
	return out_error(
		"%s: %s, which would be lost; --overwrite allows it", r->path,
		rep->object == PMK_MAP_OBJECT_DEVDAX ? "a device has content"
						     : "there is data already");
}

/* Memory of a file system in memory is as good as the memfd of the default. */
static bool is_memory(const struct pmk_map_report *rep)
{
	return rep->reason == PMK_REASON_VOLATILE_FS;
}

static int refuse_pages(const struct bench_room *r,
			const struct pmk_map_report *rep)
{
	return out_error("%s: not persistent memory: %s; what is flushed there "
			 "is durable by msync(2) only, which pmk bench flush "
			 "and log measure",
			 r->path, pmk_map_reason_text(rep->reason));
}

/* How much of what is there is mapped: 0 and a message if it is too little. */
static size_t choose_size(const struct bench_room *r,
			  const struct pmk_map_report *rep, size_t want,
			  size_t least)
{
	size_t align = rep->align_bytes > HUGE_PAGE ? (size_t)rep->align_bytes
						    : HUGE_PAGE;
	size_t len = pmk_align_up(want, align);
	char have[32], need[32];

	if (r->was_empty || rep->size_bytes >= len)
		return len;
	len = (size_t)rep->size_bytes / align * align;
	if (len >= least)
		return len;
	pmk_size_format(rep->size_bytes, have, sizeof(have));
	pmk_size_format(pmk_align_up(least, align), need, sizeof(need));
	out_error("%s: too small: %s, and at least %s is needed", r->path, have,
		  need);
	return 0;
}

static void say_medium(struct bench_suite *s, const struct pmk_map_report *rep)
{
	char *text = s->host.medium, on[128] = "";
	size_t size = sizeof(s->host.medium);

	if (*rep->fs_type)
		snprintf(on, sizeof(on), " on %s", rep->fs_type);
	if (is_memory(rep)) {
		snprintf(text, size, "DRAM: a file%s, not persistent memory",
			 on);
		return;
	}
	snprintf(text, size, "%s: %s%s%s%s, granularity %s, domain %s",
		 rep->pmem == PMK_ANSWER_YES  ? "persistent memory"
		 : rep->pmem == PMK_ANSWER_NO ? "not persistent memory"
					      : "persistent or not is unknown",
		 pmk_map_kind_name(rep->kind), on, *rep->device ? ", " : "",
		 rep->device, pmk_granularity_name(rep->granularity),
		 pmk_domain_name(rep->domain));
}

static int open_path(struct bench_room *r, struct bench_suite *s, size_t want,
		     size_t least)
{
	struct pmk_map_params params = { .len = 0 };
	struct pmk_map_report rep;
	int rc;

	r->path = s->opt->on;
	signals_mapped(r->path);
	rc = judge(r, s->opt, &rep);
	if (rc)
		return rc;
	if (is_memory(&rep))
		params.flags |= PMK_MAP_EMULATED;
	else if (rep.granularity == PMK_GRANULARITY_PAGE && !r->allow_pages)
		return refuse_pages(r, &rep);
	if (r->was_empty && !r->created)
		empty_on_signal(r->path);
	if (r->was_empty)
		params.flags |= PMK_MAP_CREATE;
	params.len = choose_size(r, &rep, want, least);
	if (!params.len)
		return EXIT_FAIL;
	rc = pmk_map_open(r->path, &params, &r->map);
	if (rc)
		return out_fail(r->path, rc, NULL);
	say_medium(s, &rep);
	touch(r);
	return EXIT_OK;
}

int bench_room_open(struct bench_room *r, struct bench_suite *s, size_t want,
		    size_t least)
{
	int rc = s->opt->on ? open_path(r, s, want, least)
			    : bench_room_dram(r, want);

	if (rc)
		return rc;
	if (!s->opt->on)
		snprintf(s->host.medium, sizeof(s->host.medium),
			 "DRAM: emulated persistent memory on a memfd, not "
			 "persistent memory");
	memory_huge_pages(r->addr, r->size, s->host.huge_pages,
			  sizeof(s->host.huge_pages));
	return EXIT_OK;
}

void bench_room_close(struct bench_room *r)
{
	pmk_map_close(r->map);
	if (r->created) {
		unlink(r->path);
		signals_keep(r->path);
	} else if (r->was_empty) {
		if (truncate(r->path, 0))
			out_error("%s: cannot be made empty again: %s", r->path,
				  pmk_strerror(-errno));
		empty_on_signal(NULL);
	}
	*r = (struct bench_room){ .map = NULL };
}
