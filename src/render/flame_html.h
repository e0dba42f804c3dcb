/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flame graphs as one HTML document that stands alone: the page of web/html around the renderer of
 * web/flame, and a graph an event as columns.  Without script it shows the hottest functions.
 *
 *	flame_html_begin(&page, out);
 *	flame_html_graph(&graph, out);		one or more
 *	flame_html_end(out);
 */
#ifndef RENDER_FLAME_HTML_H
#define RENDER_FLAME_HTML_H

#include "render/flame_columns.h"

struct flame_page {
	const char *title, *notes; /* NULL: none */
	enum flame_palette palette;
	bool inverted; /* the root on top */
	bool reversed; /* trees are merged from the leaves already */
};

void flame_html_begin(const struct flame_page *page, struct outbuf *out);
void flame_html_graph(const struct flame_graph *graph, struct outbuf *out);
void flame_html_end(struct outbuf *out);

#endif
