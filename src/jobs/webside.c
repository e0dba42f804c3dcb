// SPDX-License-Identifier: Apache-2.0
#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "jobs/folder.h"
#include "jobs/listener.h"
#include "jobs/policy.h"
#include "jobs/roles.h"
#include "jobs/supervisor_inside.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define FIRST_PAUSE (100 * NS_PER_MSEC)
#define MOST_PAUSE  (30 * NS_PER_SEC)
#define AT_ONCE	    64		      /* messages, before others have their turn */
#define STEADY_NS   (60 * NS_PER_SEC) /* one that lived so long is started again at once */

static void start_again(void *user)
{
	struct supervisor *s = user;
	struct err err = { 0 };

	if (!s->stopping && webside_start(s, &err))
		supervisor_fail(s, &err);
}

static void receive_again(void *user);

static void drop_channel(struct supervisor *s)
{
	if (!s->channel)
		return;
	evloop_unwatch(s->loop, channel_fd(s->channel));
	evloop_never(s->loop, receive_again, s);
	channel_free(s->channel);
	s->channel = NULL;
	s->up = false;
}

static void steady(void *user)
{
	struct supervisor *s = user;

	s->pause_ns = FIRST_PAUSE;
}

/* One that never began has said why on standard error: again would be the same. */
static void web_ended(void *user, short revents)
{
	struct supervisor *s = user;
	struct err err = { 0 };
	char how[100];

	(void)revents;
	if (!child_reap(&s->web))
		return;
	child_ending(&s->web, how, sizeof(how));
	evloop_unwatch(s->loop, s->web.pidfd);
	evloop_never(s->loop, steady, s);
	drop_channel(s);
	analysers_end(s->analysers);
	questions_end(s->questions); /* the next one's have the same numbers */
	if (s->stopping) {
		child_close(&s->web);
		evloop_stop(s->loop);
	} else if (!s->ever_up) {
		/* its own words tell more than its status; where there are none, ours have to do */
		err_set(&err, EIO,
			WIFSIGNALED(s->web.wait_status) ? "the web side ended by %s" : "%.0s", how);
		supervisor_fail(s, &err);
	} else {
		log_line(LOG_WARN, "the web side ended with %s and is started again", how);
		child_close(&s->web);
		evloop_at(s->loop, clock_now_ns() + s->pause_ns, start_again, s);
		s->pause_ns = s->pause_ns * 2 > MOST_PAUSE ? MOST_PAUSE : s->pause_ns * 2;
	}
}

/* It may have been taken over, or be at its end; it is started anew. */
static void end_it(struct supervisor *s, const char *why)
{
	if (!s->stopping)
		log_line(LOG_WARN, "the web side is ended: %s", why);
	drop_channel(s);
	child_kill(&s->web, SIGKILL);
}

/* One that never stops talking must not keep us from ending a run in time. */
static void receive(struct supervisor *s)
{
	const struct ipc_type *type;
	struct arena arena = { 0 };
	struct err err = { 0 };
	void *message;
	int rc = 1;

	for (int i = 0; rc > 0 && s->channel; i++) {
		if (i == AT_ONCE) {
			evloop_at(s->loop, clock_now_ns(), receive_again, s);
			return;
		}
		rc = channel_receive(s->channel, &arena, &type, &message, &err);
		if (rc > 0) {
			int done = dispatch(s, type, message, &err);

			ipc_release(type, message);
			rc = done ? done : 1;
		}
		arena_free(&arena);
	}
	if (rc == -EPIPE)
		drop_channel(s); /* its process will end, too */
	else if (rc < 0)
		end_it(s, err.text);
}

static void receive_again(void *user)
{
	struct supervisor *s = user;

	if (s->channel)
		receive(s);
}

static void channel_ready(void *user, short revents)
{
	struct supervisor *s = user;
	struct err err = { 0 };

	if (revents & POLLOUT && channel_flush(s->channel, &err)) {
		end_it(s, err.text);
		return;
	}
	receive(s);
	if (s->channel)
		evloop_change(s->loop, channel_fd(s->channel), channel_wants(s->channel));
}

void supervisor_tell(struct supervisor *s, const struct ipc_type *type, const void *message)
{
	struct err err = { 0 };

	if (!s->channel)
		return;
	if (channel_send(s->channel, type, message, &err)) {
		end_it(s, err.text);
		return;
	}
	evloop_change(s->loop, channel_fd(s->channel), channel_wants(s->channel));
}

static int start_process(struct supervisor *s, int theirs, struct err *err)
{
	const struct supervisor_options *o = s->options;
	char *argv[] = { (char *)"perfolio", (char *)"serve", (char *)"--role=web",
			 (char *)"--data",   o->folder->path, NULL };
	struct child_spec spec = {
		.argv = argv,
		.environment = s->environment,
		.self = true,
		.caps = CAPS_NONE,
		.who = &o->policy->web,
		.fds = { -1, STDERR_FILENO,
			 STDERR_FILENO, [ROLE_CHANNEL] = theirs, [ROLE_LISTENER] = o->listener->fd,
			 [ROLE_TLS_CERT] = o->tls_cert, [ROLE_TLS_KEY] = o->tls_key },
		.fd_count = o->tls_cert >= 0 ? ROLE_TLS_KEY + 1 : ROLE_LISTENER + 1,
		.folder = "/",
		.gate = -1,
		.failure = -1,
	};

	return child_start(&s->web, &spec, err);
}

int webside_start(struct supervisor *s, struct err *err)
{
	int pair[2];
	int rc = channel_pair(pair, err);

	if (rc)
		return rc;
	rc = start_process(s, pair[1], err);
	close(pair[1]);
	if (rc) {
		close(pair[0]);
		return rc;
	}
	if (!s->pause_ns)
		s->pause_ns = FIRST_PAUSE;
	s->channel = channel_new(pair[0], &runner_protocol);
	evloop_watch(s->loop, s->web.pidfd, POLLIN, web_ended, s);
	evloop_watch(s->loop, pair[0], channel_wants(s->channel), channel_ready, s);
	evloop_at(s->loop, clock_now_ns() + STEADY_NS, steady, s);
	greet(s);
	return 0;
}

/* The end of its channel is its end; web_ended() then stops the loop. */
void webside_stop(struct supervisor *s)
{
	drop_channel(s);
	if (s->web.pid <= 0)
		evloop_stop(s->loop);
}
