/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Mappings of files and memfds: what is made, what is refused, and that a
 * refusal leaves everything as it was.  Real DAX needs a kernel with pmem.
 *
 * Covered: pmk_map_open, _close, getters, _flush, _drain, _persist, _memcpy,
 * _memmove, _memset, _deep_sync.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmk/copy.h>
#include <pmk/log.h>
#include <pmk/map.h>

#define MIB ((uint64_t)1 << 20)

static char dir[] = "/tmp/pmk-test-map-XXXXXX";
static char last_log[1024];

static void keep_log(enum pmk_log_level level, const char *text, void *arg)
{
	(void)level;
	(void)arg;
	snprintf(last_log, sizeof(last_log), "%s", text);
}

static int make_dir(void **state)
{
	(void)state;
	pmk_log_set(keep_log, NULL);
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	(void)state;
	return rmdir(dir);
}

static const char *in_dir(const char *name)
{
	static char path[8][128];
	static unsigned int turn;

	turn = (turn + 1) % 8;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", dir, name);
	return path[turn];
}

static const char *make_file(const char *name, uint64_t size)
{
	const char *path = in_dir(name);
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	close(fd);
	return path;
}

static off_t size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? -errno : st.st_size;
}

static int open_with(const char *path, struct pmk_map_params p,
		     struct pmk_map **map_ret)
{
	*map_ret = NULL;
	return pmk_map_open(path, &p, map_ret);
}

static void expect_refusal(const char *path, struct pmk_map_params p, int code)
{
	struct pmk_map *map = NULL;

	assert_int_equal(pmk_map_open(path, &p, &map), code);
	assert_null(map);
}

static void open__existing_file_whole(void **state)
{
	const char *path = make_file("a", 3 * 4096 + 100);
	struct pmk_map *map;

	(void)state;
	assert_int_equal(pmk_map_open(path, NULL, &map), 0);
	assert_int_equal(pmk_map_size(map), 3 * 4096 + 100);
	assert_int_equal(pmk_map_kind(map), PMK_MAP_KIND_FILE);
	assert_int_equal(pmk_map_granularity(map), PMK_GRANULARITY_PAGE);
	assert_int_equal(pmk_map_align(map), 4096);
	assert_int_equal((uintptr_t)pmk_map_addr(map) % (2 * MIB), 0);
	assert_true(pmk_map_fd(map) >= 0);
	pmk_map_close(map);
	assert_int_equal(unlink(path), 0);
	pmk_map_close(NULL);
}

static void open__offset_keeps_addresses_congruent(void **state)
{
	const char *path = make_file("b", 8 * MIB);
	struct pmk_map *map;

	(void)state;
	assert_int_equal(open_with(path,
				   (struct pmk_map_params){ .off = 3 * MIB,
							    .len = 5000 },
				   &map),
			 0);
	assert_int_equal(pmk_map_size(map), 5000);
	assert_int_equal((uintptr_t)pmk_map_addr(map) % (2 * MIB), MIB);
	assert_int_equal(pmk_map_memset(map, pmk_map_addr(map), 'x', 5000, 0),
			 0);
	pmk_map_close(map);
	/* read through another door */
	char buf[5001];
	int fd = open(path, O_RDONLY);

	assert_int_equal(pread(fd, buf, 5001, 3 * MIB), 5001);
	for (size_t i = 0; i < 5000; i++)
		assert_int_equal(buf[i], 'x');
	assert_int_equal(buf[5000], 0);
	close(fd);
	assert_int_equal(unlink(path), 0);
}

static void open__range_is_checked(void **state)
{
	const char *path = make_file("c", 8192);

	(void)state;
	expect_refusal(path, (struct pmk_map_params){ .len = 8193 },
		       PMK_E_RANGE);
	expect_refusal(path, (struct pmk_map_params){ .off = 12288 },
		       PMK_E_RANGE);
	expect_refusal(path,
		       (struct pmk_map_params){ .off = 4096, .len = 4097 },
		       PMK_E_RANGE);
	expect_refusal(path, (struct pmk_map_params){ .off = 8192 }, -EINVAL);
	expect_refusal(path, (struct pmk_map_params){ .off = 100 }, -EINVAL);
	expect_refusal(path, (struct pmk_map_params){ .len = UINT64_MAX },
		       -EFBIG);
	expect_refusal(path,
		       (struct pmk_map_params){ .off = UINT64_MAX - 4095,
						.len = 4096 },
		       -EFBIG);
	assert_int_equal(size_of(path), 8192);
	assert_int_equal(unlink(path), 0);
}

