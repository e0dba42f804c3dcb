// SPDX-License-Identifier: Apache-2.0
#include "perfdata/reader.h"
#include "base/err.h"
#include "base/mem.h"
#include "perfdata/compress.h"
#include "perfdata/impl.h"
#include "perfdata/swap.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#ifndef PERF_FORMAT_LOST
#define PERF_FORMAT_LOST (1U << 4)
#endif

#define SCRATCH 65536 /* no record is larger: its size has 16 bits */

/* Since Linux 6.19 (deferred callchains); the header of Debian 12 ends one before. */
#define LAST_KERNEL_RECORD 22
#define LAST_USER_RECORD   USER_RECORD_COMPRESSED2

static bool is_known(uint32_t type)
{
	return (type > 0 && type <= LAST_KERNEL_RECORD) ||
	       (type >= USER_RECORD_FIRST && type <= LAST_USER_RECORD) ||
	       (type > SIMPLEPERF_RECORD_FIRST && type <= SIMPLEPERF_RECORD_TRACING_DATA);
}

/* The body is still in the file's byte order if it is `raw`. */
static const struct perf_attr *attr_of(const struct perf_reader *reader,
				       const struct perf_event_header *header, bool raw)
{
	const struct attr_table *attrs = &reader->attrs;
	const struct perf_attr *first = attrs->list.len ? attrs->list.data[0] : NULL;
	const uint64_t *body = (const uint64_t *)(header + 1);
	size_t words = (header->size - sizeof(*header)) / sizeof(*body), at;
	struct id_slot *slot;
	uint64_t id;

	if (attrs->list.len <= 1)
		return first;
	if (header->type == PERF_RECORD_SAMPLE) {
		at = (size_t)attrs->sample_id_word;
	} else {
		if (!first->attr.base.sample_id_all)
			return first;
		/* With no id word this is `words`, and that is not in the record. */
		at = words - (size_t)attrs->other_id_word;
	}
	if (at >= words)
		return NULL;
	id = raw ? __builtin_bswap64(body[at]) : body[at];
	if (!id)
		return first;
	slot = attr_table_find(attrs, id);
	return slot ? slot->attr : NULL;
}

const struct perf_attr *perf_reader_attr_of(const struct perf_reader *reader,
					    const struct perf_event_header *header)
{
	return attr_of(reader, header, false);
}

const struct perf_attr *perf_reader_attr_by_id(const struct perf_reader *reader, uint64_t id)
{
	struct id_slot *slot = attr_table_find(&reader->attrs, id);

	return slot ? slot->attr : NULL;
}

const struct perf_attr *perf_reader_read_delta(struct perf_reader *reader, uint64_t id,
					       uint64_t value, uint64_t *delta)
{
	struct id_slot *slot = attr_table_find(&reader->attrs, id);

	if (!slot)
		return NULL;
	*delta = value - slot->value;
	slot->value = value;
	return slot->attr;
}

/*
 * LOST tells how many records of all kinds found no room in a ring.  Where the kernel counts lost
 * samples for each event (PERF_FORMAT_LOST), the recorder writes that at the end as LOST_SAMPLES,
 * which is the same loss again; else LOST_SAMPLES is the CPU's own, of samples that no ring was to
 * have.
 */
uint64_t perf_reader_lost(const struct perf_reader *reader, uint64_t records, uint64_t samples)
{
	bool again = false;

	vec_each (attr, &reader->attrs.list)
		again |= ((*attr)->attr.base.read_format & PERF_FORMAT_LOST) != 0;
	return again && samples ? samples : records + samples;
}

static size_t size_at(const struct perf_reader *reader, const unsigned char *bytes)
{
	struct perf_event_header header;

	memcpy(&header, bytes, sizeof(header));
	return reader->swapped ? __builtin_bswap16(header.size) : header.size;
}

/* A record where it lies, or in *scratch where it lies askew or in the other byte order. */
static const struct perf_event_header *place(const struct perf_reader *reader,
					     const unsigned char *bytes, size_t size,
					     unsigned char **scratch)
{
	struct perf_event_header *copy;

	if (!reader->swapped && !((uintptr_t)bytes & 7))
		return (const struct perf_event_header *)bytes;
	if (!*scratch)
		*scratch = mem_resize(NULL, SCRATCH, 1);
	copy = (struct perf_event_header *)*scratch;
	memcpy(copy, bytes, size);
	if (reader->swapped) {
		swap_record_header(copy);
		swap_record(copy, attr_of(reader, copy, true));
	}
	return copy;
}

enum stop { STOP_END, STOP_CUT, STOP_NONSENSE };

/*
 * Nothing more can be taken from a stream.  What that means depends on whether somebody still
 * writes it: 1 to try again, 0 at the end.
 */
