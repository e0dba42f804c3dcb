// SPDX-License-Identifier: Apache-2.0
/* DWARF expressions, as far as call frame information has them: PLT stubs, signal frames. */
#include "unwind/step.h"

#define DEPTH_MAX 32
#define STEPS_MAX 512 /* expressions may jump back */

enum operation {
	EX_ADDR = 0x03,
	EX_DEREF = 0x06,
	EX_CONST1U = 0x08,
	EX_CONST1S,
	EX_CONST2U,
	EX_CONST2S,
	EX_CONST4U,
	EX_CONST4S,
	EX_CONST8U,
	EX_CONST8S,
	EX_CONSTU,
	EX_CONSTS,
	EX_DUP,
	EX_DROP,
	EX_OVER,
	EX_PICK,
	EX_SWAP,
	EX_ROT,
	EX_ABS = 0x19,
	EX_AND,
	EX_DIV,
	EX_MINUS,
	EX_MOD,
	EX_MUL,
	EX_NEG,
	EX_NOT,
	EX_OR,
	EX_PLUS,
	EX_PLUS_UCONST,
	EX_SHL,
	EX_SHR,
	EX_SHRA,
	EX_XOR,
	EX_BRA,
	EX_EQ,
	EX_GE,
	EX_GT,
	EX_LE,
	EX_LT,
	EX_NE,
	EX_SKIP,
	EX_LIT0 = 0x30,
	EX_LIT31 = 0x4f,
	EX_BREG0 = 0x70,
	EX_BREG31 = 0x8f,
	EX_BREGX = 0x92,
	EX_DEREF_SIZE = 0x94,
	EX_NOP = 0x96,
};

struct evaluation {
	struct cursor c;
	const unsigned char *start;
	const struct unwind_registers *regs;
	const struct unwind_stack *stack;
	uint64_t values[DEPTH_MAX];
	unsigned depth;
	bool broken, outside;
};

static void push(struct evaluation *e, uint64_t value)
{
	if (e->depth == DEPTH_MAX)
		e->broken = true;
	else
		e->values[e->depth++] = value;
}

static uint64_t pop(struct evaluation *e)
{
	if (e->depth)
		return e->values[--e->depth];
	e->broken = true;
	return 0;
}

/* The value that far below the top. */
static uint64_t below(struct evaluation *e, unsigned by)
{
	if (by < e->depth)
		return e->values[e->depth - 1 - by];
	e->broken = true;
	return 0;
}

static uint64_t load(struct evaluation *e, uint64_t address, unsigned size)
{
	uint64_t value = 0;

	if (!unwind_read(e->stack, address, &value) &&
	    !(e->stack->read_file && e->stack->read_file(e->stack->context, address, &value))) {
		e->broken = e->outside = true;
		return 0;
	}
	if (size >= 8)
		return value;
	if (!size)
		e->broken = true;
	return value & ((1ull << size * 8) - 1);
}

static uint64_t based(struct evaluation *e, uint64_t reg)
{
	int64_t offset = cfi_sleb(&e->c);

	if (reg >= CFI_REGISTERS || !(e->regs->known >> reg & 1)) {
		e->broken = true;
		return 0;
	}
	return e->regs->values[reg] + (uint64_t)offset;
}

static void jump(struct evaluation *e, bool taken)
{
	int64_t by = (int16_t)cfi_u16(&e->c);

	if (!taken || e->c.broken)
		return;
	if (by < e->start - e->c.at || by > e->c.end - e->c.at)
		e->broken = true;
	else
		e->c.at += by;
}

static void reorder(struct evaluation *e, uint8_t op)
{
	uint64_t top, second, third;

	switch (op) {
	case EX_DUP: push(e, below(e, 0)); break;
	case EX_DROP: pop(e); break;
	case EX_OVER: push(e, below(e, 1)); break;
	case EX_PICK: push(e, below(e, cfi_u8(&e->c))); break;
	case EX_SWAP:
		top = pop(e);
		second = pop(e);
		push(e, top);
		push(e, second);
		break;
	case EX_ROT:
		top = pop(e);
		second = pop(e);
		third = pop(e);
		push(e, top);
		push(e, third);
		push(e, second);
		break;
	default: e->broken = true;
	}
}

static uint64_t divide(struct evaluation *e, uint64_t a, uint64_t b)
{
	if (!b || ((int64_t)a == INT64_MIN && (int64_t)b == -1)) {
		e->broken = true;
		return 0;
	}
	return (uint64_t)((int64_t)a / (int64_t)b);
}

static uint64_t modulo(struct evaluation *e, uint64_t a, uint64_t b)
{
	if (b)
		return a % b;
	e->broken = true;
	return 0;
}

