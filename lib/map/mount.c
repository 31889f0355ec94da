/* SPDX-License-Identifier: BSD-3-Clause */
/* The mount that a file is on; fields as in proc(5), mountinfo. */
#include <ctype.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

/* Split one line: id parent maj:min root point options [tags] - type source
 * super-options. */
static bool parse(char *line, uint64_t id, struct pmk_mount *m)
{
	char *field[6], *rest = line, *type, *super;

	for (size_t i = 0; i < 6; i++) {
		field[i] = strsep(&rest, " ");
		if (!rest)
			return false;
	}
	if (strtoull(field[0], NULL, 10) != id)
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
	return true;
}

bool pmk_mount_of(int fd, struct pmk_mount *mount_ret)
{
	_cleanup_file_ FILE *f = NULL;
	_cleanup_free_ char *line = NULL;
	size_t room = 0;
	uint64_t id;

	memset(mount_ret, 0, sizeof(*mount_ret));
	if (!mount_id(fd, &id))
		return false;
	f = fopen("/proc/self/mountinfo", "re");
	if (!f)
		return false;
	while (getline(&line, &room, f) > 0)
		if (parse(line, id, mount_ret))
			return true;
	return false;
}
