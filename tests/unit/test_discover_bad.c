/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Discovery on trees that no kernel makes: nothing crashes or hangs, and what
 * cannot be understood is unknown, for a reason, and never a number.
 *
 * APIs covered: pmk_discover().
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/util.h"
#include "discover_fixture.h"

/* A bus with a region, of which each test spoils something. */
static const char good[] =
	"l bus/nd/devices/ndbus0 ../../../devices/ndbus0\n"
	"l bus/nd/devices/nmem0 ../../../devices/ndbus0/nmem0\n"
	"l bus/nd/devices/nmem1 ../../../devices/ndbus0/nmem1\n"
	"l bus/nd/devices/region0 ../../../devices/ndbus0/region0\n"
	"l bus/nd/devices/namespace0.0 "
	"../../../devices/ndbus0/region0/namespace0.0\n"
	"d devices/ndbus0/nmem0\n"
	"f devices/ndbus0/nmem0/nfit/dirty_shutdown 1\\n\n"
	"f devices/ndbus0/nmem1/nfit/dirty_shutdown 1\\n\n"
	"f devices/ndbus0/region0/size 1073741824\\n\n"
	"f devices/ndbus0/region0/resource 0x100000000\\n\n"
	"f devices/ndbus0/region0/numa_node 0\\n\n"
	"f devices/ndbus0/region0/read_only 0\\n\n"
	"f devices/ndbus0/region0/devtype nd_pmem\\n\n"
	"f devices/ndbus0/region0/persistence_domain cpu_cache\\n\n"
	"f devices/ndbus0/region0/badblocks\n"
	"f devices/ndbus0/region0/mappings 2\\n\n"
	"f devices/ndbus0/region0/mapping0 nmem0,0,536870912,0\\n\n"
	"f devices/ndbus0/region0/mapping1 nmem1,0,536870912,1\\n\n"
	"f devices/ndbus0/region0/namespace0.0/size 1073741824\\n\n"
	"f devices/ndbus0/region0/namespace0.0/resource 0x100000000\\n\n"
	"f devices/ndbus0/region0/namespace0.0/holder \\n\n"
	"f devices/ndbus0/region0/namespace0.0/mode raw\\n\n"
	"l devices/ndbus0/region0/namespace0.0/driver "
	"../../../../bus/nd/drivers/nd_pmem\n"
	"f devices/ndbus0/region0/namespace0.0/block/pmem0/size 2097152\\n\n"
	"f devices/ndbus0/region0/namespace0.0/block/pmem0/badblocks\n";

#define REGION "devices/ndbus0/region0"
#define NS     REGION "/namespace0.0"

static int setup(void **state)
{
	int rc = discover_setup(state);

	if (!rc)
		discover_load(good, strlen(good));
	return rc;
}

/* Take away whatever is at a path of the tree. */
static void drop(const char *path)
{
	char full[512];

	snprintf(full, sizeof(full), "%s/%s", discover_root, path);
	assert_int_equal(remove(full), 0);
}

static void good__is_understood(void **state)
{
	struct pmk_inventory *inv = discover_look();
	const struct pmk_region *r = discover_region(inv, "region0");
	const struct pmk_dev *d = discover_dev(inv, "namespace0.0");

	(void)state;
	assert_fact(r->size, 1 << 30);
	assert_fact(r->dirty_shutdowns, 2);
	assert_fact(r->badblocks.count, 0);
	assert_int_equal(r->domain, PMK_DOMAIN_CPU_CACHE);
	assert_fact(d->size, 1 << 30);
	assert_int_equal(d->mode, PMK_MODE_RAW);
	assert_string_equal(d->blockdev, "pmem0");
	assert_int_equal(discover_messages, 0);
	pmk_inventory_free(inv);
}

