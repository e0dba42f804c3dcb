/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Other people's profiles: `perf script` text, folded stacks, pprof (its older forms too), each
 * also gzip or zstd.
 *
 * What it is is found out by content, never by name.  The result is a profile like any other, so
 * that every view works on it.  Lines that cannot be understood are counted and left out.
 */
#ifndef IMPORT_IMPORT_H
#define IMPORT_IMPORT_H

#include "profile/profile.h"

struct err;
struct input;

enum import_format {
	IMPORT_UNKNOWN,
	IMPORT_PERFDATA, /* perfdata/ reads it */
	IMPORT_PERFSCRIPT,
	IMPORT_FOLDED,
	IMPORT_PPROF,
	IMPORT_LEGACY, /* what pprof read before: heap, CPU, contention, threads */
};

#define IMPORT_MOST_BYTES ((uint64_t)512 << 20)

struct import_options {
	bool times, cpus; /* keep them: a row a sample instead of one for all that agree */
	bool addresses;	  /* frames without a name are told apart by address */
	bool places;	  /* perf script text: keep the address of every frame; needs times */
	bool as_perl;	  /* perf script text as stackcollapse-perf.pl reads it: see perfscript.c */
	uint64_t most_bytes; /* of a pprof when unpacked; 0: IMPORT_MOST_BYTES */
	void (*progress)(void *user, uint64_t done); /* of input_size; NULL: nobody looks */
	void *user;
};

/* Where a frame was, as a text told it. */
struct import_place {
	uint64_t address;
	int64_t offset; /* in its function; -1: not told */
};

/* By the offset of a row's leaf: its frames, the innermost first, up to the next one's. */
struct import_places {
	VEC(struct import_place) pool;
	VEC(size_t) first;
};

#define IMPORT_TYPES 8 /* kinds of left-out values that are counted separately */

struct import_result {
	struct import_places places; /* of import_options.places; import_places_free */
	struct profile *profile;
	enum import_format format;
	uint64_t lines;
	uint64_t broken;      /* lines or samples that were left out */
	uint64_t broken_line; /* the first of them, counted from 1 */
	char broken_text[100];
	/* pprof: samples with a value below zero, which is left out; how much, by event */
	uint64_t negative, negative_weight[IMPORT_TYPES];
	uint64_t rounded;     /* folded: values with a fraction of more digits than are kept */
	const char *parts;    /* folded: values have fractions, and are in "thousandths"; or NULL */
	uint64_t two_columns; /* folded: lines with two values, of which the last was taken */
	bool has_times, has_cpus; /* told of some sample; kept if that was asked for */
	bool cut_end;		  /* as_perl: the last sample was left out */
};

/* The format of what is to come; -EBADMSG, with what it seems to be, where it is none of ours. */
int import_detect(struct input *input, enum import_format *format, struct err *err);

/* Reads all of it.  On failure there is no profile. */
int import_read(struct input *input, const struct import_options *options,
		struct import_result *result, struct err *err);

void import_places_free(struct import_places *places);

/* "perf script text" */
const char *import_format_name(enum import_format format);

/* The name under which import_options.addresses keeps a frame: "[unknown]@7f12"; else NULL. */
const char *import_address(const char *name);

#endif
