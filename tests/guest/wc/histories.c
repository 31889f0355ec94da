/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random histories: sessions of the kernel and of the engine take turns on the
 * same cache and origin, and each ends by a crash or cleanly.  After each of
 * them both sides recover the same bytes, and must read the same, which is what
 * the model allows.
 * Usage: histories MEDIUM COUNT; PMK_TEST_SEED repeats a run.
 *
 * Blocks of which a commit made one version durable and that were written again
 * may be either after a crash: in mode s they are overwritten in place; and
 * where the kernel writes back in the background, it commits before.  A strict
 * history has neither: then only the last commit counts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dm.h"
#include "history.h"
#include "rig.h"

#define ORIGIN_BYTES (256U << 10)
#define CACHE_BYTES  (512U << 10)
#define MOST_WRITE   4U

static unsigned char *io; /* of MOST_WRITE blocks */

/* Say which history it was, once. */
static bool good(struct history *h, const struct side *side, int rc,
		 const char *what)
{
	return check(!rc, "history %u, block size %zu, mode %c%s: %s: %s: %d",
		     h->number, h->bs, h->mode, h->strict ? ", strict" : "",
		     side->name, what, rc);
}

/* --- operations */

static bool do_write(struct history *h, const struct side *side)
{
	size_t n = 1 + rng_below(&h->rng, MOST_WRITE);
	size_t block = rng_below(&h->rng, h->m.n - n + 1);

	for (size_t i = 0; i < n; i++) {
		model_write(&h->m, block + i, ++h->versions);
		model_fill(h->versions, block + i, io + i * h->bs, h->bs);
	}
	return good(h, side, side->write(h, block, n, io), "write");
}

/* The version that a side reads, -1 if none. */
static int64_t version(struct history *h, const struct side *side, size_t block)
{
	if (!good(h, side, side->read(h, block, io), "read"))
		return -1;
	return model_version(block, io, h->bs);
}

static bool do_read(struct history *h, const struct side *side)
{
	size_t block = rng_below(&h->rng, h->m.n);
	int64_t v = version(h, side, block);

	return check(v == h->m.now[block],
		     "history %u: %s reads version %lld of block %zu, not %u",
		     h->number, side->name, (long long)v, block,
		     h->m.now[block]);
}

static bool do_discard(struct history *h, const struct side *side)
{
	size_t n = 1 + rng_below(&h->rng, MOST_WRITE);
	size_t block = rng_below(&h->rng, h->m.n - n + 1);
	int64_t v;

	if (!good(h, side, side->discard(h, block, n), "discard"))
		return false;
	for (size_t i = block; i < block + n; i++) {
		v = version(h, side, i);
		if (!check(v >= 0 && model_discarded(&h->m, i, (uint32_t)v),
			   "history %u: block %zu, discarded, is version %lld",
			   h->number, i, (long long)v))
			return false;
	}
	return true;
}

static bool do_commit(struct history *h, const struct side *side)
{
	model_commit(&h->m);
	return good(h, side, side->commit(h), "commit");
}

static bool do_clean(struct history *h, const struct side *side)
{
	model_commit(&h->m);
	return good(h, side, side->clean(h), "clean");
}

static bool do_any(struct history *h, const struct side *side)
{
	size_t dice = rng_below(&h->rng, 20);

	return dice < 11   ? do_write(h, side)
	       : dice < 14 ? do_commit(h, side)
	       : dice < 16 ? do_discard(h, side)
	       : dice < 19 ? do_read(h, side)
			   : do_clean(h, side);
}

/* --- sessions */

static bool run_session(struct history *h, const struct side *side, bool crash)
{
	size_t ops = 4 + rng_below(&h->rng, 16);

	if (!good(h, side, side->open(h), "open"))
		return false;
	for (size_t i = 0; i < ops; i++)
		if (!do_any(h, side)) {
			side->close(h);
			return false;
		}
	if (crash)
		return good(h, side, side->crash(h), "crash");
	model_commit(&h->m);
	return good(h, side, side->close(h), "close");
}

/* Recover, and read all. */
static bool read_all(struct history *h, const struct side *side,
		     uint32_t *versions)
{
	int64_t v = 0;

	if (!good(h, side, side->open(h), "recover"))
		return false;
	for (size_t i = 0; i < h->m.n && v >= 0; i++) {
		v = version(h, side, i);
		versions[i] = (uint32_t)v;
		check(v >= 0, "history %u: %s: block %zu has no version",
		      h->number, side->name, i);
	}
	return good(h, side, side->close(h), "close") && v >= 0;
}

