// SPDX-License-Identifier: Apache-2.0
#include "record/control.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct pipes {
	int ctl[2], ack[2];
	struct control control;
};

static void open_pipes(struct pipes *pipes)
{
	struct err err = { 0 };
	char text[64];

	EXPECT_INT(pipe(pipes->ctl), 0);
	EXPECT_INT(pipe(pipes->ack), 0);
	snprintf(text, sizeof(text), "fd:%d,%d", pipes->ctl[0], pipes->ack[1]);
	EXPECT_INT(control_open(&pipes->control, text, &err), 0);
	EXPECT_TEXT(err.text, "");
}

static void close_pipes(struct pipes *pipes)
{
	control_close(&pipes->control);
	close(pipes->ctl[0]); /* ours still: fd: does not take them over */
	close(pipes->ctl[1]);
	close(pipes->ack[0]);
	close(pipes->ack[1]);
}

static void say(const struct pipes *pipes, const char *text, size_t size)
{
	EXPECT_INT(write(pipes->ctl[1], text, size), (ssize_t)size);
}

TEST(control_words)
{
	struct pipes pipes;

	open_pipes(&pipes);
	EXPECT_INT(fcntl(pipes.ctl[0], F_GETFD), 0); /* for the program that we start, too */
	EXPECT_INT(control_next(&pipes.control), CONTROL_NONE);
	say(&pipes, "enable\ndisable\nreset\n", 21);
	EXPECT_INT(control_next(&pipes.control), CONTROL_ENABLE);
	EXPECT_INT(control_next(&pipes.control), CONTROL_DISABLE);
	EXPECT_INT(control_next(&pipes.control), CONTROL_RESET);
	EXPECT_INT(control_next(&pipes.control), CONTROL_NONE);
	say(&pipes, "pi", 2);
	EXPECT_INT(control_next(&pipes.control), CONTROL_NONE);
	say(&pipes, "ng\r\nstop", 8);
	EXPECT_INT(control_next(&pipes.control), CONTROL_PING);
	EXPECT_INT(control_next(&pipes.control), CONTROL_NONE);
	say(&pipes, "\0snapshot\nsnap\n", 15); /* a NUL ends a word too, as for perf */
	EXPECT_INT(control_next(&pipes.control), CONTROL_STOP);
	EXPECT_INT(control_next(&pipes.control), CONTROL_SNAPSHOT);
	EXPECT_INT(control_next(&pipes.control), CONTROL_UNKNOWN);
	EXPECT_TEXT(control_unknown(&pipes.control), "snap");
	say(&pipes, "evlist\nevlist -F\n", 17);
	EXPECT_INT(control_next(&pipes.control), CONTROL_EVLIST);
	EXPECT_TEXT(control_argument(&pipes.control), "");
	EXPECT_INT(control_next(&pipes.control), CONTROL_EVLIST);
	EXPECT_TEXT(control_argument(&pipes.control), "-F");
	close_pipes(&pipes);
}

TEST(control_names_an_event)
{
	struct pipes pipes;

	open_pipes(&pipes);
	say(&pipes, "enable cycles:u\ndisable  a b \nenable \ndisabled\n", 47);
	EXPECT_INT(control_next(&pipes.control), CONTROL_ENABLE_EVENT);
	EXPECT_TEXT(control_argument(&pipes.control), "cycles:u");
	EXPECT_INT(control_next(&pipes.control), CONTROL_DISABLE_EVENT);
	EXPECT_TEXT(control_argument(&pipes.control), "a b");
	EXPECT_INT(control_next(&pipes.control), CONTROL_ENABLE);
	EXPECT_INT(control_next(&pipes.control), CONTROL_UNKNOWN);
	close_pipes(&pipes);
}

TEST(control_acknowledges_as_perf_does)
{
	struct pipes pipes;
	char got[16];

	open_pipes(&pipes);
	control_acknowledge(&pipes.control);
	EXPECT_INT(read(pipes.ack[0], got, sizeof(got)), 5);
	EXPECT_TEXT(got, "ack\n");
	close_pipes(&pipes);
}

TEST(control_writer_goes_away)
{
	struct pipes pipes;

	open_pipes(&pipes);
	say(&pipes, "enable", 6); /* no newline, and no more to come */
	close(pipes.ctl[1]);
	EXPECT_INT(control_next(&pipes.control), CONTROL_ENABLE);
	EXPECT_INT(control_next(&pipes.control), CONTROL_NONE);
	EXPECT_BOOL(pipes.control.ended, true);
	pipes.ctl[1] = -1;
	close_pipes(&pipes);
}

TEST(control_endless_line)
{
	struct pipes pipes;
	char junk[4096];

	memset(junk, 'x', sizeof(junk));
	open_pipes(&pipes);
	for (int i = 0; i < 3; i++) {
		say(&pipes, junk, sizeof(junk));
		EXPECT_INT(control_next(&pipes.control), CONTROL_UNKNOWN);
	}
	say(&pipes, "\nping\n", 6);
	EXPECT_INT(control_next(&pipes.control), CONTROL_PING);
	close_pipes(&pipes);
}

TEST(control_fifo_waits_for_nobody)
{
	char dir[] = "/tmp/perfolio-control-XXXXXX", ctl[64], ack[64], text[160], got[16];
	struct pollfd pollfd = { .events = POLLIN };
	struct control control;
	struct err err = { 0 };
	int writer;

	EXPECT(mkdtemp(dir) != NULL);
	snprintf(ctl, sizeof(ctl), "%s/ctl", dir);
	snprintf(ack, sizeof(ack), "%s/ack", dir);
	EXPECT_INT(mkfifo(ctl, 0600), 0);
	EXPECT_INT(mkfifo(ack, 0600), 0);
	snprintf(text, sizeof(text), "fifo:%s,%s", ctl, ack);
	EXPECT_INT(control_open(&control, text, &err), 0);
	for (int round = 0; round < 2; round++) { /* writers may come and go */
		writer = open(ctl, O_WRONLY);
		EXPECT_INT(write(writer, "ping\n", 5), 5);
		close(writer);
		pollfd.fd = control.fd;
		EXPECT_INT(poll(&pollfd, 1, 1000), 1);
		EXPECT_INT(control_next(&control), CONTROL_PING);
		EXPECT_INT(poll(&pollfd, 1, 0), 0);
		control_acknowledge(&control);
		EXPECT_INT(read(control.ack_fd, got, sizeof(got)), 5);
	}
	for (int i = 0; i < 20000; i++) /* nobody reads: it must not block */
		control_acknowledge(&control);
	control_close(&control);
	unlink(ctl);
	unlink(ack);
	rmdir(dir);
}

TEST(control_bad_text)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "", "fifo:CTL" },
		{ "/tmp/x", "fifo:CTL" },
		{ "fd:x", "not a descriptor" },
		{ "fd:", "not a descriptor" },
		{ "fd:-1", "not a descriptor" },
		{ "fd:999999", "not open" },
		{ "fifo:/nonexistent/fifo", "No such file" },
		{ "fifo:/etc/passwd", "is not a fifo" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct control control;
		struct err err = { 0 };

		test_case("%s", cases[i].text);
		EXPECT(control_open(&control, cases[i].text, &err) < 0);
		EXPECT_CONTAINS(err.text, cases[i].message);
	}
}
