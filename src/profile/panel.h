/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far each part of a profile can be trusted: for every object the stacks that were lost in it
 * and the samples that it has no name for, and why.  Samples are counted; shares are of the event's
 * weight, since a recording may change its period on the way.
 *
 * A stack is lost in the object of the last frame that was still right: the one before the first
 * address that leads nowhere, or the outermost one where that is no function that stacks begin
 * with.
 */
#ifndef PROFILE_PANEL_H
#define PROFILE_PANEL_H

#include "profile/profile.h"

enum panel_reason {
	PANEL_GOOD,
	/* stacks */
	PANEL_NO_FRAME_POINTER,
	PANEL_NO_UNWIND_TABLE,
	PANEL_COPY_TOO_SMALL,
	PANEL_JIT_FRAMES, /* code made at run time, which no table describes */
	PANEL_NO_FRAME_NO_TABLE,
	PANEL_CALLER_SKIPPED,
	PANEL_CALLER_NO_TABLE, /* skipped in code that has no unwind table */
	PANEL_CALLER_UNCLEAR,
	PANEL_STACK_LIMIT, /* of the kernel's chains */
	PANEL_TOO_DEEP,	   /* for us */
	PANEL_STACK_LOST,
	/* names */
	PANEL_JIT_WITHOUT_MAP,
	PANEL_MAP_DISTRUSTED,
	PANEL_STRIPPED,
	PANEL_EXPORTS_ONLY,
	PANEL_OTHER_BUILD,
	PANEL_OTHER_LAYOUT, /* no build-id tells, but how it was mapped */
	PANEL_NO_FILE,
	PANEL_UNREADABLE,
	PANEL_KERNEL_HIDDEN,
	PANEL_KERNEL_MISSING,
	PANEL_KERNEL_OTHER,
	PANEL_NOT_IN_MAP,
	PANEL_NOT_IN_TABLE,
	PANEL_UNMAPPED,
	PANEL_NEWER,
	PANEL_KERNEL_UNMAPPED,
	PANEL_MAPLESS,
	PANEL_CODE_REUSED,
	PANEL_NO_STACK,
	PANEL_IMPORT_UNNAMED, /* a file without mappings: it has the names it has */
	/* the recording as a whole */
	PANEL_FEW,
	PANEL_NONE,
	PANEL_LOST,
	PANEL_ALL_LOST,
	PANEL_THROTTLED,
	PANEL_GUESTS,
	PANEL_DAMAGED,
	PANEL_BAD_RECORDS,
	PANEL_BAD_LINES,
	PANEL_USER_ONLY,
	PANEL_KERNEL_ONLY,
	PANEL_SOME_CPUS,
	PANEL_FILTERED,
	PANEL_KERNEL_CHAINS,
	PANEL_MAX_SIZE,
	PANEL_SHORT_PROCESSES, /* samples stand for less time than there was, and why */
	PANEL_RATE_TOO_HIGH,
	PANEL_NOT_COVERED,
	PANEL_COVERAGE_UNCLEAR,
	PANEL_IDLE_SAMPLES,
	PANEL_NOT_COUNTED, /* of an event that is no time */
	PANEL_PROBE_MISSED,
	PANEL_OWN,
	PANEL_REASONS,
};

/*
 * Every reason, for all who show one: what is wrong, how one can see that for oneself, and what
 * helps.  The ids stay the same between versions.
 */
struct reason {
	const char *id;	  /* "no-frame-pointer": for scripts */
	const char *text; /* "no frame pointers" */
	const char *see;  /* a command, or where to look; NULL: nothing beyond what is said */
	int advice;	  /* enum advice; ADVICES: none, or one that depends on the object */
};

const struct reason *panel_reason(enum panel_reason reason);

struct panel_row {
	uint32_t object;
	struct weight_pair self;	 /* whose own address lies in it */
	struct weight_pair unnamed;	 /* of these, without a name */
	struct weight_pair through;	 /* samples whose stack passes it */
	struct weight_pair lost;	 /* of these, whose stack was lost in it */
	struct weight_pair skipped;	 /* of these, that lack the caller of its code */
	struct weight_pair unclear;	 /* and of which that can't be told */
	enum panel_reason stacks, names; /* PANEL_GOOD where nothing is to be done */
	/* Others have the same fault, and this one alone would not be worth a word. */
	bool light_stacks, light_names;
};

struct panel {
	uint16_t event;
	struct weight_pair all;
	struct weight_pair unnamed;
	struct weight_pair whole,
		cut; /* stacks that reach their beginning, and those that do not */
	struct weight_pair
		spliced; /* completed by frame pointers where the stack's copy had ended */
	struct weight_pair skipped; /* whole, but for a caller that frame pointers do not lead to */
	struct weight_pair unclear; /* whole, but for a caller that may be missing */
	struct weight_pair without_stack; /* of an import */
	bool has_stacks;
	VEC(struct panel_row) rows; /* the most samples first */
};

/* Of one event: two are never added. */
void panel_make(struct panel *panel, const struct profile *profile, uint16_t event);
void panel_free(struct panel *panel);

/* Why an object has code without a name. */
enum panel_reason panel_why_unnamed(const struct profile *profile,
				    const struct profile_object *object);

/* Why nothing is known of the frames of an object's code. */
enum panel_reason panel_why_no_rules(const struct profile_object *object);

/* By weight, as all tables count; 0 of nothing. */
double panel_share(const struct weight_pair *part, const struct weight_pair *all);

/*
 * Whether a fault of so many of all samples is worth a word: 0.5 % of them, or 5 % where these are
 * fewer than five, of which any may be chance.  Of callers that are skipped 3 %: wherever frame
 * pointers are used, prologues and calls of the C library come to a per cent.
 */
bool panel_matters(const struct weight_pair *part, const struct weight_pair *all);

#endif
