/* SPDX-License-Identifier: Apache-2.0 */
/* The sections of debug information of an ELF file, unpacked; what dwarf/ reads from. */
#ifndef SYMBOL_DEBUGFILE_H
#define SYMBOL_DEBUGFILE_H

#include "dwarf/dwarf.h"
#include "symbol/elf.h"

struct dso;

/* Whether the file says from which source its code is. */
bool debugfile_has_lines(const struct elf_file *elf);

/* How large one of its sections is in the file, packed or not; 0 if it has none. */
uint64_t debugfile_size(const struct elf_file *elf, enum dwarf_section section);

/*
 * The source for dwarf_new, which takes the file over.  With an object also files beside it are
 * found: those that dwz made and those that were split off.
 */
struct dwarf_source debugfile_source(struct elf_file elf, const char *path, struct dso *object);

/* Whether the file was written to meanwhile, and parts of it may be of another build. */
bool debugfile_changed(const struct dwarf_source *source);

#endif
