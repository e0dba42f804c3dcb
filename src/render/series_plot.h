/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters as a plot of some pixels' width: what is more than that is put together to columns, of
 * which the lowest, the highest and the mean value are kept, so that no peak is lost.
 *
 * All rows that were read together are one tick.  Values of lines are what was counted in a
 * tick, or a second; ratios (instructions per cycle ...) are made of counts of the same tick and of
 * events with the same modifiers.
 */
#ifndef RENDER_SERIES_PLOT_H
#define RENDER_SERIES_PLOT_H

#include "base/vec.h"
#include "render/series_read.h"

struct cpuset;

struct series_question {
	uint64_t from_ns, to_ns;   /* [from, to); to 0: no end */
	uint32_t width;		   /* columns; 0: PLOT_WIDTH */
	const uint8_t *events;	   /* a byte for each event; NULL: all */
	bool each_cpu;		   /* a line for each CPU; else they are added */
	bool per_second;	   /* values by how long their tick was, which may come late */
	const struct cpuset *cpus; /* only these; NULL: all */
};
#define PLOT_WIDTH     1500
#define PLOT_WIDTH_MAX 20000
#define PLOT_LINES_MAX 1024

struct plot_cell {
	double min, max, sum;
	double weight; /* by which the sum is divided for the mean; 0: an empty cell */
};

struct plot_line {
	uint32_t event;
	int32_t cpu; /* -1: all */
	uint64_t total, points, enabled_ns, running_ns;
	struct plot_cell *cells; /* one a column */
};

struct plot_ratio {
	const struct ratio_kind *kind;
	int32_t cpu;
	uint32_t of, by; /* lines */
	struct plot_cell *cells;
};

/* Of the table of ratios. */
struct ratio_kind {
	const char *name, *unit;
	const char *of, *by; /* events */
	double factor;
};
#define NO_LINE UINT32_MAX

struct series_plot {
	uint64_t from_ns, to_ns;
	VEC(uint64_t) times; /* of the columns */
	uint64_t
		*lengths; /* ns that the ticks of a column took: what a mean over several goes by */
	VEC(uint64_t) resets; /* in the range; totals are of what is behind the last one */
	VEC(struct plot_line) lines;
	VEC(struct plot_ratio) ratios;
	size_t points; /* counts in the range */
	bool down_sampled;
};

void series_plot_make(struct series_plot *plot, const struct series *series,
		      const struct series_question *question);
void series_plot_free(struct series_plot *plot);

/* A value of an event in a tick, of one CPU or of all together. */
struct series_values VEC_OF(double);

/* All values of one event in a range, CPUs added up or (cpu >= 0) of one. */
void series_values_of(struct series_values *values, const struct series *series, uint32_t event,
		      int32_t cpu, uint64_t from_ns, uint64_t to_ns);

#endif
