/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kernel for tests: as many hardware counters as wanted, permissions, limits and vanished threads
 * to order, and a time that passes only when the test says so.
 *
 * Every event counts its config's number of things per running nanosecond, so a count tells which
 * event it is and for how long it ran: cycles (config 0) count 1 per ns, the next 2, and so on.
 */
#ifndef UNIT_RECORD_FAKEKERNEL_H
#define UNIT_RECORD_FAKEKERNEL_H

#include "base/vec.h"
#include "event/open.h"

struct fake_event {
	bool open;
	pid_t thread; /* whose table has the descriptor */
	struct event_attr attr;
	pid_t pid;
	int cpu;
	int leader; /* a descriptor; its own when it leads */
	unsigned long flags;
	bool enabled, error;
	uint64_t count, enabled_ns, running_ns;
	const char *filter;
};

struct fake_kernel {
	int counters;	   /* of the CPU's PMU; 0: it has none and says ENOENT */
	pid_t private_pid; /* somebody else's: EACCES */
	int paranoid;	   /* perf_event_paranoid, for somebody without capabilities */
	size_t fds_most;   /* in one thread's table; EMFILE beyond */
	bool old_reads;	   /* a kernel before 4.13: no inherited group is read as one */
	int precise_most;  /* beyond: EOPNOTSUPP */
	bool no_guest_bit; /* exclude_guest: EINVAL */
	int cpus;	   /* others: ENODEV */
	bool bad_filters;  /* SET_FILTER: EINVAL */
	int interrupts;	   /* so many calls end with EINTR first */
	bool reversed;	   /* a group's values come in the other order */
	size_t short_by;   /* reads lack so many bytes */
	int fails_cpu;	   /* opening there fails with fails_with, for hardware events */
	int fails_with;
	bool (*has_task)(pid_t pid); /* NULL: all are there */
	void (*on_open)(pid_t pid);  /* something else that happens meanwhile */

	VEC(struct fake_event) events; /* the descriptor is FAKE_FD + index */
	size_t opens, reads;
	size_t turn; /* of the multiplexing */
};

#define FAKE_FD 10000

extern const struct perf_sys fake_sys;
extern struct fake_kernel fake;

void fake_boot(int counters); /* a fresh one; forgets the last */
void fake_run_ms(int ms);
void fake_exec(pid_t pid);	 /* enable_on_exec strikes */
size_t fake_open_fds(void);	 /* to be 0 at the end */
struct fake_event *fake_at(int); /* the n-th that is open, or NULL */
void fake_shutdown(void);

#endif
