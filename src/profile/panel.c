// SPDX-License-Identifier: Apache-2.0
#include "profile/panel.h"
#include "base/mem.h"
#include "profile/remedy.h"

#include <stdlib.h>
#include <string.h>

#define SKIPS_MATTER 0.03

static const struct reason reasons[PANEL_REASONS] = {
	[PANEL_GOOD] = { "good", "good", NULL, ADVICES },
	[PANEL_NO_FRAME_POINTER] = { "no-frame-pointer", "no frame pointers",
				     "stacks end here, and no function that programs begin with "
				     "is at their root",
				     ADVICE_DWARF },
	[PANEL_NO_FRAME_NO_TABLE] = { "no-frame-pointer-nor-table",
				      "neither frame pointers nor an unwind table",
				      "readelf --debug-dump=frames FILE", ADVICE_FRAMES_OR_TABLES },
	[PANEL_NO_UNWIND_TABLE] = { "no-unwind-table", "no unwind table",
				    "readelf --debug-dump=frames FILE", ADVICE_UNWIND_TABLES },
	[PANEL_COPY_TOO_SMALL] = { "copy-too-small", "the copied part of the stack was too small",
				   "--call-graph dwarf,SIZE of the recording", ADVICES },
	[PANEL_JIT_FRAMES] = { "jit-frames", "code made at run time, without an unwind table", NULL,
			       ADVICE_JIT_FRAMES },
	[PANEL_CALLER_SKIPPED] = { "caller-skipped",
				   "the direct caller is missing: no frame was set up yet",
				   "readelf --debug-dump=frames-interp FILE: there the CFA is "
				   "not counted from the frame pointer",
				   ADVICE_DWARF_SKIPPED },
	[PANEL_CALLER_NO_TABLE] = { "caller-skipped-no-table",
				    "the direct caller is missing: no frame was set up yet, and "
				    "there is no unwind table",
				    "objdump -d FILE: the function's first instructions",
				    ADVICE_TABLES_DWARF },
	[PANEL_CALLER_UNCLEAR] = { "caller-unclear",
				   "can't tell whether direct callers are missing: no unwind "
				   "table and no code to look at",
				   "ls FILE; readelf --debug-dump=frames FILE; nm FILE", ADVICES },
	[PANEL_STACK_LIMIT] = { "stack-limit",
				"deeper than the kernel's limit (kernel.perf_event_max_stack)",
				"sysctl kernel.perf_event_max_stack", ADVICE_MAX_STACK },
	[PANEL_TOO_DEEP] = { "too-deep", "deeper than 1,024 frames", NULL, ADVICES },
	[PANEL_STACK_LOST] = { "stack-lost", "its frames lead to no code", NULL, ADVICES },
	[PANEL_JIT_WITHOUT_MAP] = { "jit-without-map", "code made at run time, without a map",
				    "ls /tmp/perf-PID.map", ADVICE_JIT_MAP },
	[PANEL_MAP_DISTRUSTED] = { "jit-map-distrusted",
				   "its map is another user's, a link, or may be written by "
				   "anybody",
				   "ls -l /tmp/perf-PID.map", ADVICE_MAP_OWNER },
	[PANEL_STRIPPED] = { "stripped", "stripped", "file FILE", ADVICES },
	[PANEL_EXPORTS_ONLY] = { "exports-only", "only its exported functions have names",
				 "nm FILE; nm -D FILE", ADVICES },
	[PANEL_OTHER_BUILD] = { "build-id-mismatch",
				"binary changed since recording (build-id mismatch)",
				"readelf -n FILE; perf buildid-list -i RECORDING", ADVICES },
	[PANEL_OTHER_LAYOUT] = { "mapping-mismatch",
				 "binary changed since recording (it was mapped otherwise)",
				 "readelf -lW FILE; perfolio script --show-mmap-events -i "
				 "RECORDING",
				 ADVICES },
	[PANEL_NO_FILE] = { "no-file", "its file is not there", "ls FILE", ADVICES },
	[PANEL_UNREADABLE] = { "unreadable", "its file cannot be read", "ls -l FILE",
			       ADVICE_READABLE },
	[PANEL_KERNEL_HIDDEN] = { "kernel-hidden", "the kernel hides its addresses",
				  "head /proc/kallsyms", ADVICE_KERNEL_HIDDEN },
	[PANEL_KERNEL_MISSING] = { "kernel-missing", "its symbols are not here", NULL, ADVICES },
	[PANEL_KERNEL_OTHER] = { "kernel-other", "it is not known to be the kernel that runs here",
				 "uname -r; perfolio report --header-only", ADVICES },
	[PANEL_NOT_IN_MAP] = { "not-in-map", "code made at run time that its list lacks", NULL,
			       ADVICES },
	[PANEL_NOT_IN_TABLE] = { "not-in-table", "not in its table of symbols", NULL, ADVICES },
	[PANEL_UNMAPPED] = { "unmapped", "addresses that no mapping holds", NULL, ADVICES },
	[PANEL_NEWER] = { "file-newer",
			  "may have changed since the recording (no build-id to compare)",
			  "stat FILE RECORDING; readelf -n FILE", ADVICE_NEWER },
	[PANEL_KERNEL_UNMAPPED] = { "kernel-hidden-when-recorded",
				    "the kernel hid its addresses from the recorder",
				    "sysctl kernel.kptr_restrict", ADVICE_KERNEL_UNMAPPED },
	[PANEL_MAPLESS] = { "maps-unread", "programs whose mappings the recorder could not read",
			    "perfolio script --show-mmap-events; ls -l /proc/PID/maps",
			    ADVICE_MAPLESS },
	[PANEL_CODE_REUSED] = { "jit-code-replaced",
				"a JIT used the same addresses for several functions: names are "
				"those of the map's end",
				"sort /tmp/perf-PID.map", ADVICES },
	[PANEL_NO_STACK] = { "no-stack", "the file has no stack for them", NULL, ADVICES },
	[PANEL_IMPORT_UNNAMED] = { "import-unnamed", "the file has no name for it", NULL,
				   ADVICE_NAMED_FILE },
	[PANEL_NONE] = { "no-samples", "no samples", NULL, ADVICES },
	[PANEL_FEW] = { "few-samples", "too few samples for shares", NULL, ADVICE_LONGER },
	[PANEL_LOST] = { "lost", "samples were lost", "perfolio script -D: LOST", ADVICE_LOST },
	[PANEL_ALL_LOST] = { "all-lost", "all samples were lost", "perfolio script -D: LOST",
			     ADVICE_LOST },
	[PANEL_THROTTLED] = { "throttled", "the kernel stopped sampling at times",
			      "perfolio script -D: THROTTLE", ADVICE_THROTTLED },
	[PANEL_GUESTS] = { "guests", "samples of virtual machines are not shown", NULL,
			   ADVICE_GUEST_KERNEL },
	[PANEL_DAMAGED] = { "file-damaged", "the file is damaged or not complete", NULL,
			    ADVICE_WHOLE_FILE },
	[PANEL_BAD_RECORDS] = { "bad-records", "records that were not understood", NULL, ADVICES },
	[PANEL_BAD_LINES] = { "bad-lines", "lines that were not understood", NULL, ADVICES },
	[PANEL_USER_ONLY] = { "user-only", "only user space was sampled",
			      "sysctl kernel.perf_event_paranoid; perf evlist -v: exclude_kernel",
			      ADVICE_KERNEL_TOO },
	[PANEL_KERNEL_ONLY] = { "kernel-only", "only the kernel was sampled",
				"perf evlist -v: exclude_user", ADVICE_USER_TOO },
	[PANEL_SOME_CPUS] = { "some-cpus", "only some CPUs were sampled",
			      "perfolio report --header-only", ADVICE_ALL_CPUS },
	[PANEL_FILTERED] = { "filtered", "a filter left events out",
			     "perfolio report --header-only", ADVICE_NO_FILTER },
	[PANEL_KERNEL_CHAINS] = { "kernel-callchains",
				  "stacks have their kernel part only (--kernel-callchains)",
				  "perf evlist -v: exclude_callchain_user", ADVICE_USER_CHAINS },
	[PANEL_MAX_SIZE] = { "max-size",
			     "the recording ended when its file had reached its size: what came "
			     "after is not in it",
			     "perfolio report --header-only", ADVICE_LARGER_FILE },
	[PANEL_SHORT_PROCESSES] = { "short-processes",
				    "short processes or threads ended before their first sample",
				    "perfolio query RECORDING events: count, counted",
				    ADVICE_SHORT_PROCESSES },
	[PANEL_RATE_TOO_HIGH] = { "rate-too-high", "the rate is more than this machine delivers",
				  "perfolio query RECORDING events: count, counted",
				  ADVICE_LOWER_RATE },
	[PANEL_NOT_COVERED] = { "not-covered", "samples stand for another time than there was",
				"perfolio query RECORDING events: count, counted", ADVICES },
	[PANEL_COVERAGE_UNCLEAR] = { "coverage-unclear",
				     "too few samples to tell whether they stand for all of the "
				     "time",
				     "perfolio query RECORDING events: count, counted",
				     ADVICE_LONGER },
	[PANEL_NOT_COUNTED] = { "not-counted", "samples stand for another number than was counted",
				"perfolio query RECORDING events: count, counted", ADVICES },
	[PANEL_PROBE_MISSED] = { "probe-missed",
				 "of processes that run side by side the kernel may miss hits "
				 "of a probe",
				 "perfolio stat -a -e EVENT", ADVICE_HOST },
	[PANEL_OWN] = { "own-processes",
			"perfolio's own processes, whose memory is never copied: callers may be "
			"missing",
			"ps -C perfolio", ADVICES },
	[PANEL_IDLE_SAMPLES] = { "idle-samples", "idle CPUs were sampled less often than busy ones",
				 "perfolio query RECORDING events: idle_ns", ADVICE_BUSY },
};

