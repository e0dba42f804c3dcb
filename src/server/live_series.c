// SPDX-License-Identifier: Apache-2.0
#include "base/buf.h"
#include "base/json.h"
#include "render/series_read.h"
#include "server/live_files.h"
#include "server/live_tree.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

#define HEAD_MOST (1 << 20) /* with all names */
#define ROWS_MOST 1024	    /* of one read */

/* The head and the names behind it: 0 while they are not all there. */
static int read_head(struct live_series *series)
{
	struct series_head *head = &series->head;
	struct series whole;
	int rc = -EAGAIN;
	void *bytes;

	if (pread(series->fd, head, sizeof(*head), 0) != (ssize_t)sizeof(*head))
		return -EAGAIN;
	if (head->rows_at > HEAD_MOST)
		return -EBADMSG;
	bytes = mem_alloc(head->rows_at);
	if (pread(series->fd, bytes, head->rows_at, 0) == (ssize_t)head->rows_at)
		rc = series_of(&whole, bytes, head->rows_at, NULL);
	if (!rc) {
		for (uint32_t i = 0; i < head->events; i++)
			strlist_add(&series->names, whole.names[i]);
		series_close(&whole);
	}
	free(bytes);
	return rc;
}

static bool row_is_good(const struct live_series *series, const struct series_row *row)
{
	return (row->event < series->names.len || series_row_is_mark(row)) && row->cpu >= -1;
}

/* Rows that nobody needs any more go when there are as many again. */
static void trim(struct live_series *series)
{
	if (series->latest.len < 2 * (size_t)LIVE_POINTS)
		return;
	memmove(series->latest.data, vec_last(&series->latest) + 1 - LIVE_POINTS,
		LIVE_POINTS * sizeof(*series->latest.data));
	series->latest.len = LIVE_POINTS;
}

static ssize_t read_rows(struct live_series *series, struct series_row *rows)
{
	off_t at = (off_t)(series->head.rows_at + series->read * sizeof(*rows));
	ssize_t got = pread(series->fd, rows, ROWS_MOST * sizeof(*rows), at);

	return got < 0 ? 0 : got / (ssize_t)sizeof(*rows);
}

static void take_row(struct live_series *series, const struct series_row *row)
{
	series->read++;
	if (series_row_is_reset(row)) {
		*vec_push(&series->resets) = row->time_ns;
		return;
	}
	*vec_push(&series->latest) = *row;
	series->count++;
}

void live_series_read(struct live_series *series)
{
	struct series_row rows[ROWS_MOST];
	ssize_t got = 0;

	if (series->fd < 0 || series->bad)
		return;
	if (!series->names.len) {
		int rc = read_head(series);

		series->bad = rc == -EBADMSG;
		if (rc)
			return;
	}
	do {
		got = read_rows(series, rows);
		for (ssize_t i = 0; i < got && !series->bad; i++) {
			series->bad = !row_is_good(series, &rows[i]);
			if (!series->bad)
				take_row(series, &rows[i]);
		}
		trim(series);
	} while (got == ROWS_MOST && !series->bad);
}

bool live_series_has_news(const struct live_series *series)
{
	return series->count != series->told || series->resets.len != series->resets_told;
}

void live_series_told(struct live_series *series)
{
	series->told = series->count;
	series->resets_told = series->resets.len;
}

static void put_text(struct buf *out, uint64_t value)
{
	buf_putc(out, '"');
	live_put_u64(out, value);
	buf_puts(out, "\",");
}

static void write_row(const struct series_row *row, struct buf *out)
{
	buf_puts(out, out->data[out->len - 1] == '[' ? "[" : ",[");
	put_text(out, row->time_ns);
	buf_printf(out, "%" PRId32 ",%" PRId32 ",", (int32_t)row->event, row->cpu);
	put_text(out, row->value);
	put_text(out, row->enabled_ns);
	put_text(out, row->running_ns);
	out->data[out->len - 1] = ']';
}

static void write_head(const struct live_series *series, struct buf *out)
{
	buf_puts(out, ",\"events\":[");
	vec_each (name, &series->names) {
		if (name != series->names.data)
			buf_putc(out, ',');
		json_quote_into(out, *name);
	}
	buf_printf(out, "],\"start_ns\":\"%" PRIu64 "\",\"interval_ns\":\"%" PRIu64 "\"",
		   series->head.start_ns, series->head.interval_ns);
}

static void write_resets(const struct live_series *series, bool whole, struct buf *out)
{
	buf_puts(out, ",\"resets\":[");
	for (size_t i = whole ? 0 : series->resets_told; i < series->resets.len; i++) {
		put_text(out, series->resets.data[i]);
		if (i + 1 == series->resets.len)
			out->len--;
	}
	buf_putc(out, ']');
}

void live_series_write(const struct live_series *series, int64_t run, bool whole, struct buf *out)
{
	size_t rows = series->latest.len;
	uint64_t wanted = whole ? series->count : series->count - series->told;

	if (rows > LIVE_POINTS)
		rows = LIVE_POINTS;
	if (rows > wanted)
		rows = wanted;
	buf_printf(out, "{\"run\":%" PRId64, run);
	if (whole)
		write_head(series, out);
	write_resets(series, whole, out);
	buf_printf(out, ",\"first\":%" PRIu64 ",\"rows\":[", series->count - rows);
	for (size_t i = series->latest.len - rows; i < series->latest.len; i++)
		write_row(&series->latest.data[i], out);
	buf_puts(out, "]}");
}

void live_series_free(struct live_series *series)
{
	if (series->fd >= 0)
		close(series->fd);
	series->fd = -1;
	strlist_free(&series->names);
	vec_free(&series->resets);
	vec_free(&series->latest);
}
