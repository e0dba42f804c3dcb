// SPDX-License-Identifier: Apache-2.0
#include "symbol/elfsyms.h"
#include "symbol/maker.h"
#include "symbol/symbol.h"
#include "symbol/table.h"
#include "test.h"

#include <elf.h>
#include <endian.h>
#include <stdlib.h>

#define AT(offset) (MADE_TEXT_ADDR + (offset))

static void open_made(struct elf_file *elf, struct buf *file, const struct made_elf *made)
{
	make_elf(file, made);
	EXPECT_INT(elf_file_open(elf, image_of(file->data, file->len)), 0);
}

static const char *find(const struct table *table, uint64_t address)
{
	struct symbol symbol;

	return table_find(table, address, &symbol) ? symbol.name : "-";
}

/* Which symbols count, and that they are found by their place in the file. */
TEST(elfsyms_what_is_taken)
{
	static const struct made_symbol symbols[] = {
		{ "function", AT(0x100), 0x10, STT_FUNC, STB_LOCAL },
		{ "resolver", AT(0x110), 0x10, STT_GNU_IFUNC, STB_GLOBAL },
		{ "datum", AT(0x120), 0x10, STT_OBJECT, STB_GLOBAL },
		{ "label", AT(0x130), 0x10, STT_NOTYPE, STB_GLOBAL },
		{ "hidden_label", AT(0x140), 0x10, STT_NOTYPE, STB_LOCAL, STV_HIDDEN },
		{ "a_file.c", AT(0x150), 0x10, STT_FILE, STB_LOCAL },
		{ "a_tls", AT(0x160), 0x10, STT_TLS, STB_LOCAL },
		{ "absolute", AT(0x170), 0x10, STT_FUNC, STB_LOCAL, 0, SHN_ABS },
		{ "", AT(0x180), 0x10, STT_FUNC, STB_LOCAL },
		{ 0 },
	};
	static const char *const want[] = { "function", "resolver", "datum", "label", "-",
					    "-",	"-",	    "-",     "-" };
	struct symbol_sheet sheet = { 0 };
	struct buf file = { 0 };
	struct elf_file elf;
	struct table *table;

	open_made(&elf, &file, &(struct made_elf){ .symtab = symbols });
	elfsyms_add(&sheet, &elf, elfsyms_symtab(&elf), &elf);
	elfsyms_add_segments(&sheet, &elf);
	table = table_build(&sheet, OVERLAP_INNERMOST);
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		test_case("%s", symbols[i].name);
		EXPECT_TEXT(find(table, MADE_TEXT_OFF + 0x108 + i * 0x10), want[i]);
	}
	EXPECT_INT(table_address(table, MADE_TEXT_OFF + 5), AT(5));
	table_free(table);
	elf_file_close(&elf);
	buf_free(&file);
}

TEST(elfsyms_marks_of_arm)
{
	static const struct made_symbol symbols[] = {
		{ "thumb", AT(0x101), 0x10, STT_FUNC, STB_GLOBAL },
		{ "$t", AT(0x104), 0, STT_NOTYPE, STB_LOCAL },
		{ "$d.17", AT(0x108), 0, STT_NOTYPE, STB_LOCAL },
		{ "$dollar", AT(0x120), 0x10, STT_FUNC, STB_LOCAL },
		{ 0 },
	};
	struct symbol_sheet sheet = { 0 };
	struct buf file = { 0 };
	struct elf_file elf;
	struct table *table;

	open_made(&elf, &file,
		  &(struct made_elf){ .symtab = symbols, .narrow = true, .machine = EM_ARM });
	elfsyms_add(&sheet, &elf, elfsyms_symtab(&elf), &elf);
	table = table_build(&sheet, OVERLAP_INNERMOST);
	EXPECT_INT(table_count(table), 2);
	EXPECT_TEXT(find(table, MADE_TEXT_OFF + 0x100), "thumb");
	EXPECT_TEXT(find(table, MADE_TEXT_OFF + 0x120), "$dollar");
	table_free(table);
	elf_file_close(&elf);
	buf_free(&file);
}

