/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fields of tracepoints, by libtraceevent and the formats that the recording carries: all of
 * them as text, or one by one.
 */
#ifndef PERFDATA_TRACING_H
#define PERFDATA_TRACING_H

#include "base/vec.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct outbuf;
struct perf_reader;
struct tracing;

/* NULL if the recording has no formats.  One that is damaged gives those before the damage. */
struct tracing *tracing_new(struct perf_reader *reader);
void tracing_free(struct tracing *tracing);

struct tracing_ids VEC_OF(uint64_t);

/* Adds the ids of tracepoints that are probes somebody has set, in the kernel or in a program. */
void tracing_find_probes(struct perf_reader *reader, struct tracing_ids *ids);

/*
 * Who knows the kernel's functions: the name of the one at an address, where it begins, and its
 * module or NULL; NULL if there is none.  The name lives as long as the tracing.
 */
typedef const char *tracing_resolver(void *user, uint64_t address, uint64_t *start,
				     const char **module);
void tracing_set_resolver(struct tracing *tracing, tracing_resolver *resolver, void *user);

/* Prints a sample's raw data; nothing if its tracepoint (attr.config) has no format here. */
void tracing_print(struct tracing *tracing, uint64_t id, uint32_t cpu, const void *raw, size_t size,
		   struct outbuf *out);

/* The same field by field: " prev_comm=sh prev_pid=1", without the sentence that the kernel has for
 * it. */
void tracing_print_fields(struct tracing *tracing, uint64_t id, const void *raw, size_t size,
			  struct outbuf *out);

/* A tracepoint's name with its system in front, "sched:sched_switch"; false if it is not known. */
bool tracing_event(const struct tracing *tracing, uint64_t id, char *into, size_t room);

/* The names of its own fields, with commas. */
void tracing_fields(const struct tracing *tracing, uint64_t id, struct outbuf *out);

/* Where one field stands, to be asked for once a tracepoint and used for all of its samples. */
struct tracing_field {
	uint32_t at, size;
	bool is_signed;
	bool is_text; /* characters */
	bool is_far;  /* and here stands where they are, in 16 bits, and their length, in 16 more */
	bool relative; /* counted from behind that */
	bool swapped;
};

/* False if there is no such field, or it is neither a number of 1, 2, 4 or 8 bytes nor text. */
bool tracing_field(const struct tracing *tracing, uint64_t id, const char *name,
		   struct tracing_field *field);

/* The field of one sample's raw data; false if the data end before it. */
bool tracing_number(const struct tracing_field *field, const void *raw, size_t size,
		    int64_t *value);
/* The same of text, cut to the room there is; "" where the data end before it. */
void tracing_text(const struct tracing_field *field, const void *raw, size_t size, char *into,
		  size_t room);

#endif
