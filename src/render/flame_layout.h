/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the frames of a flame graph stand: start and width in the graph's own units, depth in rows.
 * Frames too narrow to be seen are left out with all that stands on them.
 */
#ifndef RENDER_FLAME_LAYOUT_H
#define RENDER_FLAME_LAYOUT_H

#include "render/folded.h"

struct flame_frame {
	uint32_t node, depth;
	uint64_t start, width;
};

struct flame_layout {
	VEC(struct flame_frame) frames; /* callers come before what they call, from left to right */
	uint32_t rows;
	uint64_t total;	 /* the root's width */
	uint64_t hidden; /* frames that were left out */
};

/* least: the narrowest frame to keep, as a share of the whole. */
void flame_layout_make(struct flame_layout *layout, const struct flametree *tree,
		       enum flame_weight weight, double least);
void flame_layout_free(struct flame_layout *layout);

/* What widths of an event count: "samples", "ns", "cycles", "alloc_objects". */
const char *flame_unit(const struct profile *profile, uint16_t event, enum flame_weight weight);

#endif
