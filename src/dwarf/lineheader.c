// SPDX-License-Identifier: Apache-2.0
#include "dwarf/constants.h"
#include "dwarf/form.h"
#include "dwarf/line.h"

/* Up to version 4: two lists that end in an empty string. */
static void read_old_tables(struct lines *lines, struct bytes *b)
{
	const char *name;

	while ((name = bytes_text(b)) && name[0])
		*vec_push(&lines->folders) = name;
	while ((name = bytes_text(b)) && name[0]) {
		*vec_push(&lines->files) = (struct line_file){ .name = name,
							       .folder = bytes_uleb(b) };
		bytes_uleb(b); /* time */
		bytes_uleb(b); /* size */
	}
}

struct column {
	uint64_t content;
	struct abbrev_attr attr;
};

#define COLUMNS 16

/* The columns of a table of version 5; 0 if they make no sense. */
static size_t read_columns(struct bytes *b, struct column *columns)
{
	size_t count = bytes_u8(b);

	if (count > COLUMNS)
		b->c.broken = true;
	for (size_t i = 0; i < count && !b->c.broken; i++) {
		columns[i].content = bytes_uleb(b);
		columns[i].attr = (struct abbrev_attr){ .form = (uint16_t)bytes_uleb(b) };
	}
	return b->c.broken ? 0 : count;
}

static struct line_file read_row(struct unit *unit, struct bytes *b, const struct column *columns,
				 size_t count)
{
	struct line_file file = { 0 };

	for (size_t i = 0; i < count; i++) {
		struct value value = form_read(b, unit, &columns[i].attr);

		if (columns[i].content == DW_LNCT_path)
			file.name = value.text;
		if (columns[i].content == DW_LNCT_directory_index)
			file.folder = value.number;
	}
	return file;
}

static void read_new_tables(struct lines *lines, struct unit *unit, struct bytes *b)
{
	struct column columns[COLUMNS];
	size_t count = read_columns(b, columns);
	struct dwarf *dwarf = unit->file->dwarf;

	for (uint64_t n = bytes_uleb(b); count && n && !b->c.broken && dwarf_spend(dwarf, count);
	     n--)
		*vec_push(&lines->folders) = read_row(unit, b, columns, count).name;
	count = read_columns(b, columns);
	for (uint64_t n = bytes_uleb(b); count && n && !b->c.broken && dwarf_spend(dwarf, count);
	     n--)
		*vec_push(&lines->files) = read_row(unit, b, columns, count);
}

static void read_opcodes(struct line_header *h, struct bytes *b)
{
	h->instruction_size = bytes_u8(b);
	h->operations = h->version >= 4 ? bytes_u8(b) : 1;
	bytes_u8(b); /* whether rows are statements at first */
	h->line_base = (int8_t)bytes_u8(b);
	h->line_range = bytes_u8(b);
	h->opcode_base = bytes_u8(b);
	for (unsigned i = 1; i < h->opcode_base; i++)
		h->operands[i] = bytes_u8(b);
}

bool line_header_read(struct line_header *h, struct lines *lines, struct unit *unit,
		      struct bytes *b)
{
	struct unit reader = *unit; /* forms are read by the table's own sizes */
	uint64_t length;

	*h = (struct line_header){ 0 };
	length = bytes_length(b, &h->offset_size);
	if (b->c.broken || length > cursor_left(&b->c))
		return false;
	b->c.end = b->c.at + length;
	h->version = (uint8_t)bytes_u16(b);
	h->address_size = unit->address_size;
	if (h->version >= 5) {
		h->address_size = bytes_u8(b);
		bytes_u8(b); /* of a segment's number */
	}
	length = bytes_sized(b, h->offset_size);
	if (h->version < 2 || h->version > 5 || length > cursor_left(&b->c))
		return false;
	const unsigned char *program = b->c.at + length;

	read_opcodes(h, b);
	reader.offset_size = h->offset_size;
	reader.address_size = h->address_size;
	lines->from_zero = h->version >= 5;
	if (lines->from_zero)
		read_new_tables(lines, &reader, b);
	else
		read_old_tables(lines, b);
	if (b->c.broken || b->c.at > program || !h->line_range)
		return false;
	b->c.at = program;
	return true;
}

static bool is_absolute(const char *path)
{
	return path[0] == '/';
}

static const char *join(struct arena *arena, const char *folder, const char *name)
{
	return folder ? arena_printf(arena, "%s/%s", folder, name) : name;
}

static const char *make_path(const struct lines *lines, const struct unit *unit,
			     const struct line_file *file)
{
	struct arena *arena = &unit->file->dwarf->arena;
	uint64_t folder = lines->from_zero ? file->folder : file->folder - 1;
	const char *path = folder < lines->folders.len ? lines->folders.data[folder] : NULL;

	if (!file->name || is_absolute(file->name))
		return file->name;
	if (!path)
		return join(arena, unit->folder, file->name);
	path = join(arena, path, file->name);
	return is_absolute(path) ? path : join(arena, unit->folder, path);
}

const char *lines_path(struct lines *lines, const struct unit *unit, uint64_t number)
{
	uint64_t index = lines->from_zero ? number : number - 1;
	struct line_file *file;

	if (index >= lines->files.len)
		return NULL;
	file = &lines->files.data[index];
	if (!file->path)
		file->path = make_path(lines, unit, file);
	return file->path;
}
