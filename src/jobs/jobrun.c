// SPDX-License-Identifier: Apache-2.0
#include "jobs/jobrun.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/text.h"
#include "jobs/capture.h"
#include "jobs/folder.h"
#include "jobs/jobgroup.h"
#include "jobs/measure.h"
#include "jobs/orphans.h"
#include "jobs/policy.h"
#include "jobs/supervisor_inside.h"
#include "jobs/workload_spec.h"
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define OPEN_NS	 (60 * NS_PER_SEC) /* for the measuring processes to be ready */
#define GRACE_NS (2 * NS_PER_SEC)  /* between SIGTERM and the end of the whole group */
#define CLOSE_NS (60 * NS_PER_SEC) /* for recordings to be completed */
#define LOOK_NS	 (5 * NS_PER_MSEC) /* between two looks whether a killed group is empty */
#define ALONE_NS (NS_PER_SEC)	   /* a workload that nobody measures any more */
#define NOTES	 4000		   /* bytes of what the measuring processes said */

enum phase { PHASE_OPENING, PHASE_GOING, PHASE_ENDING, PHASE_OVER };

struct jobrun {
	struct supervisor *s;
	struct arena arena;
	struct msg_start start; /* texts in the arena, descriptors -1 once they are passed on */
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
	struct msg_began began;
	struct msg_ended ended;
	struct buf reason, notes;
};

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

static void close_fd(struct jobrun *run, int *fd)
{
	if (*fd < 0)
		return;
	evloop_unwatch(run->s->loop, *fd);
	close(*fd);
	*fd = -1;
}

/* The first reason is the one that explains the others. */
static void because(struct jobrun *run, const char *why)
{
	if (!run->reason.len)
		buf_puts(&run->reason, why);
}

static uint64_t wall_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * NS_PER_SEC + (uint64_t)now.tv_nsec;
}

/* ---- the end ---- */

static uint64_t ns_of(struct timeval time)
{
	return (uint64_t)time.tv_sec * NS_PER_SEC + (uint64_t)time.tv_usec * 1000;
}

static void take_usage(struct jobrun *run)
{
	const struct child *child = &run->workload;
	const struct rusage *usage = &child->usage;
	struct msg_ended *ended = &run->ended;

	if (!run->told_began || run->exec_failed)
		return; /* it was never more than a fork of ours */
	ended->ending = WIFSIGNALED(child->wait_status) ? ENDING_SIGNAL : ENDING_EXIT;
	ended->code = (uint64_t)(WIFSIGNALED(child->wait_status) ? WTERMSIG(child->wait_status)
								 : WEXITSTATUS(child->wait_status));
	ended->user_ns = ns_of(usage->ru_utime);
	ended->system_ns = ns_of(usage->ru_stime);
	ended->max_rss = (uint64_t)usage->ru_maxrss * 1024;
	ended->minor_faults = (uint64_t)usage->ru_minflt;
	ended->major_faults = (uint64_t)usage->ru_majflt;
	ended->voluntary_switches = (uint64_t)usage->ru_nvcsw;
	ended->involuntary_switches = (uint64_t)usage->ru_nivcsw;
}

static void take_notes(struct jobrun *run)
{
	for (size_t i = 0; i < run->measure_count; i++) {
		const struct measure *measure = &run->measures[i];
		char how[100];

		if (measure->said.len)
			buf_add(&run->notes, measure->said.data, measure->said.len);
		if (!measure_failed(measure) || measure->killed ||
		    WIFEXITED(measure->child.wait_status))
			continue;
		child_ending(&measure->child, how, sizeof(how));
		buf_printf(&run->notes, "%s was ended by %s\n", measure->record ? "record" : "stat",
			   how);
	}
	if (run->notes.len > NOTES)
		run->notes.data[run->notes.len = NOTES] = '\0';
}

static void finish(struct jobrun *run)
{
	take_notes(run);
	capture_close(&run->capture);
	run->ended.run = run->start.run;
	run->ended.wall_ns = run->ended.wall_ns ? run->ended.wall_ns : wall_now_ns();
	run->ended.output_cut = run->capture.cut;
	run->ended.reason = buf_text(&run->reason);
	run->ended.notes = buf_text(&run->notes);
	for (size_t i = 0; i < run->measure_count; i++)
		measure_close(&run->measures[i]);
	run->measure_count = 0;
	close_fd(run, &run->start.output);
	close_fd(run, &run->failure);
	jobgroup_close(&run->group);
	run->phase = PHASE_OVER;
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
			because(run, "what measured it did not come to an end and was killed");
			measure_kill(&run->measures[i]);
		}
}

/* Whatever it left behind: own sessions, forks of forks. */
static bool nothing_left(struct jobrun *run)
{
	if (run->group.path)
		return jobgroup_kill(&run->group);
	return orphans_kill(run->s);
}

static bool all_measures_ended(const struct jobrun *run)
{
	for (size_t i = 0; i < run->measure_count; i++)
		if (!measure_ended(&run->measures[i]))
			return false;
	return true;
}

