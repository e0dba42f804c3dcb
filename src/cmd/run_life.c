// SPDX-License-Identifier: Apache-2.0
#include "cmd/run_life.h"
#include "base/clock.h"
#include "base/err.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define GRACE_NS (2 * NS_PER_SEC) /* for a command that was told to end */

int run_catch_signals(int another, sigset_t *before, struct err *err)
{
	const int wanted[] = { SIGINT, SIGTERM, SIGHUP, another };
	struct sigaction action;
	sigset_t set;
	int fd;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		/* what was ignored stays so: nohup, jobs in the background of a script */
		if (wanted[i] && !sigaction(wanted[i], NULL, &action) &&
		    action.sa_handler != SIG_IGN)
			sigaddset(&set, wanted[i]);
	}
	sigprocmask(SIG_BLOCK, &set, before);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? err_set(err, errno, "signalfd: %s", strerror(errno)) : fd;
}

void run_life_begin(struct run_life *life, int own_fd)
{
	/* with a command, that is the clock */
	bool tasks = life->target->kind == TARGET_TASKS && !life->workload;
	const int fds[RUN_FDS] = {
		[RUN_FD_SIGNAL] = life->signal_fd,
		[RUN_FD_COMMAND] = life->workload ? life->workload->pidfd : -1,
		[RUN_FD_TARGET] = tasks ? life->target->watch.fd : -1,
		[RUN_FD_CONTROL] = life->control ? life->control->fd : -1,
		[RUN_FD_OWN] = own_fd,
		[RUN_FD_WIRE] = life->wire_fd > 0 ? life->wire_fd : -1,
	};

	for (int i = 0; i < RUN_FDS; i++)
		life->fds[i] = (struct pollfd){ .fd = fds[i], .events = POLLIN };
	life->enable_at = life->timeout_at = life->kill_at = RUN_NEVER;
}

bool run_life_is_command(const struct run_life *life)
{
	return life->target->kind == TARGET_COMMAND;
}

void run_life_finish(struct run_life *life, enum run_end end)
{
	if (!life->over)
		life->end = end;
	life->over = true;
}

void run_life_end_command(struct run_life *life, int signo, enum run_end why)
{
	if (!life->workload || !run_life_is_command(life)) {
		run_life_finish(life, why);
		return;
	}
	if (signo)
		kill(life->workload->pid, signo);
	life->asked_to_end = true;
	life->end = why;
	life->kill_at = clock_now_ns() + GRACE_NS;
}

int64_t run_life_next(const struct run_life *life)
{
	int64_t next = life->enable_at;

	if (life->timeout_at < next)
		next = life->timeout_at;
	return life->kill_at < next ? life->kill_at : next;
}

int run_life_wait(struct run_life *life, int64_t next, struct err *err)
{
	int64_t left = next == RUN_NEVER ? 0 : next - clock_now_ns();
	struct timespec timeout;

	if (left < 0)
		left = 0;
	timeout = (struct timespec){ .tv_sec = left / NS_PER_SEC, .tv_nsec = left % NS_PER_SEC };
	if (ppoll(life->fds, RUN_FDS, next == RUN_NEVER ? NULL : &timeout, NULL) >= 0)
		return 0;
	for (int i = 0; i < RUN_FDS; i++)
		life->fds[i].revents = 0;
	return errno == EINTR ? 0 : err_set(err, errno, "waiting: %s", strerror(errno));
}

/*
 * The terminal sends Ctrl-C to the command as well, kill(1) sends it only to us.  A command that
 * takes no notice of Ctrl-C goes on, as it would without us; the second one ends the run.
 */
int run_life_take_signal(struct run_life *life)
{
	struct signalfd_siginfo info;
	bool again = life->signal != 0, from_terminal;
	int signo;

	if (!life->fds[RUN_FD_SIGNAL].revents ||
	    read(life->signal_fd, &info, sizeof(info)) != sizeof(info))
		return 0;
	signo = (int)info.ssi_signo;
	if (signo != SIGINT && signo != SIGTERM && signo != SIGHUP)
		return signo;
	life->signal = signo;
	if (again) {
		run_life_finish(life, RUN_SIGNAL);
		return 0;
	}
	from_terminal = info.ssi_code == SI_KERNEL;
	run_life_end_command(life, from_terminal ? 0 : signo, RUN_SIGNAL);
	if (signo == SIGINT && from_terminal)
		life->kill_at = RUN_NEVER;
	return 0;
}

void run_life_take_ends(struct run_life *life)
{
	if (life->fds[RUN_FD_COMMAND].revents && workload_reap(life->workload, false))
		run_life_finish(life, life->asked_to_end ? life->end : RUN_COMMAND_ENDED);
	if (life->fds[RUN_FD_TARGET].revents && !target_alive(life->target))
		run_life_finish(life, RUN_TARGET_GONE);
}

void run_life_take_time(struct run_life *life, int64_t now)
{
	if (now >= life->kill_at) {
		kill(life->workload->pid, SIGKILL);
		life->kill_at = RUN_NEVER;
	}
	if (now >= life->timeout_at) {
		life->timeout_at = RUN_NEVER;
		run_life_end_command(life, SIGTERM, RUN_TIMEOUT);
	}
}

void run_list_event(const char *name, const struct perf_event_attr *attr, const char *flags)
{
	bool rate = !strcmp(flags, "-F") || !strcmp(flags, "-v");

	printf("%s", name);
	if (rate && attr->sample_period)
		printf(": %s=%llu", attr->freq ? "sample_freq" : "sample_period",
		       (unsigned long long)attr->sample_period);
	putchar('\n');
	fflush(stdout);
}
