// SPDX-License-Identifier: Apache-2.0
#include "base/progress.h"
#include "base/clock.h"
#include "test.h"

#include <pty.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs `say` in a child whose stderr is a terminal, or a pipe, and gives what it wrote there. */
static void child_says(void (*say)(void), bool terminal, char *into, size_t room)
{
	int ends[2], status;
	size_t used = 0;
	ssize_t got;
	pid_t child;

	EXPECT_INT(terminal ? openpty(&ends[0], &ends[1], NULL, NULL, NULL) : pipe(ends), 0);
	fflush(stdout);
	child = fork();
	if (!child) {
		dup2(ends[1], STDERR_FILENO);
		say();
		_exit(0);
	}
	close(ends[1]);
	while (used < room - 1 && (got = read(ends[0], into + used, room - 1 - used)) > 0)
		used += (size_t)got;
	into[used] = '\0';
	close(ends[0]);
	waitpid(child, &status, 0);
	EXPECT_INT(status, 0);
}

static void halfway(void)
{
	struct progress progress = progress_start("importing", 2000);

	progress_at(&progress, 100);
	progress.started_ns -= 10 * NS_PER_SEC; /* instead of waiting */
	progress_at(&progress, 1000);
	progress_at(&progress, 1001); /* too soon after the last one */
	progress_end(&progress);
}

TEST(progress_draws_on_a_terminal)
{
	char said[1000];

	child_says(halfway, true, said, sizeof(said));
	EXPECT_TEXT(said, "\rimporting [############            ] 1,000 of 2,000, 11 s left\033[K"
			  "\r\033[K");
}

TEST(progress_is_silent_in_a_pipe)
{
	char said[1000];

	child_says(halfway, false, said, sizeof(said));
	EXPECT_TEXT(said, "");
}

static void unknown_total(void)
{
	struct progress progress = progress_start("reading", 0);

	progress.started_ns -= 10 * NS_PER_SEC;
	progress_at(&progress, 12345678);
	progress_end(&progress);
}

TEST(progress_without_a_total_shows_the_rate)
{
	char said[1000];

	child_says(unknown_total, true, said, sizeof(said));
	EXPECT_CONTAINS(said, "\rreading 12,345,678  1,23");
	EXPECT_CONTAINS(said, "/s\033[K\r\033[K");
}

static void extremes(void)
{
	struct progress progress = progress_start("x", UINT64_MAX);

	progress.started_ns -= 10 * NS_PER_SEC;
	progress_at(&progress, 1); /* an estimate beyond any clock */
	progress.shown_ns = 0;
	progress.total = 10;
	progress_at(&progress, 11); /* more than all */
	progress_end(&progress);
}

TEST(progress_takes_extremes)
{
	char said[1000];

	child_says(extremes, true, said, sizeof(said));
	EXPECT_CONTAINS(said, "1 of 18,446,744,073,709,551,615\033[K");
	EXPECT_CONTAINS(said, "[########################] 11 of 10\033[K");
}

static void quick(void)
{
	struct progress progress = progress_start("quick", 10);

	for (uint64_t i = 0; i <= 10; i++)
		progress_at(&progress, i);
	progress_end(&progress);
}

TEST(progress_is_silent_in_the_first_second)
{
	char said[1000];

	child_says(quick, true, said, sizeof(said));
	EXPECT_TEXT(said, "");
}
