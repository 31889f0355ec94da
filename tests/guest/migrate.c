/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Provoke what move_pages(2) can answer, and print it by the function that the
 * command uses: one line a case, "NAME: RESULT; STATUS".  Needs root and a
 * second NUMA node: migrate FROM TO DEVDAX, with any devdax node, or, in a
 * group of processes that may not use the node TO: migrate FROM TO confined.
 *
 * Whether a page has moved is not taken from the answer alone: its frame number
 * comes from /proc/self/pagemap (Linux
 * Documentation/admin-guide/mm/pagemap.rst), its content must be the same.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <numaif.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/move_status.h"

#define PAGE 4096

static int from, to;

static void *map_page(void)
{
	void *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	return p;
}

static void *new_page(void)
{
	return memset(map_page(), 0x5a, PAGE);
}

/* The frame of a page; 0: not there, or not told. */
static uint64_t frame(const void *page)
{
	int fd = open("/proc/self/pagemap", O_RDONLY);
	uint64_t entry = 0;

	if (fd < 0 || pread(fd, &entry, sizeof(entry),
			    (off_t)((uintptr_t)page / PAGE * 8)) != 8)
		perror("pagemap");
	close(fd);
	return entry & (((uint64_t)1 << 55) - 1);
}

/* The call, for one page: what it returned, or -errno. */
static long call(int pid, void **page, const int *node, int flags, int *status)
{
	long rc = move_pages(pid, 1, page, node, status, flags);

	return rc < 0 ? -errno : rc;
}

static void say(const char *name, long result, int status)
{
	char a[160], b[160];

	printf("%s: %s; %s\n", name, move_result_text(result, a, sizeof(a)),
	       move_status_text(status, b, sizeof(b)));
	fflush(stdout);
}

static void try_move(const char *name, void *page, int node, int flags)
{
	int status = MOVE_STATUS_UNSET;
	long rc = call(0, &page, &node, flags, &status);

	say(name, rc, status);
}

static void query(const char *name, void *page)
{
	int status = MOVE_STATUS_UNSET;
	long rc = call(0, &page, NULL, 0, &status);

	say(name, rc, status);
}

static void moves(void)
{
	unsigned char *p = new_page();
	uint64_t before, after;

	query("new page", p);
	before = frame(p);
	try_move("to where it is", p, from, MPOL_MF_MOVE);
	printf("its frame after that: %s\n",
	       frame(p) == before ? "the same" : "another");
	try_move("to the other node", p, to, MPOL_MF_MOVE);
	after = frame(p);
	printf("its frame: %s\n", after == before ? "the same" : "another");
	query("asked again", p);
	printf("its content: %s\n", p[0] == 0x5a && !memcmp(p, p + 1, PAGE - 1)
					    ? "the same"
					    : "another");
	try_move("and back", p, from, MPOL_MF_MOVE);
}

static void pages_that_are_not_there(void)
{
	char *p = map_page();

	query("never touched, query", p);
	try_move("never touched", p, to, MPOL_MF_MOVE);
	*(volatile char *)p; /* a load maps the page of zeros */
	query("page of zeros, query", p);
	try_move("page of zeros", p, to, MPOL_MF_MOVE);
	munmap(p, PAGE);
	query("unmapped, query", p);
	try_move("unmapped", p, to, MPOL_MF_MOVE);
}

/* A child that has the page too, until the parent is done with it. */
static void shared_pages(void)
{
	void *p = new_page();
	pid_t child = fork();

	if (!child) {
		pause();
		_exit(0);
	}
	try_move("shared", p, to, MPOL_MF_MOVE);
	try_move("shared, all", p, to, MPOL_MF_MOVE_ALL);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* A reference that the kernel keeps: the page lies in a pipe. */
static void pinned_pages(void)
{
	void *p = new_page();
	struct iovec iov = { p, PAGE };
	int fd[2];

	if (pipe(fd) || vmsplice(fd[1], &iov, 1, 0) != PAGE) {
		perror("vmsplice");
		return;
	}
	try_move("pinned", p, to, MPOL_MF_MOVE);
	query("pinned, query", p);
}

/* Memory of the kernel that is mapped, but is on no list of pages to reclaim.
 */
static void kernel_pages(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_SW_CPU_CLOCK };
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	char *p = fd < 0 ? MAP_FAILED
			 : mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
				MAP_SHARED, fd, 0);

	if (p == MAP_FAILED) {
		perror("perf_event_open");
		return;
	}
	*(volatile char *)p;
	try_move("of the kernel", p, to, MPOL_MF_MOVE);
}

