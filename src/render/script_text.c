// SPDX-License-Identifier: Apache-2.0
#include "render/script_text.h"
#include "base/clock.h"
#include "base/cursor.h"
#include "base/outbuf.h"
#include "perfdata/tracing.h"
#include "render/script_dump.h"

#include <string.h>

#define HAS(text, kind, field) script_has(&(text)->fields, (kind), SCRIPT_##field)

static bool has_chain(const struct script_text *text, const struct perf_attr *attr)
{
	return !text->no_chains && attr->attr.base.sample_type & PERF_SAMPLE_CALLCHAIN;
}

static void print_ids(struct script_text *text, enum script_kind kind, const struct sample *sample)
{
	struct outbuf *out = text->out;
	bool pid = HAS(text, kind, PID), tid = HAS(text, kind, TID);

	if (!pid && !tid)
		return;
	out_int(out, (int32_t)(pid ? sample->pid : sample->tid), 5);
	if (pid && tid) {
		out_char(out, '/');
		if ((int32_t)sample->tid >= 0)
			out_u64_left(out, sample->tid, 5);
		else
			out_printf(out, "%-5d", (int32_t)sample->tid);
	}
	out_char(out, ' ');
}

static void print_cpu(struct outbuf *out, uint32_t cpu, bool latency)
{
	if (latency) {
		out_int(out, (int32_t)cpu, 3);
		out_char(out, ' ');
		return;
	}
	out_char(out, '[');
	if ((int32_t)cpu >= 0)
		out_u64_zeros(out, cpu, 3);
	else
		out_printf(out, "%03d", (int32_t)cpu);
	out_text(out, "] ");
}

/* What else the bits of a record's misc say. */
static size_t more_letters(char *letters, uint32_t type, uint16_t misc)
{
	size_t count = 0;

	switch (type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		if (misc & PERF_RECORD_MISC_MMAP_DATA)
			letters[count++] = 'M';
		break;
	case PERF_RECORD_COMM:
		if (misc & PERF_RECORD_MISC_COMM_EXEC)
			letters[count++] = 'E';
		break;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		if (misc & PERF_RECORD_MISC_SWITCH_OUT)
			letters[count++] = 'S';
		if (count && misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT)
			letters[count++] = 'p';
		break;
	default: break;
	}
	return count;
}

static void print_misc(struct outbuf *out, uint32_t type, uint16_t misc)
{
	static const struct {
		uint16_t bits;
		char letter;
	} modes[] = {
		{ PERF_RECORD_MISC_KERNEL, 'K' },     { PERF_RECORD_MISC_USER, 'U' },
		{ PERF_RECORD_MISC_HYPERVISOR, 'H' }, { PERF_RECORD_MISC_GUEST_KERNEL, 'G' },
		{ PERF_RECORD_MISC_GUEST_USER, 'g' },
	};
	char letters[8];
	size_t count = 0;

	/* perf asks for bits, not for the mode's number: a mode may show several letters. */
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if ((misc & modes[i].bits) == modes[i].bits)
			letters[count++] = modes[i].letter;
	count += more_letters(letters + count, type, misc);
	out_left(out, letters, count, 6);
}

static void print_time(struct script_text *text, uint64_t time)
{
	struct outbuf *out = text->out;
	uint64_t shown = time, seconds;

	if (text->reltime) {
		if (!text->first_time)
			text->first_time = time;
		shown = time - text->first_time;
	} else if (text->deltatime) {
		shown = text->previous_time ? time - text->previous_time : 0;
		text->previous_time = time;
	}
	seconds = shown / NS_PER_SEC;
	out_u64(out, seconds, 5);
	out_char(out, '.');
	if (text->ns)
		out_u64_zeros(out, shown % NS_PER_SEC, 9);
	else
		out_u64_zeros(out, shown % NS_PER_SEC / 1000, 6);
	out_text(out, ": ");
}

static void print_event(struct script_text *text, const struct perf_attr *attr)
{
	if (!text->event_width)
		for (size_t i = 0; i < perf_reader_attr_count(text->reader); i++) {
			size_t length = strlen(perf_reader_attr(text->reader, i)->name);

			if (length > text->event_width)
				text->event_width = length;
		}
	out_right(text->out, attr->name, strlen(attr->name), text->event_width);
	out_text(text->out, ": ");
}

/* Which guest's record it is, if it was made in one. */
static void print_guest(struct script_text *text, enum script_kind kind,
			const struct sample *sample)
{
	uint32_t pid, vcpu;

	if ((!HAS(text, kind, MACHINE_PID) && !HAS(text, kind, VCPU)) ||
	    !machine_guest(text->machine, sample->id, &pid, &vcpu))
		return;
	if (HAS(text, kind, MACHINE_PID)) {
		out_text(text->out, "VM:");
		out_u64(text->out, pid, 5);
		out_char(text->out, ' ');
	}
	if (HAS(text, kind, VCPU)) {
		out_text(text->out, "VCPU:");
		out_u64_zeros(text->out, vcpu, 3);
		out_char(text->out, ' ');
	}
}

