// SPDX-License-Identifier: Apache-2.0
#include "symbol/relocate.h"
#include "symbol/maker.h"
#include "test.h"

#include <endian.h>
#include <stdlib.h>

#define ROWS 8

static const struct made_symbol symbols[] = {
	{ ".text", 0, 0, STT_SECTION, STB_LOCAL },
	{ "function", 0x40, 8, STT_FUNC, STB_GLOBAL },
	{ "elsewhere", 0, 0, STT_NOTYPE, STB_GLOBAL, 0, SHN_COMMON },
	{ 0 },
};

struct row {
	uint64_t offset;
	uint32_t symbol, type;
	int64_t addend;
	uint64_t expected; /* at the offset; 0: nothing is put there */
};

static void run(const struct row *rows, size_t count, bool big, uint16_t machine,
		unsigned char *bytes, size_t size)
{
	Elf64_Rela list[ROWS];
	struct made_section extra[] = {
		{ ".debug_info", SHT_PROGBITS, .bytes = bytes, .size = size },
		{ ".rela.debug_info", SHT_RELA, .bytes = list, .size = count * sizeof(*list),
		  .link = ".symtab", .info = ".debug_info" },
		{ 0 },
	};
	struct buf file = { 0 };
	struct elf_file elf;

	for (size_t i = 0; i < count; i++) {
		uint64_t info = ELF64_R_INFO((uint64_t)rows[i].symbol, rows[i].type);
		uint64_t addend = (uint64_t)rows[i].addend;

		list[i].r_offset = big ? htobe64(rows[i].offset) : htole64(rows[i].offset);
		list[i].r_info = big ? htobe64(info) : htole64(info);
		list[i].r_addend = (int64_t)(big ? htobe64(addend) : htole64(addend));
	}
	make_elf(&file, &(struct made_elf){ .big = big,
					    .type = ET_REL,
					    .machine = machine,
					    .symtab = symbols,
					    .extra = extra });
	EXPECT_INT(elf_file_open(&elf, image_of(file.data, file.len)), 0);
	relocate_section(&elf, elf_section_find(&elf, ".debug_info"), bytes, size);
	elf_file_close(&elf);
	buf_free(&file);
}

static uint64_t read_back(const unsigned char *at, bool big)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return big ? be64toh(value) : le64toh(value);
}

TEST(relocate_puts_addresses)
{
	static const struct row x86[] = {
		{ 0, 1, R_X86_64_64, 0x10, RELOCATE_TEXT + 0x10 },
		{ 8, 2, R_X86_64_64, 2, RELOCATE_TEXT + 0x42 },
		{ 16, 1, R_X86_64_32, 7, RELOCATE_TEXT + 7 },
		{ 24, 1, R_X86_64_PC32, 7, 0 },
		{ 32, 3, R_X86_64_64, 7, 0 },	/* of no section of the file */
		{ 40, 900, R_X86_64_64, 7, 0 }, /* no such symbol */
	};
	static const struct row arm[] = {
		{ 0, 1, R_AARCH64_ABS64, -1, RELOCATE_TEXT - 1 },
		{ 8, 2, R_AARCH64_ABS64, 0, RELOCATE_TEXT + 0x40 },
	};
	unsigned char bytes[48] = { 0 };

	run(x86, ARRAY_SIZE(x86), false, EM_X86_64, bytes, sizeof(bytes));
	for (size_t i = 0; i < ARRAY_SIZE(x86); i++)
		EXPECT_INT(read_back(bytes + x86[i].offset, false), x86[i].expected);
	memset(bytes, 0, sizeof(bytes));
	run(arm, ARRAY_SIZE(arm), true, EM_AARCH64, bytes, sizeof(bytes));
	for (size_t i = 0; i < ARRAY_SIZE(arm); i++)
		EXPECT_INT(read_back(bytes + arm[i].offset, true), arm[i].expected);
}

TEST(relocate_stays_inside)
{
	static const struct row rows[] = {
		{ 9, 1, R_X86_64_64, 1, 0 },	      { 16, 1, R_X86_64_64, 1, 0 },
		{ UINT64_MAX, 1, R_X86_64_64, 1, 0 }, { UINT64_MAX - 7, 1, R_X86_64_32, 1, 0 },
		{ 13, 1, R_X86_64_32, 1, 0 },
	};
	unsigned char *bytes = mem_alloc(16), none[16] = { 0 };

	run(rows, ARRAY_SIZE(rows), false, EM_X86_64, bytes, 16);
	EXPECT(!memcmp(bytes, none, sizeof(none)));
	free(bytes);
}
