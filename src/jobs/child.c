// SPDX-License-Identifier: Apache-2.0
#include "jobs/child.h"
#include "base/cpuset.h"
#include "base/err.h"
#include "base/mem.h"
#include "jobs/identity.h"
#include "jobs/private.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define HIGH_FD 200 /* above every number that a child is given */

/* Where the kernel can't do it, descriptors are close-on-exec one by one anyway. */
static void close_others(unsigned from)
{
#ifdef SYS_close_range
	syscall(SYS_close_range, from, ~0U, 1U << 2 /* CLOSE_RANGE_CLOEXEC */);
#else
	(void)from;
#endif
}

/* Out of the way first: a number that is wanted may be one that is still to be copied. */
static int place_descriptors(const struct child_spec *spec, int kept[static 2])
{
	int high[CHILD_MOST_FDS];
	int *keep[] = { &kept[0], &kept[1] };

	for (size_t i = 0; i < 2; i++)
		if (*keep[i] >= 0 && (*keep[i] = fcntl(*keep[i], F_DUPFD_CLOEXEC, HIGH_FD)) < 0)
			return -errno;
	for (size_t i = 0; i < spec->fd_count; i++) {
		int from = spec->fds[i] >= 0 ? spec->fds[i] : open("/dev/null", O_RDWR | O_CLOEXEC);

		high[i] = fcntl(from, F_DUPFD_CLOEXEC, HIGH_FD);
		if (high[i] < 0)
			return -errno;
	}
	for (size_t i = 0; i < spec->fd_count; i++)
		if (dup2(high[i], (int)i) < 0)
			return -errno;
	close_others((unsigned)spec->fd_count);
	return 0;
}

static int pin(const char *cpus)
{
	struct cpuset set = { 0 };
	cpu_set_t *mask;
	size_t size;
	int rc = 0, most = 0;

	if (!cpus || !*cpus)
		return 0;
	if (cpuset_parse(&set, cpus, NULL))
		return -EINVAL;
	vec_each (cpu, &set)
		most = *cpu > most ? *cpu : most;
	mask = CPU_ALLOC(most + 1);
	size = CPU_ALLOC_SIZE(most + 1);
	CPU_ZERO_S(size, mask);
	vec_each (cpu, &set)
		CPU_SET_S((size_t)*cpu, size, mask);
	if (sched_setaffinity(0, size, mask))
		rc = -errno;
	CPU_FREE(mask);
	cpuset_free(&set);
	return rc;
}

static void wait_for_gate(int gate)
{
	ssize_t got;
	char go;

	if (gate < 0)
		return;
	do
		got = read(gate, &go, 1);
	while (got < 0 && errno == EINTR);
	if (got != 1)
		_exit(0); /* called off, or our parent is gone */
}

static void restore_signals(void)
{
	sigset_t none;

	for (int signo = 1; signo < NSIG; signo++)
		signal(signo, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static int prepare(const struct child_spec *spec, int kept[static 2], int *step)
{
	int rc = place_descriptors(spec, kept);

	*step = CHILD_DESCRIPTORS;
	if (!rc && spec->own) {
		*step = CHILD_OWN;
		rc = private_enter(spec->own);
	}
	if (!rc)
		caps_bound(spec->caps);
	if (!rc && spec->who) {
		*step = CHILD_IDENTITY;
		rc = identity_become(spec->who);
		if (!rc)
			rc = identity_stay(spec->who);
	}
	if (!rc) { /* the text is somebody's: nothing of it is read with our privileges */
		*step = CHILD_CPUS;
		rc = pin(spec->cpus);
	}
	if (!rc && spec->folder) {
		*step = CHILD_FOLDER;
		rc = chdir(spec->folder) ? -errno : 0;
	}
	return rc;
}

void child_prefer(int oom_score)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (dprintf(fd, "%d", oom_score) < 0)
		errno = 0; /* lower than it was is a privilege */
	close(fd);
}

/* Of linux/ioprio.h, which not every system has. */
enum { IO_PROCESS = 1, IO_BEST_EFFORT = 2, IO_LOW = 6 };

static void lower_io(void)
{
	syscall(SYS_ioprio_set, IO_PROCESS, 0, IO_BEST_EFFORT << 13 | IO_LOW);
}

static void __attribute__((noreturn)) become(const struct child_spec *spec)
{
	int kept[2] = { spec->gate, spec->failure };
	struct child_failure failure = { 0 };
	int rc;

	if (spec->close_first > 0)
		close(spec->close_first);
	setsid();
	child_prefer(spec->oom_score);
	if (spec->low_io)
		lower_io();
	rc = prepare(spec, kept, &failure.step);
	if (!rc) {
		failure.step = CHILD_EXEC;
		environ = (char **)spec->environment; /* its own PATH, not ours */
		restore_signals();
		wait_for_gate(kept[0]); /* what is behind it is measured */
		if (spec->self)
			execv("/proc/self/exe", spec->argv);
		else
			execvp(spec->argv[0], spec->argv);
		rc = -errno;
	}
	failure.code = -rc;
	if (kept[1] >= 0 && write(kept[1], &failure, sizeof(failure)) < 0)
		_exit(126);
	_exit(127);
}

int child_start(struct child *child, const struct child_spec *spec, struct err *err)
{
	int code;

	*child = (struct child){ .pid = -1, .pidfd = -1 };
	child->pid = fork();
	if (child->pid == 0)
		become(spec);
	if (child->pid > 0)
		child->pidfd = (int)syscall(SYS_pidfd_open, child->pid, 0);
	if (child->pid > 0 && child->pidfd >= 0)
		return 0;
	code = errno;
	child_close(child);
	return err_set(err, code, "%s: can't start it: %s", spec->argv[0], strerror(code));
}

bool child_reap(struct child *child)
{
	pid_t got;

	if (child->ended || child->pid <= 0)
		return child->ended;
	do
		got = wait4(child->pid, &child->wait_status, WNOHANG, &child->usage);
	while (got < 0 && errno == EINTR);
	child->ended = got == child->pid || (got < 0 && errno == ECHILD);
	return child->ended;
}

/* Never a number that was collected already and may be somebody else's by now. */
void child_kill(struct child *child, int signo)
{
	if (child->pid > 0 && !child_reap(child))
		kill(child->pid, signo);
}

void child_close(struct child *child)
{
	if (child->pid > 0 && !child_reap(child)) {
		kill(child->pid, SIGKILL);
		while (wait4(child->pid, &child->wait_status, 0, &child->usage) < 0 &&
		       errno == EINTR)
			;
	}
	if (child->pidfd >= 0)
		close(child->pidfd);
	*child = (struct child){ .pid = -1, .pidfd = -1, .ended = true };
}

void child_ending(const struct child *child, char *into, size_t room)
{
	if (WIFSIGNALED(child->wait_status))
		snprintf(into, room, "signal %d (%s)", WTERMSIG(child->wait_status),
			 strsignal(WTERMSIG(child->wait_status)));
	else
		snprintf(into, room, "exit status %d", WEXITSTATUS(child->wait_status));
}