/* Who, where and when; `type` is the record's. */
static void print_start(struct script_text *text, const struct perf_attr *attr, uint32_t type,
			const struct sample *sample, const struct thread *thread)
{
	enum script_kind kind = script_kind_of(attr);
	struct outbuf *out = text->out;

	print_guest(text, kind, sample);
	if (HAS(text, kind, COMM)) {
		bool narrow = HAS(text, kind, IP) && has_chain(text, attr);

		const char *comm = thread ? thread->comm : ":-1";

		if (text->latency)
			out_right(out, comm, strnlen(comm, 8), 8);
		else
			out_right(out, comm, strlen(comm), narrow ? 0 : 16);
		out_char(out, ' ');
	}
	print_ids(text, kind, sample);
	if (HAS(text, kind, CPU))
		print_cpu(out, sample->cpu, text->latency);
	if (HAS(text, kind, MISC))
		print_misc(out, type, sample->misc);
	if (HAS(text, kind, TOD))
		script_text_tod(text, sample->time);
	if (HAS(text, kind, TIME))
		print_time(text, sample->time);
}

static void print_which(struct script_text *text, enum script_kind kind,
			const struct perf_attr *attr, const struct sample *sample)
{
	if (HAS(text, kind, PERIOD)) {
		out_u64(text->out, sample->period, 10);
		out_char(text->out, ' ');
	}
	if (HAS(text, kind, EVENT))
		print_event(text, attr);
}

/* The kernel's function at an address, for the formats that print one by its name. */
static const char *resolve_function(void *user, uint64_t address, uint64_t *start,
				    const char **module)
{
	struct script_symbols *symbols = user;
	const struct thread *idle = machine_thread(symbols->naming.machine, 0, 0);
	struct place place = script_symbols_find(symbols, idle, PERF_RECORD_MISC_KERNEL, address);

	if (!place.symbol)
		return NULL;
	*start = address - place.offset;
	*module = place.object->kind == OBJECT_MODULE ? place.object->name : NULL;
	return place.symbol;
}

static void print_trace(struct script_text *text, const struct perf_attr *attr,
			const struct sample *sample)
{
	if (!text->tracing_loaded) {
		text->tracing = tracing_new(text->reader);
		tracing_set_resolver(text->tracing, resolve_function, &text->symbols);
		text->tracing_loaded = true;
	}
	tracing_print(text->tracing, attr->attr.base.config, sample->cpu, sample->raw,
		      sample->raw_size, text->out);
}

unsigned script_text_show(const struct script_text *text, enum script_kind kind)
{
	return (HAS(text, kind, SYM) ? SHOW_SYM : 0) | (HAS(text, kind, SYMOFF) ? SHOW_SYMOFF : 0) |
	       (HAS(text, kind, DSO) ? SHOW_DSO : 0) |
	       (HAS(text, kind, SRCLINE) ? SHOW_SRCLINE : 0);
}

static void print_frame(struct script_text *text, enum script_kind kind,
			const struct thread *thread, uint8_t mode, uint64_t ip)
{
	script_symbols_frame(&text->symbols, text->out, script_text_show(text, kind), thread, mode,
			     ip);
}

/* How the frames of a chain are told that are not its first. */
static unsigned show_inlined(const struct script_text *text, const struct sample *sample,
			     uint8_t mode, bool caller)
{
	enum inlining inlining = symbol_store_inlining(text->symbols.naming.store);

	if (inlining == INLINE_NONE ||
	    (mode != PERF_RECORD_MISC_USER && mode != PERF_RECORD_MISC_KERNEL))
		return 0;
	if (sample->chain_origin.unwound && mode == PERF_RECORD_MISC_USER)
		return SHOW_INLINED;
	return inlining == INLINE_ALL ? SHOW_INLINED | (caller ? SHOW_BEFORE : 0) : 0;
}

static bool mode_of_context(uint64_t ip, uint8_t *mode)
{
	switch (ip) {
	case PERF_CONTEXT_HV: *mode = PERF_RECORD_MISC_HYPERVISOR; return true;
	case PERF_CONTEXT_KERNEL: *mode = PERF_RECORD_MISC_KERNEL; return true;
	case PERF_CONTEXT_USER: *mode = PERF_RECORD_MISC_USER; return true;
	default: return false;
	}
}

