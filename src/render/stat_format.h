/* SPDX-License-Identifier: Apache-2.0 */
/* Between render/stat.c, which walks the table, and the formats, which write a row each. */
#ifndef RENDER_STAT_FORMAT_H
#define RENDER_STAT_FORMAT_H

#include "render/stat.h"

/* One count with all that is said about it. */
struct stat_row {
	const struct stat_style *style;
	const char *time; /* what stands in front: the interval's time, "summary" or "" */
	const struct stat_place *place;
	const struct stat_column *column;
	const struct stat_cell *cell;
	const struct metric *metrics;
	int metric_count;
};

/* A format is a constant in its own file. */
struct stat_writer {
	/* The time at which an interval ended, as each of its lines begins. */
	void (*time)(struct buf *out, const struct stat_style *style, int64_t at_ns);
	void (*count)(struct buf *out, const struct stat_row *row);

	/* --metric-only: a place a line, made of these in order. */
	void (*figures_begin)(struct buf *out, const struct stat_row *row);
	void (*figure)(struct buf *out, const struct stat_row *row, const struct metric *metric);
	void (*figures_end)(struct buf *out, const struct stat_row *row);
	/* The line of headings above those; called per column, NULL at the beginning and end. */
	void (*heading)(struct buf *out, const struct stat_style *style, const char *name);
};

extern const struct stat_writer stat_text, stat_csv, stat_json;

/* Where a count was made, as the first columns of text and CSV say it. */
void stat_place_label(struct buf *out, const struct stat_row *row);

/* "branch-misses of all branches": a unit that begins with "of all" needs the event's name. */
const char *stat_heading_of(char *into, size_t room, const struct stat_column *column,
			    const struct metric *metric);

#endif
