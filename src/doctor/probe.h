/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside doctor/: a probe looks at one thing and fills in one finding.
 *
 * doctor.c holds the table of all probes, in the order of the page; cpu.c, machine.c, permissions.c
 * and so on hold the probes of one subject.  A probe that has nothing to say on this machine
 * returns false and leaves no finding.
 */
#ifndef DOCTOR_PROBE_H
#define DOCTOR_PROBE_H

#include "doctor/doctor.h"
#include "event/host.h"
#include "event/open.h"
#include <limits.h>

/* What one examination knows; earlier probes leave here what later ones build on. */
struct checkup {
	struct doctor *doctor;
	const struct host_source *source;
	const struct doctor_kernel *kernel;
	const struct perf_sys *perf;
	const char *root;
	struct host host;
	size_t cpus; /* online */
	int first_cpu;

	bool counts;		/* hardware counters count */
	bool samples;		/* samples of the CPU clock arrive */
	bool measures;		/* an event of an own program can be opened */
	char tracefs[PATH_MAX]; /* where it is mounted, root included; "" if nowhere or closed */
};

/* A text in the examination's arena. */
#define SAY(checkup, ...) arena_printf(&(checkup)->doctor->arena, __VA_ARGS__)

bool probe_cpu(struct checkup *c, struct finding *f);
bool probe_counters(struct checkup *c, struct finding *f);
bool probe_counter_sampling(struct checkup *c, struct finding *f);
bool probe_watchdog(struct checkup *c, struct finding *f);
bool probe_frequency(struct checkup *c, struct finding *f);
bool probe_machine(struct checkup *c, struct finding *f);
bool probe_container(struct checkup *c, struct finding *f);
bool probe_permission(struct checkup *c, struct finding *f);
bool probe_clock(struct checkup *c, struct finding *f);
bool probe_ring(struct checkup *c, struct finding *f);
bool probe_rate(struct checkup *c, struct finding *f);
bool probe_cgroups(struct checkup *c, struct finding *f);
bool probe_tracepoints(struct checkup *c, struct finding *f);
bool probe_uprobes(struct checkup *c, struct finding *f);
bool probe_kprobes(struct checkup *c, struct finding *f);
bool probe_functions(struct checkup *c, struct finding *f);
bool probe_lockdown(struct checkup *c, struct finding *f);
bool probe_bpf(struct checkup *c, struct finding *f);
bool probe_btf(struct checkup *c, struct finding *f);
bool probe_kernel_symbols(struct checkup *c, struct finding *f);
bool probe_library_symbols(struct checkup *c, struct finding *f);
bool probe_debug_info(struct checkup *c, struct finding *f);
bool probe_frame_pointers(struct checkup *c, struct finding *f);

/* Whether an event can be opened on this thread (cpu < 0) or on a CPU: 0 or a negative errno. */
int probe_open(const struct checkup *c, const struct event_attr *attr, int cpu);

/* Fills in a finding for events that could not be opened, with the reason. */
void probe_refused(struct checkup *c, struct finding *f, int code);

/*
 * Where the first file system of a type is mounted, root included; with an option that it must have
 * (a controller of cgroup v1) or NULL.
 */
bool probe_mount(const struct checkup *c, const char *type, const char *option, char *into,
		 size_t room);

/* "EACCES", for evidence; "yes" for 0. */
const char *probe_result(int code);

/* On Arm: what the firmware says of a PMU that the kernel does not drive (arm.c). */
bool arm_is_arm(const struct checkup *c);
void arm_explain_no_pmu(struct checkup *c, struct finding *f);
const char *arm_cpu_name(struct checkup *c);

#endif
