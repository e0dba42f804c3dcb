// SPDX-License-Identifier: Apache-2.0
#include "render/script_symbol.h"
#include "base/mem.h"
#include "base/outbuf.h"
#include "dwarf/dwarf.h"

#include <stdlib.h>
#include <string.h>

#define NAME_LIMIT 16384 /* bytes of a readable name */
#define LINES	   (1u << 16)
#define TEXTS_SIZE ((size_t)4 << 20)
#define LINE_MAX   16384 /* longer ones are made anew each time */

/* The line of a frame that was met lately. */
struct kept_line {
	uint64_t address;
	uint64_t at; /* in all that the ring took; overwritten when that is too long ago */
	uint32_t space;
	uint16_t length; /* 0: nothing is mapped there, which is quickly said */
	uint8_t show;
};

static const char unknown[] = "[unknown]";

void script_symbols_init(struct script_symbols *symbols, struct machine *machine)
{
	*symbols = (struct script_symbols){ 0 };
	naming_init(&symbols->naming, machine, NULL);
	symbols->lines = mem_alloc(LINES * sizeof(*symbols->lines));
	symbols->texts = mem_alloc(TEXTS_SIZE);
}

void script_symbols_fini(struct script_symbols *symbols)
{
	naming_fini(&symbols->naming);
	free(symbols->lines);
	free(symbols->texts);
	idmap_free(&symbols->readable);
	vec_each (name, &symbols->readable_names)
		free(*name);
	vec_free(&symbols->readable_names);
}

/* A name stays where it is as long as its object does, so its address stands for it. */
const char *script_symbols_name(struct script_symbols *symbols, const struct place *place)
{
	uint32_t next = (uint32_t)symbols->readable_names.len;
	const char *plain = place->symbol, *readable;
	uint32_t index;

	bool kernel = place->object->kind == OBJECT_KERNEL || place->object->kind == OBJECT_MODULE;

	/* As perf: names that the kernel and JITs list are shown as they list them. */
	if (symbols->raw_names ||
	    (place->object->kind != OBJECT_FILE && place->object->kind != OBJECT_VDSO &&
	     !(kernel && symbols->demangle_kernel)))
		return plain;
	index = idmap_add(&symbols->readable, (uintptr_t)plain, next);
	if (index == next)
		*vec_push(&symbols->readable_names) = symbol_demangle(plain, DEMANGLE_NAME,
								      NAME_LIMIT);
	readable = symbols->readable_names.data[index];
	return readable ? readable : plain;
}

struct place script_symbols_find(struct script_symbols *symbols, const struct thread *thread,
				 uint8_t cpumode, uint64_t address)
{
	struct naming *naming = &symbols->naming;

	return naming_place(naming, naming_mapping(naming, thread, cpumode, address), thread,
			    address);
}

struct place script_symbols_find_any(struct script_symbols *symbols, const struct thread *thread,
				     uint8_t cpumode, uint64_t address)
{
	uint8_t other = address >> 63 ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
	struct place place = script_symbols_find(symbols, thread, cpumode, address);

	return place.object || other == cpumode
		       ? place
		       : script_symbols_find(symbols, thread, other, address);
}

static const char *object_name(const struct script_symbols *symbols, const struct place *place)
{
	const char *path = symbols->kernel_paths && place->dso && place->object->name[0] == '['
				   ? dso_source(place->dso)
				   : NULL;

	/* as perf: the running kernel's own list is no file of it */
	return path && strncmp(path, "/proc/", 6) ? path : place->object->name;
}

