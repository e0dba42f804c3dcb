/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of a run that is being made, read as far as they are written: counters
 * (render/series.h) and what the workload prints (jobs/output.h).  The latest of each is kept for
 * those who come later.
 */
#ifndef SERVER_LIVE_FILES_H
#define SERVER_LIVE_FILES_H

#include "base/vec.h"
#include "render/series.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct buf;

#define LIVE_POINTS 4000       /* rows that are kept, and that one event may have */
#define LIVE_OUTPUT (64 << 10) /* the same for bytes of output */

struct live_series { /* fd -1 until it is opened */
	int fd;
	bool bad; /* it is no series: nothing is read any more */
	struct series_head head;
	struct strlist names;
	uint64_t read;	      /* rows of the file */
	uint64_t count, told; /* of these, counts: read, and told */
	VEC(uint64_t) resets; /* when the counters began at zero again */
	size_t resets_told;
	VEC(struct series_row) latest; /* at least LIVE_POINTS of them, if there are so many */
};

void live_series_read(struct live_series *series);
/* Whether something was read that nobody was told of. */
bool live_series_has_news(const struct live_series *series);
void live_series_told(struct live_series *series);
/* What is new, or all that is kept with the head. */
void live_series_write(const struct live_series *series, int64_t run, bool whole, struct buf *out);
void live_series_free(struct live_series *series);

struct live_piece {
	char *json;
	size_t bytes; /* that the workload wrote */
};

struct live_output { /* fd -1 until it is opened */
	int fd;
	bool bad;
	off_t at;	      /* where the next piece begins */
	uint64_t bytes, told; /* of output read, and told */
	VEC(struct live_piece) latest;
	uint64_t latest_bytes;
};

bool live_output_read(struct live_output *output);
void live_output_write(const struct live_output *output, int64_t run, bool whole, struct buf *out);
void live_output_free(struct live_output *output);

#endif
