// SPDX-License-Identifier: Apache-2.0
#include "unwind/unwind.h"
#include "symbol/folder.h"
#include "symbol/maker.h"
#include "symbol/symbol.h"
#include "test.h"
#include "unwind/maker.h"
#include "unwind/object.h"

#include <linux/perf_event.h>

#define BASE  0x7f0000000000u /* where the made file is mapped, from its start */
#define TEXT  (BASE + MADE_TEXT_OFF)
#define SP    0x7ffe0000u
#define WORDS 16

/* A library with a leaf, its caller and the outermost function, and room for a JIT's code. */
struct scene {
	struct symbol_store *store;
	struct dso *dso;
	struct unwinder *unwinder;
	struct unwind_space space;
	struct unwind_input input;
	uint64_t values[4]; /* bp sp ip */
	uint64_t words[WORDS];
	struct unwound unwound;
};

#define LEAF  (TEXT + 0x100)
#define INNER (TEXT + 0x200)
#define OUTER (TEXT + 0x300)
#define TRAMP (TEXT + 0x400)
#define STUB  (TEXT + 0x500)
#define TABLE (TEXT + 0x600)
#define USUAL (TEXT + 0x700) /* how functions set up their frame pointers, or do not */
#define GO    (TEXT + 0x740)
#define LOCAL (TEXT + 0x780)
#define DRAP  (TEXT + 0x7c0)
#define JIT   0x7e0000000000u
#define HEAP  0x7d0000000000u

static bool find(void *context, uint64_t pc, struct unwind_place *place)
{
	struct scene *s = context;

	*place = (struct unwind_place){ 0 };
	if (pc >= JIT && pc < JIT + 0x1000)
		return true;
	if (pc >= HEAP && pc < HEAP + 0x1000) {
		place->data = true;
		return true;
	}
	if (pc < BASE || pc >= BASE + 0x10000)
		return false;
	*place = (struct unwind_place){ s->dso, pc - BASE };
	return true;
}

static void make_library(void)
{
	struct made_frames frames = { 0 };
	struct buf file = { 0 };

	make_usual_common(&frames);
	make_entry(&frames, MADE_TEXT_ADDR + 0x100, 0x100, "", 0);
	make_entry(&frames, MADE_TEXT_ADDR + 0x200, 0x100, "\x0e\x10", 2);
	make_entry(&frames, MADE_TEXT_ADDR + 0x300, 0x100, "\x07\x10", 2);
	/* Stubs of the PLT: CFA = rsp + 8 + ((rip & 15) >= 11) * 8. */
	make_entry(&frames, MADE_TEXT_ADDR + 0x500, 0x100,
		   "\x0f\x0b\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22", 13);
	/* CFA = rsp + 8 + what stands 0x20 bytes further in the code: "\x08", zeros. */
	make_entry(&frames, MADE_TEXT_ADDR + 0x600, 0x100, "\x0f\x06\x80\x20\x06\x77\x08\x22", 8);
	/* gcc's: push, mov (CFA = rbp + 16), leave (rsp + 8) */
	make_entry(&frames, MADE_TEXT_ADDR + 0x700, 0x40,
		   "\x41\x0e\x10\x86\x02\x43\x0d\x06\x5c\x0c\x07\x08", 12);
	/* Go's: sub of 0x68, and add at the end; never a word of rbp */
	make_entry(&frames, MADE_TEXT_ADDR + 0x740, 0x40, "\x44\x0e\x70\x60\x0e\x08", 6);
	/* sub of 0x28, and rbp saved for another use */
	make_entry(&frames, MADE_TEXT_ADDR + 0x780, 0x40, "\x44\x0e\x30\x45\x86\x02", 6);
	/* realigned by gcc: CFA = what stands 8 below rbp */
	make_entry(&frames, MADE_TEXT_ADDR + 0x7c0, 0x40, "\x48\x0f\x03\x76\x78\x06", 6);
	make_common(&frames, &(struct made_common){ .letters = "zRS",
						    .data = "\x1b",
						    .data_size = 1,
						    .program = "\x0c\x07\x10\x90\x02",
						    .size = 5 });
	make_entry(&frames, MADE_TEXT_ADDR + 0x400, 0x10, "", 0);
	make_elf(&file, &(struct made_elf){
				.extra = (struct made_section[]){
					{ ".eh_frame", SHT_PROGBITS, SHF_ALLOC, MADE_FRAMES_ADDR, 0,
					  frames.bytes.data, frames.bytes.len },
					{ 0 } } });
	file.data[MADE_TEXT_OFF + 0x620] = 8;
	memcpy(file.data + MADE_TEXT_OFF + 0x700, "\x55\x48\x89\xe5", 4);
	memcpy(file.data + MADE_TEXT_OFF + 0x740,
	       "\x48\x83\xec\x68\x48\x89\x6c\x24\x60\x48\x8d\x6c\x24\x60", 14);
	memcpy(file.data + MADE_TEXT_OFF + 0x780,
	       "\x48\x83\xec\x28\x48\x89\x6c\x24\x20\x48\x8d\x6c\x24\x20", 14);
	folder_put("lib.so", file.data, file.len);
	buf_free(&file);
	buf_free(&frames.bytes);
}

