/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a namespace will be.  The tables are of kernels and of ndctl
 * write-infoblock; the other numbers are worked out beside them.
 *
 * APIs covered: pmk_memmap_predict(), pmk_memmap_kernel(),
 * pmk_memmap_kernel_name().
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pmk/memmap.h>

#include "base/util.h"
#include "memmap_ns.h"

static struct pmk_memmap_layout predict(const struct pmk_memmap_params *p)
{
	struct pmk_memmap_layout l;

	memset(&l, 0x5a, sizeof(l));
	assert_int_equal(pmk_memmap_predict(p, &l), 0);
	assert_null(l.reason);
	return l;
}

/* It fails, with @reason, and nothing else is said. */
static void refused(const struct pmk_memmap_params *p, int code,
		    const char *reason)
{
	struct pmk_memmap_layout l, want = { 0 };

	memset(&l, 0x5a, sizeof(l));
	assert_int_equal(pmk_memmap_predict(p, &l), code);
	assert_non_null(l.reason);
	assert_string_equal(l.reason, reason);
	want.reason = l.reason;
	assert_memory_equal(&l, &want, sizeof(l));
}

static const char no_room[] = "unable to satisfy requested alignment";

static void kernel__names_and_numbers(void **state)
{
	static const char *const names[] = { "6.1",      "6.1.192", "6.12",
					     "6.12.117", "6.15",    "6.18",
					     "7.1",      "7.2" };
	const unsigned int n = ARRAY_SIZE(names);

	(void)state;
	for (unsigned int i = 0; i < n; i++) {
		assert_string_equal(pmk_memmap_kernel_name(i), names[i]);
		assert_int_equal(pmk_memmap_kernel(names[i]), i);
	}
	assert_null(pmk_memmap_kernel_name(n));
	assert_null(pmk_memmap_kernel_name(UINT32_MAX));
	assert_int_equal(pmk_memmap_kernel(NULL), n - 1);
	assert_int_equal(pmk_memmap_kernel(""), -ENOENT);
	assert_int_equal(pmk_memmap_kernel("6.2"), -ENOENT);
	assert_int_equal(pmk_memmap_kernel("6.1 "), -ENOENT);
}

/* Of kernels 6.1 and 6.12 and of ndctl 76.1, for both modes; @used is 512 for
 * each 128 MiB, and 510 from the reserve up to a multiple of 2 MiB. */
static void predict__accounting_of_kernels(void **state)
{
	static const struct {
		uint64_t size;
		enum pmk_memmap_map map;
		uint64_t align; /* 4K: and 2M */
		uint64_t dataoff, npfns, usable, free, used;
	} rows[] = {
		{ G(1), MEM, K4, 2097152, 261632, 1071644672, 0, 0 },
		{ G(1), DEV, K4, 18874368, 257536, 1054867456, 4606, 4606 },
		{ G(16), MEM, K4, 2097152, 4193792, 17177772032, 0, 0 },
		{ G(16), MEM, G(1), 1073741824, 3932160, 16106127360, 0, 0 },
		{ G(16), DEV, K4, 270532608, 4128256, 16909336576, 66046,
		  66046 },
		{ G(16), DEV, G(1), 1073741824, 3932160, 16106127360, 262142,
		  66046 },
		{ G(100), MEM, K4, 2097152, 26213888, 107372085248, 0, 0 },
		{ G(100), DEV, K4, 1679818752, 25804288, 105694363648, 410110,
		  410110 },
		/* logged for a namespace of 1512 GiB:
		 * "dax0.0 initialised, 390168064 pages" */
		{ G(1512), DEV, K4, 1623497637888 - 390168064 * K4, 390168064,
		  390168064 * K4, 6193662, 6193662 },
	};

	(void)state;
	for (size_t i = 0; i < 4 * ARRAY_SIZE(rows); i++) {
		size_t r = i / 4;
		bool dev = rows[r].map == DEV;
		struct pmk_memmap_params p =
			at_4g(rows[r].size, i & 1 ? FSDAX : DEVDAX, rows[r].map,
			      rows[r].align);
		struct pmk_memmap_layout l;

		if (i & 2) {
			if (p.align != K4)
				continue;
			p.align = M(2);
		}
		l = predict(&p);
		assert_int_equal(l.dataoff, rows[r].dataoff);
		assert_int_equal(l.npfns, rows[r].npfns);
		assert_int_equal(l.usable, rows[r].usable);
		assert_int_equal(l.end_trunc, 0);
		assert_int_equal(l.altmap_reserve, dev ? 2 : 0);
		assert_int_equal(l.altmap_free, rows[r].free);
		assert_int_equal(l.altmap_used, rows[r].used);
		/* what is counted is data, or all of the namespace */
		assert_int_equal(l.init_pages,
				 dev ? rows[r].npfns : rows[r].size / K4);
		assert_int_equal(l.shared_sections, 0);
		assert_null(l.warning);
	}
}

