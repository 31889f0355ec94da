/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Device mapper and loop devices by their ioctls, and what the kernel's log
 * says meanwhile: no process for each step, which costs most under emulation,
 * and the errno that the kernel returned.
 */
#ifndef TESTS_GUEST_WC_DM_H
#define TESTS_GUEST_WC_DM_H

#include <stddef.h>
#include <stdint.h>

/* One target of a table. */
struct dm_target {
	uint64_t start; /* sectors, as len */
	uint64_t len;
	const char *type;
	const char *params;
};

/* Make and resume the device NAME.  Its minor number, it is /dev/dm-MINOR then;
 * or -errno of the step that failed, and nothing is left. */
int dm_make(const char *name, const struct dm_target *target, size_t n);
/* That with a single target of so many sectors, its parameters by a format. */
int dm_make_one(const char *name, const char *type, uint64_t sectors,
		const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* All of these 0 or -errno. */
int dm_remove(const char *name);
int dm_suspend(const char *name);
int dm_message(const char *name, const char *text);
/* The target's status line, and its table line. */
int dm_status(const char *name, char *buf, size_t size);
int dm_table(const char *name, char *buf, size_t size);

/* A loop device on a file; its number: /dev/loopN.  Ends the program on
 * failure. */
int loop_make(const char *file);

/* Forget what the kernel's log says so far. */
void klog_mark(void);
/* The last line since then that has WORDS in it, from there on; "" if none. */
const char *klog_find(const char *words);

#endif /* TESTS_GUEST_WC_DM_H */
