// SPDX-License-Identifier: Apache-2.0
#include "profile/trust.h"

#include <stdio.h>

/* Below these shares nothing needs a remedy. */
#define LOST_MATTERS	0.005
#define UNKNOWN_MATTERS 0.01
#define CUT_MATTERS	0.10

const char *trust_reason(const struct profile_object *object)
{
	if (object->kind == DSO_JIT)
		return "code made at run time";
	switch ((enum dso_state)object->state) {
	case DSO_PARTIAL: return "only its exported functions have names";
	case DSO_STRIPPED: return "stripped";
	case DSO_MISSING: return "its file is not there";
	case DSO_MISMATCH: return "its file is of another build";
	case DSO_HIDDEN: return "its addresses are hidden";
	case DSO_UNREADABLE: return "its file cannot be read";
	case DSO_FULL: return "not in its table of symbols";
	case DSO_UNREAD: break;
	}
	return "no mapping is known";
}

/* How many samples without a name each object has. */
static uint64_t *count_unknown(const struct profile *p)
{
	uint64_t *unknown = mem_alloc((p->objects.len + 1) * sizeof(*unknown));

	for (size_t i = 0; i < p->samples.len; i++) {
		uint32_t function = p->stacks.function[p->samples.stack[i]];
		const struct profile_function *leaf = &p->functions.data[function];

		unknown[leaf->object] += leaf->kind == FRAME_UNKNOWN;
	}
	return unknown;
}

static void find_worst(struct trust *t, const struct profile *p)
{
	uint64_t *unknown = count_unknown(p), most = 0;

	t->worst_object = NO_OBJECT_ID;
	for (uint32_t i = 0; i < p->objects.len; i++) {
		if (unknown[i] > most) {
			most = unknown[i];
			t->worst_object = i;
		}
	}
	t->worst_share = t->samples ? (double)most / (double)t->samples : 0;
	free(unknown);
}

static void name_object(struct trust *t, const struct profile *p)
{
	const struct profile_object *object = &p->objects.data[t->worst_object];
	const char *path = profile_text(p, object->path);
	char *into = t->remedy;
	size_t room = sizeof(t->remedy);

	if (object->kind == DSO_JIT) {
		snprintf(into, room,
			 "let the runtime write %s (node --perf-basic-prof, java with "
			 "perf-map-agent)",
			 path);
		return;
	}
	switch ((enum dso_state)object->state) {
	case DSO_HIDDEN:
		snprintf(into, room,
			 "set kernel.kptr_restrict to 0 and report as root: kernel "
			 "addresses are hidden");
		break;
	case DSO_MISSING:
		snprintf(into, room, "bring back %s, or give the folder that holds it by --symfs",
			 path);
		break;
	case DSO_MISMATCH:
		snprintf(into, room,
			 "record again, or give the old file by --symfs: %s was rebuilt since",
			 path);
		break;
	case DSO_UNREADABLE: snprintf(into, room, "report as a user who may read %s", path); break;
	default:
		snprintf(into, room,
			 "install the debug symbols of %s, or let --debuginfod fetch them", path);
		break;
	}
}

/* The fault that touches most samples; a cut stack still names its leaf, so it counts half. */
static void find_remedy(struct trust *t, const struct profile *p)
{
	double lost = t->lost_share >= LOST_MATTERS ? t->lost_share : 0;
	double unknown = t->worst_share >= UNKNOWN_MATTERS ? t->worst_share : 0;
	double cut = t->cut_share >= CUT_MATTERS ? t->cut_share / 2 : 0;

	if (lost > 0 && lost >= unknown && lost >= cut)
		snprintf(t->remedy, sizeof(t->remedy),
			 "record with larger buffers (-m 32M) or at a lower rate (-F)");
	else if (unknown > 0 && unknown >= cut)
		name_object(t, p);
	else if (cut > 0)
		snprintf(t->remedy, sizeof(t->remedy),
			 "record with --call-graph dwarf: most of this code has no frame "
			 "pointers");
	else if (t->throttled)
		snprintf(t->remedy, sizeof(t->remedy),
			 "record at a lower rate (-F), or raise kernel.perf_event_max_sample_rate");
}

void trust_of(struct trust *t, const struct profile *p)
{
	const struct profile_quality *quality = &p->quality;
	double all;

	*t = (struct trust){
		.samples = p->samples.len,
		.lost = quality->lost + quality->lost_samples,
		.throttled = quality->throttled,
	};
	all = (double)(t->samples + t->lost);
	t->lost_share = t->lost ? (double)t->lost / all : 0;
	for (size_t i = 1; i < p->stacks.len && !t->has_stacks; i++)
		t->has_stacks = p->stacks.parent[i] != STACK_ROOT;
	if (t->samples) {
		t->cut_share = (double)quality->cut_stacks / (double)t->samples;
		t->unknown_share = (double)quality->unknown_leaves / (double)t->samples;
	}
	find_worst(t, p);
	find_remedy(t, p);
}