static void begin_ending(struct jobrun *run)
{
	if (run->phase == PHASE_ENDING)
		return;
	run->phase = PHASE_ENDING;
	run->ended.wall_ns = wall_now_ns();
	close_fd(run, &run->gate);
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
	if (run->phase < PHASE_ENDING)
		because(run, "interrupted: the server was stopped");
	end_run(run);
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
		because(run, why);
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
}

/* ---- what happens ---- */

/* What it said last, without our own name, is why. */
static void blame_measure(struct jobrun *run, const struct measure *measure)
{
	const char *text = buf_text(&measure->said), *line = strstr(text, "perfolio");
	struct buf why = { 0 };
	char how[100];

	for (const char *next = line; next && (next = strstr(next + 1, "\nperfolio"));)
		line = next + 1;
	if (line && (line = strstr(line, ": "))) {
		buf_add(&why, line + 2, strcspn(line + 2, "\n"));
	} else {
		child_ending(&measure->child, how, sizeof(how));
		buf_printf(&why, "%s ended with %s", measure->record ? "record" : "stat", how);
	}
	because(run, why.data);
	buf_free(&why);
}

static void open_gate(struct jobrun *run)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	run->began = (struct msg_began){
		.run = run->start.run,
		.monotonic_ns = (uint64_t)now.tv_sec * NS_PER_SEC + (uint64_t)now.tv_nsec,
		.wall_ns = wall_now_ns(),
		.pid = run->has_workload ? (uint64_t)run->workload.pid : 0,
	};
	run->phase = PHASE_GOING;
	run->told_began = true;
	supervisor_tell(run->s, &msg_began, &run->began);
	if (run->gate >= 0 && write(run->gate, "g", 1) < 0)
		because(run, "the program ended before its start");
	close_fd(run, &run->gate);
	evloop_never(run->s->loop, kill_all, run);
	if (run->start.limit_ns)
		evloop_at(run->s->loop, clock_now_ns() + (int64_t)run->start.limit_ns, time_is_up,
			  run);
}

static void nobody_measures(void *user)
{
	struct jobrun *run = user;

	if (run->phase != PHASE_GOING || child_reap(&run->workload))
		return;
	if (!run->reason.len)
		because(run, "what measured it ended before it did");
	end_run(run);
}

