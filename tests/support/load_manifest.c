/* SPDX-License-Identifier: BSD-3-Clause */
/* Make the tree of a manifest on standard input: load_manifest DIRECTORY. */
#include <stdio.h>
#include <stdlib.h>

#include "support/manifest.h"

int main(int argc, char **argv)
{
	char *text = NULL;
	size_t cap = 0;
	ssize_t n = argc == 2 ? getdelim(&text, &cap, '\0', stdin) : -1;
	int rc = n < 0 ? -1 : manifest_load(argv[1], text, (size_t)n);

	if (n < 0)
		fprintf(stderr, "Usage: load_manifest DIRECTORY <MANIFEST\n");
	free(text);
	return rc ? 1 : 0;
}
