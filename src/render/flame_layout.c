// SPDX-License-Identifier: Apache-2.0
#include "render/flame_layout.h"

struct step {
	uint32_t node;
	uint64_t next_start; /* where its next child begins */
};

struct walk {
	struct flame_layout *layout;
	const struct flametree *tree;
	enum flame_weight weight;
	double least;
	VEC(struct step) path;
};

static void place(struct walk *w, uint32_t node, uint64_t start, uint64_t width)
{
	struct flame_layout *layout = w->layout;
	uint32_t depth = (uint32_t)w->path.len;

	*vec_push(&layout->frames) = (struct flame_frame){ node, depth, start, width };
	if (depth + 1 > layout->rows)
		layout->rows = depth + 1;
	*vec_push(&w->path) = (struct step){ node, start };
}

/* The child after `node`, or NO_NODE; `node` itself is NO_NODE at first. */
static void walk(struct walk *w)
{
	const struct flame_node *nodes = w->tree->nodes.data;
	uint32_t next = nodes[0].first_child;

	while (w->path.len) {
		struct step *at = vec_last(&w->path);
		uint64_t width;

		if (next == NO_NODE) {
			next = nodes[at->node].next_sibling;
			w->path.len--;
			continue;
		}
		width = flame_value(&nodes[next].total, w->weight);
		if (width && (double)width >= w->least * (double)w->layout->total) {
			uint64_t start = at->next_start;

			at->next_start += width;
			place(w, next, start, width);
			next = nodes[next].first_child;
		} else {
			at->next_start += width;
			w->layout->hidden++;
			next = nodes[next].next_sibling;
		}
	}
}

void flame_layout_make(struct flame_layout *layout, const struct flametree *tree,
		       enum flame_weight weight, double least)
{
	struct walk w = { .layout = layout, .tree = tree, .weight = weight, .least = least };

	*layout = (struct flame_layout){
		.total = flame_value(&tree->nodes.data[0].total, weight),
	};
	if (!layout->total)
		return;
	place(&w, 0, 0, layout->total);
	walk(&w);
	vec_free(&w.path);
}

void flame_layout_free(struct flame_layout *layout)
{
	vec_free(&layout->frames);
}

const char *flame_unit(const struct profile *profile, uint16_t event, enum flame_weight weight)
{
	const struct profile_event *facts = &profile->events.data[event];
	const char *name = profile_text(profile, facts->name);
	const char *unit = profile_text(profile, facts->unit);

	if (weight == WEIGH_SAMPLES || facts->weight == facts->samples)
		return profile_noun(profile, event);
	if (strstr(name, "cpu-clock") || strstr(name, "task-clock"))
		return "ns";
	return *unit ? unit : name;
}
