/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A flame graph's tree for a browser: one JSON object whose frames are columns, not objects, so
 * that 100,000 of them are read in milliseconds (web/flame/columns.ts is the reader).
 *
 * event, unit, subtitle, footer, empty are texts; functions, objects (paths) and places are names,
 * of which 0 of the last two is ""; object_colors are numbers, one an object.  `columns` are base64
 * of LEB128 numbers each:
 *
 * - of a function: object, shade, place and maybe fixed (0, or 1 more than its colour);
 * - of a face: of (its function) and kind (of a frame);
 * - of a frame, callers first and from left to right: drop, face, self and maybe samples.
 *
 * `drop` is 0 for a frame that stands on the one before it, 1 for its sibling, and so on; totals
 * are left to the reader.  `samples` is missing where widths count samples.  What a frame's callees
 * weigh that the tree left out is a frame of its own, so that totals stay right.  Every `<` is
 * escaped: it can stand in a script element whatever the names are.
 */
#ifndef RENDER_FLAME_COLUMNS_H
#define RENDER_FLAME_COLUMNS_H

#include "render/flame_color.h"
#include "render/flame_colors.h"
#include "render/folded.h"

struct outbuf;

#define FLAME_NOT_SHOWN "[not shown]"

struct flame_graph {
	const struct flametree *tree;
	uint16_t event; /* of the tree's profile */
	enum flame_weight weight;
	bool reversed; /* the tree is merged from the leaves */
	const char *unit, *subtitle, *footer;
	const char *empty;	    /* what to say where there is nothing to draw */
	const char *members;	    /* further members, as JSON with a comma behind each; or NULL */
	struct flame_colors *fixed; /* colours that names have already, and get; NULL: none */
	enum flame_palette palette; /* what new names get there */
};

void flame_columns_write(const struct flame_graph *graph, struct outbuf *out);

/* Text as JSON that may stand inside a script element. */
void flame_script_text(struct outbuf *out, const char *text);

#endif