/* A thread at pc; its stack is told word by word. */
static void set_up(struct scene *s, uint64_t pc)
{
	folder_new();
	make_library();
	*s = (struct scene){ .space = { find, s } };
	s->store = symbol_store_new(
		&(struct symbol_options){ .symfs = folder_path(""), .cache_dir = "" });
	s->dso = symbol_dso(s->store, &(struct dso_key){ .kind = DSO_FILE, .path = "/lib.so" });
	s->unwinder = unwinder_new();
	s->values[1] = SP;
	s->values[2] = pc;
	s->input = (struct unwind_input){ .mask = 1 << 6 | 1 << 7 | 1 << 8,
					  .values = s->values,
					  .stack = s->words,
					  .stack_size = sizeof(s->words) };
}

static void tear_down(struct scene *s)
{
	unwinder_free(s->unwinder);
	symbol_store_free(s->store);
	folder_remove();
}

static void expect(const struct scene *s, size_t count, const uint64_t *addresses,
		   enum unwind_result end)
{
	EXPECT_INT(s->unwound.count, count);
	for (size_t i = 0; i < count; i++) {
		test_case("frame %zu", i);
		EXPECT_INT(s->unwound.frames[i].address, addresses[i]);
	}
	EXPECT_INT(s->unwound.end, end);
}

TEST(unwind_to_the_root)
{
	struct scene s;

	set_up(&s, LEAF + 5);
	s.words[0] = INNER + 0x20;
	s.words[2] = OUTER + 0x30;
	unwinder_run(s.unwinder, &s.input, &s.space, &s.unwound);
	expect(&s, 3, (uint64_t[]){ LEAF + 5, INNER + 0x1f, OUTER + 0x2f }, UNWIND_ROOT);
	tear_down(&s);
}

/* A call that never returns may be a function's last instruction. */
TEST(unwind_looks_before_the_return_address)
{
	struct scene s;

	set_up(&s, LEAF);
	s.words[0] = OUTER; /* what called is INNER's last instruction */
	s.words[2] = OUTER + 0x30;
	unwinder_run(s.unwinder, &s.input, &s.space, &s.unwound);
	expect(&s, 3, (uint64_t[]){ LEAF, OUTER - 1, OUTER + 0x2f }, UNWIND_ROOT);
	tear_down(&s);
}

/* Handler, trampoline, the interrupted function at its first byte. */
TEST(unwind_through_a_signal)
{
	struct scene s;

	set_up(&s, LEAF);
	s.words[0] = TRAMP;
	s.words[1] = INNER;
	s.words[4] = OUTER + 1;
	unwinder_run(s.unwinder, &s.input, &s.space, &s.unwound);
	expect(&s, 4, (uint64_t[]){ LEAF, TRAMP, INNER, OUTER }, UNWIND_ROOT);
	tear_down(&s);
}