TEST(elfsyms_by_address)
{
	static const struct made_symbol symbols[] = {
		{ "_text", AT(0), 0, STT_NOTYPE, STB_GLOBAL },
		{ "do_it", AT(0x100), 0x10, STT_FUNC, STB_LOCAL },
		{ 0 },
	};
	struct symbol_sheet kernel = { 0 }, module = { 0 };
	struct buf file = { 0 };
	struct elf_file elf;
	struct table *table;
	uint64_t value;

	open_made(&elf, &file, &(struct made_elf){ .symtab = symbols, .type = ET_EXEC });
	EXPECT(elfsyms_value(&elf, "_text", &value));
	EXPECT_INT(value, AT(0));
	EXPECT(!elfsyms_value(&elf, "_stext", &value));
	elfsyms_add_kernel(&kernel, &elf);
	table = table_build(&kernel, OVERLAP_INNERMOST);
	EXPECT_TEXT(find(table, AT(0x108)), "do_it");
	table_free(table);
	elfsyms_add_module(&module, &elf, 0xffffffffc0000000);
	table = table_build(&module, OVERLAP_INNERMOST);
	EXPECT_TEXT(find(table, 0xffffffffc0000000 + AT(0x108)), "do_it");
	table_free(table);
	elf_file_close(&elf);
	buf_free(&file);
}

/* Stubs: jump slots at 0x5000, 0x5008, 0x5010 of puts, exit, and one chosen at run time. */
static const struct made_symbol imported[] = {
	{ "puts", 0, 0, STT_FUNC, STB_GLOBAL, 0, SHN_COMMON },
	{ "exit", 0, 0, STT_FUNC, STB_GLOBAL, 0, SHN_COMMON },
	{ 0 },
};
static const struct made_symbol own[] = {
	{ "memcpy@@GLIBC_2.14", AT(0x300), 0x10, STT_GNU_IFUNC, STB_GLOBAL },
	{ 0 },
};

static void expect_stubs(const struct made_elf *made, const uint64_t *offsets,
			 const char *const *names, size_t count)
{
	struct symbol_sheet sheet = { 0 };
	struct buf file = { 0 };
	struct elf_file elf;
	struct table *table;

	open_made(&elf, &file, made);
	elfsyms_add(&sheet, &elf, elfsyms_symtab(&elf), &elf);
	elfsyms_add_plt(&sheet, &elf);
	table = table_build(&sheet, OVERLAP_INNERMOST);
	for (size_t i = 0; i < count; i++) {
		uint64_t plt = elf_section_find(&elf, ".plt")->offset;

		test_case("stub at %llx", (unsigned long long)offsets[i]);
		EXPECT_TEXT(find(table, plt + offsets[i]), names[i]);
	}
	table_free(table);
	elf_file_close(&elf);
	buf_free(&file);
}

static Elf64_Rela rela(uint64_t slot, uint32_t symbol, uint32_t type, int64_t addend)
{
	return (Elf64_Rela){ htole64(slot), htole64(ELF64_R_INFO((uint64_t)symbol, type)),
			     (int64_t)htole64((uint64_t)addend) };
}

static void put_jump(unsigned char *code, size_t at, uint64_t addr, uint64_t slot)
{
	int32_t distance = (int32_t)htole32((uint32_t)(slot - (addr + at + 6)));

	code[at] = 0xff;
	code[at + 1] = 0x25;
	memcpy(code + at + 2, &distance, 4);
}

TEST(plt_of_x86_64)
{
	const uint64_t addr = 0x3000;
	Elf64_Rela relocations[] = { rela(0x5000, 1, R_X86_64_JUMP_SLOT, 0),
				     rela(0x5008, 2, R_X86_64_JUMP_SLOT, 0),
				     rela(0x5010, 0, R_X86_64_IRELATIVE, AT(0x300)),
				     rela(0x5018, 0, R_X86_64_IRELATIVE, AT(0x777)) };
	static const unsigned char endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	unsigned char code[6 * 16] = { 0 };
	const struct made_section sections[] = {
		{ ".rela.plt", SHT_RELA, SHF_ALLOC, 0, 24, relocations, sizeof(relocations),
		  ".dynsym" },
		{ ".plt", SHT_PROGBITS, SHF_ALLOC, addr, 16, code, sizeof(code) },
		{ 0 },
	};
	static const uint64_t offsets[] = { 0, 16, 31, 32, 48, 64, 80 };
	static const char *const names[] = {
		"-",	      "exit@plt", "exit@plt",	       "puts@plt",
		"memcpy@plt", "puts@plt", "*ABS*+0x401777@plt"
	};

	/* Not in the order of the relocations; one behind endbr64; one with only its number. */
	put_jump(code, 0, addr, 0x4ff0);
	put_jump(code + 16, 0, addr + 16, 0x5008);
	memcpy(code + 32, endbr64, 4);
	put_jump(code + 32, 4, addr + 32, 0x5000);
	put_jump(code + 48, 0, addr + 48, 0x5010);
	memcpy(code + 64, endbr64, 4);
	code[64 + 4] = 0x68;
	code[80] = 0xf2;
	put_jump(code + 80, 1, addr + 80, 0x5018);
	expect_stubs(&(struct made_elf){ .symtab = own, .dynsym = imported, .extra = sections },
		     offsets, names, ARRAY_SIZE(names));
}

