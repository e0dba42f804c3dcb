// SPDX-License-Identifier: Apache-2.0
#include "unwind/step.h"

#define PERF_REGS 33

/* What differs between architectures, all in DWARF's numbers. */
struct arch {
	uint8_t sp, fp, pc;
	bool has_link; /* the return address starts out in a register */
	uint8_t perf_pc;
	uint8_t numbers[PERF_REGS]; /* by perf's numbers */
};

#define NONE 0xff

static const struct arch archs[] = {
	[UNWIND_X86_64] = { .sp = 7,
			    .fp = 6,
			    .pc = 16,
			    .perf_pc = 8,
			    /* ax bx cx dx si di bp sp ip flags cs ss ds es fs gs r8 ... r15 */
			    .numbers = { 0,    3,    2,	   1,	 4,    5,    6,	   7,	 NONE,
					 NONE, NONE, NONE, NONE, NONE, NONE, NONE, 8,	 9,
					 10,   11,   12,   13,	 14,   15,   NONE, NONE, NONE,
					 NONE, NONE, NONE, NONE, NONE, NONE } },
	[UNWIND_I386] = { .sp = 4,
			  .fp = 5,
			  .pc = 8,
			  .perf_pc = 8,
			  .numbers = { 0,    3,	   1,	 2,    6,    7,	   5,	 4,    NONE,
				       NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE,
				       NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE,
				       NONE, NONE, NONE, NONE, NONE, NONE } },
	[UNWIND_AARCH64] = { .sp = 31,
			     .fp = 29,
			     .pc = 32,
			     .has_link = true,
			     .perf_pc = 32,
			     .numbers = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
					  11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
					  22, 23, 24, 25, 26, 27, 28, 29, 30, 31, NONE } },
};

/* A signed return address has its signature above the 48 bits of a user's address. */
#define AARCH64_ADDRESS 0x0000ffffffffffffull

static void set(struct unwind_registers *regs, unsigned reg, uint64_t value)
{
	regs->values[reg] = value;
	regs->known |= 1ull << reg;
}

void unwind_registers_init(struct unwind_registers *regs, enum unwind_arch arch, uint64_t mask,
			   const uint64_t *values)
{
	const struct arch *a = &archs[arch];

	*regs = (struct unwind_registers){ 0 };
	for (unsigned bit = 0; bit < 64; bit++) {
		if (!(mask >> bit & 1))
			continue;
		if (bit == a->perf_pc)
			regs->pc = *values;
		else if (bit < PERF_REGS && a->numbers[bit] != NONE)
			set(regs, a->numbers[bit], *values);
		values++;
	}
	set(regs, a->pc, regs->pc); /* expressions of stubs ask for it */
}

uint64_t unwind_sp(const struct unwind_registers *regs, enum unwind_arch arch)
{
	return regs->values[archs[arch].sp];
}

bool unwind_read(const struct unwind_stack *stack, uint64_t address, uint64_t *value)
{
	size_t size = stack->wide ? 8 : 4;
	uint64_t offset = address - stack->start;

	if (address < stack->start || stack->size < size || offset > stack->size - size)
		return false;
	*value = 0;
	memcpy(value, stack->bytes + offset, size);
	return true;
}

/* What a step looks at; `from` stays as it was, since rules speak of the frame that is left. */
struct step {
	const struct unwind_registers *from;
	const struct unwind_stack *stack;
	const struct cfi_rows *rows;
	uint64_t cfa;
	bool outside; /* something was not in the copy */
};

static bool find_cfa(struct step *s, const struct cfi_row *row)
{
	if (row->frame == CFI_FRAME_RESULT)
		return unwind_evaluate(&s->rows->expressions.data[row->value], s->from, s->stack,
				       NULL, &s->cfa, &s->outside);
	if (row->frame != CFI_FRAME_REGISTER || !(s->from->known >> row->reg & 1))
		return false;
	s->cfa = s->from->values[row->reg] + (uint64_t)(int64_t)row->value;
	return true;
}

static bool load(struct step *s, uint64_t address, uint64_t *value)
{
	if (unwind_read(s->stack, address, value))
		return true;
	s->outside = true;
	return false;
}

/* The caller's value of a register; false if it is lost. */
static bool apply(struct step *s, const struct cfi_rule *rule, uint64_t *value)
{
	unsigned from = rule->reg;
	uint64_t result;

	switch ((enum cfi_where)rule->where) {
	case CFI_AT: return load(s, s->cfa + (uint64_t)(int64_t)rule->value, value);
	case CFI_IS: *value = s->cfa + (uint64_t)(int64_t)rule->value; return true;
	case CFI_AT_RESULT:
	case CFI_IS_RESULT:
		if (!unwind_evaluate(&s->rows->expressions.data[rule->value], s->from, s->stack,
				     &s->cfa, &result, &s->outside))
			return false;
		*value = result;
		return rule->where == CFI_IS_RESULT || load(s, result, value);
	case CFI_IN:
		if (rule->value < 0 || rule->value >= CFI_REGISTERS)
			return false;
		from = (unsigned)rule->value;
		break;
	case CFI_UNTOLD:
	case CFI_SAME: break;
	case CFI_UNDEFINED: return false;
	}
	*value = s->from->values[from];
	return s->from->known >> from & 1;
}

