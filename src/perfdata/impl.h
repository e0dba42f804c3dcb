/* SPDX-License-Identifier: Apache-2.0 */
/* What the reader's own files share: header.c and names.c fill in what reader.c walks over. */
#ifndef PERFDATA_IMPL_H
#define PERFDATA_IMPL_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"
#include "perfdata/attrs.h"
#include "perfdata/source.h"

struct inflate;

/* One file with records: the recording itself, or each data.N of a directory. */
struct stream {
	struct source source;
	uint64_t at;	  /* of the next record */
	uint64_t end;	  /* of its data; UINT64_MAX: as far as the source goes */
	uint64_t zstd_at; /* of the COMPRESSED record that is being taken apart */
	struct inflate *inflate;
	bool inflating;
	bool done;
};

struct feature_slot {
	bool present;
	struct perf_section section; /* in the first stream; size 0 and loaded for a pipe's */
	void *data;		     /* NULL until somebody asks */
	size_t size;
};

struct perf_reader {
	struct perf_file_header header;
	bool pipe, swapped;
	bool follow;
	bool unfinished; /* whoever writes it has not closed it yet */
	bool ours;	 /* ... and left it such that nothing before is lost */
	struct attr_table attrs;
	struct feature_slot features[PERF_FEATURE_WORDS * 64];
	VEC(struct stream) streams;
	size_t current; /* the stream that perf_reader_next is at */
	char *damage;
	bool records_cut; /* by that damage; what stands behind the records is no record */
	uint64_t unknown, unknown_bytes; /* records of types that we do not know */
	struct buf split;		 /* simpleperf's: the parts so far of a large record */
	unsigned char *scratch, *held, *again; /* for records that cannot be handed out in place */
};

/* Notes what is wrong, the first time only. */
void reader_damage(struct perf_reader *reader, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Header, attrs and the table of features of the first stream. */
int header_read(struct perf_reader *reader, struct err *err);
/* Looks again at a file that still grows; true if there is more to read than before. */
bool header_refresh(struct perf_reader *reader);

/* An attr as it stands in a file, `size` bytes of it, in either byte order. */
void header_parse_attr(const struct perf_reader *reader, const void *bytes, size_t size,
		       struct event_attr *attr);

/* What a pipe tells by records: attrs, names, features. */
void names_take_record(struct perf_reader *reader, const struct record *rec);
/* Names, units and groups from the features. */
void names_from_features(struct perf_reader *reader);

#endif
