// SPDX-License-Identifier: Apache-2.0
#include "cmd/password.h"
#include "base/err.h"
#include "base/mem.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static volatile sig_atomic_t stopped_by;

static void note_signal(int signal)
{
	stopped_by = signal;
}

void password_wipe(char into[static PASSWORD_ROOM])
{
	explicit_bzero(into, PASSWORD_ROOM);
}

/* Waits for a byte of a terminal; a signal is let through only here, where it can't be missed. */
static int wait_for_byte(const sigset_t *let_through, struct err *err)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };

	if (!let_through || ppoll(&input, 1, NULL, let_through) >= 0)
		return 0;
	return err_set(err, errno, "standard input: %s", strerror(errno));
}

/* By bytes: a buffer of stdio's would keep the password in memory. */
static int read_line(char into[static PASSWORD_ROOM], const sigset_t *let_through, struct err *err)
{
	size_t length = 0;
	ssize_t got = 0;
	int rc;
	char c;

	while (!(rc = wait_for_byte(let_through, err)) && (got = read(STDIN_FILENO, &c, 1)) == 1 &&
	       c != '\n') {
		if (!c || length + 1 == PASSWORD_ROOM)
			return err_set(err, EINVAL, "the password is too long, or no text");
		into[length++] = c;
	}
	into[length] = '\0';
	if (got < 0)
		return err_set(err, errno, "standard input: %s", strerror(errno));
	if (!rc && !got && !length)
		return err_set(err, ENODATA, "standard input: no password there");
	return rc;
}

static int ask(const char *question, char into[static PASSWORD_ROOM], const sigset_t *let_through,
	       struct err *err)
{
	int rc;

	fputs(question, stderr);
	rc = read_line(into, let_through, err);
	fputc('\n', stderr); /* the one that was typed is not shown either */
	return rc;
}

static int ask_twice(char into[static PASSWORD_ROOM], const sigset_t *let_through, struct err *err)
{
	char again[PASSWORD_ROOM] = "";
	int rc = ask("Password: ", into, let_through, err);

	if (!rc)
		rc = ask("The same again: ", again, let_through, err);
	if (!rc && strcmp(into, again))
		rc = err_set(err, EAGAIN, "the two are not the same; try again");
	password_wipe(again);
	return rc;
}

/* A signal ends the reading, and us only after the terminal shows again what is typed. */
static int ask_unseen(const struct termios *shown, char into[static PASSWORD_ROOM], struct err *err)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction note = { .sa_handler = note_signal }, before[ARRAY_SIZE(signals)];
	struct termios unseen = *shown;
	sigset_t held, usual;
	int rc;

	sigemptyset(&held);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		sigaddset(&held, signals[i]);
		sigaction(signals[i], &note, &before[i]);
	}
	sigprocmask(SIG_BLOCK, &held, &usual);
	unseen.c_lflag &= ~(tcflag_t)ECHO;
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &unseen);
	rc = ask_twice(into, &usual, err);
	tcsetattr(STDIN_FILENO, TCSAFLUSH, shown);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &before[i], NULL);
	if (stopped_by)
		raise(stopped_by);
	sigprocmask(SIG_SETMASK, &usual, NULL);
	return rc;
}

int password_read(char into[static PASSWORD_ROOM], struct err *err)
{
	struct termios shown;
	int rc;

	if (tcgetattr(STDIN_FILENO, &shown))
		rc = read_line(into, NULL, err);
	else
		rc = ask_unseen(&shown, into, err);
	if (rc)
		password_wipe(into);
	return rc;
}