/* All rules but the return address'; one that leads out of the copy only loses its register. */
static void apply_rules(struct step *s, const struct cfi_row *row, const struct arch *a,
			struct unwind_registers *to, const struct cfi_rule **return_rule)
{
	set(to, a->sp, s->cfa);
	for (unsigned i = 0; i < row->rule_count; i++) {
		const struct cfi_rule *rule = &s->rows->rules.data[row->rule_first + i];
		uint64_t value;

		if (rule->reg == row->return_column)
			*return_rule = rule;
		if (apply(s, rule, &value))
			set(to, rule->reg, value);
		else
			to->known &= ~(1ull << rule->reg);
	}
}

static enum unwind_result leave(const struct arch *a, struct unwind_registers *regs,
				const struct unwind_registers *to, uint64_t cfa)
{
	if (!to->pc)
		return UNWIND_ROOT;
	/* The stack only ever shrinks on the way out, but for leaves that have not used it. */
	if (to->pc == regs->pc && cfa == regs->cfa)
		return UNWIND_STUCK;
	*regs = *to;
	set(regs, a->pc, to->pc);
	regs->cfa = cfa;
	return UNWIND_STEPPED;
}

/* Where the kernel puts the interrupted registers below a handler: x0 to x30, sp and pc in a row.
 */
#define AARCH64_SIGNAL_REGISTERS 312

/*
 * The rules of arm64's trampoline lead to the interrupted function's caller, by its frame record;
 * the function itself is only in what the kernel saved for the return.
 */
static enum unwind_result leave_aarch64_signal(struct unwind_registers *regs,
					       const struct unwind_stack *stack)
{
	const struct arch *a = &archs[UNWIND_AARCH64];
	uint64_t from = regs->values[a->sp] + AARCH64_SIGNAL_REGISTERS;
	struct unwind_registers to = { 0 };

	for (unsigned reg = 0; reg < CFI_REGISTERS; reg++) {
		uint64_t value;

		if (!unwind_read(stack, from + reg * 8, &value))
			return UNWIND_COPY_END;
		set(&to, reg, value);
	}
	to.pc = to.values[a->pc];
	return leave(a, regs, &to, to.values[a->sp]);
}

enum unwind_result unwind_step(struct unwind_registers *regs, enum unwind_arch arch,
			       const struct cfi_rows *rows, const struct cfi_row *row,
			       const struct unwind_stack *stack)
{
	const struct arch *a = &archs[arch];
	const struct cfi_rule *return_rule = NULL;
	struct step s = { .from = regs, .stack = stack, .rows = rows };
	struct unwind_registers to = *regs;

	if (row->signal && arch == UNWIND_AARCH64)
		return leave_aarch64_signal(regs, stack);
	if (!find_cfa(&s, row))
		return s.outside ? UNWIND_COPY_END : UNWIND_NO_RULES;
	if (!stack->wide)
		s.cfa = (uint32_t)s.cfa;
	s.outside = false;
	apply_rules(&s, row, a, &to, &return_rule);
	if (return_rule && return_rule->where == CFI_UNDEFINED)
		return UNWIND_ROOT;
	if (!return_rule && !a->has_link)
		return UNWIND_NO_RULES;
	if (!(to.known >> row->return_column & 1))
		return s.outside ? UNWIND_COPY_END : UNWIND_NO_RULES;
	to.pc = to.values[row->return_column];
	if (row->ra_signed || (arch == UNWIND_AARCH64 && to.pc > AARCH64_ADDRESS))
		to.pc &= AARCH64_ADDRESS;
	return leave(a, regs, &to, s.cfa);
}

/*
 * A frame that is guessed may not lie further up than this.  What it has saved says nothing: its
 * caller may use that register for anything.
 */
#define POINTER_REACH 0x4000

enum unwind_result unwind_step_pointer(struct unwind_registers *regs, enum unwind_arch arch,
				       const struct unwind_stack *stack)
{
	const struct arch *a = &archs[arch];
	uint64_t word = stack->wide ? 8 : 4, pointer = regs->values[a->fp], caller, pc;
	struct unwind_registers to = { 0 };

	if (!(regs->known >> a->fp & 1) || pointer < regs->values[a->sp] ||
	    pointer - regs->values[a->sp] > POINTER_REACH || pointer % word)
		return UNWIND_NO_RULES;
	if (!unwind_read(stack, pointer, &caller) || !unwind_read(stack, pointer + word, &pc))
		return UNWIND_COPY_END;
	to.pc = arch == UNWIND_AARCH64 ? pc & AARCH64_ADDRESS : pc;
	set(&to, a->fp, caller);
	set(&to, a->sp, pointer + 2 * word);
	return leave(a, regs, &to, pointer + 2 * word);
}
