// SPDX-License-Identifier: Apache-2.0
#include "symbol/elfsyms.h"

#include <stdlib.h>
#include <string.h>

/* For names to come: of stubs, and of .dynsym where .symtab lacks one. */
#define STRINGS_ROOM (64 * 1024)

static const struct elf_section *find_table(const struct elf_file *elf, const char *name,
					    uint32_t type)
{
	const struct elf_section *section = elf_section_find(elf, name);

	/* In files of debug information .dynsym is there, but without contents. */
	return section && section->type == type && section->size ? section : NULL;
}

const struct elf_section *elfsyms_symtab(const struct elf_file *elf)
{
	return find_table(elf, ".symtab", SHT_SYMTAB);
}

const struct elf_section *elfsyms_dynsym(const struct elf_file *elf)
{
	return find_table(elf, ".dynsym", SHT_DYNSYM);
}

/* How the symbols of one section of the file are to be taken. */
struct placing {
	const struct elf_file *symbols, *code;
	enum { BY_OFFSET, BY_ADDRESS, IN_MODULE } how;
	uint64_t base;	 /* IN_MODULE */
	uint8_t *traits; /* of each section */
	bool has_mapping_symbols;
	const struct elf_segment *last;
};

enum section_traits {
	SECTION_LOADED = 1 << 0,
	SECTION_LABELS = 1 << 1, /* labels in it name code or data, not the linker's bookkeeping */
	SECTION_TEXT = 1 << 2,	 /* .text itself */
};

/*
 * Sections that have no contents in a file of debug information are looked at in the program, where
 * they have the same number.
 */
static uint8_t traits_of(const struct placing *p, uint32_t index)
{
	const struct elf_file *elf = p->symbols;
	const char *name;
	uint8_t traits = 0;

	if (elf->sections[index].type == SHT_NOBITS && index < p->code->section_count)
		elf = p->code;
	name = elf_section_name(elf, &elf->sections[index]);
	if (p->symbols->sections[index].flags & SHF_ALLOC)
		traits |= SECTION_LOADED;
	if (strstr(name, "text") || strstr(name, "data"))
		traits |= SECTION_LABELS;
	if (!strcmp(name, ".text"))
		traits |= SECTION_TEXT;
	return traits;
}

/* $a, $d, $t, $x, $x.12, $xrv64gc: where code changes to data and back, on ARM and RISC-V */
static bool is_mapping_symbol(const char *name)
{
	return name[0] == '$' && name[1] && strchr("adtx", name[1]) &&
	       (!name[2] || name[2] == '.' || !strncmp(name, "$xrv", 4));
}

/* What perf takes: functions, data, and labels that others can see. */
static bool is_wanted(const struct placing *p, const struct elf_symbol *s)
{
	uint8_t traits = s->section < p->symbols->section_count ? p->traits[s->section] : 0;

	if (!s->name || s->section == SHN_UNDEF || s->section == SHN_ABS)
		return false;
	if (s->section < SHN_LORESERVE && !(traits & SECTION_LOADED))
		return false;
	switch (s->type) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
	case STT_OBJECT: return true;
	case STT_NOTYPE:
		return s->visibility != STV_HIDDEN && s->visibility != STV_INTERNAL &&
		       traits & SECTION_LABELS;
	default: return false;
	}
}

static bool holds(const struct elf_segment *segment, uint64_t addr)
{
	return segment && addr >= segment->addr && addr - segment->addr < segment->file_size;
}

static uint64_t page_rest(const struct elf_segment *segment)
{
	return -(segment->addr + segment->file_size) & 4095;
}

/* From address to file offset; false for what is not in the file. */
static bool place_by_offset(struct placing *p, const struct elf_symbol *s, uint64_t *start)
{
	if (!holds(p->last, s->value))
		p->last = elf_segment_of(p->code, s->value);
	if (p->last) {
		/* .bss would lie over whatever follows in the file, but for what is mapped of it:
		 * the rest of the last page. */
		if (s->type == STT_OBJECT && p->last->file_size &&
		    s->value - p->last->addr >= p->last->file_size + page_rest(p->last))
			return false;
		*start = s->value - p->last->addr + p->last->offset;
		return true;
	}
	if (s->section >= p->symbols->section_count)
		return false;
	/* No segments: an object file, or one that a JIT's agent wrote. */
	*start = s->value - p->symbols->sections[s->section].addr +
		 p->symbols->sections[s->section].offset;
	return true;
}

static bool place(struct placing *p, const struct elf_symbol *s, uint64_t *start)
{
	switch (p->how) {
	case BY_OFFSET: return place_by_offset(p, s, start);
	case BY_ADDRESS: *start = s->value; return true;
	case IN_MODULE:
		*start = s->value + p->base;
		return s->section < p->symbols->section_count &&
		       p->traits[s->section] & SECTION_TEXT;
	}
	return false;
}

