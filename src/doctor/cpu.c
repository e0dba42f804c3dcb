// SPDX-License-Identifier: Apache-2.0
/* The CPU, its hardware counters and its clock rate. */
#include "base/cpuset.h"
#include "base/file.h"
#include "doctor/probe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#define MOST_COUNTERS 64 /* no PMU has more */

static const struct event_attr cycles = {
	.base = { .type = PERF_TYPE_HARDWARE,
		  .config = PERF_COUNT_HW_CPU_CYCLES,
		  .exclude_kernel = 1,
		  .exclude_hv = 1,
		  .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING },
};

/* The value of the first line "NAME : value" of /proc/cpuinfo. */
static const char *cpuinfo_value(struct checkup *c, const char *name)
{
	char path[PATH_MAX], *text, *at, *colon;
	const char *value = NULL;
	size_t size;

	snprintf(path, sizeof(path), "%s/proc/cpuinfo", c->root);
	text = file_read(path, &size, NULL);
	at = text ? strstr(text, name) : NULL;
	colon = at ? strchr(at, ':') : NULL;
	if (colon) {
		colon += 1 + strspn(colon + 1, " \t");
		value = arena_strndup(&c->doctor->arena, colon, strcspn(colon, "\n"));
	}
	free(text);
	return value;
}

static void look_at_cpus(struct checkup *c)
{
	struct cpuset online = { 0 };
	char line[4096];

	if (file_line(line, sizeof(line), "%s/sys/devices/system/cpu/online", c->root) > 0)
		cpuset_parse(&online, line, NULL);
	c->cpus = online.len;
	c->first_cpu = online.len ? online.data[0] : 0;
	cpuset_free(&online);
}

bool probe_cpu(struct checkup *c, struct finding *f)
{
	const char *model = arm_is_arm(c) ? arm_cpu_name(c) : cpuinfo_value(c, "model name");

	look_at_cpus(c);
	if (!model)
		model = "unknown model";
	f->what = c->cpus ? SAY(c, "%s, %zu CPU%s", model, c->cpus, c->cpus == 1 ? "" : "s")
			  : model;
	return true;
}

struct cpuid_counters {
	unsigned general, fixed;
	const char *leaf; /* where it is said; NULL if nowhere */
};

/* What the CPU (or the hypervisor in its place) says about its counters, on x86. */
static struct cpuid_counters ask_cpuid(const struct checkup *c)
{
	bool (*cpuid)(uint32_t, uint32_t, uint32_t *) = c->source->cpuid;
	uint32_t r[4], vendor[4];

	if (!cpuid || !cpuid(0, 0, vendor))
		return (struct cpuid_counters){ 0 };
	if (memcmp(&vendor[1], "Auth", 4) && memcmp(&vendor[1], "Hygo", 4)) {
		if (!cpuid(0xa, 0, r))
			return (struct cpuid_counters){ 0 };
		return (struct cpuid_counters){
			.general = r[0] >> 8 & 0xff,
			.fixed = (r[0] & 0xff) > 1 ? r[3] & 0x1f : 0,
			.leaf = "0xa",
		};
	}
	if (cpuid(0x80000022, 0, r) && r[0] & 1)
		return (struct cpuid_counters){ .general = r[1] & 0xf, .leaf = "0x80000022" };
	if (cpuid(0x80000001, 0, r) && r[2] & 1u << 23)
		return (struct cpuid_counters){ .general = 6, .leaf = "0x80000001" };
	return (struct cpuid_counters){ .leaf = "0x80000001" };
}

/*
 * How many such events the kernel takes into one group: it refuses the first member that the PMU
 * has no counter for, whatever else is being measured at the time.  They must not be disabled:
 * events that are off count as needing no counter.
 */
