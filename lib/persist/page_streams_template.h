/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Body of a page copy by streams; include it once per kernel.
 *
 * KERNEL	name of the function
 * TARGET	its target attribute, or empty
 * COPY_UNIT	function that copies UNIT bytes
 * WIDTH	streams side by side: 1, which is page by page, or STREAMS
 */
#if !defined(KERNEL) || !defined(TARGET) || !defined(COPY_UNIT) || \
	!defined(WIDTH)
#error "page_streams_template.h: a parameter is missing"
#endif

TARGET void KERNEL(void *const dst[], const void *const src[], size_t n,
		   size_t page_size)
{
	struct streams st = { .width = WIDTH };
	size_t page = 0;

	while (next_streams(&st, dst, src, n, page_size, &page))
		for (size_t off = 0; off < st.len; off += UNIT)
			for (size_t i = 0; i < st.n; i++)
				COPY_UNIT(st.dst[i] + off, st.src[i] + off);
}

#undef KERNEL
#undef TARGET
#undef COPY_UNIT
#undef WIDTH