/* The handler has returned, and the kernel is about to restore what was interrupted. */
TEST(unwind_from_the_end_of_a_trampoline)
{
	struct scene s;

	set_up(&s, TRAMP + 0x10);
	s.words[0] = INNER;
	s.words[3] = OUTER + 1;
	unwinder_run(s.unwinder, &s.input, &s.space, &s.unwound);
	expect(&s, 3, (uint64_t[]){ TRAMP + 0x10, INNER, OUTER }, UNWIND_ROOT);
	tear_down(&s);
}

TEST(unwind_from_a_stub)
{
	struct scene s;

	set_up(&s, STUB + 0x10);
	s.words[0] = OUTER + 1;
	unwinder_run(s.unwinder, &s.input, &s.space, &s.unwound);
	expect(&s, 2, (uint64_t[]){ STUB + 0x10, OUTER }, UNWIND_ROOT);
	tear_down(&s);

	set_up(&s, STUB + 0x1b); /* behind the push of the number */
	s.words[1] = OUTER + 1;
	unwinder_run(s.unwinder, &s.input, &s.space, &s.unwound);
	expect(&s, 2, (uint64_t[]){ STUB + 0x1b, OUTER }, UNWIND_ROOT);
	tear_down(&s);
}

TEST(unwind_by_frame_pointer_where_there_are_no_rules)
{
	struct scene s;

	set_up(&s, JIT + 0x10);
	s.values[0] = SP + 16;
	s.words[2] = SP + 64;
	s.words[3] = INNER + 0x20;
	s.words[5] = OUTER + 0x30;
	unwinder_run(s.unwinder, &s.input, &s.space, &s.unwound);
	expect(&s, 3, (uint64_t[]){ JIT + 0x10, INNER + 0x1f, OUTER + 0x2f }, UNWIND_ROOT);
	EXPECT_INT(s.unwound.frames[1].how, UNWIND_BY_POINTER);
	EXPECT_INT(s.unwound.frames[2].how, UNWIND_BY_RULES);
	tear_down(&s);
}

TEST(unwind_says_why_it_ends)
{
	static const struct {
		const char *label;
		uint64_t pc;
		enum unwind_result end;
	} cases[] = {
		{ "code nobody mapped", 0x1234, UNWIND_NO_CODE },
		{ "code without rules or pointer", TEXT + 0x800, UNWIND_NO_RULES },
		{ "the outermost function", OUTER + 4, UNWIND_ROOT },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct scene s;

		test_case("%s", cases[i].label);
		set_up(&s, cases[i].pc);
		unwinder_run(s.unwinder, &s.input, &s.space, &s.unwound);
		EXPECT_INT(s.unwound.count, 1);
		EXPECT_INT(s.unwound.end, cases[i].end);
		tear_down(&s);
	}
}

TEST(unwind_without_the_file)
{
	struct scene s;

	set_up(&s, LEAF);
	s.dso = symbol_dso(s.store, &(struct dso_key){ .kind = DSO_FILE, .path = "/gone.so" });
	s.values[0] = SP + 16;
	unwinder_run(s.unwinder, &s.input, &s.space, &s.unwound);
	expect(&s, 1, (uint64_t[]){ LEAF }, UNWIND_NO_FILE);
	tear_down(&s);
}

TEST(unwind_without_a_pc)
{
	struct scene s;

	set_up(&s, 0);
	unwinder_run(s.unwinder, &s.input, &s.space, &s.unwound);
	expect(&s, 0, NULL, UNWIND_NO_CODE);
	tear_down(&s);
}

