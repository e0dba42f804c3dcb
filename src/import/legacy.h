/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What pprof read before profile.proto: samples as lists of addresses.  The forms differ in how
 * they are written (legacy_text.c, legacy_cpu.c); what they hold is this.
 *
 * Programs that write them name no functions, so a frame is called by its address; only Java, and
 * threads that were printed with names, tell more.
 */
#ifndef IMPORT_LEGACY_H
#define IMPORT_LEGACY_H

#include "base/idmap.h"
#include "import/parts.h"

#define LEGACY_TYPES 4

struct legacy_type {
	const char *name;
	char unit[24];
};

struct legacy_sample {
	uint64_t values[LEGACY_TYPES];
	uint32_t first, count; /* of `addresses`, the leaf's first */
	uint32_t thread;
};

struct legacy_mapping {
	uint64_t start, end;
	uint32_t object;
};

struct legacy {
	struct import_job *job;
	struct legacy_type types[LEGACY_TYPES];
	size_t type_count;
	VEC(uint64_t) addresses;
	VEC(struct legacy_sample) samples;
	VEC(struct legacy_mapping) mappings;
	struct interner names;
	struct idmap name_of; /* addresses to `names` */
	bool leaf_is_call;    /* the leaf too is where a call returns to */
	bool is_java;	      /* addresses are numbers of methods */
	uint32_t thread;      /* that nobody knows */
};

/* A piece of text: a line, or all that is left. */
struct scan {
	const char *at, *end;
};

/* The next line without its end and the blanks around it; false if there is none. */
bool scan_line(struct scan *text, struct scan *line);
bool scan_starts(const struct scan *line, const char *with);
bool scan_skip(struct scan *line, const char *text); /* blanks first; false if it is not there */
bool scan_number(struct scan *line, int64_t *value); /* blanks first */

/* Adds the "0x..." of a line to the addresses; how many there were. */
uint32_t legacy_addresses(struct legacy *legacy, struct scan line);
/* " 0x000004a com.example.f (source.java:4)" */
void legacy_java_names(struct legacy *legacy, struct scan text);
/* "00400000-00fcb000: prog", or as in /proc/PID/maps. */
void legacy_mappings(struct legacy *legacy, struct scan text);

int legacy_read_text(struct legacy *legacy, struct scan text, struct err *err);
bool legacy_is_text(const char *bytes, size_t size);

int legacy_read_cpu(struct legacy *legacy, const char *bytes, size_t size, struct err *err);
bool legacy_is_cpu(const char *bytes, size_t size);

#endif
