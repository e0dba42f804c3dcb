/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every record byte by byte and taken apart, as `perf report -D` prints it.
 */
#ifndef RENDER_SCRIPT_DUMP_H
#define RENDER_SCRIPT_DUMP_H

#include "machine/machine.h"
#include "perfdata/sort.h"

struct outbuf;

struct script_dump {
	struct outbuf *out;
	struct perf_reader *reader;
	struct machine *machine; /* as it was before the record */
	const char *path;	 /* of the recording, as it was named */
	const char *arch;	 /* names the registers; may be NULL */
};

/* "COMM"; "UNKNOWN" of a type that has no name. */
const char *script_record_name(uint32_t type);

void script_dump(struct script_dump *dump, const struct sorted_record *rec);

/* "PERF_RECORD_COMM: sh:10/10", of a record that the kernel wrote; attr tells of its end. */
void script_dump_record(struct outbuf *out, const struct perf_attr *attr,
			const struct perf_event_header *header, const struct sample *sample);

/* A sample's own lines (script_dump_sample.c). */
void script_dump_sample(struct script_dump *dump, const struct perf_attr *attr,
			const struct sample *sample);

/* A record that perf itself wrote (script_dump_user.c). */
void script_dump_user(struct script_dump *dump, const struct record *rec);

#endif
