// SPDX-License-Identifier: Apache-2.0
#include "unwind/unwind.h"
#include "base/idmap.h"
#include "symbol/elf.h"
#include "symbol/symbol.h"
#include "unwind/object.h"
#include "unwind/prologue.h"

#include <elf.h>
#include <linux/perf_event.h>
#include <sys/utsname.h>

struct unwinder {
	/* NULL: its file is not there; of one that follows, by their numbers: not met yet. */
	VEC(struct unwind_object *) objects;
	struct idmap by_dso;
	/* The file whose code was looked at last, which stays open: another place of it is next. */
	const struct dso *code_of;
	struct elf_file code;
	VEC(struct prologue) prologues;
	struct idmap by_function; /* to these, by object and where the function begins */
};

struct unwinder *unwinder_new(void)
{
	return mem_alloc(sizeof(struct unwinder));
}

void unwinder_free(struct unwinder *unwinder)
{
	if (!unwinder)
		return;
	vec_each (object, &unwinder->objects)
		unwind_object_free(*object);
	vec_free(&unwinder->objects);
	idmap_free(&unwinder->by_dso);
	elf_file_close(&unwinder->code);
	vec_free(&unwinder->prologues);
	idmap_free(&unwinder->by_function);
	free(unwinder);
}

static uint32_t number_of(struct unwinder *unwinder, struct dso *dso)
{
	uint32_t next = (uint32_t)unwinder->objects.len;
	uint32_t at = idmap_add(&unwinder->by_dso, (uintptr_t)dso, next);

	if (at == next)
		*vec_push(&unwinder->objects) = unwind_object_open(dso);
	return at;
}

static struct unwind_object *object_of(struct unwinder *unwinder, struct dso *dso)
{
	uint32_t number = number_of(unwinder, dso); /* which may move them */

	return unwinder->objects.data[number];
}

bool unwinder_share(const struct unwinder *unwinder, const struct dso *dso,
		    struct unwind_share *share)
{
	uint32_t at = idmap_find(&unwinder->by_dso, (uintptr_t)dso);

	if (at == IDMAP_NONE || !unwinder->objects.data[at])
		return false;
	*share = unwind_object_share(unwinder->objects.data[at]);
	return true;
}

unsigned unwinder_changes(const struct unwinder *unwinder)
{
	unsigned changes = 0;

	/* Each is opened, and later asked for more. */
	vec_each (object, &unwinder->objects)
		changes += *object && !unwind_object_share(*object).more ? 2 : 1;
	return changes;
}

static struct unwind_object *followed(struct unwinder *unwinder, const struct unwind_place *place)
{
	struct unwind_object **object;

	while (unwinder->objects.len <= place->number)
		vec_push(&unwinder->objects);
	object = &unwinder->objects.data[place->number];
	if (*object)
		unwind_object_catch_up(*object, place->share);
	else
		*object = unwind_object_follow(place->share);
	return *object;
}

static const struct cfi_rule *rule_of(const struct unwind_object *object, const struct cfi_row *row,
				      uint8_t reg)
{
	const struct cfi_rule *rules = unwind_object_rows(object)->rules.data + row->rule_first;

	for (unsigned i = 0; i < row->rule_count; i++)
		if (rules[i].reg == reg)
			return &rules[i];
	return NULL;
}

static bool is_saved(const struct cfi_rule *rule)
{
	return rule && rule->where == CFI_AT;
}

/* Bytes of an object's file, at most so many; 0 if there are none. */
static size_t read_code(struct unwinder *unwinder, struct dso *dso, uint64_t file_off,
			unsigned char *into, size_t size)
{
	uint64_t end;

	if (unwinder->code_of != dso) {
		elf_file_close(&unwinder->code);
		unwinder->code = (struct elf_file){ 0 };
		unwinder->code_of = dso_open_code(dso, &unwinder->code) ? dso : NULL;
	}
	end = unwinder->code_of ? unwinder->code.image.size : 0;
	if (file_off >= end)
		return 0;
	size = end - file_off < size ? (size_t)(end - file_off) : size;
	return image_read(&unwinder->code.image, file_off, into, size) ? size : 0;
}

