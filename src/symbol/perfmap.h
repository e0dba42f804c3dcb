/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list that a JIT keeps of its code, /tmp/perf-PID.map: lines of "START SIZE NAME", the numbers
 * hexadecimal, with or without 0x.  Code is moved and memory used again, so a later line overrides
 * what it covers of earlier ones.
 */
#ifndef SYMBOL_PERFMAP_H
#define SYMBOL_PERFMAP_H

#include "symbol/sheet.h"
#include <stddef.h>

/* Reads the text, which must end with a NUL and becomes the sheet's strings, into an empty sheet.
 */
void perfmap_read(struct symbol_sheet *sheet, char *text, size_t size);

#endif
