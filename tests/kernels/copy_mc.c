/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmk_copy_mc() up to what cannot be read or written: pages behind the end of a
 * file that was cut off (SIGBUS) and pages without access (SIGSEGV).  What it
 * has to return is known from where these begin.
 *
 * APIs covered: pmk_copy_mc().
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmk/copy.h>

#include "persist/prim.h"

#define PAGE  4096U
#define PAGES 8U
#define BYTES (PAGES * PAGE)
/* Behind the copy, to see that nothing is written there. */
#define CANARY 64U

/* PAGES pages, of which a test takes some away. */
struct area {
	unsigned char *p;
	int fd; /* of a file, or -1 */
};

static unsigned char pattern(size_t i)
{
	return (unsigned char)(i * 31 + (i >> 8) + 1);
}

static struct area area_new(bool file)
{
	struct area a = { NULL, file ? memfd_create("copy_mc", 0) : -1 };

	/* cmocka puts its own handlers over all others, for each test */
	assert_int_equal(pmk_copy_mc(NULL, NULL, 0), 0);
	if (file) {
		assert_true(a.fd >= 0);
		assert_int_equal(ftruncate(a.fd, BYTES), 0);
	}
	a.p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
		   file ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, a.fd, 0);
	assert_ptr_not_equal(a.p, MAP_FAILED);
	for (size_t i = 0; i < BYTES; i++)
		a.p[i] = pattern(i);
	return a;
}

static void area_free(struct area *a)
{
	munmap(a->p, BYTES);
	if (a->fd >= 0)
		close(a->fd);
}

/* From here on nothing can be read or written. */
static void area_cut(const struct area *a, size_t pages)
{
	if (a->fd >= 0)
		assert_int_equal(ftruncate(a->fd, pages * PAGE), 0);
	else
		assert_int_equal(mprotect(a->p + pages * PAGE,
					  BYTES - pages * PAGE, PROT_NONE),
				 0);
}

/* One copy from @off, of which @readable bytes can be read. */
static void expect_copied(const struct area *a, size_t off, size_t len,
			  size_t readable, size_t dst_shift)
{
	static _Alignas(64) unsigned char buf[BYTES + 2 * CANARY];
	unsigned char *dst = buf + dst_shift;
	size_t want = readable < len ? readable : len;

	memset(buf, 0xa5, len + dst_shift + CANARY);
	assert_int_equal(pmk_copy_mc(dst, a->p + off, len), len - want);
	for (size_t i = 0; i < want; i++)
		if (dst[i] != pattern(off + i))
			fail_msg("byte %zu of %zu at %zu", i, len, off);
	for (size_t i = 0; i < CANARY; i++)
		assert_int_equal(dst[len + i], 0xa5);
	for (size_t i = 0; i < dst_shift; i++)
		assert_int_equal(buf[i], 0xa5);
}

static void source_ends(bool file)
{
	static const size_t lens[] = {
		1,  2,  7,  8,  9,   15,  16,   17,   31,   32,      33,
		63, 64, 65, 97, 128, 130, 4095, 4096, 4097, 3 * PAGE
	};
	struct area a = area_new(file);
	size_t end = 4 * PAGE;

	area_cut(&a, 4);
	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++)
		for (size_t before = 0; before <= 140; before++)
			expect_copied(&a, end - before, lens[i], before,
				      before % 9);
	for (size_t off = 0; off < end; off += 509)
		expect_copied(&a, off, BYTES - off, end - off, off % 64);
	area_free(&a);
}

static void source__cut_off_file(void **state)
{
	(void)state;
	source_ends(true);
}

static void source__no_access(void **state)
{
	(void)state;
	source_ends(false);
}

/* Beyond the first page that fails, and beginning in it. */
static void source__hole_in_the_middle(void **state)
{
	struct area a = area_new(false);
	size_t hole = 3 * PAGE;

	(void)state;
	assert_int_equal(mprotect(a.p + hole, PAGE, PROT_NONE), 0);
	expect_copied(&a, 0, BYTES, hole, 0);
	expect_copied(&a, 5, BYTES - 5, hole - 5, 3);
	expect_copied(&a, hole, PAGE, 0, 0);
	expect_copied(&a, hole + PAGE - 1, 2, 0, 0);
	expect_copied(&a, hole + PAGE, 4 * PAGE, 4 * PAGE, 1);
	area_free(&a);
}

