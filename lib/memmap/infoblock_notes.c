/* SPDX-License-Identifier: BSD-3-Clause */
/* What is odd in an info block though no kernel refuses it for that. */
#include <pmk/infoblock.h>

#include "base/util.h"
#include "memmap/infoblock.h"

struct odd {
	struct pmk_infoblock raw; /* as it is stored */
	const void *block;
	const struct pmk_infoblock_ns *ns;
	const struct pmk_infoblock_report *rep;
};

static bool is_dev(const struct odd *o)
{
	return o->raw.mode == PMK_INFOBLOCK_MODE_DEV;
}

static bool is_loaded(const struct odd *o)
{
	return !o->rep->error && o->ns->size_known;
}

static bool other_major(const struct odd *o)
{
	return o->raw.version_major != 1;
}

static bool old_minor(const struct odd *o)
{
	return o->raw.version_minor < 4;
}

static bool guessed_align(const struct odd *o)
{
	return o->raw.version_minor < 2 || !o->raw.align;
}

static bool has_flags(const struct odd *o)
{
	return o->raw.flags;
}

/* The guarantee came with version 1.3. */
static bool has_padding(const struct odd *o)
{
	return o->raw.version_minor >= 3 &&
	       !pmk_infoblock_padding_is_zero(o->block);
}

static bool has_start_pad(const struct odd *o)
{
	return o->rep->effective.start_pad;
}

static bool is_wasteful(const struct odd *o)
{
	return is_dev(o) &&
	       o->rep->effective.page_struct_size > INFOBLOCK_STRUCT_PAGE;
}

static bool more_pages_dev(const struct odd *o)
{
	return is_loaded(o) && is_dev(o) && o->raw.npfns > o->rep->npfns;
}

static bool other_pages_mem(const struct odd *o)
{
	return is_loaded(o) && !is_dev(o) && o->raw.npfns != o->rep->npfns;
}

static bool nothing_left(const struct odd *o)
{
	return is_loaded(o) && !o->rep->npfns;
}

static const struct {
	bool (*is)(const struct odd *o);
	const char *text;
} notes[] = {
	{ other_major, "the major version is not 1; no kernel looks at it" },
	{ old_minor, "an old version: what it does not have is filled in, as "
		     "the kernel does" },
	{ guessed_align, "it has no align: the kernel takes the highest power "
			 "of two in dataoff" },
	{ has_flags, "flags are set; none has a meaning" },
	{ has_padding, "the bytes behind the last field are not 0" },
	{ has_start_pad, "start_pad is not 0: written by ndctl or by an old "
			 "kernel, as newer ones set none" },
	{ is_wasteful, "more than 64 bytes are kept for each struct page: any "
		       "kernel can load it, and the space is lost" },
	{ more_pages_dev, "npfns is more than fits: the kernel says that the "
			  "namespace is truncated, and goes on" },
	{ other_pages_mem, "npfns is not what fits; the kernel does not mind" },
	{ nothing_left, "nothing is left for data, and this kernel does not "
			"look: it makes a device of no size, or of a senseless "
			"one, and with map=dev it may crash" },
};

_Static_assert(ARRAY_SIZE(notes) < PMK_INFOBLOCK_MAX_NOTES,
	       "all of them, and the NULL, have room");

void pmk_infoblock_notes(const void *block, const struct pmk_infoblock_ns *ns,
			 struct pmk_infoblock_report *rep)
{
	struct odd o = { .block = block, .ns = ns, .rep = rep };
	unsigned int n = 0;

	pmk_infoblock_decode(block, &o.raw);
	if (o.raw.type != PMK_INFOBLOCK_PFN && o.raw.type != PMK_INFOBLOCK_DAX)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(notes); i++)
		if (notes[i].is(&o))
			rep->notes[n++] = notes[i].text;
}
