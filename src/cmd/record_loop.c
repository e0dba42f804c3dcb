// SPDX-License-Identifier: Apache-2.0
#include "cmd/record_loop.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/text.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define NEVER	    INT64_MAX
#define GRACE_NS    (2 * NS_PER_SEC) /* for a command that was told to end */
#define PROGRESS_NS (NS_PER_SEC / 2)

enum { FD_SIGNAL, FD_COMMAND, FD_TARGET, FD_CONTROL, FD_RECORDING, FD_COUNT };

struct run {
	struct record_loop *loop;
	struct pollfd fds[FD_COUNT];
	int64_t started_ns;
	int64_t enable_at, timeout_at, kill_at, switch_at, progress_at;
	bool asked_to_end, over, progress_shown;
};

int record_catch_signals(sigset_t *before, struct err *err)
{
	static const int wanted[] = { SIGINT, SIGTERM, SIGHUP, SIGUSR2 };
	struct sigaction action;
	sigset_t set;
	int fd;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		/* what was ignored stays so: nohup, jobs in the background of a script */
		if (!sigaction(wanted[i], NULL, &action) && action.sa_handler != SIG_IGN)
			sigaddset(&set, wanted[i]);
	}
	sigprocmask(SIG_BLOCK, &set, before);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? err_set(err, errno, "signalfd: %s", strerror(errno)) : fd;
}

static void finish(struct run *run, enum record_end end)
{
	if (!run->over)
		run->loop->end = end;
	run->over = true;
}

/* The command is what is recorded, not only the clock. */
static bool command_is_target(const struct run *run)
{
	return run->loop->target->kind == TARGET_COMMAND;
}

/* One that is recorded is waited for, so that its end is in the file and its status is its own. */
static void end_command(struct run *run, int signo, enum record_end why)
{
	struct workload *workload = run->loop->workload;

	if (!workload || !command_is_target(run)) {
		finish(run, why);
		return;
	}
	if (signo)
		kill(workload->pid, signo);
	run->asked_to_end = true;
	run->loop->end = why;
	run->kill_at = clock_now_ns() + GRACE_NS;
}

static int switch_file(struct run *run, struct err *err)
{
	const char *path = NULL;
	int rc = recording_switch(run->loop->recording, &path, err);

	if (!rc && !run->loop->options->quiet)
		fprintf(stderr, "[ perfolio record: wrote %s ]\n", path);
	return rc;
}

/*
 * The terminal sends Ctrl-C to the command as well, kill(1) sends it only to us.  A command that
 * takes no notice of Ctrl-C goes on, as it would without us; the second one ends the run.
 */
static int take_signal(struct run *run, struct err *err)
{
	struct signalfd_siginfo info;
	bool again = run->loop->signal != 0, from_terminal;

	if (read(run->loop->signal_fd, &info, sizeof(info)) != sizeof(info))
		return 0;
	if (info.ssi_signo == SIGUSR2)
		return run->loop->options->switching ? switch_file(run, err) : 0;
	run->loop->signal = (int)info.ssi_signo;
	if (again) {
		finish(run, RECORD_SIGNAL);
		return 0;
	}
	from_terminal = info.ssi_code == SI_KERNEL;
	end_command(run, from_terminal ? 0 : (int)info.ssi_signo, RECORD_SIGNAL);
	if (info.ssi_signo == SIGINT && from_terminal)
		run->kill_at = NEVER;
	return 0;
}

static int take_word(struct run *run, enum control_word word, struct err *err)
{
	struct record_loop *loop = run->loop;
	int rc = 0;

	switch (word) {
	case CONTROL_ENABLE: rc = recording_enable(loop->recording, err); break;
	case CONTROL_DISABLE: rc = recording_disable(loop->recording, err); break;
	case CONTROL_STOP: end_command(run, SIGTERM, RECORD_STOPPED); break;
	case CONTROL_PING: break;
	default:
		fprintf(stderr,
			"perfolio record: --control: '%s' is none of enable, disable, ping and "
			"stop\n",
			word == CONTROL_RESET ? "reset" : control_unknown(loop->control));
		return 0;
	}
	if (!rc)
		control_acknowledge(loop->control);
	return rc;
}

static int take_words(struct run *run, struct err *err)
{
	enum control_word word;
	int rc = 0;

	while (!rc && (word = control_next(run->loop->control)) != CONTROL_NONE)
		rc = take_word(run, word, err);
	if (run->loop->control->ended)
		run->fds[FD_CONTROL].fd = -1;
	return rc;
}

static void take_end_of_command(struct run *run)
{
	if (workload_reap(run->loop->workload, false))
		finish(run, run->asked_to_end ? run->loop->end : RECORD_COMMAND_ENDED);
}

/* ---- progress ---- */

static bool wants_progress(const struct run *run)
{
	const struct record_loop *loop = run->loop;

	/* A command that is recorded and writes to the same terminal is not disturbed. */
	return !loop->options->quiet && isatty(STDERR_FILENO) &&
	       (!loop->workload || !command_is_target(run) || !isatty(STDOUT_FILENO));
}

