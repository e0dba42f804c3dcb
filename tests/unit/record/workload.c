// SPDX-License-Identifier: Apache-2.0
#include "record/workload.h"
#include "live.h"
#include "record/fdlimit.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int run(const char *program, struct workload *workload, struct err *err)
{
	char *copy = mem_strdup(program);
	char *argv[] = { copy, NULL };
	int rc;

	EXPECT_INT(workload_prepare(workload, argv, NULL, err), 0);
	rc = workload_start(workload, err);
	workload->program = NULL;
	free(copy);
	return rc;
}

TEST(workload_exit_statuses)
{
	static const struct {
		const char *command;
		int status;
	} cases[] = {
		{ "exit 0", 0 },
		{ "exit 7", 7 },
		{ "kill -TERM $$", 128 + 15 },
		{ "kill -KILL $$", 128 + 9 },
		{ "exec false", 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct workload workload;
		struct err err = { 0 };

		test_case("%s", cases[i].command);
		live_prepare(&workload, cases[i].command);
		EXPECT_BOOL(workload_reap(&workload, false), false); /* it waits for us */
		EXPECT_INT(workload_start(&workload, &err), 0);
		EXPECT_BOOL(workload_reap(&workload, true), true);
		EXPECT_INT(workload_exit_status(&workload), cases[i].status);
		workload_close(&workload);
	}
}

TEST(workload_that_cannot_be_started)
{
	static const struct {
		const char *program, *message;
		int status;
	} cases[] = {
		{ "no-such-command-anywhere", "no such command in PATH", 127 },
		{ "/no/such/file", "No such file", 127 },
		{ "/etc/passwd", "Permission denied", 127 },
		{ "/etc", "Permission denied", 127 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct workload workload;
		struct err err = { 0 };

		test_case("%s", cases[i].program);
		EXPECT(run(cases[i].program, &workload, &err) < 0);
		EXPECT_CONTAINS(err.text, cases[i].program);
		EXPECT_CONTAINS(err.text, cases[i].message);
		EXPECT_INT(workload_exit_status(&workload), cases[i].status);
		workload_close(&workload);
	}
}

TEST(workload_is_searched_for_in_path)
{
	struct workload workload;
	struct err err = { 0 };

	EXPECT_INT(run("true", &workload, &err), 0);
	EXPECT(workload_reap(&workload, true));
	EXPECT_INT(workload_exit_status(&workload), 0);
	EXPECT(workload.usage.ru_minflt > 0);
	workload_close(&workload);
}

TEST(workload_end_can_be_polled)
{
	struct workload workload;
	struct pollfd pollfd = { .events = POLLIN };

	live_prepare(&workload, "sleep 0.05");
	EXPECT_INT(workload_start(&workload, NULL), 0);
	pollfd.fd = workload.pidfd;
	EXPECT_INT(poll(&pollfd, 1, 0), 0);
	EXPECT_INT(poll(&pollfd, 1, 5000), 1);
	EXPECT(workload_reap(&workload, false));
	workload_close(&workload);
}

/* The state of signals in the program, as /proc sees it. */
static void read_signals(const char *path, unsigned long long *blocked, unsigned long long *ignored)
{
	char text[64];
	FILE *file = fopen(path, "r");

	EXPECT(file != NULL);
	while (fgets(text, sizeof(text), file)) {
		sscanf(text, "SigBlk: %llx", blocked);
		sscanf(text, "SigIgn: %llx", ignored);
	}
	fclose(file);
}

TEST(workload_gets_signals_as_usual)
{
	char path[] = "/tmp/perfolio-signals-XXXXXX", command[128];
	unsigned long long blocked = 1, ignored = ~0ULL;
	struct workload workload;
	sigset_t block, before;
	char shell[] = "/bin/sh", flag[] = "-c", *argv[] = { shell, flag, command, NULL };
	int fd = mkstemp(path);

	EXPECT(fd >= 0);
	signal(SIGPIPE, SIG_IGN); /* as our main does */
	sigemptyset(&block);
	sigaddset(&block, SIGINT);
	sigaddset(&block, SIGCHLD);
	sigprocmask(SIG_BLOCK, &block, &before);
	snprintf(command, sizeof(command), "exec cat /proc/self/status > %s", path);
	EXPECT_INT(workload_prepare(&workload, argv, &before, NULL), 0);
	EXPECT_INT(workload_start(&workload, NULL), 0);
	EXPECT(workload_reap(&workload, true));
	read_signals(path, &blocked, &ignored);
	EXPECT_INT(blocked, 0);
	EXPECT_INT(ignored >> (SIGPIPE - 1) & 1, 0);
	sigprocmask(SIG_SETMASK, &before, NULL);
	workload_close(&workload);
	unlink(path);
	close(fd);
}

/* The limits are the process's, so a process of its own tries this. */
TEST(workload_gets_its_limits_back)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		struct rlimit limit = { .rlim_cur = 200, .rlim_max = 300 };
		struct workload workload;

		setrlimit(RLIMIT_NOFILE, &limit);
		if (!fdlimit_raise(250) || fdlimit_now() < 300)
			_exit(9);
		live_prepare(&workload, "test $(ulimit -Sn) = 200 -a $(ulimit -Hn) = 300");
		workload_start(&workload, NULL);
		workload_reap(&workload, true);
		_exit(workload_exit_status(&workload));
	}
	EXPECT_INT(waitpid(pid, &status, 0), pid);
	EXPECT_INT(status, 0);
}

