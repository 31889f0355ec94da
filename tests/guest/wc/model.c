/* SPDX-License-Identifier: BSD-3-Clause */
/* What blocks of the origin may hold, see history.h. */
#include <stdio.h>
#include <string.h>

#include "model.h"
#include "rig.h"

void model_init(struct model *m, size_t n)
{
	memset(m, 0, sizeof(*m));
	m->n = n;
}

/* Its number and that of the block, in every 8 bytes. */
static uint64_t word(uint32_t version, size_t block)
{
	return version ? (uint64_t)version << 32 | (block + 1) : 0;
}

void model_fill(uint32_t version, size_t block, unsigned char *p, size_t len)
{
	for (size_t i = 0; i < len; i += 8)
		put_le(p + i, word(version, block), 8);
}

int64_t model_version(size_t block, const unsigned char *p, size_t len)
{
	uint32_t version = (uint32_t)get_le(p + 4, 4);

	for (size_t i = 0; i < len; i += 8)
		if (get_le(p + i, 8) != word(version, block))
			return -1;
	return version;
}

void model_write(struct model *m, size_t block, uint32_t version)
{
	m->now[block] = version;
	if (m->n_alts[block] == MOST_ALTS)
		die("a block was written too often");
	m->alt[block][m->n_alts[block]++] = version;
}

void model_commit(struct model *m)
{
	memcpy(m->durable, m->now, sizeof(m->durable));
	memset(m->n_alts, 0, sizeof(m->n_alts));
}

/* It is in no cache any more; what the origin made of it is in @version. */
bool model_discarded(struct model *m, size_t block, uint32_t version)
{
	bool old = version <= m->now[block];

	m->now[block] = version;
	m->durable[block] = version;
	m->n_alts[block] = 0;
	return old;
}

bool model_may_be(const struct model *m, size_t block, uint32_t version,
		  bool strict)
{
	if (version == m->durable[block])
		return true;
	for (size_t i = 0; i < m->n_alts[block] && !strict; i++)
		if (version == m->alt[block][i])
			return true;
	return false;
}

void model_crashed(struct model *m, const uint32_t *versions)
{
	memcpy(m->now, versions, m->n * sizeof(*versions));
	model_commit(m);
}
