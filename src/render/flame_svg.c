// SPDX-License-Identifier: Apache-2.0
#include "render/flame_svg.h"
#include "base/outbuf.h"
#include "base/text.h"
#include "render/xml.h"

#include <stdio.h>

#define PAD	    10
#define ROW	    17
#define CHAR_WIDTH  6.65 /* of the frames' font: monospace, 11 pixels */
#define TEXT_WIDTH  6.4	 /* of the other one: 12 pixels, its characters are of several widths */
#define TITLE_WIDTH 9.5	 /* of the title's: 17 pixels */
#define FIELD	    240	 /* what the script's search field takes of the width, with a gap */
#define HEAD	    58	 /* title, subtitle, the row of controls */
#define FOOT_ROW    16

/* web/svg, made small and put into the program when it is built. */
extern const char flame_svg_script[], flame_svg_style[];

struct picture {
	const struct flametree *tree;
	const struct flame_svg_options *options;
	struct outbuf *out;
	struct flame_layout layout;
	int top, height; /* of the graph, of the whole */
	double scale;	 /* pixels a unit */
};

const char *flame_noun(const char *noun, uint64_t count)
{
	return count == 1 && !strcmp(noun, "samples") ? "sample" : noun;
}

char *flame_amount(uint64_t value, const char *unit)
{
	char number[TEXT_NUMBER];

	if (!strcmp(unit, "ns") || !strcmp(unit, "nanoseconds"))
		return mem_strdup(text_duration(number, (int64_t)value));
	if (!strcmp(unit, "bytes"))
		return mem_strdup(text_bytes(number, value));
	return mem_printf("%s %s", text_grouped(number, value), unit);
}

/* A number of pixels with two places at most: printf would cost more than all the rest. */
static void put_pixels(struct outbuf *out, double pixels)
{
	uint64_t hundredths = (uint64_t)(pixels * 100 + 0.5);

	out_u64(out, hundredths / 100, 0);
	if (hundredths % 100) {
		out_char(out, '.');
		out_u64_zeros(out, hundredths % 100, 2);
	}
}

static void put_color(struct outbuf *out, uint32_t color)
{
	static const char digits[] = "0123456789abcdef";
	char text[7] = "#";

	for (int i = 0; i < 6; i++)
		text[i + 1] = digits[color >> (20 - 4 * i) & 15];
	out_bytes(out, text, 7);
}

static void put_text(struct picture *p, double x, int y, const char *class, const char *text)
{
	out_printf(p->out, "<text class=\"%s\" x=\"%g\" y=\"%d\">", class, x, y);
	xml_text(p->out, text);
	out_text(p->out, "</text>\n");
}

/* As much of a line as there is room for; hovering shows all of it. */
static void put_line(struct picture *p, double x, int y, const char *class, const char *text,
		     double room, double char_width)
{
	size_t most = room > 8 * char_width ? (size_t)(room / char_width) : 8;

	if (xml_length(text) <= most) {
		put_text(p, x, y, class, text);
		return;
	}
	out_printf(p->out, "<text class=\"%s\" x=\"%g\" y=\"%d\"><title>", class, x, y);
	xml_text(p->out, text);
	out_text(p->out, "</title>");
	xml_text_cut(p->out, text, most);
	out_text(p->out, "</text>\n");
}

static int row_y(const struct picture *p, uint32_t depth)
{
	uint32_t rows = p->layout.rows;

	return p->top + ROW * (int)(p->options->inverted ? depth : rows - 1 - depth);
}

static void put_percent(struct outbuf *out, uint64_t part, uint64_t whole)
{
	uint64_t hundredths = (uint64_t)((double)part * 10000 / (double)whole + 0.5);

	out_u64(out, hundredths / 100, 0);
	out_char(out, '.');
	out_u64_zeros(out, hundredths % 100, 2);
	out_text(out, " %");
}

