/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Make the image of a writecache from a recipe, byte by byte and without the
 * library: wc_make IMAGE <RECIPE.  Changes an image that is there.
 *
 * A recipe has a step a line; lines that are empty or begin with # say nothing.
 * A NUMBER is decimal or 0x...; -1 is 2^64-1; k, M, G behind it are 2^10, 2^20,
 * 2^30.  Offsets are from the superblock unless said.
 *
 *	size BYTES		make the file so long; new bytes are 0
 *	at OFFSET		the superblock is there in the file
 *	cache BS N S		as formatted: N blocks of BS bytes, sequence S
 *	magic V, version V, block_size V, pad V, n_blocks V, seq V
 *				change a field of the superblock
 *	entry I SECTOR SEQ	change an entry
 *	entries I N SECTOR STEP SEQ	N of them, with sectors STEP apart
 *	block I BYTE		fill the data of a block
 *	fill OFFSET LEN BYTE	fill bytes
 *	poke OFFSET BYTE...	change bytes
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_NUMBERS 64

static int fd = -1;
static uint64_t base;
static unsigned int line_number;

__attribute__((format(printf, 1, 2))) _Noreturn static void die(const char *fmt,
								...)
{
	va_list ap;

	fprintf(stderr, "wc_make: line %u: ", line_number);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

static void put(uint64_t off, const void *buf, size_t len)
{
	if (pwrite(fd, buf, len, (off_t)(base + off)) != (ssize_t)len)
		die("cannot write");
}

static void put_le(uint64_t off, unsigned int bytes, uint64_t v)
{
	unsigned char b[8];

	for (unsigned int i = 0; i < bytes; i++)
		b[i] = (unsigned char)(v >> 8 * i);
	put(off, b, bytes);
}

static uint64_t get_le(uint64_t off, unsigned int bytes)
{
	unsigned char b[8];
	uint64_t v = 0;

	if (pread(fd, b, bytes, (off_t)(base + off)) != (ssize_t)bytes)
		die("cannot read");
	for (unsigned int i = 0; i < bytes; i++)
		v |= (uint64_t)b[i] << 8 * i;
	return v;
}

static void fill(uint64_t off, uint64_t len, int byte)
{
	char buf[4096];

	memset(buf, byte, sizeof(buf));
	while (len) {
		size_t n = len < sizeof(buf) ? (size_t)len : sizeof(buf);

		put(off, buf, n);
		off += n;
		len -= n;
	}
}

static void put_entry(uint64_t i, uint64_t sector, uint64_t seq)
{
	put_le(64 + 16 * i, 8, sector);
	put_le(64 + 16 * i + 8, 8, seq);
}

static void make_size(const uint64_t *v)
{
	if (ftruncate(fd, (off_t)v[0]))
		die("cannot set the size");
}

static void make_at(const uint64_t *v)
{
	base = v[0];
}

static void make_cache(const uint64_t *v)
{
	fill(0, 64, 0);
	put_le(0, 4, 0x23489321);
	put_le(4, 4, 1);
	put_le(8, 4, v[0]);
	put_le(16, 8, v[1]);
	put_le(24, 8, v[2]);
	fill(64, 16 * v[1], 0xff);
}

static void make_entry(const uint64_t *v)
{
	put_entry(v[0], v[1], v[2]);
}

static void make_entries(const uint64_t *v)
{
	for (uint64_t k = 0; k < v[1]; k++)
		put_entry(v[0] + k, v[2] + k * v[3], v[4]);
}

/* Where the data is, by the superblock as it is now. */
static void make_block(const uint64_t *v)
{
	uint64_t bs = get_le(8, 4), n = get_le(16, 8);
	uint64_t off = (64 + 16 * n + bs - 1) / bs * bs;

	fill(off + v[0] * bs, bs, (int)v[1]);
}

static void make_fill(const uint64_t *v)
{
	fill(v[0], v[1], (int)v[2]);
}

/* Fields of the superblock. */
static const struct {
	const char *name;
	unsigned int off, bytes;
} fields[] = {
	{ "magic", 0, 4 }, { "version", 4, 4 },   { "block_size", 8, 4 },
	{ "pad", 12, 4 },  { "n_blocks", 16, 8 }, { "seq", 24, 8 },
};

static const struct {
	const char *name;
	unsigned int numbers;
	void (*make)(const uint64_t *v);
} steps[] = {
	{ "size", 1, make_size },   { "at", 1, make_at },
	{ "cache", 3, make_cache }, { "entry", 3, make_entry },
	{ "block", 2, make_block }, { "entries", 5, make_entries },
	{ "fill", 3, make_fill },
};

static uint64_t number(const char *text)
{
	char *end;
	uint64_t v = strtoull(text, &end, 0);

	switch (*end) {
	case 'k':
		v <<= 10;
		break;
	case 'M':
		v <<= 20;
		break;
	case 'G':
		v <<= 30;
		break;
	default:
		end--;
	}
	if (end < text || end[1])
		die("'%s' is not a number", text);
	return v;
}

static void poke(const uint64_t *v, unsigned int n)
{
	for (unsigned int i = 1; i < n; i++)
		put_le(v[0] + i - 1, 1, v[i]);
}

static void step(const char *name, const uint64_t *v, unsigned int n)
{
	if (!strcmp(name, "poke") && n > 1) {
		poke(v, n);
		return;
	}
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (!strcmp(name, fields[i].name) && n == 1) {
			put_le(fields[i].off, fields[i].bytes, v[0]);
			return;
		}
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (!strcmp(name, steps[i].name) && n == steps[i].numbers) {
			steps[i].make(v);
			return;
		}
	die("no such step: %s with %u numbers", name, n);
}

static void run_line(char *line)
{
	uint64_t v[MAX_NUMBERS];
	unsigned int n = 0;
	char *name = strtok(line, " \t\n"), *word;

	if (!name || *name == '#')
		return;
	while ((word = strtok(NULL, " \t\n")) != NULL) {
		if (n == MAX_NUMBERS)
			die("too many numbers");
		v[n++] = number(word);
	}
	step(name, v, n);
}

int main(int argc, char **argv)
{
	char line[4096];

	if (argc == 2)
		fd = open(argv[1], O_RDWR | O_CREAT, 0666);
	if (fd < 0) {
		fprintf(stderr, "Usage: wc_make IMAGE <RECIPE\n");
		return 1;
	}
	while (fgets(line, sizeof(line), stdin)) {
		line_number++;
		run_line(line);
	}
	return 0;
}
