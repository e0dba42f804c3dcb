// SPDX-License-Identifier: Apache-2.0
#include "render/folded.h"
#include "base/outbuf.h"

struct writer {
	const struct flametree *tree;
	const struct folded_options *options;
	struct outbuf *out;
	char **names; /* by name: with what folded lines cannot hold replaced; NULL: as it is */
	VEC(uint32_t) path;
};

char *folded_name(const char *name)
{
	char *copy;

	for (const char *c = name;; c++) {
		if (!*c)
			return NULL;
		if (*c == ';' || (unsigned char)*c < ' ')
			break;
	}
	copy = mem_strdup(name);
	for (char *c = copy; *c; c++)
		*c = *c == ';' ? ':' : (unsigned char)*c < ' ' ? ' ' : *c;
	return copy;
}

static const char *mark_of(enum flame_kind kind)
{
	switch (kind) {
	case FLAME_KERNEL: return "_[k]";
	case FLAME_JIT: return "_[j]";
	case FLAME_INLINED: return "_[i]";
	default: return "";
	}
}

static bool has_mark(const char *name, const char *mark)
{
	size_t length = strlen(name), tail = strlen(mark);

	return length >= tail && !strcmp(name + length - tail, mark);
}

static void put_name(struct writer *w, uint32_t node)
{
	const struct flame_node *facts = &w->tree->nodes.data[node];
	const char *name = w->names[facts->name] ? w->names[facts->name]
						 : flame_name(w->tree, node);
	const char *mark = w->options->annotate ? mark_of((enum flame_kind)facts->kind) : "";

	out_text(w->out, name);
	if (!has_mark(name, mark))
		out_text(w->out, mark);
}

static void put_line(struct writer *w, uint64_t value)
{
	if (!value || !w->path.len)
		return;
	for (size_t i = 0; i < w->path.len; i++) {
		if (i)
			out_char(w->out, ';');
		put_name(w, w->path.data[i]);
	}
	out_char(w->out, ' ');
	out_u64(w->out, value, 0);
	out_char(w->out, '\n');
}

static uint64_t value_of(const struct writer *w, uint32_t node)
{
	const struct weight_pair *self = &w->tree->nodes.data[node].self;

	return w->options->weight == WEIGH_SAMPLES ? self->samples : self->weight;
}

/* From the root in the order of names; the path is where we are. */
static void walk(struct writer *w)
{
	const struct flame_node *nodes = w->tree->nodes.data;
	uint32_t node = nodes[0].first_child;

	while ((node != NO_NODE || w->path.len) && !w->out->error) {
		if (node == NO_NODE) {
			node = nodes[w->path.data[--w->path.len]].next_sibling;
			continue;
		}
		*vec_push(&w->path) = node;
		put_line(w, value_of(w, node));
		node = nodes[node].first_child;
	}
}

size_t folded_write(const struct flametree *tree, const struct folded_options *options,
		    struct outbuf *out)
{
	struct writer w = { .tree = tree, .options = options, .out = out };
	size_t changed = 0;

	w.names = mem_alloc((tree->names.len + 1) * sizeof(*w.names));
	for (size_t i = 0; i < tree->names.len; i++) {
		w.names[i] = folded_name(tree->names.data[i]);
		changed += w.names[i] != NULL;
	}
	if (value_of(&w, 0)) { /* stacks without any frame and any program */
		out_text(out, "[unknown] ");
		out_u64(out, value_of(&w, 0), 0);
		out_char(out, '\n');
	}
	walk(&w);
	for (size_t i = 0; i < tree->names.len; i++)
		free(w.names[i]);
	free(w.names);
	vec_free(&w.path);
	return changed;
}