static int stops(struct perf_reader *reader, struct stream *stream, enum stop why)
{
	if (reader->unfinished && stream == reader->streams.data) {
		if (header_refresh(reader))
			return 1;
		if (reader->follow && reader->unfinished)
			return 0;
		/* A closed file may have its table of features where we looked for a record. */
		if (!reader->unfinished && stream->at >= stream->end)
			why = STOP_END;
	}
	stream->done = true;
	if (reader->unfinished)
		return 0; /* said at the start, if it is worth saying */
	if (why == STOP_CUT)
		reader_damage(reader, "it ends in the middle of a record at offset %" PRIu64,
			      stream->at);
	else if (why == STOP_NONSENSE)
		reader_damage(reader,
			      reader->unknown ? "damaged before offset %" PRIu64
					      : "damaged at offset %" PRIu64
						"; everything before it was read",
			      stream->at);
	else if (stream->end != UINT64_MAX && stream->at > stream->end)
		reader_damage(reader, "its last record reaches past the end of the data");
	return 0;
}

/* What follows an AUXTRACE or TRACING_DATA record without being counted in its size. */
static void find_extra(struct record *rec)
{
	const unsigned char *body = (const unsigned char *)(rec->header + 1);
	size_t room = rec->header->size - sizeof(*rec->header);

	rec->extra_off = rec->file_off + rec->header->size;
	if (rec->header->type == USER_RECORD_AUXTRACE && room >= sizeof(uint64_t)) {
		memcpy(&rec->extra_size, body, sizeof(rec->extra_size));
	} else if (rec->header->type == USER_RECORD_TRACING_DATA && room >= sizeof(uint32_t)) {
		uint32_t size;

		memcpy(&size, body, sizeof(size));
		/* simpleperf keeps it inside the record. */
		if (size > room - sizeof(size))
			rec->extra_size = ((uint64_t)size + 7) & ~(uint64_t)7;
	}
}

static int take_plain(struct perf_reader *reader, struct stream *stream, struct record *rec)
{
	const unsigned char *bytes;
	size_t have, size;

	if (stream->at >= stream->end)
		return stops(reader, stream, STOP_END) ? -EAGAIN : 0;
	bytes = source_at(&stream->source, stream->at, &have);
	if (have < sizeof(*rec->header) || have < size_at(reader, bytes)) {
		have = source_fill(&stream->source, stream->at, SCRATCH);
		bytes = source_at(&stream->source, stream->at, &have);
		if (have < sizeof(*rec->header))
			return stops(reader, stream, have ? STOP_CUT : STOP_END) ? -EAGAIN : 0;
	}
	size = size_at(reader, bytes);
	if (size < sizeof(*rec->header))
		return stops(reader, stream, STOP_NONSENSE) ? -EAGAIN : 0;
	if (have < size || stream->end - stream->at < size) {
		/* Where all of the data is there, it is no end but a size that can't be. */
		bool whole = have >= stream->end - stream->at;

		return stops(reader, stream, whole ? STOP_NONSENSE : STOP_CUT) ? -EAGAIN : 0;
	}

	rec->header = place(reader, bytes, size, &reader->scratch);
	rec->file_off = stream->at;
	rec->reread = !stream->source.stream;
	rec->extra_size = 0;
	stream->at += size;
	return 1;
}

static int take_inflated(struct perf_reader *reader, struct stream *stream, struct record *rec)
{
	const unsigned char *bytes;
	size_t have, size;

	have = inflate_fill(stream->inflate, sizeof(*rec->header), &bytes);
	if (have >= sizeof(*rec->header)) {
		size = size_at(reader, bytes);
		if (size >= sizeof(*rec->header)) {
			have = inflate_fill(stream->inflate, size, &bytes);
			if (have >= size) {
				rec->header = place(reader, bytes, size, &reader->scratch);
				rec->file_off = stream->zstd_at;
				rec->reread = false;
				rec->extra_size = 0;
				inflate_advance(stream->inflate, size);
				return 1;
			}
		} else {
			stream->done = true;
			reader_damage(reader,
				      "what was compressed at offset %" PRIu64
				      " is not a record; everything before it was read",
				      stream->zstd_at);
			return 0;
		}
	}
	stream->inflating = false; /* goes on with the next piece */
	if (!inflate_error(stream->inflate))
		return -EAGAIN;
	stream->done = true;
	reader_damage(reader, "the compressed data at offset %" PRIu64 " is broken: %s",
		      stream->zstd_at, inflate_error(stream->inflate));
	return 0;
}

