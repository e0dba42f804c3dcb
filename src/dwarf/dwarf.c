// SPDX-License-Identifier: Apache-2.0
#include "dwarf/dwarf.h"
#include "dwarf/file.h"
#include "dwarf/function.h"
#include "dwarf/line.h"
#include "dwarf/split.h"
#include "dwarf/unit.h"

#define WORK_AT_LEAST (4u << 20) /* steps that every object may cost: tens of milliseconds */

struct dwarf *dwarf_new(const struct dwarf_source *source)
{
	struct dwarf *dwarf = mem_alloc(sizeof(*dwarf));

	dwarf->work_left = WORK_AT_LEAST;
	file_add(dwarf, source);
	return dwarf;
}

static void file_fini(struct dwarf_file *file)
{
	vec_each (unit, &file->units) {
		functions_free((*unit)->functions);
		lines_free((*unit)->lines);
	}
	vec_each (table, &file->abbrevs)
		abbrevs_fini(*table);
	vec_free(&file->units);
	vec_free(&file->abbrevs);
	idmap_free(&file->abbrevs_at);
	if (file->source.close)
		file->source.close(file->source.context);
}

void dwarf_free(struct dwarf *dwarf)
{
	if (!dwarf)
		return;
	for (size_t i = dwarf->files.len; i-- > 0;)
		file_fini(dwarf->files.data[i]);
	vec_free(&dwarf->files);
	spans_free(&dwarf->places);
	idmap_free(&dwarf->names_at);
	vec_free(&dwarf->names);
	arena_free(&dwarf->arena);
	free(dwarf);
}

enum dwarf_state dwarf_state(const struct dwarf *dwarf)
{
	return dwarf->state;
}

/* The unit of an address; or NULL. */
static struct unit *unit_of(struct dwarf *dwarf, uint64_t address)
{
	struct dwarf_file *own = dwarf->files.data[0];
	struct span_list spans = { 0 };
	uint32_t found;

	if (!dwarf->placed) {
		dwarf->placed = true;
		units_read(own);
		units_place(own, &spans);
		spans_make(&dwarf->places, &spans);
		vec_free(&spans);
	}
	found = spans_find(&dwarf->places, address);
	return found == SPAN_NONE ? NULL : own->units.data[found];
}

static void set_place(struct dwarf_frame *frame, struct unit *unit, uint64_t file, uint32_t line)
{
	struct lines *lines = lines_of(unit);

	frame->file = lines ? lines_path(lines, unit, file) : NULL;
	frame->line = line;
}

size_t dwarf_find(struct dwarf *dwarf, uint64_t address, struct dwarf_frame *frames, size_t room)
{
	struct unit *unit = unit_of(dwarf, address), *entries = unit ? split_unit(unit) : NULL;
	const struct functions *functions = entries ? functions_of(entries) : NULL;
	uint32_t at = functions ? spans_find(&functions->places, address) : SPAN_NONE;
	const struct lines *lines = unit ? lines_of(unit) : NULL;
	uint64_t next;
	const struct line_row *row = lines ? lines_find(lines, address, &next) : NULL;
	size_t count = 0;

	if (!room || dwarf->state == DWARF_TIRED || (!row && at == SPAN_NONE))
		return 0;
	frames[0] = (struct dwarf_frame){ 0 };
	if (row)
		set_place(&frames[0], unit, row->file, row->line);
	for (; at != SPAN_NONE && count < room && count < DWARF_DEPTH; count++) {
		const struct function *function = &functions->rows.data[at];

		frames[count].name = function_name(entries, function->entry);
		at = function->parent;
		if (at == NO_FUNCTION || count + 1 == room || count + 1 == DWARF_DEPTH)
			continue;
		frames[count].inlined = true;
		frames[count + 1] = (struct dwarf_frame){ 0 };
		set_place(&frames[count + 1], unit, function->call_file, function->call_line);
	}
	return count ? count : 1;
}
