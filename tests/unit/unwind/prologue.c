// SPDX-License-Identifier: Apache-2.0
#include "unwind/prologue.h"
#include "base/mem.h"
#include "test.h"

#include <elf.h>

#define CODE(text) text, sizeof(text) - 1

TEST(prologue_finds_where_the_frame_pointer_is_set)
{
	static const struct {
		const char *label;
		uint16_t machine;
		const char *code;
		size_t size;
		uint32_t set, may_be;
	} cases[] = {
		{ "push, mov", EM_X86_64, CODE("\x55\x48\x89\xe5\x90"), 4, 0 },
		{ "the other encoding", EM_X86_64, CODE("\x55\x48\x8b\xec\xc3"), 4, 0 },
		{ "behind endbr64", EM_X86_64, CODE("\xf3\x0f\x1e\xfa\x55\x48\x89\xe5"), 8, 0 },
		{ "something in between", EM_X86_64, CODE("\x55\xb8\x01\x00\x00\x00\x48\x89\xe5"),
		  9, 0 },
		{ "late", EM_X86_64, CODE("\x85\xff\x74\x05\x55\x48\x89\xe5"), 8, 0 },
		{ "Go 1.21: behind its check of the stack", EM_X86_64,
		  CODE("\x49\x3b\x66\x10\x76\x20\x55\x48\x89\xe5\x48\x83\xec\x10"), 10, 0 },
		{ "Go 1.19, a small frame", EM_X86_64,
		  CODE("\x48\x83\xec\x68\x48\x89\x6c\x24\x60\x48\x8d\x6c\x24\x60"), 14, 0 },
		{ "Go 1.19, a large one", EM_X86_64,
		  CODE("\x48\x81\xec\x20\x02\x00\x00\x48\x89\xac\x24\x18\x02\x00\x00"
		       "\x48\x8d\xac\x24\x18\x02\x00\x00"),
		  23, 0 },
		{ "Go 1.19, none but for it", EM_X86_64,
		  CODE("\x48\x83\xec\x08\x48\x89\x2c\x24\x48\x8d\x2c\x24"), 12, 0 },
		{ "the address of a variable", EM_X86_64,
		  CODE("\x48\x89\x6c\x24\x60\x48\x8d\x6c\x24\x20"), 0, 0 },
		{ "the same behind sub", EM_X86_64, CODE("\x55\x48\x83\xec\x20\x48\x89\xe5"), 0,
		  8 },
		{ "more registers pushed first", EM_X86_64,
		  CODE("\x55\x53\x48\x89\xfb\x48\x89\xe5"), 0, 8 },
		{ "none", EM_X86_64, CODE("\x48\x8d\x04\x37\xc3"), 0, 0 },
		{ "nothing", EM_X86_64, CODE(""), 0, 0 },
		{ "32 bits", EM_386, CODE("\x55\x89\xe5\x83\xec\x08"), 3, 0 },
		{ "stp, mov", EM_AARCH64, CODE("\xfd\x7b\xbf\xa9\xfd\x03\x00\x91"), 8, 0 },
		{ "stp, add", EM_AARCH64, CODE("\xff\x83\x00\xd1\xfd\x7b\x01\xa9\xfd\x43\x00\x91"),
		  12, 0 },
		{ "Go: sub x29, sp, #8", EM_AARCH64,
		  CODE("\xfe\x0f\x1e\xf8\xfd\x83\x1f\xf8\xfd\x23\x00\xd1"), 12, 0 },
		{ "the return address alone", EM_AARCH64, CODE("\xfe\x0f\x1f\xf8\xc0\x03\x5f\xd6"),
		  0, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct prologue found = prologue_find(
			cases[i].machine, (const unsigned char *)cases[i].code, cases[i].size);

		test_case("%s", cases[i].label);
		EXPECT_INT(found.set, cases[i].set);
		EXPECT_INT(found.may_be, cases[i].may_be);
		EXPECT_BOOL(found.looked, cases[i].size);
	}
	EXPECT_INT(prologue_find(EM_RISCV, (const unsigned char *)"\x55\x48\x89\xe5", 4).looked, 0);
}

TEST(prologue_knows_returns)
{
	EXPECT(prologue_is_return(EM_X86_64, (const unsigned char *)"\xc3", 1));
	EXPECT(prologue_is_return(EM_X86_64, (const unsigned char *)"\xf3\xc3", 2));
	EXPECT(!prologue_is_return(EM_X86_64, (const unsigned char *)"\x90\xc3", 2));
	EXPECT(!prologue_is_return(EM_X86_64, (const unsigned char *)"", 0));
	EXPECT(prologue_is_return(EM_AARCH64, (const unsigned char *)"\xc0\x03\x5f\xd6", 4));
	EXPECT(!prologue_is_return(EM_AARCH64, (const unsigned char *)"\xc3\x03\x5f\xd6", 4));
}
