// SPDX-License-Identifier: Apache-2.0
#include "base/buf.h"
#include "base/err.h"
#include "jobs/protocol.h"
#include "server/live_tree.h"

#include <errno.h>
#include <inttypes.h>

struct triple {
	uint32_t second, row, samples;
};

static struct triple triple_at(const struct msg_live_heat *growth, size_t index)
{
	struct triple triple;

	memcpy(&triple, (const char *)growth->cells.data + index * sizeof(triple), sizeof(triple));
	return triple;
}

static int check(const struct live_heat *heat, const struct msg_live_heat *growth, struct err *err)
{
	size_t count = growth->cells.size / sizeof(struct triple);

	if (growth->cells.size % sizeof(struct triple))
		return err_set(err, EPROTO, "a live heatmap that ends in mid-cell");
	if (heat->len && growth->start_ns != heat->start_ns)
		return err_set(err, EPROTO, "a live heatmap that begins at another time now");
	for (size_t i = 0; i < count; i++) {
		struct triple triple = triple_at(growth, i);

		if (triple.row >= LIVE_ROWS || triple.samples > INT32_MAX)
			return err_set(err, EPROTO, "a live heatmap with a cell that cannot be");
		if (triple.second >= LIVE_SECONDS)
			return err_set(err, E2BIG,
				       "the heatmap is too long to be shown while it grows");
	}
	return 0;
}

static void grow_to(struct live_heat *heat, size_t len)
{
	if (len <= heat->len)
		return;
	vec_reserve(heat, len);
	memset(heat->data + heat->len, 0, (len - heat->len) * sizeof(*heat->data));
	heat->len = len;
}

int live_heat_merge(struct live_heat *heat, const struct msg_live_heat *growth, struct err *err)
{
	int rc = check(heat, growth, err);

	if (rc)
		return rc;
	heat->start_ns = growth->start_ns;
	for (size_t i = 0; i < growth->cells.size / sizeof(struct triple); i++) {
		struct triple triple = triple_at(growth, i);
		uint32_t at = triple.second * LIVE_ROWS + triple.row;

		grow_to(heat, ((size_t)triple.second + 1) * LIVE_ROWS);
		heat->data[at].samples = triple.samples;
		if (!heat->data[at].changed)
			*vec_push(&heat->changed) = at;
		heat->data[at].changed = true;
	}
	return 0;
}

static void put_cell(const struct live_heat *heat, uint32_t at, struct buf *out)
{
	buf_puts(out, out->data[out->len - 1] == '[' ? "[" : ",[");
	live_put_u64(out, at / LIVE_ROWS);
	buf_putc(out, ',');
	live_put_u64(out, at % LIVE_ROWS);
	buf_putc(out, ',');
	live_put_u64(out, heat->data[at].samples);
	buf_putc(out, ']');
}

void live_heat_write(const struct live_heat *heat, int64_t run, size_t event, bool whole,
		     struct buf *out)
{
	buf_printf(out,
		   "{\"run\":%" PRId64 ",\"event\":%zu,\"start_ns\":\"%" PRIu64 "\",\"cells\":[",
		   run, event, heat->start_ns);
	if (whole) {
		for (uint32_t at = 0; at < heat->len; at++)
			if (heat->data[at].samples)
				put_cell(heat, at, out);
	} else {
		vec_each (at, &heat->changed)
			put_cell(heat, *at, out);
	}
	buf_puts(out, "]}");
}

void live_heat_told(struct live_heat *heat)
{
	vec_each (at, &heat->changed)
		heat->data[*at].changed = false;
	heat->changed.len = 0;
	heat->told = true;
}

void live_heat_free(struct live_heat *heat)
{
	vec_free(heat);
	vec_free(&heat->changed);
}
