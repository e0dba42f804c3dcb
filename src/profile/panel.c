// SPDX-License-Identifier: Apache-2.0
#include "profile/panel.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Below both of these shares, of the object's own and of all samples, a fault is not worth words.
 */
#define MATTERS_IN_OBJECT 0.05
#define MATTERS_IN_ALL	  0.005

static const struct {
	const char *id, *text;
} reasons[PANEL_REASONS] = {
	[PANEL_GOOD] = { "good", "good" },
	[PANEL_NO_FRAME_POINTER] = { "no-frame-pointer", "no frame pointers" },
	[PANEL_NO_UNWIND_TABLE] = { "no-unwind-table", "no unwind table" },
	[PANEL_COPY_TOO_SMALL] = { "copy-too-small", "the copied part of the stack was too small" },
	[PANEL_JIT_FRAMES] = { "jit-frames", "code made at run time, without an unwind table" },
	[PANEL_JIT_WITHOUT_MAP] = { "jit-without-map", "code made at run time, without a map" },
	[PANEL_STRIPPED] = { "stripped", "stripped" },
	[PANEL_EXPORTS_ONLY] = { "exports-only", "only its exported functions have names" },
	[PANEL_OTHER_BUILD] = { "build-id-mismatch", "its file is of another build" },
	[PANEL_NO_FILE] = { "no-file", "its file is not there" },
	[PANEL_UNREADABLE] = { "unreadable", "its file cannot be read" },
	[PANEL_KERNEL_HIDDEN] = { "kernel-hidden", "its addresses are hidden" },
	[PANEL_KERNEL_MISSING] = { "kernel-missing", "its symbols are not here" },
	[PANEL_KERNEL_OTHER] = { "kernel-other",
				 "it is not known to be the kernel that runs here" },
	[PANEL_NOT_IN_MAP] = { "not-in-map", "code made at run time that its list lacks" },
	[PANEL_NOT_IN_TABLE] = { "not-in-table", "not in its table of symbols" },
	[PANEL_UNMAPPED] = { "unmapped", "addresses that no mapping holds" },
};

const char *panel_reason_id(enum panel_reason reason)
{
	return reasons[reason].id;
}

const char *panel_reason_text(enum panel_reason reason)
{
	return reasons[reason].text;
}

/* What is counted of one object while the stacks are walked. */
struct tally {
	uint64_t samples, unnamed, through, no_table, short_copy, other;
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

	return f->kind == FRAME_UNKNOWN && p->objects.data[f->object].kind == DSO_NONE;
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

static void count_lost(struct walk *walk, uint32_t stack, uint64_t weight)
{
	const struct profile *p = walk->profile;
	struct tally *tally = &walk->objects[function_of(p, lost_at(p, stack))->object];

	if (p->stacks.flags[stack] & STACK_SHORT_COPY)
		tally->short_copy += weight;
	else if (p->stacks.flags[stack] & STACK_NO_TABLE)
		tally->no_table += weight;
	else
		tally->other += weight;
}

static void count_stack(struct walk *walk, uint32_t stack, uint64_t weight)
{
	const struct profile *p = walk->profile;
	const struct profile_function *leaf = function_of(p, stack);

	walk->objects[leaf->object].samples += weight;
	if (leaf->kind == FRAME_UNKNOWN)
		walk->objects[leaf->object].unnamed += weight;
	for (uint32_t at = stack; at != STACK_ROOT; at = p->stacks.parent[at]) {
		struct tally *tally = &walk->objects[function_of(p, at)->object];

		if (tally->last_stack != stack)
			tally->through += weight;
		tally->last_stack = stack;
	}
	if (p->stacks.flags[stack] & STACK_CUT)
		count_lost(walk, stack, weight);
}

static bool matters(uint64_t part, uint64_t own, uint64_t all)
{
	return (double)part >= MATTERS_IN_OBJECT * (double)own &&
	       (double)part >= MATTERS_IN_ALL * (double)all && part;
}

static enum panel_reason why_lost(const struct tally *tally, const struct profile_object *object,
				  bool copied)
{
	if (object->kind == DSO_JIT)
		return PANEL_JIT_FRAMES;
	if (!copied)
		return PANEL_NO_FRAME_POINTER;
	return tally->short_copy >= tally->no_table ? PANEL_COPY_TOO_SMALL : PANEL_NO_UNWIND_TABLE;
}

enum panel_reason panel_why_unnamed(const struct profile_object *object)
{
	bool kernel = object->kind == DSO_KERNEL;

