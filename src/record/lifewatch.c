// SPDX-License-Identifier: Apache-2.0
#include "record/lifewatch.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef PIDFD_THREAD
#define PIDFD_THREAD O_EXCL
#endif

void lifewatch_init(struct lifewatch *watch)
{
	*watch = (struct lifewatch){ .fd = -1 };
}

void lifewatch_fini(struct lifewatch *watch)
{
	vec_each (fd, &watch->pidfds)
		if (*fd >= 0)
			close(*fd);
	if (watch->fd >= 0)
		close(watch->fd);
	vec_free(&watch->pidfds);
	vec_free(&watch->asked);
	watch->fd = -1;
}

static int watch_pidfd(struct lifewatch *watch, int pidfd)
{
	struct epoll_event event = { .events = EPOLLIN };

	if (watch->fd < 0)
		watch->fd = epoll_create1(EPOLL_CLOEXEC);
	event.data.u64 = watch->pidfds.len;
	return watch->fd < 0 || epoll_ctl(watch->fd, EPOLL_CTL_ADD, pidfd, &event) ? -errno : 0;
}

void lifewatch_add(struct lifewatch *watch, pid_t id, bool thread)
{
	int pidfd = (int)syscall(SYS_pidfd_open, id, thread ? PIDFD_THREAD : 0);

	if (pidfd < 0 && errno == ESRCH)
		return;
	if (pidfd < 0 || watch_pidfd(watch, pidfd)) {
		if (pidfd >= 0)
			close(pidfd);
		*vec_push(&watch->asked) = id;
		return;
	}
	*vec_push(&watch->pidfds) = pidfd;
	watch->alive++;
}

static void take_ended(struct lifewatch *watch)
{
	struct epoll_event events[64];
	int n;

	do {
		n = epoll_wait(watch->fd, events, (int)ARRAY_SIZE(events), 0);
		for (int i = 0; i < n; i++) {
			int *pidfd = &watch->pidfds.data[events[i].data.u64];

			close(*pidfd); /* leaves the epoll set too */
			*pidfd = -1;
			watch->alive--;
		}
	} while (n == (int)ARRAY_SIZE(events));
}

bool lifewatch_alive(struct lifewatch *watch)
{
	if (watch->fd >= 0)
		take_ended(watch);
	if (watch->alive)
		return true;
	vec_each (id, &watch->asked)
		if (file_exists("/proc/%d", (int)*id))
			return true;
	return false;
}
