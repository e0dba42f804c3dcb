/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a report's columns can hold: perf's sort keys and output fields, one table for the options,
 * the text, the JSON and the order of rows.
 */
#ifndef RENDER_REPORT_KEYS_H
#define RENDER_REPORT_KEYS_H

#include "profile/breakdown.h"

enum report_field {
	FIELD_KEY, /* rows differ in it */
	FIELD_OVERHEAD,
	FIELD_CHILDREN,
	FIELD_SYS,
	FIELD_US,
	FIELD_GUEST_SYS,
	FIELD_GUEST_US,
	FIELD_SAMPLES,
	FIELD_PERIOD,
};

/* What a key that is a trait (BY_TRAIT) tells of a sample. */
enum report_trait {
	TRAIT_NONE,
	TRAIT_ADDRESS,
	TRAIT_SYMBOL_SIZE,
	TRAIT_OBJECT_SIZE,
	TRAIT_SOCKET,
	TRAIT_TIME,
	TRAIT_TRACE,
	TRAIT_TRACE_FIELD,
	TRAIT_CGROUP,
	TRAIT_WEIGHT,
	TRAIT_LATENCY,
	TRAIT_STAGE,
	TRAIT_TRANSACTION,
	TRAIT_CODE_PAGE,
	TRAIT_FROM_OBJECT,
	TRAIT_TO_OBJECT,
	TRAIT_FROM_SYMBOL,
	TRAIT_TO_SYMBOL,
	TRAIT_FROM_ADDRESS,
	TRAIT_TO_ADDRESS,
	TRAIT_FROM_LINE,
	TRAIT_TO_LINE,
	TRAIT_MISPREDICT,
	TRAIT_ABORT,
	TRAIT_IN_TX,
	TRAIT_CYCLES,
	TRAIT_DATA_SYMBOL,
	TRAIT_DATA_OBJECT,
	TRAIT_CODE_SYMBOL,
	TRAIT_DATA_LINE,
	TRAIT_DATA_PHYSICAL,
	TRAIT_DATA_PAGE,
	TRAIT_LOCKED,
	TRAIT_TLB,
	TRAIT_LEVEL,
	TRAIT_SNOOP,
	TRAIT_BLOCKED,
};

/* What the rows are made of. */
enum report_mode { MODE_ANY, MODE_BRANCHES, MODE_MEMORY };

struct report_key {
	const char *name, *other; /* perf's, and another spelling or NULL */
	const char *title;
	enum report_field field;
	enum breakdown_key by;
	enum report_trait trait;
	enum report_mode mode; /* only there */
	bool of_leaf;	       /* of what was sampled: nothing is known of its callers */
	bool each;	       /* the number is one sample's: it is shown times their count */
	bool falling;	       /* the larger number first */
	bool right;	       /* put to the right of its column */
	uint8_t least_width;
};

/* One of them in its place. */
struct report_column {
	const struct report_key *key;
	enum breakdown_key by; /* the trait's own place, where it is one */
	const char *name;      /* of a tracepoint's field; else NULL */
	size_t fixed_width;    /* 0: as wide as what stands in it */
};

/* The key of a name; NULL if there is none. */
const struct report_key *report_key(const char *name, size_t length);
/* A key for the fields of tracepoints, which have names of their own. */
extern const struct report_key report_trace_field;
extern const struct report_key report_keys[];
extern const size_t report_key_count;

#endif
