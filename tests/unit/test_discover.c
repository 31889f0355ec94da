/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Discovery on trees of sysfs: captured in guests, where ndctl said the same,
 * and written by hand.  tests/cli/list.bats compares all fields.
 *
 * APIs covered: pmk_discover(), pmk_inventory_free(), pmk_inventory_bus(),
 * pmk_inventory_dimm(), pmk_inventory_region(), pmk_inventory_dax_region(),
 * pmk_inventory_dev(), pmk_inventory_view(), pmk_mode_name().
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "discover_fixture.h"

EMBED_MANIFEST(guest_modes, "guest-modes.txt");
EMBED_MANIFEST(guest_disabled, "guest-disabled.txt");
EMBED_MANIFEST(guest_mixed, "guest-mixed.txt");
EMBED_MANIFEST(interleaved, "interleaved.txt");
EMBED_MANIFEST(dax_only, "dax-only.txt");

#define MIB ((uint64_t)1 << 20)

#define LOAD(name) discover_load(name, (size_t)(name##_end - name))

static void params__checked(void **state)
{
	struct pmk_inventory *inv = NULL;
	struct pmk_discover_params p = { .sysfs_root = discover_root };

	(void)state;
	assert_int_equal(pmk_discover(&p, NULL), -EINVAL);
	p.flags = 2;
	assert_int_equal(pmk_discover(&p, &inv), -EINVAL);
	p.flags = 0;
	p.reserved32 = 1;
	assert_int_equal(pmk_discover(&p, &inv), -EINVAL);
	p.reserved32 = 0;
	p.reserved[5] = 1;
	assert_int_equal(pmk_discover(&p, &inv), -EINVAL);
	p.reserved[5] = 0;
	p.sysfs_root = "/nowhere/at/all";
	assert_int_equal(pmk_discover(&p, &inv), -ENOENT);
	p.sysfs_root = "/dev/null";
	assert_int_equal(pmk_discover(&p, &inv), -ENOTDIR);
	assert_null(inv);
	pmk_inventory_free(NULL);
}

/* Whatever this machine has: with the libraries and without them. */
static void this_machine(void **state)
{
	struct pmk_discover_params p = { .flags = PMK_DISCOVER_SYSFS_ONLY };
	struct pmk_inventory *inv, *plain;
	const struct pmk_dev *d;
	size_t i;

	(void)state;
	assert_int_equal(pmk_discover(NULL, &inv), 0);
	assert_int_equal(pmk_discover(&p, &plain), 0);
	for (i = 0; (d = pmk_inventory_dev(inv, i)); i++) {
		const struct pmk_dev *e = pmk_inventory_dev(plain, i);

		assert_string_equal(d->name_space, e->name_space);
		assert_string_equal(d->chardev, e->chardev);
		assert_int_equal(d->size.value, e->size.value);
	}
	assert_null(pmk_inventory_dev(plain, i));
	pmk_inventory_free(inv);
	pmk_inventory_free(plain);
}

static void empty__nothing_and_seen(void **state)
{
	struct pmk_inventory *inv = discover_look();

	(void)state;
	assert_null(pmk_inventory_bus(inv, 0));
	assert_null(pmk_inventory_dimm(inv, 0));
	assert_null(pmk_inventory_region(inv, 0));
	assert_null(pmk_inventory_dax_region(inv, 0));
	assert_null(pmk_inventory_dev(inv, 0));
	assert_int_equal(pmk_inventory_view(inv, PMK_BUS_ND)->state,
			 PMK_VIEW_SEEN);
	assert_string_equal(pmk_inventory_view(inv, PMK_BUS_DAX)->reason, "");
	assert_int_equal(discover_messages, 0);
	pmk_inventory_free(inv);
}