TEST(unwind_has_an_end_in_recursion)
{
	uint64_t deep[2 * UNWIND_FRAMES_MAX + 2];
	struct scene s;

	set_up(&s, INNER + 4);
	for (size_t i = 0; i < ARRAY_SIZE(deep); i++)
		deep[i] = INNER + 8;
	s.input.stack = deep;
	s.input.stack_size = sizeof(deep);
	unwinder_run(s.unwinder, &s.input, &s.space, &s.unwound);
	EXPECT_INT(s.unwound.count, UNWIND_FRAMES_MAX);
	EXPECT_INT(s.unwound.end, UNWIND_DEEP);
	tear_down(&s);
}

/* The copy ends behind two frames; the kernel's chain has the leaf's caller and what follows. */
TEST(unwind_splices_the_kernels_chain)
{
	const uint64_t chain[] = { INNER + 4, INNER + 0x20, OUTER + 0x11, OUTER + 0x22 };
	struct scene s;

	set_up(&s, INNER + 4);
	s.words[1] = INNER + 0x20;
	s.input.stack_size = 16;
	s.input.chain = chain;
	s.input.chain_len = ARRAY_SIZE(chain);
	unwinder_run(s.unwinder, &s.input, &s.space, &s.unwound);
	expect(&s, 4, (uint64_t[]){ INNER + 4, INNER + 0x1f, OUTER + 0x10, OUTER + 0x21 },
	       UNWIND_COPY_END);
	EXPECT_INT(s.unwound.frames[1].how, UNWIND_BY_RULES);
	EXPECT_INT(s.unwound.frames[2].how, UNWIND_SPLICED);
	tear_down(&s);
}

/* An expression may want to know what is in no stack, but in the file. */
TEST(unwind_reads_constant_data)
{
	struct scene s;

	set_up(&s, TABLE);
	s.words[1] = OUTER + 8;
	unwinder_run(s.unwinder, &s.input, &s.space, &s.unwound);
	expect(&s, 2, (uint64_t[]){ TABLE, OUTER + 7 }, UNWIND_ROOT);
	tear_down(&s);
}

TEST(unwind_reads_only_what_is_loaded)
{
	struct unwind_object *object;
	struct scene s;
	uint64_t value;

	set_up(&s, TABLE);
	object = unwind_object_open(s.dso);
	EXPECT(unwind_object_read(object, MADE_TEXT_OFF + 0x620, 8, &value));
	EXPECT_INT(value, 8);
	EXPECT(unwind_object_read(object, MADE_TEXT_OFF + 0x61e, 4, &value));
	EXPECT_INT(value, 0x80000);
	EXPECT(unwind_object_read(object, MADE_TEXT_OFF + MADE_TEXT_SIZE - 8, 8, &value));
	EXPECT(!unwind_object_read(object, MADE_TEXT_OFF + MADE_TEXT_SIZE - 4, 8, &value));
	EXPECT(!unwind_object_read(object, 0x10, 8, &value));
	EXPECT(!unwind_object_read(object, UINT64_MAX - 3, 8, &value));
	unwind_object_free(object);
	tear_down(&s);
}

/* A function that calls itself: the frames that both have tell which of its calls is meant. */
TEST(unwind_splices_a_recursion)
{
	const uint64_t chain[] = { LEAF + 0x10,	 INNER + 0x20, INNER + 0x20, INNER + 0x20,
				   INNER + 0x20, INNER + 0x20, OUTER + 0x11 };
	struct scene s;

	set_up(&s, INNER + 4);
	s.words[1] = s.words[3] = INNER + 0x20;
	s.input.stack_size = 32;
	s.input.chain = chain;
	s.input.chain_len = ARRAY_SIZE(chain);
	unwinder_run(s.unwinder, &s.input, &s.space, &s.unwound);
	/* Of its frames the chain has the outer two, and four more. */
	EXPECT_INT(s.unwound.count, 1 + 2 + 4);
	EXPECT_INT(s.unwound.frames[2].how, UNWIND_BY_RULES);
	EXPECT_INT(s.unwound.frames[3].how, UNWIND_SPLICED);
	EXPECT(s.unwound.frames[6].address == OUTER + 0x10);
	tear_down(&s);
}

