// SPDX-License-Identifier: Apache-2.0
#include "server/live_tree.h"
#include "base/buf.h"
#include "jobs/protocol.h"
#include "test.h"

#include <errno.h>

#define BYTES(array)                   \
	{                              \
		(array), sizeof(array) \
	}
#define WORDS(array)                                          \
	{                                                     \
		(array), ARRAY_SIZE(array), ARRAY_SIZE(array) \
	}

static const char *first_names[] = { "all", "sh", "main" };
static const char *later_names[] = { "read \"it\"" };
static const uint32_t first_parents[] = { 0, 0, 1 }, first_name_ids[] = { 0, 1, 2 };
static const uint32_t first_changed[] = { 2 };
static const uint64_t one[] = { 1 }, seven[] = { 7 }, huge[] = { UINT64_MAX };
static const uint8_t first_kinds[] = { 6, 6, 0 }, later_kinds[] = { 2 };
static const uint32_t later_parents[] = { 2 }, later_name_ids[] = { 3 }, later_changed[] = { 3 };

static struct msg_live_tree first_growth(void)
{
	return (struct msg_live_tree){
		.event_name = "cycles",
		.names = WORDS(first_names),
		.parents = BYTES(first_parents),
		.name_ids = BYTES(first_name_ids),
		.kinds = BYTES(first_kinds),
		.changed = BYTES(first_changed),
		.self_samples = BYTES(one),
		.self_counts = BYTES(huge),
		.samples = 1,
	};
}

static struct msg_live_tree later_growth(void)
{
	return (struct msg_live_tree){
		.first_node = 3,
		.names = WORDS(later_names),
		.parents = BYTES(later_parents),
		.name_ids = BYTES(later_name_ids),
		.kinds = BYTES(later_kinds),
		.changed = BYTES(later_changed),
		.self_samples = BYTES(seven),
		.self_counts = BYTES(seven),
		.samples = 8,
		.lost = 2,
	};
}

static const char *written(const struct live_tree *tree, bool whole)
{
	static struct buf out;

	buf_free(&out);
	live_tree_write(tree, 5, 1, whole, &out);
	return buf_text(&out);
}

TEST(live_tree_tells_what_is_new)
{
	struct msg_live_tree first = first_growth(), later = later_growth();
	struct live_tree tree = { 0 };
	struct err err = { 0 };

	EXPECT(!live_tree_has_news(&tree));
	EXPECT_INT(live_tree_merge(&tree, &first, &err), 0);
	EXPECT(live_tree_is_new(&tree));
	EXPECT(live_tree_has_news(&tree));
	EXPECT_TEXT(written(&tree, false),
		    "{\"run\":5,\"event\":1,\"event_name\":\"cycles\",\"first\":0,\"first_name\":0,"
		    "\"names\":[\"all\",\"sh\",\"main\"],\"parents\":[0,0,1],\"name_ids\":[0,1,2],"
		    "\"kinds\":[6,6,0],\"changed\":[2],\"self\":[1],"
		    "\"counts\":[\"18446744073709551615\"],\"samples\":1,\"lost\":0}");
	live_tree_told(&tree);
	EXPECT(!live_tree_is_new(&tree));
	EXPECT(!live_tree_has_news(&tree));
	EXPECT_INT(live_tree_merge(&tree, &later, &err), 0);
	EXPECT_TEXT(written(&tree, false),
		    "{\"run\":5,\"event\":1,\"event_name\":\"cycles\",\"first\":3,\"first_name\":3,"
		    "\"names\":[\"read \\\"it\\\"\"],\"parents\":[2],\"name_ids\":[3],"
		    "\"kinds\":[2],\"changed\":[3],\"self\":[7],\"counts\":[\"7\"],"
		    "\"samples\":8,\"lost\":2}");
	EXPECT_CONTAINS(written(&tree, true), "\"changed\":[2,3],\"self\":[1,7]");

	/* A node that changes twice is told once, with its last value. */
	later = (struct msg_live_tree){ .first_node = 4,
					.changed = BYTES(later_changed),
					.self_samples = BYTES(one),
					.self_counts = BYTES(one),
					.samples = 9 };
	EXPECT_INT(live_tree_merge(&tree, &later, &err), 0);
	EXPECT_CONTAINS(written(&tree, false), "\"changed\":[3],\"self\":[1],\"counts\":[\"1\"]");

	/* Node 0 again: a new tree. */
	EXPECT_INT(live_tree_merge(&tree, &first, &err), 0);
	EXPECT(live_tree_is_new(&tree));
	EXPECT_CONTAINS(written(&tree, true), "\"names\":[\"all\",\"sh\",\"main\"],");
	EXPECT_INT(tree.nodes.len, 3);
	live_tree_free(&tree);
}

