// SPDX-License-Identifier: Apache-2.0
#include "unwind/rows.h"

/* Large functions have some thousand rows; each may have many rules. */
#define ENTRY_ROWS_MAX 16384
#define REMEMBER_MAX   64

enum opcode {
	OP_ADVANCE = 0x40, /* these three hold their operand in the low six bits */
	OP_OFFSET = 0x80,
	OP_RESTORE = 0xc0,
	OP_NOP = 0x00,
	OP_SET_LOC,
	OP_ADVANCE1,
	OP_ADVANCE2,
	OP_ADVANCE4,
	OP_OFFSET_EXTENDED,
	OP_RESTORE_EXTENDED,
	OP_UNDEFINED,
	OP_SAME_VALUE,
	OP_REGISTER,
	OP_REMEMBER_STATE,
	OP_RESTORE_STATE,
	OP_DEF_CFA,
	OP_DEF_CFA_REGISTER,
	OP_DEF_CFA_OFFSET,
	OP_DEF_CFA_EXPRESSION,
	OP_EXPRESSION,
	OP_OFFSET_EXTENDED_SF,
	OP_DEF_CFA_SF,
	OP_DEF_CFA_OFFSET_SF,
	OP_VAL_OFFSET,
	OP_VAL_OFFSET_SF,
	OP_VAL_EXPRESSION,
	OP_NEGATE_RA_STATE_WITH_PC = 0x2c,
	OP_NEGATE_RA_STATE = 0x2d, /* on SPARC: window save */
	OP_ARGS_SIZE = 0x2e,
	OP_NEGATIVE_OFFSET_EXTENDED = 0x2f,
};

/* The rules at one address, while the program runs. */
struct state {
	struct cfi_rule rules[CFI_REGISTERS];
	uint8_t frame, reg;
	bool ra_signed;
	int32_t value;
};

struct running {
	struct cfi_rows *rows;
	const struct cfi_section *section;
	const struct cfi_entry *entry;
	struct state now, initial;
	VEC(struct state) remembered;
	size_t first_row;
	uint64_t pc;
	bool in_entry; /* not in the part that entries have in common */
	bool broken;
};

static int32_t small(struct running *m, int64_t value)
{
	m->broken |= value < INT32_MIN || value > INT32_MAX;
	return m->broken ? 0 : (int32_t)value;
}

/* An operand times the alignment of data, without overflow. */
static int32_t factored(struct running *m, int64_t operand)
{
	int64_t value;

	if (__builtin_mul_overflow(operand, m->entry->common.data_align, &value)) {
		m->broken = true;
		return 0;
	}
	return small(m, value);
}

/* An operand that can only be positive. */
static int64_t take_unsigned(struct running *m, struct cursor *c)
{
	uint64_t value = cfi_uleb(c);

	m->broken |= value > INT64_MAX;
	return m->broken ? 0 : (int64_t)value;
}

/* Registers that nobody tracks (vectors, flags) have rules too: they are passed over. */
static void set(struct running *m, uint64_t reg, enum cfi_where where, int32_t value)
{
	if (reg < CFI_REGISTERS)
		m->now.rules[reg] = (struct cfi_rule){ (uint8_t)reg, (uint8_t)where, value };
}

static void restore(struct running *m, uint64_t reg)
{
	if (reg < CFI_REGISTERS)
		m->now.rules[reg] = m->initial.rules[reg];
}

static void set_frame_register(struct running *m, uint64_t reg)
{
	m->broken |= reg >= CFI_REGISTERS;
	m->now.frame = CFI_FRAME_REGISTER;
	m->now.reg = (uint8_t)reg;
}

static int32_t take_expression(struct running *m, struct cursor *c)
{
	uint64_t size = cfi_uleb(c);
	const unsigned char *bytes = size <= cursor_left(c) ? cursor_bytes(c, (size_t)size) : NULL;

	if (!bytes) {
		m->broken = true;
		return 0;
	}
	*vec_push(&m->rows->expressions) = (struct cfi_expression){ bytes, (size_t)size };
	return (int32_t)(m->rows->expressions.len - 1);
}

