/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The instructions and system calls of the engine, one table for each way to
 * store.  The tables differ in how metadata and data get into persistent
 * memory, and in nothing else: that is what pmk bench wc measures.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pmk/copy.h>
#include <pmk/cpu.h>
#include <pmk/flush.h>

#include "base/export.h"
#include "base/io.h"
#include "base/util.h"
#include "persist/prim.h"
#include "wc/engine.h"

/* From this size on the kernel copies through the cache and flushes. */
#define CLFLUSHOPT_LEAST 768U

static void inline_store4(void *ctx, void *dst, const void *src)
{
	(void)ctx;
	pmk_memcpy_flushcache(dst, src, 4);
}

static void inline_store8(void *ctx, void *dst, const void *src)
{
	(void)ctx;
	pmk_memcpy_flushcache(dst, src, 8);
}

static void inline_store16(void *ctx, void *dst, const void *src)
{
	(void)ctx;
	pmk_memcpy_flushcache(dst, src, 16);
}

static void call_store4(void *ctx, void *dst, const void *src)
{
	(void)ctx;
	pmk_memcpy_flushcache_any(dst, src, 4);
}

static void call_store8(void *ctx, void *dst, const void *src)
{
	(void)ctx;
	pmk_memcpy_flushcache_any(dst, src, 8);
}

static void call_store16(void *ctx, void *dst, const void *src)
{
	(void)ctx;
	pmk_memcpy_flushcache_any(dst, src, 16);
}

/* MOVNTI of a value that is in a register. */
static inline void movnti8(void *dst, uint64_t v)
{
	__asm__ volatile("movnti %1, %0" : "=m"(*(pmk_u64_any *)dst) : "r"(v));
}

static void explicit_store8(void *ctx, void *dst, const void *src)
{
	(void)ctx;
	movnti8(dst, *(const pmk_u64_any *)src);
}

static void explicit_store16(void *ctx, void *dst, const void *src)
{
	const pmk_u64_any *v = src;
	uint64_t first = v[0], second = v[1];

	(void)ctx;
	movnti8(dst, first);
	movnti8((char *)dst + 8, second);
}

static void nt_data(void *ctx, void *dst, const void *src, size_t len)
{
	(void)ctx;
	pmk_memcpy_flushcache_any(dst, src, len);
}

/* Line by line, as the kernel does it. */
static void clflushopt_data(void *ctx, void *dst, const void *src, size_t len)
{
	char *d = dst;
	const char *s = src;

	(void)ctx;
	for (; len >= PMK_LINE_SIZE; len -= PMK_LINE_SIZE) {
		memcpy(d, s, PMK_LINE_SIZE);
		pmk_clflushopt(d);
		d += PMK_LINE_SIZE;
		s += PMK_LINE_SIZE;
	}
}

static void sfence(void *ctx, enum wc_barrier which)
{
	(void)ctx;
	(void)which;
	pmk_drain(); /* what @which says: see enum wc_barrier */
}

static int file_read(void *ctx, enum wc_file file, void *buf, size_t len,
		     uint64_t off)
{
	const struct wc_files *f = ctx;
	ssize_t n = pmk_pread_full(f->fd[file], buf, len, off);

	if (n < 0)
		return (int)n;
	return (size_t)n == len ? 0 : -EIO;
}

static int file_write(void *ctx, enum wc_file file, const void *buf, size_t len,
		      uint64_t off)
{
	const struct wc_files *f = ctx;

	return pmk_pwrite_full(f->fd[file], buf, len, off);
}

static int file_sync(void *ctx, enum wc_file file, enum wc_barrier which)
{
	const struct wc_files *f = ctx;

	(void)which;
	return fdatasync(f->fd[file]) ? -errno : 0;
}

static int file_discard(void *ctx, uint64_t off, uint64_t len)
{
	const struct wc_files *f = ctx;
	uint64_t range[2] = { off, len };
	struct stat st;
	int rc;

	if (fstat(f->fd[WC_ORIGIN], &st))
		return -errno;
	if (S_ISBLK(st.st_mode))
		rc = ioctl(f->fd[WC_ORIGIN], BLKDISCARD, range);
	else
		rc = fallocate(f->fd[WC_ORIGIN],
			       FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			       (off_t)off, (off_t)len);
	return rc && errno != EOPNOTSUPP && errno != ENOTTY ? -errno : 0;
}

#define FILES                                                    \
	.fence = sfence, .read = file_read, .write = file_write, \
	.sync = file_sync, .discard = file_discard

static const struct wc_ops ops[] = {
	[PMK_WC_STORE_INLINE] = { .store4 = inline_store4,
				  .store8 = inline_store8,
				  .store16 = inline_store16,
				  .data = nt_data,
				  FILES },
	[PMK_WC_STORE_CALL] = { .store4 = call_store4,
				.store8 = call_store8,
				.store16 = call_store16,
				.data = nt_data,
				FILES },
	[PMK_WC_STORE_EXPLICIT] = { .store4 = inline_store4,
				    .store8 = explicit_store8,
				    .store16 = explicit_store16,
				    .data = nt_data,
				    FILES },
	[PMK_WC_STORE_CLFLUSHOPT] = { .store4 = inline_store4,
				      .store8 = inline_store8,
				      .store16 = inline_store16,
				      .data = clflushopt_data,
				      FILES },
};

static const char *const names[] = {
	[PMK_WC_STORE_INLINE] = "inline",
	[PMK_WC_STORE_CALL] = "call",
	[PMK_WC_STORE_EXPLICIT] = "explicit",
	[PMK_WC_STORE_CLFLUSHOPT] = "clflushopt",
};

/* PMK_WC_STORE_AUTO if there is no such way, or not on this CPU. */
static enum pmk_wc_store choose(enum pmk_wc_store store, uint32_t block_size)
{
	bool can = pmk_cpu_features() & PMK_CPU_CLFLUSHOPT;

	if (store == PMK_WC_STORE_AUTO)
		return can && block_size >= CLFLUSHOPT_LEAST
			       ? PMK_WC_STORE_CLFLUSHOPT
			       : PMK_WC_STORE_INLINE;
	if ((size_t)store >= ARRAY_SIZE(ops) ||
	    (store == PMK_WC_STORE_CLFLUSHOPT && !can))
		return PMK_WC_STORE_AUTO;
	return store;
}

const struct wc_ops *pmk_wc_ops_for(enum pmk_wc_store store,
				    uint32_t block_size)
{
	enum pmk_wc_store chosen = choose(store, block_size);

	return chosen ? &ops[chosen] : NULL;
}

PMK_EXPORT const char *pmk_wc_store_name(enum pmk_wc_store store,
					 uint32_t block_size)
{
	return names[choose(store, block_size)];
}
