// SPDX-License-Identifier: Apache-2.0
#include "base/mem.h"
#include "base/outbuf.h"
#include "render/regname.h"
#include "render/script_dump.h"
#include "render/script_text.h"

#include <inttypes.h>

static bool is_call_stack(const struct perf_event_attr *attr)
{
	return attr->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK;
}

static void dump_address(struct outbuf *out, uint64_t index, uint64_t address)
{
	out_printf(out, "..... %2" PRIu64 ": %016" PRIx64 "\n", index, address);
}

/* The kernel's part of the chain and the branch recorder's as the user's. */
static void dump_branch_chain(struct outbuf *out, const struct sample *s)
{
	uint64_t kernel = 0;

	while (kernel < s->chain_len && s->chain[kernel] != (uint64_t)PERF_CONTEXT_USER)
		kernel++;
	if (kernel++ == s->chain_len || !s->branch_count)
		return;
	out_printf(out, "... LBR call chain: nr:%" PRIu64 "\n", kernel + s->branch_count + 1);
	for (uint64_t i = 0; i < kernel; i++)
		dump_address(out, i, s->chain[i]);
	dump_address(out, kernel, s->branches[0].to);
	for (uint64_t i = 0; i < s->branch_count; i++)
		dump_address(out, kernel + 1 + i, s->branches[i].from);
}

static void dump_chain(struct outbuf *out, const struct perf_event_attr *attr,
		       const struct sample *s)
{
	if (is_call_stack(attr))
		dump_branch_chain(out, s);
	out_printf(out, "... FP chain: nr:%" PRIu64 "\n", s->chain_len);
	for (uint64_t i = 0; i < s->chain_len; i++)
		dump_address(out, i, s->chain[i]);
}

static void dump_branch(struct outbuf *out, uint64_t index, const struct perf_branch_entry *branch)
{
	out_printf(
		out,
		"..... %2" PRIu64 ": %016" PRIx64 " -> %016" PRIx64 " %hu cycles %s%s%s%s %x %s\n",
		index, (uint64_t)branch->from, (uint64_t)branch->to, (unsigned short)branch->cycles,
		branch->mispred ? "M" : " ", branch->predicted ? "P" : " ",
		branch->abort ? "A" : " ", branch->in_tx ? "T" : " ", (unsigned)branch->reserved,
		script_branch_type(branch));
}

static void dump_branches(struct outbuf *out, const struct perf_event_attr *attr,
			  const struct sample *s)
{
	if (!is_call_stack(attr)) {
		out_printf(out, "... branch stack: nr:%" PRIu64 "\n", s->branch_count);
		for (uint64_t i = 0; i < s->branch_count; i++)
			dump_branch(out, i, &s->branches[i]);
		return;
	}
	out_printf(out, "... branch callstack: nr:%" PRIu64 "\n", s->branch_count + 1);
	if (s->branch_count)
		dump_address(out, 0, s->branches[0].to);
	for (uint64_t i = 0; i < s->branch_count; i++)
		dump_address(out, i + 1, s->branches[i].from);
}

static void dump_regs(struct script_dump *dump, const char *whose, const struct sample_regs *regs)
{
	static const char *const abis[] = { "none", "32-bit", "64-bit" };
	const uint64_t *value = regs->values;

	if (!value)
		return;
	out_printf(dump->out, "... %s regs: mask 0x%" PRIx64 " ABI %s\n", whose, regs->mask,
		   regs->abi < ARRAY_SIZE(abis) ? abis[regs->abi] : "unknown");
	for (unsigned reg = 0; reg < 64; reg++)
		if (regs->mask >> reg & 1)
			out_printf(dump->out, ".... %-5s 0x%016" PRIx64 "\n",
				   reg_name(dump->arch, reg), *value++);
}

static void dump_read(struct outbuf *out, const struct perf_attr *attr, const struct sample *s)
{
	uint64_t format = attr->attr.base.read_format;

	out_text(out, "... sample_read:\n");
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		out_printf(out, "...... time enabled %016" PRIx64 "\n", s->read_enabled);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		out_printf(out, "...... time running %016" PRIx64 "\n", s->read_running);
	if (format & PERF_FORMAT_GROUP)
		out_printf(out, ".... group nr %" PRIu64 "\n", s->read_count);
	for (uint64_t i = 0; i < s->read_count; i++) {
		struct sample_read_value value = sample_read_value_at(attr, s, i);

		out_printf(out, "..... id %016" PRIx64 ", value %016" PRIx64, value.id,
			   value.value);
		if (format & PERF_FORMAT_LOST)
			out_printf(out, ", lost %" PRIu64, value.lost);
		out_char(out, '\n');
	}
}