/* A manifest line's worth of nonsense in place of region0/size. */
static void numbers__or_unknown(void **state)
{
	static const char *const lines[] = {
		"f " REGION "/size",
		"f " REGION "/size \\n",
		"f " REGION "/size abc\\n",
		"f " REGION "/size -1\\n",
		"f " REGION "/size +1\\n",
		"f " REGION "/size  1\\n",
		"f " REGION "/size 1 \\n",
		"f " REGION "/size 1\\n2\\n",
		"f " REGION "/size 1\\000\\n",
		"f " REGION "/size \\0001\\n",
		"f " REGION "/size 0x\\n",
		"f " REGION "/size 0x1g\\n",
		"f " REGION "/size 1e9\\n",
		"f " REGION "/size 1.5\\n",
		"f " REGION "/size \\377\\376\\n",
		"f " REGION "/size 18446744073709551616\\n",
		"f " REGION "/size 0x10000000000000000\\n",
		"f " REGION "/size 11111111111111111111111111111111111111\\n",
		"p " REGION "/size",
		"l " REGION "/size /" REGION "/mappings",
		"l " REGION "/size size",
		"l " REGION "/size nothing",
		"l " REGION "/size ../../../../../../../../dev/zero",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct pmk_inventory *inv;

		discover_add("%s\n", lines[i]);
		inv = discover_look();
		assert_unknown(discover_region(inv, "region0")->size);
		pmk_inventory_free(inv);
	}
	drop(REGION "/size");
	discover_add("e " REGION "/size\n");
	pmk_inventory_free(discover_look());
}

static void huge_file__is_unknown(void **state)
{
	struct pmk_inventory *inv;
	char path[128];
	FILE *f;

	(void)state;
	snprintf(path, sizeof(path), "%s/" REGION "/devtype", discover_root);
	f = fopen(path, "w");
	assert_non_null(f);
	for (int i = 0; i < 1000000; i++)
		fputs("nd_pmem ", f);
	assert_int_equal(fclose(f), 0);
	inv = discover_look();
	assert_non_null(discover_region(inv, "region0")->type.unknown);
	pmk_inventory_free(inv);
}

static void words__or_unknown(void **state)
{
	static const char *const types[] = { "",
					     "\\n",
					     "pmem\\n",
					     "nd_\\n",
					     "nd_\\000pmem\\n",
					     "nd_\\033[1m\\n",
					     "nd_\\377\\n" };
	static const char *const domains[] = { "", "\\n", "bogus\\n",
					       "cpu_cache\\ncpu_cache\\n",
					       "cpu_cache\\000\\n" };
	struct pmk_inventory *inv;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		discover_add("f " REGION "/devtype %s\n", types[i]);
		inv = discover_look();
		assert_non_null(discover_region(inv, "region0")->type.unknown);
		pmk_inventory_free(inv);
	}
	for (size_t i = 0; i < ARRAY_SIZE(domains); i++) {
		const struct pmk_region *r;

		discover_add("f " REGION "/persistence_domain %s\n",
			     domains[i]);
		inv = discover_look();
		r = discover_region(inv, "region0");
		assert_int_equal(r->domain, PMK_DOMAIN_UNKNOWN);
		assert_non_null(r->domain_unknown);
		assert_true(*r->domain_unknown != '\0');
		pmk_inventory_free(inv);
	}
	discover_add("f " REGION "/read_only 2\\n\n");
	inv = discover_look();
	assert_unknown(discover_region(inv, "region0")->read_only);
	pmk_inventory_free(inv);
}

static void mappings__or_unknown(void **state)
{
	static const char *const lines[] = {
		"f " REGION "/mappings 3\\n",
		"f " REGION "/mappings 4294967297\\n",
		"f " REGION "/mappings 18446744073709551615\\n",
		"f " REGION "/mappings 2\\n\nf " REGION "/mapping1 nmem1,0\\n",
		"f " REGION "/mapping1 ../etc,0,1,0\\n",
		"f " REGION "/mapping1 ,0,1,0\\n",
		"p " REGION "/mapping1",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct pmk_inventory *inv;
		const struct pmk_region *r;

		discover_add("%s\n", lines[i]);
		inv = discover_look();
		r = discover_region(inv, "region0");
		assert_unknown(r->n_mappings);
		assert_null(r->mappings);
		assert_unknown(r->dirty_shutdowns);
		pmk_inventory_free(inv);
	}
}

