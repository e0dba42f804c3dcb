// SPDX-License-Identifier: Apache-2.0
#include "render/query_inside.h"

#define HIDDEN UINT32_MAX

struct walk {
	const struct query *query;
	const struct flametree *tree;
	struct json *json;
	uint64_t whole;
	uint32_t *place;    /* of each node in the answer, or HIDDEN */
	uint32_t *left_out; /* of each node: children that are not shown */
	uint32_t next;
};

/*
 * The nodes that depth and share leave, the heaviest first.  Callers weigh no less than what they
 * call and are older, so any first part of this order is a tree.
 */
static void rank_nodes(const struct walk *w, struct query_ranking *ranking)
{
	const struct flame_node *nodes = w->tree->nodes.data;
	size_t len = w->tree->nodes.len;
	uint32_t *depth = mem_alloc(len * sizeof(*depth));

	for (uint32_t i = 0; i < len; i++) {
		uint64_t value = flame_value(&nodes[i].total, w->query->weight);

		depth[i] = i ? depth[nodes[i].parent] + 1 : 0;
		if (!w->query->depth || depth[i] <= w->query->depth)
			*vec_push(ranking) = (struct query_ranked){ value, 0, i };
	}
	free(depth);
	query_rank(ranking);
}

/* The root is always shown. */
static size_t choose(struct walk *w)
{
	const struct flame_node *nodes = w->tree->nodes.data;
	size_t len = w->tree->nodes.len, shown;
	struct query_ranking ranking = { 0 };

	rank_nodes(w, &ranking);
	shown = query_shown(w->query, &ranking, w->whole);
	shown = shown ? shown : 1;
	for (uint32_t i = 0; i < len; i++)
		w->place[i] = HIDDEN;
	for (size_t i = 0; i < shown; i++)
		w->place[ranking.data[i].id] = 0;
	for (uint32_t i = 1; i < len; i++)
		w->left_out[nodes[i].parent] += w->place[i] == HIDDEN;
	vec_free(&ranking);
	return shown;
}

static void put_node(struct walk *w, uint32_t node)
{
	const struct flame_node *facts = &w->tree->nodes.data[node];
	const struct profile *profile = w->tree->profile;

	w->place[node] = w->next++;
	json_open(w->json, NULL, '{');
	json_int(w->json, "parent", node ? (int64_t)w->place[facts->parent] : -1);
	json_text(w->json, "name", flame_name(w->tree, node));
	json_text(w->json, "kind", flame_kind_name((enum flame_kind)facts->kind));
	if (facts->function != NO_FUNCTION) {
		uint32_t object = profile->functions.data[facts->function].object;

		json_text(w->json, "object",
			  profile_text(profile, profile->objects.data[object].path));
	}
	query_put_weight(w->query, "self_", &facts->self, w->whole, w->json);
	query_put_weight(w->query, "total_", &facts->total, w->whole, w->json);
	json_u64(w->json, "left_out", w->left_out[node]);
	json_close(w->json);
}

/* The shown node that follows in the order of a walk, or NO_NODE. */
static uint32_t next_node(const struct walk *w, uint32_t node)
{
	const struct flame_node *nodes = w->tree->nodes.data;
	uint32_t next = nodes[node].first_child;

	for (;;) {
		while (next != NO_NODE && w->place[next] == HIDDEN)
			next = nodes[next].next_sibling;
		if (next != NO_NODE || !node)
			return next;
		next = nodes[node].next_sibling;
		node = nodes[node].parent;
	}
}

int query_tree(const struct query *query, struct json *json, struct err *err)
{
	struct walk w = { .query = query, .json = json };
	struct flametree tree;
	int rc = flametree_build(&tree, query->profile, &query->view, err);
	size_t len = tree.nodes.len, shown;

	if (rc)
		return rc;
	w.tree = &tree;
	w.whole = flame_value(&tree.nodes.data[0].total, query->weight);
	w.place = mem_alloc(len * sizeof(*w.place));
	w.left_out = mem_alloc(len * sizeof(*w.left_out));
	shown = choose(&w);
	query_open(query, "tree", &tree.nodes.data[0].total, json);
	json_u64(json, "idle_samples", tree.idle.samples);
	json_open(json, "nodes", '[');
	for (uint32_t node = 0; node != NO_NODE; node = next_node(&w, node))
		put_node(&w, node);
	json_close(json);
	json_u64(json, "left_out", len - shown);
	json_close(json);
	free(w.place);
	free(w.left_out);
	flametree_free(&tree);
	return 0;
}
