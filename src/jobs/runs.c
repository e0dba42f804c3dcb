// SPDX-License-Identifier: Apache-2.0
/* The runs that the supervisor holds: at most one goes on, others wait to be forgotten. */
#include "base/err.h"
#include "jobs/folder.h"
#include "jobs/identity.h"
#include "jobs/jobrun.h"
#include "jobs/policy.h"
#include "jobs/request.h"
#include "jobs/supervisor_inside.h"

#include <errno.h>

#define MOST_HELD 64

static struct jobrun *find(const struct supervisor *s, uint64_t id)
{
	vec_each (run, &s->runs)
		if (jobrun_id(*run) == id)
			return *run;
	return NULL;
}

static struct jobrun *going(const struct supervisor *s)
{
	vec_each (run, &s->runs)
		if (!jobrun_over(*run))
			return *run;
	return NULL;
}

uint64_t runs_going(const struct supervisor *s)
{
	struct jobrun *run = going(s);

	return run ? jobrun_id(run) : 0;
}

static int may_start(struct supervisor *s, const struct msg_start *start, struct identity *who,
		     struct err *err)
{
	const struct supervisor_options *o = s->options;
	struct reach reach;
	int rc;

	if (s->stopping)
		return err_set(err, ESHUTDOWN, "interrupted: the server was stopped");
	if (going(s))
		return err_set(err, EBUSY, "run %llu is still running; only one run at a time",
			       (unsigned long long)jobrun_id(going(s)));
	if (s->runs.len >= MOST_HELD)
		return err_set(err, EBUSY, "the ends of %zu runs were never taken", s->runs.len);
	rc = policy_who(o->policy, o->folder->own, start->person, who, err);
	if (rc)
		return rc;
	reach = reach_by(&o->policy->reach, supervisor_is_shared(s));
	return request_check(&reach, &s->family, who, o->folder->device, start, err);
}

/* One that is held already is told again, not run again. */
void runs_start(struct supervisor *s, struct msg_start *start)
{
	struct jobrun *held = find(s, start->run);
	struct identity who = { 0 };
	struct err err = { 0 };

	if (held) {
		jobrun_tell(held);
	} else if (may_start(s, start, &who, &err)) {
		struct msg_ended ended = { .run = start->run, .reason = err.text };

		supervisor_tell(s, &msg_ended, &ended);
	} else {
		struct jobrun *run = jobrun_start(s, start, &who);

		*vec_push(&s->runs) = run;
	}
	identity_fini(&who);
}

void runs_cancel(struct supervisor *s, uint64_t id)
{
	struct jobrun *run = find(s, id);

	if (run)
		jobrun_cancel(run);
}

void runs_control(struct supervisor *s, const struct msg_control *control)
{
	struct jobrun *run = find(s, control->run);

	if (run)
		jobrun_control(run, (enum run_control)control->action);
}

void runs_forget(struct supervisor *s, uint64_t id)
{
	struct jobrun *run = find(s, id);

	if (!run || !jobrun_over(run))
		return;
	vec_drop(&s->runs, run);
	jobrun_free(run);
}

void runs_tell(struct supervisor *s)
{
	vec_each (run, &s->runs) {
		struct msg_holds holds = { .run = jobrun_id(*run) };

		supervisor_tell(s, &msg_holds, &holds);
		jobrun_tell(*run);
	}
}

bool runs_interrupt(struct supervisor *s)
{
	struct jobrun *run = going(s);

	if (run)
		jobrun_interrupt(run);
	return run != NULL;
}

bool runs_know(const struct supervisor *s, pid_t pid)
{
	vec_each (run, &s->runs)
		if (jobrun_knows(*run, pid))
			return true;
	return false;
}

void runs_free(struct supervisor *s)
{
	vec_each (run, &s->runs)
		jobrun_free(*run);
	vec_free(&s->runs);
}
