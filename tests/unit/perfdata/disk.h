/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A disk that isn't there: a file in memory that can be full, and writes that come back short.
 * One at a time.
 */
#ifndef UNIT_PERFDATA_DISK_H
#define UNIT_PERFDATA_DISK_H

#include "perfdata/writer.h"

struct disk {
	unsigned char *bytes;
	size_t size;	 /* of the file */
	size_t capacity; /* ENOSPC beyond */
	size_t most;	 /* bytes that one write takes; 0: all */
	bool pipe;
	unsigned interrupts; /* EINTR that many times first */
};

/* Empties the disk and makes it ready. */
struct disk *disk_reset(size_t capacity);
extern const struct writer_sys disk_sys;

/* What a test asks of the file. */
struct perf_file_header disk_header(void);
bool disk_feature(enum perf_feature feature, struct perf_section *section);
/* How many records of a type the data section holds; -1 if the records do not fill it exactly. */
int disk_records(uint32_t type);

#endif
