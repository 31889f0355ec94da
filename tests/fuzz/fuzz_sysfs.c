/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Attributes of sysfs: numbers against a parser written the slow way; what is
 * accepted as a mapping or a selection reads back as it was; lists of bad
 * blocks ascend, and cut in two they have as many bytes as whole.
 *
 * APIs covered: pmk_text_u64(), pmk_text_node(), pmk_text_selected(),
 * pmk_text_mapping(), pmk_text_is_uuid(), pmk_name_compare(),
 * pmk_badblocks_parse(), pmk_bad_clip().
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/badblocks.h"
#include "discover/impl.h"
#include "fuzz.h"

__extension__ typedef unsigned __int128 u128;

/* The digits that @s begins with, as a number; false if that is none or too
 * large. */
static int reference_u64(const char *s, size_t *len_ret, uint64_t *ret)
{
	size_t n = strspn(s, "0123456789");
	u128 v = 0;

	for (size_t i = 0; i < n; i++) {
		v = v * 10 + (u128)(s[i] - '0');
		if (v > UINT64_MAX)
			return 0;
	}
	*len_ret = n;
	*ret = (uint64_t)v;
	return n > 0;
}

static void check_numbers(const char *text)
{
	uint64_t got = 77, want = 77, node = 77;
	const char *p = text;
	size_t len = 0;
	int ok = reference_u64(text, &len, &want);
	int rc = pmk_text_u64(&p, &got);

	FUZZ_CHECK((rc == 0) == ok);
	FUZZ_CHECK(rc ? p == text && got == 77 : got == want);
	FUZZ_CHECK(rc || p == text + len);
	rc = pmk_text_node(text, &node);
	FUZZ_CHECK((rc == 0) == (ok && !text[len] && want <= INT32_MAX));
	FUZZ_CHECK(rc || node == want);
	FUZZ_CHECK((rc == -ENODEV) == !strcmp(text, "-1"));
}

/* Is a zero in front of a digit that begins a number? */
static int has_leading_zero(const char *s)
{
	for (size_t i = 0; s[i]; i++)
		if (s[i] == '0' && strchr("0123456789", s[i + 1]) && s[i + 1] &&
		    (!i || !strchr("0123456789", s[i - 1])))
			return 1;
	return 0;
}

static void check_forms(const char *text)
{
	struct pmk_mapping m;
	char again[8192];
	uint64_t v;
	size_t len;

	if (!pmk_text_mapping(text, &len, &m)) {
		size_t n = (size_t)snprintf(again, sizeof(again),
					    "%.*s,%" PRIu64 ",%" PRIu64,
					    (int)len, text, m.off, m.len);

		if (strcmp(again, text) && n < sizeof(again))
			snprintf(again + n, sizeof(again) - n, ",%" PRIu64,
				 m.position);
		FUZZ_CHECK(!strcmp(again, text) ||
			   has_leading_zero(text + len));
	}
	if (!pmk_text_selected(text, &v)) {
		snprintf(again, sizeof(again), "[%" PRIu64 "]", v);
		FUZZ_CHECK(strstr(text, again) || has_leading_zero(text));
		FUZZ_CHECK(strchr(text, '[') == strrchr(text, '['));
		FUZZ_CHECK(strspn(text, "0123456789[] ") == strlen(text));
	}
	if (pmk_text_is_uuid(text))
		FUZZ_CHECK(strlen(text) == 36);
}

/* The order of two names is the opposite of that of the other two. */
static void check_names(const char *text, size_t size)
{
	const char *a = text, *b = text + size / 2;
	int order = pmk_name_compare(a, b);

	FUZZ_CHECK((order < 0) == (pmk_name_compare(b, a) > 0));
	FUZZ_CHECK((order == 0) == !strcmp(a, b));
}

struct extents {
	struct pmk_extent e[4096];
	struct pmk_badblocks b;
};

static int take(uint64_t off, uint64_t len, void *arg)
{
	struct extents *x = arg;
	const struct pmk_extent *last = x->e + x->b.n_extents - 1;

	FUZZ_CHECK(len && len % 512 == 0 && off % 512 == 0);
	FUZZ_CHECK(off + len > off);
	FUZZ_CHECK(!x->b.n_extents || last->off + last->len <= off);
	if (x->b.n_extents == 1024)
		return -E2BIG;
	x->e[x->b.n_extents++] = (struct pmk_extent){ off, len };
	return 0;
}

static uint64_t sum(const struct pmk_badblocks *b)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < b->n_extents; i++)
		bytes += b->extents[i].len;
	return bytes;
}

static void check_clip(const struct pmk_badblocks *all, uint64_t at)
{
	struct pmk_inventory inv = { 0 };
	struct pmk_badblocks low = pmk_bad_clip(&inv, all, 0, at);
	struct pmk_badblocks high =
		pmk_bad_clip(&inv, all, at, UINT64_MAX - at);

	FUZZ_CHECK(sum(&low) + sum(&high) == sum(all));
	pmk_arena_free(&inv);
}

static void check_badblocks(const uint8_t *data, size_t size)
{
	static struct extents x;
	int fd = memfd_create("badblocks", MFD_CLOEXEC), rc;

	FUZZ_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	FUZZ_CHECK(lseek(fd, 0, SEEK_SET) == 0);
	x.b = (struct pmk_badblocks){ .extents = x.e };
	rc = pmk_badblocks_parse(fd, take, &x);
	close(fd);
	FUZZ_CHECK(rc != 0 || size < 4095);
	if (rc < 0)
		return;
	check_clip(&x.b, 0);
	if (x.b.n_extents) {
		check_clip(&x.b, x.e[0].off + 1);
		check_clip(&x.b, x.e[x.b.n_extents - 1].off);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	check_numbers(text);
	if (size < 4096)
		check_forms(text);
	check_names(text, size);
	free(text);
	check_badblocks(data, size);
	return 0;
}
