/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A flame graph as one SVG that stands alone: a picture without script, and with it hover, zoom,
 * search and keys (web/svg/).
 */
#ifndef RENDER_FLAME_SVG_H
#define RENDER_FLAME_SVG_H

#include "render/flame_color.h"
#include "render/flame_colors.h"
#include "render/flame_layout.h"

struct outbuf;

struct flame_svg_options {
	const char *title, *subtitle, *notes; /* NULL: none */
	const char *unit;		      /* of widths: "samples", "cycles", "ns" */
	const char *noun;		      /* what samples are: "samples", "alloc_objects" */
	const char *footer;		      /* how far it can be trusted, one line */
	const char *remedy;		      /* what would help, one more; NULL: nothing */
	const char *empty;		      /* what to say where there is nothing to draw */
	int width;			      /* pixels */
	double min_width;		      /* of a frame, in pixels */
	bool inverted;			      /* the root on top */
	enum flame_weight weight;
	enum flame_palette palette;
	struct flame_colors *fixed; /* colours that names have already, and get; NULL: none */
};

/* The narrowest frame that is drawn, as a share of the whole: narrower ones need not be built. */
double flame_svg_least(const struct flame_svg_options *options);

/* How many frames were too narrow. */
uint64_t flame_svg_write(const struct flametree *tree, const struct flame_svg_options *options,
			 struct outbuf *out);

/* "1,234 samples", "12.5 ms": a width in words. */
/* "sample" for one of "samples"; other nouns are names and stay as they are. */
const char *flame_noun(const char *noun, uint64_t count);
char *flame_amount(uint64_t value, const char *unit);

#endif
