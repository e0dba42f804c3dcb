// SPDX-License-Identifier: Apache-2.0
/* The fields that few samples have: registers, branches, where memory was found. */
#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/outbuf.h"
#include "render/regname.h"
#include "render/script_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

void script_text_regs(struct script_text *text, const struct sample_regs *regs)
{
	const char *arch = script_text_env(text)->arch;
	const uint64_t *value = regs->values;

	if (!value)
		return;
	out_text(text->out, " ABI:");
	out_u64(text->out, regs->abi, 0);
	out_char(text->out, ' ');
	for (unsigned reg = 0; reg < 64; reg++) {
		const char *name;

		if (!(regs->mask >> reg & 1))
			continue;
		name = reg_name(arch, reg);
		out_right(text->out, name, strlen(name), 5);
		out_text(text->out, ":0x");
		out_hex(text->out, *value++, 0);
		out_char(text->out, ' ');
	}
}

const char *script_branch_type(const struct perf_branch_entry *branch)
{
	static const char *const names[] = { "",	 "COND", "UNCOND",  "IND",    "CALL",
					     "IND_CALL", "RET",	 "SYSCALL", "SYSRET", "COND_CALL",
					     "COND_RET", "ERET", "IRQ",	    "SERROR", "NO_TX" };
	static const char *const more[] = { "FAULT_ALGN", "FAULT_DATA", "FAULT_INST", "ARCH_1",
					    "ARCH_2",	  "ARCH_3",	"ARCH_4",     "ARCH_5" };

	if (branch->type == PERF_BR_EXTEND_ABI)
		return branch->new_type < ARRAY_SIZE(more) ? more[branch->new_type] : "";
	return branch->type < ARRAY_SIZE(names) ? names[branch->type] : "";
}

static void print_branch_flags(struct outbuf *out, const struct perf_branch_entry *branch)
{
	out_char(out, '/');
	out_char(out, branch->predicted ? 'P' : branch->mispred ? 'M' : '-');
	out_char(out, '/');
	out_char(out, branch->in_tx ? 'X' : '-');
	out_char(out, '/');
	out_char(out, branch->abort ? 'A' : '-');
	out_char(out, '/');
	out_u64(out, branch->cycles, 0);
	out_char(out, '/');
	out_text(out, script_branch_type(branch));
	out_char(out, ' ');
}

static void print_branch_end(struct script_text *text, enum script_kind kind,
			     const struct sample *sample, const struct thread *thread,
			     uint64_t address)
{
	struct place place = script_symbols_find_any(&text->symbols, thread, sample->cpumode,
						     address);
	bool addresses = script_has(&text->fields, kind, SCRIPT_BRSTACK);

	if (addresses || !script_has(&text->fields, kind, SCRIPT_BRSTACKSYM)) {
		out_text(text->out, "0x");
		out_hex(text->out, addresses ? address : place.address, 0);
	} else if (place.symbol) {
		out_text(text->out, script_symbols_name(&text->symbols, &place));
		out_text(text->out, "+0x");
		out_hex(text->out, place.offset, 0);
	} else {
		out_text(text->out, "[unknown]");
	}
	if (script_has(&text->fields, kind, SCRIPT_DSO)) {
		out_char(text->out, '(');
		out_text(text->out, place.object ? place.object->name : "[unknown]");
		out_char(text->out, ')');
	}
}

void script_text_branches(struct script_text *text, enum script_kind kind,
			  const struct sample *sample, const struct thread *thread)
{
	bool addresses = script_has(&text->fields, kind, SCRIPT_BRSTACK);
	bool symbols = script_has(&text->fields, kind, SCRIPT_BRSTACKSYM);

	if (!addresses && !symbols && !script_has(&text->fields, kind, SCRIPT_BRSTACKOFF))
		return;
	for (uint64_t i = 0; i < sample->branch_count; i++) {
		if (addresses || !symbols)
			out_char(text->out, ' ');
		print_branch_end(text, kind, sample, thread, sample->branches[i].from);
		out_char(text->out, '/');
		print_branch_end(text, kind, sample, thread, sample->branches[i].to);
		print_branch_flags(text->out, &sample->branches[i]);
	}
}