	if (object->kind == DSO_NONE)
		return PANEL_UNMAPPED;
	if (object->kind == DSO_JIT)
		return object->state == DSO_FULL ? PANEL_NOT_IN_MAP : PANEL_JIT_WITHOUT_MAP;
	switch ((enum dso_state)object->state) {
	case DSO_PARTIAL: return PANEL_EXPORTS_ONLY;
	case DSO_STRIPPED: return PANEL_STRIPPED;
	case DSO_MISSING: return kernel ? PANEL_KERNEL_MISSING : PANEL_NO_FILE;
	case DSO_MISMATCH: return kernel ? PANEL_KERNEL_OTHER : PANEL_OTHER_BUILD;
	case DSO_HIDDEN: return PANEL_KERNEL_HIDDEN;
	case DSO_UNREADABLE: return PANEL_UNREADABLE;
	case DSO_FULL: return PANEL_NOT_IN_TABLE;
	case DSO_UNREAD: break;
	}
	return PANEL_UNMAPPED;
}

static void add_row(struct panel *panel, const struct walk *walk, uint32_t id, bool copied)
{
	const struct profile_object *object = &walk->profile->objects.data[id];
	const struct tally *tally = &walk->objects[id];
	struct panel_row row = {
		.object = id,
		.samples = tally->samples,
		.unnamed = tally->unnamed,
		.through = tally->through,
		.lost = tally->no_table + tally->short_copy + tally->other,
	};

	if (!row.through)
		return;
	if (matters(row.lost, row.through, panel->samples))
		row.stacks = why_lost(tally, object, copied);
	if (matters(row.unnamed, row.samples, panel->samples))
		row.names = panel_why_unnamed(object);
	*vec_push(&panel->rows) = row;
}

static int compare_rows(const void *one, const void *two)
{
	const struct panel_row *a = one, *b = two;

	if (a->samples != b->samples)
		return a->samples < b->samples ? 1 : -1;
	if (a->through != b->through)
		return a->through < b->through ? 1 : -1;
	return a->object < b->object ? -1 : 1;
}

void panel_make(struct panel *panel, const struct profile *p, bool copied)
{
	uint64_t *weights = mem_alloc((p->stacks.len + 1) * sizeof(*weights));
	struct walk walk = { .profile = p };

	*panel = (struct panel){ 0 };
	walk.objects = mem_alloc((p->objects.len + 1) * sizeof(*walk.objects));
	for (size_t i = 0; i < p->samples.len; i++)
		weights[p->samples.stack[i]] += profile_row_count(&p->samples, i);
	for (uint32_t i = 1; i < p->stacks.len; i++) {
		panel->has_stacks |= p->stacks.parent[i] != STACK_ROOT;
		if (!weights[i])
			continue;
		count_stack(&walk, i, weights[i]);
		panel->samples += weights[i];
		if (p->stacks.flags[i] & STACK_SPLICED)
			panel->spliced += weights[i];
		*(p->stacks.flags[i] & STACK_CUT ? &panel->cut : &panel->whole) += weights[i];
	}
	for (uint32_t i = 0; i < p->objects.len; i++)
		add_row(panel, &walk, i, copied);
	if (panel->rows.len)
		qsort(panel->rows.data, panel->rows.len, sizeof(*panel->rows.data), compare_rows);
	free(walk.objects);
	free(weights);
}

void panel_free(struct panel *panel)
{
	vec_free(&panel->rows);
}
