/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which fields `script` prints of a sample, for each kind of event, as perf's -F chooses them.
 */
#ifndef RENDER_SCRIPT_FIELDS_H
#define RENDER_SCRIPT_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

struct err;
struct outbuf;
struct perf_attr;
struct perf_reader;

/* In the order in which `--explain` tells them, which is about that in which they are printed. */
enum script_field {
	SCRIPT_MACHINE_PID,
	SCRIPT_VCPU,
	SCRIPT_COMM,
	SCRIPT_PID,
	SCRIPT_TID,
	SCRIPT_CPU,
	SCRIPT_MISC,
	SCRIPT_TOD,
	SCRIPT_TIME,
	SCRIPT_PERIOD,
	SCRIPT_EVENT,
	SCRIPT_TRACE,
	SCRIPT_ADDR,
	SCRIPT_DATA_SRC,
	SCRIPT_WEIGHT,
	SCRIPT_INS_LAT,
	SCRIPT_RETIRE_LAT,
	SCRIPT_IP,
	SCRIPT_SYM,
	SCRIPT_SYMOFF,
	SCRIPT_DSO,
	SCRIPT_SRCLINE,
	SCRIPT_IREGS,
	SCRIPT_UREGS,
	SCRIPT_BRSTACK,
	SCRIPT_BRSTACKSYM,
	SCRIPT_BRSTACKOFF,
	SCRIPT_BPF_OUTPUT,
	SCRIPT_PHYS_ADDR,
	SCRIPT_DATA_PAGE_SIZE,
	SCRIPT_CODE_PAGE_SIZE,
	SCRIPT_CGROUP,
	SCRIPT_FIELD_COUNT,
};

/* Events are told apart by attr.type; all PMUs beyond the kernel's own are one kind. */
enum script_kind {
	KIND_HARDWARE,
	KIND_SOFTWARE,
	KIND_TRACEPOINT,
	KIND_CACHE,
	KIND_RAW,
	KIND_BREAKPOINT,
	KIND_OTHER,
	KIND_COUNT,
};

struct script_fields {
	uint64_t chosen[KIND_COUNT]; /* a bit for each field */
	uint64_t asked[KIND_COUNT];  /* those that the user named: they may not be left out */
	uint64_t refused[KIND_COUNT];
	bool user_set[KIND_COUNT];
	uint32_t checked; /* how many of the reader's events script_fields_check saw */
};

struct script_fields script_fields_default(void);

/* "comm,tid,+addr", "trace:comm,trace"; -EINVAL with the reason in *err. */
int script_fields_parse(struct script_fields *fields, const char *text, struct err *err);

/*
 * Compares with what the samples hold: what is missing is dropped from the default, and an error if
 * it was asked for.  In a pipe events come one by one: call it again whenever there are more.
 */
int script_fields_check(struct script_fields *fields, struct perf_reader *reader, bool callchains,
			struct err *err);

enum script_kind script_kind_of(const struct perf_attr *attr);

static inline bool script_has(const struct script_fields *fields, enum script_kind kind,
			      enum script_field field)
{
	return fields->chosen[kind] >> field & 1;
}

/* Every field with its meaning and unit. */
void script_fields_explain(struct outbuf *out);

#endif