static void predict__what_initialisation_writes(void **state)
{
	static const struct {
		uint64_t size;
		uint64_t fsdax, devdax_2m, devdax_1g; /* struct pages */
		uint64_t bytes, bytes_2m, bytes_1g;   /* of the memmap */
	} mem[] = {
		{ G(1), 262144, 65536, 0, 16777216, 4194304, 0 },
		{ G(16), 4194304, 1048576, 2048, 268435456, 67108864, 131072 },
		{ G(100), 26214400, 6553600, 12800, 1677721600, 419430400,
		  819200 },
	};
	struct pmk_memmap_params p;
	struct pmk_memmap_layout l;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(mem); i++) {
		p = at_4g(mem[i].size, FSDAX, MEM, M(2));
		l = predict(&p);
		assert_int_equal(l.struct_pages_written, mem[i].fsdax);
		assert_int_equal(l.memmap_bytes, mem[i].bytes);
		assert_int_equal(l.memmap_dram_bytes, mem[i].bytes);
		assert_int_equal(l.memmap_pmem_bytes, 0);
		p = at_4g(mem[i].size, DEVDAX, MEM, K4);
		l = predict(&p);
		assert_int_equal(l.struct_pages_written, mem[i].fsdax);
		assert_int_equal(l.memmap_bytes, mem[i].bytes);
		p.align = M(2);
		l = predict(&p);
		assert_int_equal(l.struct_pages_written, mem[i].devdax_2m);
		assert_int_equal(l.memmap_bytes, mem[i].bytes_2m);
		assert_int_equal(l.memmap_dram_bytes, mem[i].bytes_2m);
		p.align = G(1);
		if (!mem[i].devdax_1g) {
			refused(&p, -ENXIO, no_room);
			continue;
		}
		l = predict(&p);
		assert_int_equal(l.struct_pages_written, mem[i].devdax_1g);
		assert_int_equal(l.memmap_bytes, mem[i].bytes_1g);
		assert_int_equal(l.init_pages, mem[i].fsdax);
		/* the namespace holds them itself: all tails are written */
		p.map = DEV;
		l = predict(&p);
		assert_int_equal(l.struct_pages_written, l.npfns);
		assert_int_equal(l.memmap_bytes, mem[i].bytes);
		assert_int_equal(l.memmap_pmem_bytes, mem[i].bytes);
		assert_int_equal(l.memmap_dram_bytes, 0);
	}
	p = at_4g(G(1), DEVDAX, DEV, G(1));
	refused(&p, -ENXIO, no_room);
}

static void predict__ends_that_are_not_aligned(void **state)
{
	struct pmk_memmap_params p = at_4g(G(3), DEVDAX, MEM, G(1));
	struct pmk_memmap_layout l;

	(void)state;
	/* 4.5 to 7.5 GiB: data from 5 to 7 */
	p.start = G(4) + M(512);
	l = predict(&p);
	assert_int_equal(l.dataoff, M(512));
	assert_int_equal(l.end_trunc, M(512));
	assert_int_equal(l.usable, G(2));
	assert_int_equal(l.init_pages, M(2560) / K4);
	/* compounds at 4.5, 5.5 and 6.5 GiB */
	assert_int_equal(l.struct_pages_written, 3 * 128);
	assert_non_null(strstr(l.warning, "1 GiB"));
	p.mode = FSDAX;
	l = predict(&p);
	assert_int_equal(l.usable, G(2));
	assert_null(l.warning);
	p.map = DEV;
	p.mode = DEVDAX;
	l = predict(&p);
	assert_int_equal(l.usable, G(2));
	assert_null(l.warning);
	/* 4.5 to 5.25: between 5 and 5 there is nothing, for 6.1 too */
	p.size = M(768);
	refused(&p, -ENXIO, no_room);
	p.kernel = kernel("6.1");
	l = predict(&p);
	assert_int_equal(l.npfns, 0);
	/* 4.5 to 4.75: no multiple of 1 GiB in it */
	p.size = M(256);
	refused(&p, -ENXIO, no_room);
	p.kernel = kernel("7.2");
	refused(&p, -ENXIO, no_room);
	/* the end of a page counts for nothing */
	p = at_4g(G(1) + 4095, FSDAX, DEV, K4);
	l = predict(&p);
	assert_int_equal(l.usable, 1054867456);
	assert_int_equal(l.end_trunc, 4095);
}

