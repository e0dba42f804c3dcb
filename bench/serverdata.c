// SPDX-License-Identifier: Apache-2.0
/*
 * A data folder for bench/server.py and bench/plots.py: one run that is done, with the samples of a
 * recording, at least so many, and so many points of 8 counters.
 *
 *	serverdata DIR RECORDING|- SAMPLES POINTS
 *
 * Without a recording (-) there are only counters.
 *
 * Prints the id of the run.
 */
#include "base/err.h"
#include "perfdata/reader.h"
#include "profile/build.h"
#include "profile/index.h"
#include "render/series.h"
#include "samples.h"
#include "store/content.h"
#include "store/datadir.h"
#include "symbol/symbol.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS	 8
#define INTERVAL 1000000u
#define START	 1000000000u /* of counters alone */

static struct profile *read_profile(const char *path, struct err *err)
{
	struct symbol_store *store = symbol_store_new(&(struct symbol_options){ .lines = true });
	struct perf_reader *reader = perf_reader_open(path, NULL, err);
	struct profile *profile = reader ? profile_read(reader, store, err) : NULL;

	perf_reader_close(reader);
	symbol_store_free(store);
	return profile;
}

static int add_index(struct datadir *dir, int64_t run, const struct profile *profile,
		     struct err *err)
{
	struct content *content = content_begin(dir, run, "index", err);
	int rc = content ? profile_index_write_fd(profile, content_fd(content), err) : -err->code;

	return rc ? rc : content_end(content, err);
}

static int add_rows(struct content *content, uint64_t start, size_t points, struct err *err)
{
	struct series_row rows[EVENTS];
	uint64_t noise = 88172645463325252u;
	int rc = 0;

	for (size_t tick = 1; tick <= points / EVENTS && !rc; tick++) {
		for (uint32_t event = 0; event < EVENTS; event++) {
			noise ^= noise << 13;
			noise ^= noise >> 7;
			noise ^= noise << 17;
			rows[event] = (struct series_row){ .time_ns = start + tick * INTERVAL,
							   .event = event,
							   .cpu = -1,
							   .value = 1000000 + noise % 3000000,
							   .enabled_ns = INTERVAL,
							   .running_ns = INTERVAL };
		}
		rc = content_write(content, rows, sizeof(rows), err);
	}
	return rc;
}

static int add_series(struct datadir *dir, int64_t run, uint64_t start, size_t points,
		      struct err *err)
{
	static const char names[104] =
		"cycles\0instructions\0branches\0branch-misses\0cache-references\0cache-misses\0"
		"context-switches\0page-faults";
	struct series_head head = { .magic = SERIES_MAGIC,
				    .version = SERIES_PLAIN,
				    .events = EVENTS,
				    .rows_at = sizeof(head) + sizeof(names),
				    .start_ns = start,
				    .interval_ns = INTERVAL };
	struct content *content = content_begin(dir, run, "series", err);
	int rc = content ? content_write(content, &head, sizeof(head), err) : -err->code;

	if (!rc)
		rc = content_write(content, names, sizeof(names), err);
	if (!rc)
		rc = add_rows(content, start, points, err);
	return rc ? rc : content_end(content, err);
}

static int add_run(struct datadir *dir, bool sampled, int64_t *run, struct err *err)
{
	struct store *store = datadir_store(dir);
	struct run facts = { .state = RUN_PROCESSING,
			     .host = "here",
			     .form = "{}",
			     .tool = sampled ? "both" : "count",
			     .facts.facts = sampled ? NULL : "{\"tabs\":[\"counters\"]}" };
	int rc = store_session_add(store, &(struct session_patch){ .title = "bench" },
				   &facts.session, err);

	if (!rc)
		rc = store_run_add(store, &facts, run, err);
	return rc ? rc : store_run_step(store, *run, RUN_PROCESSING, RUN_DONE, NULL, err);
}

static int fill(char **argv, struct err *err)
{
	bool sampled = strcmp(argv[2], "-");
	struct profile *profile = sampled ? read_profile(argv[2], err) : NULL;
	struct datadir *dir = profile || !sampled ? datadir_open(argv[1], DATADIR_SERVE, err)
						  : NULL;
	uint64_t start = profile ? profile->samples.time[0] : START;
	int64_t run = 0;
	int rc = dir ? add_run(dir, sampled, &run, err) : -err->code;

	if (!rc && profile) {
		samples_repeat(profile, strtoull(argv[3], NULL, 10));
		rc = add_index(dir, run, profile, err);
	}
	if (!rc)
		rc = add_series(dir, run, start, strtoull(argv[4], NULL, 10), err);
	if (!rc)
		printf("%lld\n", (long long)run);
	datadir_close(dir);
	profile_free(profile);
	return rc;
}

int main(int argc, char **argv)
{
	struct err err = { 0 };
	int rc = argc == 5 ? fill(argv, &err)
			   : err_set(&err, 22, "usage: serverdata DIR RECORDING|- SAMPLES POINTS");

	if (rc)
		fprintf(stderr, "serverdata: %s\n", err.text);
	return rc ? 1 : 0;
}