static unsigned try_group(const struct checkup *c, uint64_t config)
{
	struct event_attr attr = cycles;
	int fds[MOST_COUNTERS];
	unsigned count = 0;

	attr.base.config = config;
	while (count < MOST_COUNTERS) {
		int fd = c->perf->open(&attr, 0, -1, count ? fds[0] : -1, PERF_FLAG_FD_CLOEXEC);

		if (fd < 0)
			break;
		fds[count++] = fd;
	}
	for (unsigned i = count; i > 0; i--)
		c->perf->close(fds[i - 1]);
	return count;
}

struct counted {
	uint64_t value, enabled_ns, running_ns;
};

static int try_counting(const struct checkup *c, struct counted *counted)
{
	struct event_attr attr = cycles;
	volatile unsigned spin = 0;
	ssize_t got;
	int fd;

	attr.base.disabled = 1;
	fd = c->perf->open(&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return fd;
	c->perf->ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	while (spin < 100000)
		spin = spin + 1;
	c->perf->ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	got = c->perf->read(fd, counted, sizeof(*counted));
	c->perf->close(fd);
	return got == sizeof(*counted) ? 0 : got < 0 ? (int)got : -EIO;
}

static void say_counters(struct checkup *c, struct finding *f, const struct counted *counted)
{
	struct cpuid_counters said = ask_cpuid(c);
	unsigned general = try_group(c, PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
	unsigned all = try_group(c, PERF_COUNT_HW_CPU_CYCLES);

	if (said.fixed && general)
		f->what = SAY(c, "%u, and %u fixed for cycles, instructions and the like", general,
			      said.fixed);
	else
		f->what = SAY(c, "%u", all);
	f->meaning = "more events than that take turns";
	f->evidence = SAY(c,
			  "PMU %s; a group of cycles takes %u, of branches %u%s; "
			  "cycles counted %llu in a short loop",
			  c->host.core_pmu, all, general,
			  said.leaf ? SAY(c, "; CPUID says %u", said.general) : "",
			  (unsigned long long)counted->value);
}

static void say_no_counters(struct checkup *c, struct finding *f, int code)
{
	struct cpuid_counters said = ask_cpuid(c);

	f->state = DOCTOR_MISSING;
	f->evidence = SAY(c, "opening cycles: %s%s%s", probe_result(code),
			  said.leaf ? "; CPUID counters: " : "",
			  said.leaf ? SAY(c, "%u", said.general) : "");
	if (code == -EACCES || code == -EPERM || code == -ENOSYS) {
		probe_refused(c, f, code);
		return;
	}
	f->what = "none";
	f->meaning = "no cycles, instructions, cache or branch misses";
	f->remedy = host_no_pmu_remedy(&c->host);
	if (arm_is_arm(c)) {
		arm_explain_no_pmu(c, f);
	} else if (c->host.hypervisor.name) {
		f->what = SAY(c, "none: %s hides the CPU's PMU", c->host.hypervisor.name);
		f->because = SAY(c, "hidden by %s", c->host.hypervisor.name);
	} else {
		f->what = "none: the kernel drives no PMU on this CPU";
		f->because = "no driver";
	}
}

/* Opened and scheduled, and yet no cycle was counted: somebody below the kernel sees to that. */
static void say_closed_below(struct checkup *c, struct finding *f)
{
	bool arm = arm_is_arm(c);

	f->state = DOCTOR_MISSING;
	f->what = "they open but stay at 0";
	f->because = "they stay at 0";
	f->meaning = arm ? "the firmware (EL3) or the hypervisor (EL2) keeps the PMU closed"
			 : "the hypervisor or the firmware keeps the PMU for itself";
	if (c->host.hypervisor.name)
		f->remedy = c->host.hypervisor.pmu_remedy;
	else if (arm)
		f->remedy = "update the firmware: Trusted Firmware-A opens the PMU in MDCR_EL3";
	else
		f->remedy = "look for performance monitoring in the BIOS settings";
}

bool probe_counters(struct checkup *c, struct finding *f)
{
	struct counted counted = { 0 };
	int code = try_counting(c, &counted);

	if (code) {
		say_no_counters(c, f, code);
	} else if (counted.value) {
		c->counts = true;
		say_counters(c, f, &counted);
	} else if (counted.running_ns) {
		say_closed_below(c, f);
	} else {
		f->state = DOCTOR_LIMITED;
		f->what = "all taken";
		f->because = "all taken";
		f->meaning = "somebody else holds every counter at the moment";
		f->remedy = "end the other measurement and look again";
	}
	return true;
}

bool probe_counter_sampling(struct checkup *c, struct finding *f)
{
	struct event_attr attr = cycles;
	int plain, precise, branches;

	if (!c->counts)
		return false;
	attr.base.read_format = 0;
	attr.base.sample_period = 1000000007;
	plain = probe_open(c, &attr, -1);
	attr.base.precise_ip = 2;
	precise = probe_open(c, &attr, -1);
	attr.base.precise_ip = 0;
	attr.base.sample_type = PERF_SAMPLE_BRANCH_STACK;
	attr.base.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
	branches = probe_open(c, &attr, -1);
	f->evidence = SAY(c, "sampling: %s; precise: %s; branch stack: %s", probe_result(plain),
			  probe_result(precise), probe_result(branches));
	if (plain) {
		f->state = DOCTOR_LIMITED;
		f->what = "no: the PMU has no interrupt";
		f->meaning = "counters can be read, but samples come from the CPU clock";
		f->remedy =
			arm_is_arm(c)
				? "give the pmu node of the device tree (or the MADT) its "
				  "interrupts"
				: "look for the local APIC in the hypervisor's or BIOS's settings";
		return true;
	}
	/* Arm's drivers take precise_ip and do nothing with it. */
	f->what = SAY(c, "yes; to the very instruction: %s; branch records: %s",
		      precise || arm_is_arm(c) ? "no" : "yes", branches ? "no" : "yes");
	return true;
}

bool probe_watchdog(struct checkup *c, struct finding *f)
{
	bool on = c->host.nmi_watchdog;

	if (!file_exists("%s/proc/sys/kernel/nmi_watchdog", c->root))
		return false;
	f->what = on ? "on" : "off";
	if (!on || !c->counts) {
		f->meaning = "it takes no counter";
		return true;
	}
	f->state = DOCTOR_LIMITED;
	f->meaning = "it takes one hardware counter of every CPU";
	f->remedy = "sudo sysctl kernel.nmi_watchdog=0 frees it";
	return true;
}

/* 1 on, 0 off, -1 not known. */
static int turbo(const struct checkup *c)
{
	int64_t value;

	if (!file_number(&value, "%s/sys/devices/system/cpu/intel_pstate/no_turbo", c->root))
		return !value;
	if (!file_number(&value, "%s/sys/devices/system/cpu/cpufreq/boost", c->root))
		return value != 0;
	return -1;
}

bool probe_frequency(struct checkup *c, struct finding *f)
{
	static const char *const boost_text[] = { ", boost unknown", ", boost off", ", boost on" };
	char governor[32], driver[32];
	bool fixed;

	if (file_line(governor, sizeof(governor),
		      "%s/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", c->root) < 0) {
		f->state = DOCTOR_UNKNOWN;
		f->what = c->host.hypervisor.name ? "set by the host, not visible here"
						  : "not set by the kernel";
		f->meaning = "may vary: repeat runs (stat -r)";
		return true;
	}
	file_line(driver, sizeof(driver), "%s/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver",
		  c->root);
	f->what = SAY(c, "governor %s%s", governor, boost_text[turbo(c) + 1]);
	f->evidence = SAY(c, "driver %s", driver);
	fixed = !strcmp(governor, "performance") && turbo(c) != 1;
	f->meaning = fixed ? "steady" : "the clock rate varies, and times with it";
	if (fixed)
		return true;
	f->state = DOCTOR_LIMITED;
	f->remedy = strcmp(governor, "performance")
			    ? "for comparisons: sudo cpupower frequency-set -g performance"
			    : "for comparisons switch boost off: echo 0 | sudo tee "
			      "/sys/devices/system/cpu/cpufreq/boost (intel_pstate: no_turbo to 1)";
	return true;
}
