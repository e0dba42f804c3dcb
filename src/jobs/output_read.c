// SPDX-License-Identifier: Apache-2.0
#include "jobs/output_read.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define REPLACEMENT "\xef\xbf\xbd"

/* Two digits a byte; false for anything else. */
static bool read_rest(struct output_reader *reader, int stream, const char **at)
{
	for (; **at && **at != '-'; *at += 2) {
		unsigned byte;
		int used = 0;

		if (reader->rest[stream].count == 3 || sscanf(*at, "%2x%n", &byte, &used) != 1 ||
		    used != 2)
			return false;
		reader->rest[stream].bytes[reader->rest[stream].count++] = (char)byte;
	}
	return true;
}

/* "OFFSET", or "OFFSET-HEX-HEX" with what is left over of stdout and stderr. */
static bool read_place(struct output_reader *reader, const char *place)
{
	char *end;
	const char *at;

	if (!*place)
		return true;
	if (*place < '0' || *place > '9')
		return false;
	errno = 0;
	reader->at = strtoull(place, &end, 10);
	if (errno || reader->at > INT64_MAX / 2)
		return false;
	if (!*end)
		return true;
	at = end + 1;
	return *end == '-' && read_rest(reader, 0, &at) && *at++ == '-' &&
	       read_rest(reader, 1, &at) && !*at;
}

int output_reader_init(struct output_reader *reader, int fd, const char *place, struct err *err)
{
	*reader = (struct output_reader){ .fd = fd };
	if (!read_place(reader, place))
		return err_set(err, EINVAL, "after: '%s' is not a place in an output", place);
	reader->window = mem_resize(NULL, sizeof(struct output_piece) + OUTPUT_PIECE, 1);
	return 0;
}

void output_reader_fini(struct output_reader *reader)
{
	free(reader->window);
	reader->window = NULL;
}

const char *output_place(const struct output_reader *reader, char into[static OUTPUT_PLACE])
{
	int length = snprintf(into, OUTPUT_PLACE, "%" PRIu64, reader->at);

	if (!reader->rest[0].count && !reader->rest[1].count)
		return into;
	for (int s = 0; s < 2; s++) {
		into[length++] = '-';
		for (int i = 0; i < reader->rest[s].count; i++)
			length += snprintf(into + length, 3, "%02x",
					   (unsigned char)reader->rest[s].bytes[i]);
	}
	into[length] = 0;
	return into;
}

/* How long a character is that begins so; 0 where none does. */
static size_t whole_length(unsigned char first)
{
	return first >= 0xf0 && first < 0xf5   ? 4
	       : first >= 0xe0 && first < 0xf0 ? 3
	       : first >= 0xc2 && first < 0xe0 ? 2
					       : 0;
}

/* How many bytes at the end are the beginning of a character. */
static size_t unfinished(const char *bytes, size_t size)
{
	for (size_t back = 1; back <= 3 && back <= size; back++) {
		unsigned char c = (unsigned char)bytes[size - back];

		if ((c & 0xc0) != 0x80)
			return whole_length(c) > back ? back : 0;
	}
	return 0;
}

/* Bytes as text: what is no character, and NULs, are replaced. */
static void put_text(struct buf *into, const char *bytes, size_t size)
{
	for (size_t i = 0; i < size;) {
		size_t length = bytes[i] ? text_utf8_length(bytes + i) : 0;

		if (length && length <= size - i) {
			buf_add(into, bytes + i, length);
			i += length;
		} else {
			buf_puts(into, REPLACEMENT);
			i++;
		}
	}
}

static void take(struct output_reader *reader, struct output_text *piece, const char *bytes,
		 size_t size)
{
	int stream = piece->stream == OUTPUT_STDERR;
	struct buf all = { 0 };
	size_t left;

	buf_add(&all, reader->rest[stream].bytes, reader->rest[stream].count);
	buf_add(&all, bytes, size);
	left = unfinished(all.data, all.len);
	buf_clear(&piece->text);
	put_text(&piece->text, all.data, all.len - left);
	reader->rest[stream].count = (uint8_t)left;
	if (left)
		memcpy(reader->rest[stream].bytes, all.data + all.len - left, left);
	buf_free(&all);
}

