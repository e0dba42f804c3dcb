// SPDX-License-Identifier: Apache-2.0
/* Why an event can't be opened, in words that help. */
#include "event/host.h"
#include "event/open.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

static bool is_core_event(const struct host *host, const struct event *event)
{
	switch (event->kind) {
	case EVENT_HARDWARE:
	case EVENT_CACHE:
	case EVENT_RAW:
	case EVENT_MODEL: return true;
	case EVENT_VENDOR:
	case EVENT_PMU:
		return !event->pmu || !strcmp(event->pmu, "cpu") ||
		       (host->core_pmu[0] && !strcmp(event->pmu, host->core_pmu));
	default: return false;
	}
}

static void no_pmu(const struct host *host, char *into, size_t room)
{
	char reason[200];

	snprintf(into, room, "%s; %s", host_no_pmu_reason(host, reason, sizeof(reason)),
		 host_no_pmu_remedy(host));
}

/* The PMU is there, but the kernel or the CPU does not do this with it. */
static void not_supported(const struct host *host, const struct event *event, char *into,
			  size_t room)
{
	const struct perf_event_attr *attr = &event->attr.base;

	if (attr->precise_ip || event->precise_max)
		snprintf(into, room,
			 "this CPU can't sample it precisely; leave out the modifier p");
	else if (attr->sample_period)
		snprintf(into, room,
			 "it can be counted here but not sampled: its PMU has no interrupt; "
			 "sample with cpu-clock");
	else if (event->kind == EVENT_SOFTWARE)
		snprintf(into, room, "this kernel does not have it; a newer one may");
	else if (event->kind == EVENT_TRACEPOINT || event->kind == EVENT_PROBE)
		snprintf(into, room,
			 "the kernel has no such tracepoint any more; "
			 "`perfolio list tracepoint` shows those it has");
	else if (event->kind == EVENT_BREAKPOINT)
		snprintf(into, room, "this CPU has no breakpoint of this kind and length");
	else if (host->hypervisor.name && is_core_event(host, event))
		snprintf(into, room,
			 "the PMU that %s passes on does not have it; `perfolio list hw cache` "
			 "shows what it has",
			 host->hypervisor.name);
	else
		snprintf(into, room,
			 "this CPU's PMU does not have it; `perfolio list` shows what it has");
}

/* The level at which an ordinary user could open it. */
static int level_needed(const struct host *host, const struct event *event)
{
	if (event->kind == EVENT_TRACEPOINT || event->kind == EVENT_PROBE)
		return -1;
	if (event->cpu_wide_only || host->paranoid < 2)
		return 0;
	return event->attr.base.exclude_kernel ? 2 : 1;
}

static void paranoid_closes(const struct host *host, const struct event *event, char *into,
			    size_t room)
{
	bool kernel_part = !host->all_closed && host->paranoid >= 2 && !event->cpu_wide_only &&
			   !event->attr.base.exclude_kernel && !event->attr.base.exclude_user &&
			   !event_is_kernels(event);
	int level = level_needed(host, event);
	char grant[4500];

	if (level >= host->paranoid) { /* who may open it on a process of his own */
		snprintf(into, room,
			 "perf_event_paranoid is %d, which allows it for processes of one's own, "
			 "and this is another user's or changed its rights; %s, or measure it as "
			 "root",
			 host->paranoid,
			 host_grant(host, HOST_GRANT_PERFMON, grant, sizeof(grant)));
		return;
	}
	snprintf(into, room,
		 "perf_event_paranoid is %d: %s; %s%s, or sudo sysctl "
		 "kernel.perf_event_paranoid=%d%s",
		 host->paranoid, host_paranoid_meaning(host),
		 kernel_part ? "measure with :u, or " : "",
		 host_grant(host, HOST_GRANT_PERFMON, grant, sizeof(grant)), level,
		 level == 1 ? " (0 for whole CPUs)" : "");
}

static void seccomp_closes(const struct host *host, char *into, size_t room)
{
	char grant[4500];

	if (host->container == HOST_NO_CONTAINER)
		snprintf(into, room,
			 "a seccomp filter refuses perf_event_open; run it outside the sandbox, or "
			 "allow it in the filter");
	else
		snprintf(into, room,
			 "a seccomp filter (%s) refuses perf_event_open; %s, or with a filter that "
			 "allows it (--security-opt seccomp=...)",
			 host_container_name(host->container),
			 host_grant(host, HOST_GRANT_PERFMON, grant, sizeof(grant)));
}