/* In a child, as there is no way back. */
static void calls_without_rights(void *page)
{
	pid_t child = fork();
	int status = MOVE_STATUS_UNSET;

	if (child) {
		waitpid(child, NULL, 0);
		return;
	}
	if (setresuid(65534, 65534, 65534))
		perror("setresuid");
	try_move("all, without rights", page, to, MPOL_MF_MOVE_ALL);
	say("of another user", call(1, &page, &to, MPOL_MF_MOVE, &status),
	    status);
	_exit(0);
}

/* Errors of the call itself. */
static void calls(void)
{
	void *page = new_page();
	int status = MOVE_STATUS_UNSET;

	try_move("no such node", page, 60, MPOL_MF_MOVE);
	try_move("unknown flag", page, to, 1 << 7);
	say("no such process",
	    call(0x3fffffff, &page, &to, MPOL_MF_MOVE, &status), status);
	say("no list", call(0, (void **)8, &to, MPOL_MF_MOVE, &status), status);
	calls_without_rights(page);
}

static void huge_pages(void)
{
	size_t len = 2U << 20;
	char *p = mmap(NULL, 2 * len, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	p += -(uintptr_t)p & (len - 1);
	madvise(p, len, MADV_HUGEPAGE);
	memset(p, 0x5a, len);
	try_move("2 MiB", p, to, MPOL_MF_MOVE);
	query("2 MiB, its last page", p + len - PAGE);
}

static void ignore(int sig)
{
	(void)sig;
}

/* Behind this process's back the page has gone: a memory error. */
static void poisoned_pages(void)
{
	char *p = new_page();

	signal(SIGBUS, ignore); /* sent at once, and not to be ignored */
	if (madvise(p, PAGE, MADV_HWPOISON)) {
		perror("madvise");
		return;
	}
	try_move("poisoned", p, to, MPOL_MF_MOVE);
}

/* Memory of a device, which has no node to go to. */
static void device_pages(const char *path)
{
	size_t len = 2U << 20;
	int fd = open(path, O_RDWR);
	char *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (fd < 0 || p == MAP_FAILED) {
		perror(path);
		return;
	}
	*(volatile char *)p;
	query("devdax, query", p);
	try_move("devdax", p, to, MPOL_MF_MOVE);
}

/* One page after the other, until the node has no memory for the next: its
 * answer is the one that is said. */
static void full_node(void)
{
	size_t len = 300U << 20;
	char *p = mmap(NULL, len, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int status = MOVE_STATUS_UNSET;
	long rc = 0;

	if (p == MAP_FAILED || madvise(p, len, MADV_NOHUGEPAGE)) {
		perror("300 MiB");
		return;
	}
	for (size_t off = 0; off < len && !rc && (!off || status >= 0);
	     off += PAGE) {
		void *page = memset(p + off, 0x5a, PAGE);

		status = MOVE_STATUS_UNSET;
		rc = call(0, &page, &to, MPOL_MF_MOVE, &status);
	}
	say("full", rc, status);
	munmap(p, len);
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	from = atoi(argv[1]);
	to = atoi(argv[2]);
	if (!strcmp(argv[3], "confined")) {
		try_move("confined", new_page(), to, MPOL_MF_MOVE);
		return 0;
	}
	moves();
	huge_pages();
	pages_that_are_not_there();
	shared_pages();
	pinned_pages();
	kernel_pages();
	poisoned_pages();
	device_pages(argv[3]);
	calls();
	full_node();
	return 0;
}
