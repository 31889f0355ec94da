/* SPDX-License-Identifier: BSD-3-Clause */
/* Cases that belong together, and text for HTML. */
#include <string.h>

#include "bench/html.h"

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

bool html_same_group(const struct bench_case *a, const struct bench_case *b)
{
	return same(a->op, b->op) && same(a->policy, b->policy) &&
	       same(a->pattern, b->pattern) &&
	       same(a->direction, b->direction) && same(a->cpu, b->cpu) &&
	       a->threads == b->threads;
}

void html_each_group(FILE *f, const struct bench_suite *s, html_group_fn *fn,
		     void *arg)
{
	for (size_t i = 0; i < s->n_cases; i++) {
		size_t j = 0;

		while (j < i && !html_same_group(&s->cases[j], &s->cases[i]))
			j++;
		if (j == i)
			fn(f, s, &s->cases[i], arg);
	}
}

char *html_group_name(const struct bench_case *c, char *text, size_t size)
{
	const char *words[] = { c->policy, c->pattern, c->direction };
	size_t n = (size_t)snprintf(text, size, "%s", c->op);

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (words[i] && n < size)
			n += (size_t)snprintf(text + n, size - n, " %s",
					      words[i]);
	if (c->threads > 1 && n < size)
		n += (size_t)snprintf(text + n, size - n, ", %u threads",
				      c->threads);
	if (c->cpu && n < size)
		snprintf(text + n, size - n, ", %s", c->cpu);
	for (char *p = text; *p; p++)
		if (*p == '_')
			*p = ' ';
	return text;
}

void html_text(FILE *f, const char *text)
{
	for (; *text; text++)
		switch (*text) {
		case '&':
			fputs("&amp;", f);
			break;
		case '<':
			fputs("&lt;", f);
			break;
		case '>':
			fputs("&gt;", f);
			break;
		case '"':
			fputs("&quot;", f);
			break;
		default:
			fputc(*text, f);
		}
}