static void not_permitted(const struct host *host, const struct event *event, int code, char *into,
			  size_t room)
{
	if (!strcmp(host->lockdown, "confidentiality"))
		snprintf(into, room,
			 "kernel lockdown is 'confidentiality', which closes perf events even to "
			 "root; boot with lockdown=integrity");
	else if (code == EPERM && host->seccomp)
		seccomp_closes(host, into, room);
	else if (!host_may_perf(host) && host->paranoid > -1)
		paranoid_closes(host, event, into, room);
	else
		snprintf(into, room,
			 "the kernel refuses it (%s) although this process has CAP_PERFMON or "
			 "perf_event_paranoid is below 0; a security module (SELinux, "
			 "AppArmor) may forbid it",
			 strerror(code));
}

static void invalid(const struct host *host, const struct event *event, char *into, size_t room)
{
	const struct perf_event_attr *attr = &event->attr.base;

	if (attr->freq && host->most_freq && attr->sample_freq > (uint64_t)host->most_freq)
		snprintf(into, room,
			 "the kernel samples at most %lld times a second; ask for less or raise "
			 "kernel.perf_event_max_sample_rate",
			 (long long)host->most_freq);
	else if (event->cpu_wide_only)
		snprintf(into, room,
			 "its PMU counts whole CPUs and takes no modifiers and no single "
			 "process; use -a or -C, without :u or :k");
	else
		snprintf(into, room,
			 "the kernel does not take these terms or modifiers for it; try it "
			 "without modifiers and outside its group");
}

static void no_descriptors(int code, char *into, size_t room)
{
	struct rlimit limit = { 0 };

	getrlimit(RLIMIT_NOFILE, &limit);
	if (code == ENFILE)
		snprintf(into, room, "the system has no file descriptors left; raise fs.file-max");
	else
		snprintf(into, room,
			 "no file descriptors left (limit %llu): one is needed for each event on "
			 "each CPU or thread; raise it with ulimit -n, or measure less at once",
			 (unsigned long long)limit.rlim_cur);
}

static void busy(const struct host *host, const struct event *event, char *into, size_t room)
{
	if (is_core_event(host, event) && host->nmi_watchdog)
		snprintf(into, room,
			 "the counter it needs is taken, perhaps by the NMI watchdog; sudo sysctl "
			 "kernel.nmi_watchdog=0 frees one");
	else
		snprintf(into, room,
			 "the counter it needs is taken by another program or by the hypervisor; "
			 "end the other measurement");
}

const char *host_why_not(const struct host *host, const struct event *event, int code, char *into,
			 size_t room)
{
	if (event_is_void(event)) {
		snprintf(into, room, "%s", event_void_reason);
		return into;
	}
	switch (code) {
	case ENOENT:
	case EOPNOTSUPP:
	case ENXIO:
	case ENODEV:
		if (is_core_event(host, event) && !host->core_pmu[0])
			no_pmu(host, into, room);
		else if (code == ENODEV)
			snprintf(into, room, "its CPU is not online");
		else
			not_supported(host, event, into, room);
		break;
	case EACCES:
	case EPERM: not_permitted(host, event, code, into, room); break;
	case EINVAL: invalid(host, event, into, room); break;
	case EMFILE:
	case ENFILE: no_descriptors(code, into, room); break;
	case EBUSY: busy(host, event, into, room); break;
	case ENOSPC:
		snprintf(into, room, "all of the CPU's %s are in use; measure fewer at once",
			 event->kind == EVENT_BREAKPOINT ? "breakpoint registers" : "counters");
		break;
	case ENOSYS:
		snprintf(into, room,
			 "this kernel has no perf events (CONFIG_PERF_EVENTS), or a sandbox hides "
			 "them");
		break;
	case ESRCH: snprintf(into, room, "the process has ended"); break;
	case E2BIG: snprintf(into, room, "this kernel is too old for what was requested"); break;
	default: snprintf(into, room, "%s", strerror(code));
	}
	return into;
}

const char *event_why_not(const struct event *event, int code, char *into, size_t room)
{
	struct host host;

	host_look(&host, &host_source_live);
	return host_why_not(&host, event, code, into, room);
}
