/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The symbols of ELF files as rows, in file offsets or in addresses.
 *
 * Names may come from another file than the code: the file that ran has segments, .dynsym and PLT;
 * the file of debug information has .symtab.
 */
#ifndef SYMBOL_ELFSYMS_H
#define SYMBOL_ELFSYMS_H

#include "symbol/elf.h"
#include "symbol/sheet.h"

/* Whether the file has a table of all its symbols, and whether it says what it exports. */
const struct elf_section *elfsyms_symtab(const struct elf_file *elf);
const struct elf_section *elfsyms_dynsym(const struct elf_file *elf);

/*
 * Adds the symbols of one of those sections of `symbols`, placed by the segments of `code` (the
 * same file, or the one that it was split from), and settles the rows.
 */
void elfsyms_add(struct symbol_sheet *sheet, const struct elf_file *symbols,
		 const struct elf_section *section, const struct elf_file *code);

/* Those of a kernel, by address. */
void elfsyms_add_kernel(struct symbol_sheet *sheet, const struct elf_file *kernel);

/* Those of a module's .text, which was loaded at `base`. */
void elfsyms_add_module(struct symbol_sheet *sheet, const struct elf_file *module, uint64_t base);

/* Where a symbol of that name stands; false if there is none. */
bool elfsyms_value(const struct elf_file *elf, const char *name, uint64_t *value);

/* Adds NAME@plt for each stub by which the file calls into others. */
void elfsyms_add_plt(struct symbol_sheet *sheet, const struct elf_file *code);

/* The loaded segments, for table_address. */
void elfsyms_add_segments(struct symbol_sheet *sheet, const struct elf_file *code);

#endif
