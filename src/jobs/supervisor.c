// SPDX-License-Identifier: Apache-2.0
#include "jobs/supervisor.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "jobs/roles.h"
#include "jobs/supervisor_inside.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define STOP_NS (5 * NS_PER_SEC) /* for what goes on, when we are to end */

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
	webside_stop(s);
}

static void take_signal(void *user, short revents)
{
	struct supervisor *s = user;
	struct signalfd_siginfo info;

	(void)revents;
	while (read(s->signal_fd, &info, sizeof(info)) == sizeof(info))
		stop(s);
}

static int catch_signals(struct supervisor *s, struct err *err)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
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
	};
	int rc = catch_signals(&s, err);

	s.analysers = analysers_new(&s);
	if (!rc)
		rc = webside_start(&s, err);
	if (!rc)
		rc = evloop_run(s.loop, err);
	if (!rc && s.status)
		rc = err_set(err, -s.status, "%s", s.failure.text);
	analysers_free(s.analysers);
	channel_free(s.channel);
	child_close(&s.web);
	if (s.signal_fd >= 0)
		close(s.signal_fd);
	role_environment_free(s.environment);
	evloop_free(s.loop);
	return rc;
}
