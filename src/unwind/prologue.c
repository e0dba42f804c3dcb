// SPDX-License-Identifier: Apache-2.0
#include "unwind/prologue.h"

#include <elf.h>
#include <string.h>

#define PUSH_BP 0x55
#define BETWEEN 24 /* bytes that a compiler puts between its push and its mov, to save time */

/* Bytes of an x86 function; wide: it has 64 bits. */
struct x86 {
	const unsigned char *code;
	size_t size;
	bool wide;
};

static bool is_there(const struct x86 *x, size_t at, const void *bytes, size_t count)
{
	return at <= x->size && x->size - at >= count && !memcmp(x->code + at, bytes, count);
}

/* Instructions of 64 bits have a byte more in front. */
static bool is_one_of(const struct x86 *x, size_t at, const char *one, const char *other,
		      size_t count)
{
	size_t first = x->wide ? 0 : 1;

	return is_there(x, at, one + first, count - first) ||
	       is_there(x, at, other + first, count - first);
}

static size_t move_size(const struct x86 *x)
{
	return x->wide ? 3 : 2;
}

/* mov %rsp,%rbp in both of its encodings */
static bool moves_sp(const struct x86 *x, size_t at)
{
	return is_one_of(x, at, "\x48\x89\xe5", "\x48\x8b\xec", 3);
}

/* sub $n,%rsp */
static bool makes_room(const struct x86 *x, size_t at)
{
	return is_one_of(x, at, "\x48\x83\xec", "\x48\x81\xec", 3);
}

/* Where the function's first instruction, behind a mark of where branches lead, is a push of it. */
static size_t first_push(const struct x86 *x)
{
	size_t at = is_there(x, 0, x->wide ? "\xf3\x0f\x1e\xfa" : "\xf3\x0f\x1e\xfb", 4) ? 4 : 0;

	return at < x->size && x->code[at] == PUSH_BP ? at : SIZE_MAX;
}

/*
 * Whether the stack pointer is moved right behind where the old frame pointer was pushed.  Where
 * something was taken off the stack in between, it is the address of a variable.
 */
static bool is_frame(const struct x86 *x, size_t at)
{
	size_t push = first_push(x);

	if (at && x->code[at - 1] == PUSH_BP)
		return true;
	if (push == SIZE_MAX || at < push || at - push > BETWEEN)
		return false;
	for (size_t i = push + 1; i < at; i++)
		if (makes_room(x, i))
			return false;
	/* Who uses it for something else pushes more registers first. */
	return (x->code[push + 1] & 0xf0) != 0x50 && x->code[push + 1] != 0x41;
}

/* Go until 1.20: mov %rbp,N(%rsp); lea N(%rsp),%rbp.  The bytes of both, or 0. */
static size_t stores_bp(const struct x86 *x, size_t at)
{
	static const struct {
		const char *store, *load;
		size_t size, place; /* of each, and of its N */
	} forms[] = {
		{ "\x48\x89\x2c\x24", "\x48\x8d\x2c\x24", 4, 0 },
		{ "\x48\x89\x6c\x24", "\x48\x8d\x6c\x24", 4, 1 },
		{ "\x48\x89\xac\x24", "\x48\x8d\xac\x24", 4, 4 },
	};

	for (size_t i = 0; x->wide && i < sizeof(forms) / sizeof(*forms); i++) {
		size_t one = forms[i].size + forms[i].place;

		if (is_there(x, at, forms[i].store, forms[i].size) &&
		    is_there(x, at + one, forms[i].load, forms[i].size) &&
		    is_there(x, at + one + forms[i].size, x->code + at + forms[i].size,
			     forms[i].place))
			return 2 * one;
	}
	return 0;
}

static struct prologue find_x86(const struct x86 *x)
{
	struct prologue found = { .looked = (uint32_t)x->size };

	for (size_t i = 0; i < x->size; i++) {
		size_t stored = stores_bp(x, i);

		if (stored)
			found.set = (uint32_t)(i + stored);
		else if (moves_sp(x, i) && is_frame(x, i))
			found.set = (uint32_t)(i + move_size(x));
		else if (moves_sp(x, i) && !found.may_be)
			found.may_be = (uint32_t)(i + move_size(x));
		if (found.set)
			break;
	}
	return found;
}

static uint32_t instruction(const unsigned char *at)
{
	return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
	       (uint32_t)at[3] << 24;
}

/* mov x29,sp is an add of 0; Go's frame pointer is 8 below its stack's. */
static bool sets_x29(uint32_t word)
{
	return (word & 0xffc003ff) == 0x910003fd || word == 0xd10023fd;
}

static struct prologue find_arm64(const unsigned char *code, size_t size)
{
	struct prologue found = { .looked = (uint32_t)(size & ~(size_t)3) };

	for (size_t i = 0; i + 4 <= size && !found.set; i += 4)
		if (sets_x29(instruction(code + i)))
			found.set = (uint32_t)(i + 4);
	return found;
}

struct prologue prologue_find(uint16_t machine, const unsigned char *code, size_t size)
{
	switch (machine) {
	case EM_X86_64: return find_x86(&(struct x86){ code, size, true });
	case EM_386: return find_x86(&(struct x86){ code, size, false });
	case EM_AARCH64: return find_arm64(code, size);
	default: return (struct prologue){ 0 };
	}
}

bool prologue_is_return(uint16_t machine, const unsigned char *code, size_t size)
{
	struct x86 x = { code, size, true };

	if (machine == EM_AARCH64)
		return size >= 4 && instruction(code) == 0xd65f03c0;
	return is_there(&x, 0, "\xc3", 1) || is_there(&x, 0, "\xc2", 1) ||
	       is_there(&x, 0, "\xf3\xc3", 2);
}