TEST(unwind_splices_nothing_that_it_can_not_place)
{
	const uint64_t chain[] = { LEAF + 0x40, OUTER + 0x11 };
	struct scene s;

	set_up(&s, INNER + 4);
	s.input.stack_size = 8;
	s.input.chain = chain;
	s.input.chain_len = ARRAY_SIZE(chain);
	unwinder_run(s.unwinder, &s.input, &s.space, &s.unwound);
	expect(&s, 1, (uint64_t[]){ INNER + 4 }, UNWIND_COPY_END);
	tear_down(&s);
}

/* Without frame pointers the kernel follows whatever the register holds. */
TEST(unwind_splices_no_garbage)
{
	static const struct {
		const char *label;
		uint64_t chain[4];
		size_t frames; /* of a copy that has one caller; the chain's are behind them */
		size_t alone;  /* of a copy that has none */
	} cases[] = {
		{ "text", { INNER + 4, 0x3633333336333532, OUTER + 0x11 }, 2, 1 },
		{ "the heap", { INNER + 4, HEAP + 0x10, OUTER + 0x11 }, 2, 1 },
		{ "not canonical", { INNER + 4, 0x8000deadbeef0000, OUTER + 0x11 }, 2, 1 },
		{ "code beside the stack", { INNER + 4, OUTER + 0x11, OUTER + 0x22 }, 2, 3 },
		{ "garbage behind code", { INNER + 4, OUTER + 0x11, HEAP + 0x10 }, 2, 1 },
		{ "garbage behind callers",
		  { INNER + 4, INNER + 0x20, OUTER + 0x11, HEAP + 0x10 },
		  3,
		  1 },
		{ "its last is 0", { INNER + 4, INNER + 0x20, JIT + 0x11, 0 }, 3, 3 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct scene s;

		test_case("%s", cases[i].label);
		set_up(&s, INNER + 4);
		s.words[1] = INNER + 0x20;
		s.input.stack_size = 16;
		s.input.chain = cases[i].chain;
		s.input.chain_len = ARRAY_SIZE(cases[i].chain);
		unwinder_run(s.unwinder, &s.input, &s.space, &s.unwound);
		EXPECT_INT(s.unwound.count, cases[i].frames);
		EXPECT_INT(s.unwound.end, UNWIND_COPY_END);
		s.input.stack_size = 8;
		unwinder_run(s.unwinder, &s.input, &s.space, &s.unwound);
		EXPECT_INT(s.unwound.count, cases[i].alone);
		tear_down(&s);
	}
}

TEST(unwind_knows_architectures)
{
	static const struct {
		const char *machine;
		uint64_t abi;
		bool known;
		enum unwind_arch arch;
	} cases[] = {
		{ "x86_64", PERF_SAMPLE_REGS_ABI_64, true, UNWIND_X86_64 },
		{ "x86_64", PERF_SAMPLE_REGS_ABI_32, true, UNWIND_I386 },
		{ "i686", PERF_SAMPLE_REGS_ABI_32, true, UNWIND_I386 },
		{ "aarch64", PERF_SAMPLE_REGS_ABI_64, true, UNWIND_AARCH64 },
		{ "aarch64", PERF_SAMPLE_REGS_ABI_32, false, 0 },
		{ "armv7l", PERF_SAMPLE_REGS_ABI_32, false, 0 },
		{ "s390x", PERF_SAMPLE_REGS_ABI_64, false, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		enum unwind_arch arch = UNWIND_X86_64;

		test_case("%s", cases[i].machine);
		EXPECT_BOOL(unwind_arch_of(cases[i].machine, cases[i].abi, &arch), cases[i].known);
		if (cases[i].known)
			EXPECT_INT(arch, cases[i].arch);
	}
}

/* Whether the kernel's walk by frame pointers finds the caller of code at a place. */
TEST(unwind_tells_where_frame_pointers_are_set)
{
	static const struct {
		const char *label;
		uint64_t pc;
		enum unwind_pointer want;
	} cases[] = {
		{ "a leaf without a frame", LEAF + 5, POINTER_NOT_SET },
		{ "the outermost function", OUTER + 5, POINTER_ROOT },
		{ "before the push", USUAL, POINTER_NOT_SET },
		{ "between push and mov", USUAL + 1, POINTER_NOT_SET },
		{ "behind the mov", USUAL + 4, POINTER_SET },
		{ "behind leave", USUAL + 0x20, POINTER_NOT_SET },
		{ "Go, before its lea", GO + 9, POINTER_NOT_SET },
		{ "Go, behind it", GO + 14, POINTER_SET },
		{ "Go, its frame removed", GO + 0x24, POINTER_NOT_SET },
		{ "rbp used for something else", LOCAL + 0x10, POINTER_NOT_SET },
		{ "a stack that is realigned", DRAP + 0x10, POINTER_SET },
		{ "a stub, counted from rsp", STUB + 1, POINTER_NOT_SET },
	};
	struct scene s;

	set_up(&s, LEAF);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		test_case("%s", cases[i].label);
		EXPECT_INT(unwinder_pointer(s.unwinder, s.dso, cases[i].pc - BASE, false),
			   cases[i].want);
	}
	tear_down(&s);
}

/* A file with symbols and no rules: its instructions tell, and where there is no symbol, nothing.
 */
TEST(unwind_tells_it_by_instructions_where_there_are_no_rules)
{
	struct buf file = { 0 };
	struct scene s;

	folder_new();
	make_elf(
		&file,
		&(struct made_elf){
			.symtab = (struct made_symbol[]){
				{ "framed", MADE_TEXT_ADDR, 0x40, STT_FUNC, STB_GLOBAL, 0, 0 },
				{ "bare", MADE_TEXT_ADDR + 0x40, 0x40, STT_FUNC, STB_GLOBAL, 0, 0 },
				{ 0 } } });
	memset(file.data + MADE_TEXT_OFF, 0x90, 0x80);
	memcpy(file.data + MADE_TEXT_OFF, "\x55\x48\x89\xe5", 4);
	file.data[MADE_TEXT_OFF + 0x20] = (char)0xc3;
	folder_put("lib.so", file.data, file.len);
	buf_free(&file);
	s.store = symbol_store_new(
		&(struct symbol_options){ .symfs = folder_path(""), .cache_dir = "" });
	s.dso = symbol_dso(s.store, &(struct dso_key){ .kind = DSO_FILE, .path = "/lib.so" });
	s.unwinder = unwinder_new();
	EXPECT_INT(unwinder_pointer(s.unwinder, s.dso, MADE_TEXT_OFF + 1, false), POINTER_NOT_SET);
	EXPECT_INT(unwinder_pointer(s.unwinder, s.dso, MADE_TEXT_OFF + 4, false), POINTER_SET);
	EXPECT_INT(unwinder_pointer(s.unwinder, s.dso, MADE_TEXT_OFF + 0x20, false),
		   POINTER_NOT_SET);
	EXPECT_INT(unwinder_pointer(s.unwinder, s.dso, MADE_TEXT_OFF + 0x20, true), POINTER_SET);
	EXPECT_INT(unwinder_pointer(s.unwinder, s.dso, MADE_TEXT_OFF + 0x50, false),
		   POINTER_NOT_SET);
	EXPECT_INT(unwinder_pointer(s.unwinder, s.dso, MADE_TEXT_OFF + 0x100, false),
		   POINTER_UNKNOWN);
	EXPECT(unwinder_lacks_rules(s.unwinder, s.dso, MADE_TEXT_OFF + 0x50));
	tear_down(&s);
}
