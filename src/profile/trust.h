/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far a profile can be trusted: what is missing from it, why, and what would help most.
 *
 * It is good only if no check found a fault.  Every fault has one of the reasons of
 * profile/panel.h, the figure that it was found by, and a remedy where there is one.
 */
#ifndef PROFILE_TRUST_H
#define PROFILE_TRUST_H

#include "profile/panel.h"

struct remedy_facts;

enum trust_part { TRUST_RECORDING, TRUST_STACKS, TRUST_NAMES };

struct trust_fault {
	enum trust_part part; /* what is wrong: a file that is not there spoils stacks and names */
	enum panel_reason reason;
	uint32_t object;  /* NO_OBJECT_ID: it is of the whole recording */
	double share;	  /* of the event's weight, what it touches; 0: nobody knows */
	char text[320];	  /* what is wrong, with its figure, without a full stop */
	char remedy[300]; /* or "" */
};

#define TRUST_FAULTS 24 /* the heaviest ones; more are left out */

struct trust {
	uint16_t event;
	size_t events; /* that have samples */
	uint64_t samples, lost, throttled;
	bool is_import;	  /* nobody knows what was lost, cut or throttled */
	uint64_t guests;  /* samples of virtual machines that are not shown, beside these */
	uint64_t damaged; /* records that could not be understood */
	bool has_stacks;
	bool few;	   /* fewer than 100: a share of a half may be ten points off */
	double lost_share; /* shares are of 1; this one of samples, the others of their weight */
	double cut_share, unknown_share;
	double skipped_share; /* stacks that lack a caller */
	double unclear_share; /* and of which nothing tells whether they do */
	/* Samples times period beside the CPU time that there was; -1: that was not recorded. */
	double covered_share;
	uint64_t cpu_ns; /* 0: not recorded */
	bool whole_cpus; /* that is all of their time, idle or not */
	bool is_time;	 /* else it has no covered_share, but these two; 0: not recorded */
	uint64_t weight, counted;
	double idle_share;     /* of it, as the kernel accounts it; -1: not recorded, or no -a */
	double worst_share;    /* of all: what has no name in the worst object */
	uint32_t worst_object; /* NO_OBJECT_ID if every sample has a name */
	struct trust_fault faults[TRUST_FAULTS]; /* what touches most samples first */
	size_t fault_count;
	const char *remedy; /* of these, the one that repairs most samples; "" for none */
};

#define NO_OBJECT_ID UINT32_MAX

/* How a remedy is said, everywhere; and the verdict in front of all else. */
#define TRUST_REMEDY "What would help most: %s."
#define TRUST_GOOD   "Good: every check passed."
#define TRUST_NEARLY \
	"Good: every check passed but one: how much CPU time there was is not recorded."
#define TRUST_NEARLY_COUNTED \
	"Good: every check passed but one: how many there were in all is not recorded."
#define TRUST_CARE	   "To be read with care:"
#define TRUST_IMPORT	   "Can't tell: the file does not say what was lost, or whether stacks are whole."
#define TRUST_UNCLEAR	   "Can't tell: too few samples."
#define TRUST_UNCLEAR_TIME "Can't tell: the samples may stand for all of the time or not."
#define TRUST_NONE	   "No samples."

/* Of one event: two are never added.  facts: for the remedies, may be NULL.  What is pointed to
 * lies in the trust itself: it can't be copied. */
void trust_of(struct trust *trust, const struct profile *profile, uint16_t event,
	      const struct remedy_facts *facts);

/* One of the eight. */
const char *trust_verdict(const struct trust *trust);

/* What cpu_ns is: "1.250 s of CPU time", "8.004 s of all CPUs". */
static inline const char *trust_time_noun(const struct trust *trust)
{
	return trust->whole_cpus ? "all CPUs" : "CPU time";
}

static inline bool trust_is_good(const struct trust *trust)
{
	return !trust->fault_count && !trust->is_import;
}

/*
 * Between which shares the true one lies with a certainty of 95 %, if so many of so many samples
 * were there (Wilson's interval); samples are taken for independent of each other.
 */
void trust_interval(uint64_t part, uint64_t samples, double *low, double *high);

#endif
