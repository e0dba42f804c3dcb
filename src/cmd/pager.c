// SPDX-License-Identifier: Apache-2.0
#include "cmd/pager.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile pid_t pager; /* 0: none */

static const char *pager_command(void)
{
	const char *own = getenv("PERFOLIO_PAGER"), *common = getenv("PAGER");

	/* A small system may lack less: its users want the text all the same. */
	return own	? own
	       : common ? common
			: "if command -v less >/dev/null; then exec less -R; else exec cat; fi";
}

/* In the child: reads what we write.  A pager that can't be started says so and ends. */
static void become_pager(const char *command, int from)
{
	dup2(from, STDIN_FILENO);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	/*
	 * Colours as they are, no screen of its own, and none at all for a page that fits.  Names
	 * of C++ are longer than any screen: wrapped, they tear trees and columns apart.
	 */
	setenv("LESS", "FRSX", 0);
	setenv("LV", "-c", 0);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

/* The shell says so by this status. */
static bool could_not_start(int status)
{
	return WIFEXITED(status) && WEXITSTATUS(status) == 127;
}

/* ^C and its like end the work; the pager stays with what it has until the user leaves it. */
static void stop_work(int number)
{
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		;
	signal(number, SIG_DFL);
	raise(number);
}

/* The user left it before we were done: nobody waits for the rest. */
static void notice_end(int number)
{
	siginfo_t end = { 0 };

	(void)number;
	if (pager && !waitid(P_PID, (id_t)pager, &end, WEXITED | WNOHANG | WNOWAIT) && end.si_pid)
		_exit(end.si_code == CLD_EXITED && end.si_status == 127 ? 1 : 0);
}

static void watch(int number, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };

	sigemptyset(&action.sa_mask);
	sigaction(number, &action, NULL);
}

void pager_start(void)
{
	const char *command = pager_command();
	int ends[2];

	if (!isatty(STDOUT_FILENO) || !*command || !strcmp(command, "cat") ||
	    pipe2(ends, O_CLOEXEC))
		return;
	fflush(stdout);
	text_remember_terminal(stdout);
	pager = fork();
	if (!pager)
		become_pager(command, ends[0]);
	if (pager < 0) {
		pager = 0;
	} else {
		if (isatty(STDERR_FILENO))
			dup2(ends[1], STDERR_FILENO);
		dup2(ends[1], STDOUT_FILENO);
		watch(SIGINT, stop_work);
		watch(SIGQUIT, stop_work);
		watch(SIGTERM, stop_work);
		watch(SIGHUP, stop_work);
		watch(SIGCHLD, notice_end);
	}
	close(ends[0]);
	close(ends[1]);
}

bool pager_end(void)
{
	int status = 0;

	if (!pager)
		return true;
	watch(SIGCHLD, SIG_DFL);
	fflush(stdout);
	fflush(stderr);
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	while (waitpid(pager, &status, 0) < 0 && errno == EINTR)
		;
	pager = 0;
	return !could_not_start(status);
}

bool pager_is_used(void)
{
	return pager != 0;
}
