/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading perf.data, as a seekable file or as a pipe's stream.
 *
 * A reader hands out records in file order and in this machine's byte order; sorting by time is
 * perfdata/sort.h.  Every offset and length is checked, so a cut or hostile file ends in an error
 * and never in a stray read; what stands before the damage is handed out, and perf_reader_damage
 * says in one sentence what is wrong.  A reader belongs to one thread.  Files are read through a
 * window, never mapped: memory does not grow with the file.
 */
#ifndef PERFDATA_READER_H
#define PERFDATA_READER_H

#include "event/event.h"
#include "perfdata/format.h"
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct perf_reader;
struct tep_handle;

/* One record.  `header` and what follows it lie in memory as on disk, 8-aligned, in host order. */
struct record {
	const struct perf_event_header *header;
	uint64_t file_off; /* of the record, or of the compressed record that holds it */
	uint32_t stream;   /* which of a directory's files it comes from */
	bool reread;	   /* perf_reader_again can bring it back */
	/* What follows the record without being counted in header->size (AUXTRACE, TRACING_DATA).
	 */
	uint64_t extra_off, extra_size;
};

/* An event of the recording. */
struct perf_attr {
	struct event_attr attr;
	const char *name; /* from EVENT_DESC, EVENT_UPDATE or tracing data; else made from attr */
	const uint64_t *ids;
	size_t ids_count;
	const char *unit; /* "" if none is known */
	double scale;
	uint32_t index;
	uint32_t leader; /* index of its group's leader, its own otherwise */

	/* Where things stand in its records, in bytes, worked out once from attr. */
	uint16_t fixed_size;   /* of what a SAMPLE holds from IDENTIFIER to PERIOD */
	uint16_t time_at;      /* of the time in a SAMPLE, from the header's start; 0: none */
	uint16_t trailer_size; /* of the id fields at the end of all others; 0: none */
	uint16_t trailer_time; /* of the time, counted from the record's end; 0: none */
};

struct perf_reader_options {
	bool follow; /* the file still grows: the end is not the end (see perf_reader_next) */
};

/* Opens the file at path ("-": standard input); NULL on failure, with the reason in *err. */
struct perf_reader *perf_reader_open(const char *path, const struct perf_reader_options *options,
				     struct err *err);

/* The same for bytes in memory, which must outlive the reader: tests and fuzzers enter here. */
struct perf_reader *perf_reader_open_mem(const void *data, size_t size, struct err *err);
void perf_reader_close(struct perf_reader *reader);

/*
 * Reads the next record into *rec, whose pointers hold until the next call.  Returns 1 for a
 * record, 0 at the end (with `follow`: for now; later calls go on), a negative errno value on
 * failure. Compressed records are opened: what they hold comes out, they themselves do not.
 */
int perf_reader_next(struct perf_reader *reader, struct record *rec, struct err *err);

/*
 * The same from one stream alone; a directory (`perf record --threads`) has several, which
 * perf_reader_next takes one after another.
 */
int perf_reader_next_of(struct perf_reader *reader, uint32_t stream, struct record *rec,
			struct err *err);
uint32_t perf_reader_stream_count(const struct perf_reader *reader);

/*
 * Brings back a record that was handed out before with `reread`, by its offset and stream; for
 * those that hold a place in a queue and not the bytes.  It holds until the next call of this.
 * -EIO if it is not there any more.
 */
int perf_reader_again(struct perf_reader *reader, uint32_t stream, uint64_t file_off, size_t size,
		      struct record *rec);

/* With `follow`: whether the file is still being written, so that more may come. */
bool perf_reader_growing(const struct perf_reader *reader);
/* Nobody writes it any more: what comes next is the end, committed or not. */
void perf_reader_stop_following(struct perf_reader *reader);

/* In a pipe attrs and features arrive as records; these then grow while reading. */
size_t perf_reader_attr_count(const struct perf_reader *reader);
const struct perf_attr *perf_reader_attr(const struct perf_reader *reader, size_t index);

/*
 * The event that a record belongs to: by id, or the only one.  NULL if the id is unknown.  Records
 * that the recorder made up itself have the id 0 and are taken for the first event's.
 */
const struct perf_attr *perf_reader_attr_of(const struct perf_reader *reader,
					    const struct perf_event_header *header);
const struct perf_attr *perf_reader_attr_by_id(const struct perf_reader *reader, uint64_t id);

/*
 * For the values of a group read (PERF_SAMPLE_READ), which are totals: by how much the counter `id`
 * has grown since the last call for it.  NULL if the id is unknown.
 */
const struct perf_attr *perf_reader_read_delta(struct perf_reader *reader, uint64_t id,
					       uint64_t value, uint64_t *delta);

/* A feature's payload as it stands in the file; false if the file has none.  See feature.h. */
bool perf_reader_feature(struct perf_reader *reader, enum perf_feature feature, const void **data,
			 size_t *size);
const struct perf_file_header *perf_reader_header(const struct perf_reader *reader);
bool perf_reader_is_pipe(const struct perf_reader *reader);
bool perf_reader_swapped(const struct perf_reader *reader);

/* What was wrong with the file, or NULL; known for sure once perf_reader_next gave 0. */
const char *perf_reader_damage(const struct perf_reader *reader);
/* Whether records are missing or unreadable because of it. */
bool perf_reader_records_cut(const struct perf_reader *reader);
/* Records whose type we do not know; skipped and counted. */
uint64_t perf_reader_unknown_records(const struct perf_reader *reader);
/* What these take of the file; those that came out of compressed ones take nothing. */
uint64_t perf_reader_unknown_bytes(const struct perf_reader *reader);
/*
 * The samples that were lost, each counted once, from the sums of what LOST records and what
 * LOST_SAMPLES records tell.
 */
uint64_t perf_reader_lost(const struct perf_reader *reader, uint64_t records, uint64_t samples);
/*
 * When its file was last written, ns since 1970: nothing that it tells of happened later.  0 if
 * that is not known, or it still grows.
 */
int64_t perf_reader_written_ns(const struct perf_reader *reader);
/* For progress: how far in the file, and how large it is (0 for a pipe). */
void perf_reader_progress(const struct perf_reader *reader, uint64_t *at, uint64_t *size);
/* Bytes of `extra` (AUXTRACE and the like), read in pieces; the number read or negative errno. */
int64_t perf_reader_extra(struct perf_reader *reader, const struct record *rec, uint64_t offset,
			  void *into, size_t size);

#endif
