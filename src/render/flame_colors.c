// SPDX-License-Identifier: Apache-2.0
#include "render/flame_colors.h"

#include <stdio.h>

uint32_t flame_colors_get(struct flame_colors *colors, const char *name, uint32_t color)
{
	uint32_t id = interner_add(&colors->names, name);

	if (id == colors->colors.len)
		*vec_push(&colors->colors) = color;
	return colors->colors.data[id];
}

static bool parse_line(struct flame_colors *colors, const char *line, size_t length)
{
	const char *arrow = NULL;
	unsigned red, green, blue;
	char *name;

	/* Names hold arrows too ("operator->"): the last one counts. */
	for (const char *at = line; (at = memmem(at, length - (size_t)(at - line), "->rgb(", 6));
	     at++)
		arrow = at;
	if (!arrow || sscanf(arrow, "->rgb(%3u,%3u,%3u)", &red, &green, &blue) != 3 || red > 255 ||
	    green > 255 || blue > 255)
		return false;
	name = mem_strndup(line, (size_t)(arrow - line));
	flame_colors_get(colors, name, red << 16 | green << 8 | blue);
	free(name);
	return true;
}

void flame_colors_parse(struct flame_colors *colors, const char *text)
{
	while (*text) {
		size_t length = strcspn(text, "\n");

		if (length && !parse_line(colors, text, length))
			colors->broken++;
		text += length;
		text += *text == '\n';
	}
}

static int by_name(const void *a, const void *b, void *names)
{
	return strcmp(interner_text(names, *(const uint32_t *)a),
		      interner_text(names, *(const uint32_t *)b));
}

void flame_colors_print(const struct flame_colors *colors, struct buf *into)
{
	size_t len = colors->colors.len;
	uint32_t *order = mem_resize(NULL, len + 1, sizeof(*order));

	for (uint32_t i = 0; i < len; i++)
		order[i] = i;
	qsort_r(order, len, sizeof(*order), by_name, (void *)(uintptr_t)&colors->names);
	for (size_t i = 0; i < len; i++) {
		uint32_t color = colors->colors.data[order[i]];

		buf_printf(into, "%s->rgb(%u,%u,%u)\n", interner_text(&colors->names, order[i]),
			   color >> 16, color >> 8 & 0xff, color & 0xff);
	}
	free(order);
}

void flame_colors_free(struct flame_colors *colors)
{
	interner_free(&colors->names);
	vec_free(&colors->colors);
}
