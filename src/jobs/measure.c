// SPDX-License-Identifier: Apache-2.0
#include "jobs/measure.h"
#include "base/err.h"
#include "base/vec.h"
#include "jobs/evloop.h"
#include "jobs/identity.h"
#include "jobs/policy.h"
#include "jobs/protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SAID_MOST 8192

enum measure_fd { FD_STDIN, FD_STDOUT, FD_STDERR, FD_WORDS, FD_ACKS, FD_SERIES, FDS };

/* ---- its command line ---- */

static void __attribute__((format(printf, 2, 3))) add(struct strlist *argv, const char *format, ...)
{
	struct buf text = { 0 };
	va_list args;

	va_start(args, format);
	buf_vprintf(&text, format, args);
	va_end(args);
	*vec_push(argv) = text.data; /* the list frees it */
}

static void add_target(struct strlist *argv, const struct measure_options *options)
{
	const struct msg_start *start = options->start;

	switch (start->target) {
	case TARGET_COMMAND: add(argv, "--pid=%d", (int)options->workload); break;
	case TARGET_PROCESS:
		add(argv, "--pid=%s", start->who);
		if (start->children)
			add(argv, "--tree");
		break;
	case TARGET_THREAD: add(argv, "--tid=%s", start->who); break;
	case TARGET_USER: add(argv, "--uid=%s", start->who); break;
	default: add(argv, "--all-cpus"); break;
	}
	if (options->own)
		add(argv, "--owner=%u:%u", (unsigned)options->who->uid,
		    (unsigned)options->who->gid);
}

static void add_record(struct strlist *argv, const struct measure_options *options)
{
	const struct msg_start *start = options->start;

	add(argv, "--output=-"); /* standard output is the file */
	add(argv, "--read-along");
	if (options->workload && options->group)
		add(argv, "--tree-cgroup=%s", options->group);
	add(argv, "--sample-cpu"); /* views have lanes of CPUs */
	if (*start->sample_events)
		add(argv, "--event=%s", start->sample_events);
	if (*start->rate == 'c')
		add(argv, "--count=%s", start->rate + 1);
	else if (*start->rate)
		add(argv, "--freq=%s", start->rate);
	if (*start->call_graph)
		add(argv, "--call-graph=%s", start->call_graph);
	if (options->most_bytes)
		add(argv, "--max-size=%lluB", (unsigned long long)options->most_bytes);
	/* as root it would write into root's home, where no analyser looks; and of what lies in a
	 * run's own /tmp there need be no copy */
	if (policy_fences(options->who) || options->apart)
		add(argv, "--no-buildid-cache");
	vec_each (word, &start->record_options)
		add(argv, "%s", *word);
}

static void add_stat(struct strlist *argv, const struct measure_options *options)
{
	const struct msg_start *start = options->start;

	add(argv, "--series=%d", FD_SERIES);
	add(argv, "--interval-print=%lluus", (unsigned long long)start->interval_ns / 1000);
	if (*start->count_events)
		add(argv, "--event=%s", start->count_events);
	vec_each (word, &start->stat_options)
		add(argv, "%s", *word);
}

static struct strlist command_line(const struct measure_options *options)
{
	struct strlist argv = { 0 };

	add(&argv, "perfolio");
	if (policy_fences(options->who)) {
		add(&argv, "serve");
		add(&argv, "--role=fenced");
	}
	add(&argv, options->record ? "record" : "stat");
	add(&argv, "--control=fd:%d,%d", FD_WORDS, FD_ACKS);
	add_target(&argv, options);
	if (options->record)
		add_record(&argv, options);
	else
		add_stat(&argv, options);
	vec_push(&argv);
	return argv;
}

/* ---- what it says ---- */

bool measure_ended(const struct measure *measure)
{
	return measure->child.ended || measure->child.pid <= 0;
}

bool measure_failed(const struct measure *measure)
{
	const struct child *child = &measure->child;

	return child->ended && (!WIFEXITED(child->wait_status) || WEXITSTATUS(child->wait_status));
}

static void close_fd(struct measure *measure, int *fd)
{
	if (*fd < 0)
		return;
	evloop_unwatch(measure->loop, *fd);
	close(*fd);
	*fd = -1;
}

static void read_said(struct measure *measure)
{
	char bytes[1024];
	ssize_t got;

	while ((got = read(measure->said_fd, bytes, sizeof(bytes))) > 0)
		if (measure->said.len + (size_t)got <= SAID_MOST)
			buf_add(&measure->said, bytes, (size_t)got);
	if (got == 0)
		close_fd(measure, &measure->said_fd);
}