const struct reason *panel_reason(enum panel_reason reason)
{
	return &reasons[reason];
}

#define MATTERS	       0.005
#define MATTERS_OF_FEW 0.05
#define FEW	       5

double panel_share(const struct weight_pair *part, const struct weight_pair *all)
{
	return all->weight ? (double)part->weight / (double)all->weight : 0;
}

bool panel_matters(const struct weight_pair *part, const struct weight_pair *all)
{
	return part->samples &&
	       panel_share(part, all) >= (part->samples < FEW ? MATTERS_OF_FEW : MATTERS);
}

static void add(struct weight_pair *sum, const struct weight_pair *more)
{
	sum->samples += more->samples;
	sum->weight += more->weight;
}

/* What is counted of one object while the stacks are walked. */
struct tally {
	struct weight_pair self, unnamed, through, lost, skipped, tableless, unclear;
	uint64_t no_table, short_copy, deep, other; /* weights of what was lost, and why */
	uint64_t astray;			    /* of it, at the program's innermost frame */
	uint32_t last_stack; /* the one that was counted as passing here last */
};

struct walk {
	const struct profile *profile;
	struct tally *objects;
};

static const struct profile_function *function_of(const struct profile *p, uint32_t stack)
{
	return &p->functions.data[p->stacks.function[stack]];
}

