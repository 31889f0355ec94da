/* SPDX-License-Identifier: BSD-3-Clause */
/* Copy of whole lines with MOVDIR64B: each line is stored whole or not at all.
 */
#include "persist/copy_lines.h"
#include "persist/prim.h"

void pmk_copy_lines_movdir64b(void *dst, const void *src, size_t lines)
{
	char *d = dst;
	const char *s = src;

	for (; lines; lines--, d += PMK_LINE_SIZE, s += PMK_LINE_SIZE)
		pmk_movdir64b(d, s);
}
