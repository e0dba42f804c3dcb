/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recordings of a machine with the other byte order.
 *
 * Everything is turned once, as it is read, field by field: what lies in a record as bytes (names,
 * raw tracepoint data, copied stacks) stays, and bit fields, which the other kind of machine fills
 * from the other end, are put where ours has them.
 */
#ifndef PERFDATA_SWAP_H
#define PERFDATA_SWAP_H

#include "perfdata/reader.h"

/* size bytes of an attr, as far as they go. */
void swap_attr(void *attr, size_t size);

/* The header alone, which tells the size that swap_record needs. */
void swap_record_header(struct perf_event_header *header);

/*
 * The rest of a record whose header is turned already; attr (NULL if unknown) says what a SAMPLE
 * and the ids at the end hold.  Whatever does not fit into the record stays as it is.
 */
void swap_record(struct perf_event_header *header, const struct perf_attr *attr);

static inline void swap_u64(uint64_t *value)
{
	*value = __builtin_bswap64(*value);
}

#endif
