/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that was lost by processes of ours that end without exit(), where LeakSanitizer looks.
 *
 * Only in programs that were built with AddressSanitizer, and only where PERFOLIO_LEAKS is set: to
 * look, a process has to trace itself, which is what the fences of the server are against.  So one
 * that is to look has none.
 */
#ifndef BASE_LEAKS_H
#define BASE_LEAKS_H

#include <stdbool.h>

bool leaks_wanted(void);

/* Looks; true if there are some, and then standard error says which. */
bool leaks_found(void);

#endif
