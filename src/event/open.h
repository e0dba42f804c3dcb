/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's side of an event: perf_event_open and what goes with it, through a table.
 *
 * Everything that opens events takes a `const struct perf_sys *`, so that tests give it a kernel of
 * their own: one without a PMU, with two counters, out of descriptors.
 */
#ifndef EVENT_OPEN_H
#define EVENT_OPEN_H

#include "event/event.h"
#include <poll.h>
#include <sys/types.h>

struct perf_sys {
	/* The descriptor, or a negative errno value; these never touch errno. */
	int (*open)(const struct event_attr *attr, pid_t pid, int cpu, int group_fd,
		    unsigned long flags);
	ssize_t (*read)(int fd, void *into, size_t size);
	int (*ioctl)(int fd, unsigned long request, unsigned long argument);
	int (*close)(int fd);
	/* Recording: the event's ring, and waiting for it.  0 or more, or a negative errno value.
	 */
	int (*map)(int fd, size_t size, bool writable, void **into);
	int (*unmap)(void *map, size_t size);
	int (*poll)(struct pollfd *fds, size_t count, int timeout_ms);
};

extern const struct perf_sys perf_sys_kernel;

/*
 * Whether an event can be opened here and now, found out by opening it (on this thread, disabled)
 * and closing it again: 0, or the negative errno value that the kernel gave.
 */
int event_probe(const struct perf_sys *sys, const struct event *event);

/*
 * Why opening failed and what to do about it, in one sentence that does not name the event (many
 * share a reason), for the positive errno value that the kernel gave.  Looks at the machine anew;
 * for many events host_look once and use host_why_not (event/host.h).  500 bytes are room enough.
 */
const char *event_why_not(const struct event *event, int code, char *into, size_t room);

#endif
