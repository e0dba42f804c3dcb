/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's list of its symbols: "ffffffff81000000 T _stext" or, of a module, with "\t[ext4]"
 * behind it.
 */
#ifndef SYMBOL_KALLSYMS_H
#define SYMBOL_KALLSYMS_H

#include "symbol/sheet.h"
#include <stddef.h>

enum kallsyms_part {
	KALLSYMS_KERNEL, /* the kernel and its modules, as they stand in a saved file */
	KALLSYMS_NO_BPF, /* without BPF programs, which come and go */
	KALLSYMS_BPF,	 /* those alone */
};

struct kallsyms {
	size_t lines, hidden; /* symbols in all, and how many of them were shown as 0 */
	uint64_t text, stext; /* where _text and _stext are; 0 if they are not */
};

/*
 * Reads the text, which must end with a NUL and becomes the sheet's strings, into an empty sheet.
 * Rows are settled: as perf does, the last of several names of one address stays.
 */
void kallsyms_read(struct kallsyms *kallsyms, struct symbol_sheet *sheet, char *text, size_t size,
		   enum kallsyms_part part);

#define KALLSYMS_RUNNING "/proc/kallsyms"

/* The whole file, whatever its size says; NULL on failure with errno set.  Free it. */
char *kallsyms_load(const char *path, size_t *size);

/* Whether what asks for the running list came from outside: symbol_kernel_list(). */
bool kallsyms_for_strangers(void);

#endif
