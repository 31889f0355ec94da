/* SPDX-License-Identifier: BSD-3-Clause */
/* Place a mapping at an address that lets the kernel use large pages. */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/util.h"
#include "map/map_impl.h"

/* Another thread may take the range between two calls; this often is bad luck
 * that no program has. */
#define TRIES 8

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/*
 * A free range that fits: reserve more than enough, choose, release.  Holding
 * the reservation and mapping over it with MAP_FIXED would be no better: a
 * failing mmap() may leave a hole there, which is then not ours to unmap.
 */
static int find_range(uint64_t off, size_t len, size_t align,
		      unsigned char **addr_ret)
{
	size_t room = len + align;
	uintptr_t base, addr;
	void *p;

	if (room < len)
		return -ENOMEM;
	p = mmap(NULL, room, PROT_NONE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return -errno;
	munmap(p, room);
	base = (uintptr_t)p;
	addr = pmk_align_down(base, align) + (off & (align - 1));
	if (addr < base)
		addr += align;
	*addr_ret = (unsigned char *)addr;
	return 0;
}

int pmk_vma_map(int fd, uint64_t off, size_t len, size_t align, int prot,
		int flags, unsigned char **addr_ret)
{
	size_t span = pmk_align_up(len, page_size());

	if (span < len)
		return -ENOMEM;
	for (int i = 0; i < TRIES; i++) {
		unsigned char *want = NULL;
		int rc = find_range(off, span, align, &want);
		void *p;

		if (rc)
			return rc;
		/* A hint only: MAP_SHARED_VALIDATE refuses
		 * MAP_FIXED_NOREPLACE as it does MAP_SYNC without DAX,
		 * with EOPNOTSUPP (Linux 6.1, 6.12). */
		p = mmap(want, span, prot, flags, fd, (off_t)off);
		if (p == want) {
			*addr_ret = want;
			return 0;
		}
		if (p == MAP_FAILED)
			return -errno;
		munmap(p, span);
	}
	return -EAGAIN;
}

void pmk_vma_unmap(unsigned char *addr, size_t len)
{
	munmap(addr, pmk_align_up(len, page_size()));
}