/* A marker that nobody knows: perf takes the whole chain for broken and prints none of it. */
static bool is_broken_chain(const struct sample *sample)
{
	uint8_t mode;

	for (uint64_t i = 0; i < sample->chain_len; i++)
		if (sample->chain[i] >= (uint64_t)PERF_CONTEXT_MAX &&
		    !mode_of_context(sample->chain[i], &mode))
			return true;
	return false;
}

static bool stops_at(struct script_text *text, const struct thread *thread, uint8_t mode,
		     uint64_t ip)
{
	struct place place = script_symbols_find(&text->symbols, thread, mode, ip);

	for (size_t i = 0; i < text->stop_at->len && place.symbol; i++)
		if (!strcmp(text->stop_at->data[i], script_symbols_name(&text->symbols, &place)))
			return true;
	return false;
}

/* Up to `count` entries; gives how many of them were frames. */
static void print_chain(struct script_text *text, enum script_kind kind,
			const struct sample *sample, const struct thread *thread, uint64_t count)
{
	uint8_t mode = PERF_RECORD_MISC_USER;
	unsigned frames = 0, show = script_text_show(text, kind);
	uint64_t first = 0; /* entry that is a frame */

	for (uint64_t i = 0; i < count; i++) {
		unsigned splice = i && i == sample->chain_spliced ? SHOW_SPLICED : 0;
		uint64_t ip = sample->chain[i];

		if (ip >= (uint64_t)PERF_CONTEXT_MAX) {
			mode_of_context(ip, &mode);
			first += i == first;
			if (sample->chain_origin.unwound)
				frames = 0; /* perf's limit holds for each part then */
			continue;
		}
		if (frames == text->max_stack)
			continue;
		script_symbols_frame(&text->symbols, text->out,
				     show | splice | show_inlined(text, sample, mode, i > first),
				     thread, mode, ip);
		frames++;
		if (text->stop_at && stops_at(text, thread, mode, ip))
			break;
	}
}

/*
 * Intel's branch recorder in call-stack mode: the kernel's frames are the chain's, the user's are
 * where the recorded calls came from.  False if there is no user part, and the chain is all.
 */
static bool print_branch_chain(struct script_text *text, enum script_kind kind,
			       const struct sample *sample, const struct thread *thread)
{
	uint64_t user = 0, limit = sample->chain_len;

	if (limit > text->max_stack)
		limit = text->max_stack;
	while (user < limit && sample->chain[user] != (uint64_t)PERF_CONTEXT_USER)
		user++;
	if (user == limit)
		return false;
	print_chain(text, kind, sample, thread, user);
	if (!sample->branch_count)
		return true;
	print_frame(text, kind, thread, PERF_RECORD_MISC_USER, sample->branches[0].to);
	for (uint64_t i = 0; i < sample->branch_count; i++)
		print_frame(text, kind, thread, PERF_RECORD_MISC_USER, sample->branches[i].from);
	return true;
}

static void print_where(struct script_text *text, enum script_kind kind,
			const struct perf_attr *attr, const struct sample *sample,
			const struct thread *thread)
{
	struct outbuf *out = text->out;
	struct place place;

	if (!has_chain(text, attr)) {
		out_char(out, ' ');
		out_hex(out, sample->ip, 16);
		place = script_symbols_find(&text->symbols, thread, sample->cpumode, sample->ip);
		script_symbols_print(&text->symbols, out, script_text_show(text, kind), &place);
		if (HAS(text, kind, SRCLINE))
			script_symbols_srcline(&text->symbols, out, &place);
		return;
	}
	out_char(out, '\n');
	if (is_broken_chain(sample))
		return;
	if (attr->attr.base.sample_type & PERF_SAMPLE_BRANCH_STACK &&
	    attr->attr.base.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK &&
	    print_branch_chain(text, kind, sample, thread))
		return;
	print_chain(text, kind, sample, thread, sample->chain_len);
}

static bool is_fault(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_PAGE_FAULTS ||
						    attr->config == PERF_COUNT_SW_PAGE_FAULTS_MIN ||
						    attr->config == PERF_COUNT_SW_PAGE_FAULTS_MAJ);
}

static void print_addr(struct script_text *text, enum script_kind kind,
		       const struct perf_attr *attr, const struct sample *sample,
		       const struct thread *thread)
{
	struct place place;

	out_hex(text->out, sample->addr, 16);
	if (!is_fault(&attr->attr.base))
		return;
	place = script_symbols_find_any(&text->symbols, thread, sample->cpumode, sample->addr);
	script_symbols_print(&text->symbols, text->out, script_text_show(text, kind), &place);
}