/* A place in a function that is judged by its instructions. */
struct spot {
	struct dso *dso;
	const struct unwind_object *object;
	uint64_t start, file_off; /* of the function and of the place */
	bool called;
};

/* Each function is looked at once. */
static struct prologue prologue_of(struct unwinder *unwinder, const struct spot *spot)
{
	uint64_t key = (uint64_t)number_of(unwinder, spot->dso) << 40 ^ spot->start;
	uint32_t next = (uint32_t)unwinder->prologues.len;
	uint32_t at = idmap_add(&unwinder->by_function, key, next);
	unsigned char code[PROLOGUE_BYTES];

	if (at == next) {
		size_t size = read_code(unwinder, spot->dso, spot->start, code, sizeof(code));
		struct prologue found = prologue_find(unwind_object_machine(spot->object), code,
						      size);

		*vec_push(&unwinder->prologues) = found;
	}
	return unwinder->prologues.data[at];
}

static bool returns(struct unwinder *unwinder, const struct spot *spot)
{
	unsigned char code[4];

	return !spot->called && prologue_is_return(unwind_object_machine(spot->object), code,
						   read_code(unwinder, spot->dso, spot->file_off,
							     code, sizeof(code)));
}

static bool is_set_before(struct unwinder *unwinder, const struct spot *spot)
{
	struct prologue prologue = prologue_of(unwinder, spot);

	return prologue.set && spot->file_off - spot->start >= prologue.set;
}

/* Where nothing but instructions tells: what they do not show is not known. */
static enum unwind_pointer pointer_by_code(struct unwinder *unwinder, const struct spot *spot)
{
	struct prologue prologue = prologue_of(unwinder, spot);
	uint64_t at = spot->file_off - spot->start;

	if (prologue.set && at >= prologue.set)
		return returns(unwinder, spot) ? POINTER_NOT_SET : POINTER_SET;
	if ((prologue.may_be && at >= prologue.may_be) || at > prologue.looked)
		return POINTER_UNKNOWN;
	return prologue.looked ? POINTER_NOT_SET : POINTER_UNKNOWN;
}

static bool begins_with(const struct unwind_object *object, int32_t expression, uint8_t operation)
{
	const struct cfi_expression *e = &unwind_object_rows(object)->expressions.data[expression];

	return e->size && e->bytes[0] == operation;
}

#define COUNTED_FROM 0x70 /* DW_OP_breg0, and so on */

/* Whether the frame is found by the pointer: counted from it, or saved where it leads to. */
static bool goes_by(const struct unwind_object *object, const struct cfi_row *row, uint8_t pointer)
{
	const struct cfi_rule *saved = rule_of(object, row, pointer);

	if (row->frame == CFI_FRAME_REGISTER && row->reg == pointer)
		return true;
	if (row->frame == CFI_FRAME_RESULT &&
	    begins_with(object, row->value, (uint8_t)(COUNTED_FROM + pointer)))
		return true;
	return saved && saved->where == CFI_AT_RESULT &&
	       begins_with(object, saved->value, (uint8_t)(COUNTED_FROM + pointer));
}

/* The first row of the function's entry; each ends with a row without a frame. */
static const struct cfi_row *first_row(const struct unwind_object *object,
				       const struct cfi_row *row)
{
	const struct cfi_row *all = unwind_object_rows(object)->list.data;

	while (row > all && row[-1].frame != CFI_NO_FRAME)
		row--;
	return row;
}

/* Whether a function's rules say anywhere what becomes of the register. */
static bool is_told_of(const struct unwind_object *object, const struct cfi_row *row,
		       uint8_t pointer)
{
	for (; row->frame != CFI_NO_FRAME; row++)
		if (goes_by(object, row, pointer) || rule_of(object, row, pointer))
			return true;
	return false;
}

/*
 * On x86 the CFA is counted from the frame pointer while that is set up.  Go's rules count from the
 * stack pointer all along and never mention the other: then instructions tell, and the rules
 * whether the frame is still there.
 */
