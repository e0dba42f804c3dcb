// SPDX-License-Identifier: Apache-2.0
/*
 * witness COMMAND...: counts a command with bare system calls, as a second opinion on the machine.
 *
 * If it reads the numbers that the command is known to have and perfolio does not, then perfolio
 * is wrong; if it does not read them either, the emulated PMU is not what the lab takes it for.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
	const char *name;
	uint64_t config;
	bool user, kernel;
} events[] = {
	{ "instructions:u", PERF_COUNT_HW_INSTRUCTIONS, true, false },
	{ "instructions:k", PERF_COUNT_HW_INSTRUCTIONS, false, true },
	{ "instructions", PERF_COUNT_HW_INSTRUCTIONS, true, true },
	{ "cycles:u", PERF_COUNT_HW_CPU_CYCLES, true, false },
};
enum { EVENTS = sizeof(events) / sizeof(events[0]) };

static void die(const char *what)
{
	fprintf(stderr, "witness: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int open_event(int index, pid_t pid)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_HARDWARE,
		.config = events[index].config,
		.exclude_user = !events[index].user,
		.exclude_kernel = !events[index].kernel,
		.disabled = 1,
		.enable_on_exec = 1,
		.inherit = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		die(events[index].name);
	return fd;
}

int main(int argc, char **argv)
{
	int gate[2], fds[EVENTS], status;
	pid_t pid;

	if (argc < 2 || pipe(gate) < 0)
		die("usage: witness COMMAND...");
	pid = fork();
	if (pid == 0) {
		close(gate[1]);
		if (read(gate[0], &status, 1) == 0)
			execvp(argv[1], argv + 1);
		die(argv[1]);
	}
	for (int i = 0; i < EVENTS; i++)
		fds[i] = open_event(i, pid);
	close(gate[1]);
	if (waitpid(pid, &status, 0) < 0 || status != 0)
		die(argv[1]);
	for (int i = 0; i < EVENTS; i++) {
		uint64_t count;

		if (read(fds[i], &count, sizeof(count)) != sizeof(count))
			die("read");
		printf("%s %llu\n", events[i].name, (unsigned long long)count);
	}
	return 0;
}
