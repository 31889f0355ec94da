/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What sysfs does not have: SMART data of DIMMs from libndctl, the state of
 * memory blocks from libdaxctl.  Both are loaded when there is a device to ask
 * for, so that a program that is linked with libpmk starts without them and
 * what they load (udev, kmod).  They print on stderr unless told otherwise.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>

#include <daxctl/libdaxctl.h>
#include <ndctl/libndctl.h>

#include "base/util.h"
#include "discover/impl.h"

#define NDCTL_SONAME  "libndctl.so.6"
#define DAXCTL_SONAME "libdaxctl.so.1"

#define NDCTL_FUNCTIONS(X)            \
	X(ndctl_new)                  \
	X(ndctl_unref)                \
	X(ndctl_set_log_fn)           \
	X(ndctl_get_daxctl_ctx)       \
	X(ndctl_bus_get_first)        \
	X(ndctl_bus_get_next)         \
	X(ndctl_dimm_get_first)       \
	X(ndctl_dimm_get_next)        \
	X(ndctl_dimm_get_devname)     \
	X(ndctl_dimm_cmd_new_smart)   \
	X(ndctl_cmd_submit)           \
	X(ndctl_cmd_unref)            \
	X(ndctl_cmd_smart_get_flags)  \
	X(ndctl_cmd_smart_get_health) \
	X(ndctl_cmd_smart_get_shutdown_count)

#define DAXCTL_FUNCTIONS(X)           \
	X(daxctl_new)                 \
	X(daxctl_unref)               \
	X(daxctl_set_log_fn)          \
	X(daxctl_region_get_first)    \
	X(daxctl_region_get_next)     \
	X(daxctl_dev_get_first)       \
	X(daxctl_dev_get_next)        \
	X(daxctl_dev_get_devname)     \
	X(daxctl_dev_get_memory)      \
	X(daxctl_memory_num_sections) \
	X(daxctl_memory_is_online)

#define MEMBER(f)     __typeof__(&f) f;
#define ND_SYMBOL(f)  { #f, &nd.f },
#define DAX_SYMBOL(f) { #f, &dax.f },

/* Both libraries, once they are loaded; never unloaded again. */
static struct {
	NDCTL_FUNCTIONS(MEMBER)
	const char *missing; /* why it cannot be asked, or NULL */
} nd;

static struct {
	DAXCTL_FUNCTIONS(MEMBER)
	const char *missing;
} dax;

struct symbol {
	const char *name;
	void *slot; /* a pointer to a function */
};

static const struct symbol nd_symbols[] = { NDCTL_FUNCTIONS(ND_SYMBOL) };
static const struct symbol dax_symbols[] = { DAXCTL_FUNCTIONS(DAX_SYMBOL) };

/* false: it is not there, or too old to have them all. */
static bool load_library(const char *soname, const struct symbol *symbols,
			 size_t n)
{
	void *lib = dlopen(soname, RTLD_NOW | RTLD_LOCAL);

	for (size_t i = 0; lib && i < n; i++) {
		void *address = dlsym(lib, symbols[i].name);

		if (!address)
			return false;
		/* POSIX has it that a function's address is such a pointer */
		memcpy(symbols[i].slot, &address, sizeof(address));
	}
	return lib != NULL;
}

static void load_both(void)
{
	if (!load_library(DAXCTL_SONAME, dax_symbols, ARRAY_SIZE(dax_symbols)))
		nd.missing = dax.missing = DAXCTL_SONAME
			" cannot be loaded: is libdaxctl installed?";
	else if (!load_library(NDCTL_SONAME, nd_symbols,
			       ARRAY_SIZE(nd_symbols)))
		nd.missing = NDCTL_SONAME
			" cannot be loaded: is libndctl installed?";
}

static void load(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load_both);
}

__attribute__((format(printf, 6, 0))) static void ignore_nd(
	struct ndctl_ctx *ctx, int priority, const char *file, int line,
	const char *fn, const char *format, va_list args)
{
	(void)ctx, (void)priority, (void)file, (void)line, (void)fn;
	(void)format, (void)args;
}

__attribute__((format(printf, 6, 0))) static void ignore_dax(
	struct daxctl_ctx *ctx, int priority, const char *file, int line,
	const char *fn, const char *format, va_list args)
{
	(void)ctx, (void)priority, (void)file, (void)line, (void)fn;
	(void)format, (void)args;
}

static const char *health_word(unsigned int health)
{
	return health & ND_SMART_FATAL_HEALTH          ? "fatal"
	       : health & ND_SMART_CRITICAL_HEALTH     ? "critical"
	       : health & ND_SMART_NON_CRITICAL_HEALTH ? "non-critical"
						       : "ok";
}

static void take_smart(struct pmk_dimm *d, struct ndctl_cmd *cmd)
{
	unsigned int flags = nd.ndctl_cmd_smart_get_flags(cmd);

	if (flags & ND_SMART_HEALTH_VALID)
		d->health = (struct pmk_text){
			.value = health_word(nd.ndctl_cmd_smart_get_health(cmd))
		};
	else
		d->health = pmk_text_unknown("its SMART data has no health");
	if (d->dirty_shutdowns.unknown &&
	    (flags & ND_SMART_SHUTDOWN_COUNT_VALID))
		d->dirty_shutdowns = (struct pmk_fact){
			.value = nd.ndctl_cmd_smart_get_shutdown_count(cmd)
		};
}

