// SPDX-License-Identifier: Apache-2.0
#include "render/flame_json.h"
#include "base/buf.h"
#include "base/json.h"
#include "base/outbuf.h"
#include "render/flame_layout.h"

/* Everything of a node but its children and its closing bracket. */
static void open_node(const struct flametree *tree, uint32_t node, enum flame_weight weight,
		      struct buf *quoted, struct outbuf *out)
{
	const struct flame_node *facts = &tree->nodes.data[node];

	buf_clear(quoted);
	json_quote_into(quoted, flame_name(tree, node));
	out_text(out, "{\"name\":");
	out_text(out, quoted->data);
	out_text(out, ",\"value\":");
	out_u64(out, flame_value(&facts->total, weight), 0);
	out_text(out, ",\"self\":");
	out_u64(out, flame_value(&facts->self, weight), 0);
	out_text(out, ",\"samples\":");
	out_u64(out, facts->total.samples, 0);
	out_text(out, ",\"kind\":\"");
	out_text(out, flame_kind_name((enum flame_kind)facts->kind));
	out_text(out, "\"");
	if (facts->first_child != NO_NODE)
		out_text(out, ",\"children\":[");
}

static void close_node(const struct flametree *tree, uint32_t node, struct outbuf *out)
{
	out_text(out, tree->nodes.data[node].first_child != NO_NODE ? "]}" : "}");
}

void flame_json_write(const struct flametree *tree, enum flame_weight weight, struct outbuf *out)
{
	const struct flame_node *nodes = tree->nodes.data;
	struct buf quoted = { 0 };
	uint32_t node = 0;

	for (;;) {
		open_node(tree, node, weight, &quoted, out);
		if (nodes[node].first_child != NO_NODE) {
			node = nodes[node].first_child;
			continue;
		}
		close_node(tree, node, out);
		while (node && nodes[node].next_sibling == NO_NODE) {
			node = nodes[node].parent;
			close_node(tree, node, out);
		}
		if (!node)
			break;
		out_char(out, ',');
		node = nodes[node].next_sibling;
	}
	out_char(out, '\n');
	buf_free(&quoted);
}
