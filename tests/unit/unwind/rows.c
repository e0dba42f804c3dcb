// SPDX-License-Identifier: Apache-2.0
#include "unwind/rows.h"
#include "test.h"
#include "unwind/maker.h"

#define START 0x401000u
#define SIZE  0x100u

/* Runs a program behind the usual CIE. */
static bool run(struct made_frames *frames, struct cfi_rows *rows, const char *program, size_t size)
{
	struct cfi_section section;
	struct cfi_entry entry;
	size_t next, at;

	*frames = (struct made_frames){ 0 };
	make_usual_common(frames);
	at = make_entry(frames, START, SIZE, program, size);
	section = made_section(frames);
	EXPECT_INT(cfi_read(&section, at, &entry, &next), CFI_ENTRY);
	return cfi_rows_add(rows, &section, &entry);
}

static const struct cfi_rule *rule_of(const struct cfi_rows *rows, const struct cfi_row *row,
				      uint8_t reg)
{
	for (unsigned i = 0; i < row->rule_count; i++)
		if (rows->rules.data[row->rule_first + i].reg == reg)
			return &rows->rules.data[row->rule_first + i];
	return NULL;
}

TEST(rows_of_a_usual_function)
{
	/* push rbp at 1; mov rsp, rbp at 4; leave at 0x90; ret */
	static const char program[] = "\x41\x0e\x10\x86\x02\x43\x0d\x06\x02\x8c\x0c\x07\x08";
	struct cfi_rows rows = { 0 };
	struct made_frames frames;
	static const struct {
		uint64_t start;
		uint8_t reg;
		int value;
	} want[] = {
		{ START, 7, 8 }, { START + 1, 7, 16 }, { START + 4, 6, 16 }, { START + 0x90, 7, 8 }
	};

	EXPECT(run(&frames, &rows, program, sizeof(program) - 1));
	EXPECT_INT(rows.list.len, 5);
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		const struct cfi_row *row = &rows.list.data[i];

		test_case("%zu", i);
		EXPECT_INT(row->start, want[i].start);
		EXPECT_INT(row->frame, CFI_FRAME_REGISTER);
		EXPECT_INT(row->reg, want[i].reg);
		EXPECT_INT(row->value, want[i].value);
		EXPECT_INT(row->return_column, 16);
		EXPECT_INT(rule_of(&rows, row, 16)->value, -8);
		EXPECT_BOOL(rule_of(&rows, row, 6), i > 0);
	}
	EXPECT_INT(rule_of(&rows, &rows.list.data[1], 6)->value, -16);
	EXPECT_INT(rows.list.data[1].rule_first, rows.list.data[3].rule_first);
	EXPECT_INT(rows.list.data[4].start, START + SIZE);
	EXPECT_INT(rows.list.data[4].frame, CFI_NO_FRAME);
	EXPECT(cfi_rows_find(rows.list.data, 5, START - 1) == NULL);
	EXPECT(cfi_rows_find(rows.list.data, 5, START + 3) == &rows.list.data[1]);
	EXPECT(cfi_rows_find(rows.list.data, 5, START + SIZE) == &rows.list.data[4]);
	cfi_rows_free(&rows);
	buf_free(&frames.bytes);
}

