/* SPDX-License-Identifier: BSD-3-Clause */
/* Attributes of a device directory as facts, or as reasons why there is none.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/sysfs.h"
#include "discover/impl.h"

/* The most that sysfs gives, and what shows that there is more. */
#define TEXT_BYTES 4098

struct pmk_fact pmk_unknown(const char *why)
{
	return (struct pmk_fact){ .unknown = why };
}

struct pmk_text pmk_text_unknown(const char *why)
{
	return (struct pmk_text){ .value = "", .unknown = why };
}

const char *pmk_attr_why(struct pmk_inventory *inv, const char *name, int rc)
{
	switch (rc) {
	case -ENOMEM:
		inv->no_memory = true;
		return pmk_strerror(rc);
	case -ENOENT:
		return pmk_arena_fmt(inv, "the kernel has no %s here", name);
	case -ENODEV:
		return "the kernel names no node";
	case -ENODATA:
		return pmk_arena_fmt(inv, "%s: none is chosen", name);
	case -E2BIG:
	case PMK_E_SYSFS:
		return pmk_arena_fmt(inv, "%s is malformed", name);
	default:
		return pmk_arena_fmt(inv, "%s: %s", name, pmk_strerror(rc));
	}
}

int pmk_attr_check(const char *dir, const char *name)
{
	_cleanup_free_ char *path = NULL;
	struct stat st;

	if (asprintf(&path, "%s/%s", dir, name) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	if (lstat(path, &st))
		return -errno;
	return S_ISREG(st.st_mode) ? 0 : PMK_E_SYSFS;
}

/* 0 if @buf has a line of printable characters, less blanks at its end. */
static int read_word(const char *dir, const char *name, char *buf, size_t len)
{
	int rc = pmk_attr_check(dir, name);
	ssize_t n;

	if (rc)
		return rc;
	n = pmk_sysfs_text(dir, name, buf, len);
	if (n < 0)
		return (int)n;
	if (!pmk_text_is_word(buf, (size_t)n))
		return PMK_E_SYSFS;
	while (n && buf[n - 1] == ' ')
		buf[--n] = '\0';
	return 0;
}

struct pmk_fact pmk_attr_u64(struct pmk_inventory *inv, const char *dir,
			     const char *name)
{
	struct pmk_fact f = { 0 };
	int rc = pmk_attr_check(dir, name);

	if (!rc)
		rc = pmk_sysfs_u64(dir, name, &f.value);
	return rc ? pmk_unknown(pmk_attr_why(inv, name, rc)) : f;
}

/* A number that stands in a text as @parse has it. */
static struct pmk_fact parsed(struct pmk_inventory *inv, const char *dir,
			      const char *name,
			      int (*parse)(const char *text,
					   uint64_t *value_ret))
{
	struct pmk_fact f = { 0 };
	char text[TEXT_BYTES];
	int rc = read_word(dir, name, text, sizeof(text));

	if (!rc)
		rc = parse(text, &f.value);
	return rc ? pmk_unknown(pmk_attr_why(inv, name, rc)) : f;
}

struct pmk_fact pmk_attr_node(struct pmk_inventory *inv, const char *dir,
			      const char *name)
{
	return parsed(inv, dir, name, pmk_text_node);
}

struct pmk_fact pmk_attr_selected(struct pmk_inventory *inv, const char *dir,
				  const char *name)
{
	return parsed(inv, dir, name, pmk_text_selected);
}

struct pmk_text pmk_attr_text(struct pmk_inventory *inv, const char *dir,
			      const char *name)
{
	struct pmk_text t = { .value = "" };
	char text[TEXT_BYTES];
	int rc = read_word(dir, name, text, sizeof(text));

	if (rc)
		return pmk_text_unknown(pmk_attr_why(inv, name, rc));
	t.value = pmk_arena_str(inv, text);
	return t;
}

struct pmk_text pmk_attr_uuid(struct pmk_inventory *inv, const char *dir)
{
	struct pmk_text t = pmk_attr_text(inv, dir, "uuid");

	if (t.unknown || pmk_text_is_uuid(t.value))
		return t;
	return pmk_text_unknown(*t.value
					? pmk_attr_why(inv, "uuid", PMK_E_SYSFS)
					: "none was given");
}

const char *pmk_attr_link(struct pmk_inventory *inv, const char *dir,
			  const char *name)
{
	_cleanup_free_ char *path = NULL;
	char target[4096];
	const char *base;
	ssize_t n;

	if (asprintf(&path, "%s/%s", dir, name) < 0) {
		path = NULL;
		inv->no_memory = true;
		return NULL;
	}
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		return NULL;
	target[n] = '\0';
	base = strrchr(target, '/');
	return pmk_arena_str(inv, base ? base + 1 : target);
}

bool pmk_attr_is_dir(struct pmk_inventory *inv, const char *dir,
		     const char *name)
{
	_cleanup_free_ char *path = NULL;
	struct stat st;

	if (asprintf(&path, "%s/%s", dir, name) < 0) {
		path = NULL;
		inv->no_memory = true;
		return false;
	}
	return !lstat(path, &st) && S_ISDIR(st.st_mode);
}