static void modes__as_the_kernel_has_them(void **state)
{
	static const struct {
		const char *name, *node, *map;
		enum pmk_mode mode;
		uint64_t size, ns_size, sector_size;
	} want[] = {
		{ "namespace0.0", "pmem0", "dev", PMK_MODE_FSDAX, 124 * MIB,
		  128 * MIB, 512 },
		{ "namespace0.1", "pmem0.1s", "", PMK_MODE_SECTOR, 133005312,
		  128 * MIB, 4096 },
		{ "namespace0.2", "pmem0.2", "", PMK_MODE_RAW, 64 * MIB,
		  64 * MIB, 512 },
		{ "namespace0.3", "pmem0.3", "mem", PMK_MODE_FSDAX, 62 * MIB,
		  64 * MIB, 512 },
		{ "namespace1.0", "dax1.0", "mem", PMK_MODE_DEVDAX, 126 * MIB,
		  128 * MIB, 0 },
		{ "namespace1.1", "dax1.1", "dev", PMK_MODE_DEVDAX, 250 * MIB,
		  256 * MIB, 0 },
	};
	struct pmk_inventory *inv;
	size_t n = sizeof(want) / sizeof(want[0]);

	(void)state;
	LOAD(guest_modes);
	inv = discover_look();
	for (size_t i = 0; i < n; i++) {
		const struct pmk_dev *d = pmk_inventory_dev(inv, i);

		assert_string_equal(d->name_space, want[i].name);
		assert_string_equal(*d->chardev ? d->chardev : d->blockdev,
				    want[i].node);
		assert_true(d->enabled);
		assert_int_equal(d->mode, want[i].mode);
		assert_null(d->mode_unknown);
		assert_string_equal(d->map.value, want[i].map);
		assert_int_equal(!*want[i].map, d->map.unknown != NULL);
		assert_fact(d->size, want[i].size);
		assert_fact(d->namespace_size, want[i].ns_size);
		assert_int_equal(d->sector_size.value, want[i].sector_size);
		assert_int_equal(d->domain, PMK_DOMAIN_MEMORY_CONTROLLER);
		assert_fact(d->badblocks.count, i ? 0 : 4);
		assert_unknown(d->dirty_shutdowns);
	}
	assert_null(pmk_inventory_dev(inv, n));
	assert_int_equal(discover_messages, 0);
	pmk_inventory_free(inv);
}

static void disabled__mode_only_from_a_label(void **state)
{
	struct pmk_inventory *inv;
	const struct pmk_dev *d;

	(void)state;
	LOAD(guest_disabled);
	inv = discover_look();
	d = discover_dev(inv, "namespace0.0");
	assert_false(d->enabled);
	assert_string_equal(d->blockdev, "");
	assert_fact(d->size, 128 * MIB);
	/* "raw" is what the kernel's mode says of it */
	assert_int_equal(d->mode, PMK_MODE_FSDAX);
	assert_int_equal(discover_dev(inv, "namespace0.1")->mode,
			 PMK_MODE_SECTOR);
	d = discover_dev(inv, "dax1.0");
	assert_false(d->enabled);
	assert_int_equal(d->mode, PMK_MODE_DEVDAX);
	d = discover_dev(inv, "dax1.1");
	assert_true(d->enabled);
	assert_int_equal(d->mode, PMK_MODE_SYSTEM_RAM);
	assert_unknown(d->online_blocks);
	pmk_inventory_free(inv);
}

static void buses__without_dimms(void **state)
{
	static const char *const providers[] = { "ACPI.NFIT", "virtio-pmem",
						 "e820" };
	struct pmk_inventory *inv;
	const struct pmk_dev *d;

	(void)state;
	LOAD(guest_mixed);
	inv = discover_look();
	for (size_t i = 0; i < 3; i++)
		assert_string_equal(pmk_inventory_bus(inv, i)->provider.value,
				    providers[i]);
	assert_null(pmk_inventory_bus(inv, 3));
	assert_int_equal(discover_region(inv, "region0")->domain,
			 PMK_DOMAIN_CPU_CACHE);
	d = discover_dev(inv, "namespace2.0");
	assert_string_equal(d->bus, "ndbus1");
	assert_string_equal(d->blockdev, "pmem2");
	assert_int_equal(d->domain, PMK_DOMAIN_UNKNOWN);
	assert_non_null(d->domain_unknown);
	assert_unknown(d->numa_node);
	assert_unknown(d->dirty_shutdowns);
	d = discover_dev(inv, "namespace3.0");
	assert_int_equal(d->mode, PMK_MODE_FSDAX);
	assert_string_equal(d->map.value, "mem");
	assert_fact(d->size, 256 * MIB);
	pmk_inventory_free(inv);
}

