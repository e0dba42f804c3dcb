// SPDX-License-Identifier: Apache-2.0
/*
 * What the profile costs by itself, without a report around it; bench/run.py calls it.
 *
 *	profile read FILE		records to profile, then its index written and mapped back
 *	profile filter FILE ROWS	a call tree by time, thread and CPU of ROWS samples, grown
 *					from those of FILE
 *
 * Prints JSON: times in ns, of CPU unless they are called wall; memory in KB.  What is fast is done
 * some times, and the median is printed.
 */
#include "base/err.h"
#include "perfdata/reader.h"
#include "profile/build.h"
#include "profile/calltree.h"
#include "profile/index.h"
#include "samples.h"

#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t wall_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static long peak_kb(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss;
}

#define TIMES 7

/* CPU and wall time of the same things, some times over. */
struct timing {
	uint64_t cpu[TIMES], wall[TIMES];
	size_t count;
};

static void timing_start(struct timing *t)
{
	t->wall[t->count] = wall_ns();
	t->cpu[t->count] = cpu_ns();
}

static void timing_stop(struct timing *t)
{
	t->cpu[t->count] = cpu_ns() - t->cpu[t->count];
	t->wall[t->count] = wall_ns() - t->wall[t->count];
	t->count++;
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static uint64_t median(uint64_t *values, size_t count)
{
	qsort(values, count, sizeof(*values), by_size);
	return count ? values[count / 2] : 0;
}

static struct profile *read_profile(const char *path, struct symbol_store *store, struct err *err)
{
	struct perf_reader *reader = perf_reader_open(path, NULL, err);
	struct profile *profile = NULL;

	if (reader)
		profile = profile_read(reader, store, err);
	perf_reader_close(reader);
	return profile;
}

/* Stacks that samples end in; the trie's inner nodes are not counted. */
static size_t count_stacks(const struct profile *profile)
{
	uint8_t *met = mem_alloc(profile->stacks.len);
	size_t count = 0;

	for (size_t i = 0; i < profile->samples.len; i++)
		met[profile->samples.stack[i]] = 1;
	for (size_t i = 0; i < profile->stacks.len; i++)
		count += met[i];
	free(met);
	return count;
}

static int open_index(const struct profile *profile, const char *recording, struct timing *timing,
		      struct err *err)
{
	char *path = mem_printf("%s.bench-index", recording);
	struct index_identity identity;
	struct profile *again;
	int rc;

	index_identify(&identity, recording, 0);
	rc = profile_index_write(profile, &identity, path, err);
	while (!rc && timing->count < TIMES) {
		timing_start(timing);
		rc = profile_index_open(&again, &identity, path, err);
		timing_stop(timing);
		if (!rc)
			profile_free(again);
	}
	unlink(path);
	free(path);
	return rc;
}

static int bench_read(const char *path, struct err *err)
{
	struct symbol_store *store = symbol_store_new(&(struct symbol_options){ 0 });
	struct timing cold = { 0 }, warm = { 0 }, opening = { 0 };
	struct profile *profile;
	long peak;
	int rc;

	timing_start(&cold);
	profile = read_profile(path, store, err);
	timing_stop(&cold);
	peak = peak_kb();
	rc = profile ? open_index(profile, path, &opening, err) : -err->code;
	if (!rc) {
		size_t samples = profile->samples.len;

		printf("{\"samples\": %zu, \"stacks\": %zu, \"nodes\": %zu, \"addresses\": %zu, "
		       "\"functions\": %zu, \"processes\": %zu, ",
		       samples, count_stacks(profile), profile->stacks.len, profile->leaves.len,
		       profile->functions.len, profile->threads.len);
		profile_free(profile);
		/* Once more, the tables of symbols being there: what is left is each sample's. */
		timing_start(&warm);
		profile = read_profile(path, store, err);
		timing_stop(&warm);
		printf("\"read_ns\": %llu, \"ns_a_sample\": %.1f, \"warm_ns_a_sample\": %.1f, "
		       "\"peak_kb\": %ld, \"index_open_ns\": %llu, \"index_open_wall_ns\": %llu}\n",
		       (unsigned long long)cold.cpu[0], (double)cold.cpu[0] / (double)samples,
		       (double)warm.cpu[0] / (double)samples, peak,
		       (unsigned long long)median(opening.cpu, TIMES),
		       (unsigned long long)median(opening.wall, TIMES));
	}
	profile_free(profile);
	symbol_store_free(store);
	return rc;
}

/* The process with most samples, as a filter. */
static void heaviest_pid(const struct profile *profile, char *into, size_t room)
{
	uint64_t *counts = mem_alloc(profile->threads.len * sizeof(*counts));
	size_t most = 0;

	for (size_t i = 0; i < profile->samples.len; i++)
		counts[profile->samples.thread[i]]++;
	for (size_t i = 0; i < profile->threads.len; i++)
		if (counts[i] > counts[most])
			most = i;
	snprintf(into, room, "%u", profile->threads.data[most].tid);
	free(counts);
}

static int filtered_tree(const struct profile *profile, const char *tids, size_t *nodes,
			 uint64_t *samples, struct err *err)
{
	const struct profile_samples *rows = &profile->samples;
	struct profile_filter filter = {
		.time_from = rows->time[rows->len / 100],
		.time_to = rows->time[rows->len - rows->len / 100],
		.tids = tids,
		.cpus = "0-3",
	};
	struct stack_weights weights;
	struct calltree tree;
	int rc = profile_weigh(profile, &filter, &weights, err);

	if (rc)
		return rc;
	rc = calltree_build(&tree, profile, &weights, &(struct calltree_options){ 0 }, err);
	*samples = weights.total_samples;
	stack_weights_free(&weights);
	if (!rc) {
		*nodes = tree.nodes.len;
		calltree_free(&tree);
	}
	return rc;
}

static int bench_filter(const char *path, size_t rows, struct err *err)
{
	struct symbol_store *store = symbol_store_new(&(struct symbol_options){ 0 });
	struct profile *profile = read_profile(path, store, err);
	struct timing timing = { 0 };
	uint64_t samples = 0;
	size_t nodes = 0;
	char tids[16];
	int rc = 0;

	symbol_store_free(store);
	if (!profile)
		return -err->code;
	samples_repeat(profile, rows);
	heaviest_pid(profile, tids, sizeof(tids));
	while (!rc && timing.count < TIMES) {
		timing_start(&timing);
		rc = filtered_tree(profile, tids, &nodes, &samples, err);
		timing_stop(&timing);
	}
	if (!rc)
		printf("{\"rows\": %zu, \"taken\": %llu, \"nodes\": %zu, \"tree_ns\": %llu, "
		       "\"tree_wall_ns\": %llu}\n",
		       profile->samples.len, (unsigned long long)samples, nodes,
		       (unsigned long long)median(timing.cpu, TIMES),
		       (unsigned long long)median(timing.wall, TIMES));
	profile_free(profile);
	return rc;
}

int main(int argc, char **argv)
{
	struct err err = { 0 };
	int rc;

	if (argc == 3 && !strcmp(argv[1], "read"))
		rc = bench_read(argv[2], &err);
	else if (argc == 4 && !strcmp(argv[1], "filter"))
		rc = bench_filter(argv[2], strtoull(argv[3], NULL, 10), &err);
	else
		rc = err_set(&err, 22, "usage: profile read FILE | filter FILE ROWS");
	if (rc)
		fprintf(stderr, "profile: %s\n", err.text);
	return rc ? 1 : 0;
}
