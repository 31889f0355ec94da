/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hostile info blocks, against the checks of the kernel written down a second
 * time, on the bytes.  20 bytes say who looks and at what namespace, the rest
 * lies over the first bytes of a block.
 *
 * APIs covered: pmk_infoblock_decode(), pmk_infoblock_encode(),
 * pmk_infoblock_check(), pmk_infoblock_translate().
 */
#include <errno.h>
#include <string.h>

#include <pmk/infoblock.h>

#include "fuzz.h"
#include "support/guard.h"
#include "support/infoblock_raw.h"

#define HEAD    20U
#define COMPAT  ((uint64_t)2 << 20)
#define SECTION ((uint64_t)128 << 20)

enum {
	FLAG_SEAL = 1,
	FLAG_START = 2,
	FLAG_SIZE = 4,
	FLAG_UUID = 8,
	FLAG_PARENT = 16,
};

/* The last 4096 bytes before a page that may not be touched. */
static unsigned char *guarded(void)
{
	static struct guard g;

	if (!g.start)
		guard_init(&g, RAW_BYTES);
	return guard_tail(&g, RAW_BYTES);
}

static void take_head(const uint8_t *head, struct pmk_infoblock_ns *ns)
{
	static const unsigned int pages[] = { 0, 64, 80, 96 };
	static const enum pmk_mode modes[] = { PMK_MODE_UNKNOWN, PMK_MODE_FSDAX,
					       PMK_MODE_DEVDAX,
					       PMK_MODE_UNKNOWN };
	unsigned int n = 0;

	while (pmk_memmap_kernel_name(n))
		n++;
	*ns = (struct pmk_infoblock_ns){
		.kernel = head[0] % n,
		.struct_page = pages[head[2] % 4],
		.mode = modes[head[3] % 4],
		.start_known = head[1] & FLAG_START,
		.size_known = head[1] & FLAG_SIZE,
		.uuid_known = head[1] & FLAG_UUID,
		.parent_uuid_known = head[1] & FLAG_PARENT,
		.start = raw_get(head, 4, 8),
		.size = raw_get(head, 12, 8),
	};
}

/* A block as a kernel takes it. */
struct taken {
	uint64_t dataoff;
	uint64_t align;
	uint64_t pad;
	uint64_t trunc;
	uint64_t page;
	uint64_t kept;
	uint64_t mode;
};

static struct taken take(const unsigned char *b)
{
	uint64_t minor = raw_get(b, RAW_VERSION_MINOR, 2);
	struct taken t = {
		.dataoff = raw_get(b, RAW_DATAOFF, 8),
		.align = minor >= 2 ? raw_get(b, RAW_ALIGN, 4) : 0,
		.pad = minor >= 1 ? raw_get(b, RAW_START_PAD, 4) : 0,
		.trunc = minor >= 1 ? raw_get(b, RAW_END_TRUNC, 4) : 0,
		.page = minor >= 4 ? raw_get(b, RAW_PAGE_SIZE, 4) : 4096,
		.kept = minor >= 4 ? raw_get(b, RAW_PAGE_STRUCT_SIZE, 2) : 64,
		.mode = raw_get(b, RAW_MODE, 4),
	};

	if (!t.align) {
		t.align = (uint64_t)1 << 63;
		while (t.dataoff && t.align > t.dataoff)
			t.align >>= 1;
	}
	return t;
}

static int signature_fits(const unsigned char *b,
			  const struct pmk_infoblock_ns *ns)
{
	int pfn = !memcmp(b, "NVDIMM_PFN_INFO", 16);
	int dax = !memcmp(b, "NVDIMM_DAX_INFO", 16);
	int btt = !memcmp(b, "BTT_ARENA_INFO\0", 16);

	if (ns->mode == PMK_MODE_FSDAX)
		return pfn;
	if (ns->mode == PMK_MODE_DEVDAX)
		return dax;
	return pfn || dax || btt;
}

static int sizes_fit(const struct taken *t, const struct pmk_infoblock_ns *ns)
{
	uint64_t room = ns->size - t->pad - t->trunc;

	if (!ns->size_known)
		return 1;
	if (t->align > ns->size || t->dataoff >= ns->size)
		return 0;
	/* older than this, nobody looks */
	if (ns->kernel >= (unsigned int)pmk_memmap_kernel("6.12") &&
	    t->dataoff >= room)
		return 0;
	if (t->pad + t->trunc >= ns->size)
		return 0;
	return t->mode == 1 || t->dataoff <= room;
}

static int addresses_fit(const struct taken *t,
			 const struct pmk_infoblock_ns *ns)
{
	uint64_t begin = ns->start + t->pad;
	uint64_t end = ns->start + ns->size - t->trunc;

	if (t->dataoff & 4095)
		return 0;
	if (!ns->start_known)
		return 1;
	if (((begin + t->dataoff) & (t->align - 1)) || begin % COMPAT)
		return 0;
	return !ns->size_known || end % COMPAT == 0;
}

static int memmap_fits(const struct taken *t, const struct pmk_infoblock_ns *ns)
{
	uint64_t begin = ns->start + t->pad;
	uint64_t end = ns->start + ns->size - t->trunc;
	uint64_t first = (begin + SECTION - 1) / SECTION;

	if (!ns->start_known || !ns->size_known)
		return 1;
	if (ns->struct_page && ns->struct_page != 64)
		return 1;
	if (begin + SECTION - 1 < begin) /* wraps, as sums of a kernel do */
		first = 0;
	if (end / SECTION <= first)
		return 1;
	return t->dataoff >= COMPAT * (1 + end / SECTION - first);
}

