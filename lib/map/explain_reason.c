/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From facts to the reason why MAP_SYNC was refused.  Nothing is looked up
 * here.  A reason is given only if the facts leave no other one; the order of
 * the questions is from what can be changed least to what can be changed most.
 * What each file system asks of an inode: Linux
 * Documentation/filesystems/dax.rst and ext4(5), xfs(5).
 */
#include <errno.h>

#include "base/util.h"
#include "map/explain_impl.h"

static enum pmk_map_reason unknown(const char **what_ret, const char *what)
{
	*what_ret = what;
	return PMK_REASON_UNKNOWN;
}

/* A device made of others, none of which has been asked for DAX in vain. */
static enum pmk_map_reason stack_reason(const struct pmk_file_facts *f,
					const char **what_ret)
{
	switch (f->stack_dax) {
	case PMK_ANSWER_YES:
		return PMK_REASON_STACKED_NOT_DAX;
	case PMK_ANSWER_UNKNOWN:
		return unknown(what_ret, "what the block device is made of "
					 "cannot be told");
	default:
		break;
	}
	if (f->stack_kind == PMK_BLOCK_SECTOR)
		return PMK_REASON_SECTOR_MODE;
	if (f->stack_kind == PMK_BLOCK_RAW)
		return PMK_REASON_RAW_MODE;
	return f->stack_pmem ? PMK_REASON_STACKED_MIXED
			     : PMK_REASON_BLOCK_NOT_PMEM;
}

/* Why a block device has no DAX. */
static enum pmk_map_reason device_reason(const struct pmk_file_facts *f,
					 const char **what_ret)
{
	switch (f->block.kind) {
	case PMK_BLOCK_SECTOR:
		return PMK_REASON_SECTOR_MODE;
	case PMK_BLOCK_RAW:
		return PMK_REASON_RAW_MODE;
	case PMK_BLOCK_STACKED:
		return stack_reason(f, what_ret);
	case PMK_BLOCK_LOOP:
		return PMK_REASON_LOOP;
	case PMK_BLOCK_FSDAX:
		return unknown(what_ret, "the namespace is in fsdax mode, but "
					 "its queue/dax is 0");
	default:
		return PMK_REASON_BLOCK_NOT_PMEM;
	}
}

/* All is there, and the inode asks for DAX, and does not have it. */
static enum pmk_map_reason not_in_effect(const struct pmk_file_facts *f,
					 const char **what_ret)
{
	if (f->excluded) {
		*what_ret = f->excluded;
		return PMK_REASON_INODE_EXCLUDED;
	}
	if (f->directory)
		return f->stack_async ? PMK_REASON_ASYNC_FLUSH
				      : PMK_REASON_NEW_FILE_DAX;
	if (f->shared != PMK_ANSWER_NO)
		return unknown(what_ret,
			       "the DAX attribute is set but not in effect; "
			       "the file shares extents with another, or that "
			       "cannot be told, and not every kernel has DAX "
			       "then (6.1 has not, 6.12 has)");
	return PMK_REASON_DAX_PENDING;
}

/* DAX by inode. */
static enum pmk_map_reason attribute_reason(const struct pmk_file_facts *f,
					    const char **what_ret)
{
	if (f->inode_dax == PMK_ANSWER_UNKNOWN)
		return unknown(what_ret, "this kernel does not tell which "
					 "files have DAX (before 5.10)");
	switch (f->attribute) {
	case PMK_ANSWER_NO:
		/* then the attribute alone will not do */
		*what_ret = f->excluded;
		return PMK_REASON_NO_DAX_ATTRIBUTE;
	case PMK_ANSWER_YES:
		return not_in_effect(f, what_ret);
	default:
		return unknown(what_ret, "its DAX attribute cannot be read");
	}
}