static enum unwind_pointer pointer_of_x86(struct unwinder *unwinder, struct spot *spot,
					  const struct cfi_row *row, uint8_t pointer, uint64_t pc)
{
	const struct cfi_row *first = first_row(spot->object, row);
	int32_t word = pointer == 6 ? 8 : 4;

	if (goes_by(spot->object, row, pointer))
		return POINTER_SET;
	if (row->frame != CFI_FRAME_REGISTER || row->value < 2 * word ||
	    is_told_of(spot->object, first, pointer))
		return POINTER_NOT_SET;
	spot->start = spot->file_off - (pc - first->start);
	return is_set_before(unwinder, spot) ? POINTER_SET : POINTER_NOT_SET;
}

/*
 * On arm64 the CFA may be counted from sp all along; there, frames begin with both registers saved,
 * and the pointer is set next.  Go's rules tell of the return address only.
 */
static enum unwind_pointer pointer_of_arm64(struct unwinder *unwinder, struct spot *spot,
					    const struct cfi_row *row, uint64_t pc)
{
	const struct cfi_row *first = first_row(spot->object, row);

	if (!is_saved(rule_of(spot->object, row, 30)))
		return POINTER_NOT_SET;
	if (is_saved(rule_of(spot->object, row, 29)))
		return POINTER_SET;
	if (is_told_of(spot->object, first, 29))
		return POINTER_NOT_SET;
	spot->start = spot->file_off - (pc - first->start);
	return is_set_before(unwinder, spot) ? POINTER_SET : POINTER_NOT_SET;
}

static enum unwind_pointer pointer_of(struct unwinder *unwinder, struct spot *spot,
				      const struct cfi_row *row, uint64_t pc)
{
	const struct cfi_rule *back = rule_of(spot->object, row, row->return_column);

	if (back && back->where == CFI_UNDEFINED)
		return POINTER_ROOT;
	switch (unwind_object_machine(spot->object)) {
	case EM_X86_64: return pointer_of_x86(unwinder, spot, row, 6, pc);
	case EM_386: return pointer_of_x86(unwinder, spot, row, 5, pc);
	case EM_AARCH64: return pointer_of_arm64(unwinder, spot, row, pc);
	default: return POINTER_UNKNOWN;
	}
}

static const struct cfi_row *row_at(struct unwind_object *object, uint64_t pc)
{
	const struct cfi_row *row = unwind_object_find(object, pc);

	return row && row->frame != CFI_NO_FRAME ? row : NULL;
}

enum unwind_pointer unwinder_pointer(struct unwinder *unwinder, struct dso *dso, uint64_t file_off,
				     bool called)
{
	struct unwind_object *object = object_of(unwinder, dso);
	struct spot spot = { .dso = dso, .object = object, .file_off = file_off, .called = called };
	const struct cfi_row *row;
	struct symbol symbol;
	uint64_t pc;

	if (!object)
		return POINTER_UNKNOWN;
	pc = unwind_object_address(object, file_off);
	row = row_at(object, pc);
	if (row)
		return pointer_of(unwinder, &spot, row, pc);
	if (!dso_find(dso, file_off, &symbol))
		return POINTER_UNKNOWN;
	spot.start = symbol.start;
	return pointer_by_code(unwinder, &spot);
}

bool unwinder_lacks_rules(struct unwinder *unwinder, struct dso *dso, uint64_t file_off)
{
	struct unwind_object *object = object_of(unwinder, dso);

	return object && !row_at(object, unwind_object_address(object, file_off));
}

/* One thread on its way out. */
struct walk {
	struct unwinder *unwinder;
	const struct unwind_input *input;
	const struct unwind_space *space;
	struct unwind_stack stack;
	struct unwind_registers regs;
	/* What is known of the frame's code. */
	struct unwind_object *object;
	const struct cfi_row *row;
	uint64_t object_pc;
	enum unwind_result where; /* UNWIND_STEPPED: there is a way on */
	bool later;		  /* something was not known yet, so nothing that follows counts */
};

/*
 * Code without rules of its own has a frame pointer or nothing: a JIT's, assembly.  A file that is
 * not there may have had rules, so nothing is guessed about its code.
 */