static uint64_t shift_right_signed(uint64_t a, uint64_t by)
{
	return (uint64_t)((int64_t)a >> (by < 63 ? by : 63));
}

/* a is the value that was pushed first. */
static uint64_t combine(struct evaluation *e, uint8_t op, uint64_t a, uint64_t b)
{
	int64_t x = (int64_t)a, y = (int64_t)b;

	switch (op) {
	case EX_AND: return a & b;
	case EX_DIV: return divide(e, a, b);
	case EX_MINUS: return a - b;
	case EX_MOD: return modulo(e, a, b);
	case EX_MUL: return a * b;
	case EX_OR: return a | b;
	case EX_PLUS: return a + b;
	case EX_SHL: return b < 64 ? a << b : 0;
	case EX_SHR: return b < 64 ? a >> b : 0;
	case EX_SHRA: return shift_right_signed(a, b);
	case EX_XOR: return a ^ b;
	case EX_EQ: return x == y;
	case EX_GE: return x >= y;
	case EX_GT: return x > y;
	case EX_LE: return x <= y;
	case EX_LT: return x < y;
	case EX_NE: return x != y;
	default: e->broken = true; return 0;
	}
}

static uint64_t constant(struct evaluation *e, uint8_t op)
{
	switch (op) {
	case EX_ADDR: return cfi_word(&e->c, e->stack->wide);
	case EX_CONST1U: return cfi_u8(&e->c);
	case EX_CONST1S: return (uint64_t)(int64_t)(int8_t)cfi_u8(&e->c);
	case EX_CONST2U: return cfi_u16(&e->c);
	case EX_CONST2S: return (uint64_t)(int64_t)(int16_t)cfi_u16(&e->c);
	case EX_CONST4U: return cursor_u32(&e->c);
	case EX_CONST4S: return (uint64_t)(int64_t)(int32_t)cursor_u32(&e->c);
	case EX_CONSTU: return cfi_uleb(&e->c);
	case EX_CONSTS: return (uint64_t)cfi_sleb(&e->c);
	default: return cursor_u64(&e->c);
	}
}

static void change_top(struct evaluation *e, uint8_t op)
{
	uint64_t top = pop(e);

	switch (op) {
	case EX_DEREF: push(e, load(e, top, e->stack->wide ? 8 : 4)); break;
	case EX_DEREF_SIZE: push(e, load(e, top, cfi_u8(&e->c))); break;
	case EX_ABS: push(e, (int64_t)top < 0 ? -top : top); break;
	case EX_NEG: push(e, -top); break;
	case EX_NOT: push(e, ~top); break;
	case EX_PLUS_UCONST: push(e, top + cfi_uleb(&e->c)); break;
	default: e->broken = true;
	}
}

static void combine_two(struct evaluation *e, uint8_t op)
{
	uint64_t b = pop(e), a = pop(e);

	push(e, combine(e, op, a, b));
}

static void run_one(struct evaluation *e)
{
	uint8_t op = cfi_u8(&e->c);

	switch (op) {
	case EX_NOP: break;
	case EX_ADDR:
	case EX_CONST1U ... EX_CONSTS: push(e, constant(e, op)); break;
	case EX_DUP ... EX_ROT: reorder(e, op); break;
	case EX_LIT0 ... EX_LIT31: push(e, op - EX_LIT0); break;
	case EX_BREG0 ... EX_BREG31: push(e, based(e, op - EX_BREG0)); break;
	case EX_BREGX: push(e, based(e, cfi_uleb(&e->c))); break;
	case EX_SKIP: jump(e, true); break;
	case EX_BRA: jump(e, pop(e) != 0); break;
	case EX_DEREF:
	case EX_DEREF_SIZE:
	case EX_ABS:
	case EX_NEG:
	case EX_NOT:
	case EX_PLUS_UCONST: change_top(e, op); break;
	default: combine_two(e, op);
	}
}

bool unwind_evaluate(const struct cfi_expression *expression, const struct unwind_registers *regs,
		     const struct unwind_stack *stack, const uint64_t *first, uint64_t *value,
		     bool *outside)
{
	struct evaluation e = { .c = cursor_of(expression->bytes, expression->size),
				.start = expression->bytes,
				.regs = regs,
				.stack = stack };
	unsigned steps = 0;

	if (first)
		push(&e, *first);
	while (cursor_left(&e.c) && !e.broken) {
		run_one(&e);
		e.broken |= e.c.broken || ++steps > STEPS_MAX;
	}
	*value = pop(&e);
	*outside = e.outside;
	return !e.broken;
}
