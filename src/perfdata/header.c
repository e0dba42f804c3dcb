// SPDX-License-Identifier: Apache-2.0
/* The fixed parts of a file: header, attrs with their ids, and the table of features. */
#include "base/err.h"
#include "base/mem.h"
#include "base/text.h"
#include "perfdata/impl.h"
#include "perfdata/swap.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define ATTR_ENTRY_MAX 4096 /* an attr has 136 bytes today and grows by 8 every few years */

void reader_damage(struct perf_reader *reader, const char *format, ...)
{
	va_list args;

	reader->records_cut = true;
	if (reader->damage)
		return;
	va_start(args, format);
	if (vasprintf(&reader->damage, format, args) < 0)
		reader->damage = mem_strdup("damaged");
	va_end(args);
}

static struct source *file_of(struct perf_reader *reader)
{
	return &reader->streams.data[0].source;
}

static bool plausible_attr_size(uint64_t size)
{
	return size >= PERF_ATTR_SIZE_VER0 + sizeof(struct perf_section) && size <= ATTR_ENTRY_MAX;
}

/* Which byte order; the first version of the format does not tell it by its magic. */
static int check_magic(struct perf_reader *reader, struct err *err)
{
	const struct perf_file_header *header = &reader->header;

	if (header->magic == PERF_MAGIC)
		return 0;
	if (header->magic == PERF_MAGIC_SWAPPED) {
		reader->swapped = true;
		return 0;
	}
	if (header->magic == PERF_MAGIC_OLD) {
		reader->swapped = !plausible_attr_size(header->attr_size);
		return 0;
	}
	return err_set(err, EBADMSG, "not a perf.data file: it does not begin with PERFILE2");
}

static bool has_feature(const struct perf_file_header *header, unsigned bit)
{
	return header->features[bit / 64] >> (bit % 64) & 1;
}

/*
 * The bits of the features were written as an array of `long`, whose size we are not told: as
 * perf we take the order in which HOSTNAME, which every perf writes, is there.
 */
static void swap_features(struct perf_file_header *header)
{
	for (size_t i = 0; i < PERF_FEATURE_WORDS; i++)
		swap_u64(&header->features[i]);
	if (has_feature(header, FEATURE_HOSTNAME))
		return;
	for (size_t i = 0; i < PERF_FEATURE_WORDS; i++)
		header->features[i] = header->features[i] << 32 | header->features[i] >> 32;
}

static void swap_header(struct perf_file_header *header)
{
	uint64_t *words = (uint64_t *)header;

	for (size_t i = 1; i < offsetof(struct perf_file_header, features) / 8; i++)
		swap_u64(&words[i]);
	swap_features(header);
}

/* Reads it into reader->header; the number of bytes that the file has of it, at most its size. */
static size_t load_header(struct perf_reader *reader)
{
	struct source *file = file_of(reader);
	size_t have = source_fill(file, 0, sizeof(reader->header));

	if (have > sizeof(reader->header))
		have = sizeof(reader->header);
	memset(&reader->header, 0, sizeof(reader->header));
	if (have)
		memcpy(&reader->header, file->window, have);
	return have;
}

/* Where data begins and ends, and whether the file is one that nobody has closed yet. */
static void find_data(struct perf_reader *reader)
{
	const struct perf_section *data = &reader->header.data;
	struct stream *stream = &reader->streams.data[0];

	/* Ours sets the reserved bit as long as it writes: see docs/perfdata.md. */
	reader->ours = has_feature(&reader->header, FEATURE_RESERVED);
	reader->unfinished = reader->ours || !data->size;
	stream->end = data->size <= UINT64_MAX - data->offset ? data->offset + data->size
							      : UINT64_MAX;
	if (!data->size || (reader->ours && !reader->follow))
		stream->end = UINT64_MAX;
}

void header_parse_attr(const struct perf_reader *reader, const void *bytes, size_t size,
		       struct event_attr *attr)
{
	*attr = (struct event_attr){ 0 };
	memcpy(attr, bytes, size < sizeof(*attr) ? size : sizeof(*attr));
	if (reader->swapped)
		swap_attr(attr, sizeof(*attr));
	/* What follows a short attr inside its entry is not its own. */
	if (attr->base.size >= PERF_ATTR_SIZE_VER0 && attr->base.size < sizeof(*attr))
		memset((char *)attr + attr->base.size, 0, sizeof(*attr) - attr->base.size);
}

/* Adds one event; false if its ids are not in the file. */
static bool read_attr(struct perf_reader *reader, const unsigned char *entry, uint64_t *ids_left)
{
	size_t attr_size = reader->header.attr_size - sizeof(struct perf_section);
	struct perf_section ids;
	struct event_attr attr;
	uint64_t *list = NULL;
	size_t count, got;
	bool whole = true;

	header_parse_attr(reader, entry, attr_size, &attr);
	memcpy(&ids, entry + attr_size, sizeof(ids));
	if (reader->swapped) {
		swap_u64(&ids.offset);
		swap_u64(&ids.size);
	}
	if (ids.size > *ids_left) {
		whole = false;
		ids.size = 0;
	}
	*ids_left -= ids.size;
	count = (size_t)(ids.size / sizeof(*list));
	if (count) {
		list = mem_resize(NULL, count, sizeof(*list));
		got = source_read(file_of(reader), ids.offset, list, count * sizeof(*list));
		whole = got == count * sizeof(*list);
		count = got / sizeof(*list);
	}
	for (size_t i = 0; reader->swapped && i < count; i++)
		swap_u64(&list[i]);
	attr_table_add(&reader->attrs, &attr, list, count);
	free(list);
	return whole;
}

