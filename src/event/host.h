/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What decides here whether an event may be opened: the hypervisor, the CPU's PMU, the kernel's
 * perf_event_paranoid, this process's capabilities, the container around it.
 *
 * `stat`, `list` and `doctor` take their words from here, so that the same fact reads the same
 * everywhere.  Nothing is cached: host_look reads some ten small files, in well under a
 * millisecond.
 */
#ifndef EVENT_HOST_H
#define EVENT_HOST_H

#include "event/hypervisor.h"
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From <linux/capability.h>, whose Debian 11 version does not have the last two. */
enum host_capability {
	HOST_CAP_SYS_ADMIN = 21,
	HOST_CAP_SYSLOG = 34,
	HOST_CAP_PERFMON = 38, /* since Linux 5.8 */
	HOST_CAP_BPF = 39,
};

enum host_container {
	HOST_NO_CONTAINER,
	HOST_DOCKER,
	HOST_PODMAN,
	HOST_KUBERNETES,
	HOST_OTHER_CONTAINER, /* namespaces of its own, by whomever */
};

#define HOST_NO_PARANOID INT_MIN /* no such file: the kernel is built without perf events */

struct host {
	struct hypervisor hypervisor;
	char core_pmu[64];     /* the CPU's own PMU in sysfs ("cpu", "armv8_pmuv3_0"), "" if none */
	int paranoid;	       /* kernel.perf_event_paranoid */
	uint64_t capabilities; /* effective ones, as far as they count: none in a user namespace */
	int last_capability;   /* the highest one that this kernel knows */
	bool user_namespace; /* not the first one: its capabilities do not count for perf events */
	bool all_closed;   /* this kernel (Debian's, Ubuntu's) closes all events at level 3 or 4 */
	bool seccomp;	   /* a filter decides about this process's system calls */
	bool nmi_watchdog; /* it runs, and holds a counter of the CPU's PMU */
	int64_t most_freq; /* kernel.perf_event_max_sample_rate, 0 if unknown */
	enum host_container container;
	char lockdown[24];  /* "none", "integrity", "confidentiality"; "" if it can't be seen */
	char program[4096]; /* path of this program, for setcap */
};

void host_look(struct host *host, const struct host_source *source);

bool host_has(const struct host *host, enum host_capability capability);

/* CAP_PERFMON, or CAP_SYS_ADMIN that stood for it before and still does. */
bool host_may_perf(const struct host *host);

const char *host_container_name(enum host_container container);

/*
 * How to give this program the capabilities of a set (HOST_GRANT_*): a command line, or the
 * container's flags.  Gives into.
 */
enum host_grant_set {
	HOST_GRANT_PERFMON = 1 << 0,
	HOST_GRANT_BPF = 1 << 1,
	HOST_GRANT_SYSLOG = 1 << 2,
};
const char *host_grant(const struct host *host, unsigned set, char *into, size_t room);
/* The set's names: "CAP_PERFMON and CAP_BPF". */
const char *host_grant_names(const struct host *host, unsigned set, char *into, size_t room);

/* What perf_event_paranoid leaves to ordinary users here, as a sentence without its end. */
const char *host_paranoid_meaning(const struct host *host);

/* "no hardware counters: KVM hides the CPU's PMU"; what to do about it is host_no_pmu_remedy. */
const char *host_no_pmu_reason(const struct host *host, char *into, size_t room);
const char *host_no_pmu_remedy(const struct host *host);

/* What event_why_not (event/open.h) says, for a host that was looked at before. */
struct event;
const char *host_why_not(const struct host *host, const struct event *event, int code, char *into,
			 size_t room);

#endif
