/* SPDX-License-Identifier: BSD-3-Clause */
/* Page copies: the public calls. */
#include <errno.h>

#include <pmk/cpu.h>
#include <pmk/flush.h>
#include <pmk/page.h>

#include "base/export.h"
#include "base/util.h"
#include "persist/ops.h"
#include "persist/page_variants.h"
#include "persist/prim.h"

static void check_regions(void *const dst[], const void *const src[], size_t n,
			  size_t page_size)
{
	for (size_t i = 0; i < n; i++) {
		pmk_check_region(src[i], page_size);
		pmk_check_region(dst[i], page_size);
	}
}

PMK_EXPORT void pmk_copy_page(void *dst, const void *src)
{
	void *const d[] = { dst };
	const void *const s[] = { src };

	pmk_copy_pages(d, s, 1);
}

PMK_EXPORT void pmk_copy_pages(void *const dst[], const void *const src[],
			       size_t n)
{
	check_regions(dst, src, n, PMK_PAGE_SIZE);
	pmk_kernels()->copy_page->fn(dst, src, n, PMK_PAGE_SIZE);
	pmk_drain(); /* all pages */
}

PMK_EXPORT void pmk_copy_pages_from(void *const dst[], const void *const src[],
				    size_t n)
{
	const struct pmk_page_kernel *k = pmk_kernels()->copy_page_from;

	/* streams one by one are slower than the plain copy, 218 against 203
	 * ms/GiB with what reads the page; eight are faster, 187 against 209 */
	if (n < PMK_PAGE_STREAMS)
		k = &pmk_copy_page_from_kernels[pmk_n_copy_page_from_kernels -
						1];
	check_regions(dst, src, n, PMK_PAGE_SIZE);
	k->fn(dst, src, n, PMK_PAGE_SIZE);
}

PMK_EXPORT const char *pmk_page_variant_name(unsigned int variant)
{
	return variant < pmk_n_page_variants ? pmk_page_variants[variant].name
					     : NULL;
}

static int check_pages(void *const dst[], const void *const src[], size_t n,
		       size_t page_size)
{
	if (!page_size || !pmk_is_aligned(page_size, PMK_PAGE_SIZE))
		return -EINVAL;
	for (size_t i = 0; i < n; i++)
		if (!pmk_is_aligned((uintptr_t)dst[i] | (uintptr_t)src[i],
				    PMK_PAGE_SIZE))
			return PMK_E_ALIGNMENT;
	return 0;
}

PMK_EXPORT int pmk_copy_pages_by(unsigned int variant, void *const dst[],
				 const void *const src[], size_t n,
				 size_t page_size)
{
	const struct pmk_page_kernel *k;
	int rc;

	if (variant >= pmk_n_page_variants)
		return -ENOENT;
	k = &pmk_page_variants[variant];
	if ((k->needs & pmk_cpu_features()) != k->needs)
		return -EOPNOTSUPP;
	rc = check_pages(dst, src, n, page_size);
	if (rc)
		return rc;
	check_regions(dst, src, n, page_size);
	k->fn(dst, src, n, page_size);
	if (k->result == PMK_PAGE_NT)
		pmk_drain(); /* all pages */
	return k->result == PMK_PAGE_CACHED;
}
