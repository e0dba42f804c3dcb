/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where importers put what they read: frames become a chain, a chain a stack, samples rows.
 *
 * A chain that was seen before costs one look.  Samples that agree in stack, thread, event and in
 * what else is kept of them become one row, so that memory grows with what is different in a text,
 * not with its size.
 */
#ifndef IMPORT_SINK_H
#define IMPORT_SINK_H

#include "profile/profile.h"

/* Frames of one stack; finding recursion in it costs the square of that.  The leaf's side of a
 * deeper one is left out. */
#define SINK_DEPTH 2048

struct chain_slot {
	uint64_t hash;
	uint32_t stack; /* STACK_ROOT: free */
};

struct sink {
	struct profile *profile;
	bool times, cpus;    /* keep them: rows that differ in them stay apart */
	VEC(uint32_t) chain; /* each a link_of() */
	size_t dropped;	     /* of the chain, by sink_push */
	bool cut;	     /* the last sink_stack had more frames than are kept */

	struct chain_slot *chains;
	size_t chains_len, chains_cap;
	uint32_t *rows; /* open addressing by what rows agree in */
	size_t rows_len, rows_cap;
	uint64_t last_time;
	bool unsorted;
};

static inline uint32_t link_of(uint32_t function, bool inlined)
{
	return function << 1 | inlined;
}

void sink_init(struct sink *sink, struct profile *profile);

/* Adds the caller of the chain's last; however many come, memory holds what sink_stack keeps. */
void sink_push(struct sink *sink, uint32_t link);

/* The stack of the chain, which is empty afterwards. */
uint32_t sink_stack(struct sink *sink, bool leaf_first);

/* count: how many samples the row stands for.  Times that fall are put in order by sink_fini. */
void sink_add(struct sink *sink, const struct profile_row *row);
void sink_fini(struct sink *sink);

/* The event of that name, new if need be. */
uint16_t sink_event(struct sink *sink, const char *name, const char *unit);

#endif
