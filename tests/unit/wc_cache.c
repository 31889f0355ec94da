/* SPDX-License-Identifier: BSD-3-Clause */
/* Caches as files. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wc_cache.h"

#define MAX_FILES 512
static char paths[MAX_FILES][64];
static unsigned int n_paths;

static void need(int ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	abort();
}

static void remove_all(void)
{
	for (unsigned int i = 0; i < n_paths; i++)
		unlink(paths[i]);
}

const char *cache_temp(void)
{
	char *path = paths[n_paths];
	int fd;

	if (!n_paths)
		atexit(remove_all);
	need(n_paths < MAX_FILES, "too many files");
	strcpy(path, "/tmp/pmk-wc-XXXXXX");
	fd = mkstemp(path);
	need(fd >= 0, path);
	close(fd);
	n_paths++;
	return path;
}

const char *cache_golden(const char *name)
{
	const char *path = cache_temp();
	char command[4096];

	snprintf(command, sizeof(command), "xz -dc '%s/%s.img.xz' >%s",
		 PMK_TEST_GOLDEN_WC, name, path);
	need(!system(command), command);
	return path;
}

static void put_bytes(const char *path, uint64_t off, const void *p, size_t len)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	need(fd >= 0, path);
	need(pwrite(fd, p, len, (off_t)off) == (ssize_t)len, path);
	close(fd);
}

void cache_put(const char *path, uint64_t off, uint64_t v, size_t len)
{
	unsigned char bytes[8];

	for (size_t i = 0; i < len; i++)
		bytes[i] = (unsigned char)(v >> 8 * i);
	put_bytes(path, off, bytes, len);
}

void cache_entry(const char *path, uint64_t i, uint64_t sector, uint64_t seq)
{
	cache_put(path, 64 + 16 * i, sector, 8);
	cache_put(path, 64 + 16 * i + 8, seq, 8);
}

static void make(const char *path, uint64_t bytes, uint32_t bs, uint64_t n)
{
	unsigned char ones[4096];

	memset(ones, 0xff, sizeof(ones));
	need(!truncate(path, (off_t)bytes), path);
	cache_put(path, 0, 0x23489321, 4);
	cache_put(path, 4, 1, 4);
	cache_put(path, 8, bs, 4);
	cache_put(path, 16, n, 8);
	for (uint64_t i = 0; i < n; i += 256)
		put_bytes(path, 64 + 16 * i, ones,
			  16 * (n - i < 256 ? n - i : 256));
}

const char *cache_new(uint64_t seq_count)
{
	const char *path = cache_temp();

	make(path, 1 << 20, 4096, 254);
	cache_put(path, 24, seq_count, 8);
	return path;
}

const char *cache_new_of(uint64_t n, uint64_t seq_count)
{
	const char *path = cache_temp();

	make(path, (64 + 16 * n + 511) / 512 * 512 + 512 * n, 512, n);
	cache_put(path, 24, seq_count, 8);
	return path;
}

void cache_entries(const char *path, uint64_t n, const uint64_t (*pairs)[2])
{
	unsigned char *bytes = malloc(16 * n);

	need(bytes != NULL, "malloc");
	for (uint64_t i = 0; i < 2 * n; i++)
		for (unsigned int b = 0; b < 8; b++)
			bytes[8 * i + b] =
				(unsigned char)(pairs[i / 2][i % 2] >> 8 * b);
	put_bytes(path, 64, bytes, 16 * n);
	free(bytes);
}