static void interleaved__sums_and_places(void **state)
{
	struct pmk_inventory *inv;
	const struct pmk_region *r;
	const struct pmk_dev *d;

	(void)state;
	LOAD(interleaved);
	inv = discover_look();
	r = pmk_inventory_region(inv, 0);
	assert_string_equal(r->name, "region2");
	assert_fact(r->n_mappings, 2);
	assert_string_equal(r->mappings[1].dimm, "nmem1");
	assert_fact(r->dirty_shutdowns, 7);
	assert_fact(r->badblocks.count, 21);
	r = pmk_inventory_region(inv, 1);
	assert_string_equal(r->name, "region10");
	assert_string_equal(r->type.value, "volatile");
	assert_fact(r->read_only, 1);
	assert_unknown(r->dirty_shutdowns);
	assert_string_equal(pmk_inventory_dimm(inv, 3)->name, "nmem10");

	d = discover_dev(inv, "dax2.1");
	assert_string_equal(d->name_space, "namespace2.1");
	assert_int_equal(d->badblocks.n_extents, 1);
	assert_int_equal(d->badblocks.extents[0].off, 0);
	assert_int_equal(d->badblocks.extents[0].len, 2048);
	d = discover_dev(inv, "namespace10.2");
	assert_int_equal(d->mode, PMK_MODE_UNKNOWN);
	assert_non_null(d->mode_unknown);
	/* the region has some, and addresses are for root only */
	assert_unknown(d->badblocks.count);
	pmk_inventory_free(inv);
}

static void dax__without_a_namespace(void **state)
{
	struct pmk_inventory *inv;
	const struct pmk_dev *d;

	(void)state;
	LOAD(dax_only);
	inv = discover_look();
	d = discover_dev(inv, "dax1.0");
	/* below a region of CXL, which is none of NVDIMMs */
	assert_string_equal(d->region, "");
	assert_string_equal(d->bus, "");
	assert_unknown(d->namespace_size);
	assert_fact(d->size, (uint64_t)4 << 30);
	assert_string_equal(pmk_inventory_dax_region(inv, 1)->path,
			    "/platform/hmem.0");
	assert_null(pmk_inventory_dev(inv, 4));
	pmk_inventory_free(inv);
}

/* What a link would say is gone once the root is resolved: nothing is kept. */
static void each_call_looks_anew(void **state)
{
	struct pmk_inventory *inv = discover_look();

	(void)state;
	assert_null(pmk_inventory_dev(inv, 0));
	LOAD(dax_only);
	assert_null(pmk_inventory_dev(inv, 0));
	pmk_inventory_free(inv);
	inv = discover_look();
	assert_non_null(pmk_inventory_dev(inv, 0));
	pmk_inventory_free(inv);
}

static void mode_names(void **state)
{
	(void)state;
	assert_string_equal(pmk_mode_name(PMK_MODE_SYSTEM_RAM), "system-ram");
	assert_string_equal(pmk_mode_name(PMK_MODE_UNKNOWN), "unknown");
	assert_string_equal(pmk_mode_name((enum pmk_mode)99), "?");
	assert_string_equal(pmk_mode_name((enum pmk_mode) - 1), "?");
}

#define TREE_TEST(f) \
	cmocka_unit_test_setup_teardown(f, discover_setup, discover_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TREE_TEST(params__checked),
		TREE_TEST(this_machine),
		TREE_TEST(empty__nothing_and_seen),
		TREE_TEST(modes__as_the_kernel_has_them),
		TREE_TEST(disabled__mode_only_from_a_label),
		TREE_TEST(buses__without_dimms),
		TREE_TEST(interleaved__sums_and_places),
		TREE_TEST(dax__without_a_namespace),
		TREE_TEST(each_call_looks_anew),
		cmocka_unit_test(mode_names),
	};

	return cmocka_run_group_tests_name("discover", tests, NULL, NULL);
}
