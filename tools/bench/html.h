/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of a report: a page, its heat maps, its plots. */
#ifndef TOOLS_BENCH_HTML_H
#define TOOLS_BENCH_HTML_H

#include <stdbool.h>
#include <stdio.h>

#include "bench/suite_out.h"

/* Cases that differ in nothing but size and offsets: of each group @first is
 * the index of one.  Calls @fn for every group of @s. */
typedef void html_group_fn(FILE *f, const struct bench_suite *s,
			   const struct bench_case *first, void *arg);
void html_each_group(FILE *f, const struct bench_suite *s, html_group_fn *fn,
		     void *arg);
bool html_same_group(const struct bench_case *a, const struct bench_case *b);
/* "persist stream, 2 threads"; returns @text. */
char *html_group_name(const struct bench_case *c, char *text, size_t size);

/* Text with the characters escaped that have a meaning in HTML. */
void html_text(FILE *f, const char *text);

/* How a page begins: up to a heading, the host and the medium.  No character of
 * @title has a meaning in HTML. */
struct host;
void html_head(FILE *f, const char *title, const struct host *host);

/* The whole page; what it shows of the plots are the files that
 * html_plots_make() makes. */
void html_page(FILE *f, const struct bench_suite *s);
void html_heat_maps(FILE *f, const struct bench_suite *s);
void html_plots(FILE *f, const struct bench_suite *s);

/* Run gnuplot(1) on plots.gp in directory @dir.  Signals are held: gnuplot is
 * ended when one waits.  EXIT_OK, or EXIT_FAIL after a message. */
int html_gnuplot(const char *dir);

/* Give a plot that gnuplot made a style sheet, for a dark background.  EXIT_OK,
 * or EXIT_FAIL after a message. */
int html_style(const char *dir, const char *name);

/* Write the script for gnuplot(1) and run it in directory @dir, which it
 * leaves with the script and the plots.  EXIT_OK, or EXIT_FAIL after a
 * message. */
int html_plots_make(const char *dir, const struct bench_suite *s);

#endif /* TOOLS_BENCH_HTML_H */
