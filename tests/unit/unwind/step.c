// SPDX-License-Identifier: Apache-2.0
#include "unwind/step.h"
#include "test.h"

#define SP 0x7fff0000u

/* A stack of words and one row, whose rules are those given. */
struct scene {
	uint64_t words[8];
	struct unwind_stack stack;
	struct unwind_registers regs;
	struct cfi_rows rows;
	struct cfi_row row;
};

static void set_up(struct scene *s, const struct cfi_rule *rules, size_t count)
{
	*s = (struct scene){ .words = { 10, 11, 12, 13, 14, 15, 16, 17 } };
	s->stack = (struct unwind_stack){ (const unsigned char *)s->words, SP, sizeof(s->words),
					  true };
	s->regs.values[7] = SP;
	s->regs.values[6] = 0x66;
	s->regs.values[3] = 0x33;
	s->regs.known = 1 << 7 | 1 << 6 | 1 << 3;
	s->regs.pc = 0x401000;
	for (size_t i = 0; i < count; i++)
		*vec_push(&s->rows.rules) = rules[i];
	s->row = (struct cfi_row){ .frame = CFI_FRAME_REGISTER,
				   .reg = 7,
				   .value = 32,
				   .rule_count = (uint8_t)count,
				   .return_column = 16 };
}

static enum unwind_result step(struct scene *s)
{
	enum unwind_result result = unwind_step(&s->regs, UNWIND_X86_64, &s->rows, &s->row,
						&s->stack);

	cfi_rows_free(&s->rows);
	return result;
}

TEST(step_to_the_caller)
{
	static const struct cfi_rule rules[] = { { 6, CFI_AT, -16 }, { 16, CFI_AT, -8 } };
	struct scene s;

	set_up(&s, rules, 2);
	EXPECT_INT(step(&s), UNWIND_STEPPED);
	EXPECT_INT(s.regs.pc, 13);
	EXPECT_INT(s.regs.values[6], 12);
	EXPECT_INT(s.regs.values[3], 0x33); /* untold: as it was */
	EXPECT_INT(s.regs.values[7], SP + 32);
	EXPECT_INT(s.regs.cfa, SP + 32);
}