static void read_attrs(struct perf_reader *reader)
{
	const struct perf_section *attrs = &reader->header.attrs;
	uint64_t size = reader->header.attr_size, offset = attrs->offset;
	/* No two events share their ids: all of them together can't be larger than the file. */
	uint64_t ids_left = source_size(file_of(reader));
	unsigned char entry[ATTR_ENTRY_MAX];

	if (!plausible_attr_size(size)) {
		reader_damage(reader, "an attr size of %" PRIu64 " makes no sense", size);
		return;
	}
	for (uint64_t left = attrs->size / size; left; left--, offset += size) {
		if (offset > UINT64_MAX - size ||
		    source_read(file_of(reader), offset, entry, size) < size ||
		    !read_attr(reader, entry, &ids_left)) {
			reader_damage(reader,
				      "the events' descriptions are cut short at offset %" PRIu64,
				      offset);
			return;
		}
	}
}

/* The table stands behind the data: a section for each bit that is set. */
static bool read_feature_table(struct perf_reader *reader)
{
	const struct perf_section *data = &reader->header.data;
	struct feature_slot *slot = reader->features;
	uint64_t offset = data->offset + data->size;

	if (offset < data->offset)
		return false;
	for (unsigned bit = 0; bit < ARRAY_SIZE(reader->features); bit++, slot++) {
		if (!has_feature(&reader->header, bit))
			continue;
		if (source_read(file_of(reader), offset, &slot->section, sizeof(slot->section)) <
		    sizeof(slot->section))
			return false;
		if (reader->swapped) {
			swap_u64(&slot->section.offset);
			swap_u64(&slot->section.size);
		}
		slot->present = bit != FEATURE_RESERVED;
		offset += sizeof(slot->section);
	}
	return true;
}

/* How large the file says that it is; without its table of features, how large at least. */
static uint64_t stated_size(const struct perf_reader *reader, bool has_table)
{
	uint64_t end = reader->streams.data[0].end;

	for (unsigned bit = 0; bit < ARRAY_SIZE(reader->features); bit++) {
		const struct perf_section *section = &reader->features[bit].section;

		if (!has_feature(&reader->header, bit) || end > UINT64_MAX / 2)
			continue;
		if (!has_table)
			end += sizeof(*section);
		else if (reader->features[bit].present && section->size &&
			 section->offset <= UINT64_MAX - section->size &&
			 section->offset + section->size > end)
			end = section->offset + section->size;
	}
	return end;
}

static void check_size(struct perf_reader *reader, bool has_table)
{
	uint64_t size = source_size(file_of(reader)), stated = stated_size(reader, has_table);
	char have[TEXT_NUMBER], all[TEXT_NUMBER];
	bool cut = reader->streams.data[0].end > size;

	if (reader->unfinished || stated <= size)
		return;
	reader_damage(reader, "truncated: %s of %s%s bytes%s", text_grouped(have, size),
		      has_table ? "" : "at least ", text_grouped(all, stated),
		      cut ? ""
			  : "; all samples are there, part of the header behind them is missing");
	reader->records_cut = cut;
}

static int read_file(struct perf_reader *reader, size_t have, struct err *err)
{
	struct source *file = file_of(reader);
	int rc;

	/* A file that comes through a pipe: its features stand last and are wanted first. */
	if (file->stream) {
		rc = source_spool(file, err);
		if (rc)
			return rc;
	}
	if (have < offsetof(struct perf_file_header, features) ||
	    reader->header.size < offsetof(struct perf_file_header, features))
		return err_set(err, EBADMSG, "the file ends inside its header");
	if (have < sizeof(reader->header) || reader->header.size < sizeof(reader->header))
		memset(reader->header.features, 0, sizeof(reader->header.features));
	find_data(reader);
	check_size(reader, read_feature_table(reader));
	read_attrs(reader);
	reader->streams.data[0].at = reader->header.data.offset;
	return 0;
}

int header_read(struct perf_reader *reader, struct err *err)
{
	size_t have = load_header(reader);
	int rc;

	if (!have)
		return err_set(err, EBADMSG, "empty");
	rc = check_magic(reader, err);
	if (rc)
		return rc;
	if (have < PERF_PIPE_HEADER_SIZE)
		return err_set(err, EBADMSG, "the file ends inside its header");
	if (reader->swapped)
		swap_header(&reader->header);
	if (reader->header.size != PERF_PIPE_HEADER_SIZE)
		return read_file(reader, have, err);

	reader->pipe = true;
	reader->unfinished = reader->follow && !file_of(reader)->stream;
	reader->header.attr_size = 0;
	reader->streams.data[0].at = PERF_PIPE_HEADER_SIZE;
	reader->streams.data[0].end = UINT64_MAX;
	return 0;
}

bool header_refresh(struct perf_reader *reader)
{
	struct stream *stream = &reader->streams.data[0];
	uint64_t old_end = stream->end;

	if (reader->pipe || !reader->unfinished)
		return false;
	if (load_header(reader) < sizeof(reader->header))
		return false;
	if (reader->swapped)
		swap_header(&reader->header);
	find_data(reader);
	read_feature_table(reader);
	return stream->end != old_end && stream->at < stream->end;
}
