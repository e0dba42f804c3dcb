// SPDX-License-Identifier: Apache-2.0
#include "dwarf/line.h"
#include "dwarf/constants.h"

/* The state machine of the standard, less what is not asked for here. */
struct machine {
	const struct line_header *header;
	struct lines *lines;
	struct dwarf *dwarf;
	struct line_sequence sequence; /* that is being made */
	uint64_t address;
	uint32_t file, line, operation;
};

static void begin_sequence(struct machine *m)
{
	m->address = 0;
	m->operation = 0;
	m->file = 1;
	m->line = 1;
	m->sequence = (struct line_sequence){ .first = m->lines->rows.len };
}

static void add_row(struct machine *m)
{
	struct line_row row = { m->address, m->file, m->line };
	size_t count = m->lines->rows.len - m->sequence.first;

	if (!count)
		m->sequence.start = m->address;
	else if (vec_last(&m->lines->rows)->address > m->address)
		return; /* they may only rise */
	if (count && vec_last(&m->lines->rows)->address == m->address)
		*vec_last(&m->lines->rows) = row; /* of several at an address the last counts */
	else
		*vec_push(&m->lines->rows) = row;
}

static void end_sequence(struct machine *m)
{
	m->sequence.end = m->address;
	m->sequence.count = m->lines->rows.len - m->sequence.first;
	/* Those at 0 are of code that the linker left out. */
	if (m->sequence.count && m->sequence.start && m->sequence.start < m->sequence.end)
		*vec_push(&m->lines->sequences) = m->sequence;
	else
		m->lines->rows.len = m->sequence.first;
	begin_sequence(m);
}

static void advance(struct machine *m, uint64_t operations)
{
	const struct line_header *h = m->header;

	if (h->operations <= 1) {
		m->address += operations * h->instruction_size;
		return;
	}
	operations += m->operation;
	m->address += operations / h->operations * h->instruction_size;
	m->operation = (uint32_t)(operations % h->operations);
}

static void run_extended(struct machine *m, struct bytes *b)
{
	uint64_t length = bytes_uleb(b);
	struct bytes inside = *b;

	bytes_skip(b, length);
	if (b->c.broken || !length)
		return;
	inside.c.end = b->c.at;
	switch (bytes_u8(&inside)) {
	case DW_LNE_end_sequence: end_sequence(m); break;
	case DW_LNE_set_address:
		m->address = bytes_sized(&inside, (unsigned)cursor_left(&inside.c));
		m->operation = 0;
		break;
	case DW_LNE_define_file:
		*vec_push(&m->lines->files) = (struct line_file){ .name = bytes_text(&inside),
								  .folder = bytes_uleb(&inside) };
		break;
	}
}

static void run_standard(struct machine *m, struct bytes *b, uint8_t opcode)
{
	switch (opcode) {
	case DW_LNS_copy: add_row(m); break;
	case DW_LNS_advance_pc: advance(m, bytes_uleb(b)); break;
	case DW_LNS_advance_line: m->line += (uint32_t)bytes_sleb(b); break;
	case DW_LNS_set_file: m->file = (uint32_t)bytes_uleb(b); break;
	case DW_LNS_const_add_pc:
		advance(m, (255u - m->header->opcode_base) / m->header->line_range);
		break;
	case DW_LNS_fixed_advance_pc:
		m->address += bytes_u16(b);
		m->operation = 0;
		break;
	default:
		for (unsigned i = 0; i < m->header->operands[opcode]; i++)
			bytes_uleb(b);
	}
}

static void run_special(struct machine *m, uint8_t opcode)
{
	unsigned adjusted = (unsigned)opcode - m->header->opcode_base;

	advance(m, adjusted / m->header->line_range);
	m->line += (uint32_t)(m->header->line_base + (int)(adjusted % m->header->line_range));
	add_row(m);
}

static void run(struct machine *m, struct bytes *b)
{
	begin_sequence(m);
	while (cursor_left(&b->c) && dwarf_spend(m->dwarf, ROW_STEPS)) {
		uint8_t opcode = bytes_u8(b);

		if (opcode >= m->header->opcode_base)
			run_special(m, opcode);
		else if (opcode)
			run_standard(m, b, opcode);
		else
			run_extended(m, b);
	}
	m->lines->rows.len = m->sequence.first; /* of a sequence that does not end */
	if (b->c.broken)
		dwarf_damaged(m->dwarf);
}

static int by_start(const void *a, const void *b)
{
	const struct line_sequence *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first);
}

static struct lines *read_table(struct unit *unit)
{
	struct bytes b = file_bytes(unit->file, DWARF_LINE, unit->lines_offset);
	struct lines *lines = mem_alloc(sizeof(*lines));
	struct line_header header;

	if (!line_header_read(&header, lines, unit, &b)) {
		dwarf_damaged(unit->file->dwarf);
		return lines;
	}
	run(&(struct machine){ .header = &header, .lines = lines, .dwarf = unit->file->dwarf }, &b);
	if (lines->sequences.len)
		qsort(lines->sequences.data, lines->sequences.len, sizeof(*lines->sequences.data),
		      by_start);
	return lines;
}

struct lines *lines_of(struct unit *unit)
{
	if (!unit->lines_tried && unit->lines_offset != NO_OFFSET)
		unit->lines = read_table(unit);
	unit->lines_tried = true;
	return unit->lines;
}

void lines_free(struct lines *lines)
{
	if (!lines)
		return;
	vec_free(&lines->rows);
	vec_free(&lines->sequences);
	vec_free(&lines->files);
	vec_free(&lines->folders);
	free(lines);
}

/* The number of rows of a sequence that begin at an address or before it. */
static size_t rows_up_to(const struct line_row *rows, size_t count, uint64_t address)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (rows[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The same of sequences. */
static size_t sequences_up_to(const struct lines *lines, uint64_t address)
{
	size_t low = 0, high = lines->sequences.len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (lines->sequences.data[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#define OVERLAPS 16 /* sequences looked at; they should not overlap at all */

const struct line_row *lines_find(const struct lines *lines, uint64_t address, uint64_t *next)
{
	size_t behind = sequences_up_to(lines, address);
	const struct line_row *found = NULL;
	uint64_t first = behind < lines->sequences.len ? lines->sequences.data[behind].start
						       : UINT64_MAX;

	for (size_t i = 0; i < OVERLAPS && behind > i && !found; i++) {
		const struct line_sequence *s = &lines->sequences.data[behind - i - 1];
		const struct line_row *rows = lines->rows.data + s->first;
		size_t count;

		if (address >= s->end)
			continue;
		count = rows_up_to(rows, s->count, address);
		found = &rows[count - 1]; /* the first row is where the sequence starts */
		if (count < s->count && rows[count].address < first)
			first = rows[count].address;
		if (s->end < first)
			first = s->end;
	}
	*next = first;
	return found;
}
