/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of system calls and of their errors, on the machine that was recorded.
 */
#ifndef SUMMARY_SYSNAMES_H
#define SUMMARY_SYSNAMES_H

#include "base/idmap.h"
#include "base/interner.h"

struct sysnames {
	struct interner names;
	struct idmap by_number;
	uint32_t arch; /* libseccomp's; 0: unknown */
	bool other_errors;
};

/* arch is what uname calls it; NULL means this machine's. */
void sysnames_init(struct sysnames *sysnames, const char *arch);

/*
 * A number for the name of call `number`, met at the tracepoint `event` ("sys_enter_openat", whose
 * end is a name too, or "sys_enter").
 */
uint32_t sysnames_call(struct sysnames *sysnames, int64_t number, const char *event);
const char *sysnames_text(const struct sysnames *sysnames, uint32_t name);
void sysnames_fini(struct sysnames *sysnames);

/* rt_sigreturn takes all registers from the stack, the number of the call too: it ends as -1. */
#define SYSCALL_NONE (-1)

/* Whether a call's result says that it failed; the kernel keeps 4095 values for that. */
static inline bool syscall_failed(int64_t number, int64_t result)
{
	return number != SYSCALL_NONE && result < 0 && result >= -4095;
}

#define SYSERROR_TEXT 32

/* "ENOENT" of 2. */
const char *sysnames_error(const struct sysnames *sysnames, unsigned error,
			   char into[static SYSERROR_TEXT]);

#endif
