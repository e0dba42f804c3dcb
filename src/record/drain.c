// SPDX-License-Identifier: Apache-2.0
#include "record/drain.h"
#include "base/clock.h"
#include "base/cpuset.h"
#include "base/err.h"
#include "base/mem.h"
#include "perfdata/counts.h"
#include "record/rounds.h"
#include "record/topology.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SYNC_SECONDS  5
#define NEAR_LIMIT_MS 10
#define COUNT_PAUSE   50 /* reading the counts takes no more than one part of so many */

struct drain {
	struct drain_options options;
	const struct perf_sys *sys;
	struct pollfd *fds; /* the rings', then wake_fd */
	cpu_set_t *places;  /* of the rings; NULL: anywhere */
	uint64_t *ends;	    /* of the rings, as far as this pass goes; NULL: as far as they go */
	int wake_fd, ended_fd;
	pthread_t thread, syncer;
	bool has_syncer;
	enum drain_priority priority;
	struct perf_counts base, next_base; /* what was counted before the file; the thread's */
	int64_t count_again_ns;

	pthread_mutex_t lock; /* guards what follows, but the sink while the thread uses it */
	pthread_cond_t changed;
	struct drain_sink sink, next;
	bool running, switching, stopping, ended;
	struct drain_progress progress;
	int rc;
	struct err err; /* the thread's until it has ended */
};

static void set_priority(struct drain *d)
{
	struct sched_param param = { .sched_priority = d->options.priority ? d->options.priority
									   : 1 };
	id_t tid = (id_t)syscall(SYS_gettid);

	d->priority = DRAIN_REALTIME;
	if (!pthread_setschedparam(pthread_self(), SCHED_FIFO, &param))
		return;
	d->priority = setpriority(PRIO_PROCESS, tid, -20) ? DRAIN_NORMAL : DRAIN_NICE;
}

/* Straight from the ring, unless something in it must be changed. */
static int write_view(struct drain *d, const struct ring_view *view, struct err *err)
{
	uint64_t at = view->start;
	struct iovec parts[2];
	int rc = 0, count;

	if (!d->options.tuck)
		return perf_writer_append(d->sink.writer, parts, ring_parts(view, parts), err);
	while (!rc && (count = tuck_next(d->options.tuck, view, &at, parts)))
		rc = perf_writer_append(d->sink.writer, parts, count, err);
	return rc;
}

static int write_all(struct drain *d, const struct ring_view *view, struct err *err)
{
	account_view(d->sink.account, view);
	return write_view(d, view, err);
}

static int write_sieved(struct drain *d, const struct ring_view *view, struct err *err)
{
	uint64_t at = view->start;
	struct ring_view part;
	int rc = 0;

	tasksieve_look(d->options.sieve, d->options.rings, d->options.count, clock_now_ns());
	while (!rc && tasksieve_next(d->options.sieve, view, &at, &part))
		rc = write_all(d, &part, err);
	return rc;
}

/* The CPUs of a ring's memory node, or its CPU alone. */
static cpu_set_t *places_of_rings(const struct drain_options *options)
{
	cpu_set_t *places = mem_alloc(options->count * sizeof(*places));
	struct cpuset online = { 0 };

	if (options->affinity == DRAIN_ON_NODE)
		cpuset_online(&online, NULL);
	for (size_t i = 0; i < options->count; i++) {
		int node = topology_of("/sys", options->rings[i].cpu).node;

		CPU_ZERO(&places[i]);
		CPU_SET(options->rings[i].cpu, &places[i]);
		vec_each (cpu, &online)
			if (topology_of("/sys", *cpu).node == node)
				CPU_SET(*cpu, &places[i]);
	}
	cpuset_free(&online);
	return places;
}

