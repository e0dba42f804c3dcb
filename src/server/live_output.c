// SPDX-License-Identifier: Apache-2.0
#include "base/buf.h"
#include "base/json.h"
#include "jobs/output.h"
#include "server/live_files.h"

#include <inttypes.h>
#include <unistd.h>

#define WINDOW (sizeof(struct output_piece) + OUTPUT_PIECE)
#define LOOK   ((off_t)16 << 20) /* what is read in one look; the rest in the next */

/* Text ends at a NUL here, but output may have some. */
static char *piece_json(const struct output_piece *head, const char *bytes)
{
	struct buf text = { 0 }, json = { 0 };

	for (size_t i = 0; i < head->size; i++) {
		if (bytes[i])
			buf_putc(&text, bytes[i]);
		else
			buf_puts(&text, "\xef\xbf\xbd");
	}
	buf_printf(&json, "{\"time_ns\":\"%" PRIu64 "\",\"stream\":\"%s\",\"text\":", head->time_ns,
		   head->stream == OUTPUT_STDERR ? "stderr" : "stdout");
	json_quote_into(&json, buf_text(&text));
	buf_putc(&json, '}');
	buf_free(&text);
	return json.data;
}

static void shift(struct live_output *output, size_t count)
{
	if (!count)
		return;
	for (size_t i = 0; i < count; i++) {
		output->latest_bytes -= output->latest.data[i].bytes;
		free(output->latest.data[i].json);
	}
	output->latest.len -= count;
	memmove(output->latest.data, output->latest.data + count,
		output->latest.len * sizeof(*output->latest.data));
}

/* Keeps LIVE_OUTPUT bytes; one piece is kept however large it is. */
static void trim(struct live_output *output)
{
	uint64_t bytes = output->latest_bytes;
	size_t extra = 0;

	while (extra + 1 < output->latest.len && bytes > LIVE_OUTPUT)
		bytes -= output->latest.data[extra++].bytes;
	if (extra)
		shift(output, extra);
}

/* How much of the window was whole pieces. */
static size_t take_pieces(struct live_output *output, const char *window, size_t size)
{
	struct output_piece head;
	size_t at = 0;

	while (size - at >= sizeof(head)) {
		memcpy(&head, window + at, sizeof(head));
		if (head.size > OUTPUT_PIECE ||
		    (head.stream != OUTPUT_STDOUT && head.stream != OUTPUT_STDERR)) {
			output->bad = true;
			break;
		}
		if (size - at - sizeof(head) < head.size)
			break;
		*vec_push(&output->latest) = (struct live_piece){
			piece_json(&head, window + at + sizeof(head)), head.size
		};
		output->latest_bytes += head.size;
		output->bytes += head.size;
		at += sizeof(head) + head.size;
	}
	return at;
}

bool live_output_read(struct live_output *output)
{
	uint64_t before = output->bytes;
	off_t end = output->at + LOOK;
	char *window;

	if (output->fd < 0 || output->bad)
		return false;
	window = mem_alloc(WINDOW);
	while (output->at < end && !output->bad) {
		ssize_t got = pread(output->fd, window, WINDOW, output->at);
		size_t taken = got > 0 ? take_pieces(output, window, (size_t)got) : 0;

		if (!taken)
			break;
		output->at += (off_t)taken;
		trim(output);
	}
	free(window);
	return output->bytes != before;
}

void live_output_write(const struct live_output *output, int64_t run, bool whole, struct buf *out)
{
	uint64_t from = whole ? 0 : output->told;
	uint64_t at = output->bytes - output->latest_bytes; /* where the latest begin */
	uint64_t skipped = at > from ? at - from : 0;

	buf_printf(out, "{\"run\":%" PRId64 ",\"skipped\":%" PRIu64 ",\"pieces\":[", run, skipped);
	vec_each (piece, &output->latest) {
		if (at >= from) {
			if (out->data[out->len - 1] != '[')
				buf_putc(out, ',');
			buf_puts(out, piece->json);
		}
		at += piece->bytes;
	}
	buf_puts(out, "]}");
}

void live_output_free(struct live_output *output)
{
	if (output->fd >= 0)
		close(output->fd);
	output->fd = -1;
	shift(output, output->latest.len);
	vec_free(&output->latest);
}
