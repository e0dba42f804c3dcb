// SPDX-License-Identifier: Apache-2.0
#include "record/workload.h"
#include "base/err.h"
#include "base/file.h"
#include "record/fdlimit.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define GRACE_MS 1000 /* between SIGTERM and SIGKILL for a program that we end */

/* In the child: only async-signal-safe calls, another thread may have held any lock at the fork. */
static void __attribute__((noreturn))
wait_and_exec(int go_fd, int failure_fd, char *const *argv, const sigset_t *mask)
{
	char go;
	ssize_t got;
	int code;

	do
		got = read(go_fd, &go, 1);
	while (got < 0 && errno == EINTR);
	if (got != 1)
		_exit(0); /* called off, or our parent is gone */

	fdlimit_restore();
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(argv[0], argv);
	code = errno;
	got = write(failure_fd, &code, sizeof(code));
	_exit(WORKLOAD_CANT_START); /* whether or not anybody is left to hear why */
}

static void close_pair(int pair[2])
{
	close(pair[0]);
	close(pair[1]);
}

int workload_prepare(struct workload *workload, char *const *argv, const sigset_t *mask,
		     struct err *err)
{
	int go[2], failure[2];
	sigset_t now;

	*workload = (struct workload){
		.program = argv[0], .pid = -1, .pidfd = -1, .go_fd = -1, .failure_fd = -1
	};
	if (!mask) {
		sigprocmask(SIG_SETMASK, NULL, &now);
		mask = &now;
	}
	if (pipe2(go, O_CLOEXEC))
		return err_set(err, errno, "%s: can't start it: %s", argv[0], strerror(errno));
	if (pipe2(failure, O_CLOEXEC)) {
		close_pair(go);
		return err_set(err, errno, "%s: can't start it: %s", argv[0], strerror(errno));
	}

	workload->pid = fork();
	if (workload->pid == 0) {
		/* Our copy of the writing end would keep the pipe from ending with the parent. */
		close(go[1]);
		wait_and_exec(go[0], failure[1], argv, mask);
	}
	close(go[0]);
	close(failure[1]);
	workload->go_fd = go[1];
	workload->failure_fd = failure[0];
	if (workload->pid > 0)
		workload->pidfd = (int)syscall(SYS_pidfd_open, workload->pid, 0);
	if (workload->pid < 0 || workload->pidfd < 0) {
		int code = errno;

		workload_close(workload);
		return err_set(err, code, "%s: can't start it: %s", argv[0], strerror(code));
	}
	return 0;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

int workload_start(struct workload *workload, struct err *err)
{
	ssize_t got;
	int code;
	int rc = fd_write_all(workload->go_fd, "g", 1);

	close_fd(&workload->go_fd);
	if (rc)
		return err_set(err, -rc, "%s: ended before its start", workload->program);
	do /* ends without a byte when the exec closes the other end */
		got = read(workload->failure_fd, &code, sizeof(code));
	while (got < 0 && errno == EINTR);
	close_fd(&workload->failure_fd);
	if (got != sizeof(code))
		return 0;
	workload->exec_error = code;
	workload_reap(workload, true);
	if (code == ENOENT && !strchr(workload->program, '/'))
		return err_set(err, code, "%s: no such command in PATH", workload->program);
	return err_set(err, code, "%s: can't start it: %s", workload->program, strerror(code));
}

bool workload_reap(struct workload *workload, bool block)
{
	pid_t got;

	if (workload->ended || workload->pid <= 0)
		return workload->ended;
	do
		got = wait4(workload->pid, &workload->wait_status, block ? 0 : WNOHANG,
			    &workload->usage);
	while (got < 0 && errno == EINTR);
	workload->ended = got == workload->pid || (got < 0 && errno == ECHILD);
	return workload->ended;
}

int workload_exit_status(const struct workload *workload)
{
	if (workload->exec_error)
		return WORKLOAD_CANT_START;
	if (WIFSIGNALED(workload->wait_status))
		return 128 + WTERMSIG(workload->wait_status);
	return WEXITSTATUS(workload->wait_status);
}

static void end_it(struct workload *workload)
{
	struct pollfd ended = { .fd = workload->pidfd, .events = POLLIN };

	kill(workload->pid, SIGTERM);
	if (workload->pidfd >= 0 && poll(&ended, 1, GRACE_MS) == 0)
		kill(workload->pid, SIGKILL);
	workload_reap(workload, true);
}

void workload_close(struct workload *workload)
{
	bool waiting = workload->go_fd >= 0;

	close_fd(&workload->go_fd);
	if (workload->pid > 0 && !workload_reap(workload, waiting))
		end_it(workload);
	close_fd(&workload->failure_fd);
	close_fd(&workload->pidfd);
	workload->pid = -1;
}
