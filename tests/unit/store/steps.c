// SPDX-License-Identifier: Apache-2.0
#include "store/steps.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool armed;
static enum steps_what what;
static long at, steps;

void steps_begin(enum steps_what do_what, long at_step)
{
	what = do_what;
	at = at_step;
	steps = 0;
	armed = true;
}

long steps_end(void)
{
	armed = false;
	return steps;
}

/* Whether the step can be done; `grows`: it may need room on the disk. */
static bool step(bool grows)
{
	if (!armed)
		return true;
	steps++;
	if (what == STEPS_KILL && steps == at)
		kill(getpid(), SIGKILL);
	if (what == STEPS_FULL && steps >= at && grows) {
		errno = ENOSPC;
		return false;
	}
	return true;
}

ssize_t write(int fd, const void *bytes, size_t size)
{
	return step(true) ? syscall(SYS_write, fd, bytes, size) : -1;
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t offset)
{
	return step(true) ? syscall(SYS_pwrite64, fd, bytes, size, offset) : -1;
}

int fsync(__attribute__((unused)) int fd)
{
	return step(false) ? 0 : -1;
}

int fdatasync(__attribute__((unused)) int fd)
{
	return step(false) ? 0 : -1;
}

int ftruncate64(int fd, off64_t size)
{
	return step(false) ? (int)syscall(SYS_ftruncate, fd, size) : -1;
}

int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
	return step(true) ? (int)syscall(SYS_renameat2, from_dir, from, to_dir, to, 0) : -1;
}

int mkdirat(int dir, const char *name, mode_t mode)
{
	return step(true) ? (int)syscall(SYS_mkdirat, dir, name, mode) : -1;
}

int unlinkat(int dir, const char *name, int flags)
{
	return step(false) ? (int)syscall(SYS_unlinkat, dir, name, flags) : -1;
}

int unlink(const char *name)
{
	return unlinkat(AT_FDCWD, name, 0);
}
