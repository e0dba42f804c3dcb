/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Colours that names have already: FlameGraph's palette.map, a line "NAME->rgb(R,G,B)" each.
 */
#ifndef RENDER_FLAME_COLORS_H
#define RENDER_FLAME_COLORS_H

#include "base/buf.h"
#include "profile/flametree.h"

struct flame_colors { /* { 0 } is a ready, empty one */
	struct interner names;
	VEC(uint32_t) colors; /* 0xRRGGBB by name */
	size_t broken;	      /* lines that were none */
};

/* Takes the lines of a text. */
void flame_colors_parse(struct flame_colors *colors, const char *text);
/* The colour of a name, *color if it has none yet; *color is then its colour from now on. */
uint32_t flame_colors_get(struct flame_colors *colors, const char *name, uint32_t color);
/* The lines of all of them, in the order of the names. */
void flame_colors_print(const struct flame_colors *colors, struct buf *into);
void flame_colors_free(struct flame_colors *colors);

#endif
