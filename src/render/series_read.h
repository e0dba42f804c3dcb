/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a file of counters (render/series.h), also one that is still written: what is there by
 * the time it is opened.  The head is checked then; of rows only that they are whole, so whoever
 * takes one looks whether its event exists (series_row_good).
 */
#ifndef RENDER_SERIES_READ_H
#define RENDER_SERIES_READ_H

#include "base/vec.h"
#include "render/series.h"
#include <stdbool.h>

#define SERIES_EVENTS 4096 /* more than anybody counts at once */

/* When nothing was counted: ticks of (from, to]; `to` is UINT64_MAX where that did not end. */
struct series_pause {
	uint64_t from_ns, to_ns;
};
struct series_pauses VEC_OF(struct series_pause);

struct series {
	const struct series_head *head;
	const char **names;   /* of events */
	const char **units;   /* NULL: it has none */
	const double *scales; /* the same */
	const struct series_row *rows;
	size_t count; /* rows that are whole */
	struct series_pauses pauses;
	void *base; /* what is mapped; NULL: the bytes are somebody else's */
	size_t size;
};

/* Maps the file; fd stays open.  -EBADMSG for what is no series, -EAGAIN while its head is not
 * written. */
int series_open_fd(struct series *series, int fd, struct err *err);
/* The same for bytes in memory, aligned to 8, which must outlive it. */
int series_of(struct series *series, const void *bytes, size_t size, struct err *err);
void series_close(struct series *series);

/* The first row at or after `time`, if they are in order. */
size_t series_row_at(const struct series *series, uint64_t time_ns);

/* "" and 1 where an event is a plain count. */
const char *series_unit(const struct series *series, uint32_t event);
double series_scale(const struct series *series, uint32_t event);

static inline bool series_row_is_reset(const struct series_row *row)
{
	return row->event == SERIES_RESET;
}

/* Of any kind: it is no count. */
static inline bool series_row_is_mark(const struct series_row *row)
{
	return row->event >= SERIES_RESUME;
}

/* Whether it is a count of an event that there is. */
static inline bool series_row_good(const struct series *series, const struct series_row *row)
{
	return row->event < series->head->events && row->cpu >= -1 && row->cpu < 65536;
}

#endif