TEST(live_tree_refuses)
{
	static const uint32_t bad_parents[] = { 0, 1, 1 }, root_of_itself[] = { 1, 0, 1 };
	static const uint32_t bad_names[] = { 0, 1, 3 }, bad_changed[] = { 3 };
	static const uint8_t bad_kinds[] = { 6, 6, 7 };
	struct msg_live_tree good = first_growth(), cases[12];
	struct live_tree tree = { 0 };
	struct err err = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		cases[i] = good;
	cases[0].first_node = 1;
	cases[1].parents.size = 8;
	cases[2].parents.size = 11;
	cases[3].name_ids.size = 0;
	cases[4].kinds.size = 2;
	cases[5].self_samples.size = 0;
	cases[6].changed.size = 3;
	cases[7].parents.data = bad_parents;
	cases[8].parents.data = root_of_itself;
	cases[9].name_ids.data = bad_names;
	cases[10].kinds.data = bad_kinds;
	cases[11].changed.data = bad_changed;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		test_case("%zu", i);
		EXPECT_INT(live_tree_merge(&tree, &cases[i], &err), -EPROTO);
		EXPECT_INT(tree.nodes.len + tree.names.len + tree.changed.len, 0);
	}
	live_tree_free(&tree);
}

TEST(live_tree_has_an_end)
{
	static uint32_t parents[LIVE_NODES / 4], name_ids[LIVE_NODES / 4];
	static uint8_t kinds[LIVE_NODES / 4];
	static const char *names[] = { "x" };
	struct msg_live_tree growth = { .names = WORDS(names),
					.parents = BYTES(parents),
					.name_ids = BYTES(name_ids),
					.kinds = BYTES(kinds) };
	struct live_tree tree = { 0 };
	struct err err = { 0 };

	for (int i = 0; i < 4; i++) {
		EXPECT_INT(live_tree_merge(&tree, &growth, &err), 0);
		growth.first_node = tree.nodes.len;
	}
	EXPECT_INT(live_tree_merge(&tree, &growth, &err), -E2BIG);
	EXPECT_INT(tree.nodes.len, LIVE_NODES);
	live_tree_free(&tree);
}

TEST(live_heat_tells_cells)
{
	static const uint32_t cells[] = { 0, 49, 3, 2, 0, 1 }, again[] = { 2, 0, 5 };
	struct msg_live_heat growth = { .start_ns = 77, .cells = BYTES(cells) };
	struct live_heat heat = { 0 };
	struct buf out = { 0 };
	struct err err = { 0 };

	EXPECT_INT(live_heat_merge(&heat, &growth, &err), 0);
	live_heat_write(&heat, 5, 0, false, &out);
	EXPECT_TEXT(out.data, "{\"run\":5,\"event\":0,\"start_ns\":\"77\","
			      "\"cells\":[[0,49,3],[2,0,1]]}");
	live_heat_told(&heat);
	growth.cells = (struct ipc_bytes)BYTES(again);
	EXPECT_INT(live_heat_merge(&heat, &growth, &err), 0);
	buf_clear(&out);
	live_heat_write(&heat, 5, 0, false, &out);
	EXPECT_CONTAINS(out.data, "\"cells\":[[2,0,5]]");
	buf_clear(&out);
	live_heat_write(&heat, 5, 0, true, &out);
	EXPECT_CONTAINS(out.data, "\"cells\":[[0,49,3],[2,0,5]]");
	buf_free(&out);
	live_heat_free(&heat);
}

TEST(live_heat_refuses)
{
	static const uint32_t cases[][3] = {
		{ 0, 50, 1 }, { 0, 0, UINT32_MAX }, { LIVE_SECONDS, 0, 1 }, { UINT32_MAX, 0, 1 }
	};
	static const int codes[] = { -EPROTO, -EPROTO, -E2BIG, -E2BIG };
	struct msg_live_heat growth = { .cells = { cases[0], 11 } };
	struct live_heat heat = { 0 };
	struct err err = { 0 };

	EXPECT_INT(live_heat_merge(&heat, &growth, &err), -EPROTO);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		growth.cells = (struct ipc_bytes)BYTES(cases[i]);
		EXPECT_INT(live_heat_merge(&heat, &growth, &err), codes[i]);
		EXPECT_INT(heat.len, 0);
	}
	live_heat_free(&heat);
}
