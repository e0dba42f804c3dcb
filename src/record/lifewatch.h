/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Telling when the last of some processes has ended, without asking again and again.
 *
 * A pidfd each, all in one epoll descriptor.  It becomes readable also for a process that its
 * parent has not collected yet, which /proc and kill(2) still call alive.
 */
#ifndef RECORD_LIFEWATCH_H
#define RECORD_LIFEWATCH_H

#include "base/vec.h"
#include <stdbool.h>
#include <sys/types.h>

struct lifewatch {
	int fd;		  /* readable when one has ended; -1 without processes */
	VEC(int) pidfds;  /* -1 once ended */
	VEC(pid_t) asked; /* those that the kernel gives no pidfd for (threads before Linux 6.9) */
	size_t alive;	  /* of those with a pidfd */
};

void lifewatch_init(struct lifewatch *watch);
void lifewatch_fini(struct lifewatch *watch);

void lifewatch_add(struct lifewatch *watch, pid_t id, bool thread);

/* Whether any of them lives. */
bool lifewatch_alive(struct lifewatch *watch);

#endif