static void predict__the_smallest(void **state)
{
	struct pmk_memmap_params p = at_4g(M(4), FSDAX, DEV, K4);
	struct pmk_memmap_layout l = predict(&p);

	(void)state;
	assert_int_equal(l.usable, M(2));
	/* no whole section: struct pages are in ordinary memory after all */
	assert_int_equal(l.altmap_used, 0);
	assert_int_equal(l.altmap_free, 510);
	assert_int_equal(l.memmap_dram_bytes, 1024 * 64);
	assert_int_equal(l.memmap_pmem_bytes, 0);
	/* 64 * 32640 + 8192 is 2 MiB, and with one page more it is above */
	p.size = M(128) - 126 * K4;
	assert_int_equal(predict(&p).dataoff, M(2));
	p.size += K4;
	assert_int_equal(predict(&p).dataoff, M(4));
	p.size = M(4) - 1;
	refused(&p, -ENXIO, no_room);
	p.size = 8192;
	refused(&p, -ENXIO, no_room);
	p.size = 8191;
	refused(&p, -EINVAL, "size is below 8 KiB");
	p.size = 0;
	refused(&p, -EINVAL, "size is below 8 KiB");
}

/* Linux 6.1 compares with the size before the end was cut. */
static void predict__a_device_of_no_size(void **state)
{
	static const char *const old[] = { "6.1", "6.1.192" };
	static const char *const later[] = { "6.12", "6.12.117", "6.15",
					     "6.18", "7.1",      "7.2" };
	struct pmk_memmap_params p = at_4g(M(3), FSDAX, MEM, M(2));

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(old); i++) {
		struct pmk_memmap_layout l;

		p.kernel = kernel(old[i]);
		l = predict(&p);
		assert_int_equal(l.npfns, 0);
		assert_int_equal(l.usable, 0);
		assert_int_equal(l.dataoff, M(2));
		assert_int_equal(l.end_trunc, M(1));
		assert_non_null(strstr(l.warning, "no size"));
		/* up to the end that is left out */
		assert_int_equal(l.init_pages, M(2) / K4);
		p.size = M(2);
		refused(&p, -ENXIO, no_room);
		p.size = M(3);
	}
	/* as 6.1.192 printed it for 1 GiB at 4144 MiB */
	p.start = 0x103000000;
	p.size = p.align = G(1);
	p.kernel = kernel("6.1.192");
	assert_int_equal(predict(&p).init_pages, 249856);
	p.map = DEV;
	assert_int_equal(predict(&p).init_pages, 0);
	/* and nothing for devdax, which gets no driver */
	p.map = MEM;
	p.mode = DEVDAX;
	assert_int_equal(predict(&p).init_pages, 0);
	assert_int_equal(predict(&p).memmap_bytes, 0);
	assert_int_equal(predict(&p).struct_pages_written, 0);
	p = at_4g(M(3), FSDAX, MEM, M(2));
	for (size_t i = 0; i < ARRAY_SIZE(later); i++) {
		p.kernel = kernel(later[i]);
		refused(&p, -ENXIO, no_room);
	}
}

/* 1 GiB: 262142 pages behind the first 8 KiB. */
static void predict__other_struct_pages(void **state)
{
	static const struct {
		unsigned int kept;
		uint64_t dataoff, used, bytes, written_2m, bytes_2m;
	} rows[] = {
		/* 64 * 262142 + 8192 = 16785280: 18 MiB */
		{ 0, M(18), 4606, M(16), 65536, M(4) },
		{ 64, M(18), 4606, M(16), 65536, M(4) },
		/* 80 * 262142 + 8192 = 20979552: 22 MiB */
		{ 80, M(22), 0, M(20), 262144, M(20) },
		/* 96 * 262142 + 8192 = 25173824: 26 MiB */
		{ 96, M(26), 0, M(24), 262144, M(24) },
		/* 128 * 262142 + 8192 = 33562368: 34 MiB */
		{ 128, M(34), 4606, M(16), 65536, M(4) },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pmk_memmap_params p = at_4g(G(1), DEVDAX, DEV, M(2));
		struct pmk_memmap_layout l;

		p.struct_page = rows[i].kept;
		l = predict(&p);
		assert_int_equal(l.dataoff, rows[i].dataoff);
		assert_int_equal(l.usable, G(1) - rows[i].dataoff);
		assert_int_equal(l.altmap_used, rows[i].used);
		assert_int_equal(l.memmap_pmem_bytes, rows[i].bytes);
		/* tails share memory only if 64 divides a page */
		p.map = MEM;
		l = predict(&p);
		assert_int_equal(l.dataoff, M(2));
		assert_int_equal(l.struct_pages_written, rows[i].written_2m);
		assert_int_equal(l.memmap_dram_bytes, rows[i].bytes_2m);
	}
}

