// SPDX-License-Identifier: Apache-2.0
#include "event/host.h"
#include "event/open.h"
#include "test.h"

#include <errno.h>

static const struct event cycles = { .name = "cycles", .kind = EVENT_HARDWARE };
static const struct event cycles_u = {
	.name = "cycles:u",
	.kind = EVENT_HARDWARE,
	.attr.base = { .exclude_kernel = 1 },
};
static const struct event precise = {
	.name = "cycles:pp",
	.kind = EVENT_HARDWARE,
	.attr.base = { .precise_ip = 2 },
};
static const struct event fast = {
	.name = "cycles at 4000 Hz",
	.kind = EVENT_HARDWARE,
	.attr.base = { .freq = 1, .sample_freq = 4000 },
};
static const struct event faults = { .name = "faults", .kind = EVENT_SOFTWARE };
static const struct event uncore = {
	.name = "uncore_imc/cas/",
	.kind = EVENT_PMU,
	.pmu = "uncore_imc",
	.cpu_wide_only = true,
};
static const struct event breakpoint = { .name = "mem:0x1000", .kind = EVENT_BREAKPOINT };
static const struct event tracepoint = { .name = "sched:x", .kind = EVENT_TRACEPOINT };

static const struct host metal = { .core_pmu = "cpu", .paranoid = 2, .last_capability = 40 };
static const struct host level_1 = { .core_pmu = "cpu", .paranoid = 1, .last_capability = 40 };
static const struct host closed = {
	.core_pmu = "cpu",
	.paranoid = 3,
	.all_closed = true,
	.last_capability = 40,
};
static const struct host vm = {
	.hypervisor = { .name = "KVM (QEMU)", .pmu_remedy = "start QEMU with -cpu host,pmu=on" },
	.paranoid = 2,
};
static const struct host vm_with_pmu = {
	.hypervisor = { .name = "KVM (QEMU)", .pmu_remedy = "x" },
	.core_pmu = "cpu",
	.paranoid = 2,
};
static const struct host no_driver = { .paranoid = 2 };
static const struct host docker = {
	.core_pmu = "cpu",
	.container = HOST_DOCKER,
	.seccomp = true,
	.paranoid = 2,
	.last_capability = 40,
};
static const struct host locked = { .core_pmu = "cpu", .lockdown = "confidentiality" };
static const struct host watched = {
	.core_pmu = "cpu",
	.nmi_watchdog = true,
	.most_freq = 1000,
};
static const struct host root = {
	.core_pmu = "cpu",
	.paranoid = 2,
	.capabilities = 1ull << HOST_CAP_PERFMON,
};

static const struct {
	const struct host *host;
	const struct event *event;
	int code;
	const char *reason, *remedy;
} cases[] = {
	{ &vm, &cycles, ENOENT, "KVM (QEMU) hides the CPU's PMU", "-cpu host,pmu=on" },
	{ &vm, &cycles, EOPNOTSUPP, "KVM (QEMU) hides the CPU's PMU", "-cpu host,pmu=on" },
	{ &no_driver, &cycles, ENOENT, "the kernel drives no PMU", "dmesg" },
	{ &vm_with_pmu, &cycles, ENOENT, "the PMU that KVM (QEMU) passes on", "perfolio list" },
	{ &metal, &cycles, ENOENT, "PMU does not have it", "perfolio list" },
	{ &metal, &precise, EOPNOTSUPP, "can't sample it precisely", "leave out the modifier p" },
	{ &metal, &faults, ENOENT, "this kernel does not have it", "newer" },
	{ &metal, &tracepoint, ENOENT, "no such tracepoint", "list tracepoint" },
	{ &metal, &cycles, ENODEV, "not online", "" },
	{ &metal, &cycles, EACCES, "perf_event_paranoid is 2", "measure with :u, or sudo setcap" },
	{ &metal, &cycles, EACCES, "without the kernel's part", "perf_event_paranoid=1 (0 for" },
	{ &metal, &uncore, EACCES, "perf_event_paranoid is 2", "perf_event_paranoid=0" },
	{ &metal, &tracepoint, EACCES, "perf_event_paranoid is 2", "perf_event_paranoid=-1" },
	{ &level_1, &cycles, EACCES, "perf_event_paranoid is 1", "perf_event_paranoid=0" },
	{ &closed, &cycles_u, EACCES, "may measure nothing", "perf_event_paranoid=2" },
	{ &closed, &cycles, EACCES, "may measure nothing", "perf_event_paranoid=1" },
	{ &docker, &cycles, EPERM, "seccomp filter (Docker)", "--cap-add PERFMON" },
	{ &docker, &cycles, EACCES, "perf_event_paranoid is 2", "--cap-add PERFMON" },
	{ &locked, &cycles, EPERM, "lockdown is 'confidentiality'", "lockdown=integrity" },
	{ &root, &cycles, EACCES, "although this process has CAP_PERFMON", "SELinux" },
	{ &metal, &uncore, EINVAL, "whole CPUs", "-a or -C" },
	{ &metal, &cycles, EINVAL, "does not take these terms or modifiers", "without modifiers" },
	{ &metal, &cycles, EMFILE, "no file descriptors left", "ulimit -n" },
	{ &metal, &cycles, EBUSY, "taken by another program", "end the other" },
	{ &watched, &cycles, EBUSY, "NMI watchdog", "nmi_watchdog=0" },
	{ &watched, &breakpoint, EBUSY, "taken by another program", "end the other" },
	{ &watched, &fast, EINVAL, "at most 1000 times a second", "max_sample_rate" },
	{ &metal, &breakpoint, ENOSPC, "breakpoint registers", "fewer" },
	{ &metal, &cycles, ENOSYS, "no perf events", "" },
	{ &metal, &cycles, ESRCH, "has ended", "" },
	{ &metal, &cycles, EIO, "Input/output error", "" },
};

TEST(why_not_gives_reason_and_remedy)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char text[500];

		test_case("%s, errno %d (row %zu)", cases[i].event->name, cases[i].code, i);
		host_why_not(cases[i].host, cases[i].event, cases[i].code, text, sizeof(text));
		EXPECT_CONTAINS(text, cases[i].reason);
		EXPECT_CONTAINS(text, cases[i].remedy);
		EXPECT(!strstr(text, cases[i].event->name)); /* one sentence serves many events */
		EXPECT(!strchr(text, '\n'));
	}
}

TEST(why_not_looks_at_this_machine)
{
	char text[500];

	EXPECT(strlen(event_why_not(&cycles, ENOENT, text, sizeof(text))) > 20);
}