static void open__params_are_checked(void **state)
{
	const char *path = make_file("d", 8192);

	(void)state;
	expect_refusal(path, (struct pmk_map_params){ .flags = 1U << 20 },
		       -EINVAL);
	expect_refusal(path, (struct pmk_map_params){ .reserved = { 0, 1 } },
		       -EINVAL);
	expect_refusal(path,
		       (struct pmk_map_params){ .flags = PMK_MAP_EXCLUSIVE },
		       -EINVAL);
	expect_refusal(path, (struct pmk_map_params){ .flags = PMK_MAP_SPARSE },
		       -EINVAL);
	expect_refusal(path,
		       (struct pmk_map_params){ .flags = PMK_MAP_CREATE |
							 PMK_MAP_READ_ONLY },
		       -EINVAL);
	expect_refusal(path,
		       (struct pmk_map_params){ .emulated_domain =
							PMK_DOMAIN_CPU_CACHE },
		       -EINVAL);
	expect_refusal(
		path,
		(struct pmk_map_params){ .flags = PMK_MAP_EMULATED,
					 .emulated_domain = PMK_DOMAIN_DEVICE },
		-EINVAL);
	expect_refusal(path,
		       (struct pmk_map_params){
			       .granularity = (enum pmk_granularity)7 },
		       -EINVAL);
	expect_refusal(path, (struct pmk_map_params){ .mode = 010000 },
		       -EINVAL);
	expect_refusal(NULL, (struct pmk_map_params){ 0 }, -EINVAL);
	expect_refusal(NULL, (struct pmk_map_params){ .len = 1, .off = 4096 },
		       -EINVAL);
	assert_int_equal(unlink(path), 0);
}

static void open__what_cannot_be_mapped(void **state)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	const char *path = in_dir("fifo");
	int s;

	(void)state;
	expect_refusal(in_dir("none"), (struct pmk_map_params){ 0 }, -ENOENT);
	expect_refusal(
		in_dir("none/x"),
		(struct pmk_map_params){ .flags = PMK_MAP_CREATE, .len = 4096 },
		-ENOENT);
	expect_refusal(dir, (struct pmk_map_params){ 0 }, PMK_E_FILE_TYPE);
	expect_refusal("/dev/null", (struct pmk_map_params){ 0 },
		       PMK_E_FILE_TYPE);
	/* must not hang */
	assert_int_equal(mkfifo(path, 0600), 0);
	expect_refusal(path, (struct pmk_map_params){ 0 }, PMK_E_FILE_TYPE);
	expect_refusal(
		path,
		(struct pmk_map_params){ .flags = PMK_MAP_CREATE, .len = 4096 },
		PMK_E_FILE_TYPE);
	assert_int_equal(unlink(path), 0);
	path = in_dir("socket");
	s = socket(AF_UNIX, SOCK_STREAM, 0);
	strcpy(sun.sun_path, path);
	assert_int_equal(bind(s, (struct sockaddr *)&sun, sizeof(sun)), 0);
	expect_refusal(path, (struct pmk_map_params){ 0 }, PMK_E_FILE_TYPE);
	close(s);
	assert_int_equal(unlink(path), 0);
	path = make_file("empty", 0);
	expect_refusal(path, (struct pmk_map_params){ 0 }, -EINVAL);
	assert_int_equal(unlink(path), 0);
}

