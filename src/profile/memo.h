/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks that were met lately, by a hash of their process and raw chain.
 *
 * Of a fixed size, a new one takes the place of an old one: memory and cost stay the same however
 * long the recording is.
 */
#ifndef PROFILE_MEMO_H
#define PROFILE_MEMO_H

#include "profile/frames.h"

struct memo_set;

struct memo {
	struct memo_set *sets;
	struct memo_skips
		*skips; /* beside them: the objects of the frames that skip a caller, or may */
	size_t mask;	/* one less than there are, a power of two */
};

/* For so many samples; what is larger than the recording only costs time to be touched. */
void memo_init(struct memo *memo, uint64_t samples);
void memo_fini(struct memo *memo);
/* Forgets all of them. */
void memo_clear(struct memo *memo);

/* Of a sample; the spaces are numbers that change whenever mappings do. */
uint64_t memo_hash(const struct sample *sample, uint32_t user_space, uint32_t kernel_space);

/* Soon it will be asked for. */
void memo_prefetch(const struct memo *memo, uint64_t hash);
bool memo_find(struct memo *memo, uint64_t hash, struct frames_stack *found);
/* After memo_find did not find it. */
void memo_put(struct memo *memo, uint64_t hash, const struct frames_stack *found);

#endif