static void locate(struct walk *w, uint64_t address)
{
	struct unwind_place place;

	w->object = NULL;
	w->row = NULL;
	w->where = UNWIND_STEPPED;
	if (!w->space->find(w->space->context, address, &place)) {
		w->where = UNWIND_NO_CODE;
	} else if (place.later) {
		w->later = true;
	} else if (place.dso || place.share) {
		w->object = place.share ? followed(w->unwinder, &place)
					: object_of(w->unwinder, place.dso);
		if (!w->object) {
			w->where = UNWIND_NO_FILE;
			return;
		}
		w->object_pc = unwind_object_address(w->object, place.file_off);
		w->row = unwind_object_find(w->object, w->object_pc);
		w->later |= !w->row && unwind_object_is_behind(w->object);
	}
}

/* What is asked for here lies in .rodata; who follows leaves it to who can open files. */
static bool read_file(void *context, uint64_t address, uint64_t *value)
{
	struct walk *w = context;
	struct unwind_object *object;
	struct unwind_place place;

	if (!w->space->find(w->space->context, address, &place))
		return false;
	if (place.later || place.share) {
		w->later = true;
		return false;
	}
	object = place.dso ? object_of(w->unwinder, place.dso) : NULL;
	return object && unwind_object_read(object, place.file_off, w->stack.wide ? 8 : 4, value);
}

static bool is_trampoline(const struct walk *w)
{
	return w->row && w->row->signal;
}

/* Whether the next byte belongs to another function; an entry's rows end with one that says so. */
static bool is_last_byte(const struct walk *w)
{
	return w->row[1].frame == CFI_NO_FRAME && w->row[1].start == w->object_pc + 1;
}

/* While a trampoline's system call runs, the pc is behind its last byte, where no rules are. */
static uint64_t find_interrupted(struct walk *w, uint64_t pc)
{
	locate(w, pc);
	if (w->row)
		return pc;
	locate(w, pc - 1);
	if (!is_trampoline(w))
		locate(w, pc);
	return pc;
}

/*
 * Finds where a frame's code is, as struct unwind_frame has it.  The trampoline that a signal's
 * handler returns to was never called either: its first byte is where it begins.
 */
static uint64_t find_code(struct walk *w, bool interrupted)
{
	uint64_t pc = w->regs.pc;

	if (interrupted)
		return find_interrupted(w, pc);
	locate(w, pc - 1);
	if (w->row && !is_trampoline(w) && !is_last_byte(w))
		return pc - 1;
	locate(w, pc);
	if (is_trampoline(w))
		return pc;
	locate(w, pc - 1);
	return pc - 1;
}

static enum unwind_result step(struct walk *w)
{
	if (w->later)
		return UNWIND_LATER;
	if (w->where != UNWIND_STEPPED)
		return w->where;
	if (w->row)
		return unwind_step(&w->regs, w->input->arch, unwind_object_rows(w->object), w->row,
				   &w->stack);
	return unwind_step_pointer(&w->regs, w->input->arch, &w->stack);
}

static void add_frame(struct unwound *unwound, uint64_t address, enum unwind_how how)
{
	unwound->frames[unwound->count++] = (struct unwind_frame){ .address = address,
								   .how = (uint8_t)how };
}

static enum unwind_result walk(struct walk *w, struct unwound *unwound)
{
	add_frame(unwound, find_code(w, true), UNWIND_BY_RULES);
	while (unwound->count < UNWIND_FRAMES_MAX) {
		enum unwind_how how = w->row ? UNWIND_BY_RULES : UNWIND_BY_POINTER;
		bool interrupted = is_trampoline(w);
		enum unwind_result result = step(w);
		uint64_t address;

		if (result != UNWIND_STEPPED)
			return result;
		address = find_code(w, interrupted);
		/* A guess that leads to no code was none. */
		if (how == UNWIND_BY_POINTER && w->where == UNWIND_NO_CODE)
			return UNWIND_NO_RULES;
		add_frame(unwound, address, how);
	}
	return UNWIND_DEEP;
}

