// SPDX-License-Identifier: Apache-2.0
#include "symbol/maker.h"
#include "base/mem.h"
#include "base/vec.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

struct section {
	const char *name;
	uint32_t type, name_off, link, info;
	uint64_t flags, addr, offset, size, entry_size;
};

struct maker {
	const struct made_elf *made;
	struct buf *file;
	VEC(struct section) sections;
};

static void put(struct maker *m, uint64_t value, size_t size)
{
	unsigned char bytes[8];

	for (size_t i = 0; i < size; i++)
		bytes[m->made->big ? size - 1 - i : i] = (unsigned char)(value >> 8 * i);
	buf_add(m->file, bytes, size);
}

static void put_word(struct maker *m, uint64_t value)
{
	put(m, value, m->made->narrow ? 4 : 8);
}

static void pad_to(struct maker *m, size_t offset)
{
	while (m->file->len < offset)
		buf_putc(m->file, 0);
}

static struct section *start_section(struct maker *m, const char *name, uint32_t type)
{
	struct section *section = vec_push(&m->sections);

	pad_to(m, (m->file->len + 7) / 8 * 8);
	section->name = name;
	section->type = type;
	section->offset = m->file->len;
	return section;
}

static void end_section(struct maker *m)
{
	struct section *section = vec_last(&m->sections);

	section->size = m->file->len - section->offset;
}

static uint32_t number_of(const struct maker *m, const char *name)
{
	for (size_t i = 0; name && i < m->sections.len; i++)
		if (m->sections.data[i].name && !strcmp(m->sections.data[i].name, name))
			return (uint32_t)i;
	return 0;
}

static void add_text(struct maker *m)
{
	struct section *text;

	pad_to(m, MADE_TEXT_OFF);
	text = start_section(m, ".text", m->made->only_debug ? SHT_NOBITS : SHT_PROGBITS);
	text->flags = SHF_ALLOC | SHF_EXECINSTR;
	text->addr = MADE_TEXT_ADDR;
	pad_to(m, MADE_TEXT_OFF + MADE_TEXT_SIZE);
	end_section(m);
}

static void add_build_id(struct maker *m)
{
	if (!m->made->build_id)
		return;
	start_section(m, ".note.gnu.build-id", SHT_NOTE)->flags = SHF_ALLOC;
	put(m, 4, 4);
	put(m, strlen(m->made->build_id), 4);
	put(m, NT_GNU_BUILD_ID, 4);
	buf_add(m->file, "GNU", 4);
	buf_puts(m->file, m->made->build_id);
	pad_to(m, (m->file->len + 3) / 4 * 4);
	end_section(m);
}

static void put_symbol(struct maker *m, const struct made_symbol *s, uint32_t name)
{
	uint8_t info = s ? ELF64_ST_INFO(s->binding, s->type) : 0;
	uint16_t section = s ? (s->section ? s->section : (uint16_t)number_of(m, ".text")) : 0;

	put(m, name, 4);
	if (m->made->narrow) {
		put(m, s ? s->value : 0, 4);
		put(m, s ? s->size : 0, 4);
	}
	put(m, info, 1);
	put(m, s ? s->visibility : 0, 1);
	put(m, section, 2);
	if (!m->made->narrow) {
		put(m, s ? s->value : 0, 8);
		put(m, s ? s->size : 0, 8);
	}
}

static void add_symbols(struct maker *m, const struct made_symbol *symbols, const char *name,
			const char *strings_name, uint32_t type)
{
	struct buf strings = { 0 };
	struct section *section;

	if (!symbols)
		return;
	buf_putc(&strings, 0);
	section = start_section(m, name, type);
	section->entry_size = m->made->narrow ? sizeof(Elf32_Sym) : sizeof(Elf64_Sym);
	section->link = (uint32_t)m->sections.len;
	section->info = 1;
	put_symbol(m, NULL, 0);
	for (const struct made_symbol *s = symbols; s->name; s++) {
		put_symbol(m, s, (uint32_t)strings.len);
		buf_add(&strings, s->name, strlen(s->name) + 1);
	}
	end_section(m);
	start_section(m, strings_name, SHT_STRTAB);
	buf_add(m->file, strings.data, strings.len);
	end_section(m);
	buf_free(&strings);
}

