// SPDX-License-Identifier: Apache-2.0
#include "render/regname.h"
#include "base/mem.h"

#include <stddef.h>
#include <string.h>

static const char *const x86[] = { "AX", "BX",	  "CX",	 "DX",	"SI",  "DI",  "BP",  "SP",
				   "IP", "FLAGS", "CS",	 "SS",	"DS",  "ES",  "FS",  "GS",
				   "R8", "R9",	  "R10", "R11", "R12", "R13", "R14", "R15" };
static const char *const x86_vector[] = { "XMM0",  "XMM1",  "XMM2",  "XMM3", "XMM4",  "XMM5",
					  "XMM6",  "XMM7",  "XMM8",  "XMM9", "XMM10", "XMM11",
					  "XMM12", "XMM13", "XMM14", "XMM15" };
static const char *const arm[] = { "r0", "r1", "r2",  "r3", "r4", "r5", "r6", "r7",
				   "r8", "r9", "r10", "fp", "ip", "sp", "lr", "pc" };
static const char *const arm64[] = {
	"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",	 "x7",	"x8",  "x9",  "x10",
	"x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21",
	"x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "lr",  "sp",  "pc",
};
static const char *const riscv[] = { "pc", "ra", "sp",	"gp",  "tp", "t0", "t1", "t2",
				     "s0", "s1", "a0",	"a1",  "a2", "a3", "a4", "a5",
				     "a6", "a7", "s2",	"s3",  "s4", "s5", "s6", "s7",
				     "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6" };

#define NAME_AT(names, reg) ((reg) < ARRAY_SIZE(names) ? (names)[reg] : NULL)

static const char *find_name(const char *arch, unsigned reg)
{
	if (!strcmp(arch, "x86_64") || (arch[0] == 'i' && !strcmp(arch + 2, "86")))
		/* A vector register takes two numbers. */
		return reg < 32 ? NAME_AT(x86, reg) : NAME_AT(x86_vector, (reg - 32) / 2);
	if (!strcmp(arch, "aarch64") || !strcmp(arch, "arm64"))
		return reg == 46 ? "vg" : NAME_AT(arm64, reg);
	if (!strncmp(arch, "arm", 3))
		return NAME_AT(arm, reg);
	if (!strncmp(arch, "riscv", 5))
		return NAME_AT(riscv, reg);
	return NULL;
}

const char *reg_name(const char *arch, unsigned reg)
{
	const char *name = find_name(arch ? arch : "x86_64", reg);

	return name ? name : "unknown";
}