static void dirty__missing_dimm_and_overflow(void **state)
{
	struct pmk_inventory *inv;

	(void)state;
	discover_add("f devices/ndbus0/nmem0/nfit/dirty_shutdown "
		     "18446744073709551615\\n\n");
	inv = discover_look();
	assert_unknown(discover_region(inv, "region0")->dirty_shutdowns);
	pmk_inventory_free(inv);
	discover_add("f " REGION "/mapping0 nmem7,0,1,0\\n\n");
	inv = discover_look();
	assert_unknown(discover_region(inv, "region0")->dirty_shutdowns);
	pmk_inventory_free(inv);
}

static void expect_bad(const char *content, bool known, uint64_t count,
		       size_t n_extents)
{
	const struct pmk_badblocks *b;
	struct pmk_inventory *inv;

	discover_add("f " NS "/block/pmem0/badblocks %s\n", content);
	inv = discover_look();
	b = &discover_dev(inv, "namespace0.0")->badblocks;
	if (known)
		assert_fact(b->count, count);
	else
		assert_unknown(b->count);
	assert_int_equal(b->n_extents, n_extents);
	pmk_inventory_free(inv);
}

static void badblocks__or_unknown(void **state)
{
	(void)state;
	expect_bad("", true, 0, 0);
	expect_bad("\\n", true, 0, 0);
	expect_bad("8 4\\n", true, 4, 1);
	expect_bad("8 4\\n12 1\\n", true, 5, 2);
	/* cut off: the last number may be part of one */
	expect_bad("8 4\\n12 1", false, 0, 1);
	expect_bad("8\\n", false, 0, 0);
	expect_bad("8 4 1\\n", false, 0, 0);
	expect_bad("8 0\\n", false, 0, 0);
	expect_bad("-8 4\\n", false, 0, 0);
	expect_bad("8 4\\n9 4\\n", false, 0, 0);
	expect_bad("8 4\\n2 1\\n", false, 0, 0);
	expect_bad("0x8 4\\n", false, 0, 0);
	expect_bad("36028797018963968 1\\n", false, 0, 0);
	expect_bad("18446744073709551615 1\\n", false, 0, 0);
	expect_bad("18446744073709551616 1\\n", false, 0, 0);
	expect_bad("8 \\0004\\n", false, 0, 0);
	/* the last that there can be */
	expect_bad("36028797018963966 1\\n", true, 1, 1);
}

static void badblocks__million_lines(void **state)
{
	struct pmk_inventory *inv;
	char path[128];
	FILE *f;

	(void)state;
	snprintf(path, sizeof(path), "%s/" NS "/block/pmem0/badblocks",
		 discover_root);
	f = fopen(path, "w");
	assert_non_null(f);
	for (int i = 0; i < 1000000; i++)
		fprintf(f, "%d 1\n", 2 * i);
	assert_int_equal(fclose(f), 0);
	inv = discover_look();
	assert_unknown(discover_dev(inv, "namespace0.0")->badblocks.count);
	pmk_inventory_free(inv);
}

/* A full page of complete lines: the next may be missing. */
static void badblocks__page_is_full(void **state)
{
	const struct pmk_badblocks *b;
	struct pmk_inventory *inv;
	char path[128];
	FILE *f;

	(void)state;
	snprintf(path, sizeof(path), "%s/" REGION "/badblocks", discover_root);
	f = fopen(path, "w");
	assert_non_null(f);
	/* 315 lines of 13 bytes */
	for (int i = 0; i < 315; i++)
		fprintf(f, "1%06d 1000\n", i * 1000);
	assert_int_equal(ftell(f), 4095);
	assert_int_equal(fclose(f), 0);
	inv = discover_look();
	b = &discover_region(inv, "region0")->badblocks;
	assert_unknown(b->count);
	assert_int_equal(b->n_extents, 315);
	/* what lies in the namespace is a part of an incomplete list, too */
	pmk_inventory_free(inv);
	drop(NS "/block/pmem0/size");
	drop(NS "/block/pmem0/badblocks");
	drop(NS "/block/pmem0");
	inv = discover_look();
	b = &discover_dev(inv, "namespace0.0")->badblocks;
	assert_unknown(b->count);
	assert_true(b->n_extents > 0);
	pmk_inventory_free(inv);
}