/* The first 64 MiB are in a section of which the rest is RAM. */
static void predict__section_shared_with_ram(void **state)
{
	static const struct pmk_memmap_range ram[] = {
		{ 0x1000, 0xa0000 },
		{ M(1), G(3) },
		{ G(4), G(4) + M(64) },
	};
	struct pmk_memmap_params p = at_4g(G(1), DEVDAX, MEM, M(2));
	struct pmk_memmap_layout l;

	(void)state;
	p.start += M(64);
	p.ram = ram;
	p.n_ram = ARRAY_SIZE(ram);
	l = predict(&p);
	assert_int_equal(l.shared_sections, 1);
	/* 32 of 512 compounds have all their struct pages, there already */
	assert_int_equal(l.struct_pages_written, 32 * 512 + 480 * 128);
	assert_int_equal(l.memmap_bytes, 480 * 8192);
	assert_null(l.warning);
	p.kernel = kernel("6.12");
	l = predict(&p);
	assert_int_equal(l.struct_pages_written, 512 * 128);
	assert_int_equal(l.memmap_bytes, 480 * 8192);
	assert_non_null(strstr(l.warning, "tails"));
	p.align = K4;
	l = predict(&p);
	assert_int_equal(l.struct_pages_written, 262144);
	assert_int_equal(l.memmap_dram_bytes, M(15));
	assert_null(l.warning);
	/* 7 sections are whole; the 64 MiB behind them are not */
	p.map = DEV;
	l = predict(&p);
	assert_int_equal(l.shared_sections, 1);
	assert_int_equal(l.altmap_used, 7 * 512 + 510);
	assert_int_equal(l.memmap_pmem_bytes, M(14));
	assert_int_equal(l.memmap_dram_bytes, M(1));
	assert_int_equal(l.memmap_bytes, M(15));
}

static void predict__sections_shared_at_both_ends(void **state)
{
	struct pmk_memmap_range ram[] = {
		{ G(4), G(4) + M(64) },
		{ G(5) + M(96), G(6) },
	};
	struct pmk_memmap_params p = at_4g(G(1) + M(32), DEVDAX, MEM, M(2));
	struct pmk_memmap_layout l;

	(void)state;
	p.start += M(64);
	p.ram = ram;
	p.n_ram = ARRAY_SIZE(ram);
	l = predict(&p);
	assert_int_equal(l.shared_sections, 2);
	/* 64 MiB in front, 96 behind, 896 between */
	assert_int_equal(l.struct_pages_written, (32 + 48) * 512 + 448 * 128);
	assert_int_equal(l.memmap_bytes, 448 * 8192);
	p.mode = FSDAX;
	l = predict(&p);
	assert_int_equal(l.memmap_bytes, M(14));
	/* all of it in one section, with RAM on both sides of it */
	ram[1].start = G(4) + M(96);
	p.size = M(32);
	p.mode = DEVDAX;
	l = predict(&p);
	assert_int_equal(l.shared_sections, 1);
	assert_int_equal(l.struct_pages_written, 16 * 512);
	assert_int_equal(l.memmap_bytes, 0);
	p.mode = FSDAX;
	l = predict(&p);
	assert_int_equal(l.memmap_bytes, 0);
	/* one byte of RAM less than would overlap, and that byte */
	ram[1].start--;
	refused(&p, -EEXIST, "namespace overlaps RAM");
	ram[1].start++;
	ram[0].end++;
	refused(&p, -EEXIST, "namespace overlaps RAM");
	/* RAM beside sections that are whole is nothing to them */
	ram[0].end = G(4);
	ram[1].start = G(5);
	p.start = G(4);
	p.size = G(1);
	l = predict(&p);
	assert_int_equal(l.shared_sections, 0);
	assert_int_equal(l.memmap_bytes, M(16));
}

static void predict__compound_of_1g_in_a_shared_section(void **state)
{
	static const struct pmk_memmap_range ram = { G(4), G(4) + M(64) };
	struct pmk_memmap_params p = at_4g(G(4), DEVDAX, MEM, G(1));
	struct pmk_memmap_layout l;

	(void)state;
	p.start += M(64);
	p.ram = &ram;
	p.n_ram = 1;
	l = predict(&p);
	/* up to 8 GiB: 4 compounds, of which the last is cut; only the head of
	 * the first is in the shared section */
	assert_int_equal(l.usable, G(3));
	assert_int_equal(l.struct_pages_written, 262144 + 3 * 128);
	assert_int_equal(l.memmap_bytes, 3 * 8192);
}

