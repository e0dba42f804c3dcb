// SPDX-License-Identifier: Apache-2.0
#include "jobs/guard.h"
#include "base/err.h"
#include "jobs/caps.h"
#include "jobs/child.h"
#include "jobs/jobgroup.h"
#include "record/proctree.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void __attribute__((noreturn))
be_supervisor(int (*inside)(void *user), void *user, pid_t guard, const sigset_t *mask)
{
	int status;

	/* Ctrl-C is for the guard alone, which passes it on; so nothing ends out of turn. */
	setsid();
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	sigprocmask(SIG_SETMASK, mask, NULL);
	if (getppid() != guard)
		_exit(1);
	status = inside(user);
	fflush(NULL);
	if (getppid() != guard) /* it was killed: there is nobody else to do it */
		guard_sweep();
	_exit(status);
}

/* Its exit status; signals that would end us are passed on. */
static int watch(pid_t supervisor, const sigset_t *signals)
{
	siginfo_t info;
	int status = 0;

	for (;;) {
		pid_t got = waitpid(-1, &status, WNOHANG);

		if (got == supervisor)
			return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
		if (got < 0 && errno == ECHILD)
			return 1;
		if (got > 0)
			continue;
		if (sigwaitinfo(signals, &info) > 0 && info.si_signo != SIGCHLD)
			kill(supervisor, SIGTERM);
	}
}

void guard_sweep(void)
{
	struct timespec pause = { .tv_nsec = 2000000 };

	for (;;) {
		struct proctree_ids ids = { 0 };
		pid_t self = getpid(), got;

		proctree_descendants(&self, 1, &ids);
		vec_each (pid, &ids)
			kill(*pid, SIGKILL);
		vec_free(&ids);
		while ((got = waitpid(-1, NULL, WNOHANG)) > 0)
			;
		if (got < 0 && errno == ECHILD)
			return;
		nanosleep(&pause, NULL);
	}
}

int guard_run(int (*inside)(void *user), void *user, struct jobgroup *group, struct err *err)
{
	struct sigaction action;
	sigset_t signals, before;
	pid_t guard = getpid(), supervisor;
	int status;

	sigemptyset(&signals);
	signal(SIGCHLD, SIG_DFL);
	for (int *signo = (int[]){ SIGINT, SIGTERM, SIGHUP, SIGCHLD, 0 }; *signo; signo++)
		if (!sigaction(*signo, NULL, &action) && action.sa_handler != SIG_IGN)
			sigaddset(&signals, *signo); /* what nohup ignored stays so */
	sigprocmask(SIG_BLOCK, &signals, &before);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	child_prefer(OOM_GUARD);
	fflush(NULL);
	supervisor = fork();
	if (supervisor < 0)
		return err_set(err, errno, "fork: %s", strerror(errno));
	if (!supervisor)
		be_supervisor(inside, user, guard, &before);
	if (!geteuid()) {
		caps_keep(caps_guard());
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	}
	status = watch(supervisor, &signals);
	jobgroup_close(group);
	guard_sweep();
	sigprocmask(SIG_SETMASK, &before, NULL);
	return status;
}
