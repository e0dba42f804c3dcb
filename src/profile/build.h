/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a recording to a profile: records in order of time, processes and mappings as of then,
 * addresses named once each.
 *
 * A builder can be asked again and again while the recording grows; what it has made so far is a
 * whole profile each time.  It belongs to one thread.
 */
#ifndef PROFILE_BUILD_H
#define PROFILE_BUILD_H

#include "profile/profile.h"

struct err;
struct naming;
struct perf_attr;
struct perf_branch_entry;
struct perf_reader;
struct profile_builder;
struct sample;
struct thread;

/* A sample whose traits are asked for. */
struct profile_subject {
	struct profile *profile;
	struct naming *naming; /* as of the sample's time */
	const struct perf_attr *attr;
	const struct sample *sample;
	const struct thread *thread;
	const struct perf_branch_entry *branch; /* that the row is of; NULL: of the sample */
};

/* What is wanted of a recording beyond the usual; all zero: nothing. */
struct profile_wishes {
	bool branches;	/* rows are the branches that samples carry, with a weight of 1 each */
	bool by_weight; /* rows weigh what the processor says they cost, not their period */
	size_t trait_count;
	/* Puts strings of the profile into values[trait_count]. */
	void (*traits)(void *user, const struct profile_subject *subject, uint32_t *values);
	void *user;
};

/* Both must outlive the builder. */
struct profile_builder *profile_builder_new(struct perf_reader *reader, struct symbol_store *store);

/*
 * Takes what the recording holds by now.  0 at its end, or a negative errno value, and then the
 * profile holds what came before.
 */
int profile_builder_read(struct profile_builder *builder, struct err *err);

/*
 * Whether names came after the samples that wanted them: a JIT wrote its list while we read along.
 * Who reads the recording once more, with the same store, has them all.
 */
bool profile_builder_named_late(struct profile_builder *builder);

/* Borrowed; it lives as long as the builder unless it is taken. */
struct profile *profile_builder_profile(struct profile_builder *builder);
/* The same for the caller to keep and free; the builder can then only be freed. */
struct profile *profile_builder_take(struct profile_builder *builder);
void profile_builder_free(struct profile_builder *builder);

/* The same at one stroke; NULL on failure.  No wishes: NULL. */
struct profile *profile_read(struct perf_reader *reader, struct symbol_store *store,
			     struct err *err);
struct profile *profile_read_with(struct perf_reader *reader, struct symbol_store *store,
				  const struct profile_wishes *wishes, struct err *err);

#endif
