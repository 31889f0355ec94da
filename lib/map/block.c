/* SPDX-License-Identifier: BSD-3-Clause */
/* Block devices, and what is below them. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/sysfs.h"
#include "base/util.h"
#include "map/block.h"

/* Stacks are rarely higher than three; a circle cannot be. */
#define MAX_DEPTH 16

#define SECTOR_BYTES 512

/* Is the last component of @path "PREFIX<digit>..."? */
static bool is_named(const char *path, const char *prefix)
{
	const char *base = strrchr(path, '/');
	size_t n = strlen(prefix);

	base = base ? base + 1 : path;
	return !strncmp(base, prefix, n) && isdigit((unsigned char)base[n]);
}

/* DIR/NAME as a new string; NULL if there is no memory. */
static char *join(const char *dir, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", dir, name) < 0 ? NULL : path;
}

static bool is_up(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

/* The directory of links to the devices that @dir is made of; of a partition
 * that of its disk.  NULL and errno, which is ENOENT if there is none. */
static DIR *open_slaves(const char *dir, char **path_ret)
{
	static const char *const places[] = { "slaves", "../slaves" };

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		char *path = join(dir, places[i]);
		DIR *d = path ? opendir(path) : NULL;

		if (d) {
			*path_ret = path;
			return d;
		}
		free(path); /* which keeps errno */
		if (errno != ENOENT)
			break;
	}
	return NULL;
}

struct visit {
	int (*fn)(const char *leaf, void *arg);
	void *arg;
	unsigned int depth;
};

static int visit(const char *dir, struct visit *v);

static int visit_slaves(const char *dir, DIR *d, struct visit *v,
			size_t *count_ret)
{
	struct dirent *e;
	int rc = 0;

	while (!rc && (e = readdir(d))) {
		_cleanup_free_ char *link = NULL;
		_cleanup_free_ char *real = NULL;

		if (is_up(e->d_name))
			continue;
		++*count_ret;
		link = join(dir, e->d_name);
		real = link ? realpath(link, NULL) : NULL;
		rc = real ? visit(real, v) : -errno;
	}
	return rc;
}

static int visit(const char *dir, struct visit *v)
{
	_cleanup_free_ char *region = pmk_probe_region(dir);
	_cleanup_free_ char *slaves = NULL;
	size_t count = 0;
	int rc;
	DIR *d;

	if (region)
		return v->fn(dir, v->arg);
	d = open_slaves(dir, &slaves);
	if (!d)
		return errno == ENOENT ? v->fn(dir, v->arg) : -errno;
	if (++v->depth > MAX_DEPTH)
		rc = -ELOOP;
	else
		rc = visit_slaves(slaves, d, v, &count);
	v->depth--;
	closedir(d);
	return rc || count ? rc : v->fn(dir, v->arg);
}

int pmk_block_leaves(const char *dir, int (*fn)(const char *leaf, void *arg),
		     void *arg)
{
	struct visit v = { fn, arg, 0 };

	return visit(dir, &v);
}

/* The kind of a device below a region, by the driver's device above it:
 * ".../region0/pfn0.1/block/pmem0.1", then perhaps "/pmem0.1p1". */
static enum pmk_block_kind namespace_kind(const char *disk)
{
	static const struct {
		const char *prefix;
		enum pmk_block_kind kind;
	} kinds[] = {
		{ "pfn", PMK_BLOCK_FSDAX },
		{ "btt", PMK_BLOCK_SECTOR },
		{ "namespace", PMK_BLOCK_RAW },
	};
	_cleanup_free_ char *above = strdup(disk);
	char *block = above ? strstr(above, "/block/") : NULL;

	if (!block)
		return PMK_BLOCK_OTHER;
	*block = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (is_named(above, kinds[i].prefix))
			return kinds[i].kind;
	return PMK_BLOCK_OTHER;
}

static int is_other(const char *leaf, void *arg)
{
	return strcmp(leaf, arg) ? 1 : 0;
}

static enum pmk_block_kind kind_of(const char *disk)
{
	_cleanup_free_ char *region = pmk_probe_region(disk);
	char same[512];

	if (region)
		return namespace_kind(disk);
	if (is_named(disk, "loop"))
		return PMK_BLOCK_LOOP;
	if (is_named(disk, "ram") || is_named(disk, "zram"))
		return PMK_BLOCK_RAM;
	snprintf(same, sizeof(same), "%s", disk);
	return pmk_block_leaves(disk, is_other, same) == 1 ? PMK_BLOCK_STACKED
							   : PMK_BLOCK_OTHER;
}

