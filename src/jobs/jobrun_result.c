// SPDX-License-Identifier: Apache-2.0
/* What is told about a run at its end. */
#include "base/clock.h"
#include "jobs/jobrun_inside.h"
#include "store/store.h"

#include <string.h>
#include <sys/wait.h>

#define NOTES  4000 /* bytes of what the measuring processes said */
#define REASON 2000 /* of it as a reason: one that no message takes would be told without end */

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

static void take_waits(struct jobrun *run)
{
	int64_t cpu = jobgroup_pressure_us(&run->group, "cpu");
	int64_t io = jobgroup_pressure_us(&run->group, "io");

	run->ended.knows_waits = cpu >= 0 && io >= 0;
	if (!run->ended.knows_waits)
		return;
	run->ended.cpu_wait_ns = (uint64_t)cpu * 1000;
	run->ended.io_wait_ns = (uint64_t)io * 1000;
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
	ended->max_rss = (uint64_t)usage->ru_maxrss * 1024;
	ended->minor_faults = (uint64_t)usage->ru_minflt;
	ended->major_faults = (uint64_t)usage->ru_majflt;
	ended->voluntary_switches = (uint64_t)usage->ru_nvcsw;
	ended->involuntary_switches = (uint64_t)usage->ru_nivcsw;
	ended->disk_read = (uint64_t)usage->ru_inblock * 512;
	take_waits(run);
}

void jobrun_take_waited(const struct jobrun *run, struct runwait *into)
{
	bool thread = run->start.target == TARGET_THREAD;

	if (thread || run->start.target == TARGET_PROCESS)
		runwait_take(into, run->start.who, thread);
}

/* What it waited for beside a CPU nobody has counted for us. */
void jobrun_take_attached(struct jobrun *run)
{
	struct runwait now = { 0 };
	int64_t waited;

	jobrun_take_waited(run, &now);
	waited = runwait_between(&run->waited, &now);
	run->ended.knows_waits = waited >= 0;
	if (waited >= 0)
		run->ended.cpu_wait_ns = (uint64_t)waited;
	vec_free(&now);
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
