// SPDX-License-Identifier: Apache-2.0
#include "server/live_tree.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "jobs/protocol.h"
#include "profile/flametree.h"

#include <errno.h>
#include <inttypes.h>

/* Arrays of a message are not aligned. */
static uint32_t u32_at(const struct ipc_bytes *bytes, size_t index)
{
	uint32_t value;

	memcpy(&value, (const char *)bytes->data + index * sizeof(value), sizeof(value));
	return value;
}

static uint64_t u64_at(const struct ipc_bytes *bytes, size_t index)
{
	uint64_t value;

	memcpy(&value, (const char *)bytes->data + index * sizeof(value), sizeof(value));
	return value;
}

/* What a message adds, and what it adds it to. */
struct growth {
	const struct msg_live_tree *from;
	size_t nodes, changed; /* in the message */
	size_t first, names;   /* before it */
	size_t text_bytes;     /* of its names */
	bool anew;
};

static int check_sizes(const struct msg_live_tree *from, struct growth *growth, struct err *err)
{
	growth->nodes = from->kinds.size;
	growth->changed = from->changed.size / sizeof(uint32_t);
	if (from->parents.size != growth->nodes * sizeof(uint32_t) ||
	    from->name_ids.size != growth->nodes * sizeof(uint32_t) ||
	    from->changed.size % sizeof(uint32_t) ||
	    from->self_samples.size != growth->changed * sizeof(uint64_t) ||
	    from->self_counts.size != growth->changed * sizeof(uint64_t))
		return err_set(err, EPROTO, "a live tree whose columns differ in length");
	return 0;
}

static int check_nodes(const struct growth *growth, struct err *err)
{
	const struct msg_live_tree *from = growth->from;
	size_t names = growth->names + from->names.len;

	for (size_t i = 0; i < growth->nodes; i++) {
		size_t id = growth->first + i;

		if (u32_at(&from->parents, i) >= (id ? id : 1))
			return err_set(err, EPROTO,
				       "a live tree in which a parent follows its child");
		if (u32_at(&from->name_ids, i) >= names)
			return err_set(err, EPROTO, "a live tree with a name that was never told");
		if (((const uint8_t *)from->kinds.data)[i] >= FLAME_KINDS)
			return err_set(err, EPROTO, "a live tree with a frame of no known kind");
	}
	for (size_t i = 0; i < growth->changed; i++)
		if (u32_at(&from->changed, i) >= growth->first + growth->nodes)
			return err_set(err, EPROTO, "a live tree with counts of a node it lacks");
	return 0;
}

static int check_limits(const struct live_tree *tree, const struct growth *growth, struct err *err)
{
	size_t text_bytes = growth->anew ? 0 : tree->text_bytes;

	if (growth->first + growth->nodes > LIVE_NODES ||
	    text_bytes + growth->text_bytes > LIVE_NAME_BYTES)
		return err_set(err, E2BIG, "the tree is too large to be shown while it grows");
	return 0;
}

static int check(const struct live_tree *tree, const struct msg_live_tree *from,
		 struct growth *growth, struct err *err)
{
	int rc;

	*growth = (struct growth){ .from = from };
	rc = check_sizes(from, growth, err);
	if (rc)
		return rc;
	growth->anew = tree->nodes.len && growth->nodes && !from->first_node;
	growth->first = growth->anew ? 0 : tree->nodes.len;
	growth->names = growth->anew ? 0 : tree->names.len;
	if (from->first_node != growth->first)
		return err_set(err, EPROTO, "a live tree with a gap before node %" PRIu64,
			       from->first_node);
	vec_each (name, &from->names)
		growth->text_bytes += strlen(*name) + 1;
	rc = check_limits(tree, growth, err);
	return rc ? rc : check_nodes(growth, err);
}

static void begin_anew(struct live_tree *tree)
{
	arena_free(&tree->texts);
	tree->text_bytes = 0;
	tree->names.len = tree->nodes.len = tree->changed.len = 0;
	tree->told_nodes = tree->told_names = 0;
}

static void set_self(struct live_tree *tree, uint32_t id, uint64_t self, uint64_t count)
{
	struct live_node *node = &tree->nodes.data[id];

	node->self = self;
	node->count = count;
	if (node->changed)
		return;
	node->changed = true;
	*vec_push(&tree->changed) = id;
}

int live_tree_merge(struct live_tree *tree, const struct msg_live_tree *from, struct err *err)
{
	struct growth growth;
	int rc = check(tree, from, &growth, err);

	if (rc)
		return rc;
	if (growth.anew)
		begin_anew(tree);
	if (!tree->event && from->event_name)
		tree->event = mem_strdup(from->event_name);
	vec_each (name, &from->names)
		*vec_push(&tree->names) = arena_strdup(&tree->texts, *name);
	tree->text_bytes += growth.text_bytes;
	for (size_t i = 0; i < growth.nodes; i++)
		*vec_push(&tree->nodes) = (struct live_node){
			.parent = u32_at(&from->parents, i),
			.name = u32_at(&from->name_ids, i),
			.kind = ((const uint8_t *)from->kinds.data)[i],
		};
	for (size_t i = 0; i < growth.changed; i++)
		set_self(tree, u32_at(&from->changed, i), u64_at(&from->self_samples, i),
			 u64_at(&from->self_counts, i));
	tree->samples = from->samples;
	tree->lost = from->lost;
	return 0;
}

