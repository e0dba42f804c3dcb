// SPDX-License-Identifier: Apache-2.0
/*
 * Keeps sqlite busy for a while, for a recording of it with all its debug information:
 *
 *	sqlite FILE SECONDS
 *
 * runs the statements in FILE on a new database in memory, again and again.  Built by recording.py
 * together with sqlite's own source.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static char statements[1 << 16];

static int run_once(void)
{
	char *message = NULL;
	sqlite3 *db;
	int rc = sqlite3_open(":memory:", &db);

	if (!rc)
		rc = sqlite3_exec(db, statements, NULL, NULL, &message);
	if (rc)
		fprintf(stderr, "sqlite: %s\n", message ? message : sqlite3_errmsg(db));
	sqlite3_free(message);
	sqlite3_close(db);
	return rc;
}

int main(int argc, char **argv)
{
	FILE *file = argc == 3 ? fopen(argv[1], "r") : NULL;
	time_t end;

	if (!file) {
		fprintf(stderr, "usage: sqlite FILE SECONDS\n");
		return 2;
	}
	fread(statements, 1, sizeof(statements) - 1, file);
	fclose(file);
	for (end = time(NULL) + atoi(argv[2]); time(NULL) < end;)
		if (run_once())
			return 1;
	return 0;
}