/* "name (12.5 ms, 1,234 samples, 3.21 %)": what hovering shows. */
static void put_title(struct picture *p, const struct flame_frame *frame)
{
	const struct weight_pair *total = &p->tree->nodes.data[frame->node].total;
	char *amount = flame_amount(frame->width, p->options->unit);
	char samples[TEXT_NUMBER];

	out_text(p->out, "<title>");
	xml_text(p->out, flame_name(p->tree, frame->node));
	out_text(p->out, " (");
	out_text(p->out, amount);
	if (strcmp(p->options->unit, p->options->noun)) {
		out_text(p->out, ", ");
		out_text(p->out, text_grouped(samples, total->samples));
		out_char(p->out, ' ');
		out_text(p->out, flame_noun(p->options->noun, total->samples));
	}
	out_text(p->out, ", ");
	put_percent(p->out, frame->width, p->layout.total);
	out_text(p->out, ")</title>");
	free(amount);
}

static uint32_t color_of(const struct picture *p, uint32_t node)
{
	uint32_t color = flame_color(p->tree, node, p->options->palette);

	if (!p->options->fixed || p->tree->nodes.data[node].kind == FLAME_GROUP)
		return color;
	return flame_colors_get(p->options->fixed, flame_name(p->tree, node), color);
}

static void put_frame(struct picture *p, const struct flame_frame *frame)
{
	struct outbuf *out = p->out;
	double x = PAD + (double)frame->start * p->scale, width = (double)frame->width * p->scale;
	int y = row_y(p, frame->depth);

	out_text(out, "<g data-s=\"");
	out_u64(out, frame->start, 0);
	out_text(out, "\" data-w=\"");
	out_u64(out, frame->width, 0);
	out_text(out, "\" data-d=\"");
	out_u64(out, frame->depth, 0);
	out_text(out, "\">");
	put_title(p, frame);
	out_text(out, "<rect x=\"");
	put_pixels(out, x);
	out_text(out, "\" y=\"");
	out_u64(out, (uint64_t)y, 0);
	out_text(out, "\" width=\"");
	put_pixels(out, width);
	out_text(out, "\" height=\"16\" fill=\"");
	put_color(out, color_of(p, frame->node));
	out_text(out, "\"/>");
	if (width >= 3 * CHAR_WIDTH + 6) {
		out_text(out, "<text x=\"");
		put_pixels(out, x + 3);
		out_text(out, "\" y=\"");
		out_u64(out, (uint64_t)y + 12, 0);
		out_text(out, "\">");
		xml_text_cut(out, flame_name(p->tree, frame->node),
			     (size_t)((width - 6) / CHAR_WIDTH));
		out_text(out, "</text>");
	}
	out_text(out, "</g>\n");
}

static double put_key(struct picture *p, double x, int y, uint32_t color, const char *text)
{
	out_printf(p->out, "<rect x=\"%g\" y=\"%d\" width=\"12\" height=\"12\" fill=\"", x, y - 10);
	put_color(p->out, color);
	out_text(p->out, "\"/>");
	put_text(p, x + 16, y, "l", text);
	return x + 16 + 7.0 * (double)xml_length(text) + 14;
}

static void put_kinds(struct picture *p, int y)
{
	bool seen[FLAME_KINDS] = { false };
	double x = PAD;

	vec_each (frame, &p->layout.frames)
		seen[p->tree->nodes.data[frame->node].kind] = true;
	for (int kind = 0; kind < FLAME_GROUP; kind++)
		if (seen[kind])
			x = put_key(p, x, y, flame_kind_color((enum flame_kind)kind),
				    flame_kind_label((enum flame_kind)kind));
}

struct object_share {
	const char *name;
	uint64_t weight;
};

static int heaviest_first(const void *a, const void *b)
{
	const struct object_share *x = a, *y = b;

	return x->weight > y->weight ? -1 : x->weight < y->weight;
}

/* The objects with the most of their own, as far as there is room. */
static void put_objects(struct picture *p, int y)
{
	VEC(struct object_share) shares = { 0 };
	struct map known = { 0 };
	double x = PAD;

	vec_each (frame, &p->layout.frames) {
		const char *name = flame_object(p->tree, frame->node);
		const struct flame_node *node = &p->tree->nodes.data[frame->node];
		uint32_t at = map_add(&known, name, strlen(name), (uint32_t)shares.len);

		if (at == shares.len)
			vec_push(&shares)->name = name;
		shares.data[at].weight += flame_value(&node->self, p->options->weight);
	}
	if (shares.len)
		qsort(shares.data, shares.len, sizeof(*shares.data), heaviest_first);
	vec_each (share, &shares)
		if (*share->name &&
		    x + 7.0 * (double)xml_length(share->name) < p->options->width - 40)
			x = put_key(p, x, y, flame_object_color(share->name), share->name);
	map_free(&known);
	vec_free(&shares);
}

