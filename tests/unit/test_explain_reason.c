/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From facts to reasons.  The facts of most rows were read in guests, and the
 * reason is what was done there to make the file as it is; dax.rst, ext4(5) and
 * xfs(5) stand for the rest.
 *
 * Covered: pmk_explain_reason, pmk_explain_block_reason, pmk_dax_option,
 * pmk_map_reason_*, pmk_map_why_*, pmk_map_object_name.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"
#include "map/explain_impl.h"

#define YES     PMK_ANSWER_YES
#define NO      PMK_ANSWER_NO
#define UNKNOWN PMK_ANSWER_UNKNOWN

/* A file of ext4 on a namespace in fsdax mode, without DAX. */
static struct pmk_file_facts on_pmem(void)
{
	return (struct pmk_file_facts){
		.sync_error = -EOPNOTSUPP,
		.validate_works = true,
		.fs = { "ext4", PMK_FS_EXT },
		.fs_block_bytes = 4096,
		.page_bytes = 4096,
		.option = PMK_DAX_OPTION_NONE,
		.inode_dax = NO,
		.attribute = NO,
		.shared = NO,
		.block_known = true,
		.block = { .name = "pmem0",
			   .kind = PMK_BLOCK_FSDAX,
			   .dax = YES,
			   .size_bytes = 1054867456 },
		.stack_dax = YES,
		.stack_pmem = true,
	};
}

/* One on a device of another kind, which has no DAX. */
static struct pmk_file_facts on(enum pmk_block_kind kind)
{
	struct pmk_file_facts f = on_pmem();

	f.block.kind = kind;
	f.block.dax = NO;
	f.stack_dax = NO;
	f.stack_pmem = kind == PMK_BLOCK_SECTOR || kind == PMK_BLOCK_RAW;
	return f;
}

static void expect(const struct pmk_file_facts *f, enum pmk_map_reason want)
{
	const char *what = "untouched";
	enum pmk_map_reason have = pmk_explain_reason(f, &what);

	if (have != want)
		fail_msg("%s, not %s (%s)", pmk_map_reason_name(have),
			 pmk_map_reason_name(want), what ? what : "");
	/* an unknown reason is never without an explanation */
	if (have == PMK_REASON_UNKNOWN)
		assert_non_null(what);
	else
		assert_true(!what || strcmp(what, "untouched") != 0);
}

static void reason__error_of_mmap(void **state)
{
	struct pmk_file_facts f = on_pmem();

	(void)state;
	f.sync_error = -EINVAL;
	expect(&f, PMK_REASON_UNKNOWN);
	f.validate_works = false;
	expect(&f, PMK_REASON_OLD_KERNEL);
	f.sync_error = -ENOMEM;
	expect(&f, PMK_REASON_UNKNOWN);
}

static void reason__file_system(void **state)
{
	static const struct {
		enum pmk_fs_class class;
		enum pmk_answer dax;
		enum pmk_map_reason want;
	} rows[] = {
		{ PMK_FS_MEMORY, NO, PMK_REASON_VOLATILE_FS },
		{ PMK_FS_OVERLAY, NO, PMK_REASON_OVERLAYFS },
		{ PMK_FS_FUSE, NO, PMK_REASON_FUSE },
		{ PMK_FS_FUSE, YES, PMK_REASON_FUSE },
		{ PMK_FS_REMOTE, NO, PMK_REASON_FS_WITHOUT_DAX },
		{ PMK_FS_DISK, NO, PMK_REASON_FS_WITHOUT_DAX },
		{ PMK_FS_DISK, UNKNOWN, PMK_REASON_FS_WITHOUT_DAX },
		{ PMK_FS_DISK, YES, PMK_REASON_FS_WITHOUT_MAP_SYNC },
		{ PMK_FS_PSEUDO, NO, PMK_REASON_FS_WITHOUT_DAX },
		{ PMK_FS_UNKNOWN, NO, PMK_REASON_UNKNOWN },
		{ PMK_FS_UNKNOWN, YES, PMK_REASON_UNKNOWN },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pmk_file_facts f = on_pmem();

		f.fs.class = rows[i].class;
		f.inode_dax = rows[i].dax;
		expect(&f, rows[i].want);
	}
}

static void reason__device(void **state)
{
	struct pmk_file_facts f;

	(void)state;
	f = on(PMK_BLOCK_OTHER);
	expect(&f, PMK_REASON_BLOCK_NOT_PMEM);
	f = on(PMK_BLOCK_RAM);
	expect(&f, PMK_REASON_BLOCK_NOT_PMEM);
	f = on(PMK_BLOCK_LOOP);
	expect(&f, PMK_REASON_LOOP);
	f = on(PMK_BLOCK_SECTOR);
	expect(&f, PMK_REASON_SECTOR_MODE);
	/* whatever else would be wrong, too */
	f.option = PMK_DAX_OPTION_NEVER;
	f.fs_block_bytes = 1024;
	expect(&f, PMK_REASON_SECTOR_MODE);
	f = on(PMK_BLOCK_RAW);
	expect(&f, PMK_REASON_RAW_MODE);
	f = on(PMK_BLOCK_FSDAX);
	expect(&f, PMK_REASON_UNKNOWN);
	f.block.dax = UNKNOWN;
	expect(&f, PMK_REASON_UNKNOWN);
	f.block_known = false;
	expect(&f, PMK_REASON_NO_SYSFS);
	/* virtio-pmem, which needs no sysfs to be proved */
	f.inode_dax = YES;
	expect(&f, PMK_REASON_ASYNC_FLUSH);
	f.maybe_ext2 = true;
	expect(&f, PMK_REASON_UNKNOWN);
}

