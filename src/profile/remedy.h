/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What to do about a fault: a flag, a package, a compiler's option.  All remedies are one table,
 * with the words of a terminal and those of the page's form.
 */
#ifndef PROFILE_REMEDY_H
#define PROFILE_REMEDY_H

#include "profile/panel.h"

enum advice {
	ADVICE_DWARF,
	ADVICE_DWARF_FOR_ALL,
	ADVICE_DWARF_SKIPPED,
	ADVICE_TABLES_DWARF,
	ADVICE_FRAMES_OR_TABLES,
	ADVICE_MAX_STACK,
	ADVICE_LARGER_COPIES,
	ADVICE_TOO_DEEP,
	ADVICE_UNWIND_TABLES,
	ADVICE_JIT_FRAMES,
	ADVICE_JIT_MAP,
	ADVICE_MAP_OWNER,
	ADVICE_OWN_SYMBOLS,
	ADVICE_SYMBOLS_OF,
	ADVICE_PACKAGE,
	ADVICE_BRING_BACK,
	ADVICE_REBUILT,
	ADVICE_NEWER,
	ADVICE_READABLE,
	ADVICE_KERNEL_HIDDEN,
	ADVICE_KERNEL,
	ADVICE_MODULE,
	ADVICE_VDSO,
	ADVICE_KERNEL_UNMAPPED,
	ADVICE_MAPLESS,
	ADVICE_GUEST_KERNEL,
	ADVICE_GUEST_USER,
	ADVICE_LONGER,
	ADVICE_LOST,
	ADVICE_THROTTLED,
	ADVICE_WHOLE_FILE,
	ADVICE_NAMED_FILE,
	ADVICE_KERNEL_TOO,
	ADVICE_USER_TOO,
	ADVICE_ALL_CPUS,
	ADVICE_HOST,
	ADVICE_NO_FILTER,
	ADVICE_USER_CHAINS,
	ADVICE_LARGER_FILE,
	ADVICE_SHORT_PROCESSES,
	ADVICE_LOWER_RATE,
	ADVICE_FIXED_PERIOD,
	ADVICE_BUSY,
	ADVICE_QUIET,
	ADVICE_MORE_MEMORY,
	ADVICE_MORE_TASKS,
	ADVICE_PYTHON,
	ADVICES
};

struct remedy_facts {
	uint32_t copy_size;   /* bytes of stack that were copied; 0: not known */
	const char *packages; /* folder of the package lists, to name one; NULL: not looked into */
	bool form; /* the recording was made by the form of the page: speak of its fields */
	uint64_t bad_lines; /* of a text, which were not understood */
	uint64_t lines;
	uint64_t negative; /* of the lines, samples of which a value below zero was left out */
	bool imported;	   /* it was given to the page: few files of this machine are looked into */
};

/* A sentence without its full stop; about: the path, package or size that it names.  Free it. */
char *remedy_advice(enum advice advice, const struct remedy_facts *facts, const char *about);

/* The one for a fault of an object, or NULL if nothing can be done.  Free it. */
char *remedy_for(enum panel_reason reason, const struct profile *profile,
		 const struct profile_object *object, const struct remedy_facts *facts);

/* The one for copies of stacks that were too small.  Free it. */
char *remedy_larger_copy(const struct remedy_facts *facts);

#endif
