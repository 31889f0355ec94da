/* SPDX-License-Identifier: BSD-3-Clause */
/* Thresholds: the measured ones, and how to change them by name. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/export.h"
#include "base/log.h"
#include "base/size.h"
#include "base/util.h"
#include "persist/ops.h"
#include "persist/tune.h"

/*
 * DRAM and a memfd: docs/design/0007-engines.md.  They come out the same; there
 * is a row for each because huge pages and NUMA may make them differ elsewhere.
 * pmem: as DRAM, but for nt_*: on one Optane DIMM a store and its write-back
 * take 116, 134, 192 and 328 ns for 64 to 512 bytes, a non-temporal store 125,
 * 135, 212 and 305 (OptaneStudy, latency).
 */
#define STREAMS_AND_CLEAR                                                   \
	.two_streams = 3968, .four_streams = 12032, .eight_streams = 32768, \
	.two_streams_nodrain = 4160, .nt_clear = 128U << 20

static const struct pmk_tuning defaults[PMK_MEDIA] = {
	[PMK_MEDIUM_DRAM] = { .nt_lines = 64,
			      .nt_edges = 256,
			      STREAMS_AND_CLEAR },
	[PMK_MEDIUM_EMULATED] = { .nt_lines = 64,
				  .nt_edges = 256,
				  STREAMS_AND_CLEAR },
	[PMK_MEDIUM_PMEM] = { .nt_lines = 512,
			      .nt_edges = 512,
			      STREAMS_AND_CLEAR },
};

static const char *const media[PMK_MEDIA] = {
	[PMK_MEDIUM_DRAM] = "dram",
	[PMK_MEDIUM_EMULATED] = "emulated",
	[PMK_MEDIUM_PMEM] = "pmem",
};

static const struct {
	const char *name;
	size_t offset;
} fields[] = {
	{ "nt_lines", offsetof(struct pmk_tuning, nt_lines) },
	{ "nt_edges", offsetof(struct pmk_tuning, nt_edges) },
	{ "two_streams", offsetof(struct pmk_tuning, two_streams) },
	{ "four_streams", offsetof(struct pmk_tuning, four_streams) },
	{ "eight_streams", offsetof(struct pmk_tuning, eight_streams) },
	{ "two_streams_nodrain",
	  offsetof(struct pmk_tuning, two_streams_nodrain) },
	{ "nt_clear", offsetof(struct pmk_tuning, nt_clear) },
};

PMK_EXPORT const char *pmk_medium_name(unsigned int medium)
{
	return medium < PMK_MEDIA ? media[medium] : NULL;
}

void pmk_tuning_defaults(struct pmk_tuning tuning[PMK_MEDIA])
{
	memcpy(tuning, defaults, sizeof(defaults));
}

PMK_EXPORT int pmk_tuning_get(unsigned int medium,
			      struct pmk_tuning *tuning_ret)
{
	if (medium >= PMK_MEDIA)
		return pmk_fail(PMK_E_TUNING, "no medium %u", medium);
	*tuning_ret = pmk_kernels()->tuning[medium];
	return 0;
}

/* The member that the @len bytes at @name name, or NULL. */
static size_t *find(struct pmk_tuning *t, const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (strlen(fields[i].name) == len &&
		    !strncmp(fields[i].name, name, len))
			return (size_t *)(void *)((char *)t + fields[i].offset);
	return NULL;
}

/* A size of @len characters, or "off". */
static int parse_size(const char *text, size_t len, size_t *size_ret)
{
	char buf[32];
	uint64_t bytes = SIZE_MAX;

	if (!len || len >= sizeof(buf))
		return -1;
	memcpy(buf, text, len);
	buf[len] = '\0';
	if (strcmp(buf, "off") && pmk_size_parse(buf, &bytes))
		return -1;
	*size_ret = bytes;
	return 0;
}

/* One NAME=SIZE of @len characters. */
static int parse_one(const char *text, size_t len, struct pmk_tuning *t)
{
	const char *equals = memchr(text, '=', len);
	size_t *field, name_len;

	name_len = equals ? (size_t)(equals - text) : len;
	field = find(t, text, name_len);
	if (!field)
		return pmk_fail(PMK_E_TUNING, "unknown threshold '%.*s'",
				(int)pmk_min_size(name_len, 64), text);
	if (!equals || parse_size(equals + 1, len - name_len - 1, field))
		return pmk_fail(PMK_E_TUNING,
				"'%.*s' is not a threshold and its size, such "
				"as two_streams=4k",
				(int)pmk_min_size(len, 64), text);
	return 0;
}

PMK_EXPORT int pmk_tuning_parse(const char *text, struct pmk_tuning *tuning)
{
	struct pmk_tuning t = *tuning;

	while (*text) {
		size_t len = strcspn(text, ",");
		int rc = parse_one(text, len, &t);

		if (rc)
			return rc;
		text += len;
		if (*text == ',')
			text++;
	}
	*tuning = t;
	return 0;
}

void pmk_tuning_from_environment(struct pmk_tuning tuning[PMK_MEDIA])
{
	const char *text = secure_getenv("PMK_TUNING");

	for (size_t i = 0; text && i < PMK_MEDIA; i++) {
		if (!pmk_tuning_parse(text, &tuning[i]))
			continue;
		pmk_log(PMK_LOG_WARNING, "PMK_TUNING changes nothing");
		return;
	}
}