/* Would a kernel load it? */
static int is_good(const unsigned char *b, const struct pmk_infoblock_ns *ns)
{
	uint64_t page = ns->struct_page ? ns->struct_page : 64;
	struct taken t = take(b);
	int dax = !memcmp(b, "NVDIMM_DAX_INFO", 16);

	if (!signature_fits(b, ns) ||
	    raw_get(b, RAW_CHECKSUM, 8) != raw_checksum(b))
		return 0;
	if (!memcmp(b, "BTT_", 4))
		return 1;
	if (ns->parent_uuid_known &&
	    memcmp(b + RAW_PARENT_UUID, ns->parent_uuid, 16))
		return 0;
	if (ns->uuid_known && memcmp(b + RAW_UUID, ns->uuid, 16))
		return 0;
	if (t.mode != 1 && t.mode != 2)
		return 0;
	if (t.mode == 2 && (t.page > 4096 || t.kept < page))
		return 0;
	if (dax && t.align != 4096 && t.align != COMPAT && t.align != 1U << 30)
		return 0;
	if (!sizes_fit(&t, ns) || !addresses_fit(&t, ns))
		return 0;
	return t.dataoff >= 8192 && (t.mode == 1 || memmap_fits(&t, ns));
}

static void check_report(const struct pmk_infoblock_report *rep)
{
	unsigned int n = 0;

	while (pmk_infoblock_check_name(n))
		n++;
	FUZZ_CHECK(rep->failed < (int)n);
	FUZZ_CHECK(!rep->error == (rep->failed < 0));
	FUZZ_CHECK(!rep->error == !rep->reason && !rep->error == !rep->remedy);
	FUZZ_CHECK(memchr(rep->detail, 0, sizeof(rep->detail)));
	for (unsigned int i = 0; i < n; i++)
		FUZZ_CHECK((rep->results[i] == PMK_INFOBLOCK_FAILED) ==
			   ((int)i == rep->failed));
	n = 0;
	while (rep->notes[n])
		n++;
	FUZZ_CHECK(n < PMK_INFOBLOCK_MAX_NOTES);
}

/* Offsets of an accepted block lead there and back. */
static void check_places(const struct pmk_infoblock_ns *ns,
			 const struct pmk_infoblock_report *rep)
{
	const struct pmk_infoblock *ib = &rep->effective;
	uint64_t first = ib->dataoff + ib->start_pad;
	struct pmk_infoblock_place p;

	FUZZ_CHECK(rep->usable == rep->npfns * 4096);
	if (!rep->usable)
		return;
	FUZZ_CHECK(first + rep->usable <= ns->size);
	if (ns->size > INT64_MAX)
		return;
	FUZZ_CHECK(!pmk_infoblock_translate(ib, ns, first, &p));
	FUZZ_CHECK(p.area == PMK_INFOBLOCK_AREA_DATA && !p.data_off);
	FUZZ_CHECK(
		!pmk_infoblock_translate(ib, ns, first + rep->usable - 1, &p));
	FUZZ_CHECK(p.area == PMK_INFOBLOCK_AREA_DATA);
	FUZZ_CHECK(p.data_off == rep->usable - 1);
	/* struct pages end before the data, if that is how it was checked */
	FUZZ_CHECK(!p.struct_page_off || p.struct_page_off + 64 <= first);
	FUZZ_CHECK(!pmk_infoblock_translate(ib, ns, first - 1, &p));
	FUZZ_CHECK(p.area ==
		   (ib->mode == PMK_INFOBLOCK_MODE_DEV && ib->dataoff > 8192
			    ? PMK_INFOBLOCK_AREA_MEMMAP
			    : PMK_INFOBLOCK_AREA_HEADER));
	FUZZ_CHECK(pmk_infoblock_translate(ib, ns, ns->size, &p) ==
		   PMK_E_RANGE);
}

static void check_encode(const unsigned char *b)
{
	unsigned char again[RAW_BYTES];
	struct pmk_infoblock ib;
	int rc;

	pmk_infoblock_decode(b, &ib);
	FUZZ_CHECK(ib.checksum_computed == raw_checksum(b));
	rc = pmk_infoblock_encode(&ib, again);
	FUZZ_CHECK(rc == 0 || rc == -EINVAL);
	FUZZ_CHECK(!rc == (ib.type == PMK_INFOBLOCK_PFN ||
			   ib.type == PMK_INFOBLOCK_DAX));
	if (!rc)
		FUZZ_CHECK(!memcmp(b, again, RAW_PADDING));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pmk_infoblock_report rep;
	struct pmk_infoblock_ns ns;
	unsigned char *b = guarded();

	if (size < HEAD)
		return 0;
	take_head(data, &ns);
	memset(b, 0, RAW_BYTES);
	size -= HEAD;
	memcpy(b, data + HEAD, size < RAW_BYTES ? size : RAW_BYTES);
	if (data[1] & FLAG_SEAL)
		raw_seal(b);
	check_encode(b);
	FUZZ_CHECK(!pmk_infoblock_check(b, &ns, &rep));
	check_report(&rep);
	FUZZ_CHECK((rep.error == 0) == is_good(b, &ns));
	if (!rep.error && rep.effective.type != PMK_INFOBLOCK_BTT)
		check_places(&ns, &rep);
	return 0;
}