static void show_progress(struct run *run)
{
	struct drain_progress now = recording_progress(run->loop->recording);
	char samples[TEXT_NUMBER], lost[TEXT_NUMBER], seconds[TEXT_NUMBER], size[TEXT_NUMBER];

	run->progress_at += PROGRESS_NS;
	fprintf(stderr, "\rrecording: %s s, %s samples, %s MB, %s lost \x1b[K",
		text_decimal(seconds, (double)(clock_now_ns() - run->started_ns) / NS_PER_SEC, 1,
			     true),
		text_grouped(samples, now.samples),
		text_decimal(size, (double)now.bytes / 1e6, 1, true), text_grouped(lost, now.lost));
	run->progress_shown = true;
}

static void clear_progress(struct run *run)
{
	if (run->progress_shown)
		fputs("\r\x1b[K", stderr);
	run->progress_shown = false;
}

/* ---- time ---- */

static bool file_is_full(struct run *run)
{
	uint64_t most = run->loop->options->switch_bytes;

	return most && recording_progress(run->loop->recording).file_bytes >= most;
}

static int take_time(struct run *run, struct err *err)
{
	int64_t now = clock_now_ns();
	int rc = 0;

	if (now >= run->kill_at) {
		kill(run->loop->workload->pid, SIGKILL);
		run->kill_at = NEVER;
	}
	if (now >= run->timeout_at) {
		run->timeout_at = NEVER;
		end_command(run, SIGTERM, RECORD_TIMEOUT);
	}
	if (now >= run->enable_at && !run->over) {
		run->enable_at = NEVER;
		rc = recording_enable(run->loop->recording, err);
	}
	if (!rc && now >= run->switch_at) {
		bool due = run->loop->options->switch_ns || file_is_full(run);

		run->switch_at = now + (run->loop->options->switch_ns
						? run->loop->options->switch_ns
						: PROGRESS_NS);
		if (due)
			rc = switch_file(run, err);
	}
	if (!rc && now >= run->progress_at)
		show_progress(run);
	return rc;
}

static int64_t next_time(const struct run *run)
{
	const int64_t times[] = { run->enable_at, run->timeout_at, run->kill_at, run->switch_at,
				  run->progress_at };
	int64_t next = NEVER;

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		if (times[i] < next)
			next = times[i];
	return next;
}

/* ---- the run ---- */

static void watch(struct run *run, int which, int fd)
{
	run->fds[which] = (struct pollfd){ .fd = fd, .events = POLLIN };
}

static void watch_all(struct run *run)
{
	const struct record_loop *loop = run->loop;
	bool tasks = loop->target->kind == TARGET_TASKS && !loop->workload;

	watch(run, FD_SIGNAL, loop->signal_fd);
	watch(run, FD_COMMAND, loop->workload ? loop->workload->pidfd : -1);
	watch(run, FD_TARGET, tasks ? loop->target->watch.fd : -1);
	watch(run, FD_CONTROL, loop->control ? loop->control->fd : -1);
	watch(run, FD_RECORDING, recording_fd(loop->recording));
}

static int begin(struct run *run, struct err *err)
{
	struct record_loop *loop = run->loop;
	const struct record_options *o = loop->options;
	int rc = 0;

	if (!o->delay_ns && !command_is_target(run))
		rc = recording_enable(loop->recording, err);
	run->started_ns = clock_now_ns();
	if (!rc && loop->workload) {
		recording_started(loop->recording);
		rc = workload_start(loop->workload, err);
	}
	if (o->delay_ns > 0)
		run->enable_at = run->started_ns + o->delay_ns;
	if (o->timeout_ns)
		run->timeout_at = run->started_ns + o->timeout_ns;
	if (o->switch_ns || o->switch_bytes)
		run->switch_at = run->started_ns + (o->switch_ns ? o->switch_ns : PROGRESS_NS);
	if (wants_progress(run))
		run->progress_at = run->started_ns + NS_PER_SEC;
	return rc;
}

static int wait_for_something(struct run *run)
{
	int64_t next = next_time(run), left = next == NEVER ? 0 : next - clock_now_ns();
	struct timespec timeout;

	if (left < 0)
		left = 0;
	timeout = (struct timespec){ .tv_sec = left / NS_PER_SEC, .tv_nsec = left % NS_PER_SEC };
	if (ppoll(run->fds, FD_COUNT, next == NEVER ? NULL : &timeout, NULL) >= 0)
		return 0;
	for (int i = 0; i < FD_COUNT; i++)
		run->fds[i].revents = 0;
	return errno == EINTR ? 0 : -errno;
}

static int step(struct run *run, struct err *err)
{
	int rc = wait_for_something(run);

	if (rc)
		return err_set(err, -rc, "waiting: %s", strerror(-rc));
	if (run->fds[FD_CONTROL].revents)
		rc = take_words(run, err);
	if (!rc && run->fds[FD_SIGNAL].revents)
		rc = take_signal(run, err);
	if (rc)
		return rc;
	if (run->fds[FD_COMMAND].revents)
		take_end_of_command(run);
	if (run->fds[FD_TARGET].revents && !target_alive(run->loop->target))
		finish(run, RECORD_TARGET_GONE);
	if (run->fds[FD_RECORDING].revents)
		finish(run, RECORD_BROKE);
	return take_time(run, err);
}

int record_loop_run(struct record_loop *loop, struct err *err)
{
	struct run run = {
		.loop = loop,
		.enable_at = NEVER,
		.timeout_at = NEVER,
		.kill_at = NEVER,
		.switch_at = NEVER,
		.progress_at = NEVER,
	};
	int rc = begin(&run, err);

	watch_all(&run);
	while (!rc && !run.over)
		rc = step(&run, err);
	clear_progress(&run);
	return rc;
}
