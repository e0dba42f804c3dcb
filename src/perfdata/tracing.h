/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fields of tracepoints as text, by libtraceevent and the formats that the recording carries.
 */
#ifndef PERFDATA_TRACING_H
#define PERFDATA_TRACING_H

#include <stddef.h>
#include <stdint.h>

struct outbuf;
struct perf_reader;
struct tracing;

/* NULL if the recording has no formats.  One that is damaged gives those before the damage. */
struct tracing *tracing_new(struct perf_reader *reader);
void tracing_free(struct tracing *tracing);

/* Prints a sample's raw data; nothing if its tracepoint (attr.config) has no format here. */
void tracing_print(struct tracing *tracing, uint64_t id, uint32_t cpu, const void *raw, size_t size,
		   struct outbuf *out);

#endif
