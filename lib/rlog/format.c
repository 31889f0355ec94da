/* SPDX-License-Identifier: BSD-3-Clause */
/* Encode and decode the record log's structures; see format.h. */
#define XXH_INLINE_ALL
#include <emmintrin.h>
#include <string.h>
#include <xxhash.h>

#include <pmk/map.h>
#include <pmk/rlog.h>

#include "base/endian.h"
#include "base/util.h"
#include "rlog/format.h"

/* "pmkrlog" and a newline, which a text-mode copy would change. */
static const unsigned char magic[8] = {
	'p', 'm', 'k', 'r', 'l', 'o', 'g', '\n'
};

/* Super block and state line: the checksum is their last word. */
#define SUM_OFF 56U

/* Offsets in the super block; the words at 44 and 48 are zero. */
#define SUPER_VERSION 8U
#define SUPER_FLAGS   12U
#define SUPER_SIZE    16U
#define SUPER_ID      24U
#define SUPER_DATA    32U
#define SUPER_DOMAIN  40U

/* Offsets in the state line; the words at 40 and 48 are zero. */
#define STATE_GENERATION 0U
#define STATE_EPOCH      8U
#define STATE_FLAGS      12U
#define STATE_COMMITTED  16U
#define STATE_NUMBER     24U
#define STATE_LIMIT      32U

/* Offsets in a record header. */
#define HEADER_SUM    0U
#define HEADER_NUMBER 8U
#define HEADER_LEN    16U
#define HEADER_EPOCH  20U
#define HEADER_BACK   24U
#define HEADER_HASH   28U
/* What its hash covers: number, len, epoch, back. */
#define HASHED_OFF   HEADER_NUMBER
#define HASHED_BYTES (HEADER_HASH - HEADER_NUMBER)

_Static_assert(HEADER_HASH + 4 == RLOG_HEADER, "record header is 32 bytes");
_Static_assert(SUM_OFF + 8 == RLOG_LINE, "checksum ends the line");

void pmk_rlog_put_super(unsigned char line[RLOG_LINE],
			const struct rlog_super *super)
{
	memset(line, 0, RLOG_LINE);
	memcpy(line, magic, sizeof(magic));
	pmk_put_le32(line + SUPER_VERSION, super->version);
	pmk_put_le32(line + SUPER_FLAGS, super->flags);
	pmk_put_le64(line + SUPER_SIZE, super->size);
	pmk_put_le64(line + SUPER_ID, super->id);
	pmk_put_le64(line + SUPER_DATA, RLOG_DATA);
	pmk_put_le32(line + SUPER_DOMAIN, super->domain);
	pmk_put_le64(line + SUM_OFF, XXH3_64bits(line, SUM_OFF));
}

/* A checksum only proves that the line is as it was written, by anyone. */
static bool super_is_sane(const struct rlog_super *s, uint64_t data_off)
{
	return data_off == RLOG_DATA && s->size >= PMK_RLOG_MIN_SIZE &&
	       pmk_is_aligned(s->size, RLOG_LINE) &&
	       !(s->flags & ~RLOG_SUPER_EMULATED) &&
	       s->domain <= PMK_DOMAIN_MEMORY_CONTROLLER;
}

enum rlog_super_verdict pmk_rlog_get_super(const unsigned char line[RLOG_LINE],
					   struct rlog_super *super_ret)
{
	struct rlog_super s = {
		.version = pmk_get_le32(line + SUPER_VERSION),
		.flags = pmk_get_le32(line + SUPER_FLAGS),
		.size = pmk_get_le64(line + SUPER_SIZE),
		.id = pmk_get_le64(line + SUPER_ID),
		.domain = pmk_get_le32(line + SUPER_DOMAIN),
	};

	if (memcmp(line, magic, sizeof(magic)))
		return RLOG_SUPER_NOT;
	if (pmk_get_le64(line + SUM_OFF) != XXH3_64bits(line, SUM_OFF))
		return RLOG_SUPER_DAMAGED;
	if (s.version != RLOG_VERSION)
		return RLOG_SUPER_NEWER;
	if (!super_is_sane(&s, pmk_get_le64(line + SUPER_DATA)))
		return RLOG_SUPER_DAMAGED;
	*super_ret = s;
	return RLOG_SUPER_GOOD;
}

