/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far a profile can be trusted: what is missing from it, and what would help most.
 */
#ifndef PROFILE_TRUST_H
#define PROFILE_TRUST_H

#include "profile/profile.h"

struct remedy_facts;

struct trust {
	uint64_t samples, lost, throttled;
	uint64_t guests;  /* samples of virtual machines that are not shown, beside these */
	uint64_t damaged; /* records that could not be understood */
	bool has_stacks;
	bool few;	   /* so few samples that their shares say little */
	double lost_share; /* shares are of 1 */
	double cut_share, unknown_share;
	double worst_share;    /* of all samples: those without a name in the worst object */
	uint32_t worst_object; /* NO_OBJECT_ID if every sample has a name */
	char remedy[300];      /* one sentence, or "" where little is missing */
};

#define NO_OBJECT_ID UINT32_MAX

/* How a remedy is said, everywhere. */
#define TRUST_REMEDY "What would help most: %s."

/* facts: for the remedy. */
void trust_of(struct trust *trust, const struct profile *profile, const struct remedy_facts *facts);

/* Why an object gives no names, in a word or two: "stripped". */
const char *trust_reason(const struct profile_object *object);

#endif
