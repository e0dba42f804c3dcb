/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What this machine can measure, what it can't, why, and what would help.
 *
 * Everything that is said was found out by trying it here and now: events are opened, a ring is
 * mapped and samples are waited for, a small BPF program is loaded, a function tracer is chosen in
 * a tracing instance of its own.  All of it is undone again, needs no privileges (it then finds out
 * what is closed) and ends within half a second.  Nothing is printed.
 */
#ifndef DOCTOR_DOCTOR_H
#define DOCTOR_DOCTOR_H

#include "base/arena.h"
#include "base/vec.h"
#include "event/hypervisor.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum doctor_state {
	DOCTOR_OK,
	DOCTOR_LIMITED, /* works in part */
	DOCTOR_MISSING, /* does not work; not always a fault */
	DOCTOR_UNKNOWN, /* can't be found out from here */
};

struct finding {
	const char *id;	   /* "hardware-counters": stays the same, for scripts */
	const char *area;  /* "Processor": findings of an area follow each other */
	const char *title; /* "Hardware counters" */
	enum doctor_state state;
	const char *what;    /* what was found, in a few words */
	const char *meaning; /* what follows from it; NULL if that is plain */
	const char *needs;  /* capabilities that would open it: "CAP_PERFMON and CAP_BPF" or NULL */
	const char *remedy; /* what else to do about it; NULL where there is nothing */
	const char *evidence; /* how it was found out; NULL if `what` says all */
	const char *gives;    /* what the verdict calls it; NULL if it is not in the verdict */
	const char *because;  /* the reason in the verdict, where it is not all there */
	unsigned grants;      /* `needs` as HOST_GRANT_* */
};

struct doctor {
	struct arena arena; /* holds every text made here */
	VEC(struct finding) findings;
	bool works;		  /* a program can be profiled here, one way or another */
	const char *works_text;	  /* "clock sampling, tracepoints, BPF", "" for nothing */
	const char *limited_text; /* the same for what is limited, with reasons */
	const char *missing_text; /* and for what is not there */
	const char *grant_text;	  /* the one command or flag that gives all `grants`, or NULL */
};

/* What a test puts in the place of the kernel; a negative errno value says how it failed. */
struct doctor_kernel {
	int (*sample_clock)(void);     /* samples of the CPU clock that came through a ring */
	int (*map_ring)(size_t bytes); /* 0 if a ring of this size may be mapped */
	/* BPF_PROG_TYPE_*; attached, too, if it is for a function of the kernel */
	int (*load_bpf)(uint32_t type, uint32_t attach_btf_id);
};

extern const struct doctor_kernel doctor_kernel_live;

struct doctor_options {
	const struct host_source *source;   /* NULL: this machine */
	const struct doctor_kernel *kernel; /* NULL: this kernel */
};

void doctor_examine(struct doctor *doctor, const struct doctor_options *options);
void doctor_free(struct doctor *doctor);

const char *doctor_state_name(enum doctor_state state); /* "ok", "limited", ... */
const struct finding *doctor_find(const struct doctor *doctor, const char *id); /* or NULL */

#endif
