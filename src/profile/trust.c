// SPDX-License-Identifier: Apache-2.0
#include "profile/trust.h"

#include <stdio.h>
#include <string.h>

/* Below these shares nothing needs a remedy. */
#define LOST_MATTERS	0.005
#define UNKNOWN_MATTERS 0.01
#define CUT_MATTERS	0.10

const char *trust_reason(const struct profile_object *object)
{
	if (object->kind == DSO_JIT)
		return object->state == DSO_FULL ? "code made at run time that its list lacks"
						 : "code made at run time";
	if (object->kind == DSO_KERNEL && object->state == DSO_MISSING)
		return "its symbols are not here";
	if (object->kind == DSO_KERNEL && object->state == DSO_MISMATCH)
		return "it is not known to be the kernel that runs here";
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

		if (leaf->kind == FRAME_UNKNOWN)
			unknown[leaf->object] += profile_row_count(&p->samples, i);
	}
	return unknown;
}

/* Whether something can be done about the names that an object lacks. */
static bool can_be_helped(const struct profile_object *object)
{
	return object->kind != DSO_NONE && object->kind != DSO_BPF && object->state != DSO_FULL &&
	       object->state != DSO_UNREAD;
}

/* Sets the worst object, and the worst of those that something can be done about. */
static void find_worst(struct trust *t, const struct profile *p, uint32_t *helped, double *share)
{
	uint64_t *unknown = count_unknown(p), most = 0, most_helped = 0;

	t->worst_object = *helped = NO_OBJECT_ID;
	for (uint32_t i = 0; i < p->objects.len; i++) {
		if (unknown[i] > most) {
			most = unknown[i];
			t->worst_object = i;
		}
		if (unknown[i] > most_helped && can_be_helped(&p->objects.data[i])) {
			most_helped = unknown[i];
			*helped = i;
		}
	}
	t->worst_share = t->samples ? (double)most / (double)t->samples : 0;
	*share = t->samples ? (double)most_helped / (double)t->samples : 0;
	free(unknown);
}

static const char *kernel_remedy(const struct profile_object *object)
{
	if (object->state == DSO_HIDDEN)
		return "report as root with kernel.kptr_restrict at 0 or 1: kernel addresses are "
		       "hidden";
	if (object->kind == DSO_MODULE)
		return "give the recorded kernel's symbols by --kallsyms, or its /lib/modules "
		       "below "
		       "--symfs";
	return "give the recorded kernel's symbols by --vmlinux or --kallsyms";
}

/* Files that a distribution brings have packages of symbols; a program of one's own has not. */
static bool is_installed(const char *path)
{
	return !strncmp(path, "/usr/", 5)
		       ? strncmp(path, "/usr/local/", 11) != 0
		       : !strncmp(path, "/lib", 4) || !strncmp(path, "/bin/", 5) ||
				 !strncmp(path, "/sbin/", 6);
}

static void file_remedy(struct trust *t, const struct profile_object *object, const char *path)
{
	char *into = t->remedy;
	size_t room = sizeof(t->remedy);

	switch ((enum dso_state)object->state) {
	case DSO_MISSING:
		snprintf(into, room,
			 "bring back %s, or put it into a folder under that path and give the "
			 "folder by --symfs",
			 path);
		break;
	case DSO_MISMATCH:
		snprintf(into, room,
			 "record again, or put the old file into a folder under its path and give "
			 "the folder by --symfs: %s was rebuilt since",
			 path);
		break;
	case DSO_UNREADABLE: snprintf(into, room, "report as a user who may read %s", path); break;
	default:
		if (is_installed(path))
			snprintf(into, room,
				 "install the debug symbols of %s, or let --debuginfod fetch them",
				 path);
		else
			snprintf(into, room,
				 "build %s without stripping it, record again; or put its file of "
				 "debug symbols beside it",
				 path);
		break;
	}
}

static void name_object(struct trust *t, const struct profile *p, uint32_t index)
{
	const struct profile_object *object = &p->objects.data[index];
	const char *path = profile_text(p, object->path);

	if (object->kind == DSO_JIT)
		snprintf(t->remedy, sizeof(t->remedy),
			 "let the runtime write %s while it is recorded (node --perf-basic-prof, "
			 "python3 -X perf, java with perf-map-agent)",
			 path);
	else if (object->kind == DSO_KERNEL || object->kind == DSO_MODULE)
		snprintf(t->remedy, sizeof(t->remedy), "%s", kernel_remedy(object));
	else if (object->kind == DSO_VDSO)
		snprintf(t->remedy, sizeof(t->remedy),
			 "give the ~/.debug of the recorded machine by --buildid-dir");
	else
		file_remedy(t, object, path);
}

static const char *stack_remedy(const struct profile *p)
{
	return p->quality.stack_copies
		       ? "record larger copies of the stacks (--call-graph dwarf,32768)"
		       : "record with --call-graph dwarf: most of this code has no frame pointers";
}

/* The fault that touches most samples; a cut stack still names its leaf, so it counts half. */
static void find_remedy(struct trust *t, const struct profile *p, uint32_t helped, double share)
{
	double lost = t->lost_share >= LOST_MATTERS ? t->lost_share : 0;
	double unknown = share >= UNKNOWN_MATTERS ? share : 0;
	double cut = t->cut_share >= CUT_MATTERS ? t->cut_share / 2 : 0;

	if (lost > 0 && lost >= unknown && lost >= cut)
		snprintf(t->remedy, sizeof(t->remedy),
			 "record with larger buffers (-m 32M) or at a lower rate (-F)");
	else if (unknown > 0 && unknown >= cut)
		name_object(t, p, helped);
	else if (cut > 0)
		snprintf(t->remedy, sizeof(t->remedy), "%s", stack_remedy(p));
	else if (t->throttled)
		snprintf(t->remedy, sizeof(t->remedy),
			 "record at a lower rate (-F), or raise kernel.perf_event_max_sample_rate");
}

void trust_of(struct trust *t, const struct profile *p)
{
	const struct profile_quality *quality = &p->quality;
	double all, share;
	uint32_t helped;

	*t = (struct trust){
		.lost = quality->lost + quality->lost_samples,
		.throttled = quality->throttled,
		.guests = quality->guest,
		.damaged = quality->damaged + quality->unknown_records,
	};
	vec_each (event, &p->events)
		t->samples += event->samples;
	all = (double)(t->samples + t->lost);
	t->lost_share = t->lost ? (double)t->lost / all : 0;
	for (size_t i = 1; i < p->stacks.len && !t->has_stacks; i++)
		t->has_stacks = p->stacks.parent[i] != STACK_ROOT;
	if (t->samples) {
		t->cut_share = (double)quality->cut_stacks / (double)t->samples;
		t->unknown_share = (double)quality->unknown_leaves / (double)t->samples;
	}
	find_worst(t, p, &helped, &share);
	find_remedy(t, p, helped, share);
}