static void dump_memory(struct outbuf *out, uint64_t type, const struct sample *s)
{
	if (type & PERF_SAMPLE_WEIGHT_TYPE) {
		out_printf(out, "... weight: %" PRIu64, s->weight);
		if (type & PERF_SAMPLE_WEIGHT_STRUCT)
			out_printf(out, ",0x%" PRIx16 ",0x%" PRIx16, s->weight_ins_lat,
				   s->weight_retire_lat);
		out_char(out, '\n');
	}
	if (type & PERF_SAMPLE_DATA_SRC)
		out_printf(out, " . data_src: 0x%" PRIx64 "\n", s->data_src);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		out_printf(out, " .. phys_addr: 0x%" PRIx64 "\n", s->phys_addr);
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE) {
		out_text(out, " .. data page size:");
		script_text_page_size(out, s->data_page_size);
		out_char(out, '\n');
	}
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE) {
		out_text(out, " .. code page size:");
		script_text_page_size(out, s->code_page_size);
		out_char(out, '\n');
	}
}

static void dump_where(struct script_dump *dump, const struct sample *s)
{
	const struct thread *thread = machine_sample_thread(dump->machine, s);
	bool known = s->cpumode == PERF_RECORD_MISC_USER || s->cpumode == PERF_RECORD_MISC_KERNEL ||
		     (thread && s->cpumode != PERF_RECORD_MISC_HYPERVISOR &&
		      s->cpumode != PERF_RECORD_MISC_CPUMODE_UNKNOWN);
	const struct mapping *mapping;

	if (!thread) /* a guest's that nobody asked for is shown as the host's */
		thread = machine_thread(dump->machine, s->pid, s->tid);
	mapping = machine_find(dump->machine, thread, s->cpumode, s->ip);
	out_printf(dump->out, " ... thread: %s:%d\n", thread->comm, (int)thread->tid);
	out_printf(dump->out, " ...... dso: %s\n",
		   mapping ? machine_object(dump->machine, mapping->object)->path
		   : known ? "<not found>"
			   : "[hypervisor]");
}

void script_dump_sample(struct script_dump *dump, const struct perf_attr *attr,
			const struct sample *s)
{
	uint64_t type = attr->attr.base.sample_type;
	struct outbuf *out = dump->out;

	out_printf(out, "(IP, 0x%x): %d/%d: %#" PRIx64 " period: %" PRIu64 " addr: %#" PRIx64 "\n",
		   s->misc, (int)s->pid, (int)s->tid, s->ip, s->period, s->addr);
	if (type & PERF_SAMPLE_CALLCHAIN)
		dump_chain(out, &attr->attr.base, s);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		dump_branches(out, &attr->attr.base, s);
	if (type & PERF_SAMPLE_REGS_USER)
		dump_regs(dump, "user", &s->user_regs);
	if (type & PERF_SAMPLE_REGS_INTR)
		dump_regs(dump, "intr", &s->intr_regs);
	if (type & PERF_SAMPLE_STACK_USER)
		out_printf(out, "... ustack: size %" PRIu64 ", offset 0x%x\n", s->user_stack_size,
			   s->user_stack_offset);
	dump_memory(out, type, s);
	if (type & PERF_SAMPLE_TRANSACTION)
		out_printf(out, "... transaction: %" PRIx64 "\n", s->transaction);
	if (type & PERF_SAMPLE_READ)
		dump_read(out, attr, s);
	if (!(type & PERF_SAMPLE_READ))
		dump_where(dump, s);
	/* A group's record is a sample of each of its events that counted anything. */
	for (uint64_t i = 0; type & PERF_SAMPLE_READ && i < s->read_count; i++) {
		struct sample_read_value value = sample_read_value_at(attr, s, i);
		uint64_t delta;

		if (perf_reader_read_delta(dump->reader, value.id, value.value, &delta) && delta)
			dump_where(dump, s);
	}
}