/* Both recover the same; what the model says of it. */
static bool recover(struct history *h, bool crash)
{
	uint32_t kernel[MOST_BLOCKS], engine[MOST_BLOCKS];
	unsigned char *saved = buffer(h->cache_bytes);
	bool strict = h->strict && h->mode == 'p', done;
	int rc = dev_read(h->cache, 0, saved, h->cache_bytes);

	h->mode = rng_below(&h->rng, 2) ? 'p' : 's';
	done = !rc && read_all(h, &engine_side, engine) &&
	       !dev_write(h->cache, 0, saved, h->cache_bytes);
	h->mode = rng_below(&h->rng, 2) ? 'p' : 's';
	done = done && read_all(h, &kernel_side, kernel);
	free(saved);
	for (size_t i = 0; i < h->m.n && done; i++)
		done = check(kernel[i] == engine[i] &&
				     model_may_be(&h->m, i, kernel[i],
						  strict || !crash),
			     "history %u: block %zu: kernel reads %u, engine "
			     "%u, committed was %u, now %u",
			     h->number, i, kernel[i], engine[i],
			     h->m.durable[i], h->m.now[i]);
	if (done)
		model_crashed(&h->m, kernel);
	return check(done, "history %u: recovery", h->number);
}

/* --- histories */

static void begin(struct history *h)
{
	static const size_t sizes[] = { 512, 1024, 2048, 4096 };
	static const uint64_t starts[] = { 0, 0, 8, 1 };
	int minor;

	h->bs = sizes[rng_below(&h->rng, 4)];
	h->strict = rng_below(&h->rng, 2);
	h->start = starts[rng_below(&h->rng, 4)];
	model_init(&h->m, h->bs == 4096 ? 48 : MOST_BLOCKS);
	h->origin_bytes = h->m.n * h->bs;
	/* room for all, or for a third of it: blocks are written back then */
	h->cache_bytes = h->start * SECTOR + 8192 +
			 h->bs * (h->strict ? 2 * h->m.n + 64 : h->m.n / 3);
	/* whole pages, or it is no DAX device, which 6.1.192 does not survive
	 */
	h->cache_bytes = (h->cache_bytes + 4095) & ~4095UL;
	memset(h->a, 0, CACHE_BYTES + ORIGIN_BYTES);
	minor = dm_make_one("cache", "linear", h->cache_bytes / SECTOR, "%s 0",
			    h->medium);
	if (minor < 0)
		die("linear: %d", minor);
	snprintf(h->cache, sizeof(h->cache), "/dev/dm-%d", minor);
	if (dev_write(h->cache, 0, h->a, h->cache_bytes) ||
	    dev_write(h->origin, 0, h->a, h->origin_bytes))
		die("cannot write to the devices");
}

static void run_history(struct history *h, unsigned long *crashes)
{
	size_t sessions = 2 + rng_below(&h->rng, 3);
	bool kernel = rng_below(&h->rng, 2), crash, going = true;

	begin(h);
	for (size_t i = 0; i < sessions && going; i++, kernel = !kernel) {
		crash = rng_below(&h->rng, 3) > 0;
		*crashes += crash;
		h->mode = rng_below(&h->rng, 2) ? 'p' : 's';
		going = run_session(h, kernel ? &kernel_side : &engine_side,
				    crash) &&
			recover(h, crash);
	}
	if (dm_remove("cache"))
		die("cache stays");
}

int main(int argc, char **argv)
{
	unsigned long n, crashes = 0;
	struct history h = { 0 };
	char text[64];

	if (argc != 3)
		return 2;
	n = strtoul(argv[2], NULL, 10);
	rng_init(&h.rng, "histories");
	h.medium = argv[1];
	h.origin = loop_on("/tmp/origin", ORIGIN_BYTES);
	h.a = buffer(CACHE_BYTES + ORIGIN_BYTES);
	h.b = buffer(ORIGIN_BYTES);
	io = buffer(MOST_WRITE * 4096);
	for (h.number = 1; h.number <= n; h.number++)
		run_history(&h, &crashes);
	snprintf(text, sizeof(text), "%lu histories with %lu crashes", n,
		 crashes);
	return finish(text);
}
