// SPDX-License-Identifier: Apache-2.0
#include "render/report_keys.h"

#define TRAIT(kind) .by = BY_TRAIT, .trait = TRAIT_##kind

const struct report_key report_keys[] = {
	{ "overhead", NULL, "Overhead", FIELD_OVERHEAD },
	{ "overhead_children", NULL, "Children", FIELD_CHILDREN },
	{ "overhead_sys", NULL, "sys", FIELD_SYS },
	{ "overhead_us", NULL, "usr", FIELD_US },
	{ "overhead_guest_sys", NULL, "guest sys", FIELD_GUEST_SYS },
	{ "overhead_guest_us", NULL, "guest usr", FIELD_GUEST_US },
	{ "sample", NULL, "Samples", FIELD_SAMPLES },
	{ "period", NULL, "Period", FIELD_PERIOD },

	{ "comm", "command", "Command", .by = BY_COMM },
	/* perf's pid is a thread's number; a process has none of its keys. */
	{ "pid", NULL, "    Pid:Command", .by = BY_TID },
	{ "tid", "thread", "    Tid:Command", .by = BY_TID },
	{ "process", NULL, "Process:Command", .by = BY_PID },
	{ "cpu", NULL, "CPU", .by = BY_CPU, .right = true },
	{ "socket", NULL, "Socket", TRAIT(SOCKET), .right = true },
	{ "parent", NULL, "Parent symbol", .by = BY_PARENT },
	{ "dso", "object", "Shared Object", .by = BY_OBJECT },
	{ "symbol", "sym", "Symbol", .by = BY_FUNCTION },
	{ "addr", NULL, "Address", TRAIT(ADDRESS), .of_leaf = true, .least_width = 18 },
	{ "srcline", NULL, "Source:Line", .by = BY_SRCLINE, .of_leaf = true },
	{ "srcfile", NULL, "Source File", .by = BY_SRCFILE, .of_leaf = true },
	{ "symbol_size", NULL, "Symbol size", TRAIT(SYMBOL_SIZE), .of_leaf = true, .right = true },
	{ "dso_size", NULL, "DSO size", TRAIT(OBJECT_SIZE), .of_leaf = true, .right = true },
	{ "time", NULL, "Time", TRAIT(TIME), .least_width = 12 },
	{ "trace", NULL, "Trace output", TRAIT(TRACE) },
	{ "cgroup", NULL, "Cgroup", TRAIT(CGROUP) },
	{ "weight", NULL, "Weight", TRAIT(WEIGHT), .falling = true, .each = true,
	  .least_width = 12 },
	{ "local_weight", NULL, "Local Weight", TRAIT(WEIGHT), .falling = true, .least_width = 12 },
	{ "ins_lat", NULL, "INSTR Latency", TRAIT(LATENCY), .falling = true, .each = true },
	{ "local_ins_lat", NULL, "Local INSTR Latency", TRAIT(LATENCY), .falling = true },
	{ "p_stage_cyc", NULL, "Pipeline Stage Cycle", TRAIT(STAGE), .falling = true,
	  .each = true },
	{ "local_p_stage_cyc", NULL, "Local Pipeline Stage Cycle", TRAIT(STAGE), .falling = true },
	{ "transaction", NULL, "Transaction", TRAIT(TRANSACTION), .least_width = 32 },
	{ "code_page_size", NULL, "Code Page Size", TRAIT(CODE_PAGE) },

	{ "dso_from", NULL, "Source Shared Object", TRAIT(FROM_OBJECT), MODE_BRANCHES },
	{ "dso_to", NULL, "Target Shared Object", TRAIT(TO_OBJECT), MODE_BRANCHES },
	{ "symbol_from", "sym_from", "Source Symbol", TRAIT(FROM_SYMBOL), MODE_BRANCHES },
	{ "symbol_to", "sym_to", "Target Symbol", TRAIT(TO_SYMBOL), MODE_BRANCHES },
	{ "addr_from", NULL, "Source Address", TRAIT(FROM_ADDRESS), MODE_BRANCHES },
	{ "addr_to", NULL, "Target Address", TRAIT(TO_ADDRESS), MODE_BRANCHES },
	{ "srcline_from", NULL, "From Source:Line", TRAIT(FROM_LINE), MODE_BRANCHES },
	{ "srcline_to", NULL, "To Source:Line", TRAIT(TO_LINE), MODE_BRANCHES },
	{ "mispredict", NULL, "Branch Mispredicted", TRAIT(MISPREDICT), MODE_BRANCHES },
	{ "abort", NULL, "Transaction abort", TRAIT(ABORT), MODE_BRANCHES },
	{ "in_tx", NULL, "Branch in transaction", TRAIT(IN_TX), MODE_BRANCHES },
	{ "cycles", NULL, "Basic Block Cycles", TRAIT(CYCLES), MODE_BRANCHES, .falling = true },

	{ "symbol_daddr", NULL, "Data Symbol", TRAIT(DATA_SYMBOL), MODE_MEMORY },
	{ "dso_daddr", NULL, "Data Object", TRAIT(DATA_OBJECT), MODE_MEMORY, .least_width = 16 },
	{ "symbol_iaddr", NULL, "Code Symbol", TRAIT(CODE_SYMBOL), MODE_MEMORY },
	{ "dcacheline", NULL, "Data Cacheline", TRAIT(DATA_LINE), MODE_MEMORY, .least_width = 22 },
	{ "phys_daddr", NULL, "Data Physical Address", TRAIT(DATA_PHYSICAL), MODE_MEMORY },
	{ "data_page_size", NULL, "Data Page Size", TRAIT(DATA_PAGE), MODE_MEMORY,
	  .least_width = 22 },
	{ "locked", NULL, "Locked", TRAIT(LOCKED), MODE_MEMORY },
	{ "tlb", NULL, "TLB access", TRAIT(TLB), MODE_MEMORY, .least_width = 22 },
	{ "mem", NULL, "Memory access", TRAIT(LEVEL), MODE_MEMORY, .least_width = 24 },
	{ "snoop", NULL, "Snoop", TRAIT(SNOOP), MODE_MEMORY, .least_width = 12 },
	{ "blocked", NULL, "Blocked", TRAIT(BLOCKED), MODE_MEMORY, .least_width = 10 },
};

const size_t report_key_count = ARRAY_SIZE(report_keys);

const struct report_key report_trace_field = { "", NULL, "", TRAIT(TRACE_FIELD), .right = true };

static bool is_name(const char *name, const char *word, size_t length)
{
	return name && strlen(name) == length && !strncmp(name, word, length);
}

const struct report_key *report_key(const char *name, size_t length)
{
	for (size_t i = 0; i < report_key_count; i++)
		if (is_name(report_keys[i].name, name, length) ||
		    is_name(report_keys[i].other, name, length))
			return &report_keys[i];
	return NULL;
}
