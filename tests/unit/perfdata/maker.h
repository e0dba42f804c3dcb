/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes recordings for the tests, byte by byte and in either byte order, from the format's
 * description and not with the code that is being tested.
 */
#ifndef UNIT_PERFDATA_MAKER_H
#define UNIT_PERFDATA_MAKER_H

#include "base/buf.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct maker {
	struct buf out;
	bool big; /* as a big-endian machine writes it */
	bool pipe;
	size_t record; /* where the record that is being made begins */
	size_t data;   /* where the records begin */
	uint64_t feature_bits[4];
	struct {
		int feature;
		struct buf bytes;
	} features[16];
	size_t feature_count;
};

/* An event, with what the tests vary; all else is 0. */
struct made_attr {
	uint32_t type;
	uint64_t config, sample_period, sample_type, read_format, branch_sample_type;
	uint64_t regs_user, regs_intr;
	unsigned precise_ip;
	bool no_id_all; /* sample_id_all is set otherwise */
	bool exclude_kernel;
	uint32_t size; /* 0: 136 */
	const uint64_t *ids;
	size_t ids_count;
};

void make_u16(struct maker *maker, uint16_t value);
void make_u32(struct maker *maker, uint32_t value);
void make_u64(struct maker *maker, uint64_t value);
void make_bytes(struct maker *maker, const void *bytes, size_t size);
void make_name(struct maker *maker, const char *name); /* with NUL, padded to 8 bytes */
void make_text(struct maker *maker, const char *text); /* as features have it: length, bytes */
/* Bits that a machine with the maker's byte order has from `at` to `at + width` of a bit field. */
uint64_t made_bits(const struct maker *maker, unsigned at, unsigned width, uint64_t value);

/* Header and attrs; records follow. */
void make_start(struct maker *maker, const struct made_attr *attrs, size_t count);
void make_record(struct maker *maker, uint32_t type, uint16_t misc);
void make_record_end(struct maker *maker); /* fills in the record's size */

/* The usual ones; the trailer holds pid 7, tid 8, the time and the id (TID|TIME|ID). */
void make_comm(struct maker *maker, uint32_t pid, const char *comm, uint64_t time, uint64_t id);
void make_sample_start(struct maker *maker, uint64_t ip, uint64_t time, uint64_t id);
void make_round(struct maker *maker);

/* What comes from here on goes into a feature, until make_feature_end. */
void make_feature(struct maker *maker, int feature);
void make_feature_end(struct maker *maker);

/* The formats of one system's tracepoints as feature TRACING_DATA; NULLs among them are left out.
 */
void make_formats(struct maker *maker, const char *system, const char *const *formats,
		  size_t count);

/* Ends the file: table of features, header.  A pipe needs none. */
void make_finish(struct maker *maker);
void make_free(struct maker *maker);

#define MADE_SAMPLE_TYPE (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID)

#endif
