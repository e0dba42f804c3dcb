// SPDX-License-Identifier: Apache-2.0
#include "jobs/supervisor.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "bpf/states.h"
#include "jobs/accountmark.h"
#include "jobs/folder.h"
#include "jobs/orphans.h"
#include "jobs/roles.h"
#include "jobs/supervisor_inside.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define STOP_NS	 (10 * NS_PER_SEC) /* for what goes on, when we are to end */
#define STORE_NS (NS_PER_SEC)	   /* for the end of a run to be written down */

void supervisor_fail(struct supervisor *s, const struct err *why)
{
	s->failure = *why;
	s->status = -why->code;
	evloop_stop(s->loop);
}

static void give_up_waiting(void *user)
{
	struct supervisor *s = user;

	evloop_stop(s->loop);
}

static void stop(struct supervisor *s)
{
	if (s->stopping) {
		evloop_stop(s->loop);
		return;
	}
	s->stopping = true;
	evloop_at(s->loop, clock_now_ns() + STOP_NS, give_up_waiting, s);
	/* Before it hears of the end of a run, or it would take the next. */
	supervisor_tell(s, &msg_stopping, &(struct msg_stopping){ .runs = s->runs.len });
	if (!runs_interrupt(s))
		webside_stop(s);
}

/* The web side has a moment to put it into the store. */
static void stop_web(void *user)
{
	webside_stop(user);
}

void supervisor_run_over(struct supervisor *s)
{
	if (s->stopping)
		evloop_at(s->loop, clock_now_ns() + STORE_NS, stop_web, s);
}

bool supervisor_is_shared(struct supervisor *s)
{
	s->shared = s->shared || accountmark_there(s->options->folder->path);
	return s->shared;
}

bool supervisor_knows(const struct supervisor *s, pid_t pid)
{
	return s->web.pid == pid || analysers_know(s->analysers, pid) ||
	       questions_know(s->questions, pid) || privates_know(s->privates, pid) ||
	       runs_know(s, pid);
}

static void take_signal(void *user, short revents)
{
	struct supervisor *s = user;
	struct signalfd_siginfo info;

	(void)revents;
	while (read(s->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			orphans_reap(s);
		else
			stop(s);
	}
}

static int catch_signals(struct supervisor *s, struct err *err)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	s->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->signal_fd < 0)
		return err_set(err, errno, "signalfd: %s", strerror(errno));
	evloop_watch(s->loop, s->signal_fd, POLLIN, take_signal, s);
	return 0;
}

int supervisor_run(const struct supervisor_options *options, struct err *err)
{
	struct supervisor s = {
		.options = options,
		.loop = evloop_new(),
		.signal_fd = -1,
		.environment = role_environment(),
		.web = { .pid = -1, .pidfd = -1 },
		.family = family_own(),
	};
	int rc = catch_signals(&s, err);

	s.analysers = analysers_new(&s);
	s.questions = questions_new(&s);
	s.privates = privates_new(&s);
	if (!rc)
		rc = webside_start(&s, err);
	if (!rc)
		rc = evloop_run(s.loop, err);
	if (!rc && s.status)
		rc = err_set(err, -s.status, "%s", s.failure.text);
	runs_free(&s);
	states_close(s.states);
	analysers_free(s.analysers);
	questions_free(s.questions);
	privates_free(s.privates);
	channel_free(s.channel);
	child_close(&s.web);
	if (s.signal_fd >= 0)
		close(s.signal_fd);
	role_environment_free(s.environment);
	evloop_free(s.loop);
	return rc;
}