static void badblocks__device_outside_its_region(void **state)
{
	static const char *const places[] = { "0xfffffffff", "0x0",
					      "18446744073709551615" };

	(void)state;
	drop(NS "/block/pmem0/size");
	drop(NS "/block/pmem0/badblocks");
	drop(NS "/block/pmem0");
	discover_add("f " REGION "/badblocks 8 4\\n\n"
		     "f " NS "/size 18446744073709551615\\n\n");
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		const struct pmk_badblocks *b;
		struct pmk_inventory *inv;

		discover_add("f " NS "/resource %s\\n\n", places[i]);
		inv = discover_look();
		b = &discover_dev(inv, "namespace0.0")->badblocks;
		assert_int_equal(b->n_extents, 0);
		assert_true(b->count.value == 0);
		pmk_inventory_free(inv);
	}
}

static void block__size_overflows(void **state)
{
	struct pmk_inventory *inv;

	(void)state;
	discover_add("f " NS "/block/pmem0/size 36028797018963968\\n\n");
	inv = discover_look();
	assert_unknown(discover_dev(inv, "namespace0.0")->size);
	pmk_inventory_free(inv);
}

static void block__odd_names(void **state)
{
	struct pmk_inventory *inv;

	(void)state;
	drop(NS "/block/pmem0/size");
	drop(NS "/block/pmem0/badblocks");
	drop(NS "/block/pmem0");
	discover_add("d " NS "/block/\\033[31m\nd " NS "/block/\\377\n");
	inv = discover_look();
	assert_string_equal(discover_dev(inv, "namespace0.0")->blockdev, "");
	assert_fact(discover_dev(inv, "namespace0.0")->size, 1 << 30);
	pmk_inventory_free(inv);
}

/* What holds a namespace must be of its region, and hold it alone. */
static void holders__that_cannot_be(void **state)
{
	static const char *const holders[] = { "pfn1.0",  "namespace0.0",
					       "region0", "../region0",
					       "pfn9.9",  "\\377" };

	(void)state;
	discover_add(
		"l bus/nd/devices/region1 ../../../devices/ndbus0/region1\n"
		"l bus/nd/devices/pfn1.0 "
		"../../../devices/ndbus0/region1/pfn1.0\n"
		"d devices/ndbus0/region1/pfn1.0/block/pmem9\n");
	for (size_t i = 0; i < ARRAY_SIZE(holders); i++) {
		struct pmk_inventory *inv;

		discover_add("f " NS "/holder %s\\n\n", holders[i]);
		inv = discover_look();
		assert_string_equal(discover_dev(inv, "namespace0.0")->blockdev,
				    "pmem0");
		pmk_inventory_free(inv);
	}
	discover_add("l bus/nd/devices/namespace0.1 "
		     "../../../devices/ndbus0/region0/namespace0.1\n"
		     "l bus/nd/devices/pfn0.0 "
		     "../../../devices/ndbus0/region0/pfn0.0\n"
		     "d " REGION "/pfn0.0/block/pmem0\n"
		     "f " NS "/holder pfn0.0\\n\n"
		     "f " REGION "/namespace0.1/holder pfn0.0\\n\n"
		     "f " REGION "/namespace0.1/size 4096\\n\n");
	{
		struct pmk_inventory *inv = discover_look();

		assert_string_equal(discover_dev(inv, "namespace0.0")->blockdev,
				    "pmem0");
		assert_string_equal(discover_dev(inv, "namespace0.1")->blockdev,
				    "");
		pmk_inventory_free(inv);
	}
}

static void links__that_lead_nowhere(void **state)
{
	struct pmk_inventory *inv;

	(void)state;
	discover_add("l bus/nd/devices/region1 region1\n"
		     "l bus/nd/devices/region2 region3\n"
		     "l bus/nd/devices/region3 region2\n"
		     "l bus/nd/devices/region4 ../../../devices/gone\n");
	inv = discover_look();
	assert_null(pmk_inventory_region(inv, 1));
	/* the link is there, the device is not: so a part is hidden */
	assert_int_equal(discover_messages, 3);
	assert_int_equal(pmk_inventory_view(inv, PMK_BUS_ND)->state,
			 PMK_VIEW_HIDDEN);
	assert_int_equal(pmk_inventory_view(inv, PMK_BUS_DAX)->state,
			 PMK_VIEW_SEEN);
	pmk_inventory_free(inv);
}

