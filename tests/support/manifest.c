/* SPDX-License-Identifier: BSD-3-Clause */
/* Directory trees from text; see manifest.h. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/manifest.h"

/* Text that may hold any byte. */
struct bytes {
	char *data;
	size_t len;
};

static bool is_octal(const char *s)
{
	return s[0] >= '0' && s[0] <= '3' && s[1] >= '0' && s[1] <= '7' &&
	       s[2] >= '0' && s[2] <= '7';
}

/* In place; false if there is an escape that is none. */
static bool unescape(struct bytes *b)
{
	const char *from = b->data;
	char *to = b->data;

	while (*from) {
		if (*from != '\\') {
			*to++ = *from++;
			continue;
		}
		from++;
		if (*from == 'n' || *from == '\\') {
			*to++ = *from++ == 'n' ? '\n' : '\\';
		} else if (is_octal(from)) {
			*to++ = (char)((from[0] - '0') * 64 +
				       (from[1] - '0') * 8 + from[2] - '0');
			from += 3;
		} else {
			return false;
		}
	}
	*to = '\0';
	b->len = (size_t)(to - b->data);
	return true;
}

/* All directories above @path. */
static int make_parents(char *path)
{
	for (char *p = strchr(path + 1, '/'); p; p = strchr(p + 1, '/')) {
		int rc;

		*p = '\0';
		rc = mkdir(path, 0755);
		*p = '/';
		if (rc && errno != EEXIST)
			return -1;
	}
	return 0;
}

static int make_dir(const char *path)
{
	struct stat st;

	if (!mkdir(path, 0755))
		return 0;
	return errno == EEXIST && !lstat(path, &st) && S_ISDIR(st.st_mode) ? 0
									   : -1;
}

static int make_file(const char *path, const struct bytes *content)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	ssize_t n;

	if (fd < 0)
		return -1;
	n = write(fd, content->data, content->len);
	return close(fd) || n != (ssize_t)content->len ? -1 : 0;
}

static int make_link(const char *root, const char *path, const char *target)
{
	char *full = NULL;
	int rc;

	if (*target == '/' && asprintf(&full, "%s%s", root, target) < 0)
		return -1;
	rc = symlink(full ? full : target, path);
	free(full);
	return rc;
}

static int make(const char *root, char type, char *path,
		const struct bytes *rest)
{
	if (make_parents(path))
		return -1;
	if (type != 'd' && type != 'e' && unlink(path) && errno != ENOENT)
		return -1;
	switch (type) {
	case 'd':
	case 'e':
		return make_dir(path);
	case 'f':
		return make_file(path, rest);
	case 'l':
		return make_link(root, path, rest->data);
	case 'p':
		return mkfifo(path, 0600);
	default:
		errno = EINVAL;
		return -1;
	}
}

/* @line: without its newline; it is written to. */
static int load_line(const char *root, char *line)
{
	struct bytes path, rest;
	char *full = NULL, *blank;
	int rc = -1;

	if (!*line || *line == '#')
		return 0;
	errno = EINVAL;
	if (line[1] != ' ' || !line[2])
		return -1;
	path.data = line + 2;
	blank = strchr(path.data, ' ');
	rest.data = blank ? blank + 1 : path.data + strlen(path.data);
	if (blank)
		*blank = '\0';
	if (!unescape(&path) || !unescape(&rest))
		return -1;
	if (asprintf(&full, "%s/%s", root, path.data) < 0)
		return -1;
	rc = make(root, *line, full, &rest);
	free(full);
	return rc;
}

int manifest_load(const char *root, const char *text, size_t len)
{
	char *copy = strndup(text, len), *line = copy;
	size_t number = 0;
	int rc = copy ? 0 : -1;

	while (!rc && line) {
		char *end = strchr(line, '\n');

		if (end)
			*end++ = '\0';
		number++;
		rc = load_line(root, line);
		if (rc)
			fprintf(stderr, "manifest, line %zu: %s\n", number,
				strerror(errno));
		line = end;
	}
	free(copy);
	return rc;
}

static int remove_entry(const char *path, const struct stat *st, int type,
			struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

int manifest_remove(const char *root)
{
	return nftw(root, remove_entry, 16, FTW_DEPTH | FTW_PHYS) ? -1 : 0;
}
