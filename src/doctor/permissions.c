// SPDX-License-Identifier: Apache-2.0
/* Who may be measured, and whether samples of the CPU clock arrive. */
#include "base/file.h"
#include "base/text.h"
#include "doctor/probe.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static struct event_attr clock_event(bool with_kernel)
{
	return (struct event_attr){ .base = { .type = PERF_TYPE_SOFTWARE,
					      .config = PERF_COUNT_SW_CPU_CLOCK,
					      .exclude_kernel = !with_kernel,
					      .exclude_hv = 1 } };
}

/* What could be opened: the same event on ever more of the machine. */
struct reach {
	int own, kernel, cpus, others;
};

/* The first process stands for those of others; in a container it may be one's own. */
static int try_first_process(const struct checkup *c)
{
	struct event_attr attr = clock_event(false);
	int fd;

	attr.base.disabled = 1;
	fd = c->perf->open(&attr, 1, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return fd;
	c->perf->close(fd);
	return 0;
}

static struct reach try_reach(const struct checkup *c)
{
	struct event_attr user = clock_event(false), kernel = clock_event(true);

	return (struct reach){
		.own = probe_open(c, &user, -1),
		.kernel = probe_open(c, &kernel, -1),
		.cpus = probe_open(c, &kernel, c->first_cpu),
		.others = try_first_process(c),
	};
}

/* Whether nothing but the lack of CAP_PERFMON stands in the way. */
static bool paranoid_refuses(const struct checkup *c, int code)
{
	return code == -EACCES && !host_may_perf(&c->host) && c->host.paranoid >= 0 &&
	       strcmp(c->host.lockdown, "confidentiality");
}

void probe_refused(struct checkup *c, struct finding *f, int code)
{
	static const struct event event = { .kind = EVENT_SOFTWARE, .attr.base.exclude_kernel = 1 };
	char text[5000], *remedy;

	f->state = DOCTOR_MISSING;
	f->because = "not permitted";
	if (paranoid_refuses(c, code)) {
		f->what = SAY(c, "perf_event_paranoid is %d: %s", c->host.paranoid,
			      host_paranoid_meaning(&c->host));
		f->grants = HOST_GRANT_PERFMON;
		return;
	}
	host_why_not(&c->host, &event, -code, text, sizeof(text));
	remedy = strstr(text, "; "); /* "reason; remedy" */
	if (remedy) {
		*remedy = '\0';
		f->remedy = SAY(c, "%s", remedy + 2);
	}
	f->what = SAY(c, "%s", text);
}

static const char *say_reach(const struct reach *reach)
{
	if (!reach->kernel && !reach->cpus)
		return reach->others ? "your own programs, the kernel and whole CPUs"
				     : "every program, the kernel and whole CPUs";
	if (!reach->kernel)
		return "your own programs with the kernel's part, no whole CPUs";
	return "your own programs, without the kernel's part";
}

/* Why it is so: the level, and what stands above or below it here. */
static const char *say_level(struct checkup *c)
{
	int level = c->host.paranoid;

	if (level == HOST_NO_PARANOID)
		return "perf_event_paranoid can't be read";
	if (host_has(&c->host, HOST_CAP_SYS_ADMIN))
		return SAY(c, "you are root, perf_event_paranoid is %d", level);
	if (host_has(&c->host, HOST_CAP_PERFMON))
		return SAY(c, "you have CAP_PERFMON, perf_event_paranoid is %d", level);
	if (level > 2)
		return SAY(c, "perf_event_paranoid is %d, which this kernel takes for 2", level);
	return SAY(c, "perf_event_paranoid is %d", level);
}

bool probe_permission(struct checkup *c, struct finding *f)
{
	struct reach reach = try_reach(c);

	c->measures = !reach.own;
	f->evidence =
		SAY(c, "own program: %s; with the kernel's part: %s; whole CPU: %s; process 1: %s",
		    probe_result(reach.own), probe_result(reach.kernel), probe_result(reach.cpus),
		    probe_result(reach.others));
	if (reach.own) {
		probe_refused(c, f, reach.own);
		f->gives = "permission";
		if (f->grants)
			f->remedy = "for everybody: sudo sysctl kernel.perf_event_paranoid=2";
		return true;
	}
	f->what = say_reach(&reach);
	f->meaning = say_level(c);
	if (!reach.kernel && !reach.cpus)
		return true;
	f->state = DOCTOR_LIMITED;
	f->gives = "permission";
	f->because = f->what;
	f->grants = HOST_GRANT_PERFMON;
	f->remedy = reach.kernel ? "for everybody: sudo sysctl kernel.perf_event_paranoid=1 (0: "
				   "whole CPUs too)"
				 : "for everybody: sudo sysctl kernel.perf_event_paranoid=0";
	return true;
}

bool probe_clock(struct checkup *c, struct finding *f)
{
	int samples = c->kernel->sample_clock();

	c->samples = samples > 0;
	f->evidence = SAY(c, "samples of cpu-clock that came through a ring: %s",
			  samples < 0 ? probe_result(samples) : SAY(c, "%d", samples));
	if (samples > 0) {
		f->what = "works";
		f->meaning = "profiles of programs can be made";
		return true;
	}
	f->state = DOCTOR_MISSING;
	if (samples == 0) {
		f->what = f->because = "no sample arrived";
		f->meaning = "profiles will be empty";
		f->remedy = "look into the kernel's log: sudo dmesg | grep -i perf";
	} else {
		f->what = SAY(c, "refused (%s)", strerror(-samples));
		f->because = "refused";
		f->meaning = "see Permission";
	}
	return true;
}

bool probe_rate(struct checkup *c, struct finding *f)
{
	struct event_attr attr = clock_event(false);
	int64_t most = c->host.most_freq, percent = 0;
	char digits[TEXT_NUMBER];
	int at_most, above;

	if (!most)
		return false;
	file_number(&percent, "%s/proc/sys/kernel/perf_cpu_time_max_percent", c->root);
	attr.base.freq = 1;
	attr.base.sample_freq = (uint64_t)most;
	at_most = probe_open(c, &attr, -1);
	attr.base.sample_freq = (uint64_t)most + 1;
	above = probe_open(c, &attr, -1);
	f->what = SAY(c, "up to %s a second", text_grouped(digits, (uint64_t)most));
	f->evidence = SAY(c, "opened at %lld: %s, at %lld: %s; perf_cpu_time_max_percent %lld",
			  (long long)most, probe_result(at_most), (long long)most + 1,
			  probe_result(above), (long long)percent);
	if (percent > 0 && percent < 100)
		f->meaning = SAY(c, "lowered if it takes %lld%% of a CPU", (long long)percent);
	if (most >= 4000)
		return true;
	f->state = DOCTOR_LIMITED;
	f->meaning = "the kernel lowered it by itself, as sampling took too long";
	f->remedy = "sudo sysctl kernel.perf_event_max_sample_rate=100000";
	return true;
}

bool probe_ring(struct checkup *c, struct finding *f)
{
	static const size_t wanted = 16u << 20;
	size_t size = wanted;
	int64_t mlock_kb = 0;
	char digits[TEXT_NUMBER];

	if (!c->samples)
		return false;
	while (size >= 4096 && c->kernel->map_ring(size))
		size /= 2;
	file_number(&mlock_kb, "%s/proc/sys/kernel/perf_event_mlock_kb", c->root);
	f->evidence = SAY(c, "mapped %zu kB; perf_event_mlock_kb %lld a CPU and user", size / 1024,
			  (long long)mlock_kb);
	if (size == wanted) {
		f->what = "16 MB or more";
		f->meaning = "room for fast sampling";
		return true;
	}
	f->state = DOCTOR_LIMITED;
	f->what = SAY(c, "up to %s kB", text_grouped(digits, size / 1024));
	f->meaning = "fast sampling may lose samples";
	f->remedy = "sudo sysctl kernel.perf_event_mlock_kb=65536, or raise ulimit -l";
	return true;
}