bool live_tree_has_news(const struct live_tree *tree)
{
	return tree->changed.len || tree->told_nodes < tree->nodes.len ||
	       tree->samples != tree->told_samples || tree->lost != tree->told_lost;
}

void live_tree_told(struct live_tree *tree)
{
	vec_each (id, &tree->changed)
		tree->nodes.data[*id].changed = false;
	tree->changed.len = 0;
	tree->told_nodes = tree->nodes.len;
	tree->told_names = tree->names.len;
	tree->told_samples = tree->samples;
	tree->told_lost = tree->lost;
}

void live_tree_free(struct live_tree *tree)
{
	free(tree->event);
	arena_free(&tree->texts);
	vec_free(&tree->names);
	vec_free(&tree->nodes);
	vec_free(&tree->changed);
	*tree = (struct live_tree){ 0 };
}

/* Writing */

void live_put_u64(struct buf *out, uint64_t value)
{
	char digits[20];
	size_t at = sizeof(digits);

	do
		digits[--at] = (char)('0' + value % 10);
	while (value /= 10);
	buf_add(out, digits + at, sizeof(digits) - at);
}

static void put_comma(struct buf *out)
{
	if (out->data[out->len - 1] != '[')
		buf_putc(out, ',');
}

static void write_names(const struct live_tree *tree, size_t first, struct buf *out)
{
	buf_puts(out, ",\"names\":[");
	for (size_t i = first; i < tree->names.len; i++) {
		put_comma(out);
		json_quote_into(out, tree->names.data[i]);
	}
	buf_puts(out, "]");
}

static uint64_t node_parent(const struct live_node *node)
{
	return node->parent;
}

static uint64_t node_name(const struct live_node *node)
{
	return node->name;
}

static uint64_t node_kind(const struct live_node *node)
{
	return node->kind;
}

static void write_column(const struct live_tree *tree, size_t first, const char *key,
			 uint64_t (*value)(const struct live_node *node), struct buf *out)
{
	buf_printf(out, ",\"%s\":[", key);
	for (size_t i = first; i < tree->nodes.len; i++) {
		put_comma(out);
		live_put_u64(out, value(&tree->nodes.data[i]));
	}
	buf_puts(out, "]");
}

enum own { OWN_ID, OWN_SAMPLES, OWN_COUNT };

static void put_own(const struct live_tree *tree, uint32_t id, enum own what, struct buf *out)
{
	const struct live_node *node = &tree->nodes.data[id];

	put_comma(out);
	if (what == OWN_COUNT)
		buf_putc(out, '"');
	live_put_u64(out, what == OWN_ID ? id : what == OWN_SAMPLES ? node->self : node->count);
	if (what == OWN_COUNT)
		buf_putc(out, '"');
}

/* Of those that changed, or of all that have any. */
static void write_own(const struct live_tree *tree, bool whole, const char *key, enum own what,
		      struct buf *out)
{
	buf_printf(out, ",\"%s\":[", key);
	if (whole) {
		for (uint32_t id = 0; id < tree->nodes.len; id++)
			if (tree->nodes.data[id].self || tree->nodes.data[id].count)
				put_own(tree, id, what, out);
	} else {
		vec_each (id, &tree->changed)
			put_own(tree, *id, what, out);
	}
	buf_puts(out, "]");
}

void live_tree_write(const struct live_tree *tree, int64_t run, size_t event, bool whole,
		     struct buf *out)
{
	size_t first = whole ? 0 : tree->told_nodes, first_name = whole ? 0 : tree->told_names;

	buf_printf(out, "{\"run\":%" PRId64 ",\"event\":%zu,\"event_name\":", run, event);
	json_quote_into(out, tree->event ? tree->event : "");
	buf_printf(out, ",\"first\":%zu,\"first_name\":%zu", first, first_name);
	write_names(tree, first_name, out);
	write_column(tree, first, "parents", node_parent, out);
	write_column(tree, first, "name_ids", node_name, out);
	write_column(tree, first, "kinds", node_kind, out);
	write_own(tree, whole, "changed", OWN_ID, out);
	write_own(tree, whole, "self", OWN_SAMPLES, out);
	write_own(tree, whole, "counts", OWN_COUNT, out);
	buf_printf(out, ",\"samples\":%" PRIu64 ",\"lost\":%" PRIu64 "}", tree->samples,
		   tree->lost);
}
