/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer's inside: what stands where in the file, made in memory.  writer.c brings it to disk.
 */
#ifndef PERFDATA_WRITER_IMAGE_H
#define PERFDATA_WRITER_IMAGE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"
#include "perfdata/counts.h"
#include "perfdata/pack.h"
#include "perfdata/writer.h"

struct perf_writer {
	const struct writer_sys *sys;
	int fd;
	bool pipe, begun;
	bool fresh;	    /* something was appended since the last round */
	bool failed;	    /* a write did: the file ends before `touched` */
	struct arena arena; /* names and ids of attrs */
	VEC(struct perf_writer_attr) attrs;
	size_t attr_size; /* of each in the file */

	struct buf payloads[FEATURE_LAST];
	bool present[FEATURE_LAST];
	struct perf_section sections[FEATURE_LAST];
	struct perf_file_header header;

	uint64_t end;	  /* of whole records: where the next one goes */
	uint64_t touched; /* of all bytes ever written; beyond `end` after a failed write */
	/* Where the last round's record stands, and ends: with it the file is whole. */
	uint64_t committed, committed_end;
	struct pack *pack;
	int pack_level;
	struct buf packed;
	uint64_t raw_bytes;
	struct perf_counts counts;
	bool counted; /* rounds tell of counts */
};

/* BUILD_ID and SAMPLE_TIME: known only at the end, written behind the final table. */
bool image_comes_late(enum perf_feature feature);

/* Those features that the writer makes of what it knows itself. */
void image_own_features(struct perf_writer *w);
void image_compressed(struct perf_writer *w);

/* Everything up to and including the first round; sets header, sections, committed and end. */
void image_file(struct perf_writer *w, struct buf *into);
/* The same for a pipe: header, attrs, features, tracing data. */
int image_pipe(struct perf_writer *w, struct buf *into, struct err *err);

/*
 * The feature table.  As a round's record its first 16 bytes are the record's header, which the
 * reserved bit 0 makes an entry of; the others are one entry a feature either way.  Behind the
 * table a round has its counts.
 */
void image_table(const struct perf_writer *w, bool as_round, struct buf *into);
void image_feature_bits(struct perf_writer *w, bool as_round);

/* The final table and the late payloads, to stand at `at`. */
void image_tail(struct perf_writer *w, uint64_t at, struct buf *into);

#endif
