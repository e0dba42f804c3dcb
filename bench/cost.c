// SPDX-License-Identifier: Apache-2.0
/*
 * Runs a command and writes what it cost as JSON:	cost FILE COMMAND [ARGUMENT...]
 *
 * A program of its own because a child's peak memory starts at that of the process it was forked
 * from: seen from an interpreter everything small would take 15 MB.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
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

int main(int argc, char **argv)
{
	struct rusage usage;
	double started;
	FILE *file;
	pid_t child;
	int status;

	if (argc < 3) {
		fprintf(stderr, "usage: cost FILE COMMAND [ARGUMENT...]\n");
		return 2;
	}
	started = now_ms();
	child = fork();
	if (child == 0) {
		execvp(argv[2], argv + 2);
		fprintf(stderr, "cost: %s: %s\n", argv[2], strerror(errno));
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &usage) < 0) {
		perror("cost");
		return 1;
	}
	file = fopen(argv[1], "w");
	if (!file ||
	    fprintf(file, "{\"elapsed_ms\":%.3f,\"cpu_ms\":%.3f,\"memory_mb\":%.3f}\n",
		    now_ms() - started, ms(usage.ru_utime) + ms(usage.ru_stime),
		    (double)usage.ru_maxrss / 1024) < 0 ||
	    fclose(file)) {
		perror(argv[1]);
		return 1;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