/* *left is set if the ring holds too little to be emptied yet. */
static int empty_ring(struct drain *d, struct ring *ring, bool last, bool *left, struct err *err)
{
	struct ring_view view;
	uint64_t flush = d->options.flush_bytes;
	int rc;

	if (!ring_view(ring, &view))
		return 0;
	if (d->ends && view.end > d->ends[ring - d->options.rings])
		view.end = d->ends[ring - d->options.rings];
	if (view.start == view.end)
		return 0;
	if (!last && view.end - view.start < (flush < ring->size / 4 ? flush : ring->size / 4)) {
		*left = true;
		return 0;
	}
	if (d->places) /* a CPU that we may not use: stay */
		sched_setaffinity(0, sizeof(*d->places), &d->places[ring - d->options.rings]);
	rc = d->options.sieve ? write_sieved(d, &view, err) : write_all(d, &view, err);
	if (!rc)
		ring_release(ring, &view);
	return rc;
}

/* Whose a sample is, records of any ring may tell that came before it. */
static void look_for_own(struct drain *d)
{
	struct ring_view view;

	for (size_t i = 0; i < d->options.count; i++) {
		ring_view(&d->options.rings[i], &view);
		d->ends[i] = view.end;
	}
	ownproc_look(d->options.own, d->options.rings, d->options.count);
}

static int empty_rings(struct drain *d, bool last, bool *left, struct err *err)
{
	int rc = 0;

	if (d->options.own)
		look_for_own(d);
	for (size_t i = 0; i < d->options.count && !rc; i++)
		rc = empty_ring(d, &d->options.rings[i], last, left, err);
	return rc;
}

/* How much may still be written: 0 where the file has reached its size. */
static uint64_t room_left(const struct drain *d)
{
	uint64_t size = perf_writer_size(d->sink.writer), most = d->options.most_bytes;

	return !most ? UINT64_MAX : size < most ? most - size : 0;
}

/* Of thousands of events it takes milliseconds: then it is done less often. */
static void count_events(struct drain *d, bool last)
{
	int64_t start = clock_now_ns();
	struct perf_counts counts = { 0 };

	if (!d->options.read_counts || (start < d->count_again_ns && !last))
		return;
	d->options.read_counts(d->options.counts_of, &counts);
	if (last) /* if there is another file, it tells of its own time */
		perf_counts_copy(&d->next_base, &counts);
	perf_counts_subtract(&counts, &d->base);
	perf_writer_counts(d->sink.writer, &counts, last);
	perf_counts_fini(&counts);
	d->count_again_ns = start + (clock_now_ns() - start) * COUNT_PAUSE;
}

static int end_round(struct drain *d, bool last, struct err *err)
{
	int rc;

	count_events(d, last);
	rc = perf_writer_round(d->sink.writer, err);

	if (!rc)
		account_mark(d->sink.account);
	return rc;
}

static void publish(struct drain *d)
{
	const struct account *account = d->sink.account;

	pthread_mutex_lock(&d->lock);
	d->progress.samples = account->now.samples;
	d->progress.lost = account->now.lost_records + account->now.lost_samples;
	d->progress.bytes = perf_writer_size(d->sink.writer);
	pthread_mutex_unlock(&d->lock);
}

static void tell_keep(struct drain *d)
{
	const pid_t *pids;
	size_t count = account_take_pids(d->sink.account, &pids);

	if (d->options.keep && count)
		keep_look_at(d->options.keep, pids, count);
}

/* Waits for a ring to fill, for the next round's time, or to be woken. */
static void wait_for_work(struct drain *d, int64_t round_due)
{
	int64_t left = round_due - clock_now_ns();
	int timeout = left > 0 ? (int)(left / NS_PER_MSEC) + 1 : 0;
	uint64_t ring_bytes = d->options.count ? d->options.rings[0].size * d->options.count : 0;
	eventfd_t count;

	/* What the rings hold could pass the limit by far: look more often. */
	if (timeout > NEAR_LIMIT_MS && room_left(d) < ring_bytes)
		timeout = NEAR_LIMIT_MS;

	if (d->sys->poll(d->fds, d->options.count + 1, timeout) <= 0)
		return;
	/* An anchor lives as long as we do; should one not, it must not make us spin. */
	for (size_t i = 0; i < d->options.count; i++)
		if (d->fds[i].revents & (POLLHUP | POLLERR | POLLNVAL))
			d->fds[i].fd = -1;
	if (d->fds[d->options.count].revents & POLLIN)
		eventfd_read(d->wake_fd, &count);
}

