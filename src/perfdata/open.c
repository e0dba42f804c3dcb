// SPDX-License-Identifier: Apache-2.0
/* Opening and closing a recording, and what can be asked of it without reading on. */
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "perfdata/compress.h"
#include "perfdata/impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void perf_reader_close(struct perf_reader *reader)
{
	if (!reader)
		return;
	vec_each (stream, &reader->streams) {
		source_fini(&stream->source);
		inflate_free(stream->inflate);
	}
	vec_free(&reader->streams);
	for (size_t i = 0; i < ARRAY_SIZE(reader->features); i++)
		free(reader->features[i].data);
	attr_table_free(&reader->attrs);
	buf_free(&reader->split);
	free(reader->damage);
	free(reader->scratch);
	free(reader->again);
	free(reader->held);
	free(reader);
}

static int start(struct perf_reader *reader, struct err *err)
{
	int rc = header_read(reader, err);

	if (rc)
		return rc;
	if (reader->unfinished && !reader->follow)
		reader_damage(reader,
			      reader->ours
				      ? "its recorder was killed, or still writes it: what came "
					"after its last round is missing"
				      : "its recorder did not close it; read to the last "
					"record that is whole");
	reader->records_cut &= !reader->ours;
	names_from_features(reader);
	return 0;
}

static int open_stream(struct perf_reader *reader, const char *path, struct err *err)
{
	int fd = !strcmp(path, "-") ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	struct stream *stream;

	if (fd < 0)
		return err_set(err, errno, "%s", strerror(errno));
	stream = vec_push(&reader->streams);
	source_init_fd(&stream->source, fd, fd != STDIN_FILENO);
	stream->end = UINT64_MAX;
	return 0;
}

/* "data.12" gives 12; -1 for all others. */
static long stream_number(const char *name)
{
	char *end;
	long number;

	if (strncmp(name, "data.", 5) || name[5] < '0' || name[5] > '9')
		return -1;
	number = strtol(name + 5, &end, 10);
	return *end ? -1 : number;
}

static int by_number(const void *a, const void *b)
{
	long left = stream_number(*(char *const *)a), right = stream_number(*(char *const *)b);

	return left < right ? -1 : left > right;
}

/* perf record --threads: `data` as usual, and data.0, data.1 ... with records and nothing else. */
static int open_directory(struct perf_reader *reader, const char *path, struct err *err)
{
	struct strlist names = { 0 };
	char *part = mem_printf("%s/data", path);
	int rc = open_stream(reader, part, err);

	if (!rc)
		rc = start(reader, err);
	if (!rc)
		rc = dir_names(path, &names, err);
	if (names.len)
		qsort(names.data, names.len, sizeof(*names.data), by_number);
	vec_each (name, &names) {
		if (rc || stream_number(*name) < 0)
			continue;
		free(part);
		part = mem_printf("%s/%s", path, *name);
		rc = open_stream(reader, part, err);
	}
	free(part);
	strlist_free(&names);
	return rc;
}

struct perf_reader *perf_reader_open(const char *path, const struct perf_reader_options *options,
				     struct err *err)
{
	struct perf_reader *reader = mem_alloc(sizeof(*reader));
	struct stat info;
	int rc;

	reader->follow = options && options->follow;
	if (strcmp(path, "-") && !stat(path, &info) && S_ISDIR(info.st_mode)) {
		rc = open_directory(reader, path, err);
	} else {
		rc = open_stream(reader, path, err);
		if (!rc)
			rc = start(reader, err);
	}
	if (!rc)
		return reader;
	err_prefix(err, "%s", !strcmp(path, "-") ? "standard input" : path);
	perf_reader_close(reader);
	return NULL;
}

struct perf_reader *perf_reader_open_mem(const void *data, size_t size, struct err *err)
{
	struct perf_reader *reader = mem_alloc(sizeof(*reader));
	struct stream *stream = vec_push(&reader->streams);

	source_init_mem(&stream->source, data, size);
	if (!start(reader, err))
		return reader;
	perf_reader_close(reader);
	return NULL;
}

size_t perf_reader_attr_count(const struct perf_reader *reader)
{
	return reader->attrs.list.len;
}

const struct perf_attr *perf_reader_attr(const struct perf_reader *reader, size_t index)
{
	return index < reader->attrs.list.len ? reader->attrs.list.data[index] : NULL;
}

bool perf_reader_feature(struct perf_reader *reader, enum perf_feature feature, const void **data,
			 size_t *size)
{
	struct source *file = &reader->streams.data[0].source;
	struct feature_slot *slot;

	if ((size_t)feature >= ARRAY_SIZE(reader->features))
		return false;
	slot = &reader->features[feature];
	if (!slot->present)
		return false;
	if (!slot->data) {
		uint64_t room = source_size(file);

		/* A size that the file can't hold is damage, not a reason to ask for memory. */
		if (slot->section.offset > room || slot->section.size > room - slot->section.offset)
			return false;
		slot->data = mem_alloc(slot->section.size + 1);
		slot->size = source_read(file, slot->section.offset, slot->data,
					 slot->section.size);
	}
	*data = slot->data;
	*size = slot->size;
	return true;
}

const struct perf_file_header *perf_reader_header(const struct perf_reader *reader)
{
	return &reader->header;
}

bool perf_reader_is_pipe(const struct perf_reader *reader)
{
	return reader->pipe;
}

bool perf_reader_swapped(const struct perf_reader *reader)
{
	return reader->swapped;
}

bool perf_reader_growing(const struct perf_reader *reader)
{
	return reader->follow && reader->unfinished;
}

void perf_reader_stop_following(struct perf_reader *reader)
{
	reader->follow = false;
}

int64_t perf_reader_written_ns(const struct perf_reader *reader)
{
	const struct stream *first = reader->streams.data;
	struct stat info;

	if (perf_reader_growing(reader) || !reader->streams.len || first->source.fd < 0 ||
	    fstat(first->source.fd, &info) || !S_ISREG(info.st_mode))
		return 0;
	return info.st_mtim.tv_sec * INT64_C(1000000000) + info.st_mtim.tv_nsec;
}

const char *perf_reader_damage(const struct perf_reader *reader)
{
	return reader->damage;
}

bool perf_reader_records_cut(const struct perf_reader *reader)
{
	return reader->records_cut;
}

uint64_t perf_reader_unknown_records(const struct perf_reader *reader)
{
	return reader->unknown;
}

uint64_t perf_reader_unknown_bytes(const struct perf_reader *reader)
{
	return reader->unknown_bytes;
}

uint32_t perf_reader_stream_count(const struct perf_reader *reader)
{
	return (uint32_t)reader->streams.len;
}

void perf_reader_progress(const struct perf_reader *reader, uint64_t *at, uint64_t *size)
{
	*at = *size = 0;
	for (size_t i = 0; i < reader->streams.len; i++) {
		const struct stream *stream = &reader->streams.data[i];
		uint64_t whole = source_size(&stream->source);

		*at += stream->at;
		*size += whole == UINT64_MAX ? 0 : whole;
	}
}
