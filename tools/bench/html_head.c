/* SPDX-License-Identifier: BSD-3-Clause */
/* How all pages of reports begin, and how they look. */
#include <time.h>

#include "bench/host.h"
#include "bench/html.h"

static const char css[] =
	":root{color-scheme:light dark;--bg:#fff;--fg:#1f2328;--soft:#59636e;"
	"--line:#d1d9e0;--card:#f6f8fa;"
	"--l3:#c62828;--l3t:#fff;--l2:#e57373;--l2t:#2b0000;--l1:#f9c4c4;"
	"--l1t:#5c0000;--n:#eceff3;--nt:#1f2328;--w1:#d5e7fb;--w1t:#0a2d52;"
	"--w2:#a9cff6;--w2t:#06254a;--w3:#5da1e6;--w3t:#00142b;--w4:#1f63ad;"
	"--w4t:#fff}\n"
	"@media (prefers-color-scheme:dark){:root{--bg:#0d1117;--fg:#e6edf3;"
	"--soft:#9198a1;--line:#3d444d;--card:#161b22;"
	"--l3:#e5383b;--l3t:#fff;--l2:#a12b2e;--l2t:#fff;--l1:#6b2426;"
	"--l1t:#ffd9d9;--n:#242b34;--nt:#d0d7de;--w1:#16304d;--w1t:#cfe3f8;"
	"--w2:#1a4a7d;--w2t:#e3f0fd;--w3:#2a6db5;--w3t:#fff;--w4:#58a6ff;"
	"--w4t:#001a33}}\n"
	"*{box-sizing:border-box}body{margin:0 auto;max-width:1240px;"
	"padding:24px;background:var(--bg);color:var(--fg);"
	"font:15px/1.5 system-ui,sans-serif}\n"
	"h1{font-size:26px;margin:0 0 4px}h2{font-size:20px;margin:36px 0 8px;"
	"border-bottom:1px solid var(--line);padding-bottom:4px}"
	"h3{font-size:16px;margin:24px 0 4px}p{max-width:80ch}"
	".soft{color:var(--soft);margin:0}\n"
	".tiles{display:grid;grid-template-columns:"
	"repeat(auto-fill,minmax(360px,1fr));gap:12px;margin:20px 0}"
	".tile{background:var(--card);border:1px solid var(--line);"
	"border-radius:8px;padding:10px 16px}"
	".tile b{display:inline-block;font-size:24px;line-height:1.3;"
	"padding:0 6px;margin:0 10px 0 -6px;border-radius:4px}"
	".tile span{color:var(--soft);font-size:13px}\n"
	"table{border-collapse:collapse}td,th{padding:3px 10px;"
	"text-align:left;border-bottom:1px solid var(--line);"
	"font-weight:normal;vertical-align:top}thead th,.facts th"
	"{color:var(--soft)}td.num{text-align:right;"
	"font-variant-numeric:tabular-nums}\n"
	".maps,.plots{display:flex;flex-wrap:wrap;gap:20px 28px;"
	"align-items:flex-start}.heat{font-size:11px;"
	"font-variant-numeric:tabular-nums}.heat td,.heat th"
	"{padding:1px 5px;text-align:right;border:1px solid var(--bg);"
	"white-space:nowrap}.heat th{color:var(--soft)}"
	".heat caption{font-size:13px;text-align:left;padding:4px 0}\n"
	".chip{padding:0 6px;border-radius:3px}"
	".l3{background:var(--l3);color:var(--l3t);font-weight:700}"
	".l2{background:var(--l2);color:var(--l2t);font-weight:700}"
	".l1{background:var(--l1);color:var(--l1t);font-weight:700}"
	".n{background:var(--n);color:var(--nt)}"
	".w1{background:var(--w1);color:var(--w1t)}"
	".w2{background:var(--w2);color:var(--w2t)}"
	".w3{background:var(--w3);color:var(--w3t)}"
	".w4{background:var(--w4);color:var(--w4t)}\n"
	"figure{margin:0;flex:1 1 370px;max-width:560px}"
	"img{max-width:100%;height:auto}figcaption"
	"{color:var(--soft);font-size:13px}details{margin:12px 0}"
	"summary{cursor:pointer;font-weight:600}";

void html_head(FILE *f, const char *title, const struct host *host)
{
	time_t now = time(NULL);
	char date[32] = "";
	struct tm tm;

	if (gmtime_r(&now, &tm))
		strftime(date, sizeof(date), "%Y-%m-%d %H:%M UTC", &tm);
	fprintf(f,
		"<!DOCTYPE html>\n<html lang=en>\n<head>\n"
		"<meta charset=utf-8>\n"
		"<meta name=generator content=\"pmk bench\">\n"
		"<meta name=viewport content=\"width=device-width\">\n"
		"<title>%s</title>\n<style>\n%s\n</style>\n"
		"</head>\n<body>\n<h1>%s</h1>\n<p class=soft>",
		title, css, title);
	html_text(f, host->cpu);
	fprintf(f, ", %s, %s</p>\n<p class=soft>Medium: ", host->kernel, date);
	html_text(f, host->medium);
	fputs("</p>\n", f);
}
