/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Body of a non-temporal copy kernel; include it once per kernel.
 *
 * KERNEL	name of the function
 * TARGET	its target attribute, or empty
 * VEC		vector type; 64 bytes are a whole number of them
 * LOADU	unaligned load from const VEC *
 * STREAM	aligned non-temporal store to VEC *
 *
 * Four lines are loaded before the first is stored, which hides load latency
 * and keeps overlap with dst < src right: see pmk_copy_lines_fn.
 */
#if !defined(KERNEL) || !defined(TARGET) || !defined(VEC) || \
	!defined(LOADU) || !defined(STREAM)
#error "copy_lines_template.h: a parameter is missing"
#endif

#define PER_LINE (PMK_LINE_SIZE / sizeof(VEC))

TARGET void KERNEL(void *dst, const void *src, size_t lines)
{
	VEC *d = dst;
	const VEC *s = src;

	for (; lines >= 4; lines -= 4, d += 4 * PER_LINE, s += 4 * PER_LINE) {
		VEC v[4 * PER_LINE];

		for (size_t i = 0; i < 4 * PER_LINE; i++)
			v[i] = LOADU(s + i);
		for (size_t i = 0; i < 4 * PER_LINE; i++)
			STREAM(d + i, v[i]);
	}
	for (; lines; lines--, d += PER_LINE, s += PER_LINE) {
		VEC v[PER_LINE];

		for (size_t i = 0; i < PER_LINE; i++)
			v[i] = LOADU(s + i);
		for (size_t i = 0; i < PER_LINE; i++)
			STREAM(d + i, v[i]);
	}
}

#undef PER_LINE