/* Each opcode alone: what it makes of rbx, or of the CFA. */
TEST(rows_of_each_opcode)
{
	static const struct {
		const char *label, *program;
		size_t size;
		int where, value; /* of rbx; where -1: no rule */
		uint8_t reg;
		int frame_value;
		int row_at; /* where the last row begins, from START */
	} cases[] = {
		{ "nop", "\x00", 1, -1, 0, 7, 8, 0 },
		{ "offset", "\x83\x03", 2, CFI_AT, -24, 7, 8, 0 },
		{ "offset_extended", "\x05\x03\x04", 3, CFI_AT, -32, 7, 8, 0 },
		{ "offset_extended_sf", "\x11\x03\x7f", 3, CFI_AT, 8, 7, 8, 0 },
		{ "negative_offset_extended", "\x2f\x03\x02", 3, CFI_AT, 16, 7, 8, 0 },
		{ "val_offset", "\x14\x03\x01", 3, CFI_IS, -8, 7, 8, 0 },
		{ "val_offset_sf", "\x15\x03\x7f", 3, CFI_IS, 8, 7, 8, 0 },
		{ "undefined", "\x07\x03", 2, CFI_UNDEFINED, 0, 7, 8, 0 },
		{ "same_value", "\x08\x03", 2, CFI_SAME, 0, 7, 8, 0 },
		{ "register", "\x09\x03\x0c", 3, CFI_IN, 12, 7, 8, 0 },
		{ "expression", "\x10\x03\x01\x96", 4, CFI_AT_RESULT, 0, 7, 8, 0 },
		{ "val_expression", "\x16\x03\x01\x96", 4, CFI_IS_RESULT, 0, 7, 8, 0 },
		{ "restore", "\x83\x03\xc3", 3, -1, 0, 7, 8, 0 },
		{ "restore_extended", "\x83\x03\x06\x03", 4, -1, 0, 7, 8, 0 },
		{ "remember and restore", "\x0a\x83\x03\x0e\x20\x0b", 6, -1, 0, 7, 8, 0 },
		{ "def_cfa", "\x0c\x06\x18", 3, -1, 0, 6, 24, 0 },
		{ "def_cfa_sf", "\x12\x06\x7e", 3, -1, 0, 6, 16, 0 },
		{ "def_cfa_register", "\x0d\x0c", 2, -1, 0, 12, 8, 0 },
		{ "def_cfa_offset", "\x0e\x80\x01", 3, -1, 0, 7, 128, 0 },
		{ "def_cfa_offset_sf", "\x13\x7c", 2, -1, 0, 7, 32, 0 },
		{ "args_size", "\x2e\x10", 2, -1, 0, 7, 8, 0 },
		{ "advance", "\x45", 1, -1, 0, 7, 8, 5 },
		{ "advance1", "\x02\x80", 2, -1, 0, 7, 8, 0x80 },
		{ "advance2", "\x03\x81\x00", 3, -1, 0, 7, 8, 0x81 },
		{ "advance4", "\x04\x82\x00\x00\x00", 5, -1, 0, 7, 8, 0x82 },
		{ "beyond the end", "\x04\x00\x01\x00\x00\x0e\x20", 7, -1, 0, 7, 8, 0 },
		{ "a register that nobody tracks", "\x05\x60\x04", 3, -1, 0, 7, 8, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct cfi_rows rows = { 0 };
		const struct cfi_row *row;
		const struct cfi_rule *rule;
		struct made_frames frames;

		test_case("%s", cases[i].label);
		EXPECT(run(&frames, &rows, cases[i].program, cases[i].size));
		row = &rows.list.data[rows.list.len - 2];
		rule = rule_of(&rows, row, 3);
		EXPECT_INT(rule ? rule->where : -1, cases[i].where);
		EXPECT_INT(rule ? rule->value : 0, cases[i].value);
		EXPECT_INT(row->reg, cases[i].reg);
		EXPECT_INT(row->value, cases[i].frame_value);
		EXPECT_INT(row->start, START + cases[i].row_at);
		cfi_rows_free(&rows);
		buf_free(&frames.bytes);
	}
}

TEST(rows_with_a_computed_cfa)
{
	struct cfi_rows rows = { 0 };
	struct made_frames frames;

	EXPECT(run(&frames, &rows, "\x0f\x02\x77\x08", 4));
	EXPECT_INT(rows.list.data[0].frame, CFI_FRAME_RESULT);
	EXPECT_INT(rows.expressions.data[rows.list.data[0].value].size, 2);
	EXPECT_INT(rows.expressions.data[rows.list.data[0].value].bytes[0], 0x77);
	cfi_rows_free(&rows);
	buf_free(&frames.bytes);
}

TEST(rows_know_signed_return_addresses)
{
	struct cfi_rows rows = { 0 };
	struct made_frames frames;

	EXPECT(run(&frames, &rows, "\x44\x2d\x44\x2d", 4));
	EXPECT_INT(rows.list.len, 4);
	EXPECT_BOOL(rows.list.data[0].ra_signed, false);
	EXPECT_BOOL(rows.list.data[1].ra_signed, true);
	EXPECT_BOOL(rows.list.data[2].ra_signed, false);
	cfi_rows_free(&rows);
	buf_free(&frames.bytes);
}

TEST(rows_set_loc_uses_the_entrys_encoding)
{
	struct cfi_rows rows = { 0 };
	struct made_frames frames = { 0 };
	struct cfi_section section;
	struct cfi_entry entry;
	size_t next, at;
	char program[6] = "\x01____\x0e";
	int32_t to;

	make_usual_common(&frames);
	/* Behind it: length 4, id 4, address 4, size 4, data 1, opcode 1. */
	to = (int32_t)(START + 0x40 - (MADE_FRAMES_ADDR + frames.bytes.len + 18));
	memcpy(program + 1, &to, 4);
	at = make_entry(&frames, START, SIZE, program, sizeof(program));
	section = made_section(&frames);
	EXPECT_INT(cfi_read(&section, at, &entry, &next), CFI_ENTRY);
	EXPECT(cfi_rows_add(&rows, &section, &entry));
	EXPECT_INT(rows.list.data[1].start, START + 0x40);
	cfi_rows_free(&rows);
	buf_free(&frames.bytes);
}

TEST(rows_refuse_damaged_programs)
{
	static const struct {
		const char *label, *program;
		size_t size;
	} cases[] = {
		{ "unknown opcode", "\x3f", 1 },
		{ "restore_state without a state", "\x0b", 1 },
		{ "an expression that does not fit", "\x0f\x7f", 2 },
		{ "an expression of 2^63 bytes", "\x0f\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 10 },
		{ "offset too large", "\x83\xff\xff\xff\xff\x7f", 6 },
		{ "offset that overflows", "\x83\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11 },
		{ "CFA of a register that nobody tracks", "\x0d\x60", 2 },
		{ "an offset to an expression", "\x0f\x01\x96\x0e\x7f", 5 },
		{ "a signed offset to an expression", "\x0f\x01\x96\x13\x7f", 5 },
		{ "a register to an expression", "\x0f\x01\x96\x0d\x06", 5 },
		{ "set_loc backwards", "\x41\x01\x00\xdf\xff\xff", 6 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct cfi_rows rows = { 0 };
		struct made_frames frames;

		test_case("%s", cases[i].label);
		EXPECT(run(&frames, &rows, "\x41\x0e\x10", 3));
		buf_free(&frames.bytes);
		EXPECT_INT(rows.list.len, 3);
		EXPECT_BOOL(run(&frames, &rows, cases[i].program, cases[i].size), false);
		EXPECT_INT(rows.list.len, 3);
		cfi_rows_free(&rows);
		buf_free(&frames.bytes);
	}
}

TEST(rows_have_limits)
{
	struct cfi_rows rows = { 0 };
	struct made_frames frames;
	char program[2000];

	memset(program, 0x0a, sizeof(program)); /* remember, and again */
	EXPECT_BOOL(run(&frames, &rows, program, sizeof(program)), false);
	buf_free(&frames.bytes);
	cfi_rows_free(&rows);
}