static bool same_rules(const struct cfi_rows *rows, const struct cfi_row *row,
		       const struct cfi_rule *rules, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct cfi_rule *old = &rows->rules.data[row->rule_first + i];

		if (old->reg != rules[i].reg || old->where != rules[i].where ||
		    old->value != rules[i].value)
			return false;
	}
	return true;
}

/* The rules of the row before are shared if they are the same: most rows only move the CFA. */
static uint32_t put_rules(struct running *m, const struct cfi_rule *rules, uint8_t count)
{
	struct cfi_rows *rows = m->rows;
	const struct cfi_row *before = rows->list.len > m->first_row ? vec_last(&rows->list) : NULL;

	if (before && before->rule_count == count && same_rules(rows, before, rules, count))
		return before->rule_first;
	for (uint8_t i = 0; i < count; i++)
		*vec_push(&rows->rules) = rules[i];
	return (uint32_t)(rows->rules.len - count);
}

/* The state becomes a row: something moves the address on, or it is the end. */
static void put_row(struct running *m)
{
	struct cfi_rule rules[CFI_REGISTERS];
	struct cfi_row row = {
		.start = m->pc,
		.frame = m->now.frame,
		.reg = m->now.reg,
		.value = m->now.value,
		.signal = m->entry->common.signal,
		.ra_signed = m->now.ra_signed,
		.return_column = (uint8_t)m->entry->common.return_column,
	};

	if (m->pc >= m->entry->end)
		return; /* beyond the code that it speaks for */
	for (size_t i = 0; i < CFI_REGISTERS; i++)
		if (m->now.rules[i].where != CFI_UNTOLD)
			rules[row.rule_count++] = m->now.rules[i];
	if (m->rows->list.len - m->first_row >= ENTRY_ROWS_MAX) {
		m->broken = true;
		return;
	}
	row.rule_first = put_rules(m, rules, row.rule_count);
	*vec_push(&m->rows->list) = row;
}

static void advance_to(struct running *m, uint64_t pc)
{
	if (!m->in_entry || pc < m->pc) {
		m->broken = true;
		return;
	}
	if (pc == m->pc)
		return;
	put_row(m);
	m->pc = pc;
}

static void advance(struct running *m, uint64_t delta)
{
	uint64_t pc;

	if (__builtin_mul_overflow(delta, m->entry->common.code_align, &pc) ||
	    __builtin_add_overflow(pc, m->pc, &pc))
		m->broken = true;
	else
		advance_to(m, pc);
}

static void remember(struct running *m)
{
	if (m->remembered.len == REMEMBER_MAX)
		m->broken = true;
	else
		*vec_push(&m->remembered) = m->now;
}

static void recall(struct running *m)
{
	if (m->remembered.len)
		m->now = m->remembered.data[--m->remembered.len];
	else
		m->broken = true;
}

static void run_saved(struct running *m, uint8_t op, struct cursor *c)
{
	uint64_t reg = cfi_uleb(c);

	switch (op) {
	case OP_OFFSET_EXTENDED: set(m, reg, CFI_AT, factored(m, take_unsigned(m, c))); break;
	case OP_OFFSET_EXTENDED_SF: set(m, reg, CFI_AT, factored(m, cfi_sleb(c))); break;
	case OP_NEGATIVE_OFFSET_EXTENDED: /* gcc of old PowerPC, kept in the numbering of all */
		set(m, reg, CFI_AT, factored(m, -take_unsigned(m, c)));
		break;
	case OP_VAL_OFFSET: set(m, reg, CFI_IS, factored(m, take_unsigned(m, c))); break;
	case OP_VAL_OFFSET_SF: set(m, reg, CFI_IS, factored(m, cfi_sleb(c))); break;
	case OP_RESTORE_EXTENDED: restore(m, reg); break;
	case OP_UNDEFINED: set(m, reg, CFI_UNDEFINED, 0); break;
	case OP_SAME_VALUE: set(m, reg, CFI_SAME, 0); break;
	case OP_REGISTER: set(m, reg, CFI_IN, small(m, take_unsigned(m, c))); break;
	case OP_EXPRESSION: set(m, reg, CFI_AT_RESULT, take_expression(m, c)); break;
	case OP_VAL_EXPRESSION: set(m, reg, CFI_IS_RESULT, take_expression(m, c)); break;
	default: m->broken = true;
	}
}

