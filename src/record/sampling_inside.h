/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of a sampling session.  Nobody but its own files includes this; the door is
 * record/sampling.h.
 */
#ifndef RECORD_SAMPLING_INSIDE_H
#define RECORD_SAMPLING_INSIDE_H

#include "record/sampling.h"
#include <pthread.h>

#define NO_CGROUP  (-1)
#define OWN_GROUP  (-2) /* that of sampling_options */
#define WHOLE_CPUS (-3) /* all tasks, of which those of the program are let through */

/* Parts of an attr that older kernels do not know, newest first. */
enum kernel_part {
	PART_LOST,	 /* PERF_FORMAT_LOST, 6.0 */
	PART_BUILD_ID,	 /* 5.12 */
	PART_WEIGHTS,	 /* PERF_SAMPLE_WEIGHT_STRUCT, 5.12 too */
	PART_CGROUP,	 /* 5.7 */
	PART_BPF,	 /* bpf_event and ksymbol, 5.1 */
	PART_NAMESPACES, /* 4.12 */
	PART_GUEST,	 /* exclude_guest, which some PMUs refuse */
	PARTS,
};

struct sampled_event {
	const struct event *event; /* NULL: the tracker */
	struct event_attr attr;	   /* as it opens here */
	const char *name;
	char *name_in_file; /* with the mode that it is sampled in; NULL until it is open */
	int cgroup;	    /* index in target->cgroups, NO_CGROUP, OWN_GROUP or WHOLE_CPUS */
	uint32_t leader;
	VEC(uint64_t) ids;
};

/* One open event on one CPU. */
struct sampled_fd {
	int fd;
	uint32_t event;
	int cpu;
	uint64_t id;
	bool switched; /* leads its group, so enable and disable are for it */
	bool later;    /* stands by until sampling_slow_down */
};

/* A thread, a cgroup or the whole machine, to be opened on every CPU. */
struct sampled_place {
	pid_t pid;
	int cgroup;
};

struct sampling {
	const struct perf_sys *sys;
	const struct event_list *list;
	struct target *target;
	struct sampling_options options;

	VEC(struct sampled_event) events; /* the tracker last, if there is one */
	bool has_tracker, by_cpu;
	int group_fd;	  /* the folder of OWN_GROUP; -1: there is none */
	bool whole;	  /* in its place whole CPUs are sampled */
	int clock_fd;	  /* counts the program's CPU time then; -1: there is none */
	uint64_t used_ns; /* the program's CPU time as the kernel accounts it; 0: it still runs */
	bool dropped[PARTS];
	bool slowed; /* the later frequency is in use */
	bool apart;  /* events were switched one by one, so members of groups count too */
	struct cpuset cpus;
	VEC(struct sampled_fd) fds;
	VEC(int) anchors;
	VEC(struct ring) rings;
	size_t forward; /* rings before the backward ones */
	VEC(struct perf_writer_attr) file_attrs;
	struct sampling_census census;

	pthread_mutex_t idle_lock; /* guards what follows */
	bool idle_runs;		   /* the events are enabled */
	uint64_t idle_ns;	   /* of the CPUs, while they were, until idle_from_ns was read */
	uint64_t idle_from_ns;	   /* what the kernel said when they were enabled */
};

/* Whether there is a later frequency to go on with. */
bool sampling_can_slow_down(const struct sampling *s);

/* sampling_open.c */

/* Finds the form in which each event opens here, by opening it at `place` and closing it again. */
int sampling_settle(struct sampling *s, const struct sampled_place *place, struct err *err);

/* Opens every event at a place; on failure nothing of it is left open.  -ESRCH: it has ended. */
int sampling_open_place(struct sampling *s, const struct sampled_place *place, struct err *err);
void sampling_close_from(struct sampling *s, size_t first); /* of s->fds */

/* attach.c */

/* Opens the events on all threads of TARGET_TASKS, those included that start meanwhile. */
int sampling_attach(struct sampling *s, struct err *err);

#endif
