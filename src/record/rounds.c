// SPDX-License-Identifier: Apache-2.0
#include "record/rounds.h"

void rounds_init(struct rounds *rounds, bool soon, int64_t now_ns)
{
	*rounds = (struct rounds){ .ended_ns = now_ns, .pause_ns = ROUND_LEAST_NS, .soon = soon };
}

int64_t rounds_due_ns(const struct rounds *rounds)
{
	return rounds->ended_ns + rounds->pause_ns;
}

bool rounds_may_end(const struct rounds *rounds, int64_t now_ns, uint64_t bytes)
{
	if (now_ns >= rounds_due_ns(rounds))
		return true;
	return now_ns >= rounds->ended_ns + ROUND_LEAST_NS && bytes - rounds->bytes >= ROUND_BYTES;
}

void rounds_ended(struct rounds *rounds, int64_t now_ns, uint64_t bytes)
{
	rounds->ended_ns = now_ns;
	rounds->bytes = bytes;
	if (!rounds->soon)
		rounds->pause_ns = rounds->pause_ns * 2 < ROUND_MOST_NS ? rounds->pause_ns * 2
									: ROUND_MOST_NS;
}
