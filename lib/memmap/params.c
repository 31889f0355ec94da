/* SPDX-License-Identifier: BSD-3-Clause */
/* The parameters of a simulation. */
#include <errno.h>

#include "base/log.h"
#include "memmap/params.h"
#include "memmap/units.h"

/* bytes that 19 bits count, in sections of 128 MiB */
#define SECTIONS_END ((uint64_t)1 << 46)
/* 52 bits of physical address (Intel SDM vol. 3, 4.1.4) */
#define PHYSICAL_END ((uint64_t)1 << 52)

bool pmk_memmap_overlaps_ram(const struct pmk_memmap_params *p, uint64_t start,
			     uint64_t end)
{
	for (size_t i = 0; i < p->n_ram; i++)
		if (p->ram[i].start < end && p->ram[i].end > start)
			return true;
	return false;
}

int pmk_memmap_check_sim(const struct pmk_memmap_sim *sim)
{
	unsigned int have = sim->page_bytes ? sim->page_bytes : 64;
	unsigned int kept = sim->ns.struct_page;

	if (have != 64 && have != 80 && have != 96)
		return pmk_fail(-EINVAL,
				"a struct page of %u bytes: 64, 80 and 96 are "
				"known",
				have);
	if (kept && kept != have && !(have == 64 && kept == 128))
		return pmk_fail(-EINVAL,
				"%u bytes are kept for struct pages of %u",
				kept, have);
	if (sim->vmemmap_base % MEMMAP_PAGE || sim->pgmap % 8)
		return pmk_fail(-EINVAL, "the address of the vmemmap is no "
					 "multiple of 4096, or that of pgmap "
					 "none of 8");
	if (sim->ns.size > PHYSICAL_END ||
	    sim->ns.start > PHYSICAL_END - sim->ns.size)
		return pmk_fail(-EINVAL, "ends behind 4 PiB, which x86-64 "
					 "cannot address");
	if (sim->nid >= 1024)
		return pmk_fail(-EINVAL, "node %u: below 1024", sim->nid);
	if (sim->zone >= 8)
		return pmk_fail(-EINVAL, "zone %u: below 8", sim->zone);
	if (sim->section_in_flags &&
	    (sim->ns.size > SECTIONS_END ||
	     sim->ns.start > SECTIONS_END - sim->ns.size))
		return pmk_fail(-EINVAL,
				"beyond 64 TiB, the number of a section is not "
				"in the flags");
	return 0;
}

void pmk_memmap_complete_sim(struct pmk_memmap_sim *sim)
{
	if (!sim->page_bytes)
		sim->page_bytes = 64;
	/* a kernel keeps room for the struct pages that it has */
	if (!sim->ns.struct_page)
		sim->ns.struct_page = sim->page_bytes;
}

int pmk_memmap_lay_out(const struct pmk_memmap_sim *sim,
		       struct pmk_memmap_layout *layout_ret)
{
	int rc = pmk_memmap_predict(&sim->ns, layout_ret);

	if (rc)
		return rc;
	if (!layout_ret->npfns)
		return pmk_fail(-ENXIO, "nothing is left for data");
	if (layout_ret->shared_sections && sim->ns.mode == PMK_MODE_DEVDAX &&
	    sim->ns.map == PMK_MEMMAP_MEM && sim->ns.align == MEMMAP_1G)
		return pmk_fail(-EOPNOTSUPP,
				"compounds of 1 GiB in a section shared with "
				"RAM: their struct pages are not known");
	return 0;
}
