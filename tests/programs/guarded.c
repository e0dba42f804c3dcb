// SPDX-License-Identifier: Apache-2.0
/*
 * A process with a secret on its stack, which it reads from a file:
 *
 *	guarded FILE [SECONDS]		busy for so long
 *	guarded --closed FILE [SECONDS]	... and not to be looked into by others of its user
 *	guarded --then PROGRAM WORD...	becomes the program once a line comes on standard input
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return (double)at.tv_sec + (double)at.tv_nsec / 1e9;
}

/* Half of the time on a CPU, which it often gives away. */
static void be_busy(double seconds)
{
	double until = now() + seconds;
	volatile unsigned long turns = 0;

	while (now() < until) {
		double pause = now() + 0.002;

		while (now() < pause)
			turns++;
		usleep(2000);
	}
}

int main(int argc, char **argv)
{
	int closed = argc > 1 && !strcmp(argv[1], "--closed");
	volatile char secret[4096] = "";
	char line[16];
	int fd;

	if (argc > 2 && !strcmp(argv[1], "--then")) {
		if (!fgets(line, sizeof(line), stdin))
			return 1;
		execv(argv[2], argv + 2);
		return 1;
	}
	argc -= closed;
	argv += closed;
	fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
	if (fd < 0 || read(fd, (char *)secret, sizeof(secret) - 1) < 0)
		return 1;
	if (closed)
		prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	puts("ready");
	fflush(stdout);
	be_busy(argc > 2 ? atof(argv[2]) : 600);
	return secret[0] == 0;
}
