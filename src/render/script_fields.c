// SPDX-License-Identifier: Apache-2.0
#include "render/script_fields.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/outbuf.h"
#include "perfdata/reader.h"

#include <errno.h>
#include <string.h>

#define BIT(field) (1ull << SCRIPT_##field)

static const struct {
	const char *name;
	uint64_t sample_type; /* what of it a sample must hold; 0: nothing */
	const char *holds;    /* the same in words */
	bool aux_may_lack;    /* a hardware trace makes samples that do hold it */
	const char *unit;
	const char *meaning;
} table[SCRIPT_FIELD_COUNT] = {
	[SCRIPT_MACHINE_PID] = { "machine_pid", .unit = "number",
				 .meaning = "process of the host that runs the guest, for records "
					    "that were made in one" },
	[SCRIPT_VCPU] = { "vcpu", .unit = "number", .meaning = "the guest's CPU, likewise" },
	[SCRIPT_COMM] = { "comm", .unit = "text",
			  .meaning = "name of the thread, at most 15 characters; :TID while none "
				     "is known" },
	[SCRIPT_PID] = { "pid", PERF_SAMPLE_TID, "process and thread", .unit = "number",
			 .meaning = "process; PID/TID if tid is printed too" },
	[SCRIPT_TID] = { "tid", PERF_SAMPLE_TID, "process and thread", .unit = "number",
			 .meaning = "thread" },
	[SCRIPT_CPU] = { "cpu", PERF_SAMPLE_CPU, "CPU", true, .unit = "number",
			 .meaning = "CPU it ran on, in brackets" },
	[SCRIPT_MISC] = { "misc", .unit = "letters",
			  .meaning = "mode it ran in: K kernel, U user, H hypervisor, G guest "
				     "kernel, g guest user" },
	[SCRIPT_TOD] = { "tod", PERF_SAMPLE_TIME, "time", .unit = "date and time",
			 .meaning = "wall-clock time, where the recording ties its clock to it "
				    "(record -k)" },
	[SCRIPT_TIME] = { "time", PERF_SAMPLE_TIME, "time", .unit = "s",
			  .meaning = "when, by the recording's clock; mostly since the machine was "
				     "started" },
	[SCRIPT_PERIOD] = { "period", .unit = "events",
			    .meaning = "how many events this sample stands for" },
	[SCRIPT_EVENT] = { "event", .unit = "text", .meaning = "which event it is a sample of" },
	[SCRIPT_TRACE] = { "trace", .unit = "text", .meaning = "a tracepoint's own fields" },
	[SCRIPT_ADDR] = { "addr", PERF_SAMPLE_ADDR, "data address", true, .unit = "hex",
			  .meaning = "address that was accessed, or that faulted" },
	[SCRIPT_DATA_SRC] = { "data_src", PERF_SAMPLE_DATA_SRC, "source of the data", true,
			      .unit = "hex and text",
			      .meaning = "where a memory access was served: operation, level, "
					 "snoop, TLB, lock" },
	[SCRIPT_WEIGHT] = { "weight", PERF_SAMPLE_WEIGHT_TYPE, "weight", true, .unit = "CPU cycles",
			    .meaning = "how costly it was; of a memory access: its latency" },
	[SCRIPT_INS_LAT] = { "ins_lat", PERF_SAMPLE_WEIGHT_STRUCT, "instruction's latency",
			     .unit = "CPU cycles", .meaning = "latency of the whole instruction" },
	[SCRIPT_RETIRE_LAT] = { "retire_lat", PERF_SAMPLE_WEIGHT_STRUCT, "retirement's latency",
				.unit = "CPU cycles",
				.meaning = "between this instruction's retirement and the one "
					   "before it" },
	[SCRIPT_IP] = { "ip", PERF_SAMPLE_IP, "instruction pointer", .unit = "hex",
			.meaning = "where it was: an address, or one line for each frame of the "
				   "stack (user frames as offset in their file)" },
	[SCRIPT_SYM] = { "sym", .unit = "text", .meaning = "function; [unknown] if none is known" },
	[SCRIPT_SYMOFF] = { "symoff", .unit = "hex, bytes",
			    .meaning = "+0x..: how far inside the function" },
	[SCRIPT_SRCLINE] = { "srcline", .unit = "text",
			     .meaning = "source file and line, on a line of its own" },
	[SCRIPT_DSO] = { "dso", .unit = "text",
			 .meaning = "file (program, library, kernel, module) in parentheses" },
	[SCRIPT_IREGS] = { "iregs", PERF_SAMPLE_REGS_INTR, "registers", true, .unit = "hex",
			   .meaning = "registers at the sample, as NAME:VALUE" },
	[SCRIPT_UREGS] = { "uregs", PERF_SAMPLE_REGS_USER, "user registers", .unit = "hex",
			   .meaning = "the user's registers, as NAME:VALUE" },
	[SCRIPT_BRSTACK] = { "brstack", .unit = "hex; cycles",
			     .meaning = "the last branches: FROM/TO/M mispredicted or P "
					"predicted/X in a transaction/A abort/CYCLES/TYPE" },
	[SCRIPT_BRSTACKSYM] = { "brstacksym", .unit = "text; cycles",
				.meaning = "the same with functions for addresses" },
	[SCRIPT_BRSTACKOFF] = { "brstackoff", .unit = "hex; cycles",
				.meaning = "the same with offsets in the file" },
	[SCRIPT_BPF_OUTPUT] = { "bpf-output", .unit = "bytes",
				.meaning = "what a BPF program sent along" },
	[SCRIPT_PHYS_ADDR] = { "phys_addr", PERF_SAMPLE_PHYS_ADDR, "physical address", true,
			       .unit = "hex", .meaning = "physical address of the data" },
	[SCRIPT_DATA_PAGE_SIZE] = { "data_page_size", PERF_SAMPLE_DATA_PAGE_SIZE,
				    "size of the data's page", .unit = "bytes",
				    .meaning = "size of the page that holds the data" },
	[SCRIPT_CODE_PAGE_SIZE] = { "code_page_size", PERF_SAMPLE_CODE_PAGE_SIZE,
				    "size of the code's page", .unit = "bytes",
				    .meaning = "size of the page that holds the code" },
	[SCRIPT_CGROUP] = { "cgroup", PERF_SAMPLE_CGROUP, "cgroup", .unit = "text",
			    .meaning = "path of the cgroup, without the mount point" },
};

