// SPDX-License-Identifier: Apache-2.0
#include "jobs/jobrun.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/text.h"
#include "jobs/jobrun_inside.h"
#include "jobs/orphans.h"
#include "jobs/policy.h"
#include "jobs/workload_spec.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OPEN_NS	 (60 * NS_PER_SEC) /* for the measuring processes to be ready */
#define GRACE_NS (2 * NS_PER_SEC)  /* between SIGTERM and the end of the whole group */
#define CLOSE_NS (60 * NS_PER_SEC) /* for recordings to be completed */
#define LOOK_NS	 (5 * NS_PER_MSEC) /* between two looks whether a killed group is empty */
#define WEIGH_NS (2 * NS_PER_SEC)  /* between two looks at what it has in its own /tmp */
#define ALONE_NS (NS_PER_SEC)	   /* a workload that nobody measures any more */

static void advance(struct jobrun *run);

uint64_t jobrun_id(const struct jobrun *run)
{
	return run->start.run;
}

bool jobrun_over(const struct jobrun *run)
{
	return run->phase == PHASE_OVER;
}

bool jobrun_knows(const struct jobrun *run, pid_t pid)
{
	for (size_t i = 0; i < run->measure_count; i++)
		if (run->measures[i].child.pid == pid)
			return true;
	return run->workload.pid == pid;
}

void jobrun_tell(const struct jobrun *run)
{
	if (run->told_began)
		supervisor_tell(run->s, &msg_began, &run->began);
	if (run->phase == PHASE_OVER)
		supervisor_tell(run->s, &msg_ended, &run->ended);
}

void jobrun_close_fd(struct jobrun *run, int *fd)
{
	if (*fd < 0)
		return;
	evloop_unwatch(run->s->loop, *fd);
	close(*fd);
	*fd = -1;
}

/* ---- the end ---- */

static void finish(struct jobrun *run)
{
	jobrun_take_notes(run);
	capture_close(&run->capture);
	run->ended.run = run->start.run;
	run->ended.wall_ns = run->ended.wall_ns ? run->ended.wall_ns : (uint64_t)clock_wall_ns();
	run->ended.output_cut = run->capture.cut;
	run->ended.reason = buf_text(&run->reason);
	run->ended.notes = buf_text(&run->notes);
	run->ended.budget = buf_text(&run->budget_text);
	run->ended.user = run->has_workload ? run->who.name : "";
	for (size_t i = 0; i < run->measure_count; i++)
		measure_close(&run->measures[i]);
	run->measure_count = 0;
	run->ended.limit = run->limit ? run->limit : "";
	run->ended.limit_memory = run->limits.memory;
	run->ended.limit_tasks = run->limits.tasks;
	run->ended.limit_cpu = run->limits.cpu;
	run->ended.tasks_refused = jobgroup_events(&run->group).tasks_refused;
	jobrun_watch_end(run);
	jobrun_close_fd(run, &run->start.output);
	jobrun_close_fd(run, &run->start.recording);
	jobrun_close_fd(run, &run->start.series);
	jobrun_close_fd(run, &run->failure);
	jobgroup_close(&run->group);
	run->phase = PHASE_OVER;
	/* its /tmp may be what has filled the disk: its analysis can't wait for room with it there
	 */
	if (run->told_began && run->limit && !strcmp(run->limit, "disk"))
		privates_drop(run->s->privates, run->start.run);
	supervisor_tell(run->s, &msg_ended, &run->ended);
	supervisor_run_over(run->s);
}

static void look_again(void *user)
{
	advance(user);
}

static void give_up_measuring(void *user)
{
	struct jobrun *run = user;

	for (size_t i = 0; i < run->measure_count; i++)
		if (!measure_ended(&run->measures[i])) {
			jobrun_because(run,
				       "what measured it did not come to an end and was killed");
			measure_kill(&run->measures[i]);
		}
}

/*
 * Whatever it left behind: own sessions, forks of forks.  A group that was delegated to our user is
 * the workload's to leave as well, but we are the parent of all that did.
 */