static void run_frame(struct running *m, uint8_t op, struct cursor *c)
{
	/* These change a part of register + offset; an expression has no such parts. */
	if (op == OP_DEF_CFA_REGISTER || op == OP_DEF_CFA_OFFSET || op == OP_DEF_CFA_OFFSET_SF)
		m->broken |= m->now.frame != CFI_FRAME_REGISTER;
	switch (op) {
	case OP_DEF_CFA:
		set_frame_register(m, cfi_uleb(c));
		m->now.value = small(m, take_unsigned(m, c));
		break;
	case OP_DEF_CFA_SF:
		set_frame_register(m, cfi_uleb(c));
		m->now.value = factored(m, cfi_sleb(c));
		break;
	case OP_DEF_CFA_REGISTER: set_frame_register(m, cfi_uleb(c)); break;
	case OP_DEF_CFA_OFFSET: m->now.value = small(m, take_unsigned(m, c)); break;
	case OP_DEF_CFA_OFFSET_SF: m->now.value = factored(m, cfi_sleb(c)); break;
	case OP_DEF_CFA_EXPRESSION:
		m->now.value = take_expression(m, c);
		m->now.frame = CFI_FRAME_RESULT;
		break;
	default: m->broken = true;
	}
}

static void run_one(struct running *m, struct cursor *c)
{
	uint8_t op = cfi_u8(c), low = op & 0x3f;

	switch (op & 0xc0) {
	case OP_ADVANCE: advance(m, low); return;
	case OP_OFFSET: set(m, low, CFI_AT, factored(m, take_unsigned(m, c))); return;
	case OP_RESTORE: restore(m, low); return;
	}
	switch (op) {
	case OP_NOP: break;
	case OP_SET_LOC:
		advance_to(m, cfi_pointer(c, m->entry->common.encoding, &m->section->bases));
		break;
	case OP_ADVANCE1: advance(m, cfi_u8(c)); break;
	case OP_ADVANCE2: advance(m, cfi_u16(c)); break;
	case OP_ADVANCE4: advance(m, cursor_u32(c)); break;
	case OP_REMEMBER_STATE: remember(m); break;
	case OP_RESTORE_STATE: recall(m); break;
	case OP_NEGATE_RA_STATE:
	case OP_NEGATE_RA_STATE_WITH_PC: m->now.ra_signed = !m->now.ra_signed; break;
	case OP_ARGS_SIZE: cfi_uleb(c); break;
	case OP_DEF_CFA:
	case OP_DEF_CFA_SF:
	case OP_DEF_CFA_REGISTER:
	case OP_DEF_CFA_OFFSET:
	case OP_DEF_CFA_OFFSET_SF:
	case OP_DEF_CFA_EXPRESSION: run_frame(m, op, c); break;
	default: run_saved(m, op, c);
	}
}

static void run(struct running *m, struct cursor program)
{
	while (cursor_left(&program) && !m->broken) {
		run_one(m, &program);
		m->broken |= program.broken;
	}
}

bool cfi_rows_add(struct cfi_rows *rows, const struct cfi_section *section,
		  const struct cfi_entry *entry)
{
	struct running m = { .rows = rows,
			     .section = section,
			     .entry = entry,
			     .first_row = rows->list.len,
			     .pc = entry->start };
	size_t rules = rows->rules.len, expressions = rows->expressions.len;

	m.broken = entry->common.return_column >= CFI_REGISTERS;
	run(&m, entry->common.program);
	m.initial = m.now;
	m.in_entry = true;
	run(&m, entry->program);
	put_row(&m);
	vec_free(&m.remembered);
	if (m.broken) {
		rows->list.len = m.first_row;
		rows->rules.len = rules;
		rows->expressions.len = expressions;
		return false;
	}
	*vec_push(&rows->list) = (struct cfi_row){ .start = entry->end };
	return true;
}

const struct cfi_row *cfi_rows_find(const struct cfi_row *rows, size_t count, uint64_t pc)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (rows[middle].start <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &rows[low - 1] : NULL;
}

void cfi_rows_free(struct cfi_rows *rows)
{
	vec_free(&rows->list);
	vec_free(&rows->rules);
	vec_free(&rows->expressions);
}
