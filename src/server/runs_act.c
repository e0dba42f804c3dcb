// SPDX-License-Identifier: Apache-2.0
/* What is done to a run that waits or runs: cancel, pause, resume, reset. */
#include "base/err.h"
#include "server/analysis.h"
#include "server/app.h"
#include "server/profiles.h"
#include "server/resource.h"
#include "server/scheduler.h"

#include <errno.h>

static int ended_already(const struct run *run, struct err *err)
{
	return err_set(err, EPERM, "run %lld is %s already", (long long)run->id,
		       run_state_name(run->state));
}

/* Whoever looks at it later does not have it read again: server/profiles.h. */
static int cancel_reading(struct request *request, const struct run *run, struct err *err)
{
	struct run_facts facts = { .reason = PROFILES_CANCELLED };
	int rc = store_run_step(request->store, run->id, RUN_PROCESSING, RUN_CANCELLED, &facts,
				err);

	if (!rc && request->app->analysis)
		analysis_drop(request->app->analysis, run->id);
	return rc;
}

/* A queued one may be taken at this very moment: then it is starting, and -EAGAIN. */
static int cancel_as_it_is(struct request *request, const struct run *run, struct err *err)
{
	switch (run->state) {
	case RUN_QUEUED:
		return store_run_step(request->store, run->id, run->state, RUN_CANCELLED, NULL,
				      err);
	case RUN_PROCESSING: return cancel_reading(request, run, err);
	case RUN_STARTING:
	case RUN_RUNNING: return scheduler_cancel(request->app->scheduler, run->id, err);
	default: return ended_already(run, err);
	}
}

static int cancel(struct request *request, struct err *err)
{
	struct run run;
	int rc = -EAGAIN;

	for (int i = 0; i < 10 && rc == -EAGAIN; i++) {
		rc = store_run_get(request->store, request->ids[0], &request->arena, &run, err);
		if (!rc)
			rc = cancel_as_it_is(request, &run, err);
	}
	if (rc)
		return rc;
	audit(request, "run-cancel", "run %lld", (long long)run.id);
	return reply_run(request, run.id, err);
}

static int control(struct request *request, enum run_control action, const char *name,
		   struct err *err)
{
	struct run run;
	int rc = store_run_get(request->store, request->ids[0], &request->arena, &run, err);

	if (!rc && run.state != RUN_RUNNING)
		rc = err_set(err, EAGAIN, "run %lld is %s, not running", (long long)run.id,
			     run_state_name(run.state));
	if (!rc)
		rc = scheduler_control(request->app->scheduler, run.id, action, err);
	if (rc)
		return rc;
	audit(request, name, "run %lld", (long long)run.id);
	return reply_run(request, run.id, err);
}

static int pause_run(struct request *request, struct err *err)
{
	return control(request, CONTROL_PAUSE, "run-pause", err);
}

static int resume_run(struct request *request, struct err *err)
{
	return control(request, CONTROL_RESUME, "run-resume", err);
}

static int reset_run(struct request *request, struct err *err)
{
	return control(request, CONTROL_RESET, "run-reset", err);
}

const struct route run_act_routes[] = {
	{ "POST", "/api/v1/runs/{id}/cancel", RIGHT_CHANGE_RUN, cancel, ROUTE_NO_BODY },
	{ "POST", "/api/v1/runs/{id}/pause", RIGHT_CHANGE_RUN, pause_run, ROUTE_NO_BODY },
	{ "POST", "/api/v1/runs/{id}/resume", RIGHT_CHANGE_RUN, resume_run, ROUTE_NO_BODY },
	{ "POST", "/api/v1/runs/{id}/reset", RIGHT_CHANGE_RUN, reset_run, ROUTE_NO_BODY },
	{ 0 },
};
