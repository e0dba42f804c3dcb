// SPDX-License-Identifier: Apache-2.0
/*
 * Call trees in the way of perf: a run of frames that nothing leaves or enters is one branch, with
 * its share in front of the first of them.
 */
#include "base/outbuf.h"
#include "render/report.h"

#define MARGIN 12

struct drawing {
	struct report *report;
	struct outbuf *out;
	const struct calltree *tree;
	uint64_t least; /* weight below which a branch is left out */
	size_t margin;
	bool drawn;
	VEC(bool) pipes; /* for each level: more branches follow below */
};

static const struct calltree_node *node_at(const struct drawing *d, uint32_t node)
{
	return &d->tree->nodes.data[node];
}

/* The next branch that is heavy enough, from `node` on. */
static uint32_t heavy(const struct drawing *d, uint32_t node)
{
	while (node != NO_NODE && node_at(d, node)->total.weight < d->least)
		node = node_at(d, node)->next_sibling;
	return node;
}

static uint32_t next_heavy(const struct drawing *d, uint32_t node)
{
	return heavy(d, node_at(d, node)->next_sibling);
}

/* The frame that continues a run, or NO_NODE where stacks end or part. */
static uint32_t run_on(const struct drawing *d, uint32_t node)
{
	uint32_t child = node_at(d, node)->first_child;

	if (node_at(d, node)->self.samples || child == NO_NODE ||
	    node_at(d, child)->next_sibling != NO_NODE)
		return NO_NODE;
	return child;
}

static void draw_margin(const struct drawing *d)
{
	out_left(d->out, "", 0, MARGIN + d->margin);
}

static void draw_levels(const struct drawing *d, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		out_char(d->out, d->pipes.data[i] ? '|' : ' ');
		out_left(d->out, "", 0, 10);
	}
}

static void draw_name(const struct drawing *d, uint32_t node)
{
	out_text(d->out, report_function_name(d->report->names, node_at(d, node)->function));
	if (node_at(d, node)->inlined)
		out_text(d->out, REPORT_INLINED);
	out_char(d->out, '\n');
}

/* A run of frames; the first one carries the share.  Gives its last frame. */
static uint32_t draw_run(const struct drawing *d, uint32_t node)
{
	size_t depth = d->pipes.len;
	uint32_t last = node;

	draw_margin(d);
	draw_levels(d, depth - 1);
	out_char(d->out, d->pipes.data[depth - 1] ? '|' : ' ');
	out_printf(d->out, "--%.2f%%--", report_percent(d->report, node_at(d, node)->total.weight));
	draw_name(d, node);
	while ((node = run_on(d, last)) != NO_NODE) {
		draw_margin(d);
		draw_levels(d, depth);
		draw_name(d, node);
		last = node;
	}
	return last;
}

static void draw_branches(struct drawing *d, uint32_t parent)
{
	uint32_t node = heavy(d, node_at(d, parent)->first_child);

	for (; node != NO_NODE; node = next_heavy(d, node)) {
		uint32_t last;

		*vec_push(&d->pipes) = true;
		draw_margin(d);
		draw_levels(d, d->pipes.len);
		out_char(d->out, '\n');
		*vec_last(&d->pipes) = next_heavy(d, node) != NO_NODE;
		last = draw_run(d, node);
		draw_branches(d, last);
		d->pipes.len--;
		d->drawn = true;
	}
}

/* A single branch that holds all of the row needs no share.  Gives its last frame. */
static uint32_t draw_trunk(struct drawing *d, uint32_t node)
{
	const struct report_options *o = d->report->options;
	/* A row that begins with its function has said that name already. */
	bool skip = o->keys_given && o->key_count && o->keys[0] == BY_FUNCTION;
	uint32_t last = node;

	for (; node != NO_NODE; node = run_on(d, node)) {
		last = node;
		if (skip) {
			skip = false;
			continue;
		}
		draw_margin(d);
		if (!d->drawn) {
			out_text(d->out, "|\n");
			draw_margin(d);
			out_text(d->out, "---");
			d->margin += 3;
			d->drawn = true;
		}
		draw_name(d, node);
	}
	return last;
}

void report_tree_text(struct report *report, uint32_t row, struct outbuf *out)
{
	const struct breakdown_row *facts = &report->breakdown->rows.data[row];
	uint64_t weight = report->options->children ? facts->total.weight : facts->self.weight;
	struct drawing d = { .report = report, .out = out };
	struct calltree tree;
	uint32_t root = 0, first;

	d.least = (uint64_t)((double)report->whole * (report->options->graph_min / 100));
	if (weight < d.least || !weight)
		return;
	breakdown_tree(report->breakdown, row, &tree);
	d.tree = &tree;
	first = heavy(&d, tree.nodes.data[0].first_child);
	if (first != NO_NODE && next_heavy(&d, first) == NO_NODE &&
	    node_at(&d, first)->total.weight == weight)
		root = draw_trunk(&d, first);
	draw_branches(&d, root);
	if (d.drawn)
		out_char(out, '\n');
	vec_free(&d.pipes);
	calltree_free(&tree);
}
