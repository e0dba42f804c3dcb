/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading ELF files of any class and byte order: headers, sections, segments, notes.
 *
 * Our own reader and not libelf: the input may be hostile, may change while it is read, and most
 * often only a few hundred bytes of it are wanted.  Whatever lies outside the file is not there.
 */
#ifndef SYMBOL_ELF_H
#define SYMBOL_ELF_H

#include "perfdata/buildid.h"
#include "symbol/image.h"
#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct elf_section {
	uint32_t name, type, link, info;
	uint64_t flags, addr, offset, size, align, entry_size;
};

struct elf_segment {
	uint32_t type, flags;
	uint64_t addr, offset, file_size, memory_size, align;
};

struct elf_symbol {
	uint32_t name; /* in the string table of the symbols' section */
	uint8_t binding, type, visibility;
	uint16_t section;
	uint64_t value, size;
};

struct elf_file {
	struct image image;
	bool wide;    /* 64 bits */
	bool swapped; /* not of this machine's byte order */
	uint16_t type, machine;
	struct elf_section *sections;
	uint32_t section_count;
	struct elf_segment *segments;
	uint32_t segment_count;
	char *names; /* of the sections */
	uint64_t names_size;
};

/*
 * Takes the image over, also where it fails: -ENOEXEC if it is no ELF file, -EBADMSG if its headers
 * lie outside of it.
 */
int elf_file_open(struct elf_file *elf, struct image image);
void elf_file_close(struct elf_file *elf); /* { 0 } may be closed too */

const char *elf_section_name(const struct elf_file *elf, const struct elf_section *section);
const struct elf_section *elf_section_find(const struct elf_file *elf, const char *name);

/* The section's bytes, ended by a NUL; NULL if it has none in the file.  Free it. */
unsigned char *elf_section_load(const struct elf_file *elf, const struct elf_section *section);

/* False if there is none. */
bool elf_file_build_id(const struct elf_file *elf, struct build_id *id);

/* Of the segments that are loaded, the one that holds an address; or NULL. */
const struct elf_segment *elf_segment_of(const struct elf_file *elf, uint64_t addr);

/* Numbers of the file's byte order; a word has 4 or 8 bytes by the class. */
static inline uint16_t elf_u16(const struct elf_file *elf, const unsigned char *at)
{
	uint16_t value;

	memcpy(&value, at, sizeof(value));
	return elf->swapped ? __builtin_bswap16(value) : value;
}

static inline uint32_t elf_u32(const struct elf_file *elf, const unsigned char *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return elf->swapped ? __builtin_bswap32(value) : value;
}

static inline uint64_t elf_u64(const struct elf_file *elf, const unsigned char *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return elf->swapped ? __builtin_bswap64(value) : value;
}

static inline uint64_t elf_word(const struct elf_file *elf, const unsigned char *at)
{
	return elf->wide ? elf_u64(elf, at) : elf_u32(elf, at);
}

/* Symbols, one at a time, out of the loaded bytes of a table: inline, there may be millions. */
static inline size_t elf_symbol_size(const struct elf_file *elf)
{
	return elf->wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
}

static inline struct elf_symbol elf_symbol_at(const struct elf_file *elf,
					      const unsigned char *table, size_t i)
{
	const unsigned char *at = table + i * elf_symbol_size(elf);
	const unsigned char *info = at + (elf->wide ? 4 : 12);

	return (struct elf_symbol){
		.name = elf_u32(elf, at),
		.binding = ELF64_ST_BIND(info[0]),
		.type = ELF64_ST_TYPE(info[0]),
		.visibility = ELF64_ST_VISIBILITY(info[1]),
		.section = elf_u16(elf, info + 2),
		.value = elf->wide ? elf_u64(elf, at + 8) : elf_u32(elf, at + 4),
		.size = elf->wide ? elf_u64(elf, at + 16) : elf_u32(elf, at + 8),
	};
}

#endif