/* The names of the bits that are set, with " or " between them. */
static void add_bits(struct buf *into, size_t start, uint64_t bits, const char *const *names,
		     size_t count)
{
	for (size_t i = 0; bits && i < count; i++, bits >>= 1) {
		if (!(bits & 1))
			continue;
		if (into->len > start)
			buf_puts(into, " or ");
		buf_puts(into, names[i]);
	}
}

void script_mem_level(struct buf *into, uint64_t data_src)
{
	union perf_mem_data_src src = { .val = data_src };
	static const char *const levels[] = {
		"N/A",
		"HIT",
		"MISS",
		"L1",
		"LFB/MAB",
		"L2",
		"L3",
		"Local RAM",
		"Remote RAM (1 hop)",
		"Remote RAM (2 hops)",
		"Remote Cache (1 hop)",
		"Remote Cache (2 hops)",
		"I/O",
		"Uncached",
	};
	static const char *const numbers[16] = {
		[9] = "CXL",  [10] = "I/O",  [11] = "Any cache", [12] = "LFB/MAB",
		[13] = "RAM", [14] = "PMEM", [15] = "N/A"
	};
	static const char *const hops[8] = { "N/A", "core, same node", "node, same socket",
					     "socket, same board", "board" };
	uint64_t bits = src.mem_lvl & ~(uint64_t)(PERF_MEM_LVL_HIT | PERF_MEM_LVL_MISS);
	size_t start = into->len, listed;

	if (src.mem_remote)
		buf_puts(into, "Remote ");
	listed = into->len;
	if (src.mem_hops)
		buf_printf(into, "%s ", hops[src.mem_hops] ? hops[src.mem_hops] : "N/A");
	else
		add_bits(into, listed, bits, levels, ARRAY_SIZE(levels));
	if (src.mem_lvl_num) {
		if (into->len > listed && !src.mem_hops)
			buf_puts(into, " or ");
		if (numbers[src.mem_lvl_num])
			buf_puts(into, numbers[src.mem_lvl_num]);
		else
			buf_printf(into, "L%d", (int)src.mem_lvl_num);
	}
	if (into->len == start)
		buf_puts(into, "N/A");
	if (src.mem_lvl & PERF_MEM_LVL_HIT)
		buf_puts(into, " hit");
	if (src.mem_lvl & PERF_MEM_LVL_MISS)
		buf_puts(into, " miss");
}

static const char *operation(uint64_t op)
{
	return op & PERF_MEM_OP_NA	 ? "N/A"
	       : op & PERF_MEM_OP_LOAD	 ? "LOAD"
	       : op & PERF_MEM_OP_STORE	 ? "STORE"
	       : op & PERF_MEM_OP_PFETCH ? "PFETCH"
	       : op & PERF_MEM_OP_EXEC	 ? "EXEC"
					 : "No";
}

void script_mem_snoop(struct buf *into, uint64_t data_src)
{
	union perf_mem_data_src src = { .val = data_src };
	static const char *const snoops[] = { "N/A", "None", "Hit", "Miss", "HitM" };
	static const char *const more[] = { "Fwd", "Peer" };
	size_t start = into->len;

	add_bits(into, start, src.mem_snoop, snoops, ARRAY_SIZE(snoops));
	add_bits(into, start, src.mem_snoopx, more, ARRAY_SIZE(more));
	if (into->len == start)
		buf_puts(into, "N/A");
}

void script_mem_tlb(struct buf *into, uint64_t data_src)
{
	union perf_mem_data_src src = { .val = data_src };
	static const char *const tlbs[] = { "N/A", "HIT", "MISS", "L1", "L2", "Walker", "Fault" };
	size_t start = into->len;

	add_bits(into, start, src.mem_dtlb & ~(uint64_t)(PERF_MEM_TLB_HIT | PERF_MEM_TLB_MISS),
		 tlbs, ARRAY_SIZE(tlbs));
	if (into->len == start)
		buf_puts(into, "N/A");
	if (src.mem_dtlb & PERF_MEM_TLB_HIT)
		buf_puts(into, " hit");
	if (src.mem_dtlb & PERF_MEM_TLB_MISS)
		buf_puts(into, " miss");
}

