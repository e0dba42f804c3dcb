/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The samples of one event in lanes, one for each CPU and each thread, while they come in: as the
 * analyser tells them and as events of the stream.  Messages are checked whole before anything of
 * them is taken.
 */
#ifndef SERVER_LIVE_LANES_H
#define SERVER_LIVE_LANES_H

#include "base/arena.h"
#include "base/vec.h"
#include <stdbool.h>
#include <stdint.h>

struct buf;
struct err;
struct msg_live_lanes;

#define LIVE_LANES	1024   /* CPUs and threads together */
#define LIVE_LANE_CELLS 400000 /* of all lanes; what comes then is shown at the end of the run */

struct live_lane {
	uint32_t pid, tid; /* LIVE_LANE_CPU: tid is a CPU */
	const char *comm;
	uint32_t last; /* its latest cell, the only one that may change; UINT32_MAX: none */
};

struct live_lane_cell {
	uint32_t lane, slot, samples;
	bool changed; /* since it was told */
};

struct live_lanes { /* { 0 } is a ready, empty one */
	VEC(struct live_lane) lanes;
	VEC(struct live_lane_cell) cells;
	VEC(uint32_t) changed; /* cells */
	struct arena texts;
	size_t told_lanes;
	uint64_t left_out;
	bool full, told; /* told: some of it */
};

int live_lanes_merge(struct live_lanes *lanes, const struct msg_live_lanes *growth,
		     struct err *err);
bool live_lanes_has_news(const struct live_lanes *lanes);
/* As JSON: everything, or what is new. */
void live_lanes_write(const struct live_lanes *lanes, int64_t run, size_t event, uint64_t start_ns,
		      bool whole, struct buf *out);
void live_lanes_told(struct live_lanes *lanes);
void live_lanes_free(struct live_lanes *lanes);

#endif
