// SPDX-License-Identifier: Apache-2.0
#include "record/cost.h"
#include "base/clock.h"
#include "base/err.h"
#include "event/open.h"
#include "record/ring.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#define TURN_NS	    (NS_PER_MSEC / 2) /* short, so that some are over before others want the CPU */
#define TURNS	    200		      /* of each kind, that nobody else disturbed */
#define TURNS_FEW   20		      /* too few to tell anything from */
#define PATIENCE_NS (1500 * NS_PER_MSEC)
#define RATE_LEAST  10000 /* samples a second: fewer would drown in noise */
#define PAGES	    2048  /* of the ring; a turn must fit in */
#define WATCH_NS    (300 * NS_PER_MSEC)

/* Work that is always the same: how many rounds of it fit into a turn. */
static uint64_t spin(int64_t for_ns)
{
	int64_t until = clock_now_ns() + for_ns;
	uint64_t rounds = 0;
	volatile uint64_t value = 1;

	while (clock_now_ns() < until) {
		for (int i = 0; i < 1000; i++)
			value = value * 6364136223846793005ULL + 1;
		rounds++;
	}
	return rounds;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Samples and their bytes since the last look. */
static void count_samples(struct ring *ring, size_t *samples, uint64_t *bytes)
{
	struct ring_view view;

	*samples = 0;
	*bytes = 0;
	if (!ring_view(ring, &view))
		return;
	for (uint64_t at = view.start; at < view.end;) {
		struct perf_event_header header = ring_header(&view, at);

		if (header.size < sizeof(header))
			break;
		*samples += header.type == PERF_RECORD_SAMPLE;
		*bytes += header.type == PERF_RECORD_SAMPLE ? header.size : 0;
		at += header.size;
	}
	ring_release(ring, &view);
}

/* Turns that somebody else had the CPU in say nothing. */
static long times_disturbed(void)
{
	struct rusage use;

	return getrusage(RUSAGE_THREAD, &use) ? 0 : use.ru_nivcsw + use.ru_nvcsw;
}

/* The median, and two standard errors of it by the quartiles, which a few odd turns don't move. */
static void conclude(struct sampling_cost *cost, double *costs, double *shares, size_t turns)
{
	double spread;

	qsort(shares, turns, sizeof(*shares), by_value);
	cost->share = shares[turns / 2] > 0 ? shares[turns / 2] : 0;

	qsort(costs, turns, sizeof(*costs), by_value);
	spread = (costs[turns * 3 / 4] - costs[turns / 4]) / 1.349;
	cost->ns = costs[turns / 2] > 0 ? costs[turns / 2] : 0;
	cost->error_ns = 2 * 1.253 * spread / sqrt((double)turns);
}

static void take_turns(int fd, struct ring *ring, struct sampling_cost *cost)
{
	double costs[TURNS], shares[TURNS];
	uint64_t bytes = 0;
	size_t turns = 0;
	int64_t end_ns = clock_now_ns() + PATIENCE_NS;

	cost->ns = -1;
	while (turns < TURNS && clock_now_ns() < end_ns) {
		long disturbed = times_disturbed();
		uint64_t without = spin(TURN_NS), with, turn_bytes;
		size_t samples;

		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		with = spin(TURN_NS);
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		count_samples(ring, &samples, &turn_bytes);
		cost->samples += samples;
		bytes += turn_bytes;
		if (!samples || !without || times_disturbed() != disturbed)
			continue;
		shares[turns] = 1 - (double)with / (double)without;
		costs[turns] = shares[turns] * TURN_NS / (double)samples;
		turns++;
	}
	if (cost->samples)
		cost->bytes = (double)bytes / (double)cost->samples;
	if (turns >= TURNS_FEW)
		conclude(cost, costs, shares, turns);
}

#define SHARE_MOST 0.95 /* beyond it nobody knows: fewer samples come than were requested */

double sampling_cost_share(const struct sampling_cost *cost, double rate)
{
	double share = rate * cost->ns / NS_PER_SEC;

	if (cost->rate == rate && cost->share > 0)
		return cost->share < 1 ? cost->share : SHARE_MOST;
	return share < SHARE_MOST ? share : SHARE_MOST;
}

double sampling_cost_slowdown(double share)
{
	share = share < SHARE_MOST ? share : SHARE_MOST;
	return share / (1 - share);
}

double sampling_cost_times(double share, double error)
{
	double times = 1 + sampling_cost_slowdown(share > error ? share - error : 0);

	return times < 10 ? floor(times * 10) / 10 : floor(times);
}

static bool comes_by_itself(const struct event *event)
{
	uint64_t config = event->attr.base.config;

	switch (event->attr.base.type) {
	case PERF_TYPE_TRACEPOINT:
	case PERF_TYPE_BREAKPOINT: return false;
	case PERF_TYPE_SOFTWARE:
		return config == PERF_COUNT_SW_CPU_CLOCK || config == PERF_COUNT_SW_TASK_CLOCK;
	default: return true;
	}
}

/* Where we happen to run is as good as any other CPU, as long as we stay there. */
static void stay_here(cpu_set_t *before)
{
	cpu_set_t here;

	pthread_getaffinity_np(pthread_self(), sizeof(*before), before);
	CPU_ZERO(&here);
	CPU_SET(sched_getcpu(), &here);
	pthread_setaffinity_np(pthread_self(), sizeof(here), &here);
}

static int open_sampled(struct event_attr *attr, struct ring *ring)
{
	const struct perf_sys *sys = &perf_sys_kernel;
	int fd, rc = -EPERM;

	attr->base.disabled = 1;
	attr->base.inherit = 0;
	if (attr->base.freq && attr->base.sample_freq < RATE_LEAST)
		attr->base.sample_freq = RATE_LEAST;
	fd = sys->open(attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0 && (fd == -EACCES || fd == -EPERM)) {
		attr->base.exclude_kernel = attr->base.exclude_hv = 1;
		fd = sys->open(attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	}
	if (fd < 0)
		return fd;
	for (size_t pages = PAGES; pages && rc == -EPERM; pages /= 2)
		rc = ring_map(ring, sys, fd, -1, pages, false);
	if (rc)
		sys->close(fd);
	return rc ? rc : fd;
}

int sampling_cost_measure(struct sampling_cost *cost, const struct event_list *list, size_t index,
			  const struct sampling_choice *choice, struct err *err)
{
	const struct event *event = &list->events.data[index];
	struct event_attr attr;
	struct ring ring;
	cpu_set_t before;
	char why[500];
	int fd;

	*cost = (struct sampling_cost){ 0 };
	if (!comes_by_itself(event))
		return -ENOTSUP;
	sampling_attr(&attr, list, index, choice, true);
	fd = open_sampled(&attr, &ring);
	if (fd < 0)
		return err_set(err, -fd, "%s: %s", event->name,
			       event_why_not(event, -fd, why, sizeof(why)));
	cost->rate = attr.base.freq ? (double)attr.base.sample_freq : 0;
	stay_here(&before);
	take_turns(fd, &ring, cost);
	pthread_setaffinity_np(pthread_self(), sizeof(before), &before);
	ring_unmap(&ring, &perf_sys_kernel);
	close(fd);
	return cost->samples ? 0 : -ENOTSUP;
}

double sampling_event_rate(const struct event *event)
{
	struct event_attr attr = event->attr;
	struct cpuset cpus = { 0 };
	VEC(int) fds = { 0 };
	uint64_t count = 0;
	int64_t started = clock_now_ns();

	attr.base.freq = 0;
	attr.base.sample_period = 0;
	attr.base.read_format = 0;
	cpuset_online(&cpus, NULL);
	vec_each (cpu, &cpus) {
		int fd = perf_sys_kernel.open(&attr, -1, *cpu, -1, PERF_FLAG_FD_CLOEXEC);

		if (fd >= 0)
			*vec_push(&fds) = fd;
	}
	if (fds.len)
		nanosleep(&(struct timespec){ .tv_nsec = WATCH_NS }, NULL);
	vec_each (fd, &fds) {
		uint64_t value = 0;

		if (read(*fd, &value, sizeof(value)) == sizeof(value))
			count += value;
		close(*fd);
	}
	started = clock_now_ns() - started;
	if (!fds.len)
		count = 0;
	cpuset_free(&cpus);
	if (!fds.len) {
		vec_free(&fds);
		return -1;
	}
	vec_free(&fds);
	return (double)count * NS_PER_SEC / (double)started;
}
