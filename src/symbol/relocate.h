/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Debug information of a file that was never linked: a kernel module.
 *
 * Its addresses stand in relocations.  Sections that are loaded get places of our own, one behind
 * the other, with .text at RELOCATE_TEXT: 0 would mean code that was left out.
 */
#ifndef SYMBOL_RELOCATE_H
#define SYMBOL_RELOCATE_H

#include "symbol/elf.h"

#define RELOCATE_TEXT 0x100000

/* Puts the addresses into the bytes of a section, which may have been unpacked. */
void relocate_section(const struct elf_file *elf, const struct elf_section *section,
		      unsigned char *bytes, uint64_t size);

#endif