static bool nothing_left(struct jobrun *run)
{
	bool empty = jobgroup_kill(&run->group);

	return orphans_kill(run->s) && empty;
}

static bool all_measures_ended(const struct jobrun *run)
{
	for (size_t i = 0; i < run->measure_count; i++)
		if (!measure_ended(&run->measures[i]))
			return false;
	return true;
}

static void note_pause(struct jobrun *run, bool paused)
{
	int64_t now = clock_now_ns();

	if (run->paused_at && !paused) {
		run->ended.paused_ns += (uint64_t)(now - run->paused_at);
		run->paused_at = 0;
	} else if (!run->paused_at && paused) {
		run->paused_at = now;
	}
}

static void begin_ending(struct jobrun *run)
{
	if (run->phase == PHASE_ENDING)
		return;
	run->phase = PHASE_ENDING;
	note_pause(run, false);
	run->ended.wall_ns = (uint64_t)clock_wall_ns();
	if (!run->has_workload)
		jobrun_take_budget(run);
	jobrun_close_fd(run, &run->gate);
	for (size_t i = 0; i < run->measure_count; i++)
		measure_tell(&run->measures[i], "stop");
	evloop_at(run->s->loop, clock_now_ns() + CLOSE_NS, give_up_measuring, run);
}

/* ---- being told to end ---- */

static void kill_all(void *user)
{
	struct jobrun *run = user;

	if (run->phase == PHASE_OVER)
		return;
	child_kill(&run->workload, SIGKILL);
	nothing_left(run);
	if (run->phase == PHASE_OPENING)
		for (size_t i = 0; i < run->measure_count; i++)
			measure_kill(&run->measures[i]);
}

static void end_run(struct jobrun *run)
{
	if (run->phase >= PHASE_ENDING)
		return;
	if (run->phase == PHASE_OPENING) {
		kill_all(run);
		begin_ending(run);
		advance(run);
		return;
	}
	if (!run->has_workload) {
		begin_ending(run);
		return;
	}
	/* its own session, so its number is the group's too */
	if (!child_reap(&run->workload))
		kill(-run->workload.pid, SIGTERM);
	evloop_at(run->s->loop, clock_now_ns() + GRACE_NS, kill_all, run);
}

void jobrun_cancel(struct jobrun *run)
{
	if (run->phase < PHASE_ENDING)
		run->ended.cancelled = true;
	end_run(run);
}

void jobrun_interrupt(struct jobrun *run)
{
	if (run->phase < PHASE_ENDING) {
		run->ended.interrupted = !run->ended.cancelled;
		jobrun_because(run, "interrupted: the server was stopped");
	}
	end_run(run);
}

void jobrun_end_limited(struct jobrun *run, const char *limit, bool at_once, const char *why)
{
	if (run->phase >= PHASE_ENDING || run->limit)
		return;
	run->limit = limit;
	jobrun_because(run, why);
	end_run(run);
	if (at_once)
		kill_all(run);
}

/* Of what is attached to this is the wanted end, of a program a cut. */
static void time_is_up(void *user)
{
	struct jobrun *run = user;
	char text[TEXT_NUMBER], why[100];

	if (run->phase >= PHASE_ENDING)
		return;
	snprintf(why, sizeof(why), "ended after %s, its time limit",
		 text_duration(text, (int64_t)run->start.limit_ns));
	if (run->has_workload || run->limited)
		jobrun_because(run, why);
	run->ended.limited = true;
	run->limit = run->limit ? run->limit : "time";
	end_run(run);
}

void jobrun_control(struct jobrun *run, enum run_control action)
{
	static const char *const words[] = {
		[CONTROL_PAUSE] = "disable",
		[CONTROL_RESUME] = "enable",
		[CONTROL_RESET] = "reset",
	};

	if (run->phase != PHASE_GOING || action > CONTROL_RESET)
		return;
	for (size_t i = 0; i < run->measure_count; i++)
		if (action != CONTROL_RESET || !run->measures[i].record)
			measure_tell(&run->measures[i], words[action]);
	if (action != CONTROL_RESET)
		note_pause(run, action == CONTROL_PAUSE);
}