TEST(step_by_every_kind_of_rule)
{
	static const struct {
		const char *label;
		struct cfi_rule rule;
		bool known;
		uint64_t value;
	} cases[] = {
		{ "at", { 3, CFI_AT, -24 }, true, 11 },
		{ "at, not copied", { 3, CFI_AT, 400 }, false, 0 },
		{ "is", { 3, CFI_IS, 8 }, true, SP + 40 },
		{ "in", { 3, CFI_IN, 6 }, true, 0x66 },
		{ "in what is not known", { 3, CFI_IN, 5 }, false, 0 },
		{ "in what there is not", { 3, CFI_IN, 77 }, false, 0 },
		{ "same", { 3, CFI_SAME, 0 }, true, 0x33 },
		{ "undefined", { 3, CFI_UNDEFINED, 0 }, false, 0 },
		{ "at a result", { 3, CFI_AT_RESULT, 0 }, true, 15 },
		{ "is a result", { 3, CFI_IS_RESULT, 0 }, true, SP + 40 },
		{ "of a damaged expression", { 3, CFI_IS_RESULT, 1 }, false, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct cfi_rule rules[] = { cases[i].rule, { 16, CFI_AT, -8 } };
		struct scene s;

		set_up(&s, rules, 2);
		*vec_push(&s.rows.expressions) =
			(struct cfi_expression){ (const unsigned char *)"\x23\x08", 2 };
		*vec_push(&s.rows.expressions) =
			(struct cfi_expression){ (const unsigned char *)"\xff", 1 };
		test_case("%s", cases[i].label);
		EXPECT_INT(step(&s), UNWIND_STEPPED);
		EXPECT_BOOL(s.regs.known >> 3 & 1, cases[i].known);
		if (cases[i].known)
			EXPECT_INT(s.regs.values[3], cases[i].value);
	}
}

TEST(step_ends)
{
	static const struct {
		const char *label;
		struct cfi_rule rule;
		int cfa;
		enum unwind_result result;
	} cases[] = {
		{ "undefined return address", { 16, CFI_UNDEFINED, 0 }, 32, UNWIND_ROOT },
		{ "return address not copied", { 16, CFI_AT, -8 }, 80, UNWIND_COPY_END },
		{ "no rule for it", { 3, CFI_SAME, 0 }, 32, UNWIND_NO_RULES },
		{ "the same frame", { 16, CFI_IS, -32 - (int)SP + 0x401000 }, 32, UNWIND_STUCK },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct scene s;

		set_up(&s, &cases[i].rule, 1);
		s.row.value = cases[i].cfa;
		s.regs.cfa = SP + 32;
		test_case("%s", cases[i].label);
		EXPECT_INT(step(&s), cases[i].result);
	}
}

TEST(step_ends_at_pc_0)
{
	static const struct cfi_rule rule = { 16, CFI_AT, -8 };
	struct scene s;

	set_up(&s, &rule, 1);
	s.words[3] = 0;
	EXPECT_INT(step(&s), UNWIND_ROOT);
}

TEST(step_without_the_cfas_register)
{
	static const struct cfi_rule rule = { 16, CFI_AT, -8 };
	struct scene s;

	set_up(&s, &rule, 1);
	s.row.reg = 12;
	EXPECT_INT(step(&s), UNWIND_NO_RULES);
}

/* In a leaf of aarch64 the return address is in x30, maybe signed. */
TEST(step_by_the_link_register)
{
	struct unwind_stack stack = { NULL, SP, 0, true };
	struct unwind_registers regs = { .pc = 0x401000 };
	struct cfi_rows rows = { 0 };
	struct cfi_row row = { .frame = CFI_FRAME_REGISTER, .reg = 31, .return_column = 30 };
	uint64_t values[33] = { [30] = 0x0042000000402000, [31] = SP, [32] = 0x401000 };

	row.ra_signed = true;
	unwind_registers_init(&regs, UNWIND_AARCH64, 0x1ffffffff, values);
	EXPECT_INT(regs.pc, 0x401000);
	EXPECT_INT(unwind_sp(&regs, UNWIND_AARCH64), SP);
	EXPECT_INT(unwind_step(&regs, UNWIND_AARCH64, &rows, &row, &stack), UNWIND_STEPPED);
	EXPECT_INT(regs.pc, 0x402000);
}

/* siginfo, the head of the context, then x0 to x30, sp and pc as they were. */
TEST(step_out_of_an_arm_signal)
{
	uint64_t words[39 + 33] = { 0 };
	struct unwind_stack stack = { (const unsigned char *)words, SP, sizeof(words), true };
	uint64_t values[33] = { [31] = SP, [32] = 0x401000 };
	struct unwind_registers regs;
	struct cfi_rows rows = { 0 };
	struct cfi_row row = { .frame = CFI_FRAME_REGISTER, .reg = 29, .return_column = 30 };

	row.signal = true;
	for (unsigned i = 0; i < 33; i++)
		words[39 + i] = 0x500 + i;
	unwind_registers_init(&regs, UNWIND_AARCH64, 0x1ffffffff, values);
	EXPECT_INT(unwind_step(&regs, UNWIND_AARCH64, &rows, &row, &stack), UNWIND_STEPPED);
	EXPECT_INT(regs.pc, 0x520);
	EXPECT_INT(regs.values[31], 0x51f);
	EXPECT_INT(regs.values[30], 0x51e);
	EXPECT_INT(regs.values[0], 0x500);
	unwind_registers_init(&regs, UNWIND_AARCH64, 0x1ffffffff, values);
	stack.size -= 8;
	EXPECT_INT(unwind_step(&regs, UNWIND_AARCH64, &rows, &row, &stack), UNWIND_COPY_END);
}

TEST(step_takes_perfs_registers)
{
	static const uint64_t values[] = { 0xb, 0x5b, 0x5f, 0x11, 0x15 };
	struct unwind_registers regs;

	/* bx, bp, sp, ip and r15 of x86_64 */
	unwind_registers_init(&regs, UNWIND_X86_64, 1 << 1 | 1 << 6 | 1 << 7 | 1 << 8 | 1 << 23,
			      values);
	EXPECT_INT(regs.values[3], 0xb);
	EXPECT_INT(regs.values[6], 0x5b);
	EXPECT_INT(regs.values[7], 0x5f);
	EXPECT_INT(regs.pc, 0x11);
	EXPECT_INT(regs.values[15], 0x15);
	EXPECT_INT(regs.values[16], 0x11); /* the pc, which stubs of the PLT ask for */
	EXPECT_INT(regs.known, 1 << 3 | 1 << 6 | 1 << 7 | 1 << 15 | 1 << 16);
	/* and ip, sp, bp and bx of i386 */
	unwind_registers_init(&regs, UNWIND_I386, 1 << 1 | 1 << 6 | 1 << 7 | 1 << 8, values);
	EXPECT_INT(regs.values[3], 0xb);
	EXPECT_INT(regs.values[5], 0x5b);
	EXPECT_INT(regs.values[4], 0x5f);
	EXPECT_INT(regs.pc, 0x11);
}

TEST(step_reads_words_of_the_stack)
{
	uint64_t words[2] = { 0x1122334455667788, 2 };
	struct unwind_stack stack = { (const unsigned char *)words, SP, 16, true };
	uint64_t value;

	EXPECT(unwind_read(&stack, SP + 8, &value));
	EXPECT_INT(value, 2);
	EXPECT_BOOL(unwind_read(&stack, SP + 9, &value), false);
	EXPECT_BOOL(unwind_read(&stack, SP - 1, &value), false);
	EXPECT_BOOL(unwind_read(&stack, UINT64_MAX, &value), false);
	stack.wide = false;
	EXPECT(unwind_read(&stack, SP + 12, &value));
	EXPECT(unwind_read(&stack, SP + 4, &value));
	EXPECT_INT(value, 0x11223344);
}

TEST(step_by_the_frame_pointer)
{
	static const struct {
		const char *label;
		uint64_t fp, saved;
		enum unwind_result result;
	} cases[] = {
		{ "a frame", SP + 16, SP + 48, UNWIND_STEPPED },
		{ "the outermost", SP + 16, 0, UNWIND_STEPPED },
		{ "below the stack", SP - 16, SP + 48, UNWIND_NO_RULES },
		{ "not aligned", SP + 17, SP + 48, UNWIND_NO_RULES },
		{ "too far", SP + 0x8000, SP + 0x9000, UNWIND_NO_RULES },
		{ "not copied", SP + 64, SP + 96, UNWIND_COPY_END },
		{ "of a caller that keeps none", SP + 16, 7, UNWIND_STEPPED },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct scene s;

		set_up(&s, NULL, 0);
		s.regs.values[6] = cases[i].fp;
		s.words[2] = cases[i].saved;
		s.words[3] = 0x402000;
		test_case("%s", cases[i].label);
		EXPECT_INT(unwind_step_pointer(&s.regs, UNWIND_X86_64, &s.stack), cases[i].result);
		if (cases[i].result == UNWIND_STEPPED) {
			EXPECT_INT(s.regs.pc, 0x402000);
			EXPECT_INT(s.regs.values[6], cases[i].saved);
			EXPECT_INT(s.regs.values[7], SP + 32);
		}
	}
}