static void predict__start_misaligned(void **state)
{
	struct pmk_memmap_params p = at_4g(G(1), FSDAX, DEV, K4);

	(void)state;
	p.start = M(1);
	refused(&p, -EINVAL, "start misaligned");
	p.start = G(4) + 4096;
	refused(&p, -EINVAL, "start misaligned");
	p.start = G(4) + 1;
	refused(&p, -EINVAL, "start misaligned");
	p.start = G(4) + M(2);
	assert_int_equal(predict(&p).dataoff, M(18));
	p.start = 0;
	assert_int_equal(predict(&p).dataoff, M(18));
}

static void predict__nothing_wraps(void **state)
{
	static const char behind[] = "namespace ends behind 2^63";
	static const uint64_t end = (uint64_t)1 << 63;
	static const struct {
		uint64_t start, size;
	} rows[] = {
		{ 0, end + 1 },
		{ 0, UINT64_MAX },
		{ G(4), end },
		{ G(4), UINT64_MAX - G(4) + 1 },
		{ G(4), UINT64_MAX },
		{ UINT64_MAX, UINT64_MAX },
		{ UINT64_MAX, 1 },
		{ UINT64_MAX, G(1) },
		{ UINT64_MAX - G(1) + 1, G(1) },
		{ end, G(1) },
		{ end - G(1), G(1) + 1 },
	};
	struct pmk_memmap_params p;
	struct pmk_memmap_layout l;

	(void)state;
	for (size_t i = 0; i < 6 * ARRAY_SIZE(rows); i++) {
		p = at_4g(rows[i / 6].size, FSDAX, i % 2 ? DEV : MEM,
			  i % 3 == 0   ? K4
			  : i % 3 == 1 ? M(2)
				       : G(1));
		p.start = rows[i / 6].start;
		p.struct_page = 128;
		refused(&p, -EOVERFLOW, behind);
	}
	p = at_4g(G(1), FSDAX, DEV, M(2));
	p.start = end - G(1);
	assert_int_equal(predict(&p).usable, 1054867456);
	/* 2^63 bytes: 2^57 bytes less two pages' for struct pages, and 8 KiB */
	p.start = 0;
	p.size = end;
	p.align = G(1);
	l = predict(&p);
	assert_int_equal(l.dataoff, ((uint64_t)1 << 57) + G(1));
	assert_int_equal(l.usable, end - l.dataoff);
	assert_int_equal(l.memmap_bytes, (uint64_t)1 << 57);
}

static void predict__what_is_no_namespace(void **state)
{
	const struct pmk_memmap_params good = at_4g(G(1), FSDAX, DEV, M(2));
	struct pmk_memmap_params p = good;

	(void)state;
	p.kernel = kernel(NULL) + 1;
	refused(&p, -ENOENT, "no such kernel");
	p = good;
	p.mode = PMK_MODE_SECTOR;
	refused(&p, -EINVAL, "mode is neither fsdax nor devdax");
	p.mode = PMK_MODE_UNKNOWN;
	refused(&p, -EINVAL, "mode is neither fsdax nor devdax");
	p = good;
	p.map = (enum pmk_memmap_map)2;
	refused(&p, -EINVAL, "map is neither dev nor mem");
	p = good;
	for (uint64_t align = 0; align < 4096 * 3; align += 1024) {
		p.align = align;
		if (align != 4096)
			refused(&p, -EINVAL, "align is not 4K, 2M or 1G");
	}
	p = good;
	for (unsigned int bytes = 1; bytes <= 4096; bytes++) {
		p.struct_page = bytes;
		if (bytes != 64 && bytes != 80 && bytes != 96 && bytes != 128)
			refused(&p, -EINVAL,
				"struct page is not of 64, 80, 96 or 128 "
				"bytes");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernel__names_and_numbers),
		cmocka_unit_test(predict__accounting_of_kernels),
		cmocka_unit_test(predict__what_initialisation_writes),
		cmocka_unit_test(predict__ends_that_are_not_aligned),
		cmocka_unit_test(predict__the_smallest),
		cmocka_unit_test(predict__a_device_of_no_size),
		cmocka_unit_test(predict__other_struct_pages),
		cmocka_unit_test(predict__section_shared_with_ram),
		cmocka_unit_test(predict__sections_shared_at_both_ends),
		cmocka_unit_test(predict__compound_of_1g_in_a_shared_section),
		cmocka_unit_test(predict__start_misaligned),
		cmocka_unit_test(predict__nothing_wraps),
		cmocka_unit_test(predict__what_is_no_namespace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
