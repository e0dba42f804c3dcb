/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing a file of counters (render/series.h).  Rows are collected and written with one call at
 * the end of each interval, so that a reader sees whole ones.
 */
#ifndef RENDER_SERIES_WRITE_H
#define RENDER_SERIES_WRITE_H

#include "base/buf.h"
#include "render/series.h"

struct series_writer {
	int fd; /* the caller's; -1: none */
	uint64_t at;
	struct buf rows;
};

struct series_event {
	const char *name, *unit;
	double scale;
};

/* Writes the head; the file is to be empty. */
int series_begin(struct series_writer *writer, int fd, const struct series_event *events,
		 uint32_t count, uint64_t start_ns, uint64_t interval_ns, struct err *err);
void series_add(struct series_writer *writer, const struct series_row *row);
/* SERIES_RESET, SERIES_PAUSE, SERIES_RESUME */
void series_add_mark(struct series_writer *writer, uint32_t mark, uint64_t time_ns);
int series_flush(struct series_writer *writer, struct err *err);
void series_end(struct series_writer *writer);

#endif
