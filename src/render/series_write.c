// SPDX-License-Identifier: Apache-2.0
#include "render/series_write.h"
#include "base/err.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* By place, not by the descriptor's own: whoever gave it may read through the same one. */
int series_flush(struct series_writer *writer, struct err *err)
{
	size_t done = 0;

	while (done < writer->rows.len) {
		ssize_t n = pwrite(writer->fd, writer->rows.data + done, writer->rows.len - done,
				   (off_t)(writer->at + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return err_set(err, n ? errno : EIO, "the file of counters: %s",
				       strerror(n ? errno : EIO));
		done += (size_t)n;
	}
	writer->at += done;
	buf_clear(&writer->rows);
	return 0;
}

static void add_text(struct buf *into, const char *text)
{
	buf_add(into, text, strlen(text) + 1);
}

int series_begin(struct series_writer *writer, int fd, const struct series_event *events,
		 uint32_t count, uint64_t start_ns, uint64_t interval_ns, struct err *err)
{
	struct series_head head = {
		.magic = SERIES_MAGIC,
		.version = SERIES_VERSION,
		.events = count,
		.start_ns = start_ns,
		.interval_ns = interval_ns,
	};
	struct buf text = { 0 };

	*writer = (struct series_writer){ .fd = fd };
	for (uint32_t i = 0; i < count; i++)
		add_text(&text, events[i].name);
	for (uint32_t i = 0; i < count; i++)
		add_text(&text, events[i].unit);
	while (text.len % 8)
		buf_putc(&text, '\0');
	for (uint32_t i = 0; i < count; i++)
		buf_add(&text, &events[i].scale, sizeof(events[i].scale));
	head.rows_at = sizeof(head) + text.len;
	buf_add(&writer->rows, &head, sizeof(head));
	buf_add(&writer->rows, text.data, text.len);
	buf_free(&text);
	return series_flush(writer, err);
}

void series_add(struct series_writer *writer, const struct series_row *row)
{
	buf_add(&writer->rows, row, sizeof(*row));
}

void series_add_mark(struct series_writer *writer, uint32_t mark, uint64_t time_ns)
{
	series_add(writer, &(struct series_row){ .time_ns = time_ns, .event = mark, .cpu = -1 });
}

void series_end(struct series_writer *writer)
{
	buf_free(&writer->rows);
	writer->fd = -1;
}