static void create__makes_and_extends(void **state)
{
	struct pmk_map_params p = { .len = 10000, .flags = PMK_MAP_CREATE };
	const char *path = in_dir("e");
	struct pmk_map *map;
	struct stat st;

	(void)state;
	assert_int_equal(pmk_map_open(path, &p, &map), 0);
	pmk_map_close(map);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 10000);
	assert_int_equal(st.st_mode & 07777, 0600);
	/* blocks are reserved: no hole that a store could fall into */
	assert_true(st.st_blocks * 512 >= 10000);
	p.flags |= PMK_MAP_EXCLUSIVE;
	expect_refusal(path, p, -EEXIST);
	p.flags = PMK_MAP_CREATE;
	p.len = 20000;
	assert_int_equal(pmk_map_open(path, &p, &map), 0);
	assert_int_equal(pmk_map_size(map), 20000);
	pmk_map_close(map);
	assert_int_equal(size_of(path), 20000);
	/* never shrunk */
	p.len = 5000;
	assert_int_equal(pmk_map_open(path, &p, &map), 0);
	assert_int_equal(pmk_map_size(map), 5000);
	pmk_map_close(map);
	assert_int_equal(size_of(path), 20000);
	/* length 0: all of it */
	p.len = 0;
	assert_int_equal(pmk_map_open(path, &p, &map), 0);
	assert_int_equal(pmk_map_size(map), 20000);
	pmk_map_close(map);
	assert_int_equal(unlink(path), 0);
}

static void create__sparse_reserves_nothing(void **state)
{
	struct pmk_map_params p = { .len = 64 * MIB,
				    .flags = PMK_MAP_CREATE | PMK_MAP_SPARSE,
				    .mode = 0640 };
	const char *path = in_dir("f");
	struct pmk_map *map;
	struct stat st;
	mode_t mask = umask(0);

	(void)state;
	assert_int_equal(pmk_map_open(path, &p, &map), 0);
	umask(mask);
	pmk_map_close(map);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 64 * MIB);
	assert_int_equal(st.st_mode & 07777, 0640);
	assert_true(st.st_blocks * 512 < 1 << 20);
	assert_int_equal(unlink(path), 0);
}

/* More than the file system has, in two ways. */
static void create__too_large_changes_nothing(void **state)
{
	struct pmk_map_params p = { .flags = PMK_MAP_CREATE };
	const char *path = in_dir("g");
	struct pmk_map *map;
	char byte = 0;
	int fd;

	(void)state;
	for (int i = 0; i < 2; i++) {
		p.len = i ? INT64_MAX - 4095 : (uint64_t)1 << 50;
		assert_true(open_with(path, p, &map) < 0);
		assert_int_equal(size_of(path), -ENOENT);
	}
	fd = open(make_file("g", 0), O_RDWR);
	assert_int_equal(write(fd, "keep", 4), 4);
	for (int i = 0; i < 2; i++) {
		p.len = i ? INT64_MAX - 4095 : (uint64_t)1 << 50;
		assert_true(open_with(path, p, &map) < 0);
		assert_int_equal(size_of(path), 4);
	}
	assert_int_equal(pread(fd, &byte, 1, 3), 1);
	assert_int_equal(byte, 'p');
	close(fd);
	assert_int_equal(unlink(path), 0);
}

static void granularity__demand_is_refused_with_the_reason(void **state)
{
	struct pmk_map_params p = { .len = 4096,
				    .flags = PMK_MAP_CREATE,
				    .granularity = PMK_GRANULARITY_CACHE_LINE };
	const char *path = in_dir("h");
	struct pmk_map *map;

	(void)state;
	expect_refusal(path, p, PMK_E_GRANULARITY);
	assert_non_null(strstr(last_log, "page granularity only"));
	assert_int_equal(size_of(path), -ENOENT);
	p.granularity = PMK_GRANULARITY_PAGE;
	assert_int_equal(pmk_map_open(path, &p, &map), 0);
	pmk_map_close(map);
	assert_int_equal(unlink(path), 0);
}

