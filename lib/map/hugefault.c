/* SPDX-License-Identifier: BSD-3-Clause */
/* Measure how much one page fault maps, by the thread's count of faults. */
#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "map/hugefault.h"
#include "map/map_impl.h"
#include "persist/fault.h"

struct touch {
	const unsigned char *first;
	const unsigned char *last;
	/* volatile: a bad block leaves in the middle */
	volatile long first_faults;
	volatile long last_faults;
};

static long faults_so_far(void)
{
	struct rusage ru;

	if (getrusage(RUSAGE_THREAD, &ru))
		return 0;
	/* a fault that had to wait counts as a major one */
	return ru.ru_minflt + ru.ru_majflt;
}

/* A load and nothing else: a sanitizer would look at its own memory, too, and
 * that takes faults. */
static void load(const unsigned char *p)
{
	unsigned char c;

	__asm__ __volatile__("movb %1, %0" : "=q"(c) : "m"(*p));
}

static void touch(void *arg)
{
	struct touch *t = arg;
	long before = faults_so_far(), between;

	load(t->first);
	between = faults_so_far();
	load(t->last);
	t->last_faults = faults_so_far() - between;
	t->first_faults = between - before;
}

/* The handlers in front, and the stack, the code and the tables of the linker
 * that touch() needs, before anything is counted. */
static void warm_up(void)
{
	static const unsigned char byte;
	struct touch t = { &byte, &byte, 0, 0 };

	pmk_fault_look();
	(void)pmk_fault_call(touch, &t, &byte, 1, NULL);
}

static enum pmk_answer judge(const struct touch *t, enum pmk_map_why *why_ret)
{
	if (!t->first_faults) {
		*why_ret = PMK_WHY_PREFAULTED;
		return PMK_ANSWER_UNKNOWN;
	}
	*why_ret = PMK_WHY_NONE;
	return t->last_faults ? PMK_ANSWER_NO : PMK_ANSWER_YES;
}

/* One measurement, on a mapping of its own. */
static enum pmk_answer measure(int fd, uint64_t off, size_t align,
			       enum pmk_map_why *why_ret)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), len = PMK_HUGE_BYTES;
	enum pmk_answer answer = PMK_ANSWER_UNKNOWN;
	unsigned char *addr;
	struct touch t;
	int rc;

	if (align > len)
		len = align;
	rc = pmk_vma_map(fd, off, len, len, PROT_READ, MAP_SHARED, &addr);
	if (rc) {
		*why_ret = rc == -EACCES || rc == -EPERM ? PMK_WHY_NO_ACCESS
							 : PMK_WHY_UNSTEADY;
		return answer;
	}
	t = (struct touch){ addr, addr + PMK_HUGE_BYTES - page, 0, 0 };
	if (pmk_fault_call(touch, &t, addr, len, NULL))
		*why_ret = PMK_WHY_BAD_BLOCK;
	else
		answer = judge(&t, why_ret);
	pmk_vma_unmap(addr, len);
	return answer;
}

enum pmk_answer pmk_hugefault(int fd, uint64_t off, size_t align,
			      enum pmk_map_why *why_ret)
{
	enum pmk_answer one, two;

	warm_up();
	one = measure(fd, off, align, why_ret);
	if (one == PMK_ANSWER_UNKNOWN)
		return one;
	two = measure(fd, off, align, why_ret);
	if (one == two || two == PMK_ANSWER_UNKNOWN)
		return two;
	/* the scheduler, a debugger, reclaim: something else took a fault */
	*why_ret = PMK_WHY_UNSTEADY;
	return PMK_ANSWER_UNKNOWN;
}
