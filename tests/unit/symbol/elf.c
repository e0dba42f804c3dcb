// SPDX-License-Identifier: Apache-2.0
#include "symbol/elf.h"
#include "symbol/maker.h"
#include "test.h"

#include <errno.h>
#include <stdlib.h>

static const struct made_symbol two[] = {
	{ "first", MADE_TEXT_ADDR + 0x10, 0x20, STT_FUNC, STB_GLOBAL, STV_HIDDEN },
	{ "second", MADE_TEXT_ADDR + 0x40, 0x8, STT_OBJECT, STB_WEAK },
	{ 0 },
};

static void expect_symbols(const struct elf_file *elf)
{
	const struct elf_section *section = elf_section_find(elf, ".symtab");
	unsigned char *table, *strings;
	struct elf_symbol s;

	EXPECT(section);
	EXPECT_INT(section->size, 3 * elf_symbol_size(elf));
	table = elf_section_load(elf, section);
	strings = elf_section_load(elf, &elf->sections[section->link]);
	s = elf_symbol_at(elf, table, 1);
	EXPECT_TEXT((char *)strings + s.name, "first");
	EXPECT_INT(s.value, MADE_TEXT_ADDR + 0x10);
	EXPECT_INT(s.size, 0x20);
	EXPECT_INT(s.type, STT_FUNC);
	EXPECT_INT(s.binding, STB_GLOBAL);
	EXPECT_INT(s.visibility, STV_HIDDEN);
	EXPECT_TEXT(elf_section_name(elf, &elf->sections[s.section]), ".text");
	s = elf_symbol_at(elf, table, 2);
	EXPECT_TEXT((char *)strings + s.name, "second");
	EXPECT_INT(s.binding, STB_WEAK);
	free(table);
	free(strings);
}

TEST(elf_of_every_class_and_order)
{
	static const struct {
		const char *name;
		bool narrow, big;
	} cases[] = {
		{ "64 bits, little-endian", false, false },
		{ "64 bits, big-endian", false, true },
		{ "32 bits, little-endian", true, false },
		{ "32 bits, big-endian", true, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct made_elf made = { .narrow = cases[i].narrow,
					 .big = cases[i].big,
					 .machine = EM_ARM,
					 .build_id = "0123456789abcdef0123",
					 .symtab = two };
		struct buf file = { 0 };
		struct elf_file elf;
		struct build_id id;

		test_case("%s", cases[i].name);
		make_elf(&file, &made);
		EXPECT_INT(elf_file_open(&elf, image_of(file.data, file.len)), 0);
		EXPECT_BOOL(elf.wide, !cases[i].narrow);
		EXPECT_INT(elf.type, ET_DYN);
		EXPECT_INT(elf.machine, EM_ARM);
		expect_symbols(&elf);
		EXPECT(elf_segment_of(&elf, MADE_TEXT_ADDR));
		EXPECT_INT(elf_segment_of(&elf, MADE_TEXT_ADDR)->offset, MADE_TEXT_OFF);
		EXPECT(!elf_segment_of(&elf, MADE_TEXT_ADDR - 1));
		EXPECT(!elf_segment_of(&elf, MADE_TEXT_ADDR + MADE_TEXT_SIZE));
		EXPECT(elf_file_build_id(&elf, &id));
		EXPECT_INT(id.size, 20);
		EXPECT(!memcmp(id.bytes, "0123456789abcdef0123", 20));
		elf_file_close(&elf);
		buf_free(&file);
	}
}

TEST(elf_build_id_without_sections)
{
	struct made_elf made = { .build_id = "abcdefgh", .no_sections = true };
	struct buf file = { 0 };
	struct elf_file elf;
	struct build_id id;

	make_elf(&file, &made);
	EXPECT_INT(elf_file_open(&elf, image_of(file.data, file.len)), 0);
	EXPECT_INT(elf.section_count, 0);
	EXPECT(elf_file_build_id(&elf, &id));
	EXPECT_INT(id.size, 8);
	elf_file_close(&elf);
	buf_free(&file);
}

/* Every cut either opens, then with all that it says inside, or is refused. */
TEST(elf_cut_short)
{
	struct made_elf made = { .symtab = two, .build_id = "abcdefgh" };
	struct buf file = { 0 };
	int opened = 0;

	make_elf(&file, &made);
	for (size_t size = 0; size < file.len; size += size < 300 ? 1 : 97) {
		struct elf_file elf;
		int rc = elf_file_open(&elf, image_of(file.data, size));

		test_case("%zu bytes", size);
		EXPECT(rc == 0 || rc == -ENOEXEC || rc == -EBADMSG);
		opened += !rc;
		elf_file_close(&elf);
	}
	EXPECT_INT(opened, 0); /* the section headers stand last */
	buf_free(&file);
}

TEST(elf_refuses_what_it_is_not)
{
	static const struct {
		const char *name;
		size_t at;
		unsigned char byte;
		int want;
	} cases[] = {
		{ "magic", 0, 'X', -ENOEXEC },
		{ "class", EI_CLASS, 3, -ENOEXEC },
		{ "byte order", EI_DATA, 0, -ENOEXEC },
		{ "size of a section header", offsetof(Elf64_Ehdr, e_shentsize), 63, -EBADMSG },
		{ "size of a program header", offsetof(Elf64_Ehdr, e_phentsize), 1, -EBADMSG },
		{ "sections behind the end", offsetof(Elf64_Ehdr, e_shoff) + 5, 1, -EBADMSG },
		{ "segments behind the end", offsetof(Elf64_Ehdr, e_phoff) + 5, 1, -EBADMSG },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf file = { 0 };
		struct elf_file elf;

		test_case("%s", cases[i].name);
		make_elf(&file, &(struct made_elf){ .symtab = two });
		file.data[cases[i].at] = (char)cases[i].byte;
		EXPECT_INT(elf_file_open(&elf, image_of(file.data, file.len)), cases[i].want);
		buf_free(&file);
	}
}

/* More sections than the header can count: section 0 has the number. */
TEST(elf_many_sections)
{
	struct buf file = { 0 };
	struct elf_file elf;
	Elf64_Ehdr *head;
	Elf64_Shdr *first;

	make_elf(&file, &(struct made_elf){ .symtab = two });
	head = (void *)file.data;
	first = (void *)(file.data + head->e_shoff);
	first->sh_size = head->e_shnum;
	first->sh_link = head->e_shstrndx;
	head->e_shnum = 0;
	head->e_shstrndx = SHN_XINDEX;
	EXPECT_INT(elf_file_open(&elf, image_of(file.data, file.len)), 0);
	expect_symbols(&elf);
	elf_file_close(&elf);
	buf_free(&file);
}
