// SPDX-License-Identifier: Apache-2.0
#include "base/mem.h"
#include "import/input.h"

#include <stdlib.h>
#include <string.h>

#define WINDOW ((size_t)64 * 1024) /* leaves the second-level cache to the tables */

void lines_init(struct lines *lines, struct input *input)
{
	*lines = (struct lines){ .input = input, .cap = WINDOW };
	lines->data = mem_alloc(WINDOW);
}

void lines_fini(struct lines *lines)
{
	free(lines->data);
	*lines = (struct lines){ 0 };
}

/* Moves the begun line to the front, and makes room behind it. */
static void make_room(struct lines *lines)
{
	lines->len -= lines->start;
	memmove(lines->data, lines->data + lines->start, lines->len);
	lines->start = 0;
	if (lines->len == LINE_LIMIT) {
		lines->len = 0;
		lines->too_long += !lines->skipping;
		lines->skipping = true;
	} else if (lines->len + 1 >= lines->cap) {
		lines->cap *= 2;
		lines->data = mem_resize(lines->data, lines->cap, 1);
	}
}

/* The rest of a line that was too long ends here; true if only such a rest is there. */
static bool skip_rest(struct lines *lines, char *last)
{
	char *first;

	if (!lines->skipping)
		return false;
	first = memchr(lines->data, '\n', lines->len);
	lines->skipping = false;
	lines->start = (size_t)(first + 1 - lines->data);
	return first == last;
}

int lines_next(struct lines *lines, const char **window, const char **end, struct err *err)
{
	for (;;) {
		size_t room;
		ssize_t got;
		char *last;

		make_room(lines);
		/* One byte is kept for the newline that the last line may lack. */
		room = lines->cap - 1 - lines->len;
		if (lines->len + room > LINE_LIMIT)
			room = LINE_LIMIT - lines->len;
		got = lines->at_end ? 0
				    : input_read(lines->input, lines->data + lines->len, room, err);
		if (got < 0)
			return (int)got;
		lines->len += (size_t)got;
		if (!got) {
			lines->at_end = true;
			if (!lines->len)
				return 0;
			lines->data[lines->len++] = '\n';
		}
		last = memrchr(lines->data, '\n', lines->len);
		if (!last || skip_rest(lines, last)) {
			if (last)
				lines->start = (size_t)(last + 1 - lines->data);
			continue;
		}
		*window = lines->data + lines->start;
		*end = last + 1;
		lines->start = (size_t)(last + 1 - lines->data);
		return 1;
	}
}
