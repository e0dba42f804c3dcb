/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The colours of a flame graph.  They follow from names alone, so two graphs give the same function
 * the same colour.  The hues are those that the colour-blind can tell apart (Okabe and Ito), light
 * enough for black text; neighbours of one hue differ in lightness.
 */
#ifndef RENDER_FLAME_COLOR_H
#define RENDER_FLAME_COLOR_H

#include "profile/flametree.h"

enum flame_palette { PALETTE_KIND, PALETTE_NAME, PALETTE_WARM, PALETTE_OBJECT, PALETTES };

/* "kind" ...; -1 if there is none of that name. */
int flame_palette_find(const char *name);

/* 0xRRGGBB */
uint32_t flame_color(const struct flametree *tree, uint32_t node, enum flame_palette palette);
uint32_t flame_kind_color(enum flame_kind kind);
uint32_t flame_object_color(const char *name);

/* What a palette makes of a name, for those who colour by themselves (web/flame/color.ts): from the
 * lowest bit on 3 bits of hue, 6 of lightness, and 6, 8, 5 of red, green and blue in `warm`. */
uint32_t flame_shade(const char *name);
const char *flame_palette_name(enum flame_palette palette);
/* The colour of each hue number, and how many there are. */
const uint32_t *flame_hues(size_t *count);
/* A kind in the legend: "user", "no name". */
const char *flame_kind_label(enum flame_kind kind);

/* The path of a frame's object, and its base name; "" if it has none. */
const char *flame_object_path(const struct flametree *tree, uint32_t node);
const char *flame_object(const struct flametree *tree, uint32_t node);

#endif
