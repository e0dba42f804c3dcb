// SPDX-License-Identifier: Apache-2.0
/* What is told about a run at its end. */
#include "base/clock.h"
#include "base/file.h"
#include "bpf/states.h"
#include "jobs/jobrun_inside.h"
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define NOTES	   4000	     /* bytes of what the measuring processes said */
#define RSS_MARGIN (1 << 20) /* that our fork may grow by on its way to the program */
#define REASON	   2000 /* of it as a reason: one that no message takes would be told without end */

/* The first reason is the one that explains the others. */
void jobrun_because(struct jobrun *run, const char *why)
{
	if (!run->reason.len)
		buf_add(&run->reason, why, strnlen(why, REASON));
}

static uint64_t ns_of(struct timeval time)
{
	return (uint64_t)time.tv_sec * NS_PER_SEC + (uint64_t)time.tv_usec * 1000;
}

static uint64_t less(uint64_t number, uint64_t by)
{
	return number > by ? number - by : 0;
}

/* What rusage will have counted of our own fork. */
static void look_before(struct jobrun *run)
{
	unsigned long long minor, major;
	char line[1024], *end, path[64];
	char *status;

	if (file_line(line, sizeof(line), "/proc/%d/stat", (int)run->workload.pid) > 0 &&
	    (end = strrchr(line, ')')) &&
	    sscanf(end, ") %*c %*d %*d %*d %*d %*d %*u %llu %*u %llu", &minor, &major) == 2) {
		run->before.minor_faults = minor;
		run->before.major_faults = major;
	}
	snprintf(path, sizeof(path), "/proc/%d/status", (int)run->workload.pid);
	status = file_read(path, NULL, NULL);
	end = status ? strstr(status, "VmHWM:") : NULL;
	run->before.max_rss = end ? strtoull(end + strlen("VmHWM:"), NULL, 10) * 1024 : 0;
	free(status);
}

void jobrun_take_usage(struct jobrun *run)
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
	/* the most that either had: the fork before its start, or the program */
	if ((uint64_t)usage->ru_maxrss * 1024 > run->before.max_rss + RSS_MARGIN)
		ended->max_rss = (uint64_t)usage->ru_maxrss * 1024;
	else
		ended->rss_below = (uint64_t)usage->ru_maxrss * 1024;
	ended->minor_faults = less((uint64_t)usage->ru_minflt, run->before.minor_faults);
	ended->major_faults = less((uint64_t)usage->ru_majflt, run->before.major_faults);
	ended->voluntary_switches = (uint64_t)usage->ru_nvcsw;
	ended->involuntary_switches = (uint64_t)usage->ru_nivcsw;
	ended->disk_read = (uint64_t)usage->ru_inblock * 512;
}

/* ---- where its time went ---- */

/* Loaded once, at the first run; what can't be loaded then can't be later. */
static struct states *kernel_states(struct supervisor *s)
{
	struct err err = { 0 };

	if (!s->states && !*s->states_why && states_open(&s->states, &err))
		snprintf(s->states_why, sizeof(s->states_why), "%.199s", err.text);
	return s->states;
}

static bool is_of_threads(const struct jobrun *run)
{
	return run->start.target == TARGET_COMMAND || run->start.target == TARGET_PROCESS ||
	       run->start.target == TARGET_THREAD;
}

void jobrun_prepare_budget(struct jobrun *run)
{
	struct supervisor *s = run->s;

	if (is_of_threads(run))
		runbudget_prepare(&run->budget, s->loop, kernel_states(s), s->states_why);
}

void jobrun_begin_budget(struct jobrun *run)
{
	struct runbudget_target target = {
		.workload = run->has_workload ? run->workload.pid : 0,
		.group = run->has_workload ? &run->group : NULL,
		.who = run->start.who,
		.thread = run->start.target == TARGET_THREAD,
		.tree = run->start.children,
	};

	if (run->has_workload)
		look_before(run);
	if (!is_of_threads(run))
		return;
	run->has_cpu = jobgroup_cpu(&run->group, &run->user_ns, &run->system_ns);
	runbudget_begin(&run->budget, &target, run->began.monotonic_ns);
}

/* What rusage tells misses children that nobody has waited for. */
static void take_cpu(struct jobrun *run)
{
	uint64_t user, system;

	if (!run->has_cpu || run->ended.ending == ENDING_NONE ||
	    !jobgroup_cpu(&run->group, &user, &system) || user < run->user_ns ||
	    system < run->system_ns)
		return;
	run->ended.user_ns = user - run->user_ns;
	run->ended.system_ns = system - run->system_ns;
}

void jobrun_take_budget(struct jobrun *run)
{
	uint64_t end_ns, began_ns = run->began.monotonic_ns;

	if (!run->budget.begin_ns)
		return;
	if (run->exec_failed) { /* it was never more than a fork of ours */
		runbudget_free(&run->budget);
		return;
	}
	take_cpu(run);
	end_ns = runbudget_end(&run->budget, (uint64_t)clock_now_ns(), &run->budget_text);
	/* by the kernel's own look at the clock: ours may have come late */
	if (run->has_workload && end_ns > began_ns)
		run->ended.wall_ns = run->began.wall_ns + (end_ns - began_ns);
}

void jobrun_take_notes(struct jobrun *run)
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

/* What it said last, without our own name, is why. */
void jobrun_blame(struct jobrun *run, const struct measure *measure)
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
	jobrun_because(run, buf_text(&why));
	buf_free(&why);
}