/* The column grows with the longest text so far. */
void script_text_data_src(struct script_text *text, uint64_t data_src)
{
	union perf_mem_data_src src = { .val = data_src };
	struct buf words = { 0 };

	buf_printf(&words, "%16" PRIx64 " |OP %s|LVL ", data_src, operation(src.mem_op));
	script_mem_level(&words, data_src);
	buf_puts(&words, "|SNP ");
	script_mem_snoop(&words, data_src);
	buf_puts(&words, "|TLB ");
	script_mem_tlb(&words, data_src);
	buf_printf(&words, "|LCK %s|BLK ",
		   src.mem_lock & PERF_MEM_LOCK_NA	 ? "N/A"
		   : src.mem_lock & PERF_MEM_LOCK_LOCKED ? "Yes"
							 : "No");
	if (!src.mem_blk || src.mem_blk & PERF_MEM_BLK_NA)
		buf_puts(&words, " N/A");
	else
		buf_printf(&words, "%s%s", src.mem_blk & PERF_MEM_BLK_DATA ? " Data" : "",
			   src.mem_blk & PERF_MEM_BLK_ADDR ? " Addr" : "");
	if (words.len > 99) /* perf's buffer */
		words.len = 99;
	if (words.len > text->data_src_width)
		text->data_src_width = words.len;
	out_left(text->out, words.data, words.len, text->data_src_width);
	buf_free(&words);
}

/* Printable, and zeros only at the end: shown as text once more. */
static bool is_text(const unsigned char *bytes, size_t size)
{
	size_t length = strnlen((const char *)bytes, size);

	if (length == size)
		return false;
	for (size_t i = 0; i < size; i++)
		if (i < length ? !isprint(bytes[i]) : bytes[i])
			return false;
	return true;
}

void script_text_bpf_output(struct outbuf *out, const struct sample *sample)
{
	const unsigned char *bytes = sample->raw;

	out_char(out, '\n');
	for (uint32_t row = 0; row < sample->raw_size; row += 8) {
		out_printf(out, "%17s %04x:", row ? "" : "BPF output:", row);
		for (uint32_t i = row; i < row + 8; i++)
			if (i < sample->raw_size)
				out_printf(out, " %02x", bytes[i]);
			else
				out_text(out, "   ");
		out_text(out, "  ");
		for (uint32_t i = row; i < row + 8; i++)
			out_char(out, i >= sample->raw_size ? ' '
				      : isprint(bytes[i])   ? (char)bytes[i]
							    : '.');
		out_char(out, '\n');
	}
	if (bytes && is_text(bytes, sample->raw_size))
		out_printf(out, "%17s \"%s\"\n", "BPF string:", (const char *)bytes);
}

void script_text_page_size(struct outbuf *out, uint64_t size)
{
	unsigned unit = 0;

	if (!size) {
		out_text(out, " N/A");
		return;
	}
	for (; size / 1024 > 1 && unit < 3; unit++)
		size /= 1024;
	out_char(out, ' ');
	out_u64(out, size, 0);
	out_char(out, "BKMG"[unit]);
}

void script_text_tod(struct script_text *text, uint64_t time)
{
	const struct perf_env *env = script_text_env(text);
	uint64_t wall = env->clock_wall_ns + (time - env->clock_ns);
	time_t seconds = (time_t)(wall / NS_PER_SEC);
	struct tm local;
	char date[64] = "";

	localtime_r(&seconds, &local);
	strftime(date, sizeof(date), "%F %H:%M:%S", &local);
	if (text->ns)
		out_printf(text->out, "%s.%09" PRIu64 " ", date, (uint64_t)(wall % NS_PER_SEC));
	else
		out_printf(text->out, "%s.%06" PRIu64 " ", date,
			   (uint64_t)(wall % NS_PER_SEC / 1000));
}
