// SPDX-License-Identifier: Apache-2.0
/*
 * Call frame information: whatever the bytes are, rows come out in order or not at all, and
 * stepping by any of them ends.  The first byte says what the rest is: a whole ELF file (bit 2), or
 * a section of 32 bits (bit 0) or of .debug_frame's kind (bit 1), whose bytes are also the stack.
 */
#include "fuzz.h"
#include "symbol/elf.h"
#include "unwind/object.h"
#include "unwind/step.h"

#define SP 0x7fff0000u

static void check(const struct cfi_rows *rows, size_t from)
{
	for (size_t i = from; i < rows->list.len; i++) {
		const struct cfi_row *row = &rows->list.data[i];

		FUZZ_HOLDS(row->rule_first + row->rule_count <= rows->rules.len);
		FUZZ_HOLDS(row->frame != CFI_FRAME_RESULT ||
			   (size_t)row->value < rows->expressions.len);
		FUZZ_HOLDS(i == from || row[-1].start <= row->start);
		FUZZ_HOLDS(row->return_column < CFI_REGISTERS);
	}
}

static void step(const struct cfi_rows *rows, size_t from, const struct unwind_stack *stack)
{
	for (size_t i = from; i < rows->list.len && i < from + 64; i++) {
		enum unwind_arch arch = stack->wide ? i % 2 ? UNWIND_X86_64 : UNWIND_AARCH64
						    : UNWIND_I386;
		struct unwind_registers regs = { .known = UINT64_MAX, .pc = 1 };

		for (size_t k = 0; k < CFI_REGISTERS; k++)
			regs.values[k] = SP + k * 8;
		for (int depth = 0; depth < 8; depth++)
			if (unwind_step(&regs, arch, rows, &rows->list.data[i], stack))
				break;
		unwind_step_pointer(&regs, arch, stack);
	}
}

static void run_section(uint8_t kind, const uint8_t *data, size_t size)
{
	struct cfi_section section = {
		.bases = { .bytes = data,
			   .address = 0x400000,
			   .data = 0x500000,
			   .wide = !(kind & 1) },
		.size = size,
		.debug = kind & 2,
	};
	struct unwind_stack stack = { data, SP, size, !(kind & 1) };
	struct cfi_header header;
	uint64_t entry_address;
	struct cfi_rows rows = { 0 };
	struct cfi_entry entry;
	size_t at = 0, next;
	enum cfi_kind found;

	while ((found = cfi_read(&section, at, &entry, &next)) != CFI_END) {
		size_t from = rows.list.len;

		FUZZ_HOLDS(next > at && next <= size);
		at = next;
		if (found != CFI_ENTRY)
			continue;
		FUZZ_HOLDS(entry.start < entry.end);
		if (cfi_rows_add(&rows, &section, &entry))
			FUZZ_HOLDS(rows.list.len > from);
		check(&rows, from);
		step(&rows, from, &stack);
	}
	cfi_rows_free(&rows);
	if (cfi_header_read(&header, &section.bases, size))
		cfi_header_find(&header, 0x400100, &entry_address);
}

static void run_file(const uint8_t *data, size_t size)
{
	struct unwind_object *object, *follower;
	struct unwind_share share;
	struct cfi_rows all = { 0 };
	struct elf_file elf;

	if (elf_file_open(&elf, image_of(data, size)))
		return;
	object = unwind_object_new(&elf, NULL);
	unwind_object_has_rules(object);
	unwind_object_compile(object, &all);
	check(&all, 0);
	share = unwind_object_share(object);
	follower = unwind_object_follow(&share);
	for (size_t i = 0; i < all.list.len && i < 1000; i++) {
		uint64_t pc = all.list.data[i].start;

		FUZZ_HOLDS(!unwind_object_find(object, pc) == !unwind_object_find(follower, pc));
		unwind_object_find(object, unwind_object_address(object, i));
	}
	check(unwind_object_rows(object), unwind_object_rows(object)->list.len);
	cfi_rows_free(&all);
	unwind_object_free(follower);
	unwind_object_free(object);
	elf_file_close(&elf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	if (data[0] & 4)
		run_file(data + 1, size - 1);
	else
		run_section(data[0], data + 1, size - 1);
	return 0;
}
