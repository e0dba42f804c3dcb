/* SPDX-License-Identifier: Apache-2.0 */
/* The functions, programs and threads with the most of a profile's time. */
#ifndef PROFILE_OVERVIEW_TOPS_H
#define PROFILE_OVERVIEW_TOPS_H

#include "profile/overview.h"

struct stack_weights;

/* Those with a name; busy: the weight that is all of it. */
void overview_find_functions(struct overview_facts *facts, const struct profile *profile,
			     const struct stack_weights *weights, double busy);
/* Threads, and the programs that they ran. */
void overview_find_workers(struct overview_facts *facts, const struct profile *profile,
			   uint16_t event);
void overview_tops_free(struct overview_tops *tops);

#endif
