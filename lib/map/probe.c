/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts about dax devices and nvdimm regions; attributes as in Linux
 * Documentation/ABI/testing/sysfs-bus-dax and sysfs-bus-nvdimm. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/sysfs.h"
#include "base/util.h"
#include "map/legacy.h"
#include "map/probe.h"

const char *pmk_sysfs_root(const char *root)
{
	return root ? root : "/sys";
}

void pmk_sysfs_link_name(const char *dir, const char *name, char *buf,
			 size_t len)
{
	_cleanup_free_ char *path = NULL;
	char target[512];
	const char *base;
	ssize_t n;

	buf[0] = '\0';
	if (asprintf(&path, "%s/%s", dir, name) < 0) {
		path = NULL;
		return;
	}
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		return;
	target[n] = '\0';
	base = strrchr(target, '/');
	base = base ? base + 1 : target;
	if (strlen(base) < len)
		strcpy(buf, base);
}

void pmk_base_name(const char *path, char *buf, size_t len)
{
	const char *base = strrchr(path, '/');
	size_t n;

	base = base ? base + 1 : path;
	n = pmk_min_size(strlen(base), len - 1);
	memcpy(buf, base, n);
	buf[n] = '\0';
}

static int no_attribute(struct pmk_devdax_facts *f, const char *name)
{
	snprintf(f->attr, sizeof(f->attr), "%s", name);
	return PMK_E_SYSFS;
}

static int devdax_numbers(struct pmk_devdax_facts *f)
{
	if (pmk_sysfs_u64(f->dir, "size", &f->size))
		return no_attribute(f, "size");
	/* before 5.10 only the region says the alignment */
	if ((pmk_sysfs_u64(f->dir, "align", &f->align) &&
	     pmk_sysfs_u64(f->dir, "../dax_region/align", &f->align)) ||
	    !f->align || (f->align & (f->align - 1)))
		return no_attribute(f, "align");
	return 0;
}

int pmk_probe_devdax(const char *root, dev_t rdev,
		     struct pmk_devdax_facts *facts_ret)
{
	struct pmk_devdax_facts *f = facts_ret;
	char subsystem[32];

	memset(f, 0, sizeof(*f));
	if (pmk_sysfs_dev_path(pmk_sysfs_root(root), "char", rdev, f->dir,
			       sizeof(f->dir)))
		return PMK_E_SYSFS;
	pmk_sysfs_link_name(f->dir, "subsystem", subsystem, sizeof(subsystem));
	if (!subsystem[0]) /* every device has one: it is hidden */
		return PMK_E_SYSFS;
	/* "dax" is the class of kernels before 5.1 and the bus since */
	if (strcmp(subsystem, "dax"))
		return PMK_E_FILE_TYPE;
	pmk_base_name(f->dir, f->name, sizeof(f->name));
	pmk_sysfs_link_name(f->dir, "driver", f->driver, sizeof(f->driver));
	return devdax_numbers(f);
}

static bool is_numbered(const char *name, const char *prefix)
{
	size_t n = strlen(prefix);

	return !strncmp(name, prefix, n) && isdigit((unsigned char)name[n]);
}

/* A region of the nvdimm bus; CXL has regions of that name, too. */
static bool is_nd_region(const char *path, const char *base)
{
	const char *bus = base;

	if (!is_numbered(base + 1, "region"))
		return false;
	while (bus > path && bus[-1] != '/')
		bus--;
	return is_numbered(bus, "ndbus");
}

char *pmk_probe_region(const char *dir)
{
	char *path = strdup(dir);

	while (path) {
		char *base = strrchr(path, '/');

		if (!base)
			break;
		if (is_nd_region(path, base))
			return path;
		*base = '\0';
	}
	free(path);
	return NULL;
}

/* The kernel gives regions of volatile memory a domain, too, if the platform
 * reports one: only the type of the device tells. */
static enum pmk_map_why region_type(const char *region, bool *volatile_ret)
{
	char text[512];
	bool read = pmk_sysfs_text(region, "uevent", text, sizeof(text)) >= 0;

	*volatile_ret = read && strstr(text, "DEVTYPE=nd_volatile");
	return !read && access(region, F_OK) ? PMK_WHY_NO_SYSFS : PMK_WHY_NONE;
}

/* Such regions report no domain: what is asked is what they are made of. */
static struct pmk_domain_fact legacy_domain(const char *region)
{
	enum pmk_answer ram = pmk_legacy_is_ram(region);

	if (ram == PMK_ANSWER_YES)
		return (struct pmk_domain_fact){ PMK_DOMAIN_VOLATILE,
						 PMK_WHY_NONE };
	return (struct pmk_domain_fact){
		PMK_DOMAIN_UNKNOWN,
		ram == PMK_ANSWER_NO ? PMK_WHY_NOT_REPORTED : PMK_WHY_MEMMAP,
	};
}

static struct pmk_domain_fact reported_domain(const char *region)
{
	char text[32];
	ssize_t n = pmk_sysfs_text(region, "persistence_domain", text,
				   sizeof(text));

	if (n >= 0 && !strcmp(text, "cpu_cache"))
		return (struct pmk_domain_fact){ PMK_DOMAIN_CPU_CACHE,
						 PMK_WHY_NONE };
	if (n >= 0 && !strcmp(text, "memory_controller"))
		return (struct pmk_domain_fact){ PMK_DOMAIN_MEMORY_CONTROLLER,
						 PMK_WHY_NONE };
	return (struct pmk_domain_fact){
		PMK_DOMAIN_UNKNOWN,
		n == -ENOENT   ? PMK_WHY_NOT_REPORTED
		: n == -EACCES ? PMK_WHY_NO_ACCESS
			       : PMK_WHY_ODD_VALUE,
	};
}

bool pmk_region_is_async(const char *region)
{
	return strstr(region, "/virtio") != NULL;
}

struct pmk_domain_fact pmk_probe_domain(const char *region)
{
	enum pmk_map_why why;
	bool is_volatile;

	if (!region)
		return (struct pmk_domain_fact){ PMK_DOMAIN_UNKNOWN,
						 PMK_WHY_NO_REGION };
	if (pmk_region_is_async(region))
		return (struct pmk_domain_fact){ PMK_DOMAIN_DEVICE,
						 PMK_WHY_NONE };
	if (pmk_legacy_region(region))
		return legacy_domain(region);
	why = region_type(region, &is_volatile);
	if (is_volatile)
		return (struct pmk_domain_fact){ PMK_DOMAIN_VOLATILE,
						 PMK_WHY_NONE };
	return why ? (struct pmk_domain_fact){ PMK_DOMAIN_UNKNOWN, why }
		   : reported_domain(region);
}

/* Memory that the firmware set aside (dax_hmem) and memory of CXL devices are
 * below other buses; of what is persistent both make nvdimm regions. */
static bool is_ram(const char *dir)
{
	return strstr(dir, "/hmem") || strstr(dir, "/dax_region");
}

struct pmk_domain_fact pmk_devdax_domain(const char *dir, const char *region)
{
	if (!region && is_ram(dir))
		return (struct pmk_domain_fact){ PMK_DOMAIN_VOLATILE,
						 PMK_WHY_NONE };
	return pmk_probe_domain(region);
}

enum pmk_granularity pmk_domain_granularity(enum pmk_domain domain)
{
	switch (domain) {
	case PMK_DOMAIN_CPU_CACHE:
		return PMK_GRANULARITY_BYTE;
	case PMK_DOMAIN_DEVICE:
		return PMK_GRANULARITY_PAGE;
	default:
		return PMK_GRANULARITY_CACHE_LINE;
	}
}