static enum pmk_answer queue_dax(const char *disk)
{
	uint64_t dax;

	if (pmk_sysfs_u64(disk, "queue/dax", &dax))
		return PMK_ANSWER_UNKNOWN;
	return dax ? PMK_ANSWER_YES : PMK_ANSWER_NO;
}

int pmk_probe_block_dir(const char *dir, struct pmk_block_facts *facts_ret)
{
	struct pmk_block_facts *f = facts_ret;
	uint64_t number, sectors;
	char *end;

	memset(f, 0, sizeof(*f));
	if (strlen(dir) >= sizeof(f->dir))
		return -ENAMETOOLONG;
	strcpy(f->dir, dir);
	strcpy(f->disk, dir);
	pmk_base_name(dir, f->name, sizeof(f->name));
	f->partition = !pmk_sysfs_u64(dir, "partition", &number);
	end = strrchr(f->disk, '/');
	if (f->partition && end)
		*end = '\0';
	if (f->partition && !pmk_sysfs_u64(dir, "start", &sectors))
		f->start_bytes = sectors * SECTOR_BYTES;
	if (!pmk_sysfs_u64(dir, "size", &sectors))
		f->size_bytes = sectors * SECTOR_BYTES;
	f->dax = queue_dax(f->disk);
	f->kind = kind_of(f->disk);
	/* without an info block, on memory that the kernel maps anyway: ndctl
	 * calls that fsdax, too */
	if (f->kind == PMK_BLOCK_RAW && f->dax == PMK_ANSWER_YES)
		f->kind = PMK_BLOCK_FSDAX;
	return 0;
}

int pmk_probe_block(const char *root, dev_t dev,
		    struct pmk_block_facts *facts_ret)
{
	char dir[sizeof(facts_ret->dir)];
	int rc = pmk_sysfs_dev_path(pmk_sysfs_root(root), "block", dev, dir,
				    sizeof(dir));

	return rc ? rc : pmk_probe_block_dir(dir, facts_ret);
}

struct weakest {
	struct pmk_domain_fact fact;
	bool mapped;
};

/*
 * From the strongest on.  Of what an msync(2) reaches, an unknown one may be as
 * weak as any but the last; of what is mapped, one that the CPU's flushes do
 * not reach (DEVICE) decides what has to be done.
 */
static unsigned int weakness(enum pmk_domain domain, bool mapped)
{
	static const unsigned int rank[] = {
		[PMK_DOMAIN_CPU_CACHE] = 0, [PMK_DOMAIN_MEMORY_CONTROLLER] = 1,
		[PMK_DOMAIN_DEVICE] = 2,    [PMK_DOMAIN_UNKNOWN] = 3,
		[PMK_DOMAIN_VOLATILE] = 4,
	};

	return mapped && domain == PMK_DOMAIN_DEVICE ? 5 : rank[domain];
}

static struct pmk_domain_fact leaf_domain(const char *leaf, bool mapped)
{
	_cleanup_free_ char *region = pmk_probe_region(leaf);
	struct pmk_domain_fact f = { PMK_DOMAIN_DEVICE, PMK_WHY_NONE };

	if (region || mapped) {
		struct pmk_domain_fact r = pmk_probe_domain(region);

		return mapped || r.domain == PMK_DOMAIN_VOLATILE ? r : f;
	}
	if (strstr(leaf, "/block/ram") || strstr(leaf, "/block/zram"))
		f.domain = PMK_DOMAIN_VOLATILE;
	else if (strstr(leaf, "/block/loop"))
		f = (struct pmk_domain_fact){ PMK_DOMAIN_UNKNOWN,
					      PMK_WHY_HIDDEN };
	return f;
}

static int take_leaf(const char *leaf, void *arg)
{
	struct weakest *w = arg;
	struct pmk_domain_fact f = leaf_domain(leaf, w->mapped);

	if (weakness(f.domain, w->mapped) > weakness(w->fact.domain, w->mapped))
		w->fact = f;
	return 0;
}

struct pmk_domain_fact pmk_block_domain(const char *root, dev_t dev,
					bool mapped)
{
	/* stronger than any that is found */
	struct weakest w = { { PMK_DOMAIN_CPU_CACHE, PMK_WHY_NONE }, mapped };
	char dir[512];

	if (pmk_sysfs_dev_path(pmk_sysfs_root(root), "block", dev, dir,
			       sizeof(dir)) ||
	    pmk_block_leaves(dir, take_leaf, &w))
		w.fact = (struct pmk_domain_fact){ PMK_DOMAIN_UNKNOWN,
						   PMK_WHY_NO_SYSFS };
	return w.fact;
}
