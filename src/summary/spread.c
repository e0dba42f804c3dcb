// SPDX-License-Identifier: Apache-2.0
#include "summary/spread.h"
#include "base/mem.h"

#include <stdlib.h>

void span_add(struct span *span, uint64_t ns, uint64_t at)
{
	if (!span->count || ns < span->min)
		span->min = ns;
	if (!span->count || ns > span->max) {
		span->max = ns;
		span->worst_at = at;
	}
	span->total += ns;
	span->count++;
}

uint64_t span_mean(const struct span *span)
{
	return span->count ? span->total / span->count : UINT64_MAX;
}

uint64_t span_min(const struct span *span)
{
	return span->count ? span->min : UINT64_MAX;
}

uint64_t span_max(const struct span *span)
{
	return span->count ? span->max : UINT64_MAX;
}

/*
 * Times below SPREAD_STEPS have a step each, in octave 0; octave n holds those from SPREAD_STEPS <<
 * (n - 1) on, each step being 1 << (n - 1) wide.
 */
static unsigned octave_of(uint64_t ns)
{
	return ns < SPREAD_STEPS ? 0 : 63 - (unsigned)__builtin_clzll(ns / (SPREAD_STEPS / 2));
}

static unsigned step_of(uint64_t ns, unsigned octave)
{
	return (unsigned)(octave ? (ns >> (octave - 1)) - SPREAD_STEPS : ns);
}

/* The middle of a step. */
static uint64_t step_time(unsigned octave, unsigned step)
{
	if (!octave)
		return step;
	return ((uint64_t)(SPREAD_STEPS + step) << (octave - 1)) + (1ULL << (octave - 1)) / 2;
}

static uint32_t *counts_of(struct spread *spread, unsigned octave)
{
	if (!spread->octaves[octave])
		spread->octaves[octave] = mem_alloc(SPREAD_STEPS * sizeof(uint32_t));
	return spread->octaves[octave];
}

void spread_add(struct spread *spread, uint64_t ns, uint64_t at)
{
	unsigned octave = octave_of(ns);

	counts_of(spread, octave)[step_of(ns, octave)]++;
	span_add(&spread->span, ns, at);
}

static void merge_span(struct span *into, const struct span *from)
{
	if (!from->count)
		return;
	if (!into->count || from->min < into->min)
		into->min = from->min;
	if (!into->count || from->max > into->max) {
		into->max = from->max;
		into->worst_at = from->worst_at;
	}
	into->total += from->total;
	into->count += from->count;
}

void spread_merge(struct spread *into, const struct spread *from)
{
	for (unsigned octave = 0; octave < SPREAD_OCTAVES; octave++)
		for (unsigned step = 0; from->octaves[octave] && step < SPREAD_STEPS; step++)
			counts_of(into, octave)[step] += from->octaves[octave][step];
	merge_span(&into->span, &from->span);
}

static uint64_t within(const struct span *span, uint64_t ns)
{
	return ns < span->min ? span->min : ns > span->max ? span->max : ns;
}

uint64_t spread_percentile(const struct spread *spread, unsigned percent)
{
	uint64_t wanted = (spread->span.count * percent + 99) / 100, seen = 0;

	if (!spread->span.count)
		return UINT64_MAX;
	for (unsigned octave = 0; octave < SPREAD_OCTAVES; octave++)
		for (unsigned step = 0; spread->octaves[octave] && step < SPREAD_STEPS; step++) {
			seen += spread->octaves[octave][step];
			if (seen >= wanted)
				return within(&spread->span, step_time(octave, step));
		}
	return spread->span.max;
}

void spread_free(struct spread *spread)
{
	for (unsigned octave = 0; octave < SPREAD_OCTAVES; octave++)
		free(spread->octaves[octave]);
}
