// SPDX-License-Identifier: Apache-2.0
/* The processes that read what is hostile, one a job. */
#include "base/clock.h"
#include "base/err.h"
#include "base/vec.h"
#include "jobs/folder.h"
#include "jobs/policy.h"
#include "jobs/private.h"
#include "jobs/roles.h"
#include "jobs/supervisor_inside.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST 32 /* at the same time: the web side asks for far fewer */

struct analyser {
	struct analysers *all;
	uint64_t job;
	struct child child;
	bool stopped; /* by the web side */
};

struct analysers {
	struct supervisor *s;
	VEC(struct analyser *) list;
};

struct analysers *analysers_new(struct supervisor *s)
{
	struct analysers *analysers = mem_alloc(sizeof(*analysers));

	analysers->s = s;
	return analysers;
}

static void tell_end(struct supervisor *s, uint64_t job, bool failed, const char *reason)
{
	struct msg_job_ended ended = { .job = job, .failed = failed, .reason = reason };

	supervisor_tell(s, &msg_job_ended, &ended);
}

static void forget(struct analyser *analyser)
{
	struct analysers *all = analyser->all;

	vec_drop(&all->list, analyser);
	evloop_unwatch(all->s->loop, analyser->child.pidfd);
	child_close(&analyser->child);
	free(analyser);
}

static void ended(void *user, short revents)
{
	struct analyser *analyser = user;
	const struct child *child = &analyser->child;
	char how[100] = "";
	bool failed;

	(void)revents;
	if (!child_reap(&analyser->child))
		return;
	failed = !WIFEXITED(child->wait_status) || WEXITSTATUS(child->wait_status);
	if (failed && analyser->stopped)
		snprintf(how, sizeof(how), "it was stopped");
	else if (failed)
		child_ending(child, how, sizeof(how));
	tell_end(analyser->all->s, analyser->job, failed, how);
	forget(analyser);
}

static int start(struct supervisor *s, struct analyser *analyser, const struct msg_analyse *ask,
		 struct err *err)
{
	const struct policy *policy = s->options->policy;
	char memory[50], time[50], user[80];
	struct identity who;
	int rc = policy_who(policy, s->options->folder->own, ask->person, &who, err);
	char *argv[] = { (char *)"perfolio",
			 (char *)"serve",
			 (char *)"--role=analyser",
			 memory,
			 time,
			 user,
			 ask->imported ? (char *)"--imported" : NULL,
			 NULL };
	int kallsyms = rc ? -1 : open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	struct private_run own = { .data = s->options->folder->path, .run = ask->run, .who = &who };
	struct child_spec spec = {
		.argv = argv,
		.environment = s->environment,
		.self = true,
		.caps = caps_analyser(),
		.fds = { -1, STDERR_FILENO,
			 STDERR_FILENO, [ROLE_CHANNEL] = ask->channel, [ROLE_KALLSYMS] = kallsyms },
		.fd_count = ROLE_KALLSYMS + 1,
		.folder = "/",
		.oom_score = OOM_ANALYSER,
		.gate = -1,
		.failure = -1,
	};

	if (rc)
		return rc;
	snprintf(memory, sizeof(memory), "--analyser-memory=%llu",
		 (unsigned long long)policy->analyser_memory);
	snprintf(time, sizeof(time), "--analyser-time=%llu",
		 (unsigned long long)(policy->analyser_ns / NS_PER_SEC));
	policy_say_user(policy, &who, user, sizeof(user));
	if (private_exists(&own))
		spec.own = &own;
	rc = child_start(&analyser->child, &spec, err);
	if (kallsyms >= 0)
		close(kallsyms);
	identity_fini(&who);
	return rc;
}

void analysers_start(struct analysers *analysers, struct msg_analyse *ask)
{
	struct analyser *analyser;
	struct err err = { 0 };

	if (analysers->list.len >= MOST) {
		tell_end(analysers->s, ask->job, true, "too many analysers run already");
		return;
	}
	analyser = mem_alloc(sizeof(*analyser));
	*analyser = (struct analyser){ .all = analysers, .job = ask->job };
	if (start(analysers->s, analyser, ask, &err)) {
		tell_end(analysers->s, ask->job, true, err.text);
		free(analyser);
		return;
	}
	*vec_push(&analysers->list) = analyser;
	evloop_watch(analysers->s->loop, analyser->child.pidfd, POLLIN, ended, analyser);
}

void analysers_stop(struct analysers *analysers, uint64_t job)
{
	vec_each (analyser, &analysers->list)
		if ((*analyser)->job == job) {
			(*analyser)->stopped = true;
			child_kill(&(*analyser)->child, SIGKILL);
		}
}

bool analysers_know(const struct analysers *analysers, pid_t pid)
{
	vec_each (analyser, &analysers->list)
		if ((*analyser)->child.pid == pid)
			return true;
	return false;
}

void analysers_end(struct analysers *analysers)
{
	while (analysers->list.len)
		forget(analysers->list.data[0]);
}

void analysers_free(struct analysers *analysers)
{
	if (!analysers)
		return;
	analysers_end(analysers);
	vec_free(&analysers->list);
	free(analysers);
}
