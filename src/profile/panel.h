/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far each part of a profile can be trusted: for every object the stacks that were lost in it
 * and the samples that it has no name for, and why.
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
	/* names */
	PANEL_JIT_WITHOUT_MAP,
	PANEL_STRIPPED,
	PANEL_EXPORTS_ONLY,
	PANEL_OTHER_BUILD,
	PANEL_NO_FILE,
	PANEL_UNREADABLE,
	PANEL_KERNEL_HIDDEN,
	PANEL_KERNEL_MISSING,
	PANEL_KERNEL_OTHER,
	PANEL_NOT_IN_MAP,
	PANEL_NOT_IN_TABLE,
	PANEL_UNMAPPED,
	PANEL_REASONS,
};

struct panel_row {
	uint32_t object;
	uint64_t samples;		 /* whose own address lies in it */
	uint64_t unnamed;		 /* of these, without a name */
	uint64_t through;		 /* samples whose stack passes it */
	uint64_t lost;			 /* of these, whose stack was lost in it */
	enum panel_reason stacks, names; /* PANEL_GOOD where nothing is to be done */
};

struct panel {
	uint64_t samples, whole, cut; /* stacks that reach their beginning, and those that do not */
	uint64_t spliced; /* completed by frame pointers where the copy of the stack had ended */
	bool has_stacks;
	VEC(struct panel_row) rows; /* the most samples first */
};

/* `copied`: stacks were copied (--call-graph dwarf) and unwound. */
void panel_make(struct panel *panel, const struct profile *profile, bool copied);
void panel_free(struct panel *panel);

/* Why an object has code without a name. */
enum panel_reason panel_why_unnamed(const struct profile_object *object);

const char *panel_reason_id(enum panel_reason reason);	 /* "no-frame-pointer": for scripts */
const char *panel_reason_text(enum panel_reason reason); /* "no frame pointers" */

#endif