/* What the others want to be done after the next round. */
enum order { ORDER_NONE, ORDER_SWITCH, ORDER_STOP };

static enum order present_order(struct drain *d)
{
	enum order order;

	pthread_mutex_lock(&d->lock);
	order = d->switching ? ORDER_SWITCH : d->stopping ? ORDER_STOP : ORDER_NONE;
	pthread_mutex_unlock(&d->lock);
	return order;
}

static void switch_sink(struct drain *d)
{
	struct drain_sink old = d->sink;

	perf_counts_copy(&d->base, &d->next_base);
	pthread_mutex_lock(&d->lock);
	d->sink = d->next;
	d->next = old;
	d->switching = false;
	pthread_cond_broadcast(&d->changed);
	pthread_mutex_unlock(&d->lock);
}

/* One pass over the rings; a round's last one if enough time has gone by, or if it must be. */
static int make_pass(struct drain *d, struct rounds *rounds, bool last, struct err *err)
{
	uint64_t bytes = perf_writer_raw_bytes(d->sink.writer);
	bool ends = last || rounds_may_end(rounds, clock_now_ns(), bytes), left = false;
	int rc = empty_rings(d, last, &left, err);
	bool full = !rc && !room_left(d);

	if (rc == -EFBIG) /* no round comes any more: the file has samples up to here */
		count_events(d, true);
	/* what waits in a ring is older than the round would promise */
	if (!rc && (full || (ends && !left && (last || !d->options.one_round))))
		rc = end_round(d, last || full, err);
	if (!rc && full)
		rc = err_set(err, EFBIG, "the file has reached its size");
	if (ends)
		rounds_ended(rounds, clock_now_ns(), perf_writer_raw_bytes(d->sink.writer));
	tell_keep(d);
	publish(d);
	return rc;
}

static void make_rounds(struct drain *d, struct err *err)
{
	struct rounds rounds;
	int rc;

	rounds_init(&rounds, d->options.soon, clock_now_ns());
	for (;;) {
		enum order order = present_order(d);

		if (order == ORDER_NONE) {
			wait_for_work(d, rounds_due_ns(&rounds));
			order = present_order(d);
		}
		rc = make_pass(d, &rounds, order != ORDER_NONE, err);
		if (rc || order == ORDER_STOP)
			break;
		if (order == ORDER_SWITCH) {
			switch_sink(d);
			rounds_init(&rounds, d->options.soon, clock_now_ns());
		}
	}

	pthread_mutex_lock(&d->lock);
	d->rc = rc;
	d->ended = true;
	pthread_cond_broadcast(&d->changed);
	pthread_mutex_unlock(&d->lock);
}

static void *run(void *user)
{
	struct drain *d = user;

	set_priority(d);
	pthread_mutex_lock(&d->lock);
	d->running = true;
	pthread_cond_broadcast(&d->changed);
	pthread_mutex_unlock(&d->lock);
	make_rounds(d, &d->err);
	eventfd_write(d->ended_fd, 1);
	return NULL;
}

static bool over(const struct drain *d)
{
	return d->stopping || d->ended;
}

static void *sync_file(void *user)
{
	struct drain *d = user;
	struct timespec until;

	pthread_mutex_lock(&d->lock);
	while (!over(d)) {
		int fd = -1;

		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_sec += SYNC_SECONDS;
		while (!over(d) && !pthread_cond_timedwait(&d->changed, &d->lock, &until))
			continue;
		/* A descriptor of our own: the file may be switched while we wait for the disk. */
		if (!over(d) && d->sink.sync_fd >= 0)
			fd = fcntl(d->sink.sync_fd, F_DUPFD_CLOEXEC, 0);
		pthread_mutex_unlock(&d->lock);
		if (fd >= 0) {
			fdatasync(fd);
			close(fd);
		}
		pthread_mutex_lock(&d->lock);
	}
	pthread_mutex_unlock(&d->lock);
	return NULL;
}