static void ask_smart(struct pmk_inventory *inv, struct pmk_dimm *d,
		      struct ndctl_dimm *dimm)
{
	struct ndctl_cmd *cmd = nd.ndctl_dimm_cmd_new_smart(dimm);
	int rc;

	if (!cmd) {
		d->health = pmk_text_unknown("it has no SMART data");
		return;
	}
	rc = nd.ndctl_cmd_submit(cmd);
	if (rc < 0)
		d->health = pmk_text_unknown(
			pmk_arena_fmt(inv, "SMART data: %s", pmk_strerror(rc)));
	else
		take_smart(d, cmd);
	nd.ndctl_cmd_unref(cmd);
}

static void ask_dimms(struct pmk_inventory *inv, struct ndctl_ctx *ctx)
{
	struct ndctl_bus *bus;
	struct ndctl_dimm *dimm;

	for (bus = nd.ndctl_bus_get_first(ctx); bus;
	     bus = nd.ndctl_bus_get_next(bus))
		for (dimm = nd.ndctl_dimm_get_first(bus); dimm;
		     dimm = nd.ndctl_dimm_get_next(dimm)) {
			const char *name = nd.ndctl_dimm_get_devname(dimm);
			struct pmk_dimm *d =
				name ? pmk_find_dimm(inv, name) : NULL;

			if (d)
				ask_smart(inv, d, dimm);
		}
}

static void all_health_unknown(struct pmk_inventory *inv, const char *why)
{
	for (size_t i = 0; i < inv->dimms.n; i++) {
		struct pmk_dimm *d = inv->dimms.items[i];

		d->health = pmk_text_unknown(why);
	}
}

void pmk_extra_dimms(struct pmk_inventory *inv)
{
	struct ndctl_ctx *ctx;

	if (inv->sysfs_only) {
		all_health_unknown(inv, "libndctl was not asked");
		return;
	}
	load();
	if (nd.missing) {
		all_health_unknown(inv, nd.missing);
		return;
	}
	all_health_unknown(inv, "libndctl does not know this DIMM");
	if (nd.ndctl_new(&ctx)) {
		all_health_unknown(inv, "libndctl cannot be started");
		return;
	}
	nd.ndctl_set_log_fn(ctx, ignore_nd);
	dax.daxctl_set_log_fn(nd.ndctl_get_daxctl_ctx(ctx), ignore_dax);
	ask_dimms(inv, ctx);
	nd.ndctl_unref(ctx);
}

static struct pmk_dev *find_ram(const struct pmk_inventory *inv,
				const char *name)
{
	for (size_t i = 0; name && i < inv->devs.n; i++) {
		struct pmk_dev *d = inv->devs.items[i];

		if (d->mode == PMK_MODE_SYSTEM_RAM && !strcmp(d->chardev, name))
			return d;
	}
	return NULL;
}

static void take_memory(struct pmk_dev *d, struct daxctl_dev *dev)
{
	struct daxctl_memory *mem = dax.daxctl_dev_get_memory(dev);
	int total = mem ? dax.daxctl_memory_num_sections(mem) : -1;
	int online = mem ? dax.daxctl_memory_is_online(mem) : -1;

	if (total < 0 || online < 0)
		return;
	d->total_blocks = (struct pmk_fact){ .value = (uint64_t)total };
	d->online_blocks = (struct pmk_fact){ .value = (uint64_t)online };
}

static void ask_memory(struct pmk_inventory *inv, struct daxctl_ctx *ctx)
{
	struct daxctl_region *region;
	struct daxctl_dev *dev;

	for (region = dax.daxctl_region_get_first(ctx); region;
	     region = dax.daxctl_region_get_next(region))
		for (dev = dax.daxctl_dev_get_first(region); dev;
		     dev = dax.daxctl_dev_get_next(dev)) {
			struct pmk_dev *d =
				find_ram(inv, dax.daxctl_dev_get_devname(dev));

			if (d)
				take_memory(d, dev);
		}
}

/* Returns how many devices are system RAM. */
static size_t all_memory_unknown(struct pmk_inventory *inv, const char *why)
{
	size_t n = 0;

	for (size_t i = 0; i < inv->devs.n; i++) {
		struct pmk_dev *d = inv->devs.items[i];

		if (d->mode != PMK_MODE_SYSTEM_RAM)
			continue;
		d->online_blocks = d->total_blocks = pmk_unknown(why);
		n++;
	}
	return n;
}

void pmk_extra_memory(struct pmk_inventory *inv)
{
	struct daxctl_ctx *ctx;

	if (!all_memory_unknown(inv, "libdaxctl was not asked") ||
	    inv->sysfs_only)
		return;
	load();
	if (dax.missing) {
		all_memory_unknown(inv, dax.missing);
		return;
	}
	all_memory_unknown(inv, "libdaxctl does not say");
	if (dax.daxctl_new(&ctx)) {
		all_memory_unknown(inv, "libdaxctl cannot be started");
		return;
	}
	dax.daxctl_set_log_fn(ctx, ignore_dax);
	ask_memory(inv, ctx);
	dax.daxctl_unref(ctx);
}