static bool leads_nowhere(const struct profile *p, uint32_t stack)
{
	const struct profile_function *f = function_of(p, stack);

	return f->kind == FRAME_UNKNOWN && p->objects.data[f->object].kind == DSO_NONE &&
	       p->objects.data[f->object].side != SIDE_KERNEL;
}

/* From the leaf outwards: the last frame before the way was lost. */
static uint32_t lost_at(const struct profile *p, uint32_t stack)
{
	uint32_t parent = p->stacks.parent[stack];

	while (parent != STACK_ROOT && !leads_nowhere(p, parent)) {
		stack = parent;
		parent = p->stacks.parent[stack];
	}
	return stack;
}

/*
 * Whether it was lost at the program's innermost frame, so for certain.  One that came further may
 * have come to its beginning, if that has no name.
 */
static bool is_astray(const struct profile *p, uint32_t stack, uint32_t last)
{
	uint32_t callee = stack;

	if (last == stack)
		return true;
	while (p->stacks.parent[callee] != last)
		callee = p->stacks.parent[callee];
	return function_of(p, callee)->kind == FRAME_KERNEL;
}

static void count_lost(struct walk *walk, uint32_t stack, const struct weight_pair *samples)
{
	const struct profile *p = walk->profile;
	uint32_t last = lost_at(p, stack);
	struct tally *tally = &walk->objects[function_of(p, last)->object];

	add(&tally->lost, samples);
	if (is_astray(p, stack, last))
		tally->astray += samples->weight;
	if (p->stacks.flags[stack] & STACK_TOO_DEEP)
		tally->deep += samples->weight;
	else if (p->stacks.flags[stack] & STACK_SHORT_COPY)
		tally->short_copy += samples->weight;
	else if (p->stacks.flags[stack] & STACK_NO_TABLE)
		tally->no_table += samples->weight;
	else
		tally->other += samples->weight;
}

