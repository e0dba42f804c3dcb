// SPDX-License-Identifier: Apache-2.0
#include "profile/trust.h"
#include "profile/remedy.h"

#include <stdio.h>
#include <stdlib.h>

/* Below these shares nothing needs a remedy. */
#define LOST_MATTERS	0.005
#define UNKNOWN_MATTERS 0.01
#define CUT_MATTERS	0.10

#define FEW 20 /* samples, of which one moves every share by 5 per cent or more */

const char *trust_reason(const struct profile_object *object)
{
	return panel_reason_text(panel_why_unnamed(object));
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
static bool can_be_helped(const struct profile *p, const struct profile_object *object)
{
	char *remedy;
	bool helped;

	if (object->kind == DSO_NONE) {
		remedy = remedy_for(PANEL_UNMAPPED, p, object, &(struct remedy_facts){ 0 });
		helped = remedy;
		free(remedy);
		return helped;
	}
	return object->kind != DSO_BPF && object->state != DSO_FULL && object->state != DSO_UNREAD;
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
		if (unknown[i] > most_helped && can_be_helped(p, &p->objects.data[i])) {
			most_helped = unknown[i];
			*helped = i;
		}
	}
	t->worst_share = t->samples ? (double)most / (double)t->samples : 0;
	*share = t->samples ? (double)most_helped / (double)t->samples : 0;
	free(unknown);
}

/* Takes the text. */
static void set_remedy(struct trust *t, char *remedy)
{
	snprintf(t->remedy, sizeof(t->remedy), "%s", remedy ? remedy : "");
	free(remedy);
}

static char *remedy_for_object(const struct profile *p, uint32_t index,
			       const struct remedy_facts *facts)
{
	const struct profile_object *object = &p->objects.data[index];

	return remedy_for(panel_why_unnamed(object), p, object, facts);
}

static char *remedy_for_stacks(const struct profile *p, const struct remedy_facts *facts)
{
	return p->quality.stack_copies ? remedy_larger_copy(facts)
				       : remedy_advice(ADVICE_DWARF_FOR_ALL, facts, "");
}

static char *remedy_for_few(const struct trust *t, const struct remedy_facts *facts)
{
	char text[64];

	snprintf(text, sizeof(text), "%llu sample%s little", (unsigned long long)t->samples,
		 t->samples == 1 ? " says" : "s say");
	return remedy_advice(ADVICE_LONGER, facts, text);
}

/* Where an event was recorded each time that it happened, a few are all there were. */
static bool are_few(const struct trust *t, const struct profile *p)
{
	bool sampled = false;

	vec_each (event, &p->events)
		sampled |= event->weight > event->samples;
	return sampled && t->samples && t->samples < FEW;
}

/* The fault that touches most samples; a cut stack still names its leaf, so it counts half. */
static void find_remedy(struct trust *t, const struct profile *p, const struct remedy_facts *facts,
			uint32_t helped, double share)
{
	double lost = t->lost_share >= LOST_MATTERS ? t->lost_share : 0;
	double unknown = share >= UNKNOWN_MATTERS ? share : 0;
	double cut = t->cut_share >= CUT_MATTERS ? t->cut_share / 2 : 0;
	double guests = t->guests ? (double)t->guests / (double)(t->guests + t->samples) : 0;
	double shown = (1 - guests) * (unknown > cut ? unknown : cut); /* of all of them */

	if (t->few)
		set_remedy(t, remedy_for_few(t, facts));
	else if (guests >= UNKNOWN_MATTERS && guests >= shown && guests >= lost)
		set_remedy(t, remedy_advice(ADVICE_GUEST_KERNEL, facts, ""));
	else if (lost > 0 && lost >= unknown && lost >= cut)
		set_remedy(t, remedy_advice(ADVICE_LOST, facts, ""));
	else if (unknown > 0 && unknown >= cut)
		set_remedy(t, remedy_for_object(p, helped, facts));
	else if (cut > 0)
		set_remedy(t, remedy_for_stacks(p, facts));
	else if (t->throttled)
		set_remedy(t, remedy_advice(ADVICE_THROTTLED, facts, ""));
}

void trust_of(struct trust *t, const struct profile *p, const struct remedy_facts *facts)
{
	const struct profile_quality *quality = &p->quality;
	double all, share;
	uint32_t helped;

	*t = (struct trust){
		.lost = quality->lost,
		.throttled = quality->throttled,
		.damaged = quality->damaged + quality->unknown_records,
	};
	vec_each (event, &p->events) {
		t->samples += event->samples;
		t->guests += event->guest_samples;
	}
	all = (double)(t->samples + t->lost);
	t->lost_share = t->lost ? (double)t->lost / all : 0;
	for (size_t i = 1; i < p->stacks.len && !t->has_stacks; i++)
		t->has_stacks = p->stacks.parent[i] != STACK_ROOT;
	if (t->samples) {
		t->cut_share = (double)quality->cut_stacks / (double)t->samples;
		t->unknown_share = (double)quality->unknown_leaves / (double)t->samples;
	}
	t->few = are_few(t, p);
	find_worst(t, p, &helped, &share);
	find_remedy(t, p, facts, helped, share);
}
