// SPDX-License-Identifier: Apache-2.0
#include "server/live_lanes.h"
#include "base/buf.h"
#include "base/err.h"
#include "jobs/protocol.h"
#include "server/live_tree.h"
#include "test.h"

#include <errno.h>

#define BYTES(array)                                   \
	{                                              \
		.data = (array), .size = sizeof(array) \
	}

static const char *names[] = { "", "pr\"og" };
static const uint32_t ids[] = { LIVE_LANE_CPU, 3, 70, 71 };

TEST(live_lanes_tell_cells)
{
	static const uint32_t cells[] = { 0, 4, 1, 1, 4, 2 }, again[] = { 1, 4, 5, 1, 60, 1 };
	struct msg_live_lanes growth = { .names = { names, 2, 2 },
					 .ids = BYTES(ids),
					 .cells = BYTES(cells) };
	struct live_lanes lanes = { 0 };
	struct buf out = { 0 };
	struct err err = { 0 };

	EXPECT(!live_lanes_has_news(&lanes));
	EXPECT_INT(live_lanes_merge(&lanes, &growth, &err), 0);
	EXPECT(live_lanes_has_news(&lanes));
	live_lanes_write(&lanes, 5, 0, 77, false, &out);
	EXPECT_TEXT(out.data,
		    "{\"run\":5,\"event\":0,\"start_ns\":\"77\",\"first\":0,\"lanes\":[{\"cpu\":3},"
		    "{\"pid\":70,\"tid\":71,\"comm\":\"pr\\\"og\"}],"
		    "\"cells\":[[0,4,1],[1,4,2]],\"left_out\":0,\"full\":false}");
	live_lanes_told(&lanes);
	EXPECT(!live_lanes_has_news(&lanes));

	/* A cell that grows is told anew; what was told before stays in the state. */
	growth = (struct msg_live_lanes){ .first = 2, .cells = BYTES(again), .left_out = 9 };
	EXPECT_INT(live_lanes_merge(&lanes, &growth, &err), 0);
	buf_clear(&out);
	live_lanes_write(&lanes, 5, 0, 77, false, &out);
	EXPECT_CONTAINS(out.data,
			"\"first\":2,\"lanes\":[],\"cells\":[[1,4,5],[1,60,1]],\"left_out\":9");
	buf_clear(&out);
	live_lanes_write(&lanes, 5, 0, 77, true, &out);
	EXPECT_CONTAINS(out.data, "\"cells\":[[0,4,1],[1,4,5],[1,60,1]]");

	/* Another analyser begins from the first sample on. */
	growth = (struct msg_live_lanes){ .names = { names, 1, 1 }, .ids = { ids, 8 } };
	EXPECT_INT(live_lanes_merge(&lanes, &growth, &err), 0);
	EXPECT_INT(lanes.lanes.len, 1);
	EXPECT_INT(lanes.cells.len, 0);
	EXPECT(!lanes.told);
	buf_free(&out);
	live_lanes_free(&lanes);
}

TEST(live_lanes_refuse)
{
	static const uint32_t cases[][3] = { { 2, 0, 1 },
					     { 0, 0, UINT32_MAX },
					     { 0, LIVE_SECONDS * LIVE_ROWS, 1 } };
	struct msg_live_lanes growth = { .names = { names, 2, 2 }, .ids = BYTES(ids) };
	struct live_lanes lanes = { 0 };
	struct err err = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		growth.cells = (struct ipc_bytes)BYTES(cases[i]);
		EXPECT_INT(live_lanes_merge(&lanes, &growth, &err), -EPROTO);
		EXPECT_INT(lanes.lanes.len, 0);
	}
	growth.cells.size = 11;
	EXPECT_INT(live_lanes_merge(&lanes, &growth, &err), -EPROTO);
	growth.cells.size = 0;
	growth.ids.size = 12;
	EXPECT_INT(live_lanes_merge(&lanes, &growth, &err), -EPROTO);
	growth = (struct msg_live_lanes){ .first = 1 };
	EXPECT_INT(live_lanes_merge(&lanes, &growth, &err), -EPROTO);
	live_lanes_free(&lanes);
}

/* What is more than can be sent at once is left for the end, and that is said. */
TEST(live_lanes_are_full_some_day)
{
	struct msg_live_lanes growth = { .names = { names, 2, 2 }, .ids = BYTES(ids) };
	struct live_lanes lanes = { 0 };
	struct err err = { 0 };
	uint32_t cell[] = { 0, 0, 1 };

	EXPECT_INT(live_lanes_merge(&lanes, &growth, &err), 0);
	growth = (struct msg_live_lanes){ .first = 2, .cells = BYTES(cell) };
	for (; cell[1] <= LIVE_LANE_CELLS; cell[1]++) {
		EXPECT(!lanes.full);
		EXPECT_INT(live_lanes_merge(&lanes, &growth, &err), 0);
	}
	EXPECT(lanes.full);
	EXPECT_INT(lanes.cells.len, LIVE_LANE_CELLS);
	live_lanes_free(&lanes);
}
