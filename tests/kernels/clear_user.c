/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmk_clear_user() up to what cannot be written.  What it has to return is
 * known from where that begins, and from the kernel, whose clear_user() runs
 * under a read(2) of /dev/zero and returns the same by another way.
 *
 * APIs covered: pmk_clear_user().
 */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmk/clear.h>
#include <pmk/cpu.h>

#include "base/util.h"
#include "persist/prim.h"
#include "support/seed.h"

#define PAGE   4096U
#define PAGES  8U
#define BYTES  (PAGES * PAGE)
#define BEFORE 0xa5

/* PAGES pages, of which a test takes some away. */
struct area {
	unsigned char *p;
	int fd;          /* of a file, or -1 */
	size_t writable; /* bytes */
};

static struct area area_new(bool file)
{
	struct area a = { NULL, file ? memfd_create("clear_user", 0) : -1,
			  BYTES };

	/* cmocka puts its own handlers over all others, for each test */
	assert_int_equal(pmk_clear_user(NULL, 0), 0);
	if (file) {
		assert_true(a.fd >= 0);
		assert_int_equal(ftruncate(a.fd, BYTES), 0);
	}
	a.p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
		   file ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, a.fd, 0);
	assert_ptr_not_equal(a.p, MAP_FAILED);
	return a;
}

static void area_free(struct area *a)
{
	munmap(a->p, BYTES);
	if (a->fd >= 0)
		close(a->fd);
}

/* From page @pages on nothing can be written; @prot of what has no file. */
static void area_cut(struct area *a, size_t pages, int prot)
{
	a->writable = pages * PAGE;
	if (a->fd >= 0)
		assert_int_equal(ftruncate(a->fd, pages * PAGE), 0);
	else
		assert_int_equal(mprotect(a->p + pages * PAGE,
					  BYTES - pages * PAGE, prot),
				 0);
}

/* What is left of @len bytes from @off on is @left, and exactly the others are
 * zero. */
static void expect_left(const struct area *a, size_t off, size_t len,
			size_t left)
{
	size_t end = off + len - left;

	memset(a->p, BEFORE, a->writable);
	assert_int_equal(pmk_clear_user(a->p + off, len), left);
	for (size_t i = 0; i < a->writable; i++)
		if (a->p[i] != (i < off || i >= end ? BEFORE : 0))
			fail_msg("%zu bytes at %zu: byte %zu is %#x", len, off,
				 i, a->p[i]);
}

/* Facts that read(2) of /dev/zero gave on Linux 6.1 and 6.12. */
static void facts__cut_off_file(void **state)
{
	struct area a = area_new(true);

	(void)state;
	area_cut(&a, 2, 0);
	expect_left(&a, 0, 16384, 8192);
	expect_left(&a, 1, 12288, 4097);
	expect_left(&a, 8192, 5000, 5000);
	area_free(&a);
}

static void facts__no_access(void **state)
{
	struct area a = area_new(false);

	(void)state;
	area_cut(&a, 1, PROT_NONE);
	expect_left(&a, 10, 8000, 3914);
	area_free(&a);
}

static void ends_at(struct area *a)
{
	static const size_t lens[] = { 1,    2,    7,    8,    9,    63,
				       64,   65,   128,  130,  1000, 2048,
				       2049, 4095, 4096, 4097, 9000, 3 * PAGE };

	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		for (size_t before = 0; before <= 140; before += 1 + before / 9)
			expect_left(a, a->writable - before, lens[i],
				    lens[i] > before ? lens[i] - before : 0);
	}
	for (size_t off = 0; off < a->writable; off += 509)
		expect_left(a, off, BYTES - off, BYTES - a->writable);
}

static void ends__cut_off_file(void **state)
{
	struct area a = area_new(true);

	(void)state;
	area_cut(&a, 4, 0);
	ends_at(&a);
	area_free(&a);
}

static void ends__no_access(void **state)
{
	struct area a = area_new(false);

	(void)state;
	area_cut(&a, 4, PROT_NONE);
	ends_at(&a);
	area_free(&a);
}

static void ends__read_only(void **state)
{
	struct area a = area_new(false);

	(void)state;
	area_cut(&a, 4, PROT_READ);
	ends_at(&a);
	for (size_t i = 4 * PAGE; i < BYTES; i++)
		assert_int_equal(a.p[i], 0); /* as mapped */
	area_free(&a);
}

/* Behind a page that fails it goes on by another call. */
static void hole__in_the_middle(void **state)
{
	struct area a = area_new(false);
	size_t hole = 3 * PAGE;

	(void)state;
	memset(a.p, BEFORE, BYTES);
	assert_int_equal(mprotect(a.p + hole, PAGE, PROT_READ), 0);
	assert_int_equal(pmk_clear_user(a.p + 5, BYTES - 5), BYTES - hole);
	for (size_t i = 0; i < BYTES; i++)
		assert_int_equal(a.p[i], i < 5 || i >= hole ? BEFORE : 0);
	assert_int_equal(pmk_clear_user(a.p + hole, 1), 1);
	assert_int_equal(pmk_clear_user(a.p + hole + PAGE - 1, 2), 2);
	assert_int_equal(pmk_clear_user(a.p + hole + PAGE, BYTES - hole - PAGE),
			 0);
	for (size_t i = 5; i < BYTES; i++)
		assert_int_equal(a.p[i], i / PAGE == 3 ? BEFORE : 0);
	area_free(&a);
}

/* The kernel's answer to the same question: short read, or EFAULT. */
static size_t kernel_left(void *dst, size_t len)
{
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	ssize_t n;

	assert_true(fd >= 0);
	n = read(fd, dst, len);
	close(fd);
	return n < 0 ? len : len - (size_t)n;
}

