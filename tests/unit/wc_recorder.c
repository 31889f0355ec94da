/* SPDX-License-Identifier: BSD-3-Clause */
/* A medium that remembers what is not durable yet. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "wc_recorder.h"

#define WORD 8U

static void copy_words(unsigned char *dst, const unsigned char *src, size_t len,
		       enum unit_words words)
{
	if (words == UNIT_WHOLE) {
		memcpy(dst, src, len);
		return;
	}
	for (size_t i = words == UNIT_ODD ? WORD : 0; i < len; i += 2 * WORD)
		memcpy(dst + i, src + i, WORD);
}

static void add_unit(struct recorder *r, enum wc_file file, size_t off,
		     const void *src, size_t len, enum unit_words words)
{
	struct unit *u = &r->pending[r->n_pending];

	assert_true(r->n_pending < RECORDER_UNITS);
	assert_true(len <= sizeof(u->bytes) && off + len <= r->m.bytes[file]);
	*u = (struct unit){ .file = file, .off = off, .len = len };
	u->words = words;
	memcpy(u->bytes, src, len);
	copy_words(r->m.now[file] + off, src, len, words);
	r->n_pending++;
}

static void apply(struct media *m, const struct unit *u, bool to_now)
{
	unsigned char *base = to_now ? m->now[u->file] : m->sure[u->file];

	copy_words(base + u->off, u->bytes, u->len, u->words);
}

/* The units of a file are durable, in order; the others stay. */
static void make_sure(struct recorder *r, enum wc_file file)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_pending; i++)
		if (r->pending[i].file == file)
			apply(&r->m, &r->pending[i], false);
		else
			r->pending[n++] = r->pending[i];
	r->n_pending = n;
}

static void barrier(struct recorder *r, enum wc_file file,
		    enum wc_barrier which)
{
	if (r->crash)
		r->crash(r->arg);
	if (which == r->drop)
		r->dropped++;
	else
		make_sure(r, file);
}

static size_t cache_off(const struct recorder *r, const void *dst)
{
	return (size_t)((const unsigned char *)dst - r->m.now[WC_CACHE]);
}

static void rec_store4(void *ctx, void *dst, const void *src)
{
	add_unit(ctx, WC_CACHE, cache_off(ctx, dst), src, 4, UNIT_WHOLE);
}

static void rec_store8(void *ctx, void *dst, const void *src)
{
	assert_int_equal((uintptr_t)dst % WORD, 0);
	add_unit(ctx, WC_CACHE, cache_off(ctx, dst), src, 8, UNIT_WHOLE);
}

/* Two words: what is stored as 16 bytes is not atomic. */
static void rec_store16(void *ctx, void *dst, const void *src)
{
	rec_store8(ctx, dst, src);
	rec_store8(ctx, (char *)dst + WORD, (const char *)src + WORD);
}

static void rec_data(void *ctx, void *dst, const void *src, size_t len)
{
	struct recorder *r = ctx;
	size_t off = cache_off(r, dst);

	for (size_t i = 0; i < len; i += 512) {
		const char *s = (const char *)src + i;

		if (r->whole_data) {
			add_unit(r, WC_CACHE, off + i, s, 512, UNIT_WHOLE);
			continue;
		}
		add_unit(r, WC_CACHE, off + i, s, 512, UNIT_EVEN);
		add_unit(r, WC_CACHE, off + i, s, 512, UNIT_ODD);
	}
}

static void rec_fence(void *ctx, enum wc_barrier which)
{
	barrier(ctx, WC_CACHE, which);
}

static int media_read(const struct media *m, enum wc_file file, void *buf,
		      size_t len, uint64_t off)
{
	if (off > m->bytes[file] || len > m->bytes[file] - off)
		return -EIO;
	memcpy(buf, m->now[file] + off, len);
	return 0;
}

static int rec_read(void *ctx, enum wc_file file, void *buf, size_t len,
		    uint64_t off)
{
	const struct recorder *r = ctx;

	return media_read(&r->m, file, buf, len, off);
}

static int rec_write(void *ctx, enum wc_file file, const void *buf, size_t len,
		     uint64_t off)
{
	struct recorder *r = ctx;
	const unsigned char *src = buf;

	if (r->error[file])
		return r->error[file];
	assert_true(off + len <= r->m.bytes[file] && off % 512 == 0);
	for (size_t i = 0; i < len; i += 512) {
		size_t n = len - i < 512 ? len - i : 512;

		if (memcmp(r->m.now[file] + off + i, src + i, n))
			add_unit(r, file, off + i, src + i, n, UNIT_WHOLE);
	}
	return 0;
}

