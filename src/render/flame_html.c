// SPDX-License-Identifier: Apache-2.0
#include "render/flame_html.h"
#include "base/outbuf.h"
#include "base/text.h"
#include "render/flame_layout.h"
#include "render/flame_svg.h"
#include "render/xml.h"

#include <stdio.h>

#define TOP 30 /* functions that are shown without script */

/* web/html, made small and put into the program when it is built. */
extern const char flame_html_script[], flame_html_style[], flame_html_body[];

struct hot {
	uint32_t name;
	uint64_t self;
};

static int hottest_first(const void *a, const void *b)
{
	const struct hot *x = a, *y = b;

	return x->self != y->self ? x->self > y->self ? -1 : 1 : x->name < y->name ? -1 : 1;
}

/* What a frame's function has of its own there; from the leaves on that is all of the first ones.
 */
static uint64_t own_value(const struct flame_graph *graph, const struct flame_node *node)
{
	const struct flame_node *parent = &graph->tree->nodes.data[node->parent];

	if (!graph->reversed)
		return flame_value(&node->self, graph->weight);
	return node->kind != FLAME_GROUP && parent->kind == FLAME_GROUP
		       ? flame_value(&node->total, graph->weight)
		       : 0;
}

/* What each name has of its own, the most first; free it. */
static struct hot *hottest(const struct flame_graph *graph)
{
	const struct flametree *tree = graph->tree;
	struct hot *all = mem_alloc((tree->names.len + 1) * sizeof(*all));

	for (uint32_t i = 0; i < tree->names.len; i++)
		all[i].name = i;
	vec_each (node, &tree->nodes)
		all[node->name].self += own_value(graph, node);
	qsort(all, tree->names.len, sizeof(*all), hottest_first);
	return all;
}

static void put_row(const struct flame_graph *graph, const struct hot *hot, struct outbuf *out)
{
	double total = (double)flame_value(&graph->tree->nodes.data[0].total, graph->weight);
	char *amount = flame_amount(hot->self, graph->unit);

	out_printf(out, "<tr><td>%.2f %%<td>", 100 * (double)hot->self / total);
	xml_text(out, amount);
	out_text(out, "<td>");
	xml_text(out, graph->tree->names.data[hot->name]);
	out_char(out, '\n');
	free(amount);
}

static void put_without_script(const struct flame_graph *graph, struct outbuf *out)
{
	struct hot *all = hottest(graph);

	out_text(out, "<noscript><section class=plain><h2>");
	xml_text(out, graph->subtitle ? graph->subtitle : "");
	out_text(out, "</h2>\n<table><caption>Functions with the most of their own"
		      "</caption>\n<tr><th>share<th>self<th>function\n");
	for (size_t i = 0; i < graph->tree->names.len && i < TOP && all[i].self; i++)
		put_row(graph, &all[i], out);
	out_text(out, "</table>\n<p>");
	xml_text(out, graph->footer ? graph->footer : "");
	out_text(out, "</section></noscript>\n");
	free(all);
}

static void put_kinds(struct outbuf *out)
{
	out_text(out, "\"kinds\":[");
	for (int kind = 0; kind < FLAME_KINDS; kind++)
		out_printf(out, "%s{\"name\":\"%s\",\"label\":\"%s\",\"color\":%u}",
			   kind ? "," : "", flame_kind_name((enum flame_kind)kind),
			   flame_kind_label((enum flame_kind)kind),
			   flame_kind_color((enum flame_kind)kind));
	out_text(out, "],");
}

static void put_hues(struct outbuf *out)
{
	size_t count;
	const uint32_t *hues = flame_hues(&count);

	out_text(out, "\"hues\":[");
	for (size_t i = 0; i < count; i++)
		out_printf(out, "%s%u", i ? "," : "", hues[i]);
	out_text(out, "],");
}

static void put_page(const struct flame_page *page, struct outbuf *out)
{
	out_text(out, "<script type=\"application/json\" id=\"page\">{\"title\":");
	flame_script_text(out, page->title ? page->title : "Flame graph");
	out_text(out, ",\"notes\":");
	flame_script_text(out, page->notes ? page->notes : "");
	out_char(out, ',');
	put_kinds(out);
	put_hues(out);
	out_printf(out, "\"palette\":\"%s\",\"inverted\":%s,\"reversed\":%s}</script>\n",
		   flame_palette_name(page->palette), page->inverted ? "true" : "false",
		   page->reversed ? "true" : "false");
}

void flame_html_begin(const struct flame_page *page, struct outbuf *out)
{
	const char *title = page->title ? page->title : "Flame graph";

	/* Nothing is loaded from anywhere, and the browser is told to keep it so. */
	out_text(out, "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
		      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		      "script-src 'unsafe-inline'; style-src 'unsafe-inline'\">\n"
		      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		      "<title>");
	xml_text(out, title);
	out_text(out, "</title>\n<style>");
	out_text(out, flame_html_style);
	out_text(out, "</style>\n<noscript><section class=plain><h1>");
	xml_text(out, title);
	out_text(out, "</h1>\n<p>The flame graph is drawn by a script, and scripts are off here. "
		      "What was measured most is below.\n");
	if (page->notes) {
		out_text(out, "<p>");
		xml_text(out, page->notes);
	}
	out_text(out, "</section></noscript>\n");
	out_text(out, flame_html_body);
	out_char(out, '\n');
	put_page(page, out);
}

void flame_html_graph(const struct flame_graph *graph, struct outbuf *out)
{
	put_without_script(graph, out);
	out_text(out, "<script type=\"application/json\" class=\"graph\">");
	flame_columns_write(graph, out);
	out_text(out, "</script>\n");
}

void flame_html_end(struct outbuf *out)
{
	out_text(out, "<script>");
	out_text(out, flame_html_script);
	out_text(out, "</script>\n</html>\n");
}
