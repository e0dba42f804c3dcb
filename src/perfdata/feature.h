/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the features of a recording say, taken apart: the machine it was made on, the command line,
 * the events as they were asked for, build-ids, clocks.
 *
 * Plain data.  A feature that is missing or broken leaves its part empty; strings are never NULL
 * once their feature was read, and NULL where it is not in the file.
 */
#ifndef PERFDATA_FEATURE_H
#define PERFDATA_FEATURE_H

#include "base/arena.h"
#include "base/cursor.h"
#include "perfdata/reader.h"

/* A feature's bytes, in the file's byte order. */
struct feature_bytes {
	struct cursor c;
	bool swapped;
};

bool feature_open(struct feature_bytes *bytes, struct perf_reader *reader,
		  enum perf_feature feature);
uint32_t feature_u32(struct feature_bytes *bytes);
uint64_t feature_u64(struct feature_bytes *bytes);
/* A length and that many bytes, with a NUL among them; NULL breaks the bytes. */
const char *feature_string(struct feature_bytes *bytes);
/* A count of things that take at least `size` bytes each; more than there is room for is broken. */
uint32_t feature_count(struct feature_bytes *bytes, size_t size);

struct feature_event {
	struct event_attr attr;
	const char *name;
	const uint64_t *ids;
	uint32_t ids_count;
};

struct feature_strings {
	const char **data;
	uint32_t count;
};

struct feature_cpu {
	uint32_t core, die, socket;
};

struct feature_numa {
	uint32_t node;
	uint64_t total_kb, free_kb;
	const char *cpus;
};

struct feature_pmu {
	uint32_t type;
	const char *name;
};

struct feature_group {
	const char *name;
	uint32_t leader, members;
};

struct feature_cache {
	uint32_t level, line_size, sets, ways;
	const char *type, *size, *cpus;
};

struct feature_memory {
	uint64_t node, size, bits;
	const uint64_t *set; /* which blocks of memory belong to it, bits / 64 words rounded up */
};

struct feature_caps {
	const char *pmu;
	struct feature_strings caps; /* "branches=32" */
};

struct feature_hybrid {
	const char *pmu, *cpus;
};

struct feature_build_id {
	uint32_t pid;
	uint16_t misc; /* the cpumode tells kernel and modules from the rest */
	uint8_t size;
	uint8_t bytes[20];
	const char *path;
};

#define FEATURE_LIST(type)      \
	struct {                \
		type *data;     \
		uint32_t count; \
	}

struct perf_env {
	struct arena arena;
	const char *hostname, *osrelease, *version, *arch, *cpudesc, *cpuid;
	uint32_t cpus_available, cpus_online;
	uint64_t total_mem_kb;
	struct feature_strings cmdline;
	bool events_known;
	FEATURE_LIST(struct feature_event) events;
	struct feature_strings sockets, dies, threads; /* lists of CPUs that share one */
	FEATURE_LIST(struct feature_cpu) cpus;	       /* one for each available CPU, or none */
	FEATURE_LIST(struct feature_numa) numa;
	FEATURE_LIST(struct feature_pmu) pmus;
	FEATURE_LIST(struct feature_group) groups;
	FEATURE_LIST(struct feature_cache) caches;
	uint64_t first_sample_ns, last_sample_ns;
	uint64_t memory_block;
	FEATURE_LIST(struct feature_memory) memory;
	uint64_t clock_resolution_ns;
	bool clock_known; /* the clock's reading at a known time of day */
	uint32_t clock;
	uint64_t clock_wall_ns, clock_ns;
	uint64_t directory_version;
	uint32_t compress_type, compress_level, compress_ratio;
	struct feature_strings cpu_caps;
	FEATURE_LIST(struct feature_caps) pmu_caps;
	FEATURE_LIST(struct feature_hybrid) hybrid;
	FEATURE_LIST(struct feature_build_id) build_ids;
};

/* In a pipe: what has arrived so far. */
void perf_env_load(struct perf_env *env, struct perf_reader *reader);
void perf_env_free(struct perf_env *env);

/* One string feature alone (HOSTNAME, OSRELEASE, ARCH ...); NULL if there is none. */
const char *feature_text(struct perf_reader *reader, enum perf_feature feature);

/* The parts that others need alone; they fill in env->events, groups, build_ids. */
void feature_load_events(struct perf_env *env, struct perf_reader *reader);
void feature_load_groups(struct perf_env *env, struct perf_reader *reader);
void feature_load_build_ids(struct perf_env *env, struct perf_reader *reader);

/* One build-id as the feature and the pipe's record hold it; false if it does not fit. */
bool feature_parse_build_id(const struct perf_event_header *header, struct feature_build_id *id);

#endif
