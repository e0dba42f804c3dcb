/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf.data as it lies on disk: what perf writes and we write too.  docs/perfdata.md tells the
 * story.
 *
 * A file: header, attrs with their ids, data (records), then the feature table and its payloads.  A
 * pipe: an 16-byte header and records only, attrs and features being records themselves.
 */
#ifndef PERFDATA_FORMAT_H
#define PERFDATA_FORMAT_H

#include <stdint.h>

#define PERF_MAGIC	      0x32454c4946524550ULL /* "PERFILE2", little endian */
#define PERF_MAGIC_SWAPPED    0x50455246494c4532ULL /* the same, written by a big-endian machine */
#define PERF_MAGIC_OLD	      0x454c494646524550ULL /* "PERFFILE": version 1 */
#define PERF_FEATURE_WORDS    4			    /* 256 bits */
#define PERF_PIPE_HEADER_SIZE 16

struct perf_section {
	uint64_t offset, size;
};

struct perf_file_header {
	uint64_t magic;
	uint64_t size;	    /* of this header; 16 in a pipe */
	uint64_t attr_size; /* of one attr with the section of its ids */
	struct perf_section attrs, data, event_types;
	uint64_t features[PERF_FEATURE_WORDS];
};

enum perf_feature {
	FEATURE_RESERVED = 0,
	FEATURE_TRACING_DATA = 1,
	FEATURE_BUILD_ID,
	FEATURE_HOSTNAME,
	FEATURE_OSRELEASE,
	FEATURE_VERSION,
	FEATURE_ARCH,
	FEATURE_NRCPUS,
	FEATURE_CPUDESC,
	FEATURE_CPUID,
	FEATURE_TOTAL_MEM,
	FEATURE_CMDLINE,
	FEATURE_EVENT_DESC,
	FEATURE_CPU_TOPOLOGY,
	FEATURE_NUMA_TOPOLOGY,
	FEATURE_BRANCH_STACK,
	FEATURE_PMU_MAPPINGS,
	FEATURE_GROUP_DESC,
	FEATURE_AUXTRACE,
	FEATURE_STAT,
	FEATURE_CACHE,
	FEATURE_SAMPLE_TIME,
	FEATURE_MEM_TOPOLOGY,
	FEATURE_CLOCKID,
	FEATURE_DIR_FORMAT,
	FEATURE_BPF_PROG_INFO,
	FEATURE_BPF_BTF,
	FEATURE_COMPRESSED,
	FEATURE_CPU_PMU_CAPS,
	FEATURE_CLOCK_DATA,
	FEATURE_HYBRID_TOPOLOGY,
	FEATURE_PMU_CAPS,
	FEATURE_LAST, /* one past the last that we know */
};

/* Records that perf itself writes, beyond the kernel's PERF_RECORD_*. */
enum perf_user_record {
	USER_RECORD_FIRST = 64,
	USER_RECORD_ATTR = 64,
	USER_RECORD_EVENT_TYPE = 65,
	USER_RECORD_TRACING_DATA = 66,
	USER_RECORD_BUILD_ID = 67,
	USER_RECORD_FINISHED_ROUND = 68,
	USER_RECORD_ID_INDEX = 69,
	USER_RECORD_AUXTRACE_INFO = 70,
	USER_RECORD_AUXTRACE = 71,
	USER_RECORD_AUXTRACE_ERROR = 72,
	USER_RECORD_THREAD_MAP = 73,
	USER_RECORD_CPU_MAP = 74,
	USER_RECORD_STAT_CONFIG = 75,
	USER_RECORD_STAT = 76,
	USER_RECORD_STAT_ROUND = 77,
	USER_RECORD_EVENT_UPDATE = 78,
	USER_RECORD_TIME_CONV = 79,
	USER_RECORD_FEATURE = 80,
	USER_RECORD_COMPRESSED = 81,
	USER_RECORD_FINISHED_INIT = 82,
	USER_RECORD_COMPRESSED2 = 83,
};

/*
 * simpleperf's own.  A record of more than 64 KB goes out in SPLIT records, with a size of 32 bits:
 * misc has its upper half.  CALLCHAIN repeats what the sample behind it has already, joined with
 * other chains or not; UNWINDING_RESULT tells how unwinding went; DSO and SYMBOL are of old files.
 */
enum simpleperf_record_type {
	SIMPLEPERF_RECORD_FIRST = 32768,
	SIMPLEPERF_RECORD_KERNEL_SYMBOL = 32769,
	SIMPLEPERF_RECORD_DSO = 32770,
	SIMPLEPERF_RECORD_SYMBOL = 32771,
	SIMPLEPERF_RECORD_SPLIT = 32772,
	SIMPLEPERF_RECORD_SPLIT_END = 32773,
	SIMPLEPERF_RECORD_EVENT_ID = 32774,
	SIMPLEPERF_RECORD_CALLCHAIN = 32775,
	SIMPLEPERF_RECORD_UNWINDING_RESULT = 32776,
	SIMPLEPERF_RECORD_TRACING_DATA = 32777,
};

enum perf_event_update {
	EVENT_UPDATE_UNIT,
	EVENT_UPDATE_SCALE,
	EVENT_UPDATE_NAME,
	EVENT_UPDATE_CPUS
};
enum perf_cpu_map { CPU_MAP_LIST, CPU_MAP_MASK, CPU_MAP_RANGE };

#define PERF_RECORD_MAX_SIZE 65528 /* header.size is 16 bits; perf keeps records 8-aligned */

#endif
