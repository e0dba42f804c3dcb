// SPDX-License-Identifier: Apache-2.0
/*
 * Many short processes, and the truth about them: "forks COUNT MICROSECONDS PARENT_SHARE" starts so
 * many children one after another, each of which computes for so long, and computes itself that
 * share of a hundred of the whole.  "forks COUNT PROGRAM [ARGUMENTS]" starts a program so many
 * times.
 *
 * Prints what the parent and what the children had of the CPU, in ns, and the parent's pid.
 */
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static volatile uint64_t sum;

static int64_t own_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void __attribute__((noinline)) spin(void)
{
	for (int i = 0; i < 1000; i++)
		sum += (uint64_t)i;
}

static void __attribute__((noinline)) child_work(int64_t ns)
{
	int64_t until = own_ns() + ns;

	while (own_ns() < until)
		spin();
}

static void __attribute__((noinline)) parent_work(int64_t ns)
{
	int64_t until = own_ns() + ns;

	while (own_ns() < until)
		spin();
}

static int64_t used_ns(int who)
{
	struct rusage used;

	getrusage(who, &used);
	return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000000LL +
	       (used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1000LL;
}

static void start(char **argv)
{
	posix_spawn_file_actions_t actions;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", 1 /* O_WRONLY */, 0);
	if (posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ))
		exit(2);
	posix_spawn_file_actions_destroy(&actions);
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	int count = argc > 2 ? atoi(argv[1]) : 0;
	int64_t each = argc > 2 ? atol(argv[2]) * 1000 : 0;

	for (int i = 0; i < count; i++) {
		if (!each) {
			start(argv + 2);
			continue;
		}
		if (!fork()) {
			child_work(each);
			_exit(0);
		}
		if (argc > 3)
			parent_work(each * atol(argv[3]) / (100 - atol(argv[3])));
		wait(NULL);
	}
	printf("%lld %lld %d\n", (long long)used_ns(RUSAGE_SELF),
	       (long long)used_ns(RUSAGE_CHILDREN), (int)getpid());
	return 0;
}
