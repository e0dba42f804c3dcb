// SPDX-License-Identifier: Apache-2.0
#include "cmd/analyser.h"
#include "base/err.h"
#include "base/leaks.h"
#include "base/log.h"
#include "base/text.h"
#include "cmd/analyser_inside.h"
#include "cmd/command.h"
#include "jobs/opener.h"
#include "jobs/sandbox.h"
#include "store/room.h"
#include "symbol/symbol.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define CPU_SECONDS  600
#define LEAST_MEMORY ((uint64_t)1 << 30)

/*
 * What it says when it can say nothing else: messages that were made at the beginning.  Messages
 * go out whole, so the channel is between two of them whenever this is written.
 */
static struct {
	int channel;
	struct buf no_memory, no_time, no_room;
} last_words;

static void say_and_end(const struct buf *words)
{
	ssize_t ignored = write(last_words.channel, words->data, words->len);

	(void)ignored;
	_exit(EXIT_FAILED);
}

static void out_of_memory(void)
{
	say_and_end(&last_words.no_memory);
}

static void out_of_time(int signo)
{
	(void)signo;
	say_and_end(&last_words.no_time);
}

/* A file that has reached its limit: what is left to do would be for nothing. */
static void out_of_room(int signo)
{
	(void)signo;
	say_and_end(&last_words.no_room);
}

static void make_words(struct buf *into, const struct msg_finished *message)
{
	int fds[IPC_MOST_FDS];

	buf_clear(into);
	ipc_encode(&analysis_protocol, &msg_finished, message, into, fds, NULL);
}

static void prepare_last_words(const struct analyser *a, uint64_t memory)
{
	char reason[200];
	struct msg_finished message = { .failed = true, .reason = reason };

	last_words.channel = channel_fd(a->channel);
	snprintf(reason, sizeof(reason),
		 "it takes more memory than an analyser may have (%llu MiB)",
		 (unsigned long long)(memory >> 20));
	make_words(&last_words.no_memory, &message);
	snprintf(reason, sizeof(reason), "it takes more than %llu s of CPU time",
		 (unsigned long long)a->cpu_s);
	make_words(&last_words.no_time, &message);
	mem_on_exhaustion(out_of_memory);
	signal(SIGXCPU, out_of_time);
	signal(SIGXFSZ, SIG_IGN);
}

void analyser_limit_cpu(const struct analyser *a)
{
	struct rusage used;
	struct rlimit limit;

	if (getrusage(RUSAGE_SELF, &used) || getrlimit(RLIMIT_CPU, &limit))
		return;
	limit.rlim_cur = (rlim_t)used.ru_utime.tv_sec + (rlim_t)used.ru_stime.tv_sec + 1 + a->cpu_s;
	limit.rlim_max = limit.rlim_cur + 1; /* for one that does not listen to the signal */
	setrlimit(RLIMIT_CPU, &limit);
}

/*
 * What is small when it is packed, or says little in a few bytes, must not fill the disk: of what
 * is above its floor the other half is for everybody else.
 */
void analyser_limit_output(const struct analyser *a)
{
	char reason[200], size[TEXT_NUMBER];
	struct msg_finished message = { .failed = true, .reason = reason };
	struct rlimit limit;
	struct disk disk;
	rlim_t most;

	if (a->job->out < 0 || disk_look(a->job->out, &disk) || getrlimit(RLIMIT_FSIZE, &limit))
		return;
	most = disk.left > disk.floor ? (rlim_t)(disk.left - disk.floor) / 2 : 0;
	message.no_room = !a->job->most || most < a->job->most;
	message.too_large = !message.no_room;
	if (message.too_large)
		most = a->job->most;
	/* one that was taken over does not raise it again */
	if (a->job->most && a->job->most < limit.rlim_max)
		limit.rlim_max = a->job->most;
	limit.rlim_cur = most < limit.rlim_max ? most : limit.rlim_max;
	setrlimit(RLIMIT_FSIZE, &limit);
	snprintf(reason, sizeof(reason),
		 message.no_room ? "the disk is full: there is room for %s, and this needs more"
				 : "it would be larger than %s, the most that this server makes "
				   "(--max-export)",
		 text_bytes(size, (uint64_t)limit.rlim_cur));
	make_words(&last_words.no_room, &message);
	signal(SIGXFSZ, out_of_room);
}

struct msg_input *analyser_input(const struct analyser *a, const char *kind)
{
	for (size_t i = 0; i < a->inputs.len; i++)
		if (!strcmp(a->inputs.data[i]->kind, kind))
			return a->inputs.data[i];
	return NULL;
}

static int take(struct analyser *a, const struct ipc_type *type, void *message, struct err *err)
{
	if (type == &msg_input)
		*vec_push(&a->inputs) = message;
	else if (type == &msg_job && !a->job)
		a->job = message;
	else if (type == &msg_complete)
		a->complete = true;
	else
		return err_set(err, EPROTO, "an analyser was told '%s'", type->name);
	return 0;
}

int analyser_listen(struct analyser *a, int timeout_ms, struct err *err)
{
	struct pollfd poll_fd = { .fd = channel_fd(a->channel),
				  .events = channel_wants(a->channel) };
	const struct ipc_type *type;
	void *message;
	int rc;

	if (poll(&poll_fd, 1, timeout_ms) < 0 && errno != EINTR)
		return err_set(err, errno, "poll: %s", strerror(errno));
	rc = channel_flush(a->channel, err);
	while (!rc && (rc = channel_receive(a->channel, &a->arena, &type, &message, err)) > 0)
		rc = take(a, type, message, err);
	return rc;
}

