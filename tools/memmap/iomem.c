/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Read /proc/iomem, or a copy of it: "00100000-bfffffff : System RAM" and the
 * like, indented where a range is part of another.  Memory that was added
 * later ("System RAM (kmem)") comes in whole sections and is passed over.
 */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memmap/iomem.h"
#include "out.h"
#include "pmk.h"

/* A hexadecimal number; NULL if there is none, else what is behind it. */
static const char *parse_hex(const char *s, uint64_t *v_ret)
{
	char *end;

	/* strtoull accepts blanks, signs and 0x */
	if (!isxdigit((unsigned char)*s) || s[1] == 'x' || s[1] == 'X')
		return NULL;
	errno = 0;
	*v_ret = strtoull(s, &end, 16);
	return errno ? NULL : end;
}

/* The name in @line, without a newline, or NULL: not a line of this format. */
static const char *parse_line(char *line, struct pmk_memmap_range *range_ret)
{
	const char *s = line + strspn(line, " ");

	line[strcspn(line, "\n")] = '\0';
	s = parse_hex(s, &range_ret->start);
	if (!s || *s++ != '-')
		return NULL;
	s = parse_hex(s, &range_ret->end);
	if (!s || strncmp(s, " : ", 3) || range_ret->end < range_ret->start)
		return NULL;
	/* there, the last byte */
	if (range_ret->end < UINT64_MAX)
		range_ret->end++;
	return s + 3;
}

static void add(struct iomem *io, const struct pmk_memmap_range *r)
{
	struct pmk_memmap_range *ram =
		reallocarray(io->ram, io->n + 1, sizeof(*ram));

	if (!ram)
		out_of_memory();
	ram[io->n++] = *r;
	io->ram = ram;
}

static int read_lines(FILE *f, const char *path, struct iomem *io)
{
	struct pmk_memmap_range r;
	unsigned int number = 0;
	const char *name;
	char line[512];

	while (fgets(line, sizeof(line), f)) {
		number++;
		name = parse_line(line, &r);
		if (!name)
			return out_error("%s: line %u is not \"START-END : "
					 "NAME\", as in /proc/iomem",
					 path, number);
		if (!strcmp(name, "System RAM"))
			add(io, &r);
	}
	return ferror(f) ? out_fail(path, -errno, NULL) : EXIT_OK;
}

static bool all_hidden(const struct iomem *io)
{
	for (size_t i = 0; i < io->n; i++)
		if (io->ram[i].start || io->ram[i].end > 1)
			return false;
	return true;
}

int iomem_read(const char *path, struct iomem *io)
{
	FILE *f = fopen(path, "re");
	int rc;

	*io = (struct iomem){ NULL, 0 };
	if (!f)
		return out_fail(path, -errno, NULL);
	rc = read_lines(f, path, io);
	fclose(f);
	if (!rc && !io->n)
		return out_error("%s: no System RAM in it", path);
	if (!rc && all_hidden(io))
		return out_error("%s: all addresses are 0: /proc/iomem shows "
				 "them to root only",
				 path);
	return rc;
}

void iomem_free(struct iomem *io)
{
	free(io->ram);
}