static void free_drain(struct drain *d)
{
	if (d->wake_fd >= 0)
		close(d->wake_fd);
	if (d->ended_fd >= 0)
		close(d->ended_fd);
	pthread_cond_destroy(&d->changed);
	pthread_mutex_destroy(&d->lock);
	perf_counts_fini(&d->base);
	perf_counts_fini(&d->next_base);
	free(d->fds);
	free(d->places);
	free(d->ends);
	free(d);
}

static struct drain *make_drain(const struct drain_options *options, const struct drain_sink *sink)
{
	struct drain *d = mem_alloc(sizeof(*d));
	pthread_condattr_t attr;

	d->options = *options;
	d->sys = options->sys ? options->sys : &perf_sys_kernel;
	d->sink = *sink;
	pthread_mutex_init(&d->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&d->changed, &attr);
	pthread_condattr_destroy(&attr);
	d->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	d->ended_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	d->fds = mem_alloc((options->count + 1) * sizeof(*d->fds));
	for (size_t i = 0; i < options->count; i++)
		d->fds[i] = (struct pollfd){ .fd = options->rings[i].fd, .events = POLLIN };
	if (options->affinity)
		d->places = places_of_rings(options);
	if (options->own)
		d->ends = mem_alloc((options->count + 1) * sizeof(*d->ends));
	d->fds[options->count] = (struct pollfd){ .fd = d->wake_fd, .events = POLLIN };
	return d;
}

/* Signals are the main thread's business. */
static int start_thread(pthread_t *thread, void *(*function)(void *), struct drain *d)
{
	sigset_t all, before;
	int code;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	code = pthread_create(thread, NULL, function, d);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return code;
}

struct drain *drain_start(const struct drain_options *options, const struct drain_sink *sink,
			  struct err *err)
{
	struct drain *d = make_drain(options, sink);
	int code = d->wake_fd < 0 || d->ended_fd < 0 ? EMFILE : start_thread(&d->thread, run, d);

	if (code) {
		err_set(err, code, "the thread that writes can't be started: %s", strerror(code));
		free_drain(d);
		return NULL;
	}
	pthread_mutex_lock(&d->lock);
	while (!d->running)
		pthread_cond_wait(&d->changed, &d->lock);
	pthread_mutex_unlock(&d->lock);
	d->has_syncer = !start_thread(&d->syncer, sync_file, d);
	return d;
}

int drain_fd(const struct drain *d)
{
	return d->ended_fd;
}

enum drain_priority drain_priority(const struct drain *d)
{
	return d->priority;
}

struct drain_progress drain_progress(struct drain *d)
{
	struct drain_progress progress;

	pthread_mutex_lock(&d->lock);
	progress = d->progress;
	pthread_mutex_unlock(&d->lock);
	return progress;
}

int drain_switch(struct drain *d, const struct drain_sink *sink, struct err *err)
{
	int rc = 0;

	pthread_mutex_lock(&d->lock);
	d->next = *sink;
	d->switching = !d->ended;
	eventfd_write(d->wake_fd, 1);
	while (d->switching && !d->ended)
		pthread_cond_wait(&d->changed, &d->lock);
	if (d->switching || d->ended)
		rc = err_set(err, d->rc ? -d->rc : EPIPE, "%s", d->err.text);
	pthread_mutex_unlock(&d->lock);
	return rc;
}

int drain_stop(struct drain *d, struct err *err)
{
	int rc;

	pthread_mutex_lock(&d->lock);
	d->stopping = true;
	pthread_cond_broadcast(&d->changed);
	pthread_mutex_unlock(&d->lock);
	eventfd_write(d->wake_fd, 1);
	pthread_join(d->thread, NULL);
	if (d->has_syncer)
		pthread_join(d->syncer, NULL);
	rc = d->rc;
	if (rc)
		err_set(err, -rc, "%s", d->err.text);
	free_drain(d);
	return rc;
}