static void count_stack(struct walk *walk, uint32_t stack, const struct weight_pair *samples)
{
	const struct profile *p = walk->profile;
	const struct profile_function *leaf = function_of(p, stack);

	add(&walk->objects[leaf->object].self, samples);
	if (leaf->kind == FRAME_UNKNOWN)
		add(&walk->objects[leaf->object].unnamed, samples);
	for (uint32_t at = stack; at != STACK_ROOT; at = p->stacks.parent[at]) {
		struct tally *tally = &walk->objects[function_of(p, at)->object];

		if (tally->last_stack != stack)
			add(&tally->through, samples);
		tally->last_stack = stack;
	}
	if (p->stacks.flags[stack] & STACK_CUT)
		count_lost(walk, stack, samples);
}

static enum panel_reason why_other(const struct profile_object *object)
{
	return object->build_id.size || object->kind != DSO_FILE ? PANEL_OTHER_BUILD
								 : PANEL_OTHER_LAYOUT;
}

/* A file that is not the one that ran has no rules that could be followed, whatever it holds. */
enum panel_reason panel_why_no_rules(const struct profile_object *object)
{
	switch ((enum dso_state)object->state) {
	case DSO_MISMATCH: return why_other(object);
	case DSO_NEWER: return PANEL_NEWER;
	case DSO_MISSING: return PANEL_NO_FILE;
	case DSO_UNREADABLE: return PANEL_UNREADABLE;
	default: return PANEL_NO_UNWIND_TABLE;
	}
}

/* Most addresses that lead nowhere are of processes that nothing is known of. */
static bool is_mapless(const struct profile *profile, const struct profile_object *object)
{
	const struct profile_quality *quality = &profile->quality;

	return object->kind == DSO_NONE && object->side == SIDE_HOST && quality->mapless &&
	       2 * quality->mapless >= quality->off_map;
}

/*
 * Frame pointers are followed without any file.  But whether a stack has come to its beginning is
 * known by that function's name, which its file has.
 */
static enum panel_reason why_not_followed(const struct tally *tally,
					  const struct profile_object *object)
{
	enum panel_reason reason = panel_why_no_rules(object);

	if (reason != PANEL_NO_UNWIND_TABLE && 2 * tally->astray < tally->lost.weight)
		return reason;
	return 2 * tally->no_table >= tally->lost.weight ? PANEL_NO_FRAME_NO_TABLE
							 : PANEL_NO_FRAME_POINTER;
}

/* The reason of most of them. */
static enum panel_reason why_lost(const struct tally *tally, const struct profile *profile,
				  const struct profile_object *object)
{
	uint64_t rules = tally->no_table, copy = tally->short_copy, deep = tally->deep;
	bool copied = profile->quality.stack_copies > 0;

	if (object->kind == DSO_JIT)
		return PANEL_JIT_FRAMES;
	/* of a stack that goes on in such a program the kernel's part is all that is known */
	if (is_mapless(profile, object) ||
	    (object->kind == DSO_KERNEL && profile->quality.mapless &&
	     2 * profile->quality.mapless >= tally->lost.samples))
		return PANEL_MAPLESS;
	if (deep && deep >= rules && deep >= copy && deep >= tally->other)
		return copied ? PANEL_TOO_DEEP : PANEL_STACK_LIMIT;
	if (!copied)
		return why_not_followed(tally, object);
	if (copy && copy >= rules && copy >= tally->other)
		return PANEL_COPY_TOO_SMALL;
	return rules >= tally->other ? panel_why_no_rules(object) : PANEL_STACK_LOST;
}

static bool has_kernel(const struct profile *profile)
{
	vec_each (object, &profile->objects)
		if (object->kind == DSO_KERNEL && object->side == SIDE_HOST)
			return true;
	return false;
}