/* ---- what happens ---- */

static void weigh(void *user);

static void open_gate(struct jobrun *run)
{
	run->began = (struct msg_began){
		.run = run->start.run,
		.monotonic_ns = (uint64_t)clock_now_ns(),
		.wall_ns = (uint64_t)clock_wall_ns(),
		.pid = run->has_workload ? (uint64_t)run->workload.pid : 0,
		.user = run->has_workload ? run->who.name : "",
	};
	jobrun_begin_budget(run);
	run->phase = PHASE_GOING;
	run->told_began = true;
	supervisor_tell(run->s, &msg_began, &run->began);
	if (run->gate >= 0 && write(run->gate, "g", 1) < 0)
		jobrun_because(run, "the program ended before its start");
	jobrun_close_fd(run, &run->gate);
	evloop_never(run->s->loop, kill_all, run);
	if (run->own.run && run->s->options->policy->max_disk)
		evloop_at(run->s->loop, clock_now_ns() + WEIGH_NS, weigh, run);
	if (run->start.limit_ns)
		evloop_at(run->s->loop, clock_now_ns() + (int64_t)run->start.limit_ns, time_is_up,
			  run);
	jobrun_watch_begin(run);
}

/* What it writes to its own /tmp is on the disk of the data folder. */
static void weigh(void *user)
{
	struct jobrun *run = user;
	uint64_t most = run->s->options->policy->max_disk;

	if (run->phase != PHASE_GOING)
		return;
	if (private_bytes(&run->own) > most) {
		jobrun_end_limited(run, "disk", false,
				   "ended: its /tmp takes more than --max-disk allows");
		return;
	}
	evloop_at(run->s->loop, clock_now_ns() + WEIGH_NS, weigh, run);
}

static void nobody_measures(void *user)
{
	struct jobrun *run = user;

	if (run->phase != PHASE_GOING || child_reap(&run->workload))
		return;
	if (!run->reason.len)
		jobrun_because(run, "what measured it ended before it did");
	end_run(run);
}

static bool one_failed(const struct jobrun *run)
{
	for (size_t i = 0; i < run->measure_count; i++)
		if (measure_failed(&run->measures[i]))
			return true;
	return false;
}

/* One that measures is ready or has ended. */
void jobrun_measures_changed(void *user)
{
	struct jobrun *run = user;
	bool ready = true;

	/* a recorder that found no room has words of its own; ours say what to do */
	if (run->phase < PHASE_ENDING && one_failed(run))
		jobrun_watch_look(run);
	for (size_t i = 0; i < run->measure_count; i++) {
		ready = ready && run->measures[i].ready;
		if (run->phase < PHASE_ENDING && !run->ended.cancelled &&
		    measure_failed(&run->measures[i]))
			jobrun_blame(run, &run->measures[i]);
		if (run->phase == PHASE_OPENING && measure_ended(&run->measures[i])) {
			end_run(run);
			return;
		}
	}
	if (run->phase == PHASE_OPENING && ready)
		open_gate(run);
	else if (run->phase == PHASE_GOING && all_measures_ended(run) && run->has_workload)
		evloop_at(run->s->loop, clock_now_ns() + ALONE_NS, nobody_measures, run);
	advance(run);
}

/* Nothing but an end: it has exec'ed. */
void jobrun_failure_ready(void *user, short revents)
{
	struct jobrun *run = user;
	struct child_failure failure;
	ssize_t got = read(run->failure, &failure, sizeof(failure));
	struct workload_names names = {
		.program = run->start.argv.data[0],
		.folder = workload_folder(&run->who, run->start.folder),
		.cpus = run->start.cpus,
		.user = run->who.name,
	};
	struct err err = { 0 };

	(void)revents;
	if (got == sizeof(failure)) {
		workload_failure(&failure, &names, &err);
		jobrun_because(run, err.text);
		run->exec_failed = true;
	}
	jobrun_close_fd(run, &run->failure);
}