static void reason__stack(void **state)
{
	struct pmk_file_facts f = on(PMK_BLOCK_STACKED);

	(void)state;
	expect(&f, PMK_REASON_BLOCK_NOT_PMEM);
	f.stack_pmem = true; /* on namespaces without DAX */
	expect(&f, PMK_REASON_STACKED_MIXED);
	f.stack_dax = PMK_ANSWER_PARTLY;
	expect(&f, PMK_REASON_STACKED_MIXED);
	f.stack_dax = YES;
	expect(&f, PMK_REASON_STACKED_NOT_DAX);
	f.stack_dax = UNKNOWN;
	expect(&f, PMK_REASON_UNKNOWN);
}

static void reason__layout(void **state)
{
	struct pmk_file_facts f = on_pmem();

	(void)state;
	f.block.partition = true;
	f.block.start_bytes = 2048 * 512;
	expect(&f, PMK_REASON_NO_DAX_ATTRIBUTE);
	f.block.start_bytes = 2049 * 512;
	expect(&f, PMK_REASON_PARTITION_ALIGNMENT);
	f.block.start_bytes = 2048 * 512;
	f.block.size_bytes = 600001 * 512;
	expect(&f, PMK_REASON_PARTITION_ALIGNMENT);
	f = on_pmem();
	f.fs_block_bytes = 1024;
	expect(&f, PMK_REASON_BLOCK_SIZE);
	f.fs_block_bytes = 0;
	expect(&f, PMK_REASON_NO_DAX_ATTRIBUTE);
	f.realtime = true;
	expect(&f, PMK_REASON_UNKNOWN);
}

static void reason__mount_and_inode(void **state)
{
	struct pmk_file_facts f = on_pmem();

	(void)state;
	expect(&f, PMK_REASON_NO_DAX_ATTRIBUTE);
	f.option = PMK_DAX_OPTION_INODE;
	expect(&f, PMK_REASON_NO_DAX_ATTRIBUTE);
	f.attribute = UNKNOWN;
	expect(&f, PMK_REASON_UNKNOWN);
	f.attribute = YES;
	expect(&f, PMK_REASON_DAX_PENDING);
	f.shared = YES;
	expect(&f, PMK_REASON_UNKNOWN);
	f.shared = NO;
	f.excluded = "it is encrypted";
	expect(&f, PMK_REASON_INODE_EXCLUDED);
	f.inode_dax = UNKNOWN; /* an old kernel */
	expect(&f, PMK_REASON_UNKNOWN);
	f = on_pmem();
	f.option = PMK_DAX_OPTION_NEVER;
	f.attribute = YES;
	expect(&f, PMK_REASON_DAX_NEVER);
	f.option = PMK_DAX_OPTION_UNKNOWN;
	expect(&f, PMK_REASON_UNKNOWN);
	f.option = PMK_DAX_OPTION_ALWAYS;
	expect(&f, PMK_REASON_UNKNOWN);
	f.excluded = "its data are journalled";
	expect(&f, PMK_REASON_INODE_EXCLUDED);
}

static void reason__directory(void **state)
{
	struct pmk_file_facts f = on_pmem();

	(void)state;
	f.directory = true;
	expect(&f, PMK_REASON_NO_DAX_ATTRIBUTE);
	f.attribute = YES;
	expect(&f, PMK_REASON_NEW_FILE_DAX);
	f.option = PMK_DAX_OPTION_ALWAYS;
	f.attribute = NO;
	expect(&f, PMK_REASON_NEW_FILE_DAX);
	f.stack_async = true;
	expect(&f, PMK_REASON_ASYNC_FLUSH);
	f.excluded = "it is encrypted";
	expect(&f, PMK_REASON_INODE_EXCLUDED);
	f = on(PMK_BLOCK_OTHER);
	f.directory = true;
	expect(&f, PMK_REASON_BLOCK_NOT_PMEM);
}