static void said_ready(void *user, short revents)
{
	(void)revents;
	read_said(user);
}

/* The first answer, to the `ping` of the start, means that all is open and counts. */
static void acks_ready(void *user, short revents)
{
	struct measure *measure = user;
	char bytes[64];
	ssize_t got = read(measure->acks, bytes, sizeof(bytes));

	(void)revents;
	if (got == 0)
		close_fd(measure, &measure->acks);
	if (got <= 0 || measure->ready)
		return;
	measure->ready = true;
	measure->changed(measure->user);
}

static void ended(void *user, short revents)
{
	struct measure *measure = user;

	(void)revents;
	if (!child_reap(&measure->child))
		return;
	evloop_unwatch(measure->loop, measure->child.pidfd);
	if (measure->said_fd >= 0)
		read_said(measure);
	measure->changed(measure->user);
}

/* ---- its life ---- */

static int make_pipe(int *ours, int *theirs, bool we_read, struct err *err)
{
	int pair[2];

	if (pipe2(pair, O_CLOEXEC))
		return err_set(err, errno, "pipe: %s", strerror(errno));
	*ours = pair[we_read ? 0 : 1];
	*theirs = pair[we_read ? 1 : 0];
	fcntl(*ours, F_SETFL, O_NONBLOCK);
	return 0;
}

static int start_process(struct measure *measure, const struct measure_options *options,
			 struct err *err)
{
	const struct msg_start *start = options->start;
	struct strlist argv = command_line(options);
	struct child_spec spec = {
		.argv = argv.data,
		.environment = options->environment,
		.self = true,
		.caps = policy_fences(options->who) ? caps_measuring() : CAPS_ALL,
		.fds = { [FD_STDIN] = -1,
			 [FD_STDOUT] = options->record ? start->recording : -1,
			 [FD_STDERR] = -1,
			 [FD_WORDS] = -1,
			 [FD_ACKS] = -1,
			 [FD_SERIES] = options->record ? -1 : start->series },
		.fd_count = FDS,
		.folder = "/",
		.gate = -1,
		.failure = -1,
	};
	int rc = make_pipe(&measure->words, &spec.fds[FD_WORDS], false, err);

	if (!rc)
		rc = make_pipe(&measure->acks, &spec.fds[FD_ACKS], true, err);
	if (!rc)
		rc = make_pipe(&measure->said_fd, &spec.fds[FD_STDERR], true, err);
	if (!rc)
		rc = child_start(&measure->child, &spec, err);
	for (int fd = FD_STDERR; fd <= FD_ACKS; fd++)
		if (spec.fds[fd] >= 0)
			close(spec.fds[fd]);
	strlist_free(&argv);
	return rc;
}

int measure_start(struct measure *measure, struct evloop *loop,
		  const struct measure_options *options, struct err *err)
{
	int rc;

	*measure = (struct measure){
		.loop = loop,
		.record = options->record,
		.child = { .pid = -1, .pidfd = -1 },
		.words = -1,
		.acks = -1,
		.said_fd = -1,
		.changed = options->changed,
		.user = options->user,
	};
	rc = start_process(measure, options, err);
	if (rc) {
		measure_close(measure);
		return rc;
	}
	evloop_watch(loop, measure->child.pidfd, POLLIN, ended, measure);
	evloop_watch(loop, measure->acks, POLLIN, acks_ready, measure);
	evloop_watch(loop, measure->said_fd, POLLIN, said_ready, measure);
	measure_tell(measure, "ping");
	return 0;
}

void measure_tell(struct measure *measure, const char *word)
{
	char line[32];
	int length = snprintf(line, sizeof(line), "%s\n", word);

	/* a pipe that is full or closed: it will be ended in another way */
	if (measure->words >= 0 && write(measure->words, line, (size_t)length) < 0)
		close_fd(measure, &measure->words);
}

void measure_kill(struct measure *measure)
{
	measure->killed = true;
	child_kill(&measure->child, SIGKILL);
}

void measure_close(struct measure *measure)
{
	if (!measure->loop)
		return;
	evloop_unwatch(measure->loop, measure->child.pidfd);
	child_close(&measure->child);
	close_fd(measure, &measure->words);
	close_fd(measure, &measure->acks);
	close_fd(measure, &measure->said_fd);
	buf_free(&measure->said);
}
