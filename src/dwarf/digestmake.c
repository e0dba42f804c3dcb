// SPDX-License-Identifier: Apache-2.0
#include "dwarf/digest.h"
#include "dwarf/function.h"
#include "dwarf/line.h"
#include "dwarf/split.h"

#define ROWS_MAX  (8u << 20)
#define TEXTS_MAX (256u << 20)

struct making {
	struct digest_made *made;
	const struct digest *former;
	struct idmap texts; /* by the address of the text, which stays */
	uint32_t *first;    /* of each unit that was read: its first function */
};

static uint32_t add_text(struct making *m, const char *text)
{
	uint32_t next = (uint32_t)m->made->texts.len, known;

	if (!text)
		return DIGEST_NONE;
	known = idmap_add(&m->texts, (uintptr_t)text, next);
	if (known == next)
		buf_add(&m->made->texts, text, strlen(text) + 1);
	return known;
}

static uint32_t add_path(struct making *m, struct unit *unit, uint64_t file)
{
	struct lines *lines = lines_of(unit);

	return add_text(m, lines ? lines_path(lines, unit, file) : NULL);
}

static void add_row(struct making *m, struct digest_row row)
{
	struct digest_row *last = m->made->rows.len ? vec_last(&m->made->rows) : NULL;

	if (last && last->function == row.function && last->file == row.file &&
	    last->line == row.line)
		return;
	*vec_push(&m->made->rows) = row;
}

static void add_functions(struct making *m, struct unit *unit, struct unit *entries)
{
	const struct functions *functions = entries ? functions_of(entries) : NULL;
	uint32_t first = (uint32_t)m->made->functions.len;

	if (!functions)
		return;
	vec_each (function, &functions->rows)
		*vec_push(&m->made->functions) = (struct digest_function){
			.name = add_text(m, function_name(entries, function->entry)),
			.parent = function->parent == NO_FUNCTION ? DIGEST_NONE
								  : first + function->parent,
			.file = add_path(m, unit, function->call_file),
			.line = function->call_line,
		};
}

/* The function at an address; *next becomes where another one begins, if that is before it. */
static uint32_t function_at(const struct functions *functions, uint64_t address, uint64_t *next)
{
	const struct spans *places = functions ? &functions->places : NULL;
	size_t count;

	if (!places)
		return SPAN_NONE;
	count = spans_up_to(places, address);
	if (count < places->count && places->starts[count] < *next)
		*next = places->starts[count];
	return count ? places->owners[count - 1] : SPAN_NONE;
}

/* A stretch of a unit that was read. */
static void add_stretch(struct making *m, struct unit *unit, uint32_t first, uint64_t start,
			uint64_t end)
{
	struct unit *entries = split_unit(unit);
	const struct functions *functions = entries ? functions_of(entries) : NULL;
	const struct lines *lines = lines_of(unit);
	uint64_t next;

	for (uint64_t at = start; at < end && m->made->rows.len < ROWS_MAX; at = next) {
		const struct line_row *line = lines ? lines_find(lines, at, &next) : NULL;
		uint32_t function;

		if (!lines)
			next = UINT64_MAX;
		function = function_at(functions, at, &next);
		add_row(m,
			(struct digest_row){
				.start = at,
				.function = function == SPAN_NONE ? DIGEST_NONE : first + function,
				.file = line ? add_path(m, unit, line->file) : DIGEST_EMPTY,
				.line = line ? line->line : 0,
			});
	}
}

/* What the former one has of a stretch, with the same functions and texts. */
static void add_former(struct making *m, uint64_t start, uint64_t end)
{
	const struct digest *former = m->former;
	const struct digest_row *at = digest_row_at(former, start);

	if (!at) {
		add_row(m, (struct digest_row){ .start = start, .function = DIGEST_UNREAD });
		return;
	}
	for (; at < former->rows + former->row_count && at->start < end; at++) {
		struct digest_row row = *at;

		row.start = row.start > start ? row.start : start;
		add_row(m, row);
	}
}

/* The functions of every unit that was read; false if there is none. */
static bool add_units(struct making *m, const struct dwarf_file *own)
{
	bool any = false;

	m->first = mem_alloc((own->units.len + 1) * sizeof(*m->first));
	for (size_t i = 0; i < own->units.len; i++) {
		struct unit *unit = own->units.data[i];

		m->first[i] = (uint32_t)m->made->functions.len;
		if (!unit->lines_tried)
			continue;
		add_functions(m, unit, split_unit(unit));
		any = true;
	}
	return any;
}

static void add_places(struct making *m, const struct dwarf_file *own, const struct spans *places)
{
	for (size_t i = 0; i < places->count; i++) {
		uint64_t start = places->starts[i];
		uint64_t end = i + 1 < places->count ? places->starts[i + 1] : UINT64_MAX;
		uint32_t owner = places->owners[i];

		if (owner == SPAN_NONE)
			add_row(m, (struct digest_row){ .start = start,
							.function = DIGEST_NONE,
							.file = DIGEST_EMPTY });
		else if (own->units.data[owner]->lines_tried)
			add_stretch(m, own->units.data[owner], m->first[owner], start, end);
		else
			add_former(m, start, end);
	}
}

/* Whether the files that parts were moved to are there; answers would be others with them. */
static bool is_whole(const struct dwarf_file *own)
{
	if (own->shared_tried && !own->shared)
		return false;
	vec_each (unit, &own->units)
		if ((*unit)->split_tried && !(*unit)->split)
			return false;
	return true;
}

bool digest_make(struct digest_made *made, struct dwarf *dwarf, const struct digest *former)
{
	static const struct digest none = { 0 };
	struct making m = { .made = made, .former = former ? former : &none };
	const struct dwarf_file *own = dwarf->files.data[0];
	bool good = false;

	if (dwarf->state != DWARF_GOOD || !dwarf->placed || !is_whole(own))
		return false;
	for (size_t i = 0; i < m.former->function_count; i++)
		*vec_push(&made->functions) = m.former->functions[i];
	if (m.former->texts_size)
		buf_add(&made->texts, m.former->texts, m.former->texts_size);
	if (add_units(&m, own)) {
		add_places(&m, own, &dwarf->places);
		good = dwarf->state == DWARF_GOOD && made->rows.len < ROWS_MAX &&
		       made->texts.len < TEXTS_MAX;
	}
	free(m.first);
	idmap_free(&m.texts);
	return good;
}
