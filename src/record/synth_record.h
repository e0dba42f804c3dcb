/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making single records; for the files of synth only.
 */
#ifndef RECORD_SYNTH_RECORD_H
#define RECORD_SYNTH_RECORD_H

#include "base/buf.h"
#include "perfdata/buildid.h"
#include "record/synth.h"
#include <stdint.h>

struct synth_mapping {
	pid_t pid, tid;
	uint64_t start, size, offset;
	uint32_t major, minor;
	uint64_t inode;
	uint32_t protection, flags;
	uint16_t misc;
	const struct build_id *id; /* NULL or empty: the numbers are written */
	const char *path;
};

/* A record: fixed body, then text padded to 8 (NULL: none), then zeroed ids. */
void synth_record(const struct synth *synth, struct buf *into, uint32_t type, uint16_t misc,
		  const void *body, size_t size, const char *text);
void synth_fork(const struct synth *synth, struct buf *into, pid_t pid, pid_t parent, pid_t tid,
		pid_t parent_tid);
void synth_comm(const struct synth *synth, struct buf *into, pid_t pid, pid_t tid,
		const char *name);
void synth_mapping(const struct synth *synth, struct buf *into, const struct synth_mapping *map);

#endif
