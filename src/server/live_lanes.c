// SPDX-License-Identifier: Apache-2.0
#include "server/live_lanes.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "jobs/protocol.h"
#include "server/live_tree.h"

#include <errno.h>
#include <inttypes.h>

#define NO_CELL UINT32_MAX

struct triple {
	uint32_t lane, slot, samples;
};

static struct triple triple_at(const struct msg_live_lanes *growth, size_t index)
{
	struct triple triple;

	memcpy(&triple, (const char *)growth->cells.data + index * sizeof(triple), sizeof(triple));
	return triple;
}

static uint32_t id_at(const struct msg_live_lanes *growth, size_t index)
{
	uint32_t id;

	memcpy(&id, (const char *)growth->ids.data + index * sizeof(id), sizeof(id));
	return id;
}

static int check(const struct live_lanes *lanes, const struct msg_live_lanes *growth,
		 struct err *err)
{
	size_t known = growth->first + growth->names.len;

	if ((growth->first && growth->first != lanes->lanes.len) ||
	    growth->ids.size != growth->names.len * 2 * sizeof(uint32_t))
		return err_set(err, EPROTO, "live lanes that do not follow those before them");
	if (growth->cells.size % sizeof(struct triple))
		return err_set(err, EPROTO, "live lanes that end in mid-cell");
	if (known > LIVE_LANES)
		return err_set(err, E2BIG, "there are too many lanes to be shown while they grow");
	for (size_t i = 0; i < growth->cells.size / sizeof(struct triple); i++) {
		struct triple triple = triple_at(growth, i);

		if (triple.lane >= known || triple.samples > INT32_MAX ||
		    triple.slot >= LIVE_SECONDS * LIVE_ROWS)
			return err_set(err, EPROTO, "live lanes with a cell that cannot be");
	}
	return 0;
}

static void add_lanes(struct live_lanes *lanes, const struct msg_live_lanes *growth)
{
	for (size_t i = 0; i < growth->names.len; i++)
		*vec_push(&lanes->lanes) = (struct live_lane){
			.pid = id_at(growth, 2 * i),
			.tid = id_at(growth, 2 * i + 1),
			.comm = arena_strdup(&lanes->texts, growth->names.data[i]),
			.last = NO_CELL,
		};
}

static void set_cell(struct live_lanes *lanes, struct triple triple)
{
	uint32_t *last = &lanes->lanes.data[triple.lane].last;
	struct live_lane_cell *cell;

	if (*last == NO_CELL || lanes->cells.data[*last].slot != triple.slot) {
		if (lanes->cells.len >= LIVE_LANE_CELLS) {
			lanes->full = true;
			return;
		}
		*last = (uint32_t)lanes->cells.len;
		*vec_push(&lanes->cells) = (struct live_lane_cell){ .lane = triple.lane,
								    .slot = triple.slot };
	}
	cell = &lanes->cells.data[*last];
	cell->samples = triple.samples;
	if (!cell->changed)
		*vec_push(&lanes->changed) = *last;
	cell->changed = true;
}

int live_lanes_merge(struct live_lanes *lanes, const struct msg_live_lanes *growth, struct err *err)
{
	int rc = check(lanes, growth, err);

	if (rc)
		return rc;
	if (!growth->first && lanes->lanes.len) { /* another analyser begins anew */
		live_lanes_free(lanes);
		*lanes = (struct live_lanes){ 0 };
	}
	add_lanes(lanes, growth);
	lanes->left_out = growth->left_out;
	for (size_t i = 0; i < growth->cells.size / sizeof(struct triple); i++)
		set_cell(lanes, triple_at(growth, i));
	return 0;
}

bool live_lanes_has_news(const struct live_lanes *lanes)
{
	return lanes->changed.len || lanes->told_lanes < lanes->lanes.len;
}

static void put_lane(const struct live_lane *lane, struct buf *out)
{
	if (lane->pid == LIVE_LANE_CPU) {
		buf_printf(out, "{\"cpu\":%u}", lane->tid);
		return;
	}
	buf_printf(out, "{\"pid\":%u,\"tid\":%u,\"comm\":", lane->pid, lane->tid);
	json_quote_into(out, lane->comm);
	buf_putc(out, '}');
}

static void put_cell(const struct live_lanes *lanes, size_t at, struct buf *out)
{
	buf_puts(out, out->data[out->len - 1] == '[' ? "[" : ",[");
	live_put_u64(out, lanes->cells.data[at].lane);
	buf_putc(out, ',');
	live_put_u64(out, lanes->cells.data[at].slot);
	buf_putc(out, ',');
	live_put_u64(out, lanes->cells.data[at].samples);
	buf_putc(out, ']');
}

void live_lanes_write(const struct live_lanes *lanes, int64_t run, size_t event, uint64_t start_ns,
		      bool whole, struct buf *out)
{
	size_t first = whole ? 0 : lanes->told_lanes;

	buf_printf(out,
		   "{\"run\":%" PRId64 ",\"event\":%zu,\"start_ns\":\"%" PRIu64
		   "\",\"first\":%zu,\"lanes\":[",
		   run, event, start_ns, first);
	for (size_t i = first; i < lanes->lanes.len; i++) {
		buf_puts(out, i > first ? "," : "");
		put_lane(&lanes->lanes.data[i], out);
	}
	buf_puts(out, "],\"cells\":[");
	if (whole) {
		for (size_t i = 0; i < lanes->cells.len; i++)
			put_cell(lanes, i, out);
	} else {
		vec_each (at, &lanes->changed)
			put_cell(lanes, *at, out);
	}
	buf_printf(out, "],\"left_out\":%" PRIu64 ",\"full\":%s}", lanes->left_out,
		   lanes->full ? "true" : "false");
}

void live_lanes_told(struct live_lanes *lanes)
{
	vec_each (at, &lanes->changed)
		lanes->cells.data[*at].changed = false;
	lanes->changed.len = 0;
	lanes->told_lanes = lanes->lanes.len;
	lanes->told = true;
}

void live_lanes_free(struct live_lanes *lanes)
{
	vec_free(&lanes->lanes);
	vec_free(&lanes->cells);
	vec_free(&lanes->changed);
	arena_free(&lanes->texts);
}