enum panel_reason panel_why_unnamed(const struct profile *profile,
				    const struct profile_object *object)
{
	bool kernel = object->kind == DSO_KERNEL;

	if (profile->quality.origin)
		return PANEL_IMPORT_UNNAMED;
	if (is_mapless(profile, object))
		return PANEL_MAPLESS;
	if (object->kind == DSO_NONE)
		return object->side == SIDE_KERNEL && !has_kernel(profile) ? PANEL_KERNEL_UNMAPPED
									   : PANEL_UNMAPPED;
	if (object->kind == DSO_JIT)
		return object->state == DSO_FULL	 ? PANEL_NOT_IN_MAP
		       : object->state == DSO_DISTRUSTED ? PANEL_MAP_DISTRUSTED
							 : PANEL_JIT_WITHOUT_MAP;
	switch ((enum dso_state)object->state) {
	case DSO_PARTIAL: return PANEL_EXPORTS_ONLY;
	case DSO_STRIPPED: return PANEL_STRIPPED;
	case DSO_MISSING: return kernel ? PANEL_KERNEL_MISSING : PANEL_NO_FILE;
	case DSO_MISMATCH: return kernel ? PANEL_KERNEL_OTHER : why_other(object);
	case DSO_HIDDEN: return PANEL_KERNEL_HIDDEN;
	case DSO_UNREADABLE: return PANEL_UNREADABLE;
	case DSO_DISTRUSTED: return PANEL_MAP_DISTRUSTED;
	case DSO_NEWER: return PANEL_NEWER;
	case DSO_FULL: return PANEL_NOT_IN_TABLE;
	case DSO_UNREAD: break;
	}
	return PANEL_UNMAPPED;
}

static void add_row(struct panel *panel, const struct walk *walk, uint32_t id)
{
	const struct tally *tally = &walk->objects[id];
	struct panel_row row = {
		.object = id,
		.self = tally->self,
		.unnamed = tally->unnamed,
		.through = tally->through,
		.lost = tally->lost,
		.skipped = tally->skipped,
		.unclear = tally->unclear,
	};

	if (row.through.samples)
		*vec_push(&panel->rows) = row;
}

/* Where each of many objects has too little to matter and all of them together have not, the first
 * of them stands for all. */
static bool is_worth_a_word(const struct weight_pair *part, uint64_t most,
			    const struct weight_pair *sum, const struct weight_pair *all)
{
	return panel_matters(part, all) ||
	       (part->samples && part->weight == most && panel_matters(sum, all));
}

/* A kind of fault that rows may have. */
struct kind {
	const struct weight_pair *sum, *all; /* of all rows that have it; of all samples */
	double least;			     /* share of all that matters, if more than usual */
	uint64_t most;			     /* weight of the row that has most of it */
};

static void note_most(struct kind *kind, const struct weight_pair *part)
{
	kind->most = part->weight > kind->most ? part->weight : kind->most;
}

static bool kind_matters(const struct kind *kind)
{
	return panel_matters(kind->sum, kind->all) &&
	       panel_share(kind->sum, kind->all) >= kind->least;
}

/* Of rows that are worth no word, those whose own samples have the fault that others are told of.
 */
enum weight { NOTHING, LIGHT, HEAVY };

static enum weight weight_of(const struct kind *kind, const struct weight_pair *part,
			     const struct weight_pair *own)
{
	if (panel_share(kind->sum, kind->all) < kind->least)
		return NOTHING;
	if (is_worth_a_word(part, kind->most, kind->sum, kind->all))
		return HEAVY;
	return kind_matters(kind) && panel_matters(part, own) &&
			       panel_share(part, own) >= kind->least
		       ? LIGHT
		       : NOTHING;
}

/* Takes a fault if it is more than what the row has already. */
static void blame(struct panel_row *row, enum weight weight, enum panel_reason reason, bool more)
{
	if (weight == NOTHING ||
	    (row->stacks != PANEL_GOOD &&
	     (row->light_stacks ? weight == LIGHT && !more : weight == LIGHT || !more)))
		return;
	row->stacks = reason;
	row->light_stacks = weight == LIGHT;
}

struct kinds {
	struct kind lost, skipped, unclear, unnamed;
};

static void judge_stacks(struct panel_row *row, const struct kinds *kinds,
			 const struct tally *tally, const struct profile *p)
{
	uint64_t lost = row->lost.weight, skipped = row->skipped.weight;

	blame(row, weight_of(&kinds->lost, &row->lost, &row->through),
	      why_lost(tally, p, &p->objects.data[row->object]), true);
	blame(row, weight_of(&kinds->skipped, &row->skipped, &row->through),
	      2 * tally->tableless.weight >= skipped ? PANEL_CALLER_NO_TABLE : PANEL_CALLER_SKIPPED,
	      skipped > lost);
	blame(row, weight_of(&kinds->unclear, &row->unclear, &row->through), PANEL_CALLER_UNCLEAR,
	      row->unclear.weight > lost && row->unclear.weight > skipped);
}

