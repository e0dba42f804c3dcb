/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records packed with zstd into COMPRESSED records, as `perf record -z` makes them.
 *
 * One frame holds at most PACK_CHUNK bytes of records and fills whole COMPRESSED records, so that
 * perf's reader sees at most one frame's end in each (it mishandles a second), and a reader of a
 * damaged file can begin again at the next frame.
 */
#ifndef PERFDATA_PACK_H
#define PERFDATA_PACK_H

#include "base/buf.h"
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#define PACK_CHUNK     (1024 * 1024)
#define PACK_LEVEL_MAX 22

struct err;
struct pack;

struct pack *pack_new(int level, struct err *err);
void pack_free(struct pack *pack);

/* Adds the parts, packed, to *into. */
int pack_add(struct pack *pack, const struct iovec *parts, int count, struct buf *into,
	     struct err *err);

uint64_t pack_bytes_in(const struct pack *pack);
uint64_t pack_bytes_out(const struct pack *pack);

#endif
