/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long things took: sum, extremes and when the worst was; and percentiles, which are kept as
 * counts in steps of 1/32 of a power of two, so that they are right to 1.6 % however many there
 * are.
 */
#ifndef SUMMARY_SPREAD_H
#define SUMMARY_SPREAD_H

#include <stdint.h>

struct span {
	uint64_t count, total, min, max;
	uint64_t worst_at; /* when the one of `max` ended */
};

void span_add(struct span *span, uint64_t ns, uint64_t at);
uint64_t span_mean(const struct span *span); /* UINT64_MAX, which is no time, of none */
uint64_t span_min(const struct span *span);
uint64_t span_max(const struct span *span);

#define SPREAD_STEPS   32
#define SPREAD_OCTAVES 60

struct spread { /* { 0 } is a ready, empty one */
	struct span span;
	uint32_t *octaves[SPREAD_OCTAVES]; /* SPREAD_STEPS counts each, made when first needed */
};

void spread_add(struct spread *spread, uint64_t ns, uint64_t at);
void spread_merge(struct spread *into, const struct spread *from);
/* The smallest time that `percent` of all did not pass; UINT64_MAX of none. */
uint64_t spread_percentile(const struct spread *spread, unsigned percent);
void spread_free(struct spread *spread);

#endif
