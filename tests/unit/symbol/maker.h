/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ELF files made to measure, of either class and byte order, in memory.
 *
 * A made file has one loaded segment of `text_size` bytes whose offset in the file and address
 * differ by 0x400000, so that the two can't be taken for each other.
 */
#ifndef UNIT_SYMBOL_MAKER_H
#define UNIT_SYMBOL_MAKER_H

#include "base/buf.h"
#include <elf.h>
#include <stdbool.h>
#include <stdint.h>

#define MADE_TEXT_OFF  0x1000u
#define MADE_TEXT_ADDR 0x401000u
#define MADE_TEXT_SIZE 0x2000u

struct made_symbol {
	const char *name;
	uint64_t value, size;
	uint8_t type, binding, visibility;
	uint16_t section; /* 0: .text; SHN_ABS and so on as they are */
};

struct made_section {
	const char *name;
	uint32_t type;
	uint64_t flags, addr, entry_size;
	const void *bytes;
	size_t size;
	const char *link; /* name of another section */
	const char *info; /* likewise: of the one that relocations are for */
};

struct made_elf {
	bool narrow, big;			   /* 32 bits; big-endian */
	uint16_t type, machine;			   /* 0: ET_DYN, EM_X86_64 */
	const char *build_id;			   /* its bytes as text; NULL for none */
	const struct made_symbol *symtab, *dynsym; /* ended by one without a name */
	const struct made_section *extra;	   /* likewise */
	bool only_debug; /* .text and .dynsym without contents, as objcopy leaves them */
	bool no_sections;
};

/* The file; free buf. */
void make_elf(struct buf *file, const struct made_elf *made);

#endif
