// SPDX-License-Identifier: Apache-2.0
/*
 * Names for the stubs of the procedure linkage table.
 *
 * On x86_64 and arm64 each stub is decoded: it jumps through a slot, and the relocation of that
 * slot names the function.  That holds for .plt, .plt.sec and .plt.got, with and without branch
 * protection, in whatever order the linker put them.  Elsewhere stubs stand in the order of the
 * relocations behind a header of known size.
 */
#include "symbol/elfsyms.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct slot {
	uint64_t addr;
	uint32_t symbol; /* of .dynsym; 0: `addend` is the function that chooses one */
	uint64_t addend;
};

struct plt {
	struct symbol_sheet *sheet;
	const struct elf_file *elf;
	unsigned char *symbols; /* .dynsym */
	size_t symbol_count;
	char *strings;
	uint64_t strings_size;
	VEC(struct slot) slots; /* of .rela.plt in their order, then those of .rela.dyn */
	size_t in_order;	/* how many of .rela.plt */
	uint32_t *by_addr;	/* the slots sorted */
	size_t rows;		/* that were there before us: sorted */
	struct buf name;
};

static bool is_chosen_at_run_time(const struct elf_file *elf, uint32_t type)
{
	switch (elf->machine) {
	case EM_X86_64: return type == R_X86_64_IRELATIVE;
	case EM_AARCH64: return type == R_AARCH64_IRELATIVE;
	default: return false;
	}
}

static void add_relocations(struct plt *plt, const struct elf_section *section, bool all)
{
	const struct elf_file *elf = plt->elf;
	size_t word = elf->wide ? 8 : 4, each = (section->type == SHT_RELA ? 3 : 2) * word;
	unsigned char *bytes;

	if (section->type != SHT_RELA && section->type != SHT_REL)
		return;
	bytes = elf_section_load(elf, section);
	for (size_t i = 0; bytes && i < section->size / each; i++) {
		const unsigned char *at = bytes + i * each;
		uint64_t info = elf_word(elf, at + word);
		uint32_t symbol = (uint32_t)(elf->wide ? info >> 32 : info >> 8);
		uint32_t type = (uint32_t)(elf->wide ? info : info & 0xff);

		if (!all && !symbol && !is_chosen_at_run_time(elf, type))
			continue; /* most of .rela.dyn: addresses to be moved */
		*vec_push(&plt->slots) = (struct slot){
			.addr = elf_word(elf, at),
			.symbol = symbol,
			.addend = section->type == SHT_RELA ? elf_word(elf, at + 2 * word) : 0
		};
	}
	free(bytes);
}

