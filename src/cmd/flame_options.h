/* SPDX-License-Identifier: Apache-2.0 */
/* What `flame` and `fold` take on their command lines, and what it means. */
#ifndef CMD_FLAME_OPTIONS_H
#define CMD_FLAME_OPTIONS_H

#include "base/options.h"
#include "cmd/flame_format.h"
#include "cmd/load.h"
#include "profile/flametree.h"
#include "render/flame_svg.h"

#include <limits.h>

struct collapse_options;
struct err;

#define FLAME_NO_RATE INT_MIN

struct flame_args {
	/* which samples, which frames */
	const char *input, *event, *keep, *keep_raw, *drop, *focus, *hide, *comms, *pids, *tids,
		*cpus, *time;
	const char *changes; /* of a download: what was done to the graph (profile/reshape.h) */
	bool collapse_recursion, per_thread, idle;
	/* where names come from */
	struct symbol_args names;
	bool no_index;
	bool lines; /* `export`: source lines of sampled addresses */
	/* what comes out */
	const char *output, *format, *weight, *like;
	bool annotate;
	/* the picture */
	const char *title, *subtitle, *notes, *min_width, *color, *palette_map;
	int width;
	bool inverted, reverse;
	/* `flame` only: what is recorded, and how */
	const char *user, *call_graph;
	bool all_cpus, tree, no_keep, save_script, open, frame_pointers;
	int rate;	     /* FLAME_NO_RATE: not given */
	int64_t duration_ns; /* below 0: not given */
};

/* Options that both commands have; each puts them into its table. */
#define FLAME_FIELD(name)  offsetof(struct flame_args, name)
#define FLAME_SYMBOL(name) offsetof(struct flame_args, names.name)
/* clang-format off */
#define FLAME_FILTER_SPECS                                                                       \
	{ OPT_TEXT, 0, "grep", FLAME_FIELD(keep), "REGEX",                                       \
	  "only stacks with a function whose name, as it is shown, matches" },                   \
	{ OPT_TEXT, 0, "grep-raw", FLAME_FIELD(keep_raw), "REGEX",                               \
	  "the same by the linker's names, which are mangled in C++ and Rust" },                 \
	{ OPT_TEXT, 0, "exclude", FLAME_FIELD(drop), "REGEX",                                    \
	  "only stacks without a function whose name, as it is shown, matches" },                \
	{ OPT_TEXT, 0, "drop", FLAME_FIELD(drop), "REGEX", "the same as --exclude",              \
	  .hidden = true },                                                                      \
	{ OPT_TEXT, 0, "focus", FLAME_FIELD(focus), "REGEX",                                     \
	  "stacks begin at the outermost such function; those without are left out" },           \
	{ OPT_TEXT, 0, "hide", FLAME_FIELD(hide), "REGEX",                                       \
	  "such functions are left out; what they call moves up" },                              \
	{ OPT_TEXT, 0, "comm", FLAME_FIELD(comms), "NAME[,...]", "only threads of these names" }, \
	{ OPT_TEXT, 0, "cpu", FLAME_FIELD(cpus), "LIST", "only these CPUs: 0-3,8" },             \
	{ OPT_TEXT, 0, "time", FLAME_FIELD(time), "RANGE",                                     \
	  "10s-20s after the start, START,STOP in seconds of its clock, or 10%-20%" }, \
	{ OPT_FLAG, 0, "collapse-recursion", FLAME_FIELD(collapse_recursion), NULL,              \
	  "a function that calls itself is one frame" },                                         \
	{ OPT_FLAG, 0, "per-thread", FLAME_FIELD(per_thread), NULL,                              \
	  "one tower per thread instead of per command" },                                       \
	{ OPT_FLAG, 0, "reverse", FLAME_FIELD(reverse), NULL,                                    \
	  "stacks from the leaf on: what they end in, below it who called" }
/* clang-format on */

/*
 * The profile at `path`, with what these options need of it.  `like` (NULL: none) is whose lines a
 * text is read for.  On failure there is nothing to close.
 */
int flame_load(struct loaded *in, const char *path, const struct flame_args *args,
	       const struct collapse_options *like, struct err *err);

/* The parts of the profile's questions; *filter borrows from args. */
int flame_filter_of(const struct flame_args *args, const struct profile *profile,
		    struct profile_filter *filter, struct err *err);
/* The same with which frames are shown of them; the event is the caller's to choose. */
int flame_view_of(const struct flame_args *args, const struct profile *profile,
		  struct flametree_options *view, struct err *err);
/* Warns where filters leave none of an event's samples; `name` is the profile's. */
void flame_warn_empty(const char *name, const struct profile *profile,
		      const struct flametree_options *view);
int flame_weight_of(const struct flame_args *args, enum flame_weight *weight, struct err *err);

/* Notes the events that have samples, too. */
void flame_note_others(const struct profile *profile, uint16_t event);

/*
 * An event by its name or the name without modifiers.  -ENOENT, with the names that there are, if
 * there is none, and -ENODATA if others have samples and it has none.
 */
int flame_event_find(const struct profile *profile, const char *name, uint16_t *event,
		     struct err *err);

#endif
