/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of devices, and their order. */
#include <ctype.h>
#include <string.h>

#include "discover/impl.h"

static size_t digits(const char *s)
{
	size_t n = 0;

	while (isdigit((unsigned char)s[n]))
		n++;
	return n;
}

bool pmk_name_is(const char *name, const char *prefix, bool dot)
{
	size_t n = strlen(prefix);

	if (strncmp(name, prefix, n) || !digits(name + n))
		return false;
	name += n;
	name += digits(name);
	if (!dot)
		return !*name;
	return *name == '.' && digits(name + 1) && !name[1 + digits(name + 1)];
}

/* Numbers of any length, by value; then shorter writing first. */
static int compare_numbers(const char *a, size_t a_len, const char *b,
			   size_t b_len)
{
	size_t a_zeros = 0, b_zeros = 0;
	int order;

	while (a_zeros < a_len && a[a_zeros] == '0')
		a_zeros++;
	while (b_zeros < b_len && b[b_zeros] == '0')
		b_zeros++;
	if (a_len - a_zeros != b_len - b_zeros)
		return a_len - a_zeros < b_len - b_zeros ? -1 : 1;
	order = memcmp(a + a_zeros, b + b_zeros, a_len - a_zeros);
	if (order || a_len == b_len)
		return order;
	return a_len < b_len ? -1 : 1;
}

int pmk_name_compare(const char *a, const char *b)
{
	while (*a && *b) {
		size_t a_len = digits(a), b_len = digits(b);
		int order;

		if (a_len && b_len) {
			order = compare_numbers(a, a_len, b, b_len);
			a += a_len;
			b += b_len;
		} else {
			order = (unsigned char)*a++ - (unsigned char)*b++;
		}
		if (order)
			return order;
	}
	return (*a != 0) - (*b != 0);
}
