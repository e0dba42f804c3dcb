/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A machine and a kernel to examine: fake.h's tree, and a perf_event_open that follows the kernel's
 * own rules for the levels of perf_event_paranoid and for groups on a PMU of a given size.
 */
#ifndef DOCTOR_PATIENT_H
#define DOCTOR_PATIENT_H

#include "doctor/doctor.h"

struct patient {
	int paranoid;	     /* for an ordinary user; -2: everything is allowed (root) */
	bool debian;	     /* level 3 closes all */
	int refuse_all;	     /* errno value for every event, e.g. EPERM by seccomp */
	int counters;	     /* of the core PMU, 0 for no PMU */
	uint64_t counted;    /* what reading a counter gives */
	uint64_t running_ns; /* and for how long it ran */
	bool no_interrupt;   /* the PMU can't sample */
	bool no_precise;
	uint64_t most_freq; /* perf_event_max_sample_rate */
	int samples;	    /* that arrive, or a negative errno value */
	size_t most_ring;
	int bpf, fentry;       /* 0 or a negative errno value */
	uint32_t asked_btf_id; /* what the fentry program was to be attached to */
	int open_fds;	       /* opened and not closed again */
};

extern struct patient patient;

/* An empty machine with an ordinary user at level 2, no PMU, and working software events. */
void patient_new(void);
/* Writes what `patient` implies (paranoid, PMU in sysfs, capabilities) and examines it. */
const struct finding *patient_examine(const char *id);
struct doctor *patient_doctor(void);
void patient_leave(void); /* checks that nothing is left open */

#endif