static void emulated__domains(void **state)
{
	struct pmk_map_params p = { .len = 4096,
				    .flags = PMK_MAP_CREATE | PMK_MAP_EMULATED,
				    .granularity = PMK_GRANULARITY_CACHE_LINE };
	const char *path = in_dir("i");
	struct pmk_map *map;

	(void)state;
	assert_int_equal(pmk_map_open(path, &p, &map), 0);
	assert_int_equal(pmk_map_kind(map), PMK_MAP_KIND_EMULATED);
	assert_int_equal(pmk_map_domain(map), PMK_DOMAIN_MEMORY_CONTROLLER);
	assert_int_equal(pmk_map_granularity(map), PMK_GRANULARITY_CACHE_LINE);
	pmk_map_close(map);
	p.granularity = PMK_GRANULARITY_BYTE;
	expect_refusal(path, p, PMK_E_GRANULARITY);
	p.emulated_domain = PMK_DOMAIN_CPU_CACHE;
	assert_int_equal(pmk_map_open(path, &p, &map), 0);
	assert_int_equal(pmk_map_granularity(map), PMK_GRANULARITY_BYTE);
	assert_int_equal(pmk_map_deep_sync(map, pmk_map_addr(map), 4096), 1);
	pmk_map_close(map);
	assert_int_equal(unlink(path), 0);
}

static void anon__memfd(void **state)
{
	struct pmk_map *map;
	unsigned char *a;

	(void)state;
	assert_int_equal(
		open_with(NULL, (struct pmk_map_params){ .len = 3 * MIB + 5 },
			  &map),
		0);
	assert_int_equal(pmk_map_kind(map), PMK_MAP_KIND_ANON);
	assert_int_equal(pmk_map_domain(map), PMK_DOMAIN_VOLATILE);
	assert_int_equal(pmk_map_granularity(map), PMK_GRANULARITY_PAGE);
	a = pmk_map_addr(map);
	assert_int_equal((uintptr_t)a % (2 * MIB), 0);
	assert_int_equal(pmk_map_memcpy(map, a + 1, "hello", 5, 0), 0);
	assert_memory_equal(a, "\0hello", 7);
	assert_int_equal(pmk_map_deep_sync(map, a, 5), 1);
	pmk_map_close(map);
}

/* Whatever the flags: a range is looked at before them. */
static void check_range_refused(struct pmk_map *map, void *p, size_t n)
{
	static const unsigned int flags[] = { 0,
					      PMK_F_NODRAIN,
					      PMK_F_NOFLUSH,
					      PMK_F_TEMPORAL,
					      PMK_F_NONTEMPORAL,
					      ~0U };
	static const char src[1];

	assert_int_equal(pmk_map_flush(map, p, n), PMK_E_RANGE);
	assert_int_equal(pmk_map_drain(map, p, n), PMK_E_RANGE);
	assert_int_equal(pmk_map_persist(map, p, n), PMK_E_RANGE);
	assert_int_equal(pmk_map_deep_sync(map, p, n), PMK_E_RANGE);
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		unsigned int f = flags[i];

		assert_int_equal(pmk_map_memcpy(map, p, src, n, f),
				 PMK_E_RANGE);
		assert_int_equal(pmk_map_memmove(map, p, src, n, f),
				 PMK_E_RANGE);
		assert_int_equal(pmk_map_memset(map, p, 1, n, f), PMK_E_RANGE);
	}
}

/* Every call that takes a range refuses one that leaves the mapping or wraps,
 * before it has written anything. */
static void ranges__are_checked(void **state)
{
	static const struct {
		ptrdiff_t from;
		size_t len;
	} bad[] = {
		{ -1, 1 },
		{ -1, 0 },
		{ 0, 8193 },
		{ 8192, 1 },
		{ 8193, 0 },
		{ 1, SIZE_MAX },
		{ 4096, SIZE_MAX - 4095 },
	};
	struct pmk_map *map;
	unsigned char *a;

	(void)state;
	assert_int_equal(
		open_with(NULL, (struct pmk_map_params){ .len = 8192 }, &map),
		0);
	a = pmk_map_addr(map);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		check_range_refused(map, a + bad[i].from, bad[i].len);
	/* from the last bytes of the address space around to the mapping */
	check_range_refused(map, (void *)(UINTPTR_MAX - 7), 16);
	check_range_refused(map, (void *)(UINTPTR_MAX - 7),
			    (size_t)((uintptr_t)a + 8 + 64));
	check_range_refused(map, NULL, 0);
	check_range_refused(map, NULL, SIZE_MAX);
	assert_int_equal(pmk_map_persist(map, a, 8192), 0);
	assert_int_equal(pmk_map_persist(map, a + 8192, 0), 0);
	for (size_t i = 0; i < 8192; i++)
		assert_int_equal(a[i], 0);
	pmk_map_close(map);
}

