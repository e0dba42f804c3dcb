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

/* The base name of a frame's object; "" if it has none. */
const char *flame_object(const struct flametree *tree, uint32_t node);

#endif
