/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What passes through the rings on its way to the file: counted, not changed.
 *
 * One look at each record's header, and at two fields of a sample, while the bytes are on their way
 * anyway; so that the closing line, SAMPLE_TIME and BUILD_ID need no second reading of the file.
 */
#ifndef RECORD_ACCOUNT_H
#define RECORD_ACCOUNT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/idmap.h"
#include "base/map.h"
#include "perfdata/buildid.h"
#include "perfdata/writer.h"
#include "record/ring.h"

struct account_object { /* a mapped file */
	const char *path;
	struct build_id id;
	uint16_t cpumode;
};

struct account_sums {
	uint64_t samples, bytes;
	uint64_t lost_records; /* as LOST records tell: of all kinds, by ring */
	uint64_t lost_samples; /* as LOST_SAMPLES records tell: by the CPU itself */
	uint64_t throttled;
	uint64_t first_ns, last_ns; /* of samples */
};

#define ACCOUNT_PIDS 1024 /* of those sampled since they were last taken; more are not noted */

struct account {
	struct account_sums now, marked;
	uint64_t *by_event, *by_event_marked; /* samples, in the order of the attrs */
	size_t events;

	/* Where the fields stand in a sample, in bytes from its start; 0: it has none. */
	size_t id_at;
	size_t *time_at;  /* by event */
	size_t *pid_at;	  /* by event */
	struct idmap ids; /* the kernel's, to the event's index */

	/* Processes that had samples; one may stand there twice. */
	pid_t pids[ACCOUNT_PIDS];
	size_t pids_count;
	pid_t recent[256]; /* by the pid's last bits: those noted since account_mark */

	struct arena arena;
	struct map object_of; /* path to index */
	VEC(struct account_object) objects;
	VEC(unsigned char) scratch; /* a record that wraps around, made one piece */
};

void account_init(struct account *account, const struct perf_writer_attr *attrs, size_t count);
void account_fini(struct account *account);

void account_view(struct account *account, const struct ring_view *view);
/* The same for records in one piece of memory. */
void account_records(struct account *account, const void *records, size_t size);

/* The payload of BUILD_ID: the objects whose id is known. */
void account_build_ids(const struct account *account, struct buf *into);

/* Takes the list of processes that had samples; it begins anew. */
size_t account_take_pids(struct account *account, const pid_t **pids);

/* Remembers the sums: the records so far are safe.  account_rewind goes back to them. */
void account_mark(struct account *account);
void account_rewind(struct account *account);

#endif