/* The device can do DAX. */
static enum pmk_map_reason mount_reason(const struct pmk_file_facts *f,
					const char **what_ret)
{
	const struct pmk_block_facts *b = &f->block;

	if (b->partition &&
	    !pmk_is_aligned(b->start_bytes | b->size_bytes, f->page_bytes))
		return PMK_REASON_PARTITION_ALIGNMENT;
	if (f->fs_block_bytes && f->fs_block_bytes != f->page_bytes)
		return PMK_REASON_BLOCK_SIZE;
	if (f->realtime)
		return unknown(what_ret, "the file is on the realtime device "
					 "of xfs, which is not looked up");
	switch (f->option) {
	case PMK_DAX_OPTION_NEVER:
		return PMK_REASON_DAX_NEVER;
	case PMK_DAX_OPTION_NONE:
	case PMK_DAX_OPTION_INODE:
		return attribute_reason(f, what_ret);
	case PMK_DAX_OPTION_ALWAYS:
		if (f->excluded || f->directory)
			return not_in_effect(f, what_ret);
		return unknown(what_ret,
			       f->fs.class == PMK_FS_XFS
				       ? "mounted for DAX; a file that shares, "
					 "or once shared, blocks with another "
					 "(reflink) has none on some kernels "
					 "(6.1): a copy of it made with cp "
					 "--reflink=never has"
				       : "mounted for DAX, and nothing seen "
					 "here excludes this file");
	default:
		return unknown(what_ret,
			       "the options of its mount are not known: /proc "
			       "is not mounted, or does not show it");
	}
}

/* ext4 and xfs grant MAP_SYNC to files with DAX on devices that need no flush
 * command. */
static enum pmk_map_reason below_reason(const struct pmk_file_facts *f,
					const char **what_ret)
{
	if (f->inode_dax == PMK_ANSWER_YES && !f->directory) {
		if (!f->maybe_ext2)
			return PMK_REASON_ASYNC_FLUSH;
		return unknown(what_ret,
			       "the file has DAX; if the ext2 driver serves "
			       "it, that never grants MAP_SYNC");
	}
	if (!f->block_known)
		return PMK_REASON_NO_SYSFS;
	switch (f->block.dax) {
	case PMK_ANSWER_YES:
		return mount_reason(f, what_ret);
	case PMK_ANSWER_NO:
		return device_reason(f, what_ret);
	default:
		return unknown(what_ret, "sysfs does not tell whether the "
					 "block device has DAX (queue/dax)");
	}
}

static enum pmk_map_reason fs_reason(const struct pmk_file_facts *f,
				     const char **what_ret)
{
	bool dax = f->inode_dax == PMK_ANSWER_YES;

	switch (f->fs.class) {
	case PMK_FS_MEMORY:
		return PMK_REASON_VOLATILE_FS;
	case PMK_FS_OVERLAY:
		*what_ret = "which layer the file is in, and on which file "
			    "system that is, cannot be seen from here";
		return PMK_REASON_OVERLAYFS;
	case PMK_FS_FUSE:
		if (dax)
			*what_ret = "it maps memory of the host (DAX window), "
				    "whatever that is";
		return PMK_REASON_FUSE;
	case PMK_FS_EXT:
	case PMK_FS_XFS:
		return below_reason(f, what_ret);
	case PMK_FS_UNKNOWN:
		return unknown(what_ret, "the type of the file system is not "
					 "known here");
	default:
		return dax ? PMK_REASON_FS_WITHOUT_MAP_SYNC
			   : PMK_REASON_FS_WITHOUT_DAX;
	}
}

enum pmk_map_reason pmk_explain_reason(const struct pmk_file_facts *f,
				       const char **what_ret)
{
	*what_ret = NULL;
	if (f->sync_error == -EINVAL && !f->validate_works)
		return PMK_REASON_OLD_KERNEL;
	if (f->sync_error != -EOPNOTSUPP)
		return unknown(what_ret, "MAP_SYNC was refused with an error "
					 "that does not say why");
	return fs_reason(f, what_ret);
}

enum pmk_map_reason pmk_explain_block_reason(const struct pmk_file_facts *f,
					     const char **what_ret)
{
	*what_ret = NULL;
	if (!f->block_known)
		return PMK_REASON_NO_SYSFS;
	switch (f->block.dax) {
	case PMK_ANSWER_YES:
		if (f->block.partition &&
		    !pmk_is_aligned(f->block.start_bytes | f->block.size_bytes,
				    f->page_bytes))
			return PMK_REASON_PARTITION_ALIGNMENT;
		if (f->fs_block_bytes && f->fs_block_bytes != f->page_bytes)
			return PMK_REASON_BLOCK_SIZE;
		if (f->stack_async)
			return PMK_REASON_ASYNC_FLUSH;
		return f->stack_pmem ? PMK_REASON_PMEM_BLOCK_DEVICE
				     : PMK_REASON_BLOCK_NOT_PMEM;
	case PMK_ANSWER_NO:
		return device_reason(f, what_ret);
	default:
		return unknown(what_ret, "sysfs does not tell whether the "
					 "block device has DAX (queue/dax)");
	}
}