static const struct {
	const char *prefix; /* of -F; NULL: has none */
	const char *name;
	uint64_t never;
} kinds[KIND_COUNT] = {
	[KIND_HARDWARE] = { "hw", "hardware", BIT(TRACE) | BIT(BPF_OUTPUT) },
	[KIND_SOFTWARE] = { "sw", "software", BIT(TRACE) },
	[KIND_TRACEPOINT] = { "trace", "tracepoint", 0 },
	[KIND_CACHE] = { NULL, "cache", BIT(TRACE) | BIT(BPF_OUTPUT) },
	[KIND_RAW] = { "raw", "raw", BIT(TRACE) | BIT(BPF_OUTPUT) },
	[KIND_BREAKPOINT] = { "break", "breakpoint", BIT(TRACE) | BIT(BPF_OUTPUT) },
	[KIND_OTHER] = { NULL, "PMU", BIT(TRACE) | BIT(BPF_OUTPUT) },
};

struct script_fields script_fields_default(void)
{
	uint64_t who = BIT(COMM) | BIT(TID) | BIT(CPU) | BIT(TIME) | BIT(EVENT);
	uint64_t where = who | BIT(IP) | BIT(SYM) | BIT(SYMOFF) | BIT(DSO) | BIT(PERIOD);
	struct script_fields fields = { 0 };

	for (int kind = 0; kind < KIND_COUNT; kind++)
		fields.chosen[kind] = where;
	fields.chosen[KIND_SOFTWARE] |= BIT(BPF_OUTPUT);
	fields.chosen[KIND_TRACEPOINT] = who | BIT(TRACE);
	fields.chosen[KIND_RAW] |= BIT(ADDR) | BIT(DATA_SRC) | BIT(WEIGHT) | BIT(PHYS_ADDR) |
				   BIT(DATA_PAGE_SIZE) | BIT(CODE_PAGE_SIZE) | BIT(INS_LAT);
	return fields;
}

