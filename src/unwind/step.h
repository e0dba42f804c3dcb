/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From one frame to its caller's, by a row of call frame information or by the frame pointer.
 *
 * Memory is what was copied of a thread's stack; everything else was not recorded, but what
 * expressions want to know may be in a file that was mapped.  Nothing here looks for rows: who
 * steps brings the one that holds at the frame's pc.
 */
#ifndef UNWIND_STEP_H
#define UNWIND_STEP_H

#include "unwind/rows.h"

enum unwind_arch {
	UNWIND_X86_64,
	UNWIND_I386,
	UNWIND_AARCH64,
};

/* A frame's registers, by DWARF numbers; the return column of x86 is the pc. */
struct unwind_registers {
	uint64_t values[CFI_REGISTERS];
	uint64_t known; /* a bit each */
	uint64_t pc;
	uint64_t cfa; /* of the frame that was left last; 0 at first */
};

struct unwind_stack {
	const unsigned char *bytes;
	uint64_t start; /* the address of the first one */
	uint64_t size;
	bool wide; /* words have 64 bits */
	/* A word of constant data of a mapped file; false if there is none.  NULL: there are no
	 * files. */
	bool (*read_file)(void *context, uint64_t address, uint64_t *value);
	void *context;
};

enum unwind_result {
	UNWIND_STEPPED,
	UNWIND_ROOT,	 /* the frame has no caller, and says so */
	UNWIND_COPY_END, /* what is needed lies beyond the copied part of the stack */
	UNWIND_NO_RULES, /* no row, or one that needs what nobody knows */
	UNWIND_STUCK,	 /* the caller would be the same frame again */
	UNWIND_NO_CODE,	 /* the pc lies in no mapping */
	UNWIND_NO_FILE,	 /* it lies in one whose file is not there */
	UNWIND_DEEP,	 /* more frames than are looked at */
	UNWIND_LATER,	 /* who follows another met what that one does not know yet */
};

/* Takes a thread's registers as a sample has them: a bit a register of perf's numbers in mask. */
void unwind_registers_init(struct unwind_registers *regs, enum unwind_arch arch, uint64_t mask,
			   const uint64_t *values);

uint64_t unwind_sp(const struct unwind_registers *regs, enum unwind_arch arch);

/* A word of the stack; false if it was not copied. */
bool unwind_read(const struct unwind_stack *stack, uint64_t address, uint64_t *value);

/* Changes *regs into the caller's; what is not UNWIND_STEPPED leaves them undefined. */
enum unwind_result unwind_step(struct unwind_registers *regs, enum unwind_arch arch,
			       const struct cfi_rows *rows, const struct cfi_row *row,
			       const struct unwind_stack *stack);

/*
 * The same for code without rows: if the frame pointer looks like one, it leads to the caller.
 */
enum unwind_result unwind_step_pointer(struct unwind_registers *regs, enum unwind_arch arch,
				       const struct unwind_stack *stack);

/*
 * The value of an expression that starts with `first` on its stack (if has_first), for the frame of
 * these registers.  False if it is damaged, too long, or needs what is not known; *outside says
 * that it was memory.
 */
bool unwind_evaluate(const struct cfi_expression *expression, const struct unwind_registers *regs,
		     const struct unwind_stack *stack, const uint64_t *first, uint64_t *value,
		     bool *outside);

#endif
