/* SPDX-License-Identifier: BSD-3-Clause */
/* A style sheet for plots: gnuplot(1) knows no dark background. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "bench/html.h"
#include "bench/report_file.h"
#include "out.h"
#include "pmk.h"

static const char style[] =
	"<style>text{fill:#24292f}[stroke=\"black\"]{stroke:#57606a}"
	"@media (prefers-color-scheme:dark){text{fill:#d0d7de}"
	"[stroke=\"black\"]{stroke:#8b949e}}</style>\n";

/* All of a file with a 0 behind it, or NULL. */
static char *slurp(const char *path, size_t *len_ret)
{
	_cleanup_file_ FILE *f = fopen(path, "re");
	char *text = NULL;

	if (!f)
		return NULL;
	*len_ret = 0;
	if (getdelim(&text, len_ret, EOF, f) < 0) {
		free(text);
		return NULL;
	}
	*len_ret = strlen(text);
	return text;
}

/* Puts the style behind the first tag, <svg ...>. */
int html_style(const char *dir, const char *name)
{
	_cleanup_free_ char *path = NULL, *text = NULL;
	char *at = NULL;
	size_t len;
	FILE *f;

	if (asprintf(&path, "%s/%s", dir, name) < 0)
		out_of_memory();
	text = slurp(path, &len);
	if (text)
		at = strstr(text, "<svg");
	at = at ? strchr(at, '>') : NULL;
	if (!at)
		return out_error("gnuplot made no plot %s", name);
	at++;
	f = report_file_create(dir, name);
	if (!f)
		return EXIT_FAIL;
	fwrite(text, 1, (size_t)(at - text), f);
	fputs(style, f);
	fputs(at, f);
	return report_file_close(f, name);
}
