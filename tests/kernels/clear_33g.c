/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranges past 32 GiB, where the clear_user() that Linux had until 5.19 lost
 * count: a loop of 8-byte stores with a 32-bit counter.
 *
 * 33 GiB are 2 MiB of memory, mapped again and again.  That alone would look
 * clear after the first 2 MiB: so every 64 MiB there is a page of its own, a
 * probe, and one at each side of every multiple of 4 GiB and at both ends.  A
 * range is clear if all probes are, and the bytes around it must be as before.
 *
 * APIs covered: pmk_clear(), pmk_clear_by(), pmk_clear_user().
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmk/clear.h>

#define PAGE  4096UL
#define MIB   (1UL << 20)
#define GIB   (1UL << 30)
#define SLOT  (2 * MIB)
#define ROOM  (33 * GIB + SLOT)
#define EVERY (64 * MIB)

#define BEFORE 0xa5

static char *room;
static size_t probes[2 * ROOM / EVERY]; /* offsets of pages, ascending */
static size_t n_probes;

static bool is_probe(size_t page)
{
	/* at both sides of a multiple of 4 GiB, and at the ends of 33 GiB */
	return page % EVERY == 0 || (page + PAGE) % (4 * GIB) == 0 ||
	       page == 33 * GIB - PAGE || page == PAGE;
}

static bool map_at(size_t off, size_t len, int fd, off_t file_off)
{
	return mmap(room + off, len, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_FIXED | MAP_POPULATE, fd,
		    file_off) != MAP_FAILED;
}

/* The first and last pages of a slot are where probes may be. */
static bool map_slot(size_t slot, int body, int own)
{
	static const size_t pages[] = { 0, PAGE, SLOT - PAGE };

	if (!map_at(slot, SLOT, body, 0))
		return false;
	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
		size_t page = slot + pages[i];

		if (!is_probe(page))
			continue;
		if (!map_at(page, PAGE, own, (off_t)(n_probes * PAGE)))
			return false;
		probes[n_probes++] = page;
	}
	return true;
}

/* 0, or 77 if this machine does not let us have that many mappings. */
static int map_room(void)
{
	int body = memfd_create("body", 0), own = memfd_create("probes", 0);
	bool ok = body >= 0 && own >= 0 && !ftruncate(body, (off_t)SLOT) &&
		  !ftruncate(own,
			     sizeof(probes) / sizeof(probes[0]) * (off_t)PAGE);

	/* a page without access behind it */
	room = mmap(NULL, ROOM + PAGE, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	ok = ok && room != MAP_FAILED;
	for (size_t slot = 0; ok && slot < ROOM; slot += SLOT)
		ok = map_slot(slot, body, own);
	if (!ok)
		printf("skipped: cannot map 33 GiB: %s\n", strerror(errno));
	return ok ? 0 : 77;
}

static void make_dirty(void)
{
	memset(room + 2 * SLOT, BEFORE, SLOT);
	for (size_t i = 0; i < n_probes; i++)
		memset(room + probes[i], BEFORE, PAGE);
}

/* Exactly the bytes of the probes that lie in [@start, @end) are zero. */
static void expect_clear(const char *name, size_t start, size_t end)
{
	for (size_t i = 0; i < n_probes; i++) {
		const unsigned char *p = (unsigned char *)room + probes[i];

		for (size_t j = 0; j < PAGE; j++) {
			size_t off = probes[i] + j;
			int want = off < start || off >= end ? BEFORE : 0;

			if (p[j] != want)
				fail_msg("%s: byte %zu of [%zu, %zu) is %#x",
					 name, off, start, end, p[j]);
		}
	}
}

/* Off any boundary at both ends, and ends in probes. */
static const size_t start = 13, end = 33 * GIB - 51;

static void expect_body_clear(const char *name)
{
	const char *body = room + 2 * SLOT;

	for (size_t i = 0; i < SLOT; i++)
		if (body[i])
			fail_msg("%s: byte %zu of what is mapped again and "
				 "again is left",
				 name, i);
}

static void variants__clear_all(void **state)
{
	(void)state;
	for (unsigned int i = 0; pmk_clear_variant_name(i); i++) {
		const char *name = pmk_clear_variant_name(i);
		int rc;

		make_dirty();
		rc = pmk_clear_by(i, room + start, end - start);
		if (rc == -EOPNOTSUPP)
			continue;
		assert_int_equal(rc, 0);
		expect_clear(name, start, end);
		expect_body_clear(name);
	}
}

static void clear__clears_all(void **state)
{
	static const unsigned int flags[] = { 0, PMK_F_NONTEMPORAL,
					      PMK_F_TEMPORAL };

	(void)state;
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		make_dirty();
		assert_ptr_equal(pmk_clear(room + start, end - start, flags[i]),
				 room + start);
		expect_clear("pmk_clear", start, end);
		expect_body_clear("pmk_clear");
	}
}

/* Up to the page without access. */
static void clear_user__counts_past_32_gib(void **state)
{
	(void)state;
	assert_int_equal(pmk_clear_user(NULL, 0),
			 0); /* handlers to the front */
	make_dirty();
	assert_int_equal(pmk_clear_user(room + start, ROOM + PAGE - start),
			 PAGE);
	expect_clear("pmk_clear_user", start, ROOM);
	expect_body_clear("pmk_clear_user");
}

/* clear_user() of Linux up to 5.19, in what it does: DEC of ECX, not RCX. */
static size_t old_clear_user(char *dst, size_t len)
{
	size_t words = len / 8;

	if (words)
		__asm__ volatile("1:	movq	$0, (%[dst])\n"
				 "	add	$8, %[dst]\n"
				 "	decl	%k[words]\n"
				 "	jnz	1b"
				 : [dst] "+r"(dst), [words] "+r"(words)
				 :
				 : "memory", "cc");
	for (size_t i = 0; i < len % 8; i++)
		((volatile char *)dst)[i] = 0;
	return 0;
}

/* What the bug left: the probes know, and so would these tests. */
static void old_loop__reports_success_and_leaves_dirt(void **state)
{
	(void)state;
	make_dirty();
	assert_int_equal(old_clear_user(room, 32 * GIB + 8), 0);
	expect_clear("old loop, 32 GiB + 8", 0, 8);
	make_dirty();
	assert_int_equal(old_clear_user(room, 32 * GIB + 4096 + 5), 0);
	expect_clear("old loop, 32 GiB + 4096 + 5", 0, 4096 + 5);
	make_dirty();
	assert_int_equal(old_clear_user(room, 33 * GIB), 0);
	expect_clear("old loop, 33 GiB", 0, GIB);
}

/* It was right up to here: the model is that loop and no caricature. */
static void old_loop__is_right_up_to_32_gib(void **state)
{
	(void)state;
	make_dirty();
	assert_int_equal(old_clear_user(room, 32 * GIB), 0);
	expect_clear("old loop, 32 GiB", 0, 32 * GIB);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(old_loop__reports_success_and_leaves_dirt),
		cmocka_unit_test(old_loop__is_right_up_to_32_gib),
		cmocka_unit_test(variants__clear_all),
		cmocka_unit_test(clear__clears_all),
		cmocka_unit_test(clear_user__counts_past_32_gib),
	};
	int status = map_room();

	return status ? status : cmocka_run_group_tests(tests, NULL, NULL);
}