static int rec_sync(void *ctx, enum wc_file file, enum wc_barrier which)
{
	struct recorder *r = ctx;

	if (r->error[file])
		return r->error[file];
	barrier(r, file, which);
	return 0;
}

static int no_discard(void *ctx, uint64_t off, uint64_t len)
{
	(void)ctx;
	(void)off;
	(void)len;
	return 0;
}

static const struct wc_ops recording = {
	.store4 = rec_store4,
	.store8 = rec_store8,
	.store16 = rec_store16,
	.data = rec_data,
	.fence = rec_fence,
	.read = rec_read,
	.write = rec_write,
	.sync = rec_sync,
	.discard = no_discard,
};

/* Without recording: plain stores. */

static void plain_store4(void *ctx, void *dst, const void *src)
{
	(void)ctx;
	memcpy(dst, src, 4);
}

static void plain_store8(void *ctx, void *dst, const void *src)
{
	(void)ctx;
	memcpy(dst, src, 8);
}

static void plain_store16(void *ctx, void *dst, const void *src)
{
	(void)ctx;
	memcpy(dst, src, 16);
}

static void plain_data(void *ctx, void *dst, const void *src, size_t len)
{
	(void)ctx;
	memcpy(dst, src, len);
}

static void plain_fence(void *ctx, enum wc_barrier which)
{
	(void)ctx;
	(void)which;
}

static int plain_read(void *ctx, enum wc_file file, void *buf, size_t len,
		      uint64_t off)
{
	return media_read(ctx, file, buf, len, off);
}

static int plain_write(void *ctx, enum wc_file file, const void *buf,
		       size_t len, uint64_t off)
{
	struct media *m = ctx;

	assert_true(off + len <= m->bytes[file]);
	memcpy(m->now[file] + off, buf, len);
	return 0;
}

static int plain_sync(void *ctx, enum wc_file file, enum wc_barrier which)
{
	(void)ctx;
	(void)file;
	(void)which;
	return 0;
}

static const struct wc_ops plain = {
	.store4 = plain_store4,
	.store8 = plain_store8,
	.store16 = plain_store16,
	.data = plain_data,
	.fence = plain_fence,
	.read = plain_read,
	.write = plain_write,
	.sync = plain_sync,
	.discard = no_discard,
};

void recorder_init(struct recorder *r, char mode, size_t cache_bytes,
		   size_t origin_bytes)
{
	memset(r, 0, sizeof(*r));
	assert_true(cache_bytes <= RECORDER_BYTES &&
		    origin_bytes <= RECORDER_BYTES);
	r->mode = mode;
	r->m.bytes[WC_CACHE] = cache_bytes;
	r->m.bytes[WC_ORIGIN] = origin_bytes;
	r->drop = WC_BARRIERS;
}

void recorder_settle(struct recorder *r)
{
	r->n_pending = 0;
	for (int f = 0; f < 2; f++)
		memcpy(r->m.sure[f], r->m.now[f], r->m.bytes[f]);
}

static struct wc_target target(struct media *m, char mode,
			       const struct wc_ops *ops, void *ctx)
{
	return (struct wc_target){
		.mode = mode,
		.base = m->now[WC_CACHE],
		.bytes = m->bytes[WC_CACHE],
		.has_origin = true,
		.origin_bytes = m->bytes[WC_ORIGIN],
		.ops = ops,
		.ctx = ctx,
	};
}

struct wc_target recorder_target(struct recorder *r)
{
	return target(&r->m, r->mode, &recording, r);
}

struct wc_target media_target(struct media *m, char mode)
{
	return target(m, mode, &plain, m);
}

void recorder_image(const struct recorder *r, const unsigned char *kept,
		    struct media *image)
{
	for (int f = 0; f < 2; f++) {
		image->bytes[f] = r->m.bytes[f];
		memcpy(image->now[f], r->m.sure[f], r->m.bytes[f]);
	}
	for (size_t i = 0; i < r->n_pending; i++)
		if (kept[i])
			apply(image, &r->pending[i], true);
}
