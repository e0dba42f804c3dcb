// SPDX-License-Identifier: Apache-2.0
/* The own folders of runs that have been analysed: removed one after the other, by a process. */
#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "base/vec.h"
#include "jobs/folder.h"
#include "jobs/private.h"
#include "jobs/supervisor_inside.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define RETRY_NS   (60 * NS_PER_SEC)
#define TRIES_MOST 30

struct sweep_wanted {
	uint64_t run;
	unsigned tries;
};

struct privates {
	struct supervisor *s;
	struct child child;
	struct sweep_wanted now; /* whose folders it removes */
	VEC(struct sweep_wanted) waiting, failed;
};

struct privates *privates_new(struct supervisor *s)
{
	struct privates *privates = mem_alloc(sizeof(*privates));

	*privates = (struct privates){ .s = s, .child = { .pid = -1, .pidfd = -1 } };
	return privates;
}

static void start_next(struct privates *privates);

static void try_again(void *user)
{
	struct privates *privates = user;

	vec_each (failed, &privates->failed)
		*vec_push(&privates->waiting) = *failed;
	privates->failed.len = 0;
	start_next(privates);
}

/* What still writes there may have ended in a while. */
static void put_off(struct privates *privates)
{
	bool again = ++privates->now.tries < TRIES_MOST;

	log_line(LOG_WARN, "the folders of run %llu could not be removed%s",
		 (unsigned long long)privates->now.run, again ? ", and will be tried again" : "");
	if (!again)
		return;
	if (!privates->failed.len)
		evloop_at(privates->s->loop, clock_now_ns() + RETRY_NS, try_again, privates);
	*vec_push(&privates->failed) = privates->now;
}

static void ended(void *user, short revents)
{
	struct privates *privates = user;
	const struct child *child = &privates->child;

	(void)revents;
	if (!child_reap(&privates->child))
		return;
	if (!WIFEXITED(child->wait_status) || WEXITSTATUS(child->wait_status))
		put_off(privates);
	evloop_unwatch(privates->s->loop, child->pidfd);
	child_close(&privates->child);
	privates->now.run = 0;
	start_next(privates);
}

static void start_next(struct privates *privates)
{
	struct supervisor *s = privates->s;
	char number[32];
	char *argv[] = {
		(char *)"perfolio",
		(char *)"serve",
		(char *)"--role=sweep",
		(char *)"--data",
		s->options->folder->path,
		(char *)"--",
		number,
		NULL,
	};
	struct child_spec spec = {
		.argv = argv,
		.environment = s->environment,
		.self = true,
		.caps = caps_sweeping(),
		.fds = { -1, STDERR_FILENO, STDERR_FILENO },
		.fd_count = 3,
		.folder = "/",
		.gate = -1,
		.failure = -1,
	};
	struct err err = { 0 };

	if (privates->child.pid > 0 || !privates->waiting.len)
		return;
	privates->now = privates->waiting.data[0];
	privates->waiting.len--;
	memmove(privates->waiting.data, privates->waiting.data + 1,
		privates->waiting.len * sizeof(*privates->waiting.data));
	snprintf(number, sizeof(number), "%llu", (unsigned long long)privates->now.run);
	if (child_start(&privates->child, &spec, &err))
		log_line(LOG_WARN, "the folders of run %s stay: %s", number, err.text);
	else
		evloop_watch(s->loop, privates->child.pidfd, POLLIN, ended, privates);
}

/* Whatever number it is: only folders of the supervisor's own making are looked at. */
void privates_drop(struct privates *privates, uint64_t run)
{
	if (!run || runs_going(privates->s) == run || run == privates->now.run)
		return;
	vec_each (waiting, &privates->waiting)
		if (waiting->run == run)
			return;
	vec_each (failed, &privates->failed)
		if (failed->run == run)
			return;
	if (!private_exists(&(struct private_run){ .data = privates->s->options->folder->path,
						   .run = run }))
		return;
	*vec_push(&privates->waiting) = (struct sweep_wanted){ .run = run };
	start_next(privates);
}

bool privates_know(const struct privates *privates, pid_t pid)
{
	return privates && privates->child.pid == pid;
}

/* What is not removed by now, the next server's web side asks for. */
void privates_free(struct privates *privates)
{
	if (!privates)
		return;
	if (privates->child.pidfd >= 0)
		evloop_unwatch(privates->s->loop, privates->child.pidfd);
	child_close(&privates->child);
	evloop_never(privates->s->loop, try_again, privates);
	vec_free(&privates->waiting);
	vec_free(&privates->failed);
	free(privates);
}
