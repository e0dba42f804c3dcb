/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing perf.data so that perf and we can read it at every moment.
 *
 * All feature payloads but BUILD_ID and SAMPLE_TIME stand before the data.  Each round ends with a
 * FINISHED_ROUND record that at the same time is the feature table, and is committed by one 8-byte
 * write of data.size (docs/perfdata.md explains why perf accepts it).  A clean close writes the
 * ordinary table.  A descriptor that can't seek gets pipe mode: the same records, attrs and
 * features as records.
 *
 * The drain thread calls perf_writer_append and perf_writer_round; nothing here syncs or blocks on
 * anything but write(2).  After an error (a full disk) only perf_writer_finish is of use: it makes
 * a whole file of what fits, by writing over the last records instead of behind them.
 */
#ifndef PERFDATA_WRITER_H
#define PERFDATA_WRITER_H

#include "event/event.h"
#include "perfdata/format.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

struct err;
struct perf_counts;
struct perf_writer;

struct perf_writer_attr {
	struct event_attr attr; /* as it was opened */
	const char *name;
	const uint64_t *ids;
	size_t ids_count;
	uint32_t leader; /* index of the group's leader, its own otherwise */
};

/* The system calls, so that tests have a disk that is full.  All return a negative errno value. */
struct writer_sys {
	bool (*can_seek)(int fd);
	ssize_t (*append)(int fd, const struct iovec *parts, int count); /* pipe mode only */
	ssize_t (*write_at)(int fd, const struct iovec *parts, int count, off_t at);
	ssize_t (*read_at)(int fd, void *into, size_t size, off_t at);
	int (*truncate)(int fd, off_t size);
};

extern const struct writer_sys writer_sys_kernel;

struct perf_writer_options {
	const struct writer_sys *sys; /* NULL: the kernel */
	bool compress;		      /* -z: records go out as COMPRESSED */
	int compress_level;
};

/*
 * fd stays the caller's and must be readable too; attrs are copied.  Features are added next, all
 * but BUILD_ID and SAMPLE_TIME, then perf_writer_begin; from there on the file is readable.
 */
struct perf_writer *perf_writer_new(int fd, const struct perf_writer_attr *attrs, size_t count,
				    const struct perf_writer_options *options, struct err *err);

/*
 * A payload, which is copied; the last one given counts.  EVENT_DESC, GROUP_DESC, BRANCH_STACK and
 * COMPRESSED the writer makes itself.  BUILD_ID and SAMPLE_TIME may come until perf_writer_finish.
 */
int perf_writer_feature(struct perf_writer *writer, enum perf_feature feature, const void *data,
			size_t size, struct err *err);
int perf_writer_begin(struct perf_writer *writer, struct err *err);

/* Whole records, one or many; iov so that both parts of a wrapped ring go out in one call. */
int perf_writer_append(struct perf_writer *writer, const struct iovec *parts, int count,
		       struct err *err);
/* What the rounds from now on tell of (perfdata/counts.h); `last`: one more ends with it anyhow. */
void perf_writer_counts(struct perf_writer *writer, const struct perf_counts *counts, bool last);
/* What is known behind the last of these: more flags, and the time budget unless count is 0. */
void perf_writer_late_counts(struct perf_writer *writer, uint64_t flags, const uint64_t *budget,
			     size_t count);
/* Ends a round and commits it; nothing happens if nothing was appended since the last. */
int perf_writer_round(struct perf_writer *writer, struct err *err);
/* Writes the late features and the final table, and truncates the rest. */
int perf_writer_finish(struct perf_writer *writer, struct err *err);

uint64_t perf_writer_size(const struct perf_writer *writer); /* bytes of the file so far */
bool perf_writer_is_pipe(const struct perf_writer *writer);
/* After perf_writer_finish: the records behind the last committed round, in the file; none if they
 * are packed. */
void perf_writer_uncommitted(const struct perf_writer *writer, uint64_t *from, uint64_t *to);
/* Bytes of records before compression; the same as written without it. */
uint64_t perf_writer_raw_bytes(const struct perf_writer *writer);
void perf_writer_free(struct perf_writer *writer);

#endif