int analyser_tell(struct analyser *a, const struct ipc_type *type, const void *message,
		  struct err *err)
{
	int rc = channel_send(a->channel, type, message, err);

	while (!rc && channel_wants(a->channel) & POLLOUT)
		rc = analyser_listen(a, -1, err);
	return rc;
}

static void say_what_is_missing(const struct buf *missing)
{
	if (missing->len)
		log_line(LOG_DEBUG, "sandbox: %s", buf_text(missing));
}

int analyser_fence(struct analyser *a, bool host_files, struct err *err)
{
	struct sandbox_files files = { .readable = host_files,
				       .forbidden = *a->job->avoid ? a->job->avoid : NULL };
	struct buf missing = { 0 };
	int rc = sandbox_files(&files, &missing, err);

	if (!rc && host_files && a->opener >= 0)
		rc = opener_use(a->opener, files.forbidden, err);
	say_what_is_missing(&missing);
	buf_free(&missing);
	return rc;
}

static int run_job(struct analyser *a, struct err *err)
{
	switch (a->job->kind) {
	case ANALYSE_INDEX: return analyse_index(a, err);
	case ANALYSE_FOLLOW: return analyse_follow(a, err);
	case ANALYSE_EXPORT: return analyse_export(a, err);
	case ANALYSE_SESSION: return analyse_session(a, err);
	case ANALYSE_CHECK: return analyse_check(a, err);
	default: return err_set(err, EPROTO, "an analyser has no such job");
	}
}

/* Files are read as standard input; people know them by another name. */
static void name_the_file(const struct analyser *a, struct err *err)
{
	static const char here[] = "standard input";
	char *rest;

	if (strncmp(err->text, here, sizeof(here) - 1) || !a->inputs.len)
		return;
	rest = mem_strdup(err->text + sizeof(here) - 1);
	err_set(err, err->code, "%.200s%s", a->inputs.data[0]->name, rest);
	free(rest);
}

/*
 * What was asked was wrong, and nothing failed: an event that is not there, an expression that is
 * none, a file that is no profile.
 */
static bool is_refused(const struct analyser *a, int rc)
{
	if (!a->job)
		return false;
	if (a->job->kind == ANALYSE_EXPORT)
		return rc == -EINVAL || rc == -ENOENT;
	return a->job->kind == ANALYSE_CHECK && (rc == -EBADMSG || rc == -ENODATA);
}

static int tell_end(struct analyser *a, int rc, struct err *err)
{
	struct msg_finished message = { .failed = rc != 0,
					.refused = is_refused(a, rc),
					.no_room = rc == -ENOSPC || rc == -EDQUOT,
					.reason = rc ? err->text : "",
					.quality = buf_text(&a->quality),
					.facts = buf_text(&a->facts) };

	return analyser_tell(a, &msg_finished, &message, err);
}

/* The library's notes are for people at a terminal; here the answer tells what there is to say. */
static void drop_notes(enum log_level level, const char *text, void *user)
{
	(void)level;
	(void)text;
	(void)user;
}

static uint64_t half_of_memory(void)
{
	uint64_t bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 2;

	return bytes < LEAST_MEMORY ? LEAST_MEMORY : bytes;
}

static int begin(struct analyser *a, const struct analyser_start *start, struct err *err)
{
	struct sandbox sandbox = { .profile = SANDBOX_ANALYSER,
				   .memory = start->memory ? start->memory : half_of_memory() };
	struct buf missing = { 0 };
	int rc = sandbox_read_user(&sandbox, start->user, err);

	unsetenv("DEBUGINFOD_URLS"); /* there is no network in there */
	a->channel = channel_new(start->channel, &analysis_protocol);
	prepare_last_words(a, sandbox.memory);
	/* an import is of a time before it; and with no fence there is nothing to ask for */
	if (!rc && !a->imported && !leaks_wanted())
		rc = a->opener = opener_start(&sandbox, err);
	if (rc >= 0)
		rc = sandbox_enter(&sandbox, &missing, err);
	say_what_is_missing(&missing);
	buf_free(&missing);
	while (!rc && !a->job)
		rc = analyser_listen(a, -1, err);
	return rc;
}

_Noreturn void analyser_main(const struct analyser_start *start)
{
	struct analyser a = { .imported = start->imported,
			      .opener = -1,
			      .cpu_s = start->cpu_s ? start->cpu_s : CPU_SECONDS };
	struct err err = { 0 };
	int rc = begin(&a, start, &err);

	/* Not exit(): what libraries do at the end knows nothing of the fence around it. */
	if (rc) { /* nobody to tell */
		log_line(rc == -EPIPE ? LOG_DEBUG : LOG_ERROR, "analyser: %s", err.text);
		_exit(rc == -EPIPE ? EXIT_DONE : EXIT_FAILED);
	}
	symbol_kernel_list(start->kallsyms, start->imported);
	if (!getenv("PERFOLIO_DEBUG"))
		log_set_sink(drop_notes, NULL);
	analyser_limit_output(&a);
	if (a.job->kind != ANALYSE_FOLLOW)
		analyser_limit_cpu(&a);
	rc = run_job(&a, &err);
	name_the_file(&a, &err);
	rc = tell_end(&a, rc, &err);
	_exit(rc || leaks_found() ? EXIT_FAILED : EXIT_DONE);
}
