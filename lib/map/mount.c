/* SPDX-License-Identifier: BSD-3-Clause */
/* The mount that a file is on; fields as in proc(5), mountinfo. */
#include <ctype.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/cleanup.h"
#include "map/mount.h"

static bool mount_id(int fd, uint64_t *id_ret)
{
	struct statx stx;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &stx) ||
	    !(stx.stx_mask & STATX_MNT_ID))
		return false;
	*id_ret = stx.stx_mnt_id;
	return true;
}

/* Undo the octal escapes of blanks (\040) in place. */
static void unescape(char *s)
{
	char *to = s;

	while (*s) {
		if (s[0] == '\\' && isdigit((unsigned char)s[1]) &&
		    isdigit((unsigned char)s[2]) &&
		    isdigit((unsigned char)s[3])) {
			*to++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 |
				       (s[3] - '0'));
			s += 4;
		} else {
			*to++ = *s++;
		}
	}
	*to = '\0';
}

/* Which mount is looked for: by its id, or by its device. */
struct wanted {
	bool by_device;
	uint64_t id;
	char device[32]; /* "259:0" */
};

static bool has_option(const char *options, const char *name)
{
	size_t n = strlen(name);

	for (const char *p = options; (p = strstr(p, name)); p += n)
		if ((p == options || p[-1] == ',') && (!p[n] || p[n] == ','))
			return true;
	return false;
}

enum pmk_dax_option pmk_dax_option(const char *options)
{
	/* "dax" alone is how kernels before 5.8 show it */
	if (has_option(options, "dax=always") || has_option(options, "dax"))
		return PMK_DAX_OPTION_ALWAYS;
	if (has_option(options, "dax=never"))
		return PMK_DAX_OPTION_NEVER;
	return has_option(options, "dax=inode") ? PMK_DAX_OPTION_INODE
						: PMK_DAX_OPTION_NONE;
}

/* Split one line: id parent maj:min root point options [tags] - type source
 * super-options. */
static bool parse(char *line, const struct wanted *w, struct pmk_mount *m)
{
	char *field[6], *rest = line, *type, *super;

	for (size_t i = 0; i < 6; i++) {
		field[i] = strsep(&rest, " ");
		if (!rest)
			return false;
	}
	if (w->by_device ? strcmp(field[2], w->device) != 0
			 : strtoull(field[0], NULL, 10) != w->id)
		return false;
	rest = strncmp(rest, "- ", 2) ? strstr(rest, " - ") : rest - 1;
	if (!rest)
		return false;
	rest += 3;
	type = strsep(&rest, " ");
	strsep(&rest, " ");
	super = rest ? rest : (char[]){ "" };
	super[strcspn(super, "\n")] = '\0';
	unescape(field[4]);
	snprintf(m->fs_type, sizeof(m->fs_type), "%s", type);
	snprintf(m->point, sizeof(m->point), "%s", field[4]);
	snprintf(m->options, sizeof(m->options), "%s", field[5]);
	snprintf(m->fs_options, sizeof(m->fs_options), "%s", super);
	m->dax = pmk_dax_option(super);
	m->data_journal = has_option(super, "data=journal");
	m->no_delalloc = has_option(super, "nodelalloc");
	return true;
}

static bool look_up(const struct wanted *w, struct pmk_mount *mount_ret)
{
	_cleanup_file_ FILE *f = fopen("/proc/self/mountinfo", "re");
	_cleanup_free_ char *line = NULL;
	size_t room = 0;

	if (!f)
		return false;
	while (getline(&line, &room, f) > 0)
		if (parse(line, w, mount_ret))
			return true;
	return false;
}

bool pmk_mount_of(int fd, struct pmk_mount *mount_ret)
{
	struct wanted w = { .by_device = false };

	memset(mount_ret, 0, sizeof(*mount_ret));
	return mount_id(fd, &w.id) && look_up(&w, mount_ret);
}

bool pmk_mount_of_device(dev_t dev, struct pmk_mount *mount_ret)
{
	struct wanted w = { .by_device = true };

	memset(mount_ret, 0, sizeof(*mount_ret));
	snprintf(w.device, sizeof(w.device), "%u:%u", major(dev), minor(dev));
	return look_up(&w, mount_ret);
}