TEST(workload_called_off_never_runs)
{
	char path[] = "/tmp/perfolio-never-XXXXXX", command[128];
	struct workload workload;
	int fd = mkstemp(path);

	close(fd);
	unlink(path);
	snprintf(command, sizeof(command), "touch %s", path);
	live_prepare(&workload, command);
	workload_close(&workload);
	EXPECT(access(path, F_OK) != 0);
}

TEST(workload_close_ends_it)
{
	struct workload workload;
	pid_t pid;

	live_prepare(&workload, "exec sleep 100");
	EXPECT_INT(workload_start(&workload, NULL), 0);
	pid = workload.pid;
	workload_close(&workload);
	EXPECT_INT(kill(pid, 0), -1);
	EXPECT_INT(errno, ESRCH);
}

TEST(workload_close_ends_the_stubborn)
{
	struct workload workload;
	pid_t pid;

	live_prepare(&workload, "trap '' TERM; while :; do sleep 0.1; done");
	EXPECT_INT(workload_start(&workload, NULL), 0);
	pid = workload.pid;
	usleep(100000); /* for the trap */
	workload_close(&workload);
	EXPECT_INT(kill(pid, 0), -1);
}

/* If we are killed before the start, the waiting child must not stay behind. */
TEST(workload_child_ends_with_us)
{
	struct workload inner;
	int pids[2], status;
	pid_t middle, child = 0;

	EXPECT_INT(pipe(pids), 0);
	middle = fork();
	if (middle == 0) {
		live_prepare(&inner, "sleep 100");
		if (write(pids[1], &inner.pid, sizeof(inner.pid)) < 0)
			_exit(1);
		raise(SIGKILL);
	}
	EXPECT_INT(read(pids[0], &child, sizeof(child)), sizeof(child));
	EXPECT_INT(waitpid(middle, &status, 0), middle);
	for (int i = 0; i < 200 && kill(child, 0) == 0; i++) {
		char path[64], state[256] = "";
		FILE *file;

		/* Without an init to collect it, it may stay as a zombie. */
		snprintf(path, sizeof(path), "/proc/%d/stat", (int)child);
		file = fopen(path, "r");
		if (file && fgets(state, sizeof(state), file) && strstr(state, ") Z "))
			i = 1000;
		if (file)
			fclose(file);
		usleep(10000);
		EXPECT(i != 199);
	}
	close(pids[0]);
	close(pids[1]);
}