static void links__that_lead_out_of_the_tree(void **state)
{
	struct pmk_inventory *inv;
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/bus/nd/devices/region1",
		 discover_root);
	assert_int_equal(symlink("/etc", path), 0);
	snprintf(path, sizeof(path), "%s/bus/nd/devices/region2",
		 discover_root);
	assert_int_equal(symlink(discover_root, path), 0);
	inv = discover_look();
	assert_null(pmk_inventory_region(inv, 1));
	assert_int_equal(discover_messages, 2);
	pmk_inventory_free(inv);
}

static void names__that_are_none(void **state)
{
	struct pmk_inventory *inv;
	char digits[241];

	(void)state;
	memset(digits, '9', 240);
	digits[240] = '\0';
	discover_add("d bus/nd/devices/region\nd bus/nd/devices/region-1\n"
		     "d bus/nd/devices/region1\\040\n"
		     "d bus/nd/devices/\\033[2Jregion7\n"
		     "d bus/dax/devices/dax0\nd bus/dax/devices/null\n"
		     "d bus/nd/devices/region%s\nf bus/nd/devices/region5 x\n"
		     "p bus/nd/devices/region6\n",
		     digits);
	inv = discover_look();
	assert_string_equal(pmk_inventory_region(inv, 0)->name, "region0");
	/* no directories: nothing in them can be read */
	assert_unknown(discover_region(inv, "region5")->size);
	assert_unknown(discover_region(inv, "region6")->size);
	assert_int_equal(strlen(pmk_inventory_region(inv, 3)->name), 246);
	assert_null(pmk_inventory_region(inv, 4));
	assert_null(pmk_inventory_dev(inv, 1));
	pmk_inventory_free(inv);
}

static void one_directory_with_two_names(void **state)
{
	struct pmk_inventory *inv;

	(void)state;
	discover_add("l bus/nd/devices/namespace0.1 "
		     "../../../devices/ndbus0/region0/namespace0.0\n"
		     "l bus/dax/devices/dax0.0 "
		     "../../../devices/ndbus0/region0/namespace0.0\n");
	inv = discover_look();
	assert_non_null(pmk_inventory_dev(inv, 0));
	assert_null(pmk_inventory_dev(inv, 1));
	pmk_inventory_free(inv);
}

static void ten_thousand_devices(void **state)
{
	const struct pmk_dev *d, *last = NULL;
	struct pmk_inventory *inv;
	size_t i;

	(void)state;
	for (int n = 0; n < 10000; n++)
		discover_add("d " REGION "/namespace1.%d\n"
			     "l bus/nd/devices/namespace1.%d ../../../" REGION
			     "/namespace1.%d\n",
			     n, n, n);
	inv = discover_look();
	for (i = 0; (d = pmk_inventory_dev(inv, i)); i++) {
		if (last)
			assert_true(strlen(last->name_space) <
					    strlen(d->name_space) ||
				    strcmp(last->name_space, d->name_space) <
					    0);
		last = d;
	}
	assert_int_equal(i, 10001);
	assert_string_equal(last->name_space, "namespace1.9999");
	pmk_inventory_free(inv);
}

#define TREE_TEST(f) \
	cmocka_unit_test_setup_teardown(f, setup, discover_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TREE_TEST(good__is_understood),
		TREE_TEST(numbers__or_unknown),
		TREE_TEST(huge_file__is_unknown),
		TREE_TEST(words__or_unknown),
		TREE_TEST(mappings__or_unknown),
		TREE_TEST(dirty__missing_dimm_and_overflow),
		TREE_TEST(badblocks__or_unknown),
		TREE_TEST(badblocks__million_lines),
		TREE_TEST(badblocks__page_is_full),
		TREE_TEST(badblocks__device_outside_its_region),
		TREE_TEST(block__size_overflows),
		TREE_TEST(block__odd_names),
		TREE_TEST(holders__that_cannot_be),
		TREE_TEST(links__that_lead_nowhere),
		TREE_TEST(links__that_lead_out_of_the_tree),
		TREE_TEST(names__that_are_none),
		TREE_TEST(one_directory_with_two_names),
		TREE_TEST(ten_thousand_devices),
	};

	return cmocka_run_group_tests_name("discover_bad", tests, NULL, NULL);
}