static int find_kind(const char *text, size_t length, struct err *err)
{
	for (int kind = 0; kind < KIND_COUNT; kind++)
		if (kinds[kind].prefix && strlen(kinds[kind].prefix) == length &&
		    !memcmp(kinds[kind].prefix, text, length))
			return kind;
	return err_set(err, EINVAL,
		       "no kind of event is called '%.*s': hw, sw, trace, raw and break are",
		       (int)length, text);
}

/* Fields of perf's that are not here, and why. */
static const struct {
	const char *name, *why;
} missing[] = {
	{ "flags", "hardware traces are not decoded" },
	{ "callindent", "hardware traces are not decoded" },
	{ "synth", "hardware traces are not decoded" },
	{ "ipc", "hardware traces are not decoded" },
	{ "insn", "code is not disassembled" },
	{ "insnlen", "code is not disassembled" },
	{ "brstackinsn", "code is not disassembled" },
	{ "brstackinsnlen", "code is not disassembled" },
	{ "srccode", "source is not read; srcline has the file and line" },
	{ "metric", "metrics are of `perfolio stat`" },
};

static int find_field(const char *text, size_t length, struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(missing); i++)
		if (strlen(missing[i].name) == length && !memcmp(missing[i].name, text, length))
			return err_set(err, EINVAL, "-F %s is not here: %s", missing[i].name,
				       missing[i].why);
	for (int field = 0; field < SCRIPT_FIELD_COUNT; field++)
		if (strlen(table[field].name) == length && !memcmp(table[field].name, text, length))
			return field;
	return err_set(err, EINVAL, "unknown field '%.*s'; see 'perfolio script --explain'",
		       (int)length, text);
}

static void change(struct script_fields *fields, int kind, int field, char sign)
{
	uint64_t bit = 1ull << field;

	if (sign == '-') {
		fields->chosen[kind] &= ~bit;
		fields->asked[kind] &= ~bit;
		fields->refused[kind] |= bit;
	} else {
		fields->chosen[kind] |= bit;
		fields->asked[kind] |= bit;
		fields->refused[kind] &= ~bit;
	}
	fields->user_set[kind] = true;
}

/* For one kind, or with -1 for all that can have the field. */
static int change_kinds(struct script_fields *fields, int kind, int field, char sign,
			struct err *err)
{
	if (kind >= 0 && kinds[kind].never >> field & 1)
		return err_set(err, EINVAL, "%s events have no field '%s'", kinds[kind].name,
			       table[field].name);
	for (int each = 0; each < KIND_COUNT; each++)
		if ((kind < 0 || kind == each) && !(kinds[each].never >> field & 1))
			change(fields, each, field, sign);
	return 0;
}

/* A plain list replaces the default; signs change it. */
static void start_over(struct script_fields *fields, int kind)
{
	for (int each = 0; each < KIND_COUNT; each++) {
		if (kind >= 0 && kind != each)
			continue;
		fields->chosen[each] = fields->asked[each] = 0;
		fields->user_set[each] = true;
	}
}

static bool has_signs(const char *list)
{
	for (; *list; list += strcspn(list, ","), list += *list == ',')
		if (*list == '+' || *list == '-')
			return true;
	return false;
}

int script_fields_parse(struct script_fields *fields, const char *text, struct err *err)
{
	const char *colon = strchr(text, ':'), *list = colon ? colon + 1 : text;
	bool plain = !has_signs(list);
	int kind = -1, field, rc;

	if (colon) {
		kind = find_kind(text, (size_t)(colon - text), err);
		if (kind < 0)
			return kind;
	} else if (!*text) {
		return err_set(err, EINVAL, "no field is named");
	}
	if (plain)
		start_over(fields, kind);

	while (*list) {
		size_t length = strcspn(list, ",");
		char sign = *list == '+' || *list == '-' ? *list : 0;

		if (length && !sign != plain)
			return err_set(
				err, EINVAL,
				"+FIELD and -FIELD change the usual list, FIELD replaces it: "
				"not both in '%s'",
				text);
		if (length) {
			field = find_field(list + !!sign, length - !!sign, err);
			if (field < 0)
				return field;
			rc = change_kinds(fields, kind, field, sign, err);
			if (rc)
				return rc;
		}
		list += length + (list[length] == ',');
	}
	return 0;
}