void script_symbols_print(struct script_symbols *symbols, struct outbuf *out, unsigned show,
			  const struct place *place)
{
	if (show & SHOW_SYM) {
		out_char(out, ' ');
		out_text(out, place->symbol ? script_symbols_name(symbols, place) : unknown);
		if (show & SHOW_SYMOFF && place->symbol) {
			out_text(out, "+0x");
			out_hex(out, place->offset, 0);
		}
	}
	if (show & SHOW_DSO) {
		out_text(out, " (");
		out_text(out, place->object ? object_name(symbols, place) : unknown);
		out_char(out, ')');
	}
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void print_source(const struct script_symbols *symbols, struct outbuf *out,
			 const struct dwarf_frame *frame)
{
	out_text(out, "\n  ");
	out_text(out, !frame->file || !frame->line ? "??"
		      : symbols->full_paths	   ? frame->file
						   : base_name(frame->file));
	out_char(out, ':');
	out_u64(out, frame->file ? frame->line : 0, 0);
}

/* What there are no lines of, perf names by the address if it is no file or has no symbol. */
static bool is_nowhere(const struct place *place)
{
	return place->object && (place->object->name[0] == '[' || !place->symbol);
}

static void print_nowhere(struct outbuf *out, const struct place *place)
{
	if (!is_nowhere(place))
		return;
	out_text(out, "\n  ");
	out_text(out, base_name(place->object->name));
	out_char(out, '[');
	out_hex(out, place->address, 0);
	out_char(out, ']');
}

void script_symbols_srcline(const struct script_symbols *symbols, struct outbuf *out,
			    const struct place *place)
{
	struct dwarf_frame frame;

	if (place->dso && dso_frames(place->dso, place->address, &frame, 1) && frame.line)
		print_source(symbols, out, &frame);
	else
		print_nowhere(out, place);
}

/* A function that was inlined at a place: told as far inside as the one that it is in. */
static void print_inlined(struct script_symbols *symbols, struct outbuf *out, unsigned show,
			  const struct place *place, const struct dwarf_frame *frame)
{
	struct place inside = *place;

	inside.symbol = frame->name;
	out_char(out, '\t');
	out_hex(out, place->address, 16);
	script_symbols_print(symbols, out, show & ~(unsigned)SHOW_DSO, &inside);
	if (show & SHOW_SRCLINE)
		print_source(symbols, out, frame);
	out_text(out, " (inlined)\n");
}

static void print_line(struct script_symbols *symbols, struct outbuf *out, unsigned show,
		       const struct place *place)
{
	struct dwarf_frame frames[DWARF_DEPTH] = { 0 };
	size_t count = 0;

	if (show & SHOW_INLINED && place->dso && place->symbol)
		count = dso_frames(place->dso, place->address - !!(show & SHOW_BEFORE), frames,
				   DWARF_DEPTH);
	for (size_t i = 0; i + 1 < count; i++)
		print_inlined(symbols, out, show, place, &frames[i]);
	out_char(out, '\t');
	out_hex(out, place->address, 16);
	script_symbols_print(symbols, out, show, place);
	if (show & SHOW_SRCLINE && show & SHOW_INLINED && place->dso &&
	    (count || !is_nowhere(place)))
		print_source(symbols, out, &frames[count ? count - 1 : 0]);
	else if (show & SHOW_SRCLINE)
		script_symbols_srcline(symbols, out, place);
	out_text(out, show & SHOW_SPLICED ? " [spliced]\n" : "\n");
}

/* Room for a text in the ring, in one piece. */
static char *take_room(struct script_symbols *symbols, size_t length, uint64_t *at)
{
	size_t left = TEXTS_SIZE - symbols->written % TEXTS_SIZE;

	if (left < length)
		symbols->written += left;
	*at = symbols->written;
	symbols->written += length;
	return symbols->texts + *at % TEXTS_SIZE;
}

static void print_new(struct script_symbols *symbols, struct outbuf *out, unsigned show,
		      const struct place *place, struct kept_line *kept)
{
	/* With so much room a line is hardly ever flushed before all of it is there. */
	const char *start = out_room(out, LINE_MAX + 2 * NAME_LIMIT);
	unsigned flushes = out->flushes;
	size_t length;

	print_line(symbols, out, show, place);
	length = (size_t)(out->at - start);
	if (out->flushes != flushes || length > LINE_MAX) {
		kept->space = 0;
		return;
	}
	memcpy(take_room(symbols, length, &kept->at), start, length);
	kept->length = (uint16_t)length;
}

static bool is_kept(const struct script_symbols *symbols, const struct kept_line *kept)
{
	return !kept->length || symbols->written - kept->at <= TEXTS_SIZE;
}

/* A JIT's list goes on growing. */
static bool may_be_named_later(const struct place *place)
{
	return place->object->kind == OBJECT_ANON && place->dso && !place->symbol;
}

void script_symbols_frame(struct script_symbols *symbols, struct outbuf *out, unsigned show,
			  const struct thread *thread, uint8_t cpumode, uint64_t address)
{
	uint32_t space = machine_space(symbols->naming.machine, thread, cpumode);
	uint64_t hash = idmap_hash(address ^ (uint64_t)space << 48);
	struct kept_line *kept = &symbols->lines[hash & (LINES - 1)];
	struct place place = { .address = address };

	if (kept->address == address && kept->space == space && kept->show == show && space &&
	    is_kept(symbols, kept)) {
		if (kept->length)
			out_bytes(out, symbols->texts + kept->at % TEXTS_SIZE, kept->length);
		else
			print_line(symbols, out, show, &place);
		return;
	}
	place = script_symbols_find(symbols, thread, cpumode, address);
	*kept = (struct kept_line){ .address = address, .space = space, .show = (uint8_t)show };
	if (place.object && !may_be_named_later(&place)) {
		print_new(symbols, out, show, &place, kept);
		return;
	}
	/* The kernel's names may not be read yet, and know more then. */
	if (place.object || cpumode != PERF_RECORD_MISC_USER)
		kept->space = 0;
	print_line(symbols, out, show, &place);
}