static void add_extra(struct maker *m)
{
	for (const struct made_section *s = m->made->extra; s && s->name; s++) {
		struct section *section = start_section(m, s->name, s->type);

		section->flags = s->flags;
		section->addr = s->addr;
		section->entry_size = s->entry_size;
		section->link = number_of(m, s->link);
		section->info = number_of(m, s->info);
		if (s->size)
			buf_add(m->file, s->bytes, s->size);
		end_section(m);
	}
}

static uint64_t add_section_headers(struct maker *m)
{
	uint64_t offset;
	size_t names;

	start_section(m, ".shstrtab", SHT_STRTAB);
	names = m->file->len;
	buf_putc(m->file, 0);
	vec_each (section, &m->sections) {
		section->name_off = section->name ? (uint32_t)(m->file->len - names) : 0;
		if (section->name)
			buf_add(m->file, section->name, strlen(section->name) + 1);
	}
	end_section(m);
	pad_to(m, (m->file->len + 7) / 8 * 8);
	offset = m->file->len;
	vec_each (section, &m->sections) {
		put(m, section->name_off, 4);
		put(m, section->type, 4);
		put_word(m, section->flags);
		put_word(m, section->addr);
		put_word(m, section->offset);
		put_word(m, section->size);
		put(m, section->link, 4);
		put(m, section->info, 4);
		put_word(m, 4);
		put_word(m, section->entry_size);
	}
	return offset;
}

static void put_segment(struct maker *m, uint32_t type, uint32_t flags, uint64_t offset,
			uint64_t addr, uint64_t size)
{
	put(m, type, 4);
	if (!m->made->narrow)
		put(m, flags, 4);
	put_word(m, offset);
	put_word(m, addr);
	put_word(m, addr);
	put_word(m, size);
	put_word(m, size);
	if (m->made->narrow)
		put(m, flags, 4);
	put_word(m, 4);
}

/* The header and the two program headers, for which room was left at the start. */
static void put_headers(struct maker *m, uint64_t sections)
{
	const struct made_elf *made = m->made;
	struct buf head = { 0 }, *file = m->file;
	uint32_t note = number_of(m, ".note.gnu.build-id");
	size_t wide = made->narrow ? 0 : 1;

	m->file = &head;
	buf_add(&head, ELFMAG, 4);
	put(m, made->narrow ? ELFCLASS32 : ELFCLASS64, 1);
	put(m, made->big ? ELFDATA2MSB : ELFDATA2LSB, 1);
	put(m, EV_CURRENT, 1);
	pad_to(m, EI_NIDENT);
	put(m, made->type ? made->type : ET_DYN, 2);
	put(m, made->machine ? made->machine : EM_X86_64, 2);
	put(m, EV_CURRENT, 4);
	put_word(m, MADE_TEXT_ADDR);
	put_word(m, wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr));
	put_word(m, made->no_sections ? 0 : sections);
	put(m, 0, 4);
	put(m, wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr), 2);
	put(m, wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr), 2);
	put(m, note ? 2 : 1, 2);
	put(m, wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr), 2);
	put(m, made->no_sections ? 0 : m->sections.len, 2);
	put(m, made->no_sections ? 0 : m->sections.len - 1, 2);
	put_segment(m, PT_LOAD, PF_R | PF_X, MADE_TEXT_OFF, MADE_TEXT_ADDR, MADE_TEXT_SIZE);
	if (note)
		put_segment(m, PT_NOTE, PF_R, m->sections.data[note].offset, 0,
			    m->sections.data[note].size);
	memcpy(file->data, head.data, head.len);
	buf_free(&head);
	m->file = file;
}

void make_elf(struct buf *file, const struct made_elf *made)
{
	struct maker m = { .made = made, .file = file };
	uint64_t sections;

	buf_clear(file);
	vec_push(&m.sections);
	add_text(&m);
	add_build_id(&m);
	add_symbols(&m, made->symtab, ".symtab", ".strtab", SHT_SYMTAB);
	add_symbols(&m, made->dynsym, ".dynsym", ".dynstr",
		    made->only_debug ? SHT_NOBITS : SHT_DYNSYM);
	add_extra(&m);
	sections = add_section_headers(&m);
	put_headers(&m, sections);
	vec_free(&m.sections);
}
