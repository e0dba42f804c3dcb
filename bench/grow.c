// SPDX-License-Identifier: Apache-2.0
/*
 * A larger recording from a real one:	grow FILE SAMPLES OUT
 *
 * The records follow once more and once more, each time later, until there are as many samples:
 * the same programs start again and do the same again.  Ends of processes are left out, since those
 * that had run before the recording would be gone the second time.  Takes plain files of perf.
 */
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "perfdata/sample.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct growth {
	FILE *in, *out;
	uint64_t wanted, samples, size; /* size: bytes of records written */
	uint64_t first, last;		/* times of the original */
	uint64_t round;
};

static void copy(struct growth *g, uint64_t from, uint64_t size)
{
	char buffer[65536];

	fseeko(g->in, (off_t)from, SEEK_SET);
	while (size) {
		size_t part = size < sizeof(buffer) ? (size_t)size : sizeof(buffer);

		if (fread(buffer, 1, part, g->in) != part ||
		    fwrite(buffer, 1, part, g->out) != part)
			return;
		size -= part;
	}
}

/* Where a record's time stands, or 0. */
static size_t time_place(const struct perf_attr *attr, const struct perf_event_header *header)
{
	if (!attr || header->type >= USER_RECORD_FIRST)
		return 0;
	if (header->type == PERF_RECORD_SAMPLE)
		return attr->time_at;
	return attr->trailer_time ? header->size - attr->trailer_time : 0;
}

static void put_record(struct growth *g, const struct perf_attr *attr,
		       const struct perf_event_header *header)
{
	static char bytes[65536];
	size_t place = time_place(attr, header);
	uint64_t time = 0;

	memcpy(bytes, header, header->size);
	if (place && place + sizeof(time) <= header->size)
		memcpy(&time, bytes + place, sizeof(time));
	if (header->type == PERF_RECORD_EXIT)
		return;
	if (g->round && !time && header->type != USER_RECORD_FINISHED_ROUND)
		return; /* told once: what was there before */
	if (time) {
		if (!g->round && (!g->first || time < g->first))
			g->first = time;
		if (!g->round && time > g->last)
			g->last = time;
		time += g->round * (g->last - g->first + 1);
		memcpy(bytes + place, &time, sizeof(time));
	}
	fwrite(bytes, 1, header->size, g->out);
	g->size += header->size;
	g->samples += header->type == PERF_RECORD_SAMPLE;
}

static int put_round(struct growth *g, const char *path, struct err *err)
{
	struct perf_reader *reader = perf_reader_open(path, NULL, err);
	uint64_t before = g->samples;
	struct record rec;
	int rc = 0;

	if (!reader)
		return -err->code;
	while ((!g->round || g->samples < g->wanted) &&
	       (rc = perf_reader_next(reader, &rec, err)) > 0) {
		const struct perf_attr *attr = perf_reader_attr_of(reader, rec.header);

		put_record(g, attr ? attr : perf_reader_attr(reader, 0), rec.header);
	}
	perf_reader_close(reader);
	g->round++;
	if (rc >= 0 && g->samples == before)
		return err_set(err, EINVAL, "%s: no samples", path);
	return rc < 0 ? rc : 0;
}

/* The table of features behind the records, whose payloads have moved. */
static void put_features(struct growth *g, const struct perf_file_header *old)
{
	uint64_t at = old->data.offset + old->data.size, moved = g->size - old->data.size;
	uint64_t end;
	int count = 0;

	for (size_t i = 0; i < PERF_FEATURE_WORDS; i++)
		count += __builtin_popcountll(old->features[i]);
	fseeko(g->in, 0, SEEK_END);
	end = (uint64_t)ftello(g->in);
	for (int i = 0; i < count; i++) {
		struct perf_section section;

		fseeko(g->in, (off_t)(at + (uint64_t)i * sizeof(section)), SEEK_SET);
		if (fread(&section, sizeof(section), 1, g->in) != 1)
			return;
		section.offset += moved;
		fwrite(&section, sizeof(section), 1, g->out);
	}
	at += (uint64_t)count * sizeof(struct perf_section);
	copy(g, at, end - at);
}

static int grow(struct growth *g, const char *path, struct err *err)
{
	struct perf_file_header header;
	int rc = 0;

	if (fread(&header, sizeof(header), 1, g->in) != 1 || header.magic != PERF_MAGIC)
		return err_set(err, EINVAL, "%s: not a plain recording", path);
	copy(g, 0, header.data.offset);
	while (!rc && g->samples < g->wanted)
		rc = put_round(g, path, err);
	if (rc)
		return rc;
	put_features(g, &header);
	header.data.size = g->size;
	fseeko(g->out, 0, SEEK_SET);
	fwrite(&header, sizeof(header), 1, g->out);
	if (ferror(g->out) || ferror(g->in) || fflush(g->out))
		return err_set(err, EIO, "cannot be written");
	return 0;
}

int main(int argc, char **argv)
{
	struct growth g = { 0 };
	struct err err = { 0 };

	if (argc != 4) {
		fprintf(stderr, "usage: grow FILE SAMPLES OUT\n");
		return 2;
	}
	g.wanted = strtoull(argv[2], NULL, 10);
	g.in = fopen(argv[1], "r");
	g.out = fopen(argv[3], "w");
	if (!g.in || !g.out) {
		perror(g.in ? argv[3] : argv[1]);
		return 1;
	}
	if (grow(&g, argv[1], &err)) {
		fprintf(stderr, "grow: %s\n", err.text);
		return 1;
	}
	fclose(g.in);
	return fclose(g.out) ? 1 : 0;
}
