/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether code sets up a frame pointer, by its instructions: for code without unwinding rules, and
 * for compilers whose rules say nothing of the pointer, as Go's.
 */
#ifndef UNWIND_PROLOGUE_H
#define UNWIND_PROLOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROLOGUE_BYTES 4096 /* of a function that are worth looking at */

/* Behind which byte of the function these come; 0: they do not. */
struct prologue {
	uint32_t set;	 /* from there on its frame pointer is set up */
	uint32_t may_be; /* something that may be that, or another use of the register */
	uint32_t looked; /* so many bytes were looked at */
};

/* Of a function's first bytes; machine: EM_X86_64, EM_386 or EM_AARCH64, of others nothing is known
 * and looked is 0. */
struct prologue prologue_find(uint16_t machine, const unsigned char *code, size_t size);

/* Whether an instruction returns: by then the pointer is the caller's again. */
bool prologue_is_return(uint16_t machine, const unsigned char *code, size_t size);

#endif