enum script_kind script_kind_of(const struct perf_attr *attr)
{
	return attr->attr.base.type < KIND_OTHER ? (enum script_kind)attr->attr.base.type
						 : KIND_OTHER;
}

static bool is_dummy(const struct perf_attr *attr)
{
	return attr->attr.base.type == PERF_TYPE_SOFTWARE &&
	       attr->attr.base.config == PERF_COUNT_SW_DUMMY;
}

static int check_event(struct script_fields *fields, const struct perf_attr *attr, bool auxtrace,
		       struct err *err)
{
	enum script_kind kind = script_kind_of(attr);

	for (int field = 0; field < SCRIPT_FIELD_COUNT; field++) {
		uint64_t bit = 1ull << field;

		if (!(fields->chosen[kind] & bit) || !table[field].sample_type ||
		    attr->attr.base.sample_type & table[field].sample_type)
			continue;
		if (fields->asked[kind] & bit && auxtrace && table[field].aux_may_lack)
			continue;
		if (fields->asked[kind] & bit)
			return err_set(err, ENODATA,
				       "samples of '%s' hold no %s: field '%s' can't be printed",
				       attr->name, table[field].holds, table[field].name);
		fields->chosen[kind] &= ~bit;
	}
	if (fields->asked[kind] & BIT(SYMOFF) && !(fields->chosen[kind] & BIT(SYM)))
		return err_set(err, EINVAL,
			       "field 'symoff' says how far inside what 'sym' names: "
			       "it needs that one too");
	return 0;
}

/* With stacks, tracepoints and what comes through a pipe show them even if ip is not in the list.
 */
static void add_stack_fields(struct script_fields *fields, const struct perf_attr *attr, bool pipe)
{
	const uint64_t stack = PERF_SAMPLE_CALLCHAIN | (pipe ? PERF_SAMPLE_BRANCH_STACK : 0);
	enum script_kind kind = script_kind_of(attr);

	if (!(attr->attr.base.sample_type & stack))
		return;
	if (pipe)
		fields->chosen[kind] |= (BIT(IP) | BIT(SYM)) & ~fields->refused[kind];
	else if (kind == KIND_TRACEPOINT && !fields->user_set[kind])
		fields->chosen[kind] |= BIT(IP) | BIT(SYM) | BIT(SYMOFF) | BIT(DSO);
}

/* As perf: the first event of a kind decides for all of them. */
int script_fields_check(struct script_fields *fields, struct perf_reader *reader, bool callchains,
			struct err *err)
{
	bool seen[KIND_COUNT] = { 0 }, pipe = perf_reader_is_pipe(reader), auxtrace;
	const void *data;
	size_t size, count = perf_reader_attr_count(reader);
	int rc;

	if (fields->checked == count)
		return 0;
	auxtrace = perf_reader_feature(reader, FEATURE_AUXTRACE, &data, &size);
	for (size_t i = 0; i < count; i++) {
		const struct perf_attr *attr = perf_reader_attr(reader, i);

		if (callchains && i >= fields->checked)
			add_stack_fields(fields, attr, pipe);
		if (is_dummy(attr) || seen[script_kind_of(attr)])
			continue;
		seen[script_kind_of(attr)] = true;
		if (i < fields->checked || (pipe && !attr->attr.base.sample_type))
			continue;
		rc = check_event(fields, attr, auxtrace, err);
		if (rc)
			return rc;
	}
	fields->checked = (uint32_t)count;
	return 0;
}

void script_fields_explain(struct outbuf *out)
{
	for (int field = 0; field < SCRIPT_FIELD_COUNT; field++)
		out_printf(out, "%-16s %-14s %s\n", table[field].name, table[field].unit,
			   table[field].meaning);
}
