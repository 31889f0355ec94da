/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Trees of sysfs for tests of discovery.  Manifests are part of the program, so
 * that it runs where the sources are not.
 */
#ifndef TESTS_UNIT_DISCOVER_FIXTURE_H
#define TESTS_UNIT_DISCOVER_FIXTURE_H

#include <stddef.h>

#include <pmk/discover.h>

/* The bytes of tests/unit/sysfs/FILE, as NAME up to NAME_end. */
#define EMBED_MANIFEST(name, file)                                        \
	__asm__(".section .rodata\n" #name ":\n.incbin \"" PMK_TEST_SYSFS \
		"/" file "\"\n" #name "_end:\n.byte 0\n.previous\n");     \
	extern const char name[], name##_end[]

/* Where the tree is, once it is made. */
extern char discover_root[64];

/* Setup and teardown of a test: an empty tree with both buses; all of it away.
 * What the library logs is counted. */
int discover_setup(void **state);
int discover_teardown(void **state);

/* How often the library said something since the setup. */
extern unsigned int discover_messages;

/* Add a manifest to the tree. */
void discover_load(const char *text, size_t len);
/* The same of a string that printf(3) makes. */
__attribute__((format(printf, 1, 2))) void discover_add(const char *fmt, ...);

/* Look at the tree; to be freed with pmk_inventory_free(). */
struct pmk_inventory *discover_look(void);

/* The device of a namespace or chardev, and the region, which must be there. */
const struct pmk_dev *discover_dev(const struct pmk_inventory *inv,
				   const char *name);
const struct pmk_region *discover_region(const struct pmk_inventory *inv,
					 const char *name);

/* It is known, and this; or it is unknown, for a reason, and no number. */
#define assert_fact(f, v)                         \
	do {                                      \
		assert_null((f).unknown);         \
		assert_int_equal((f).value, (v)); \
	} while (0)
#define assert_unknown(f)                          \
	do {                                       \
		assert_non_null((f).unknown);      \
		assert_true(*(f).unknown != '\0'); \
		assert_true((f).value == 0);       \
	} while (0)

#endif /* TESTS_UNIT_DISCOVER_FIXTURE_H */
