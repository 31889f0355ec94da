/* SPDX-License-Identifier: BSD-3-Clause */
/* pmk memmap inspect --translate: an offset, and where else it is seen. */
#include <inttypes.h>

#include "memmap/inspect.h"
#include "out.h"
#include "pmk.h"

/* What is added to an offset of each kind to count from the start of the
 * namespace; subtracted if it is negative. */
static bool to_namespace(const struct infoblock_look *l, uint64_t *off_ret)
{
	const struct pmk_infoblock *ib = &l->rep.effective;
	uint64_t data;

	switch (l->in) {
	case INFOBLOCK_IN_DEVICE:
		*off_ret = l->off - l->offset;
		return l->off >= l->offset;
	case INFOBLOCK_IN_PHYSICAL:
		*off_ret = l->off - l->ns.start;
		return l->off >= l->ns.start;
	case INFOBLOCK_IN_DATA:
		return !__builtin_add_overflow(ib->dataoff, ib->start_pad,
					       &data) &&
		       !__builtin_add_overflow(data, l->off, off_ret);
	default:
		*off_ret = l->off;
		return true;
	}
}

int infoblock_translate(struct infoblock_look *l)
{
	uint64_t off;
	int rc;

	if (l->ib.type != PMK_INFOBLOCK_PFN && l->ib.type != PMK_INFOBLOCK_DAX)
		return out_error("%s: no info block of fsdax or devdax, so "
				 "nothing can be translated",
				 l->path);
	if (l->in == INFOBLOCK_IN_PHYSICAL && !l->ns.start_known)
		return out_error("%s: the start of the namespace is not known; "
				 "--start tells it",
				 l->path);
	if (!l->ns.size_known)
		return out_error("%s: the size of the namespace is not known; "
				 "--size tells it",
				 l->path);
	if (!to_namespace(l, &off))
		return out_error("--translate: %" PRIu64 " is outside the "
				 "namespace",
				 l->off);
	rc = pmk_infoblock_translate(&l->rep.effective, &l->ns, off, &l->place);
	if (rc)
		return out_fail(l->path, rc, NULL);
	if (l->in == INFOBLOCK_IN_DATA &&
	    l->place.area != PMK_INFOBLOCK_AREA_DATA)
		return out_error("--translate: %" PRIu64 " is behind the end "
				 "of the data",
				 l->off);
	return EXIT_OK;
}