static void put_arm_stub(unsigned char *code, uint64_t addr, uint64_t slot)
{
	uint64_t pages = (slot >> 12) - (addr >> 12);
	uint32_t words[4] = { 0x90000010 | (uint32_t)(pages & 3) << 29 |
				      (uint32_t)(pages >> 2 & 0x7ffff) << 5,
			      0xf9400211 | (uint32_t)(slot & 0xfff) / 8 << 10,
			      0x91000210 | (uint32_t)(slot & 0xfff) << 10, 0xd61f0220 };

	for (size_t i = 0; i < 4; i++)
		words[i] = htole32(words[i]);
	memcpy(code, words, sizeof(words));
}

TEST(plt_of_arm64)
{
	static const struct {
		const char *name;
		uint64_t addr; /* of .plt: before the slots or behind them */
		uint32_t stride, bti;
	} cases[] = { { "plain", 0x3000, 16, 0 },
		      { "slots below", 0x70000, 16, 0 },
		      { "with branch protection", 0x3000, 24, 0xd503245f } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		Elf64_Rela relocations[] = { rela(0x5ff8, 1, R_AARCH64_JUMP_SLOT, 0),
					     rela(0x6000, 2, R_AARCH64_JUMP_SLOT, 0) };
		unsigned char code[32 + 2 * 24] = { 0 };
		const struct made_section sections[] = {
			{ ".rela.plt", SHT_RELA, SHF_ALLOC, 0, 24, relocations, sizeof(relocations),
			  ".dynsym" },
			{ ".plt", SHT_PROGBITS, SHF_ALLOC, cases[i].addr, 0, code, sizeof(code) },
			{ 0 },
		};
		uint64_t offsets[] = { 4, 32, 32 + cases[i].stride - 1, 32 + cases[i].stride };
		static const char *const names[] = { "-", "puts@plt", "puts@plt", "exit@plt" };
		uint32_t bti = htole32(cases[i].bti);
		size_t in = cases[i].bti ? 4 : 0;

		test_case("%s", cases[i].name);
		put_arm_stub(code + 4, cases[i].addr + 4, 0x5ff0); /* the header */
		for (size_t stub = 0; stub < 2; stub++) {
			size_t at = 32 + stub * cases[i].stride;

			if (in)
				memcpy(code + at, &bti, 4);
			put_arm_stub(code + at + in, cases[i].addr + at + in, 0x5ff8 + stub * 8);
		}
		expect_stubs(&(struct made_elf){ .symtab = own,
						 .dynsym = imported,
						 .extra = sections,
						 .machine = EM_AARCH64 },
			     offsets, names, ARRAY_SIZE(names));
	}
}

/* Elsewhere by order: a header of 20 bytes and stubs of 12 on 32-bit ARM. */
TEST(plt_in_order)
{
	unsigned char relocations[16] = { 0, 0x50, 0, 0, 22, 1, 0, 0, 4, 0x50, 0, 0, 22, 2, 0, 0 };
	unsigned char code[20 + 2 * 12] = { 0 };
	const struct made_section sections[] = {
		{ ".rel.plt", SHT_REL, SHF_ALLOC, 0, 8, relocations, sizeof(relocations),
		  ".dynsym" },
		{ ".plt", SHT_PROGBITS, SHF_ALLOC, 0x3000, 4, code, sizeof(code) },
		{ 0 },
	};
	static const uint64_t offsets[] = { 19, 20, 31, 32, 43, 44 };
	static const char *const names[] = { "-",	 "puts@plt", "puts@plt",
					     "exit@plt", "exit@plt", "-" };

	expect_stubs(&(struct made_elf){ .symtab = own,
					 .dynsym = imported,
					 .extra = sections,
					 .machine = EM_ARM,
					 .narrow = true },
		     offsets, names, ARRAY_SIZE(names));
}