static void add_symbols(struct symbol_sheet *sheet, struct placing *p, const unsigned char *table,
			size_t count, uint64_t strings_size)
{
	const struct elf_file *elf = p->symbols;

	vec_reserve(&sheet->rows, count);
	for (size_t i = 1; i < count; i++) {
		struct elf_symbol s = elf_symbol_at(elf, table, i);
		uint64_t start;

		if (!is_wanted(p, &s) || s.name >= strings_size ||
		    (p->has_mapping_symbols && is_mapping_symbol(sheet->strings.data + s.name)))
			continue;
		if (elf->machine == EM_ARM && s.type == STT_FUNC)
			s.value &= ~1ull; /* marks Thumb code */
		if (place(p, &s, &start))
			sheet_add(sheet, start, s.size, s.name, s.binding);
	}
}

static bool load_strings(struct symbol_sheet *sheet, const struct elf_file *elf,
			 const struct elf_section *section)
{
	size_t room = section->size + section->size / 16 + STRINGS_ROOM;
	char *strings;

	if (section->type == SHT_NOBITS || section->size >= STRINGS_MAX / 2)
		return false;
	strings = (char *)image_load_room(&elf->image, section->offset, section->size, room);
	if (strings)
		sheet_take_strings(sheet, strings, section->size + 1, room);
	return strings != NULL;
}

/* The rows of one section, in a sheet of their own, not settled. */
static void read_section(struct symbol_sheet *sheet, struct placing *p,
			 const struct elf_section *section)
{
	const struct elf_file *elf = p->symbols;
	const struct elf_section *strings;
	unsigned char *table;

	if (section->link >= elf->section_count)
		return;
	strings = &elf->sections[section->link];
	table = elf_section_load(elf, section);
	if (table && load_strings(sheet, elf, strings)) {
		p->traits = mem_alloc(elf->section_count);
		for (uint32_t i = 0; i < elf->section_count; i++)
			p->traits[i] = traits_of(p, i);
		p->has_mapping_symbols = elf->machine == EM_ARM || elf->machine == EM_AARCH64 ||
					 elf->machine == EM_RISCV;
		add_symbols(sheet, p, table, section->size / elf_symbol_size(elf), strings->size);
		free(p->traits);
	}
	free(table);
}

static void add_section(struct symbol_sheet *sheet, struct placing *p,
			const struct elf_section *section)
{
	struct symbol_sheet lesser = { 0 };

	if (sheet->rows.len) {
		read_section(&lesser, p, section);
		sheet_merge(sheet, &lesser);
		sheet_free(&lesser);
	} else {
		read_section(sheet, p, section);
		sheet_settle(sheet);
	}
}

void elfsyms_add(struct symbol_sheet *sheet, const struct elf_file *symbols,
		 const struct elf_section *section, const struct elf_file *code)
{
	struct placing p = { .symbols = symbols, .code = code, .how = BY_OFFSET };

	add_section(sheet, &p, section);
}

void elfsyms_add_kernel(struct symbol_sheet *sheet, const struct elf_file *kernel)
{
	struct placing p = { .symbols = kernel, .code = kernel, .how = BY_ADDRESS };
	const struct elf_section *symtab = elfsyms_symtab(kernel);

	if (symtab)
		add_section(sheet, &p, symtab);
}

void elfsyms_add_module(struct symbol_sheet *sheet, const struct elf_file *module, uint64_t base)
{
	struct placing p = { .symbols = module, .code = module, .how = IN_MODULE, .base = base };
	const struct elf_section *symtab = elfsyms_symtab(module);

	if (symtab)
		add_section(sheet, &p, symtab);
}

bool elfsyms_value(const struct elf_file *elf, const char *name, uint64_t *value)
{
	const struct elf_section *section = elfsyms_symtab(elf);
	unsigned char *table = NULL, *strings = NULL;
	bool found = false;

	if (section && section->link < elf->section_count) {
		table = elf_section_load(elf, section);
		strings = elf_section_load(elf, &elf->sections[section->link]);
	}
	if (table && strings) {
		uint64_t strings_size = elf->sections[section->link].size;

		for (size_t i = 1; i < section->size / elf_symbol_size(elf) && !found; i++) {
			struct elf_symbol s = elf_symbol_at(elf, table, i);

			found = s.name < strings_size && !strcmp((char *)strings + s.name, name);
			if (found)
				*value = s.value;
		}
	}
	free(table);
	free(strings);
	return found;
}

void elfsyms_add_segments(struct symbol_sheet *sheet, const struct elf_file *code)
{
	for (uint32_t i = 0; i < code->segment_count; i++) {
		const struct elf_segment *s = &code->segments[i];

		if (s->type == PT_LOAD)
			*vec_push(&sheet->segments) = (struct table_segment){
				.offset = s->offset,
				.addr = s->addr,
				.size = s->file_size ? s->file_size : s->memory_size
			};
	}
}
