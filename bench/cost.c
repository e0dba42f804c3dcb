// SPDX-License-Identifier: Apache-2.0
/*
 * Runs a command and writes what it cost as JSON:
 *
 *	cost FILE [-t SECONDS] [-m MB] COMMAND [ARGUMENT...]
 *
 * A program of its own because a child's peak memory starts at that of the process it was forked
 * from: seen from an interpreter everything small would take 15 MB.  With -t the command is ended
 * after so many seconds of CPU time, with -m it gets no more address space than that; "status" says
 * how it ended (128 and the signal's number if by a signal).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static double ms(struct timeval time)
{
	return (double)time.tv_sec * 1e3 + (double)time.tv_usec / 1e3;
}

static void limit(int resource, rlim_t amount)
{
	struct rlimit rlimit = { amount, amount };

	if (amount && setrlimit(resource, &rlimit))
		perror("cost: setrlimit");
}

static int usage(void)
{
	fprintf(stderr, "usage: cost FILE [-t SECONDS] [-m MB] COMMAND [ARGUMENT...]\n");
	return 2;
}

static int write_cost(const char *path, double started, const struct rusage *usage, int status)
{
	FILE *file = fopen(path, "w");

	if (!file ||
	    fprintf(file,
		    "{\"elapsed_ms\":%.3f,\"cpu_ms\":%.3f,\"memory_mb\":%.3f,\"status\":%d}\n",
		    now_ms() - started, ms(usage->ru_utime) + ms(usage->ru_stime),
		    (double)usage->ru_maxrss / 1024, status) < 0 ||
	    fclose(file)) {
		perror(path);
		return 1;
	}
	return 0;
}

/*
 * Processes that the command leaves to end by themselves are a part of its cost: perf does so with
 * the addr2line that does most of its work.
 */
static void add_orphans(struct rusage *cost)
{
	struct rusage orphan;

	while (wait4(-1, NULL, 0, &orphan) > 0) {
		timeradd(&cost->ru_utime, &orphan.ru_utime, &cost->ru_utime);
		timeradd(&cost->ru_stime, &orphan.ru_stime, &cost->ru_stime);
	}
}

int main(int argc, char **argv)
{
	rlim_t seconds = 0, megabytes = 0;
	struct rusage cost;
	double started;
	pid_t child;
	int status, option;

	if (argc < 3)
		return usage();
	for (optind = 2; (option = getopt(argc, argv, "+t:m:")) > 0;) {
		if (option == 't')
			seconds = strtoul(optarg, NULL, 10);
		else if (option == 'm')
			megabytes = strtoul(optarg, NULL, 10);
		else
			return usage();
	}
	if (optind >= argc)
		return usage();
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	started = now_ms();
	child = fork();
	if (child == 0) {
		limit(RLIMIT_CPU, seconds);
		limit(RLIMIT_AS, megabytes << 20);
		execvp(argv[optind], argv + optind);
		fprintf(stderr, "cost: %s: %s\n", argv[optind], strerror(errno));
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &cost) < 0) {
		perror("cost");
		return 1;
	}
	add_orphans(&cost);
	status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	return write_cost(argv[1], started, &cost, status) ? 1 : status;
}
