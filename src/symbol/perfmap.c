// SPDX-License-Identifier: Apache-2.0
#include "symbol/perfmap.h"

#include <ctype.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* A number and the blanks behind it; NULL if there are none. */
static char *read_number(char *at, uint64_t *value)
{
	char *end;

	if (!isxdigit((unsigned char)*at))
		return NULL;
	*value = strtoull(at, &end, 16);
	if (*end != ' ' && *end != '\t')
		return NULL;
	return end + strspn(end, " \t");
}

void perfmap_read(struct symbol_sheet *sheet, char *text, size_t size)
{
	char *end = text + size, *at = text, *next_name = text;

	while (at < end) {
		char *line_end = memchr(at, '\n', (size_t)(end - at)), *next;
		uint64_t start, bytes;
		size_t length;

		if (!line_end)
			line_end = end;
		*line_end = '\0';
		next = line_end + 1;
		at = read_number(at, &start);
		if (at)
			at = read_number(at, &bytes);
		length = at ? strcspn(at, "\r") : 0;
		if (length && bytes) { /* names move to the front of the text */
			memmove(next_name, at, length);
			next_name[length] = '\0';
			sheet_add(sheet, start, bytes, (uint32_t)(next_name - text), STB_GLOBAL);
			next_name += length + 1;
		}
		at = next;
	}
	sheet_take_strings(sheet, text, (size_t)(next_name - text), size + 1);
}
