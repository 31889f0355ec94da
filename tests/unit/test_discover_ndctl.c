/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What libndctl and libdaxctl add, with libraries of the same names that play
 * them (fake_ndctl.c, fake_daxctl.c): the real ones find no DIMM here, and QEMU
 * has none with SMART data.
 *
 * APIs covered: pmk_extra_dimms(), pmk_extra_memory().
 */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "discover/impl.h"
#include "discover_fixture.h"

static struct pmk_inventory inv;

static struct pmk_dimm *add_dimm(const char *name)
{
	struct pmk_dimm *d = pmk_arena_alloc(&inv, sizeof(*d));

	assert_non_null(d);
	d->name = name;
	d->dirty_shutdowns = pmk_unknown("sysfs does not say");
	pmk_list_add(&inv, &inv.dimms, d);
	return d;
}

static struct pmk_dev *add_dax(const char *name, enum pmk_mode mode)
{
	struct pmk_dev *d = pmk_arena_alloc(&inv, sizeof(*d));

	assert_non_null(d);
	d->chardev = name;
	d->mode = mode;
	d->online_blocks = d->total_blocks = pmk_unknown("untouched");
	pmk_list_add(&inv, &inv.devs, d);
	return d;
}

static int setup(void **state)
{
	(void)state;
	memset(&inv, 0, sizeof(inv));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	pmk_arena_free(&inv);
	return 0;
}

static int fakes_are_here(void)
{
	void *lib = dlopen("libndctl.so.6", RTLD_NOW | RTLD_LOCAL);

	/* which the real one has, and the fake one has not */
	return lib && !dlsym(lib, "ndctl_invalidate");
}

static void smart_data(void **state)
{
	struct pmk_dimm *d[5];

	(void)state;
	if (!fakes_are_here())
		skip();
	d[0] = add_dimm("nmem0");
	d[1] = add_dimm("nmem1");
	d[2] = add_dimm("nmem2");
	d[3] = add_dimm("nmem3");
	d[4] = add_dimm("nmem4");
	pmk_extra_dimms(&inv);
	assert_string_equal(d[0]->health.value, "critical");
	assert_null(d[0]->health.unknown);
	assert_fact(d[0]->dirty_shutdowns, 5);
	for (int i = 1; i < 5; i++) {
		assert_string_equal(d[i]->health.value, "");
		assert_non_null(d[i]->health.unknown);
		assert_unknown(d[i]->dirty_shutdowns);
	}
	assert_non_null(strstr(d[2]->health.unknown, "Permission denied"));
}

/* What sysfs says is not replaced. */
static void smart_data__sysfs_first(void **state)
{
	struct pmk_dimm *d = add_dimm("nmem0");

	(void)state;
	d->dirty_shutdowns = (struct pmk_fact){ .value = 3 };
	pmk_extra_dimms(&inv);
	assert_fact(d->dirty_shutdowns, 3);
}

static void memory_blocks(void **state)
{
	struct pmk_dev *ram, *none, *bad, *devdax;

	(void)state;
	if (!fakes_are_here())
		skip();
	ram = add_dax("dax0.0", PMK_MODE_SYSTEM_RAM);
	none = add_dax("dax0.1", PMK_MODE_SYSTEM_RAM);
	bad = add_dax("dax0.2", PMK_MODE_SYSTEM_RAM);
	devdax = add_dax("dax0.3", PMK_MODE_DEVDAX);
	pmk_extra_memory(&inv);
	assert_fact(ram->total_blocks, 7);
	assert_fact(ram->online_blocks, 3);
	assert_unknown(none->total_blocks);
	assert_unknown(bad->online_blocks);
	assert_string_equal(devdax->total_blocks.unknown, "untouched");
}

static void not_asked(void **state)
{
	struct pmk_dimm *d = add_dimm("nmem0");
	struct pmk_dev *ram = add_dax("dax0.0", PMK_MODE_SYSTEM_RAM);

	(void)state;
	inv.sysfs_only = true;
	pmk_extra_dimms(&inv);
	pmk_extra_memory(&inv);
	assert_non_null(d->health.unknown);
	assert_unknown(d->dirty_shutdowns);
	assert_unknown(ram->total_blocks);
}

#define INV_TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		INV_TEST(smart_data),
		INV_TEST(smart_data__sysfs_first),
		INV_TEST(memory_blocks),
		INV_TEST(not_asked),
	};

	return cmocka_run_group_tests_name("discover_ndctl", tests, NULL, NULL);
}
