// SPDX-License-Identifier: Apache-2.0
#include "symbol/relocate.h"
#include "base/mem.h"

#include <stdlib.h>

/* What the relocations of a section refer to. */
struct symbols {
	unsigned char *bytes;
	size_t count;
	uint64_t *places; /* of the sections */
};

static uint64_t align_up(uint64_t value, uint64_t align)
{
	return align > 1 && align <= 4096 ? (value + align - 1) / align * align : value;
}

static uint64_t *make_places(const struct elf_file *elf)
{
	uint64_t *places = mem_alloc((elf->section_count + 1) * sizeof(*places));
	const struct elf_section *text = elf_section_find(elf, ".text");
	uint64_t next = RELOCATE_TEXT + (text ? text->size : 0);

	for (uint32_t i = 0; i < elf->section_count; i++) {
		const struct elf_section *section = &elf->sections[i];

		if (section == text) {
			places[i] = RELOCATE_TEXT;
		} else if (section->flags & SHF_ALLOC) {
			places[i] = align_up(next, section->align);
			next = places[i] + section->size;
		}
	}
	return places;
}

/* Bytes of the relocations that hold an address or an offset; 0 for others. */
static size_t size_of(uint16_t machine, uint32_t type)
{
	if (machine == EM_X86_64)
		return type == R_X86_64_64			     ? 8
		       : type == R_X86_64_32 || type == R_X86_64_32S ? 4
								     : 0;
	if (machine == EM_AARCH64)
		return type == R_AARCH64_ABS64 ? 8 : type == R_AARCH64_ABS32 ? 4 : 0;
	return 0;
}

static void put(const struct elf_file *elf, unsigned char *at, uint64_t value, size_t size)
{
	uint32_t small = (uint32_t)value;

	if (elf->swapped) {
		value = __builtin_bswap64(value);
		small = __builtin_bswap32(small);
	}
	if (size == 8)
		memcpy(at, &value, sizeof(value));
	else
		memcpy(at, &small, sizeof(small));
}

static void apply_one(const struct elf_file *elf, const struct symbols *symbols,
		      const unsigned char *entry, unsigned char *bytes, uint64_t size)
{
	uint64_t offset = elf_u64(elf, entry), info = elf_u64(elf, entry + 8);
	uint64_t addend = elf_u64(elf, entry + 16);
	size_t width = size_of(elf->machine, (uint32_t)ELF64_R_TYPE(info));
	struct elf_symbol symbol;

	if (!width || ELF64_R_SYM(info) >= symbols->count || offset > size || size - offset < width)
		return;
	symbol = elf_symbol_at(elf, symbols->bytes, ELF64_R_SYM(info));
	if (symbol.section == SHN_UNDEF || symbol.section >= elf->section_count)
		return;
	put(elf, bytes + offset, symbols->places[symbol.section] + symbol.value + addend, width);
}

static void apply(const struct elf_file *elf, const struct elf_section *list, unsigned char *bytes,
		  uint64_t size)
{
	const struct elf_section *table = list->link < elf->section_count
						  ? &elf->sections[list->link]
						  : NULL;
	unsigned char *entries = elf_section_load(elf, list);
	struct symbols symbols = { .bytes = table ? elf_section_load(elf, table) : NULL };

	if (entries && symbols.bytes) {
		symbols.count = table->size / elf_symbol_size(elf);
		symbols.places = make_places(elf);
		for (uint64_t i = 0; i < list->size / sizeof(Elf64_Rela); i++)
			apply_one(elf, &symbols, entries + i * sizeof(Elf64_Rela), bytes, size);
	}
	free(symbols.places);
	free(symbols.bytes);
	free(entries);
}

void relocate_section(const struct elf_file *elf, const struct elf_section *section,
		      unsigned char *bytes, uint64_t size)
{
	uint64_t index = (uint64_t)(section - elf->sections);

	for (uint32_t i = 0; i < elf->section_count && elf->wide; i++)
		if (elf->sections[i].type == SHT_RELA && elf->sections[i].info == index)
			apply(elf, &elf->sections[i], bytes, size);
}
