/* SPDX-License-Identifier: BSD-3-Clause */
/* Local ownership: a variable that releases what it holds when it leaves. */
#ifndef LIB_BASE_CLEANUP_H
#define LIB_BASE_CLEANUP_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void pmk_cleanup_free(void *p)
{
	free(*(void **)p);
}

static inline void pmk_cleanup_fd(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void pmk_cleanup_file(FILE **f)
{
	if (*f)
		fclose(*f);
}

#define _cleanup_free_ __attribute__((cleanup(pmk_cleanup_free)))
#define _cleanup_fd_   __attribute__((cleanup(pmk_cleanup_fd)))
#define _cleanup_file_ __attribute__((cleanup(pmk_cleanup_file)))

#endif /* LIB_BASE_CLEANUP_H */
