/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waiting for several things in one thread: descriptors that become ready, and moments.
 *
 * A callback may add and remove anything, itself too.
 */
#ifndef JOBS_EVLOOP_H
#define JOBS_EVLOOP_H

#include <stdbool.h>
#include <stdint.h>

struct err;
struct evloop;

struct evloop *evloop_new(void);
void evloop_free(struct evloop *loop);

/* Calls `ready` whenever the descriptor is; poll's events.  One entry a descriptor. */
typedef void evloop_ready(void *user, short revents);
void evloop_watch(struct evloop *loop, int fd, short events, evloop_ready *ready, void *user);
void evloop_change(struct evloop *loop, int fd, short events);
void evloop_unwatch(struct evloop *loop, int fd); /* before it is closed; unknown ones are fine */

/* Calls `due` once, at a time of CLOCK_MONOTONIC; again with the same pair moves it. */
typedef void evloop_due(void *user);
void evloop_at(struct evloop *loop, int64_t time_ns, evloop_due *due, void *user);
void evloop_never(struct evloop *loop, evloop_due *due, void *user);

/* Waits and calls until evloop_stop. */
int evloop_run(struct evloop *loop, struct err *err);
void evloop_stop(struct evloop *loop);

#endif
