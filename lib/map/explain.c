/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Why a path is, or is not, persistent memory.  The kernel is asked for the
 * verdict (a trial mapping), and only then the reason is looked for.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/export.h"
#include "map/explain_impl.h"
#include "map/legacy.h"

void pmk_explain_say(struct pmk_map_report *r, const char *fmt, ...)
{
	size_t n = strlen(r->detail);
	va_list ap;

	if (n && n + 2 < sizeof(r->detail)) {
		memcpy(r->detail + n, "; ", 3);
		n += 2;
	}
	va_start(ap, fmt);
	vsnprintf(r->detail + n, sizeof(r->detail) - n, fmt, ap);
	va_end(ap);
}

void pmk_explain_error(struct pmk_map_report *r, int error,
		       enum pmk_map_reason reason)
{
	r->error = error;
	r->reason = reason;
	if (error == PMK_E_FILE_TYPE || error == PMK_E_DEVDAX_MODE)
		r->pmem = PMK_ANSWER_NO;
	else
		pmk_explain_say(r, "%s", pmk_strerror(error));
}

/* Of memory that is mapped directly.  That the kernel grants MAP_SYNC, or makes
 * a dax device, does not say what memory it is: it may be volatile. */
enum pmk_answer pmk_explain_is_pmem(struct pmk_domain_fact f)
{
	if (f.domain == PMK_DOMAIN_VOLATILE)
		return PMK_ANSWER_NO;
	return f.why == PMK_WHY_MEMMAP || f.why == PMK_WHY_NO_SYSFS
		       ? PMK_ANSWER_UNKNOWN
		       : PMK_ANSWER_YES;
}

void pmk_explain_domain(struct pmk_map_report *r, struct pmk_domain_fact f)
{
	r->domain = f.domain;
	r->domain_why = f.why;
}

void pmk_explain_legacy(struct pmk_map_report *r, const char *region)
{
	static const char *const words[] = {
		[PMK_ANSWER_UNKNOWN] = "an NVDIMM, or ordinary memory by the "
				       "kernel argument memmap=",
		[PMK_ANSWER_NO] = "the firmware calls it persistent",
		[PMK_ANSWER_YES] = "ordinary memory, by the kernel argument "
				   "memmap=",
	};
	char name[64];

	if (!pmk_legacy_region(region))
		return;
	pmk_base_name(region, name, sizeof(name));
	pmk_explain_say(r, "%s is legacy memory (e820): %s", name,
			words[pmk_legacy_is_ram(region)]);
}

static int add_region(const char *leaf, void *arg)
{
	_cleanup_free_ char *region = pmk_probe_region(leaf);
	struct pmk_map_report *r = arg;
	size_t n = strlen(r->region);
	char name[sizeof(r->region)];

	if (!region)
		return 0;
	pmk_base_name(region, name, sizeof(name));
	if (strstr(r->region, name))
		return 0;
	snprintf(r->region + n, sizeof(r->region) - n, "%s%s", n ? "," : "",
		 name);
	pmk_explain_legacy(r, region);
	return 0;
}

void pmk_explain_device(struct pmk_map_report *r,
			const struct pmk_block_facts *b)
{
	snprintf(r->device, sizeof(r->device), "%s", b->name);
	/* what cannot be walked has no regions to be named */
	(void)pmk_block_leaves(b->dir, add_region, r);
}

static void explain_type(struct pmk_map_report *r, enum pmk_map_object object)
{
	r->object = object;
	pmk_explain_error(r, PMK_E_FILE_TYPE, PMK_REASON_FILE_TYPE);
	pmk_explain_say(r, "the path is a %s", pmk_map_object_name(object));
}

static void explain(struct pmk_explain *e, const char *path)
{
	struct stat st;

	if (stat(path, &st)) {
		pmk_explain_error(e->r, -errno, PMK_REASON_NO_ACCESS);
		return;
	}
	switch (st.st_mode & S_IFMT) {
	case S_IFREG:
		pmk_explain_file(e, path, &st);
		break;
	case S_IFDIR:
		pmk_explain_directory(e, path, &st);
		break;
	case S_IFCHR:
		pmk_explain_char(e, path, &st);
		break;
	case S_IFBLK:
		pmk_explain_block(e, &st);
		break;
	default:
		explain_type(e->r, S_ISFIFO(st.st_mode)
					   ? PMK_MAP_OBJECT_FIFO
					   : PMK_MAP_OBJECT_SOCKET);
	}
}

int pmk_map_explain_at(const char *sysfs_root, const char *path, bool quick,
		       struct pmk_map_report *report_ret)
{
	struct pmk_explain e = { sysfs_root, quick, report_ret };

	if (!path || !report_ret)
		return -EINVAL;
	memset(report_ret, 0, sizeof(*report_ret));
	report_ret->domain_why = PMK_WHY_NOT_APPLICABLE;
	report_ret->huge_why = PMK_WHY_NOT_APPLICABLE;
	report_ret->device_bad_why = PMK_WHY_NOT_APPLICABLE;
	report_ret->file_bad_why = PMK_WHY_NOT_APPLICABLE;
	explain(&e, path);
	return 0;
}

PMK_EXPORT int pmk_map_explain(const char *path,
			       struct pmk_map_report *report_ret)
{
	return pmk_map_explain_at(NULL, path, false, report_ret);
}
