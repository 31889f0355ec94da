/* SPDX-License-Identifier: BSD-3-Clause */
/* Trees of sysfs for tests of discovery; see discover_fixture.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pmk/log.h>

#include "discover_fixture.h"
#include "support/manifest.h"

char discover_root[64];
unsigned int discover_messages;

static void count(enum pmk_log_level level, const char *text, void *arg)
{
	(void)level;
	(void)arg;
	assert_null(strchr(text, '\n'));
	discover_messages++;
}

int discover_setup(void **state)
{
	static const char buses[] = "d bus/nd/devices\nd bus/dax/devices\n";

	(void)state;
	strcpy(discover_root, "/tmp/pmk-test-discover-XXXXXX");
	if (!mkdtemp(discover_root))
		return -1;
	discover_messages = 0;
	pmk_log_set(count, NULL);
	return manifest_load(discover_root, buses, strlen(buses));
}

int discover_teardown(void **state)
{
	(void)state;
	pmk_log_set(NULL, NULL);
	return manifest_remove(discover_root);
}

void discover_load(const char *text, size_t len)
{
	assert_int_equal(manifest_load(discover_root, text, len), 0);
}

void discover_add(const char *fmt, ...)
{
	char *text;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	assert_true(n >= 0);
	discover_load(text, (size_t)n);
	free(text);
}

struct pmk_inventory *discover_look(void)
{
	struct pmk_discover_params p = { .sysfs_root = discover_root };
	struct pmk_inventory *inv = NULL;

	assert_int_equal(pmk_discover(&p, &inv), 0);
	assert_non_null(inv);
	return inv;
}

const struct pmk_dev *discover_dev(const struct pmk_inventory *inv,
				   const char *name)
{
	const struct pmk_dev *d;

	for (size_t i = 0; (d = pmk_inventory_dev(inv, i)); i++)
		if (!strcmp(d->name_space, name) || !strcmp(d->chardev, name))
			return d;
	fail_msg("no device %s", name);
	return NULL;
}

const struct pmk_region *discover_region(const struct pmk_inventory *inv,
					 const char *name)
{
	const struct pmk_region *r;

	for (size_t i = 0; (r = pmk_inventory_region(inv, i)); i++)
		if (!strcmp(r->name, name))
			return r;
	fail_msg("no region %s", name);
	return NULL;
}