static void judge_rows(struct panel *panel, const struct walk *walk)
{
	const struct profile *p = walk->profile;
	struct kinds kinds = {
		.lost = { &panel->cut, &panel->all, 0, 0 },
		.skipped = { &panel->skipped, &panel->all, SKIPS_MATTER, 0 },
		.unclear = { &panel->unclear, &panel->all, SKIPS_MATTER, 0 },
		.unnamed = { &panel->unnamed, &panel->all, 0, 0 },
	};

	vec_each (row, &panel->rows) {
		note_most(&kinds.lost, &row->lost);
		note_most(&kinds.skipped, &row->skipped);
		note_most(&kinds.unclear, &row->unclear);
		note_most(&kinds.unnamed, &row->unnamed);
	}
	vec_each (row, &panel->rows) {
		const struct profile_object *object = &p->objects.data[row->object];
		enum weight unnamed = weight_of(&kinds.unnamed, &row->unnamed, &row->self);

		judge_stacks(row, &kinds, &walk->objects[row->object], p);
		row->light_names = unnamed == LIGHT;
		if (unnamed != NOTHING)
			row->names = panel_why_unnamed(p, object);
		if (object->state == DSO_NEWER && panel_matters(&row->self, &panel->all)) {
			row->names = PANEL_NEWER;
			row->light_names = false;
		}
	}
}

static int compare_rows(const void *one, const void *two)
{
	const struct panel_row *a = one, *b = two;

	if (a->self.weight != b->self.weight)
		return a->self.weight < b->self.weight ? 1 : -1;
	if (a->through.weight != b->through.weight)
		return a->through.weight < b->through.weight ? 1 : -1;
	return a->object < b->object ? -1 : 1;
}

static void count_skips(struct panel *panel, struct walk *walk)
{
	vec_each (skips, &walk->profile->skips)
		if (skips->event == panel->event) {
			add(&walk->objects[skips->object].skipped, &skips->sum);
			add(&walk->objects[skips->object].tableless, &skips->tableless);
			add(&walk->objects[skips->object].unclear, &skips->unclear);
			add(&panel->skipped, &skips->sum);
			add(&panel->unclear, &skips->unclear);
		}
}

/* By stack.  Samples of an event without any weight weigh the same. */
static struct weight_pair *weigh_stacks(const struct profile *p, uint16_t event)
{
	struct weight_pair *stacks = mem_alloc((p->stacks.len + 1) * sizeof(*stacks));
	bool weighs = p->events.data[event].weight > 0;

	for (size_t i = 0; i < p->samples.len; i++) {
		struct weight_pair *sum = &stacks[p->samples.stack[i]];
		uint64_t count = profile_row_count(&p->samples, i);

		if (p->samples.event[i] != event)
			continue;
		sum->samples += count;
		sum->weight += weighs ? p->samples.weight[i] : count;
	}
	return stacks;
}

static void count_stacks(struct panel *panel, struct walk *walk, const struct weight_pair *weights)
{
	const struct profile *p = walk->profile;

	for (uint32_t i = 1; i < p->stacks.len; i++) {
		const struct weight_pair *samples = &weights[i];

		panel->has_stacks |= p->stacks.parent[i] != STACK_ROOT;
		if (!samples->samples)
			continue;
		count_stack(walk, i, samples);
		add(&panel->all, samples);
		if (function_of(p, i)->kind == FRAME_UNKNOWN)
			add(&panel->unnamed, samples);
		if (profile_is_no_stack(p, p->stacks.function[i]))
			add(&panel->without_stack, samples);
		if (p->stacks.flags[i] & STACK_SPLICED)
			add(&panel->spliced, samples);
		add(p->stacks.flags[i] & STACK_CUT ? &panel->cut : &panel->whole, samples);
	}
}

void panel_make(struct panel *panel, const struct profile *p, uint16_t event)
{
	struct walk walk = { .profile = p };
	struct weight_pair *weights;

	*panel = (struct panel){ .event = event };
	if (event >= p->events.len)
		return;
	weights = weigh_stacks(p, event);
	walk.objects = mem_alloc((p->objects.len + 1) * sizeof(*walk.objects));
	count_stacks(panel, &walk, weights);
	count_skips(panel, &walk);
	for (uint32_t i = 0; i < p->objects.len; i++)
		add_row(panel, &walk, i);
	judge_rows(panel, &walk);
	if (panel->rows.len)
		qsort(panel->rows.data, panel->rows.len, sizeof(*panel->rows.data), compare_rows);
	free(walk.objects);
	free(weights);
}

void panel_free(struct panel *panel)
{
	vec_free(&panel->rows);
}