static void put_legend(struct picture *p, int y)
{
	switch (p->options->palette) {
	case PALETTE_KIND: put_kinds(p, y); break;
	case PALETTE_OBJECT: put_objects(p, y); break;
	default: put_text(p, PAD, y, "l", "Colours only tell names apart."); break;
	}
}

/* What is hovered, the legend, and a row for each line, of which the notes always have theirs. */
static int foot_rows(const struct flame_svg_options *options)
{
	return 4 + (options->remedy != NULL);
}

static void put_footer(struct picture *p)
{
	const char *lines[] = { p->options->footer, p->options->remedy, p->options->notes };
	int y = p->height - (foot_rows(p->options) - 1) * FOOT_ROW - 4;

	put_text(p, PAD, y, "d", "");
	y += FOOT_ROW;
	if (p->layout.total)
		put_legend(p, y);
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		if (lines[i])
			put_line(p, PAD, y += FOOT_ROW, "l", lines[i], p->options->width - 2 * PAD,
				 TEXT_WIDTH);
}

/* In the middle; where it would reach the search field there, on the left and cut. */
static void put_name(struct picture *p, const char *title)
{
	int width = p->options->width;
	bool fits = (double)xml_length(title) * TITLE_WIDTH <= width - 2 * FIELD;

	if (fits)
		put_text(p, width / 2.0, 22, "t", title);
	else
		put_line(p, PAD, 22, "t w", title, width - PAD - FIELD, TITLE_WIDTH);
}

static void put_head(struct picture *p)
{
	const struct flame_svg_options *o = p->options;

	out_printf(p->out,
		   "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
		   "viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"",
		   o->width, p->height, o->width, p->height);
	xml_text(p->out, o->title ? o->title : "Flame graph");
	out_printf(p->out, "\" data-inverted=\"%d\" data-unit=\"", o->inverted);
	xml_text(p->out, o->unit);
	out_text(p->out, "\">\n<style>");
	out_text(p->out, flame_svg_style);
	out_text(p->out, "</style>\n<rect class=\"b\" width=\"100%\" height=\"100%\"/>\n"
			 "<g id=\"head\">\n");
	put_name(p, o->title ? o->title : "Flame graph");
	if (o->subtitle)
		put_line(p, o->width / 2.0, 40, "u", o->subtitle, o->width - 2 * PAD, TEXT_WIDTH);
	out_text(p->out, "</g>\n");
}

double flame_svg_least(const struct flame_svg_options *options)
{
	return options->min_width / (options->width - 2 * PAD);
}

uint64_t flame_svg_write(const struct flametree *tree, const struct flame_svg_options *options,
			 struct outbuf *out)
{
	struct picture p = { .tree = tree, .options = options, .out = out };
	double room = options->width - 2 * PAD;
	uint64_t hidden;

	flame_layout_make(&p.layout, tree, options->weight, flame_svg_least(options));
	p.scale = p.layout.total ? room / (double)p.layout.total : 0;
	p.top = HEAD;
	p.height = HEAD + ROW * (int)(p.layout.rows ? p.layout.rows : 3) +
		   foot_rows(options) * FOOT_ROW + 8;
	put_head(&p);
	out_text(out, "<g id=\"frames\">\n");
	vec_each (frame, &p.layout.frames)
		put_frame(&p, frame);
	out_text(out, "</g>\n");
	if (!p.layout.total)
		put_text(&p, options->width / 2.0, HEAD + 30, "u",
			 options->empty ? options->empty : "There are no samples to show.");
	put_footer(&p);
	if (p.layout.total) {
		out_text(out, "<script><![CDATA[");
		out_text(out, flame_svg_script);
		out_text(out, "]]></script>\n");
	}
	out_text(out, "</svg>\n");
	hidden = tree->hidden + p.layout.hidden;
	flame_layout_free(&p.layout);
	return hidden;
}
