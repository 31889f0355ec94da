/* SPDX-License-Identifier: BSD-3-Clause */
/* Wrap a table's last column between words; libsmartcols does it anywhere. */
#include <stddef.h>
#include <string.h>

#include <libsmartcols.h>

#include "wrap.h"

/* What is narrower is no column of sentences. */
#define MIN_WIDTH 20

static size_t width;

/* Bytes of the first line of @text, and where the next one begins. Continuation
 * bytes of UTF-8 take no room. */
static size_t first_line(const char *text, const char **next_ret)
{
	const char *blank = NULL;
	size_t cells = 0, i;

	for (i = 0; text[i]; i++) {
		cells += ((unsigned char)text[i] & 0xc0) != 0x80;
		if (cells > width && blank)
			break;
		if (text[i] == ' ')
			blank = text + i;
	}
	if (!text[i] && (cells <= width || !blank)) {
		*next_ret = NULL;
		return i;
	}
	*next_ret = blank + 1;
	return (size_t)(blank - text);
}

static size_t widest_line(const struct libscols_column *cl, const char *data,
			  void *arg)
{
	size_t widest = 0;

	(void)cl;
	(void)arg;
	while (data) {
		size_t n = first_line(data, &data);

		widest = n > widest ? n : widest;
	}
	return widest;
}

/* Ends the first line where it is, in the copy that libsmartcols gives. */
static char *cut_line(const struct libscols_column *cl, char *data, void *arg)
{
	const char *next;
	size_t n = data ? first_line(data, &next) : 0;

	(void)cl;
	(void)arg;
	if (!data || !next)
		return NULL;
	data[n] = '\0';
	return (char *)next;
}

static size_t column_width(struct libscols_table *tb, size_t column)
{
	size_t widest = 0;

	for (size_t i = 0; i < scols_table_get_nlines(tb); i++) {
		struct libscols_cell *ce = scols_line_get_cell(
			scols_table_get_line(tb, i), column);
		const char *data = scols_cell_get_data(ce);

		if (data && strlen(data) > widest)
			widest = strlen(data);
	}
	return widest;
}

void wrap_last_column(struct libscols_table *tb)
{
	size_t n = scols_table_get_ncols(tb), used = 0;
	size_t room = scols_table_get_termwidth(tb);

	for (size_t i = 0; i + 1 < n; i++)
		used += column_width(tb, i) + 1;
	if (used + MIN_WIDTH > room)
		return;
	width = room - used;
	scols_column_set_wrapfunc(scols_table_get_column(tb, n - 1),
				  widest_line, cut_line, NULL);
}