void jobrun_workload_ended(void *user, short revents)
{
	struct jobrun *run = user;

	runbudget_look(&run->budget); /* while there is something to see */
	if (!child_reap(&run->workload))
		return;
	evloop_unwatch(run->s->loop, run->workload.pidfd);
	if (run->failure >= 0)
		jobrun_failure_ready(run, revents); /* whichever of the two was noticed first */
	jobrun_take_usage(run);
	if (run->phase == PHASE_GOING)
		jobrun_watch_look(run); /* it may have been killed for what it took */
	if (run->phase == PHASE_OPENING) {
		jobrun_because(run, "the program ended before its start");
		end_run(run);
	} else {
		/* of what we end ourselves, all is ended: nobody has left it behind */
		if (run->phase == PHASE_GOING && !run->limit && !run->ended.cancelled &&
		    !run->ended.interrupted)
			run->ended.left_over = orphans_count(run->s);
		begin_ending(run);
		advance(run);
	}
}

/* Comes to the end when everything else has. */
static void advance(struct jobrun *run)
{
	if (run->phase == PHASE_GOING && !run->has_workload && all_measures_ended(run))
		begin_ending(run);
	if (run->phase != PHASE_ENDING)
		return;
	if (run->has_workload && !run->workload.ended) {
		child_kill(&run->workload, SIGKILL);
		return; /* jobrun_workload_ended() comes here again */
	}
	if (run->has_workload && !nothing_left(run)) {
		evloop_at(run->s->loop, clock_now_ns() + LOOK_NS, look_again, run);
		return;
	}
	jobrun_take_budget(run);
	if (all_measures_ended(run))
		finish(run);
}

/* ---- the start ---- */

static void not_ready(void *user)
{
	struct jobrun *run = user;

	if (run->phase != PHASE_OPENING)
		return;
	jobrun_because(run, "what measures it was not ready in time");
	kill_all(run);
	begin_ending(run);
	advance(run);
}

struct jobrun *jobrun_start(struct supervisor *s, struct msg_start *start, struct identity *who)
{
	struct jobrun *run = mem_alloc(sizeof(*run));
	struct err err = { 0 };

	*run = (struct jobrun){
		.s = s,
		.who = *who,
		.workload = { .pid = -1, .pidfd = -1 },
		.gate = -1,
		.failure = -1,
		.capture = { .pipes = { -1, -1 }, .file = -1 },
	};
	*who = (struct identity){ 0 };
	jobrun_copy_start(run, start);
	if (jobrun_start_all(run, &err)) {
		if (err.code == ENOSPC || err.code == EDQUOT)
			run->limit = "disk";
		jobrun_because(run, err.text);
		kill_all(run);
		begin_ending(run);
		advance(run);
		return run;
	}
	evloop_at(s->loop, clock_now_ns() + OPEN_NS, not_ready, run);
	return run;
}

void jobrun_free(struct jobrun *run)
{
	struct evloop *loop;

	if (!run)
		return;
	loop = run->s->loop;
	for (size_t i = 0; i < run->measure_count; i++)
		measure_close(&run->measures[i]);
	evloop_unwatch(loop, run->workload.pidfd);
	child_close(&run->workload);
	jobrun_close_fd(run, &run->gate);
	jobrun_close_fd(run, &run->failure);
	jobrun_close_fd(run, &run->start.output);
	jobrun_close_fd(run, &run->start.recording);
	jobrun_close_fd(run, &run->start.series);
	capture_close(&run->capture);
	jobrun_watch_end(run);
	jobgroup_close(&run->group);
	for (evloop_due **due =
		     (evloop_due *[]){ look_again, give_up_measuring, kill_all, time_is_up,
				       nobody_measures, not_ready, weigh, NULL };
	     *due; due++)
		evloop_never(loop, *due, run);
	runbudget_free(&run->budget);
	buf_free(&run->budget_text);
	vec_free(&run->start.argv);
	vec_free(&run->start.environment);
	vec_free(&run->start.stat_options);
	vec_free(&run->start.record_options);
	buf_free(&run->reason);
	buf_free(&run->notes);
	identity_fini(&run->who);
	arena_free(&run->arena);
	free(run);
}
