/* SPDX-License-Identifier: BSD-3-Clause */
/* A record log inside the library. */
#ifndef LIB_RLOG_RLOG_IMPL_H
#define LIB_RLOG_RLOG_IMPL_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/rlog.h>

#include "rlog/format.h"

/*
 * A state line promises that nothing was written from its limit on.  The limit
 * moves in windows of this many bytes: a larger window means fewer state lines
 * and reservations, and more to scan for damage behind the end of a log.
 */
#define RLOG_WINDOW ((uint64_t)1 << 20)

struct pmk_rlog {
	struct pmk_map *map;
	bool own_map;
	bool writer;
	bool broken;    /* an append could not be made durable */
	bool bad_super; /* one of the two super blocks is damaged */
	int lock_fd;    /* holds the writer's flock(), or -1 */
	unsigned char *base;
	uint64_t avail; /* bytes of the log that are there, whole lines */
	struct rlog_super super;
	struct rlog_state state;
	unsigned int valid_states; /* of 2; 0: @state is a stand-in */
	bool limit_known; /* no state line with a larger limit can be lost */
	/* writer: where the next record goes, and its number */
	uint64_t tail;
	uint64_t number;
};

/* A record found in the log. */
struct rlog_found {
	uint64_t off;
	uint64_t end;   /* offset behind it */
	uint64_t batch; /* offset of the first record of its batch */
	struct rlog_header header;
	const unsigned char *data;
};

enum rlog_verdict {
	RLOG_NONE, /* nothing with a sound header starts here */
	RLOG_GOOD,
	RLOG_DAMAGED, /* sound header, but not the rest; @end is right */
	/* cannot be read; @end is the record's if its header is sound, else
	 * where to look next */
	RLOG_UNREADABLE,
};

/*
 * look.c: reads of the log under guard.  Offsets are multiples of RLOG_LINE.
 */
/* What lies at @off. */
enum rlog_verdict pmk_rlog_look(const struct pmk_rlog *log, uint64_t off,
				struct rlog_found *found_ret);
/* The first line from @off on that may begin a record, and that can be read;
 * @end if there is none before it. */
uint64_t pmk_rlog_skip_blank(const struct pmk_rlog *log, uint64_t off,
			     uint64_t end);
/* Behind the last line before @end that is not zero, as far as lines can be
 * read; @off if all from there on are. */
uint64_t pmk_rlog_written_end(const struct pmk_rlog *log, uint64_t off,
			      uint64_t end);
/* The first page from @off on that can not be read, or that can; @end if there
 * is none before it. */
uint64_t pmk_rlog_readable_end(const struct pmk_rlog *log, uint64_t off,
			       uint64_t end);
uint64_t pmk_rlog_unreadable_end(const struct pmk_rlog *log, uint64_t off,
				 uint64_t end);

/* rlog.c: how much of the log is there; less if the file has been cut off. */
void pmk_rlog_load_avail(struct pmk_rlog *log);

/* state.c: read the newer of the valid state lines. */
void pmk_rlog_load_state(struct pmk_rlog *log);
/* state.c: store the next state line; durable after a drain of its range.  The
 * line that counts now stays untouched. */
void pmk_rlog_store_state(struct pmk_rlog *log, const struct rlog_state *next);
/* state.c: the same, durable on return 0. */
int pmk_rlog_commit_state(struct pmk_rlog *log, const struct rlog_state *next);

/* lock.c: take the writer's lock of a mapping, which is the log's own or its
 * caller's; a descriptor for pmk_rlog_unlock(), PMK_E_LOG_LOCKED or -errno. */
int pmk_rlog_lock(struct pmk_map *map, bool own_map);
/* lock.c: the same on a file that is open; 0 or a negative code. */
int pmk_rlog_lock_fd(int fd);
/* lock.c: release it, and close the descriptor. */
void pmk_rlog_unlock(int fd);

/* space.c: make the file system promise blocks for a range of the log.  0 or
 * -errno. */
int pmk_rlog_reserve(struct pmk_map *map, uint64_t from, uint64_t to);
/* space.c: move the limit so that records up to @end may be written, if
 * possible with half a window to spare.  *@stored_ret: a state line was stored
 * that the caller must drain. */
int pmk_rlog_extend(struct pmk_rlog *log, uint64_t end, bool *stored_ret);

#endif /* LIB_RLOG_RLOG_IMPL_H */