/* How many frames, from this one inwards, both have next to each other. */
static size_t same_run(const struct unwind_input *input, uint64_t entry,
		       const struct unwound *unwound, size_t frame)
{
	size_t run = 0;

	while (run <= frame && run <= entry &&
	       input->chain[entry - run] - unwound->frames[frame - run].address <= 1)
		run++;
	return run;
}

/* The entry behind the one that is this frame; 0 if none is. */
static uint64_t behind_frame(const struct unwind_input *input, const struct unwound *unwound,
			     size_t frame)
{
	size_t longest = 0, run;
	uint64_t found = 0;

	/* A recursion is there many times: what comes before tells which one it is. */
	for (uint64_t k = 0; k < input->chain_len; k++) {
		run = same_run(input, k, unwound, frame);
		if (run > longest) {
			longest = run;
			found = k + 1;
		}
	}
	return found;
}

static bool is_code(const struct unwind_space *space, uint64_t address)
{
	struct unwind_place place;

	return space->find(space->context, address, &place) && !place.data;
}

/* Where the chain stops leading from code to code: what is further out is no stack. */
static uint64_t end_of_code(const struct unwind_input *input, const struct unwind_space *space,
			    uint64_t from)
{
	while (from < input->chain_len && input->chain[from] &&
	       is_code(space, input->chain[from] - 1))
		from++;
	return from;
}

/*
 * Where the copy of the stack ended too early, the kernel's own chain may go on, behind the
 * outermost frame.  It lacks functions without a frame pointer, hence the mark.
 *
 * Code without frame pointers keeps anything in that register, and the kernel follows it: only a
 * chain that has met the outermost frame's return address was on this stack.  The leaf is in every
 * chain and tells nothing; if there is no other frame, all of the chain has to be code.
 */
static void splice(const struct unwind_input *input, const struct unwind_space *space,
		   struct unwound *unwound)
{
	uint64_t from = behind_frame(input, unwound, unwound->count - 1), end;

	if (!from)
		return;
	end = end_of_code(input, space, from);
	if (unwound->count == 1 && end < input->chain_len && input->chain[end])
		return;
	for (; from < end && unwound->count < UNWIND_FRAMES_MAX; from++)
		add_frame(unwound, input->chain[from] - 1, UNWIND_SPLICED);
}

void unwinder_run(struct unwinder *unwinder, const struct unwind_input *input,
		  const struct unwind_space *space, struct unwound *unwound)
{
	struct walk w = { .unwinder = unwinder, .input = input, .space = space };

	unwound->count = 0;
	unwound->end = UNWIND_NO_CODE;
	unwind_registers_init(&w.regs, input->arch, input->mask, input->values);
	w.stack = (struct unwind_stack){ .bytes = input->stack,
					 .start = unwind_sp(&w.regs, input->arch),
					 .size = input->stack_size,
					 .wide = input->arch != UNWIND_I386,
					 .read_file = read_file,
					 .context = &w };
	if (!w.regs.pc)
		return;
	unwound->end = walk(&w, unwound);
	if (w.later)
		unwound->end = UNWIND_LATER;
	if (unwound->end == UNWIND_COPY_END)
		splice(input, space, unwound);
}

bool unwind_arch_of(const char *machine, uint64_t abi, enum unwind_arch *arch)
{
	struct utsname here;

	if (!machine && uname(&here))
		return false;
	if (!machine)
		machine = here.machine;
	if (!strcmp(machine, "aarch64") || !strcmp(machine, "arm64"))
		*arch = UNWIND_AARCH64;
	else if (!strcmp(machine, "x86_64"))
		*arch = abi == PERF_SAMPLE_REGS_ABI_32 ? UNWIND_I386 : UNWIND_X86_64;
	else if (strlen(machine) == 4 && machine[0] == 'i' && !strcmp(machine + 2, "86"))
		*arch = UNWIND_I386;
	else
		return false;
	/* 32-bit ARM has tables of another kind. */
	return abi == PERF_SAMPLE_REGS_ABI_64 || *arch == UNWIND_I386;
}
