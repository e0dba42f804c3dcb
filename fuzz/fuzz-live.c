// SPDX-License-Identifier: Apache-2.0
/*
 * What an analyser tells of a run that is being made: whatever is taken of it, in whatever order,
 * leaves a tree, a heatmap and lanes that can be walked, and JSON.
 *
 * The bytes are messages of the protocol, one behind the other.
 */
#include "base/arena.h"
#include "base/buf.h"
#include "base/jsonread.h"
#include "fuzz.h"
#include "jobs/protocol.h"
#include "server/live_lanes.h"
#include "server/live_tree.h"

static void check_json(struct buf *json)
{
	struct err err = { 0 };
	struct json_object *read = jsonread(json->data, json->len, "json", &err);

	FUZZ_HOLDS(read);
	json_object_put(read);
	buf_free(json);
}

static void check_tree(struct live_tree *tree)
{
	struct buf news = { 0 }, whole = { 0 };

	for (size_t i = 0; i < tree->nodes.len; i++) {
		FUZZ_HOLDS(tree->nodes.data[i].parent < (i ? i : 1));
		FUZZ_HOLDS(tree->nodes.data[i].name < tree->names.len);
	}
	live_tree_write(tree, 1, 0, false, &news);
	live_tree_told(tree);
	FUZZ_HOLDS(!live_tree_has_news(tree));
	live_tree_write(tree, 1, 0, true, &whole);
	check_json(&news);
	check_json(&whole);
}

static void check_heat(struct live_heat *heat)
{
	struct buf news = { 0 }, whole = { 0 };

	live_heat_write(heat, 1, 0, false, &news);
	live_heat_told(heat);
	check_json(&news);
	if (heat->len > 100 * LIVE_ROWS) /* a day of them takes long */
		return;
	live_heat_write(heat, 1, 0, true, &whole);
	check_json(&whole);
}

static void check_lanes(struct live_lanes *lanes)
{
	struct buf news = { 0 }, whole = { 0 };

	vec_each (cell, &lanes->cells)
		FUZZ_HOLDS(cell->lane < lanes->lanes.len);
	live_lanes_write(lanes, 1, 0, 0, false, &news);
	live_lanes_told(lanes);
	FUZZ_HOLDS(!live_lanes_has_news(lanes));
	live_lanes_write(lanes, 1, 0, 0, true, &whole);
	check_json(&news);
	check_json(&whole);
}

/* How many bytes the message took; 0: it is none. */
static size_t take(const uint8_t *data, size_t size, struct live_tree *tree, struct live_heat *heat,
		   struct live_lanes *lanes)
{
	struct arena arena = { 0 };
	struct ipc_header header;
	struct err err = { 0 };
	void *message;

	if (size < sizeof(header))
		return 0;
	memcpy(&header, data, sizeof(header));
	if (header.fds || header.size > size - sizeof(header) ||
	    ipc_check_header(&analysis_protocol, &header, &err))
		return 0;
	message = ipc_decode(&analysis_protocol, &header, data + sizeof(header), NULL, &arena,
			     &err);
	if (message && analysis_protocol.types[header.type] == &msg_live_tree &&
	    !live_tree_merge(tree, message, &err))
		check_tree(tree);
	if (message && analysis_protocol.types[header.type] == &msg_live_heat &&
	    !live_heat_merge(heat, message, &err))
		check_heat(heat);
	if (message && analysis_protocol.types[header.type] == &msg_live_lanes &&
	    !live_lanes_merge(lanes, message, &err))
		check_lanes(lanes);
	arena_free(&arena);
	return message ? sizeof(header) + header.size : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct live_tree tree = { 0 };
	struct live_heat heat = { 0 };
	struct live_lanes lanes = { 0 };

	for (size_t taken; (taken = take(data, size, &tree, &heat, &lanes)); data += taken)
		size -= taken;
	live_tree_free(&tree);
	live_heat_free(&heat);
	live_lanes_free(&lanes);
	return 0;
}