/* Copies go through on each granularity, with each flag. */
static void copies__every_granularity_and_flag(void **state)
{
	static const unsigned int flags[] = { 0, PMK_F_NODRAIN, PMK_F_NOFLUSH,
					      PMK_F_TEMPORAL,
					      PMK_F_NONTEMPORAL };
	static const struct pmk_map_params params[] = {
		{ .len = MIB },
		{ .len = MIB, .flags = PMK_MAP_EMULATED },
		{ .len = MIB,
		  .flags = PMK_MAP_EMULATED,
		  .emulated_domain = PMK_DOMAIN_CPU_CACHE },
	};
	unsigned char src[1000];

	(void)state;
	for (size_t i = 0; i < sizeof(src); i++)
		src[i] = (unsigned char)(i * 13);
	for (size_t m = 0; m < 3; m++) {
		struct pmk_map *map;
		unsigned char *a;

		assert_int_equal(open_with(NULL, params[m], &map), 0);
		a = pmk_map_addr(map);
		for (size_t i = 0; i < 5; i++) {
			assert_int_equal(pmk_map_memcpy(map, a + 77, src,
							sizeof(src), flags[i]),
					 0);
			assert_memory_equal(a + 77, src, sizeof(src));
			assert_int_equal(pmk_map_memmove(map, a + 80, a + 77,
							 sizeof(src), flags[i]),
					 0);
			assert_memory_equal(a + 80, src, sizeof(src));
			assert_int_equal(
				pmk_map_memset(map, a, 0x5a, 2000, flags[i]),
				0);
			assert_int_equal(a[0], 0x5a);
			assert_int_equal(a[1999], 0x5a);
			assert_int_equal(a[2000], 0);
			assert_int_equal(pmk_map_flush(map, a, 2000), 0);
			assert_int_equal(pmk_map_drain(map, a, 2000), 0);
		}
		pmk_map_close(map);
	}
}

static void read_only__maps_a_file_without_write_permission(void **state)
{
	const char *path = make_file("j", 4096);
	struct pmk_map *map;

	(void)state;
	assert_int_equal(chmod(path, 0400), 0);
	assert_int_equal(
		open_with(path,
			  (struct pmk_map_params){ .flags = PMK_MAP_READ_ONLY },
			  &map),
		0);
	assert_int_equal(fcntl(pmk_map_fd(map), F_GETFL) & O_ACCMODE, O_RDONLY);
	assert_int_equal(*(unsigned char *)pmk_map_addr(map), 0);
	assert_int_equal(pmk_map_memset(map, pmk_map_addr(map), 1, 1, 0),
			 PMK_E_READ_ONLY);
	assert_int_equal(pmk_map_memcpy(map, pmk_map_addr(map), "x", 1, 0),
			 PMK_E_READ_ONLY);
	assert_int_equal(pmk_map_persist(map, pmk_map_addr(map), 4096), 0);
	pmk_map_close(map);
	if (geteuid() != 0)
		expect_refusal(path, (struct pmk_map_params){ 0 }, -EACCES);
	assert_int_equal(unlink(path), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(open__existing_file_whole),
		cmocka_unit_test(open__offset_keeps_addresses_congruent),
		cmocka_unit_test(open__range_is_checked),
		cmocka_unit_test(open__params_are_checked),
		cmocka_unit_test(open__what_cannot_be_mapped),
		cmocka_unit_test(create__makes_and_extends),
		cmocka_unit_test(create__sparse_reserves_nothing),
		cmocka_unit_test(create__too_large_changes_nothing),
		cmocka_unit_test(
			granularity__demand_is_refused_with_the_reason),
		cmocka_unit_test(emulated__domains),
		cmocka_unit_test(anon__memfd),
		cmocka_unit_test(ranges__are_checked),
		cmocka_unit_test(copies__every_granularity_and_flag),
		cmocka_unit_test(
			read_only__maps_a_file_without_write_permission),
	};

	return cmocka_run_group_tests_name("map", tests, make_dir, remove_dir);
}