static void destination_ends(bool file)
{
	static unsigned char src[BYTES];
	struct area a = area_new(file);
	size_t end = 4 * PAGE;

	for (size_t i = 0; i < BYTES; i++)
		src[i] = (unsigned char)~pattern(i);
	area_cut(&a, 4);
	for (size_t before = 0; before <= 140; before++)
		for (size_t len = before; len < 300; len += 13) {
			memset(a.p + end - 300, 0, 300);
			assert_int_equal(pmk_copy_mc(a.p + end - before,
						     src + before % 7, len),
					 len - before);
			assert_memory_equal(a.p + end - before,
					    src + before % 7, before);
		}
	assert_int_equal(pmk_copy_mc(a.p + 1, src, BYTES - 1),
			 BYTES - 1 - (end - 1));
	assert_memory_equal(a.p + 1, src, end - 1);
	area_free(&a);
}

static void destination__cut_off_file(void **state)
{
	(void)state;
	destination_ends(true);
}

static void destination__no_access(void **state)
{
	(void)state;
	destination_ends(false);
}

static void destination__read_only(void **state)
{
	struct area a = area_new(false);
	char src[100] = "source";

	(void)state;
	assert_int_equal(mprotect(a.p + PAGE, PAGE, PROT_READ), 0);
	assert_int_equal(pmk_copy_mc(a.p + PAGE - 60, src, 100), 40);
	assert_memory_equal(a.p + PAGE - 60, src, 60);
	assert_int_equal(a.p[PAGE], pattern(PAGE));
	area_free(&a);
}

static void nothing__to_copy(void **state)
{
	struct area a = area_new(false);

	(void)state;
	area_cut(&a, 0);
	assert_int_equal(pmk_copy_mc(a.p, a.p + PAGE, 0), 0);
	assert_int_equal(pmk_copy_mc(NULL, NULL, 0), 0);
	area_free(&a);
}

#define N_THREADS 8
#define ROUNDS    300

static pthread_barrier_t start;

/* Faults in all threads at once, the first ones while the handlers are being
 * installed; each has its own boundary. */
static void *fault_often(void *arg)
{
	size_t number = (size_t)(uintptr_t)arg, bad = 0;
	struct area a = area_new(number & 1);
	unsigned char *dst = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	area_cut(&a, 1 + number % 4);
	pthread_barrier_wait(&start);
	for (size_t i = 0; i < ROUNDS; i++) {
		size_t off = i % PAGE, readable = (1 + number % 4) * PAGE - off;

		bad += pmk_copy_mc(dst, a.p + off, BYTES - off) !=
		       BYTES - off - readable;
		bad += memcmp(dst, a.p + off, readable) != 0;
		bad += pmk_copy_mc(dst, a.p, PAGE) != 0;
	}
	munmap(dst, BYTES);
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
 * halves of the address space the CPU has no address to report. */
static void copy_mc__addresses_that_no_cpu_accepts(void **state)
{
	void *addr = (void *)((uintptr_t)1 << 63);
	char buf[100];

	(void)state;
	assert_int_equal(pmk_copy_mc(NULL, NULL, 0), 0);
	assert_int_equal(pmk_copy_mc(buf, addr, 100), 100);
	assert_int_equal(pmk_copy_mc(addr, buf, 100), 100);
	assert_int_equal(pmk_copy_mc(buf, NULL, 100), 100);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
#ifndef PMK_ASAN
		cmocka_unit_test(copy_mc__addresses_that_no_cpu_accepts),
#endif
		cmocka_unit_test(threads__at_once),
		cmocka_unit_test(source__cut_off_file),
		cmocka_unit_test(source__no_access),
		cmocka_unit_test(source__hole_in_the_middle),
		cmocka_unit_test(destination__cut_off_file),
		cmocka_unit_test(destination__no_access),
		cmocka_unit_test(destination__read_only),
		cmocka_unit_test(nothing__to_copy),
	};

	return cmocka_run_group_tests_name("copy_mc", tests, NULL, NULL);
}