static void kernel__gives_the_same_answer(void **state)
{
	static unsigned char kernels[BYTES];
	struct rng r;

	(void)state;
	rng_init(&r, "kernel__gives_the_same_answer");
	for (size_t round = 0; round < 400; round++) {
		struct area a = area_new(round & 1);
		size_t off = rng_below(&r, BYTES), left, got;
		size_t len = 1 + rng_below(&r, BYTES - off);

		area_cut(&a, 1 + rng_below(&r, PAGES - 1),
			 round & 2 ? PROT_NONE : PROT_READ);
		memset(a.p, BEFORE, a.writable);
		left = kernel_left(a.p + off, len);
		memcpy(kernels, a.p, a.writable);
		memset(a.p, BEFORE, a.writable);
		got = pmk_clear_user(a.p + off, len);
		/* without ERMS, Linux 6.1 clears by words, and counts so */
		if (pmk_cpu_features() & PMK_CPU_ERMS)
			assert_int_equal(got, left);
		assert_true(got <= left && left - got < 8);
		assert_memory_equal(a.p, kernels,
				    pmk_min_size(off + len - left, a.writable));
		area_free(&a);
	}
}

static void nothing__to_clear(void **state)
{
	struct area a = area_new(false);

	(void)state;
	area_cut(&a, 1, PROT_NONE);
	assert_int_equal(pmk_clear_user(a.p + PAGE, 0), 0);
	assert_int_equal(pmk_clear_user(NULL, 0), 0);
	assert_int_equal(pmk_clear_user(NULL, 100), 100);
	area_free(&a);
}

static sigjmp_buf back;
static volatile sig_atomic_t handled;

static void handler(int sig)
{
	handled = sig;
	siglongjmp(back, 1);
}

/* A fault that is not of a clear is the application's, before and after. */
static void handler__of_the_application_still_works(void **state)
{
	const struct sigaction sa = { .sa_handler = handler };
	struct area a = area_new(true);
	struct sigaction old;

	(void)state;
	area_cut(&a, 2, 0);
	assert_int_equal(sigaction(SIGBUS, &sa, &old), 0);
	assert_int_equal(pmk_clear_user(NULL, 0), 0); /* back in front */
	for (int i = 0; i < 3; i++) {
		assert_int_equal(pmk_clear_user(a.p, 3 * PAGE), PAGE);
		assert_int_equal(handled, 0);
		if (!sigsetjmp(back, 1)) {
			*(volatile char *)(a.p + 2 * PAGE) = 1;
			fail_msg("that page is not there");
		}
		assert_int_equal(handled, SIGBUS);
		handled = 0;
	}
	sigaction(SIGBUS, &old, NULL);
	area_free(&a);
}

#define N_THREADS 4
#define ROUNDS    300

static pthread_barrier_t start;

/* Faults in all threads at once, the first ones while the handlers are being
 * installed; each has its own boundary. */
static void *fault_often(void *arg)
{
	size_t number = (size_t)(uintptr_t)arg, bad = 0;
	struct area a = area_new(number & 1);

	area_cut(&a, 1 + number % 4, PROT_NONE);
	pthread_barrier_wait(&start);
	for (size_t i = 0; i < ROUNDS; i++) {
		size_t off = i % PAGE;

		a.p[a.writable - 1] = BEFORE;
		bad += pmk_clear_user(a.p + off, BYTES - off) !=
		       BYTES - a.writable;
		bad += a.p[a.writable - 1] != 0;
		bad += pmk_clear_user(a.p, PAGE) != 0;
	}
	area_free(&a);
	return (void *)(uintptr_t)bad;
}

static void threads__at_once(void **state)
{
	pthread_t threads[N_THREADS];
	void *bad;

	(void)state;
	assert_int_equal(pthread_barrier_init(&start, NULL, N_THREADS), 0);
	for (uintptr_t i = 0; i < N_THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, fault_often,
						(void *)i),
				 0);
	for (size_t i = 0; i < N_THREADS; i++) {
		assert_int_equal(pthread_join(threads[i], &bad), 0);
		assert_null(bad);
	}
	pthread_barrier_destroy(&start);
}

#ifndef PMK_ASAN
/* AddressSanitizer would look for the shadow of such an address.  Between the
 * halves of the address space the CPU has no address to report;
 * the kernel says EFAULT. */
static void clear_user__addresses_that_no_cpu_accepts(void **state)
{
	static const uintptr_t addrs[] = { (uintptr_t)1 << 63,
					   (uintptr_t)0x900000 << 40 };
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	(void)state;
	assert_true(zero >= 0);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(read(zero, (void *)addrs[i], 100), -1);
		assert_int_equal(pmk_clear_user((void *)addrs[i], 100), 100);
	}
	close(zero);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
#ifndef PMK_ASAN
		cmocka_unit_test(clear_user__addresses_that_no_cpu_accepts),
#endif
		cmocka_unit_test(threads__at_once),
		cmocka_unit_test(facts__cut_off_file),
		cmocka_unit_test(facts__no_access),
		cmocka_unit_test(ends__cut_off_file),
		cmocka_unit_test(ends__no_access),
		cmocka_unit_test(ends__read_only),
		cmocka_unit_test(hole__in_the_middle),
		cmocka_unit_test(kernel__gives_the_same_answer),
		cmocka_unit_test(handler__of_the_application_still_works),
		cmocka_unit_test(nothing__to_clear),
	};

	return cmocka_run_group_tests_name("clear_user", tests, NULL, NULL);
}
