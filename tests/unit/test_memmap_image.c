/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checker and decoder on struct pages that a real kernel wrote.
 *
 * Covered: pmk_memmap_verify(), pmk_memmap_decode().
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"
#include "memmap_image.h"

static int print_fault(void *arg, const struct pmk_memmap_fault *f)
{
	unsigned int *left = arg;

	if (*left) {
		(*left)--;
		print_error("frame %llu: %s is %#llx, not %#llx\n",
			    (unsigned long long)f->frame, f->field,
			    (unsigned long long)f->found,
			    (unsigned long long)f->expected);
	}
	return 0;
}

static int64_t faults(const struct pmk_memmap_sim *sim, const void *pages,
		      int untouched)
{
	unsigned int left = 5;

	return pmk_memmap_verify(sim, 0, IMAGE_FRAMES, pages, untouched,
				 print_fault, &left);
}

/* By the rules of its own kernel, and of those that differ from it in page
 * blocks only, which are elsewhere. */
static void image__has_no_fault(void **state)
{
	(void)state;
	for (size_t i = 0; i < IMAGE_COUNT; i++) {
		struct pmk_memmap_sim sim = images[i].sim;

		assert_int_equal(faults(&sim, images[i].pages, 0), 0);
		assert_int_equal(faults(&sim, images[i].pages, -1), 0);
		if (strcmp(images[i].kernel, "6.1.192"))
			continue;
		sim.ns.kernel = (unsigned int)pmk_memmap_kernel("6.1");
		assert_int_equal(faults(&sim, images[i].pages, 0), 0);
	}
}

static int64_t count(const struct pmk_memmap_sim *sim, const void *pages)
{
	return pmk_memmap_verify(sim, 0, IMAGE_FRAMES, pages, 0, NULL, NULL);
}

/* Each is one wrong parameter, and how many fields are then wrong:
 * 257536 data pages, 4606 that hold the memmap, 503 compounds. */
static void image__of_something_else_is_wrong(void **state)
{
	struct pmk_memmap_sim devdax = images[IMAGE_DEVDAX].sim;
	struct pmk_memmap_sim fsdax = images[IMAGE_FSDAX].sim;
	const void *dev_pages = images[IMAGE_DEVDAX].pages;
	const void *fs_pages = images[IMAGE_FSDAX].pages;

	(void)state;
	fsdax.pgmap += 8;
	assert_int_equal(count(&fsdax, fs_pages), 257536);
	fsdax = images[IMAGE_FSDAX].sim;
	fsdax.nid = 1;
	assert_int_equal(count(&fsdax, fs_pages), 257536 + 4606);
	/* PG_reserved is another bit: one field has it, another lacks it */
	fsdax = images[IMAGE_FSDAX].sim;
	fsdax.ns.kernel = (unsigned int)pmk_memmap_kernel("6.12");
	assert_int_equal(count(&fsdax, fs_pages), 2 * (257536 + 4606));
	/* a head has a flag too many; of a tail, link, mapping and count are
	 * wrong, and of tail 1 the word between, too */
	devdax.ns.mode = PMK_MODE_FSDAX;
	assert_int_equal(count(&devdax, dev_pages), 503 * (1 + 511 * 3 + 1));
	/* nobody wrote frames 0 and 1: eight words each */
	devdax = images[IMAGE_DEVDAX].sim;
	assert_int_equal(
		pmk_memmap_verify(&devdax, 0, 8, dev_pages, 0xff, NULL, NULL),
		16);
}

struct decoded {
	size_t image;
	uint64_t frame;
	uint64_t flags;
	bool head, tail;
	uint64_t link;
	uint64_t head_page;
	int32_t mapcount, refcount;
};

static const struct decoded decoded[] = {
	{ IMAGE_FSDAX, 2, 0x0027ffffc0001000, false, false, 0xffffea0005000088,
	  0, -1, 1 },
	{ IMAGE_FSDAX, 4608, 0x0027ffffc0001000, false, false,
	  0xffff8880045386b0, 0, -1, 1 },
	{ IMAGE_FSDAX, 262143, 0x0027ffffc0001000, false, false,
	  0xffff8880045386b0, 0, -1, 1 },
	{ IMAGE_DEVDAX, 4608, 0x0027ffffc0011000, true, false,
	  0xffff88803ff6f180, 0, -1, 1 },
	{ IMAGE_DEVDAX, 4609, 0x0027ffffc0001000, false, true,
	  0xffffea0004048001, 0xffffea0004048000, -1, 0 },
	{ IMAGE_DEVDAX, 5119, 0x0027ffffc0001000, false, true,
	  0xffffea0004048001, 0xffffea0004048000, -1, 0 },
};

static void decode__reads_what_the_kernel_wrote(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(decoded); i++) {
		const struct decoded *d = &decoded[i];
		const struct memmap_image *im = &images[d->image];
		struct pmk_memmap_page_info info;

		memset(&info, 0x5a, sizeof(info));
		assert_int_equal(
			pmk_memmap_decode(&im->sim,
					  im->sim.ns.start / 4096 + d->frame,
					  im->pages + 64 * d->frame, &info),
			0);
		assert_int_equal(info.flags, d->flags);
		assert_int_equal(info.nid, 0);
		assert_int_equal(info.zone, 4);
		assert_int_equal(info.section, 0);
		assert_true(info.reserved);
		assert_int_equal(info.head, d->head);
		assert_int_equal(info.tail, d->tail);
		assert_int_equal(info.link, d->link);
		assert_int_equal(info.head_page, d->head_page);
		assert_int_equal(info.mapcount, d->mapcount);
		assert_int_equal(info.refcount, d->refcount);
		assert_memory_equal(info.word, im->pages + 64 * d->frame, 64);
		assert_true(pmk_is_zero(info.word + 8, 32));
	}
}

/* The info block's frame: a struct page that nobody initialised. */
static void decode__zeros(void **state)
{
	const struct memmap_image *im = &images[IMAGE_FSDAX];
	struct pmk_memmap_page_info info;

	(void)state;
	memset(&info, 0x5a, sizeof(info));
	assert_int_equal(
		pmk_memmap_decode(&im->sim, 0x140000, im->pages, &info), 0);
	assert_int_equal(info.zone, 0);
	assert_false(info.reserved || info.head || info.tail);
	assert_int_equal(info.refcount, 0);
	assert_true(pmk_is_zero(info.word, sizeof(info.word)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(image__has_no_fault),
		cmocka_unit_test(image__of_something_else_is_wrong),
		cmocka_unit_test(decode__reads_what_the_kernel_wrote),
		cmocka_unit_test(decode__zeros),
	};

	return cmocka_run_group_tests(tests, images_load, images_free);
}