static void start_inflating(struct stream *stream, const struct record *rec)
{
	const unsigned char *body = (const unsigned char *)(rec->header + 1);
	size_t size = rec->header->size - sizeof(*rec->header);

	if (rec->header->type == USER_RECORD_COMPRESSED2) {
		uint64_t real = 0; /* without the padding */

		if (size < sizeof(real))
			return;
		memcpy(&real, body, sizeof(real));
		body += sizeof(real);
		size -= sizeof(real);
		if (real < size)
			size = (size_t)real;
	}
	if (!stream->inflate)
		stream->inflate = inflate_new();
	inflate_feed(stream->inflate, body, size);
	stream->zstd_at = rec->file_off;
	stream->inflating = true;
}

/* Records that tell the reader something; they are handed out all the same. */
static bool take_user_record(struct perf_reader *reader, struct stream *stream, struct record *rec)
{
	switch (rec->header->type) {
	case USER_RECORD_COMPRESSED:
	case USER_RECORD_COMPRESSED2:
		if (!stream->inflating) /* compressed twice is nobody's format */
			start_inflating(stream, rec);
		return false;
	case USER_RECORD_AUXTRACE:
	case USER_RECORD_TRACING_DATA:
		if (stream->inflating)
			return true;
		find_extra(rec);
		stream->at = rec->extra_size > UINT64_MAX - stream->at
				     ? UINT64_MAX
				     : stream->at + rec->extra_size;
		rec->reread = false;
		break;
	default: break;
	}
	names_take_record(reader, rec);
	return rec->header->type < SIMPLEPERF_RECORD_FIRST;
}

static void pass_over(struct perf_reader *reader, const struct stream *stream,
		      const struct record *rec)
{
	reader->unknown++;
	if (!stream->inflating)
		reader->unknown_bytes += rec->header->size;
}

int perf_reader_next_of(struct perf_reader *reader, uint32_t index, struct record *rec,
			struct err *err)
{
	struct stream *stream = &reader->streams.data[index];
	int rc;

	rec->stream = index;
	while (!stream->done) {
		rc = stream->inflating ? take_inflated(reader, stream, rec)
				       : take_plain(reader, stream, rec);
		if (stream->source.error)
			return err_set(err, stream->source.error, "cannot read on: %s",
				       strerror(stream->source.error));
		if (rc == -EAGAIN)
			continue;
		if (rc <= 0)
			return rc;
		if (rec->header->type == PERF_RECORD_SAMPLE)
			return 1;
		if (!is_known(rec->header->type))
			pass_over(reader, stream, rec);
		else if (rec->header->type < USER_RECORD_FIRST ||
			 take_user_record(reader, stream, rec))
			return 1;
	}
	return 0;
}

int perf_reader_next(struct perf_reader *reader, struct record *rec, struct err *err)
{
	int rc;

	for (;;) {
		rc = perf_reader_next_of(reader, (uint32_t)reader->current, rec, err);
		if (rc || !reader->streams.data[reader->current].done ||
		    reader->current + 1 == reader->streams.len)
			return rc;
		reader->current++;
	}
}

int perf_reader_again(struct perf_reader *reader, uint32_t index, uint64_t file_off, size_t size,
		      struct record *rec)
{
	struct source *source = &reader->streams.data[index].source;
	const unsigned char *bytes;
	size_t have;

	if (source->fd < 0) {
		bytes = source_at(source, file_off, &have);
	} else {
		if (!reader->held)
			reader->held = mem_resize(NULL, SCRATCH, 1);
		have = source_read(source, file_off, reader->held, size);
		bytes = reader->held;
	}
	if (have < size || size_at(reader, bytes) != size)
		return -EIO;
	*rec = (struct record){ .header = place(reader, bytes, size, &reader->again),
				.file_off = file_off,
				.stream = index,
				.reread = true };
	return 1;
}

int64_t perf_reader_extra(struct perf_reader *reader, const struct record *rec, uint64_t offset,
			  void *into, size_t size)
{
	struct source *source = &reader->streams.data[rec->stream].source;
	size_t done = 0, have;

	if (offset >= rec->extra_size)
		return 0;
	if (size > rec->extra_size - offset)
		size = (size_t)(rec->extra_size - offset);
	if (!source->stream)
		return (int64_t)source_read(source, rec->extra_off + offset, into, size);

	/* A stream only goes forward, through its window. */
	while (done < size) {
		const unsigned char *bytes;

		source_fill(source, rec->extra_off + offset + done, 1);
		bytes = source_at(source, rec->extra_off + offset + done, &have);
		if (!have)
			break;
		have = have < size - done ? have : size - done;
		memcpy((char *)into + done, bytes, have);
		done += have;
	}
	return source->error ? -source->error : (int64_t)done;
}
