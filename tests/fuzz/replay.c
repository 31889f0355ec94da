/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Run a fuzz target over files, without a fuzzer: replay FILE|DIRECTORY...
 * An input that breaks the target is named before the target runs.
 */
#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"

static int replay_file(const char *path, long size)
{
	FILE *f = fopen(path, "rb");
	/* exact size, so that AddressSanitizer sees an access behind it */
	uint8_t *data = malloc((size_t)size ? (size_t)size : 1);
	int rc = -1;

	if (f && data && fread(data, 1, (size_t)size, f) == (size_t)size) {
		printf("%s\n", path);
		fflush(stdout);
		rc = LLVMFuzzerTestOneInput(data, (size_t)size);
	} else {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
	}
	if (f)
		fclose(f);
	free(data);
	return rc;
}

/* Returns how many files there were, or -1. */
static int replay(const char *path)
{
	struct dirent **entries;
	struct stat st;
	int n, done = 0;

	if (stat(path, &st)) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return -1;
	}
	if (!S_ISDIR(st.st_mode))
		return replay_file(path, (long)st.st_size) ? -1 : 1;
	n = scandir(path, &entries, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		char name[4096];
		int rc = 0;

		snprintf(name, sizeof(name), "%s/%s", path, entries[i]->d_name);
		if (entries[i]->d_name[0] != '.')
			rc = replay(name);
		done = rc < 0 || done < 0 ? -1 : done + rc;
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	return n < 0 ? -1 : done;
}

int main(int argc, char **argv)
{
	int total = 0;

	for (int i = 1; i < argc; i++) {
		int n = replay(argv[i]);

		if (n < 0)
			return 1;
		total += n;
	}
	printf("%d inputs\n", total);
	/* nothing found means a wrong path, not a pass */
	return total ? 0 : 1;
}