static void print_memory(struct script_text *text, enum script_kind kind,
			 const struct perf_attr *attr, const struct sample *sample,
			 const struct thread *thread)
{
	struct outbuf *out = text->out;

	if (HAS(text, kind, ADDR))
		print_addr(text, kind, attr, sample, thread);
	if (HAS(text, kind, DATA_SRC))
		script_text_data_src(text, sample->data_src);
	if (HAS(text, kind, WEIGHT))
		out_u64(out, sample->weight, 16);
	if (HAS(text, kind, INS_LAT))
		out_u64(out, sample->weight_ins_lat, 16);
	if (HAS(text, kind, RETIRE_LAT))
		out_u64(out, sample->weight_retire_lat, 16);
}

static bool is_bpf_output(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_BPF_OUTPUT;
}

static void print_late(struct script_text *text, enum script_kind kind,
		       const struct perf_attr *attr, const struct sample *sample,
		       const struct thread *thread)
{
	struct outbuf *out = text->out;

	if (HAS(text, kind, IREGS))
		script_text_regs(text, &sample->intr_regs);
	if (HAS(text, kind, UREGS))
		script_text_regs(text, &sample->user_regs);
	script_text_branches(text, kind, sample, thread);
	if (HAS(text, kind, BPF_OUTPUT) && is_bpf_output(&attr->attr.base))
		script_text_bpf_output(out, sample);
	if (HAS(text, kind, PHYS_ADDR))
		out_hex(out, sample->phys_addr, 16);
	if (HAS(text, kind, DATA_PAGE_SIZE))
		script_text_page_size(out, sample->data_page_size);
	if (HAS(text, kind, CODE_PAGE_SIZE))
		script_text_page_size(out, sample->code_page_size);
	if (HAS(text, kind, CGROUP)) {
		const char *path = machine_cgroup(text->machine, sample->cgroup);

		out_char(out, ' ');
		out_text(out, path ? path : "unknown");
	}
}

void script_text_sample(struct script_text *text, const struct perf_attr *attr,
			const struct sample *sample, const struct thread *thread)
{
	/* All that stands after the address; most recordings ask for none of it. */
	const uint64_t late = ~0ull << SCRIPT_IREGS;
	enum script_kind kind = script_kind_of(attr);
	uint64_t chosen = text->fields.chosen[kind];

	if (!chosen)
		return;
	print_start(text, attr, PERF_RECORD_SAMPLE, sample, thread);
	print_which(text, kind, attr, sample);
	if (HAS(text, kind, TRACE) && sample->raw)
		print_trace(text, attr, sample);
	print_memory(text, kind, attr, sample, thread);
	if (HAS(text, kind, IP))
		print_where(text, kind, attr, sample, thread);
	if (chosen & late)
		print_late(text, kind, attr, sample, thread);
	out_char(text->out, '\n');
}

static void print_bytes(struct outbuf *out, const char *what, struct cursor *c, size_t count)
{
	out_printf(out, "            %s bytes:", what);
	for (size_t i = 0; i < count; i++) {
		uint8_t byte = 0;

		cursor_read(c, &byte, sizeof(byte));
		out_printf(out, " %02x", byte);
	}
	out_char(out, '\n');
}

/* Code that the kernel changed: before and after. */
static void print_text_poke(struct script_text *text, const struct perf_event_header *header)
{
	struct cursor c = cursor_of(header + 1, header->size - sizeof(*header));
	uint64_t address = cursor_u64(&c);
	uint32_t sizes = cursor_u32(&c); /* two of 16 bits, in host order */
	unsigned old_size = sizes & 0xffff, new_size = sizes >> 16;
	struct place place = script_symbols_find(&text->symbols,
						 machine_thread(text->machine, 0, 0),
						 PERF_RECORD_MISC_KERNEL, address);

	if (old_size + new_size > cursor_left(&c))
		old_size = new_size = 0;
	out_text(text->out, "PERF_RECORD_TEXT_POKE ");
	out_hex(text->out, address, 0);
	script_symbols_print(&text->symbols, text->out, SHOW_SYM | SHOW_SYMOFF, &place);
	out_printf(text->out, " old len %u new len %u\n", old_size, new_size);
	print_bytes(text->out, "Old", &c, old_size);
	print_bytes(text->out, "New", &c, new_size);
}

void script_text_record(struct script_text *text, const struct perf_attr *attr,
			const struct perf_event_header *header, const struct sample *sample,
			const struct thread *thread)
{
	print_start(text, attr, header->type, sample, thread);
	if (header->type == PERF_RECORD_TEXT_POKE) {
		print_text_poke(text, header);
		return;
	}
	script_dump_record(text->out, attr, header, sample);
}

struct perf_env *script_text_env(struct script_text *text)
{
	if (!text->env_loaded)
		perf_env_load(&text->env, text->reader);
	text->env_loaded = true;
	return &text->env;
}

void script_text_free(struct script_text *text)
{
	if (text->env_loaded)
		perf_env_free(&text->env);
	tracing_free(text->tracing);
	script_symbols_fini(&text->symbols);
}
