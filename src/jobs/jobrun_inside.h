/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of a run share. */
#ifndef JOBS_JOBRUN_INSIDE_H
#define JOBS_JOBRUN_INSIDE_H

#include "base/arena.h"
#include "base/buf.h"
#include "jobs/capture.h"
#include "jobs/identity.h"
#include "jobs/jobgroup.h"
#include "jobs/jobrun.h"
#include "jobs/measure.h"
#include "jobs/private.h"
#include "jobs/runbudget.h"
#include "jobs/supervisor_inside.h"

enum phase { PHASE_OPENING, PHASE_GOING, PHASE_ENDING, PHASE_OVER };

struct jobrun {
	struct supervisor *s;
	struct arena arena;
	struct msg_start start; /* texts in the arena, descriptors -1 once they are passed on */
	struct identity who;	/* it runs as, and is measured for */
	struct private_run own; /* what it has for itself */
	enum phase phase;
	bool has_workload;
	struct child workload;
	int gate;    /* a byte lets the workload exec; -1: done, or none */
	int failure; /* why it could not; -1: it has */
	struct jobgroup group;
	struct capture capture;
	struct measure measures[2];
	size_t measure_count;
	bool told_began, limited, exec_failed;
	struct jobgroup_limits limits; /* that are held */
	uint64_t most_bytes; /* of its files, by the quota and by the disk at its start; 0: any */
	const char *limit;   /* which one has ended it; NULL: none */
	int64_t paused_at;   /* since when it is not measured; 0: it is */
	struct runbudget budget;
	struct buf budget_text;
	/* Of the fork of ours that waits to become the workload. */
	struct {
		uint64_t max_rss, minor_faults, major_faults;
	} before;
	bool has_cpu; /* the next two are: of the group when it began */
	uint64_t user_ns, system_ns;
	struct msg_began began;
	struct msg_ended ended;
	struct buf reason, notes;
};

/* jobrun_start.c */
void jobrun_copy_start(struct jobrun *run, struct msg_start *start);
int jobrun_start_all(struct jobrun *run, struct err *err);

/* jobrun.c: what happens meanwhile */
void jobrun_measures_changed(void *user);
void jobrun_workload_ended(void *user, short revents);
void jobrun_failure_ready(void *user, short revents);
void jobrun_close_fd(struct jobrun *run, int *fd);

/* At once: the processes are killed, else they are asked to end. */
void jobrun_end_limited(struct jobrun *run, const char *limit, bool at_once, const char *why);

/* jobrun_watch.c: what it may take of the machine, looked at while it goes on */
void jobrun_watch_prepare(struct jobrun *run);
bool jobrun_limits_cpu(const struct jobrun *run);
void jobrun_limit(struct jobrun *run); /* once it waits for its exec */
void jobrun_watch_begin(struct jobrun *run);
bool jobrun_watch_look(struct jobrun *run); /* true: it is being ended */
void jobrun_watch_end(struct jobrun *run);

/* jobrun_result.c */
void jobrun_because(struct jobrun *run, const char *why); /* the first reason explains the others */
void jobrun_blame(struct jobrun *run, const struct measure *measure);
void jobrun_take_usage(struct jobrun *run);
void jobrun_prepare_budget(struct jobrun *run);
void jobrun_begin_budget(struct jobrun *run);
void jobrun_take_budget(struct jobrun *run); /* once all that it is of has ended */
void jobrun_take_notes(struct jobrun *run);

#endif
