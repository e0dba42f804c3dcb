// SPDX-License-Identifier: Apache-2.0
/* States, roles: their names, and which state follows which. */
#include "store/people.h"
#include "store/store.h"

#define BIT(state) (1U << (state))

static const struct {
	const char *name;
	unsigned next; /* bits of the states that may follow */
} states[RUN_STATES] = {
	[RUN_QUEUED] = { "queued", BIT(RUN_STARTING) | BIT(RUN_CANCELLED) },
	[RUN_STARTING] = { "starting", BIT(RUN_RUNNING) | BIT(RUN_FAILED) | BIT(RUN_CANCELLED) },
	[RUN_RUNNING] = { "running", BIT(RUN_PROCESSING) | BIT(RUN_FAILED) | BIT(RUN_CANCELLED) },
	[RUN_PROCESSING] = { "processing", BIT(RUN_DONE) | BIT(RUN_FAILED) | BIT(RUN_CANCELLED) },
	[RUN_DONE] = { "done", 0 },
	[RUN_FAILED] = { "failed", 0 },
	[RUN_CANCELLED] = { "cancelled", 0 },
};

const char *run_state_name(enum run_state state)
{
	return states[state].name;
}

bool run_state_follows(enum run_state from, enum run_state to)
{
	return states[from].next & BIT(to);
}

const char *role_name(enum role role)
{
	static const char *const names[] = {
		[ROLE_VIEWER] = "viewer", [ROLE_RUNNER] = "runner", [ROLE_OWNER] = "owner"
	};

	return names[role];
}
