// SPDX-License-Identifier: Apache-2.0
/*
 * Call trees in the way of perf: a run of frames that nothing leaves or enters is one branch, with
 * its share in front of the first of them.
 */
#include "base/outbuf.h"
#include "base/terminal.h"
#include "render/report.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#define MARGIN 12

struct drawing {
	struct report *report;
	struct outbuf *out;
	const struct calltree *tree;
	uint64_t least; /* weight below which a branch is left out; of all */
	size_t margin;
	bool drawn;
	VEC(bool) pipes; /* for each level: more branches follow below */
};

static const struct calltree_node *node_at(const struct drawing *d, uint32_t node)
{
	return &d->tree->nodes.data[node];
}

/* What the branches of a node weigh together. */
static uint64_t branches_weight(const struct drawing *d, uint32_t node)
{
	return node_at(d, node)->total.weight - node_at(d, node)->self.weight;
}

/* The weight below which a branch of this node is left out. */
static uint64_t least_of(const struct drawing *d, uint32_t parent)
{
	const struct report_options *o = d->report->options;

	if (o->form != FORM_FRACTAL)
		return d->least;
	return (uint64_t)ceil((double)branches_weight(d, parent) * (o->graph_min / 100));
}

/* The next branch that is heavy enough, from `node` on. */
static uint32_t heavy(const struct drawing *d, uint32_t node)
{
	while (node != NO_NODE &&
	       node_at(d, node)->total.weight < least_of(d, node_at(d, node)->parent))
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

static void draw_percent(const struct drawing *d, double percent)
{
	const double hot = 5, warm = 0.5;
	const char *color = !d->report->options->color ? ""
			    : percent >= hot	       ? terminal_code(STDOUT_FILENO, "\033[31m")
			    : percent >= warm	       ? terminal_code(STDOUT_FILENO, "\033[32m")
						       : "";

	out_printf(d->out, "%s%.2f%%%s", color, percent,
		   *color ? terminal_code(STDOUT_FILENO, "\033[m") : "");
}

/* A share of all, or in a fractal of `whole`; or the number itself. */
static void draw_value(const struct drawing *d, const struct weight_pair *weight, uint64_t whole)
{
	const struct report_options *o = d->report->options;

	if (o->value == VALUE_PERIOD)
		out_printf(d->out, "%llu", (unsigned long long)weight->weight);
	else if (o->value == VALUE_COUNT)
		out_printf(d->out, "%llu", (unsigned long long)weight->samples);
	else if (o->form == FORM_FRACTAL && whole)
		draw_percent(d, 100.0 * (double)weight->weight / (double)whole);
	else
		draw_percent(d, report_percent(d->report, weight->weight));
}

/* A run of frames; the first one carries the share.  Gives its last frame. */
static uint32_t draw_run(const struct drawing *d, uint32_t node, uint64_t whole)
{
	size_t depth = d->pipes.len;
	uint32_t last = node;

	draw_margin(d);
	draw_levels(d, depth - 1);
	out_char(d->out, d->pipes.data[depth - 1] ? '|' : ' ');
	out_text(d->out, "--");
	draw_value(d, &node_at(d, node)->total, whole);
	out_text(d->out, "--");
	draw_name(d, node);
	while ((node = run_on(d, last)) != NO_NODE) {
		draw_margin(d);
		draw_levels(d, depth);
		draw_name(d, node);
		last = node;
	}
	return last;
}

/*
 * In a fractal: what is left of `whole` besides the branches that are drawn, if there are some.  As
 * perf has it, its samples are those of branches alone.
 */
static struct weight_pair rest_of(const struct drawing *d, uint32_t parent, uint64_t whole)
{
	const struct calltree_node *of = node_at(d, parent);
	struct weight_pair rest = { .weight = whole,
				    .samples = of->total.samples - of->self.samples };
	unsigned drawn = 0, limit = d->report->options->graph_limit;
	uint32_t node = heavy(d, of->first_child);

	if (d->report->options->form != FORM_FRACTAL || node == NO_NODE)
		return (struct weight_pair){ 0 };
	for (; node != NO_NODE && (!limit || drawn < limit); node = next_heavy(d, node), drawn++) {
		const struct weight_pair *part = &node_at(d, node)->total;

		rest.weight -= part->weight < rest.weight ? part->weight : rest.weight;
		rest.samples -= part->samples < rest.samples ? part->samples : rest.samples;
	}
	return rest;
}

static void draw_rest(struct drawing *d, const struct weight_pair *rest, uint64_t whole)
{
	if (!rest->weight || (d->report->options->value == VALUE_COUNT && !rest->samples))
		return;
	*vec_push(&d->pipes) = false;
	draw_margin(d);
	draw_levels(d, d->pipes.len - 1);
	out_text(d->out, " --");
	draw_value(d, rest, whole);
	out_text(d->out, "--[...]\n");
	d->pipes.len--;
}

/*
 * `whole` is what shares in a fractal are of: the row's weight right below it or its trunk, where
 * what the frame does itself counts; further down what the branches weigh together.  So does perf.
 */
static void draw_branches(struct drawing *d, uint32_t parent, uint64_t whole)
{
	uint32_t node = heavy(d, node_at(d, parent)->first_child);
	unsigned drawn = 0, limit = d->report->options->graph_limit;
	struct weight_pair rest = rest_of(d, parent, whole);

	for (; node != NO_NODE; node = next_heavy(d, node)) {
		uint32_t last;

		if (limit && drawn++ == limit)
			break;

		*vec_push(&d->pipes) = true;
		draw_margin(d);
		draw_levels(d, d->pipes.len);
		out_char(d->out, '\n');
		*vec_last(&d->pipes) = next_heavy(d, node) != NO_NODE || rest.weight;
		last = draw_run(d, node, whole);
		draw_branches(d, last, branches_weight(d, last));
		d->pipes.len--;
		d->drawn = true;
	}
	draw_rest(d, &rest, whole);
}

static enum breakdown_key first_key(const struct report_options *o)
{
	for (size_t i = 0; i < o->order.count; i++)
		if (o->order.list[i].key->field == FIELD_KEY)
			return o->order.list[i].by;
	return BREAKDOWN_KEYS;
}

/* A single branch that holds all of the row needs no share.  Gives its last frame. */
static uint32_t draw_trunk(struct drawing *d, uint32_t node)
{
	const struct report_options *o = d->report->options;
	/* A row that begins with its function has said that name already. */
	bool skip = o->keys_given && first_key(o) == BY_FUNCTION;
	uint32_t last = node;
	unsigned drawn = 0;

	for (; node != NO_NODE; node = run_on(d, node)) {
		last = node;
		if (o->graph_limit && drawn == o->graph_limit)
			continue;
		drawn++;
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

/* Stacks that end in a node, the heaviest first. */
static int compare_ends(const void *one, const void *two, void *context)
{
	const struct drawing *d = context;
	uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)two;
	uint64_t first = node_at(d, a)->self.weight, second = node_at(d, b)->self.weight;

	if (first != second)
		return first > second ? -1 : 1;
	return a < b ? -1 : a > b;
}

static void draw_chain(const struct drawing *d, uint32_t end)
{
	bool flat = d->report->options->form == FORM_FLAT;
	const char *separator = d->report->options->separator;
	VEC(uint32_t) path = { 0 };

	for (uint32_t at = end; at; at = node_at(d, at)->parent)
		*vec_push(&path) = at;
	out_text(d->out, flat ? "           " : "");
	/* perf's flat stacks weigh what goes on from their end, too. */
	draw_value(d, flat ? &node_at(d, end)->total : &node_at(d, end)->self, 0);
	out_text(d->out, flat ? "\n" : " ");
	for (size_t i = path.len; i-- > 0;) {
		const struct calltree_node *node = node_at(d, path.data[i]);

		if (flat)
			out_text(d->out, "                ");
		else if (i + 1 < path.len)
			out_text(d->out, separator ? separator : ";");
		out_text(d->out, report_function_name(d->report->names, node->function));
		out_text(d->out, node->inlined ? REPORT_INLINED : "");
		out_text(d->out, flat ? "\n" : "");
	}
	out_char(d->out, '\n');
	vec_free(&path);
}

/* Whole stacks one below the other instead of a tree. */
static void draw_chains(struct drawing *d)
{
	unsigned limit = d->report->options->graph_limit;
	VEC(uint32_t) ends = { 0 };

	for (uint32_t i = 1; i < d->tree->nodes.len; i++)
		if (node_at(d, i)->self.samples && node_at(d, i)->self.weight >= d->least)
			*vec_push(&ends) = i;
	if (ends.len)
		qsort_r(ends.data, ends.len, sizeof(*ends.data), compare_ends, d);
	for (size_t i = 0; i < ends.len && (!limit || i < limit); i++)
		draw_chain(d, ends.data[i]);
	vec_free(&ends);
}

void report_tree_text(struct report *report, uint32_t row, struct outbuf *out)
{
	const struct breakdown_row *facts = &report->breakdown->rows.data[row];
	uint64_t weight = report->options->children ? facts->total.weight : facts->self.weight;
	struct drawing d = { .report = report, .out = out };
	struct calltree tree;
	uint32_t root = 0, first;

	d.least = (uint64_t)((double)report->members[0].whole * (report->options->graph_min / 100));
	if (!weight || (weight < d.least && report->options->form != FORM_FRACTAL))
		return;
	breakdown_tree(report->breakdown, row, &tree);
	d.tree = &tree;
	if (report->options->form == FORM_FLAT || report->options->form == FORM_FOLDED) {
		draw_chains(&d);
		calltree_free(&tree);
		return;
	}
	first = heavy(&d, tree.nodes.data[0].first_child);
	if (first != NO_NODE && next_heavy(&d, first) == NO_NODE &&
	    node_at(&d, first)->total.weight == weight)
		root = draw_trunk(&d, first);
	draw_branches(&d, root, weight);
	if (d.drawn)
		out_char(out, '\n');
	vec_free(&d.pipes);
	calltree_free(&tree);
}
