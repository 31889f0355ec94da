/* SPDX-License-Identifier: BSD-3-Clause */
/* A C program of a libpmk user: a record goes in, and comes back. */
#include <pmk/pmk.h>

#include <stdio.h>
#include <string.h>

static int read_back(const char *path, const char *text)
{
	struct pmk_rlog *log;
	struct pmk_rlog_cursor cursor;
	struct pmk_rlog_record record;
	int rc = pmk_rlog_open(path, 0, &log);

	if (rc)
		return rc;
	pmk_rlog_rewind(&cursor);
	rc = pmk_rlog_next(log, &cursor, &record);
	if (rc == 1)
		rc = record.len == strlen(text) &&
				     !memcmp(record.data, text, record.len)
			     ? 0
			     : PMK_E_LOG_DAMAGED;
	else if (!rc)
		rc = PMK_E_NOT_A_LOG;
	pmk_rlog_close(log);
	return rc;
}

int main(int argc, char **argv)
{
	static const char text[] = "hello";
	char line[64];
	struct pmk_rlog *log;
	int rc;

	if (argc != 2)
		return 2;
	/* inline in the header, and a symbol of the library */
	pmk_memcpy_flushcache(line, text, sizeof(text));
	pmk_drain();
	if (memcmp(line, text, sizeof(text)))
		return 1;
	rc = pmk_rlog_create(argv[1], 65536, PMK_RLOG_EMULATED);
	if (!rc)
		rc = pmk_rlog_open(argv[1], PMK_RLOG_WRITE, &log);
	if (!rc) {
		rc = pmk_rlog_append(log, text, strlen(text), NULL);
		pmk_rlog_close(log);
	}
	if (!rc)
		rc = read_back(argv[1], text);
	printf("libpmk %s: %s\n", pmk_version(), pmk_strerror(rc));
	return rc != 0;
}
