/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The record log on media, version 1: docs/rlog-format.md in C.
 *
 * Structures here are decoded copies; the encoders and decoders in format.c are
 * pure and are the only code that knows offsets within them.
 */
#ifndef LIB_RLOG_FORMAT_H
#define LIB_RLOG_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RLOG_VERSION 1
#define RLOG_LINE    64U
/* Where records begin: behind the header page. */
#define RLOG_DATA 4096U
/* Record header; the payload follows it directly. */
#define RLOG_HEADER 32U
/* Payload bytes that share the line of their header. */
#define RLOG_INLINE (RLOG_LINE - RLOG_HEADER)

/* The header page: each structure is one line, twice, in different 256-byte
 * units of media and different halves of the page. */
#define RLOG_SUPER_A 0U
#define RLOG_STATE_A 1024U
#define RLOG_SUPER_B 2048U
#define RLOG_STATE_B 3072U

#define RLOG_SUPER_EMULATED (1U << 0)
#define RLOG_STATE_CLEAN    (1U << 0)

/* Super block: written once. */
struct rlog_super {
	uint32_t version;
	uint32_t flags;  /* RLOG_SUPER_* */
	uint64_t size;   /* bytes of the log */
	uint64_t id;     /* random; part of every checksum */
	uint32_t domain; /* emulated: enum pmk_domain */
};

/* State line: two slots, written in turn; the newer valid one counts. */
struct rlog_state {
	uint64_t generation; /* its last bit is the slot */
	uint32_t epoch;      /* writers that opened the log so far */
	uint32_t flags;      /* RLOG_STATE_* */
	uint64_t committed;  /* every record before this offset was durable */
	uint64_t number;     /* of the record at @committed */
	uint64_t limit;      /* nothing was ever written from here on */
};

struct rlog_header {
	uint64_t sum;    /* of the payload, seeded with the header's hash */
	uint64_t number; /* from 1 */
	uint32_t len;    /* payload bytes */
	uint32_t epoch;  /* of the writer */
	uint32_t back;   /* lines back to the first record of the batch */
};

enum rlog_super_verdict {
	RLOG_SUPER_GOOD,
	RLOG_SUPER_NOT,     /* no magic: not a log */
	RLOG_SUPER_NEWER,   /* sound, but of a later version */
	RLOG_SUPER_DAMAGED, /* magic without a sound rest */
	RLOG_SUPER_UNREADABLE,
};

void pmk_rlog_put_super(unsigned char line[RLOG_LINE],
			const struct rlog_super *super);
enum rlog_super_verdict pmk_rlog_get_super(const unsigned char line[RLOG_LINE],
					   struct rlog_super *super_ret);

void pmk_rlog_put_state(unsigned char line[RLOG_LINE],
			const struct rlog_state *state, uint64_t id);
/* True if the line is a state of the log @super. */
bool pmk_rlog_get_state(const unsigned char line[RLOG_LINE],
			const struct rlog_super *super,
			struct rlog_state *state_ret);

/* Encode the header of @payload into the RLOG_HEADER bytes at @bytes, which is
 * 16-byte aligned.  @len_epoch: the payload's bytes, and the writer's epoch
 * above them; @seed: the log's id plus the record's offset. */
void pmk_rlog_put_header(void *bytes, uint64_t number, uint64_t len_epoch,
			 uint32_t back, const void *payload, uint64_t seed);
/* Decode what may be a header at @off.  True if its own checksum is right;
 * then *@seed_ret is what the payload's checksum is seeded with. */
bool pmk_rlog_get_header(const unsigned char bytes[RLOG_HEADER], uint64_t id,
			 uint64_t off, struct rlog_header *header_ret,
			 uint64_t *seed_ret);
/* Checksum of a payload. */
uint64_t pmk_rlog_payload_sum(const void *payload, size_t len, uint64_t seed);

/* Bytes of a record on media. */
static inline uint64_t pmk_rlog_record_bytes(uint64_t len)
{
	return (RLOG_HEADER + len + RLOG_LINE - 1) & ~(uint64_t)(RLOG_LINE - 1);
}

#endif /* LIB_RLOG_FORMAT_H */
