/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel says of one inode and the device below it. */
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/stat.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "map/explain_impl.h"
#include "map/extents.h"

static enum pmk_answer answer(bool yes)
{
	return yes ? PMK_ANSWER_YES : PMK_ANSWER_NO;
}

/* A bit that is clear means something only if the kernel fills it in. */
static enum pmk_answer attribute(const struct statx *stx, uint64_t bit)
{
	if (stx->stx_attributes & bit)
		return PMK_ANSWER_YES;
	return stx->stx_attributes_mask & bit ? PMK_ANSWER_NO
					      : PMK_ANSWER_UNKNOWN;
}

/* What excludes an inode of ext4 from DAX; xfs knows nothing of the kind. */
static const char *excluded(uint64_t attributes, unsigned int flags,
			    const struct pmk_mount *m)
{
	if (attributes & STATX_ATTR_ENCRYPTED || flags & FS_ENCRYPT_FL)
		return "it is encrypted";
	if (attributes & STATX_ATTR_VERITY || flags & FS_VERITY_FL)
		return "it is protected by fs-verity";
	if (flags & FS_INLINE_DATA_FL)
		return "its data are stored in the inode (inline_data)";
	/* with delayed allocation ext4 takes no notice of the attribute */
	if (flags & FS_JOURNAL_DATA_FL && m->no_delalloc)
		return "its data are journalled (chattr +j)";
	return m->data_journal ? "the file system journals data (data=journal)"
			       : NULL;
}

static int is_shared(const struct pmk_file_extent *e, void *arg)
{
	(void)arg;
	return e->flags & FIEMAP_EXTENT_SHARED ? 1 : 0;
}

static enum pmk_answer shares(int fd)
{
	int rc = pmk_file_extents(fd, is_shared, NULL);

	return rc < 0 ? PMK_ANSWER_UNKNOWN : answer(rc == 1);
}

static void inode_facts(int fd, const struct pmk_mount *m,
			struct pmk_file_facts *f)
{
	struct statx stx = { 0 };
	struct fsxattr x = { 0 };
	unsigned int flags = 0;

	if (!statx(fd, "", AT_EMPTY_PATH, 0, &stx))
		f->inode_dax = attribute(&stx, STATX_ATTR_DAX);
	if (!ioctl(fd, FS_IOC_FSGETXATTR, &x)) {
		f->attribute = answer(x.fsx_xflags & FS_XFLAG_DAX);
		f->realtime = x.fsx_xflags & FS_XFLAG_REALTIME;
	}
	f->shared = PMK_ANSWER_NO;
	if (f->fs.class == PMK_FS_XFS && f->attribute == PMK_ANSWER_YES &&
	    f->inode_dax == PMK_ANSWER_NO && !f->directory)
		f->shared = shares(fd);
	if (f->fs.class != PMK_FS_EXT)
		return;
	/* the kernel writes an int, whatever the number of the call says */
	if (ioctl(fd, FS_IOC_GETFLAGS, &flags))
		flags = 0;
	f->excluded = excluded(stx.stx_attributes, flags, m);
}

/* The ext4 driver, which serves ext2 and ext3, too, has a directory in sysfs
 * for each mount. */
static bool maybe_ext2(const char *root, const struct pmk_mount *m,
		       const struct pmk_file_facts *f)
{
	char path[256];

	if (f->fs.class != PMK_FS_EXT ||
	    (m->fs_type[0] && strcmp(m->fs_type, "ext2") != 0))
		return false;
	snprintf(path, sizeof(path), "%.128s/fs/ext4/%s", pmk_sysfs_root(root),
		 f->block.name);
	return !f->block.name[0] || access(path, F_OK);
}

struct stack {
	unsigned int dax, other, pmem, async;
	enum pmk_block_kind kind;
};

static int look_at_leaf(const char *leaf, void *arg)
{
	_cleanup_free_ char *region = pmk_probe_region(leaf);
	struct stack *s = arg;
	struct pmk_block_facts b;
	int rc = pmk_probe_block_dir(leaf, &b);

	if (rc)
		return rc;
	if (!s->dax && !s->other)
		s->kind = b.kind;
	else if (s->kind != b.kind)
		s->kind = PMK_BLOCK_OTHER;
	if (region)
		s->pmem++;
	if (region && pmk_region_is_async(region))
		s->async++;
	if (region && b.dax == PMK_ANSWER_YES)
		s->dax++;
	else
		s->other++;
	return 0;
}

void pmk_explain_stack(struct pmk_file_facts *f)
{
	struct stack s = { 0 };

	if (!f->block_known || pmk_block_leaves(f->block.dir, look_at_leaf, &s))
		return;
	f->stack_pmem = s.pmem;
	f->stack_async = s.async;
	f->stack_kind = s.kind;
	if (s.dax && s.other)
		f->stack_dax = PMK_ANSWER_PARTLY;
	else
		f->stack_dax = answer(s.dax);
}

void pmk_explain_facts(const char *root, int fd, dev_t dev,
		       const struct pmk_mount *m, struct pmk_file_facts *f)
{
	struct statfs fs;

	f->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	f->option = m->dax;
	if (!fstatfs(fd, &fs)) {
		f->fs = pmk_fs_of(&fs);
		f->fs_block_bytes = (uint64_t)fs.f_bsize;
	}
	inode_facts(fd, m, f);
	f->block_known = !pmk_probe_block(root, dev, &f->block);
	f->maybe_ext2 = maybe_ext2(root, m, f);
	pmk_explain_stack(f);
}
