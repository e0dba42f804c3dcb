// SPDX-License-Identifier: Apache-2.0
/*
 * What the profile costs by itself, without a report around it; bench/run.py calls it.
 *
 *	profile read FILE		records to profile, then its index written and mapped back
 *	profile filter FILE ROWS	a call tree by time, thread and CPU of ROWS samples, grown
 *from those of FILE
 *
 * Prints JSON: times in ns of CPU, memory in KB.
 */
#include "base/err.h"
#include "perfdata/reader.h"
#include "profile/build.h"
#include "profile/calltree.h"
#include "profile/index.h"

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

static struct profile *read_profile(const char *path, struct err *err)
{
	struct perf_reader *reader = perf_reader_open(path, NULL, err);
	struct symbol_store *store = symbol_store_new(&(struct symbol_options){ 0 });
	struct profile *profile = NULL;

	if (reader)
		profile = profile_read(reader, store, err);
	symbol_store_free(store);
	perf_reader_close(reader);
	return profile;
}

static int bench_read(const char *path, struct err *err)
{
	uint64_t began = cpu_ns(), spent, opening;
	struct profile *profile = read_profile(path, err), *again;
	char *index = mem_printf("%s.bench-index", path);
	struct index_identity identity;
	long peak = peak_kb();
	int rc;

	if (!profile)
		return -err->code;
	spent = cpu_ns() - began;
	index_identify(&identity, path, 0);
	rc = profile_index_write(profile, &identity, index, err);
	opening = wall_ns();
	if (!rc)
		rc = profile_index_open(&again, &identity, index, err);
	opening = wall_ns() - opening;
	if (!rc) {
		printf("{\"samples\": %zu, \"stacks\": %zu, \"functions\": %zu, \"read_ns\": %llu, "
		       "\"ns_a_sample\": %.1f, \"peak_kb\": %ld, \"index_open_ns\": %llu}\n",
		       again->samples.len, again->stacks.len, again->functions.len,
		       (unsigned long long)spent, (double)spent / (double)profile->samples.len,
		       peak, (unsigned long long)opening);
		profile_free(again);
	}
	unlink(index);
	free(index);
	profile_free(profile);
	return rc;
}

/* The samples once more and once more, each time later. */
static void grow(struct profile *profile, size_t rows)
{
	const struct profile_samples *samples = &profile->samples;
	size_t real = samples->len;
	uint64_t span = samples->time[real - 1] - samples->time[0] + 1;

	for (size_t i = real; i < rows; i++) {
		size_t from = i % real;

		profile_add(profile, &(struct profile_row){
					     .time = samples->time[from] + i / real * span,
					     .weight = samples->weight[from],
					     .stack = samples->stack[from],
					     .thread = samples->thread[from],
					     .leaf = samples->leaf[from],
					     .cpu = samples->cpu[from],
					     .event = samples->event[from],
				     });
	}
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
	struct profile *profile = read_profile(path, err);
	uint64_t best = UINT64_MAX, samples = 0;
	size_t nodes = 0;
	char tids[16];
	int rc = 0;

	if (!profile)
		return -err->code;
	grow(profile, rows);
	heaviest_pid(profile, tids, sizeof(tids));
	for (int i = 0; i < 5 && !rc; i++) {
		uint64_t began = cpu_ns();

		rc = filtered_tree(profile, tids, &nodes, &samples, err);
		if (cpu_ns() - began < best)
			best = cpu_ns() - began;
	}
	if (!rc)
		printf("{\"rows\": %zu, \"taken\": %llu, \"nodes\": %zu, \"tree_ns\": %llu}\n",
		       profile->samples.len, (unsigned long long)samples, nodes,
		       (unsigned long long)best);
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