static int check_head(const struct output_reader *reader, const struct output_piece *head,
		      struct err *err)
{
	if (head->size <= OUTPUT_PIECE &&
	    (head->stream == OUTPUT_STDOUT || head->stream == OUTPUT_STDERR))
		return 0;
	return err_set(err, EBADMSG, "the output is damaged at byte %" PRIu64, reader->at);
}

/* A window at a time: a program that prints lines has a million pieces. */
int output_skip_to_last(struct output_reader *reader, uint64_t bytes, struct err *err)
{
	size_t room = sizeof(struct output_piece) + OUTPUT_PIECE;
	struct output_piece head;
	struct stat st = { 0 };

	if (fstat(reader->fd, &st))
		return err_set(err, errno, "the output: %s", strerror(errno));
	while (reader->at + bytes < (uint64_t)st.st_size) {
		ssize_t got = pread(reader->fd, reader->window, room, (off_t)reader->at);
		size_t done = 0;
		int rc = 0;

		if (got < (ssize_t)sizeof(head))
			return 0;
		while (!rc && done + sizeof(head) <= (size_t)got &&
		       reader->at + bytes < (uint64_t)st.st_size) {
			memcpy(&head, reader->window + done, sizeof(head));
			rc = check_head(reader, &head, err);
			/* the last one may be longer, and is better than nothing */
			if (!rc && bytes &&
			    reader->at + sizeof(head) + head.size >= (uint64_t)st.st_size)
				return 0;
			done += sizeof(head) + head.size;
			reader->at += sizeof(head) + head.size;
		}
		if (rc)
			return rc;
	}
	return 0;
}

/*
 * Of the pieces that begin before `end`.  Little of large pieces is read, and of small ones many at
 * once: there may be a million.
 */
static void add_sizes(int fd, uint64_t end, uint64_t printed[static 2])
{
	char window[4096];
	uint64_t at = 0;
	ssize_t got;

	while ((got = pread(fd, window, sizeof(window), (off_t)at)) > 0) {
		struct output_piece head;
		size_t done = 0;

		while (done + sizeof(head) <= (size_t)got && at + done < end) {
			memcpy(&head, window + done, sizeof(head));
			if (head.size > OUTPUT_PIECE)
				return;
			printed[head.stream == OUTPUT_STDERR] += head.size;
			done += sizeof(head) + head.size;
		}
		if (!done)
			return;
		at += done;
	}
}

void output_sizes(int fd, uint64_t printed[static 2])
{
	add_sizes(fd, UINT64_MAX, printed);
}

uint64_t output_before(int fd, uint64_t at)
{
	uint64_t printed[2] = { 0 };

	add_sizes(fd, at, printed);
	return printed[0] + printed[1];
}

int output_read(struct output_reader *reader, struct output_text *piece, struct err *err)
{
	size_t room = sizeof(struct output_piece) + OUTPUT_PIECE;
	struct output_piece head;
	ssize_t got = pread(reader->fd, reader->window, room, (off_t)reader->at);
	int rc;

	if (got < 0)
		return err_set(err, errno, "the output: %s", strerror(errno));
	if ((size_t)got < sizeof(head))
		return 0;
	memcpy(&head, reader->window, sizeof(head));
	rc = check_head(reader, &head, err);
	if (rc)
		return rc;
	if ((size_t)got < sizeof(head) + head.size)
		return 0;
	piece->time_ns = head.time_ns;
	piece->stream = (enum output_stream)head.stream;
	piece->bytes = head.size;
	take(reader, piece, reader->window + sizeof(head), head.size);
	reader->at += sizeof(head) + head.size;
	return 1;
}