static void reason__block_device(void **state)
{
	struct pmk_file_facts f = on_pmem();
	const char *what;

	(void)state;
	assert_int_equal(pmk_explain_block_reason(&f, &what),
			 PMK_REASON_PMEM_BLOCK_DEVICE);
	f.block.partition = true;
	f.block.start_bytes = 512;
	assert_int_equal(pmk_explain_block_reason(&f, &what),
			 PMK_REASON_PARTITION_ALIGNMENT);
	f.block.start_bytes = 4096;
	f.stack_async = true;
	assert_int_equal(pmk_explain_block_reason(&f, &what),
			 PMK_REASON_ASYNC_FLUSH);
	f = on(PMK_BLOCK_SECTOR);
	assert_int_equal(pmk_explain_block_reason(&f, &what),
			 PMK_REASON_SECTOR_MODE);
	f = on(PMK_BLOCK_OTHER);
	assert_int_equal(pmk_explain_block_reason(&f, &what),
			 PMK_REASON_BLOCK_NOT_PMEM);
	f.block.dax = UNKNOWN;
	assert_int_equal(pmk_explain_block_reason(&f, &what),
			 PMK_REASON_UNKNOWN);
	f.block_known = false;
	assert_int_equal(pmk_explain_block_reason(&f, &what),
			 PMK_REASON_NO_SYSFS);
}

static void options__of_a_mount(void **state)
{
	static const struct {
		const char *options;
		enum pmk_dax_option want;
	} rows[] = {
		{ "rw", PMK_DAX_OPTION_NONE },
		{ "", PMK_DAX_OPTION_NONE },
		{ "rw,dax=always", PMK_DAX_OPTION_ALWAYS },
		{ "rw,stripe=512,dax=always,x", PMK_DAX_OPTION_ALWAYS },
		{ "dax", PMK_DAX_OPTION_ALWAYS },
		{ "rw,dax,inode64", PMK_DAX_OPTION_ALWAYS },
		{ "rw,dax=inode", PMK_DAX_OPTION_INODE },
		{ "dax=never,rw", PMK_DAX_OPTION_NEVER },
		{ "rw,nodax", PMK_DAX_OPTION_NONE },
		{ "rw,daxer", PMK_DAX_OPTION_NONE },
		{ "rw,lowerdir=/a/dax,b", PMK_DAX_OPTION_NONE },
		{ "xdax=never", PMK_DAX_OPTION_NONE },
		{ "rw,dax=neverland", PMK_DAX_OPTION_NONE },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (pmk_dax_option(rows[i].options) != rows[i].want)
			fail_msg("%s", rows[i].options);
}

static bool needs_remedy(enum pmk_map_reason r)
{
	return r != PMK_REASON_DAX && r != PMK_REASON_DEVDAX;
}

static void names__everything_has_words(void **state)
{
	(void)state;
	for (int i = 0; i <= PMK_REASON_UNKNOWN; i++) {
		enum pmk_map_reason r = (enum pmk_map_reason)i;

		assert_true(strlen(pmk_map_reason_text(r)) > 10);
		assert_true(strlen(pmk_map_reason_name(r)) > 2);
		assert_int_equal(strlen(pmk_map_reason_remedy(r)) > 0,
				 needs_remedy(r));
		for (int k = 0; k < i; k++)
			assert_string_not_equal(
				pmk_map_reason_name(r),
				pmk_map_reason_name((enum pmk_map_reason)k));
	}
	assert_string_equal(pmk_map_reason_name((enum pmk_map_reason)99),
			    "unknown");
	assert_string_equal(pmk_map_why_text(PMK_WHY_NONE), "");
	for (int i = 1; i <= PMK_WHY_NO_EXTENT_MAP; i++) {
		assert_true(strlen(pmk_map_why_text((enum pmk_map_why)i)) > 10);
		assert_true(strlen(pmk_map_why_name((enum pmk_map_why)i)) > 2);
		assert_non_null(pmk_map_why_remedy((enum pmk_map_why)i));
	}
	assert_string_equal(pmk_map_why_name((enum pmk_map_why)99), "?");
	assert_string_equal(pmk_map_why_text((enum pmk_map_why)99), "");
	assert_string_equal(pmk_map_object_name(PMK_MAP_OBJECT_BLOCK),
			    "block device");
	assert_string_equal(pmk_map_object_name((enum pmk_map_object)99), "?");
	assert_string_equal(pmk_map_kind_name(PMK_MAP_KIND_DEVDAX), "devdax");
	assert_string_equal(pmk_map_kind_name((enum pmk_map_kind)99), "?");
	assert_string_equal(pmk_granularity_name(PMK_GRANULARITY_CACHE_LINE),
			    "cache line");
	assert_string_equal(pmk_granularity_name((enum pmk_granularity)99),
			    "?");
	assert_string_equal(pmk_domain_name(PMK_DOMAIN_MEMORY_CONTROLLER),
			    "memory_controller");
	assert_string_equal(pmk_domain_name((enum pmk_domain)99), "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reason__error_of_mmap),
		cmocka_unit_test(reason__file_system),
		cmocka_unit_test(reason__device),
		cmocka_unit_test(reason__stack),
		cmocka_unit_test(reason__layout),
		cmocka_unit_test(reason__mount_and_inode),
		cmocka_unit_test(reason__directory),
		cmocka_unit_test(reason__block_device),
		cmocka_unit_test(options__of_a_mount),
		cmocka_unit_test(names__everything_has_words),
	};

	return cmocka_run_group_tests_name("explain_reason", tests, NULL, NULL);
}