void pmk_rlog_put_state(unsigned char line[RLOG_LINE],
			const struct rlog_state *state, uint64_t id)
{
	memset(line, 0, RLOG_LINE);
	pmk_put_le64(line + STATE_GENERATION, state->generation);
	pmk_put_le32(line + STATE_EPOCH, state->epoch);
	pmk_put_le32(line + STATE_FLAGS, state->flags);
	pmk_put_le64(line + STATE_COMMITTED, state->committed);
	pmk_put_le64(line + STATE_NUMBER, state->number);
	pmk_put_le64(line + STATE_LIMIT, state->limit);
	pmk_put_le64(line + SUM_OFF, XXH3_64bits_withSeed(line, SUM_OFF, id));
}

bool pmk_rlog_get_state(const unsigned char line[RLOG_LINE],
			const struct rlog_super *super,
			struct rlog_state *state_ret)
{
	struct rlog_state s = {
		.generation = pmk_get_le64(line + STATE_GENERATION),
		.epoch = pmk_get_le32(line + STATE_EPOCH),
		.flags = pmk_get_le32(line + STATE_FLAGS),
		.committed = pmk_get_le64(line + STATE_COMMITTED),
		.number = pmk_get_le64(line + STATE_NUMBER),
		.limit = pmk_get_le64(line + STATE_LIMIT),
	};

	if (pmk_get_le64(line + SUM_OFF) !=
	    XXH3_64bits_withSeed(line, SUM_OFF, super->id))
		return false;
	if (s.committed < RLOG_DATA || s.limit < s.committed ||
	    s.limit > super->size || !s.number ||
	    !pmk_is_aligned(s.committed | s.limit, RLOG_LINE))
		return false;
	*state_ret = s;
	return true;
}

uint64_t pmk_rlog_payload_sum(const void *payload, size_t len, uint64_t seed)
{
	return XXH3_64bits_withSeed(payload, len, seed);
}

/*
 * The header's own hash: of its number, len, epoch and back, and four zero
 * bytes in the place of the hash.  The log's id plus the record's offset is the
 * seed, so that a record is sound in its own place only.
 *
 * Taken from registers, not from the encoded bytes: there, 8-byte loads would
 * overlap 4-byte fields that have just been stored, and such a load waits until
 * the stores have reached the cache, which is after the last append's fence.
 * Measured on DRAM: a durable append of 64 bytes 251 against 222 ns, in a batch
 * of 64 45 against 20 ns.
 */
static uint64_t header_hash(uint64_t number, uint64_t len_epoch, uint32_t back,
			    uint64_t seed)
{
	uint64_t words[3] = { htole64(number), htole64(len_epoch),
			      htole64(back) };

	return XXH3_64bits_withSeed(words, sizeof(words), seed);
}

void pmk_rlog_put_header(void *bytes, uint64_t number, uint64_t len_epoch,
			 uint32_t back, const void *payload, uint64_t seed)
{
	uint64_t hash = header_hash(number, len_epoch, back, seed);
	uint64_t sum = XXH3_64bits_withSeed(payload, (uint32_t)len_epoch, hash);
	__m128i *half = bytes;

	/* 16 bytes at a time, as a kernel will load them */
	_mm_store_si128(half,
			_mm_set_epi64x((long long)number, (long long)sum));
	_mm_store_si128(half + 1, _mm_set_epi64x((long long)(back | hash << 32),
						 (long long)len_epoch));
}

bool pmk_rlog_get_header(const unsigned char bytes[RLOG_HEADER], uint64_t id,
			 uint64_t off, struct rlog_header *header_ret,
			 uint64_t *seed_ret)
{
	struct rlog_header h = {
		.sum = pmk_get_le64(bytes + HEADER_SUM),
		.number = pmk_get_le64(bytes + HEADER_NUMBER),
		.len = pmk_get_le32(bytes + HEADER_LEN),
		.epoch = pmk_get_le32(bytes + HEADER_EPOCH),
		.back = pmk_get_le32(bytes + HEADER_BACK),
	};
	uint64_t hash;

	if (!h.number) /* most of the time: space never written */
		return false;
	hash = header_hash(h.number, pmk_get_le64(bytes + HEADER_LEN), h.back,
			   id + off);
	if (pmk_get_le32(bytes + HEADER_HASH) != (uint32_t)hash)
		return false;
	*header_ret = h;
	*seed_ret = hash;
	return true;
}
