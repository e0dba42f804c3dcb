// SPDX-License-Identifier: Apache-2.0
#include "event/open.h"

#include <errno.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static int kernel_open(const struct event_attr *attr, pid_t pid, int cpu, int group_fd,
		       unsigned long flags)
{
	struct event_attr copy = *attr;
	long fd;

	copy.base.size = attr->config3 ? sizeof(copy) : PERF_ATTR_SIZE_VER7;
	fd = syscall(SYS_perf_event_open, &copy, pid, cpu, group_fd, flags);
	return fd < 0 ? -errno : (int)fd;
}

static ssize_t kernel_read(int fd, void *into, size_t size)
{
	ssize_t got = read(fd, into, size);

	return got < 0 ? -errno : got;
}

static int kernel_ioctl(int fd, unsigned long request, unsigned long argument)
{
	return ioctl(fd, request, argument) < 0 ? -errno : 0;
}

static int kernel_close(int fd)
{
	return close(fd) ? -errno : 0;
}

static int kernel_map(int fd, size_t size, bool writable, void **into)
{
	void *map = mmap(NULL, size, writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, fd,
			 0);

	if (map == MAP_FAILED)
		return -errno;
	*into = map;
	return 0;
}

static int kernel_unmap(void *map, size_t size)
{
	return munmap(map, size) ? -errno : 0;
}

static int kernel_poll(struct pollfd *fds, size_t count, int timeout_ms)
{
	int ready = poll(fds, count, timeout_ms);

	return ready < 0 ? -errno : ready;
}

const struct perf_sys perf_sys_kernel = {
	.open = kernel_open,
	.read = kernel_read,
	.ioctl = kernel_ioctl,
	.close = kernel_close,
	.map = kernel_map,
	.unmap = kernel_unmap,
	.poll = kernel_poll,
};

int event_probe(const struct perf_sys *sys, const struct event *event)
{
	struct event_attr attr = event->attr;
	bool cpu_wide = event->cpu_wide_only;
	int cpu = cpu_wide && event->cpus.len ? event->cpus.data[0] : cpu_wide ? 0 : -1;
	int fd;

	if (event->kind == EVENT_TOOL)
		return 0;
	attr.base.disabled = 1;
	fd = sys->open(&attr, cpu_wide ? -1 : 0, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return fd;
	sys->close(fd);
	return 0;
}