/* One that measures is ready or has ended. */
static void measures_changed(void *user)
{
	struct jobrun *run = user;
	bool ready = true;

	for (size_t i = 0; i < run->measure_count; i++) {
		ready = ready && run->measures[i].ready;
		if (run->phase < PHASE_ENDING && !run->ended.cancelled &&
		    measure_failed(&run->measures[i]))
			blame_measure(run, &run->measures[i]);
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
static void failure_ready(void *user, short revents)
{
	struct jobrun *run = user;
	struct child_failure failure;
	ssize_t got = read(run->failure, &failure, sizeof(failure));
	struct err err = { 0 };

	(void)revents;
	if (got == sizeof(failure)) {
		workload_failure(&failure, run->start.argv.data[0], run->start.folder,
				 run->start.cpus, &err);
		because(run, err.text);
		run->exec_failed = true;
	}
	close_fd(run, &run->failure);
}

static void workload_ended(void *user, short revents)
{
	struct jobrun *run = user;

	if (!child_reap(&run->workload))
		return;
	evloop_unwatch(run->s->loop, run->workload.pidfd);
	if (run->failure >= 0)
		failure_ready(run, revents); /* whichever of the two was noticed first */
	take_usage(run);
	if (run->phase == PHASE_OPENING) {
		because(run, "the program ended before its start");
		end_run(run);
	} else {
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
		return; /* workload_ended() comes here again */
	}
	if (run->has_workload && !nothing_left(run)) {
		evloop_at(run->s->loop, clock_now_ns() + LOOK_NS, look_again, run);
		return;
	}
	if (all_measures_ended(run))
		finish(run);
}

/* ---- the start ---- */

static void copy_words(struct wordlist *words, struct arena *arena)
{
	struct wordlist copy = { 0 };

	vec_each (word, words)
		*vec_push(&copy) = arena_strdup(arena, *word);
	*vec_push(&copy) = NULL; /* an argv's end, behind what counts */
	copy.len--;
	*words = copy;
}

/* The message lives no longer than its dispatch. */
static void copy_start(struct jobrun *run, struct msg_start *start)
{
	struct msg_start *own = &run->start;
	const char **texts[] = { &own->who,	     &own->folder,	  &own->cpus,
				 &own->count_events, &own->sample_events, &own->rate,
				 &own->call_graph };
	struct wordlist *lists[] = { &own->argv, &own->environment, &own->stat_options,
				     &own->record_options };

	*own = *start;
	start->recording = start->series = start->output = -1;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		*texts[i] = arena_strdup(&run->arena, *texts[i]);
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		copy_words(lists[i], &run->arena);
}

static int fork_workload(struct jobrun *run, const int output[static 2], struct err *err)
{
	const struct supervisor_options *o = run->s->options;
	struct strlist environment;
	int gate[2], failure[2], rc;
	char tag[64];

	if (pipe2(gate, O_CLOEXEC))
		return err_set(err, errno, "pipe: %s", strerror(errno));
	run->gate = gate[1];
	if (pipe2(failure, O_CLOEXEC)) {
		close(gate[0]);
		return err_set(err, errno, "pipe: %s", strerror(errno));
	}
	run->failure = failure[0];
	fcntl(run->failure, F_SETFL, O_NONBLOCK);
	folder_tag(o->folder, tag, sizeof(tag));
	environment = workload_environment(o->policy, run->start.run, tag, &run->start.environment);
	rc = child_start(&run->workload,
			 &(struct child_spec){
				 .argv = (char *const *)run->start.argv.data,
				 .environment = environment.data,
				 .who = &o->policy->workload,
				 .fds = { -1, output[0], output[1] },
				 .fd_count = 3,
				 .folder = workload_folder(o->policy, run->start.folder),
				 .cpus = run->start.cpus,
				 .gate = gate[0],
				 .failure = failure[1],
				 .close_first = run->gate,
			 },
			 err);
	close(gate[0]);
	close(failure[1]);
	strlist_free(&environment);
	return rc;
}

static int start_workload(struct jobrun *run, struct err *err)
{
	const struct supervisor_options *o = run->s->options;
	char name[32];
	int theirs[2];
	int rc = capture_open(&run->capture, run->s->loop, run->start.output, o->policy->max_output,
			      theirs, err);

	snprintf(name, sizeof(name), "run-%llu", (unsigned long long)run->start.run);
	if (!rc)
		rc = jobgroup_below(&run->group, o->group, name, err);
	if (!rc)
		rc = fork_workload(run, theirs, err);
	for (int i = 0; i < 2; i++)
		if (theirs[i] >= 0)
			close(theirs[i]);
	if (rc)
		return rc;
	run->has_workload = true;
	evloop_watch(run->s->loop, run->workload.pidfd, POLLIN, workload_ended, run);
	evloop_watch(run->s->loop, run->failure, POLLIN, failure_ready, run);
	return jobgroup_add(&run->group, run->workload.pid, err);
}

static int start_measuring(struct jobrun *run, bool record, struct err *err)
{
	struct measure_options options = {
		.start = &run->start,
		.policy = run->s->options->policy,
		.environment = run->s->environment,
		.workload = run->has_workload ? run->workload.pid : 0,
		.record = record,
		.changed = measures_changed,
		.user = run,
	};
	int rc = measure_start(&run->measures[run->measure_count], run->s->loop, &options, err);

	if (!rc)
		run->measure_count++;
	return rc;
}

static void not_ready(void *user)
{
	struct jobrun *run = user;

	if (run->phase != PHASE_OPENING)
		return;
	because(run, "what measures it was not ready in time");
	kill_all(run);
	begin_ending(run);
	advance(run);
}

static int start_all(struct jobrun *run, struct err *err)
{
	uint64_t most = run->s->options->policy->max_runtime_ns;
	int rc = 0;

	run->limited = most && (!run->start.limit_ns || run->start.limit_ns > most);
	if (run->limited)
		run->start.limit_ns = most;
	if (run->start.target == TARGET_COMMAND)
		rc = start_workload(run, err);
	/* one that counts must not count what opens the other one's rings */
	if (!rc && run->start.tool & TOOL_SAMPLE)
		rc = start_measuring(run, true, err);
	if (!rc && run->start.tool & TOOL_COUNT)
		rc = start_measuring(run, false, err);
	close_fd(run, &run->start.recording);
	close_fd(run, &run->start.series);
	return rc;
}

struct jobrun *jobrun_start(struct supervisor *s, struct msg_start *start)
{
	struct jobrun *run = mem_alloc(sizeof(*run));
	struct err err = { 0 };

	*run = (struct jobrun){
		.s = s,
		.workload = { .pid = -1, .pidfd = -1 },
		.gate = -1,
		.failure = -1,
		.capture = { .pipes = { -1, -1 }, .file = -1 },
	};
	copy_start(run, start);
	if (start_all(run, &err)) {
		because(run, err.text);
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
	close_fd(run, &run->gate);
	close_fd(run, &run->failure);
	close_fd(run, &run->start.output);
	capture_close(&run->capture);
	jobgroup_close(&run->group);
	for (evloop_due **due = (evloop_due *[]){ look_again, give_up_measuring, kill_all,
						  time_is_up, nobody_measures, not_ready, NULL };
	     *due; due++)
		evloop_never(loop, *due, run);
	vec_free(&run->start.argv);
	vec_free(&run->start.environment);
	vec_free(&run->start.stat_options);
	vec_free(&run->start.record_options);
	buf_free(&run->reason);
	buf_free(&run->notes);
	arena_free(&run->arena);
	free(run);
}
