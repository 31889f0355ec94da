/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writecache devices as vectors: 1 MiB, blocks of 4096, 254 of them, sequence
 * 10, where nothing else is said; and what kernels 6.1 and 6.12 do with them,
 * as it was seen on both, not as pmk says it.
 */
#ifndef TESTS_GUEST_WC_VECTORS_H
#define TESTS_GUEST_WC_VECTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What becomes of an entry when the kernel resumes the device. */
enum fate {
	NONE = 0,
	SERVED, /* reads of its sector give its block, and it stays */
	ERASED, /* on the medium its sequence is that of a free one */
	FAULTY, /* it stays, and the block that it begins in cannot be read */
	UNSEEN, /* it stays, and no read of the origin's range finds it */
};

struct entry {
	uint64_t i;
	uint64_t sector;
	uint64_t seq;
	enum fate fate;
};

/* Bytes over what has been made so far, little endian. */
struct patch {
	uint32_t off;
	uint32_t len;
	uint64_t value;
};

struct vector {
	const char *name;
	char mode;          /* 'p', 's'; 0: both, with the same result */
	bool blank;         /* nothing is made, the device is zeros */
	uint32_t bytes;     /* of the device; 0: 1 MiB */
	uint32_t at;        /* where it is made, in bytes */
	const char *params; /* of the table; NULL: "4096 0" */
	uint32_t sb_bs;     /* 0: 4096 */
	uint64_t n;         /* 0: 254 */
	uint64_t seq;       /* 0: 10 */
	struct entry entry[4];
	struct patch patch[4];
	/* the result: */
	int error;           /* of the table, an errno; 0: it is loaded */
	const char *message; /* in the kernel's log */
	const char
		*verdict;  /* of pmk; NULL: "loads", with an error "refused" */
	const char *codes; /* of pmk, with blanks between; NULL: any */
};

extern const struct vector vectors[];
extern const size_t n_vectors;

/* What happens to a device in use, in acts.c: all of them. */
void run_acts(char mode);
/* What leaves a process that hangs, and its device, in hangs.c: the last. */
void run_hangs(char mode, const char *pmk);

/* In vectors.c, for acts.c: */

#define CACHE_BYTES  (1U << 20)
#define ORIGIN_BYTES (1U << 20)
#define BLOCK        4096U
#define N_BLOCKS     254U
#define DATA_OFF     8192U

/* Put the vector on the medium. */
void place(const struct vector *v);
/* The origin is 1 MiB of 'o'. */
void fill_origin(void);
/* Map it: the minor number of the writecache device with the options, or
 * -errno. */
int map(char mode, const char *params);
void unmap(void);
/* The name of that device. */
const char *wc_device(void);
/* From here on other names, so that devices that cannot be removed stay;
 * another origin; and another size of the writecache device. */
void leave(const char *next_cache, const char *next_wc, const char *next_origin,
	   uint64_t next_bytes);
/* The medium of the cache, or the origin. */
const char *cache_path(void);
const char *origin_path(void);
uint64_t medium_seq(void);
struct entry medium_entry(uint64_t i);
/* pmk wc check says so of a device in mode s. */
void check_predicted(const char *device, const char *verdict,
		     const char *codes);
/* Field 1, 2, ... of the status line. */
unsigned long status_field(unsigned int i);

#endif /* TESTS_GUEST_WC_VECTORS_H */
