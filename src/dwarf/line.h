/* SPDX-License-Identifier: Apache-2.0 */
/* The line table of a unit: address to file and line. */
#ifndef DWARF_LINE_H
#define DWARF_LINE_H

#include "dwarf/file.h"

struct line_row {
	uint64_t address;
	uint32_t file, line;
};

struct line_sequence {
	uint64_t start, end;
	size_t first, count; /* its rows */
};

struct line_file {
	const char *name, *path; /* path: made when it is asked for */
	uint64_t folder;
};

struct lines {
	VEC(struct line_row) rows;
	VEC(struct line_sequence) sequences; /* by start */
	VEC(struct line_file) files;
	VEC(const char *) folders;
	bool from_zero; /* files and folders are numbered from 0, of which folder 0 is the unit's */
};

/* Of the unit; read at the first call.  NULL if it has none. */
struct lines *lines_of(struct unit *unit);
void lines_free(struct lines *lines);

/* The row of an address, or NULL; *next is the next address that may have another one. */
const struct line_row *lines_find(const struct lines *lines, uint64_t address, uint64_t *next);

/* The whole path of a file by its number; or NULL. */
const char *lines_path(struct lines *lines, const struct unit *unit, uint64_t file);

/* The header of a line program, with its tables of files; b moves behind it. */
struct line_header {
	uint8_t version, offset_size, address_size;
	uint8_t instruction_size, line_range, opcode_base;
	uint8_t operands[256]; /* of each standard opcode */
	int8_t line_base;
	uint8_t operations; /* of one instruction */
};
bool line_header_read(struct line_header *header, struct lines *lines, struct unit *unit,
		      struct bytes *b);

#endif