static int compare_slots(const void *a, const void *b, void *slots)
{
	const struct slot *x = (const struct slot *)slots + *(const uint32_t *)a;
	const struct slot *y = (const struct slot *)slots + *(const uint32_t *)b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static const struct slot *find_slot(const struct plt *plt, uint64_t addr)
{
	size_t low = 0, high = plt->slots.len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct slot *slot = &plt->slots.data[plt->by_addr[middle]];

		if (slot->addr == addr)
			return slot;
		if (slot->addr < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* The name of the symbol that starts at an offset in the file; NULL if there is none. */
static const char *name_at(const struct plt *plt, uint64_t offset)
{
	size_t low = 0, high = plt->rows;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct symbol_row *row = &plt->sheet->rows.data[middle];

		if (row->start == offset)
			return row->name & NAME_IS_CHOICE ? NULL
							  : plt->sheet->strings.data + row->name;
		if (row->start < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* "NAME@plt" into name; false if nothing is known of the function. */
static bool stub_name(const struct plt *plt, const struct slot *slot, struct buf *name)
{
	const struct elf_segment *segment;
	const char *chooser = NULL;

	buf_clear(name);
	if (slot->symbol) {
		struct elf_symbol s;

		if (slot->symbol >= plt->symbol_count)
			return false;
		s = elf_symbol_at(plt->elf, plt->symbols, slot->symbol);
		if (s.name >= plt->strings_size)
			return false;
		buf_printf(name, "%s@plt", plt->strings + s.name);
		return true;
	}
	segment = elf_segment_of(plt->elf, slot->addend);
	if (segment)
		chooser = name_at(plt, slot->addend - segment->addr + segment->offset);
	if (chooser)
		buf_printf(name, "%.*s@plt", (int)strcspn(chooser, "@"), chooser);
	else
		buf_printf(name, "*ABS*+%#" PRIx64 "@plt", slot->addend);
	return true;
}

static void add_stub(struct plt *plt, const struct slot *slot, uint64_t offset, uint64_t size)
{
	if (slot && stub_name(plt, slot, &plt->name))
		sheet_add_named(plt->sheet, offset, size, buf_text(&plt->name), STB_GLOBAL);
}

/*
 * jmp *slot(%rip), behind an endbr64 or a bnd prefix perhaps.  Where calls go by .plt.sec, .plt
 * keeps only the half that pushes the number of the relocation.
 */
static const struct slot *decode_x86(const struct plt *plt, const unsigned char *code, size_t size,
				     uint64_t addr)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	size_t at = size >= 4 && !memcmp(code, endbr64, 4) ? 4 : 0;

	if (at < size && code[at] == 0xf2)
		at++;
	if (at + 6 <= size && code[at] == 0xff && code[at + 1] == 0x25)
		return find_slot(plt, addr + at + 6 +
					      (uint64_t)(int32_t)elf_u32(plt->elf, code + at + 2));
	if (at + 5 <= size && code[at] == 0x68) {
		uint32_t number = elf_u32(plt->elf, code + at + 1);

		return number < plt->in_order ? &plt->slots.data[number] : NULL;
	}
	return NULL;
}

static void add_x86_stubs(struct plt *plt, const struct elf_section *section,
			  const unsigned char *code)
{
	uint64_t each = section->entry_size == 8 ? 8 : 16;

	for (uint64_t at = 0; at + each <= section->size; at += each)
		add_stub(plt, decode_x86(plt, code + at, each, section->addr + at),
			 section->offset + at, each);
}

/* Instructions are little-endian on arm64, whatever its data are. */
static uint32_t arm_word(const unsigned char *code)
{
	return code[0] | code[1] << 8 | code[2] << 16 | (uint32_t)code[3] << 24;
}

/* adrp x16, page; ldr x17, [x16, offset] */
static bool decode_arm(const unsigned char *code, uint64_t addr, uint64_t *slot)
{
	uint32_t adrp = arm_word(code), ldr = arm_word(code + 4);
	uint64_t pages;

	if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
		return false;
	pages = (uint64_t)(adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3);
	pages = (pages ^ 0x100000) - 0x100000; /* 21 bits with a sign */
	*slot = (addr & ~0xfffull) + (pages << 12) + (ldr >> 10 & 0xfff) * 8;
	return true;
}

static void add_arm_stubs(struct plt *plt, const struct elf_section *section,
			  const unsigned char *code)
{
	const uint32_t bti_c = 0xd503245f;
	size_t before = plt->sheet->rows.len;

	for (uint64_t at = 0; at + 16 <= section->size; at += 4) {
		uint64_t slot, start = at;

		if (!decode_arm(code + at, section->addr + at, &slot))
			continue;
		if (at >= 4 && arm_word(code + at - 4) == bti_c)
			start -= 4;
		add_stub(plt, find_slot(plt, slot), section->offset + start, 16);
	}
	/* With branch protection they have 24 bytes. */
	for (size_t i = before; i + 1 < plt->sheet->rows.len; i++) {
		struct symbol_row *row = &plt->sheet->rows.data[i];

		if (row[1].start - row->start == 24)
			row->size = 24;
	}
}

static void add_stubs_in_order(struct plt *plt, const struct elf_section *section)
{
	uint64_t header = section->entry_size, each = section->entry_size;

	switch (plt->elf->machine) {
	case EM_ARM: header = 20, each = 12; break;
	case EM_386: header = 16, each = 16; break;
	case EM_RISCV: header = 32, each = 16; break;
	}
	for (size_t i = 0; each && i < plt->in_order; i++) {
		if (header + (i + 1) * each > section->size)
			break;
		add_stub(plt, &plt->slots.data[i], section->offset + header + i * each, each);
	}
}

static void add_stubs(struct plt *plt, const char *name)
{
	const struct elf_section *section = elf_section_find(plt->elf, name);
	unsigned char *code = NULL;

	if (!section || section->type != SHT_PROGBITS)
		return;
	if (plt->elf->machine == EM_X86_64 || plt->elf->machine == EM_AARCH64)
		code = elf_section_load(plt->elf, section);
	if (code && plt->elf->machine == EM_X86_64)
		add_x86_stubs(plt, section, code);
	else if (code)
		add_arm_stubs(plt, section, code);
	else if (!strcmp(name, ".plt"))
		add_stubs_in_order(plt, section);
	free(code);
}

static void load_slots(struct plt *plt)
{
	static const char *const tables[] = { ".rela.plt", ".rel.plt", ".rela.dyn", ".rel.dyn" };

	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		const struct elf_section *section = elf_section_find(plt->elf, tables[i]);

		if (section)
			add_relocations(plt, section, i < 2);
		if (i < 2)
			plt->in_order = plt->slots.len;
	}
	plt->by_addr = mem_resize(NULL, plt->slots.len + 1, sizeof(*plt->by_addr));
	for (size_t i = 0; i < plt->slots.len; i++)
		plt->by_addr[i] = (uint32_t)i;
	qsort_r(plt->by_addr, plt->slots.len, sizeof(*plt->by_addr), compare_slots,
		plt->slots.data);
}

void elfsyms_add_plt(struct symbol_sheet *sheet, const struct elf_file *code)
{
	static const char *const sections[] = { ".plt", ".plt.got", ".plt.sec", ".iplt" };
	const struct elf_section *dynsym = elfsyms_dynsym(code);
	struct plt plt = { .sheet = sheet, .elf = code, .rows = sheet->rows.len };

	if (dynsym && dynsym->link < code->section_count) {
		plt.symbols = elf_section_load(code, dynsym);
		plt.symbol_count = plt.symbols ? dynsym->size / elf_symbol_size(code) : 0;
		plt.strings = (char *)elf_section_load(code, &code->sections[dynsym->link]);
		plt.strings_size = plt.strings ? code->sections[dynsym->link].size : 0;
	}
	load_slots(&plt);
	for (size_t i = 0; plt.slots.len && i < ARRAY_SIZE(sections); i++)
		add_stubs(&plt, sections[i]);
	vec_free(&plt.slots);
	buf_free(&plt.name);
	free(plt.by_addr);
	free(plt.symbols);
	free(plt.strings);
}
