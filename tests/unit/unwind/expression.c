// SPDX-License-Identifier: Apache-2.0
#include "test.h"
#include "unwind/step.h"

static const uint64_t words[4] = { 0x1122334455667788, 0x7fff0008, 3, 4 };

static bool evaluate(const char *bytes, size_t size, uint64_t *value, bool *outside)
{
	struct cfi_expression expression = { (const unsigned char *)bytes, size };
	struct unwind_registers regs = { .known = 1 << 7 | 1 << 16 };
	struct unwind_stack stack = { (const unsigned char *)words, 0x7fff0000, sizeof(words),
				      true };
	uint64_t first = 100;

	regs.values[7] = 0x7fff0000;
	regs.values[16] = 0x40100b;
	return unwind_evaluate(&expression, &regs, &stack, &first, value, outside);
}

/* Each begins with 100 on its stack. */
TEST(expression_operations)
{
	static const struct {
		const char *label, *bytes;
		size_t size;
		uint64_t value;
	} cases[] = {
		{ "nothing", "", 0, 100 },
		{ "addr", "\x03\x01\x02\x03\x04\x05\x06\x07\x08", 9, 0x0807060504030201 },
		{ "const1u", "\x08\xff", 2, 255 },
		{ "const1s", "\x09\xff", 2, UINT64_MAX },
		{ "const2u", "\x0a\xff\xff", 3, 0xffff },
		{ "const2s", "\x0b\xfe\xff", 3, (uint64_t)-2 },
		{ "const4u", "\x0c\xff\xff\xff\xff", 5, 0xffffffff },
		{ "const4s", "\x0d\xff\xff\xff\xff", 5, UINT64_MAX },
		{ "const8u", "\x0e\x01\0\0\0\0\0\0\x80", 9, 0x8000000000000001 },
		{ "const8s", "\x0f\x02\0\0\0\0\0\0\0", 9, 2 },
		{ "constu", "\x10\x80\x01", 3, 128 },
		{ "consts", "\x11\x7f", 2, UINT64_MAX },
		{ "dup", "\x12\x22", 2, 200 },
		{ "drop", "\x31\x13", 2, 100 },
		{ "over", "\x31\x14\x22", 3, 101 },
		{ "pick", "\x31\x32\x15\x02\x22", 5, 102 },
		{ "swap", "\x31\x16\x1c", 3, (uint64_t)-99 },
		{ "rot", "\x31\x32\x17\x13\x13", 5, 2 },
		{ "deref", "\x77\x00\x06", 3, 0x1122334455667788 },
		{ "deref_size", "\x77\x00\x94\x02", 4, 0x7788 },
		{ "deref twice", "\x77\x08\x06\x06", 4, 0x7fff0008 },
		{ "abs", "\x11\x7b\x19", 3, 5 },
		{ "and", "\x34\x1a", 2, 4 },
		{ "div", "\x11\x7f\x1b", 3, (uint64_t)-100 },
		{ "minus", "\x31\x1c", 2, 99 },
		{ "mod", "\x37\x1d", 2, 2 },
		{ "mul", "\x33\x1e", 2, 300 },
		{ "neg", "\x1f", 1, (uint64_t)-100 },
		{ "not", "\x20", 1, ~100ull },
		{ "or", "\x33\x21", 2, 103 },
		{ "plus", "\x33\x22", 2, 103 },
		{ "plus_uconst", "\x23\x0a", 2, 110 },
		{ "shl", "\x33\x24", 2, 800 },
		{ "shl far", "\x08\x40\x24", 3, 0 },
		{ "shr", "\x32\x25", 2, 25 },
		{ "shra", "\x1f\x32\x26", 3, (uint64_t)-25 },
		{ "xor", "\x35\x27", 2, 97 },
		{ "bra taken", "\x31\x28\x01\x00\x13\x23\x01", 7, 101 },
		{ "bra not taken", "\x30\x28\x01\x00\x96\x23\x01", 7, 101 },
		{ "skip", "\x2f\x02\x00\x13\x13", 5, 100 },
		{ "eq", "\x31\x31\x29", 3, 1 },
		{ "ge", "\x31\x2a", 2, 1 },
		{ "gt", "\x31\x2b", 2, 1 },
		{ "le", "\x31\x2c", 2, 0 },
		{ "lt", "\x31\x2d", 2, 0 },
		{ "ne", "\x31\x2e", 2, 1 },
		{ "lit31", "\x4f", 1, 31 },
		{ "breg", "\x77\x78", 2, 0x7ffefff8 },
		{ "bregx", "\x92\x07\x08", 3, 0x7fff0008 },
		{ "nop", "\x96", 1, 100 },
		/* A stub of the PLT: rsp + 8 + ((rip & 15) >= 11) * 8. */
		{ "PLT", "\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22", 11, 0x7fff0010 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t value;
		bool outside;

		test_case("%s", cases[i].label);
		EXPECT(evaluate(cases[i].bytes, cases[i].size, &value, &outside));
		EXPECT(value == cases[i].value);
	}
}

TEST(expression_failures)
{
	static const struct {
		const char *label, *bytes;
		size_t size;
		bool outside;
	} cases[] = {
		{ "too few values", "\x22", 1, false },
		{ "nothing left", "\x13", 1, false },
		{ "unknown operation", "\xe0", 1, false },
		{ "cut operand", "\x0c\x01", 2, false },
		{ "unknown register", "\x70\x00", 2, false },
		{ "register out of range", "\x92\x7f\x00", 3, false },
		{ "division by zero", "\x30\x1b", 2, false },
		{ "division that overflows", "\x0e\0\0\0\0\0\0\0\x80\x11\x7f\x1b", 12, false },
		{ "remainder of zero", "\x30\x1d", 2, false },
		{ "memory outside", "\x06", 1, true },
		{ "memory behind the end", "\x77\x1c\x06", 3, true },
		{ "jump out", "\x2f\x10\x00", 3, false },
		{ "jump out before", "\x2f\x00\x80", 3, false },
		{ "for ever", "\x2f\xfd\xff", 3, false },
		{ "deeper and deeper", "\x12\x2f\xfc\xff", 4, false },
		{ "deref of nothing", "\x77\x00\x94\x00", 4, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t value;
		bool outside;

		test_case("%s", cases[i].label);
		EXPECT_BOOL(evaluate(cases[i].bytes, cases[i].size, &value, &outside), false);
		EXPECT_BOOL(outside, cases[i].outside);
	}
}
