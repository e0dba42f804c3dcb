// SPDX-License-Identifier: Apache-2.0
#include "jobs/runbudget.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "bpf/states.h"
#include "jobs/evloop.h"
#include "jobs/jobgroup.h"
#include "profile/budget.h"
#include "record/proctree.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>

#define LOOK_NS	     (200 * NS_PER_MSEC) /* between two looks at /proc */
#define THREADS_MOST 2000		 /* more are not looked at: it would take long */

/* ---- whose ---- */

static void add_ids(struct runbudget_ids *ids, const char *who)
{
	while (*who) {
		char *end;
		long id = strtol(who, &end, 10);

		if (end == who || id <= 0)
			break;
		*vec_push(ids) = (pid_t)id;
		who = *end == ',' ? end + 1 : end;
	}
}

static void add_group(struct runbudget_ids *ids, const struct jobgroup *group)
{
	char *path = mem_printf("%s/cgroup.procs", group->path), *text;

	text = file_read(path, NULL, NULL);
	for (char *line = text; line && *line;) {
		char *end;
		long id = strtol(line, &end, 10);

		if (end == line)
			break;
		*vec_push(ids) = (pid_t)id;
		line = end + strspn(end, "\n");
	}
	free(text);
	free(path);
}

/* The processes that are to be looked at. */
static void find_processes(const struct runbudget *budget, struct runbudget_ids *ids)
{
	struct proctree_ids below = { 0 };
	bool listed = false;

	if (budget->group && budget->group->path) {
		add_group(ids, budget->group);
		/* one that has just ended is not in its group any more, and still has its account
		 */
		vec_each (pid, ids)
			listed |= *pid == budget->roots.data[0];
		if (!listed)
			*vec_push(ids) = budget->roots.data[0];
		return;
	}
	vec_each (root, &budget->roots)
		*vec_push(ids) = *root;
	if (budget->tree)
		proctree_descendants(budget->roots.data, budget->roots.len, &below);
	vec_each (pid, &below)
		*vec_push(ids) = *pid;
	vec_free(&below);
}

typedef void each_thread(struct runbudget *budget, pid_t pid, pid_t tid, uint64_t now_ns);

static void walk_process(struct runbudget *budget, pid_t pid, uint64_t now_ns, each_thread *each)
{
	struct dirent *entry;
	char path[64];
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	folder = opendir(path);
	while (folder && (entry = readdir(folder)))
		if (atoi(entry->d_name) > 0)
			each(budget, pid, atoi(entry->d_name), now_ns);
	if (folder)
		closedir(folder);
}

static void walk_threads(struct runbudget *budget, uint64_t now_ns, each_thread *each)
{
	struct runbudget_ids pids = { 0 };

	if (budget->thread) {
		vec_each (tid, &budget->roots)
			each(budget, *tid, *tid, now_ns);
		return;
	}
	find_processes(budget, &pids);
	vec_each (pid, &pids)
		walk_process(budget, *pid, now_ns, each);
	vec_free(&pids);
}

/* ---- by the kernel ---- */

/* The letter that proc(5) has for what it does: R runs, Z has ended; 0: it is not there. */
static char state_of(pid_t pid, pid_t tid)
{
	char line[1024], *end;

	if (file_line(line, sizeof(line), "/proc/%d/task/%d/stat", (int)pid, (int)tid) <= 0)
		return 0;
	end = strrchr(line, ')');
	return end && end[1] ? end[2] : 0;
}

static void follow_thread(struct runbudget *budget, pid_t pid, pid_t tid, uint64_t now_ns)
{
	states_add(budget->states, pid, tid, state_of(pid, tid) == 'R', now_ns);
}

/* What a thread waits for that sleeps in this system call. */
static enum budget_wait wait_of(int call)
{
	static const struct {
		int call;
		enum budget_wait wait;
	} calls[] = {
		{ SYS_futex, WAITED_FUTEX },
#ifdef SYS_futex_waitv
		{ SYS_futex_waitv, WAITED_FUTEX },
#endif
		{ SYS_nanosleep, WAITED_SLEEP },      { SYS_clock_nanosleep, WAITED_SLEEP },
#ifdef SYS_poll
		{ SYS_poll, WAITED_EVENTS },	      { SYS_select, WAITED_EVENTS },
		{ SYS_epoll_wait, WAITED_EVENTS },
#endif
		{ SYS_ppoll, WAITED_EVENTS },	      { SYS_pselect6, WAITED_EVENTS },
		{ SYS_epoll_pwait, WAITED_EVENTS },
#ifdef SYS_epoll_pwait2
		{ SYS_epoll_pwait2, WAITED_EVENTS },
#endif
		{ SYS_io_getevents, WAITED_AIO },     { SYS_read, WAITED_INPUT },
		{ SYS_readv, WAITED_INPUT },	      { SYS_recvfrom, WAITED_INPUT },
		{ SYS_recvmsg, WAITED_INPUT },	      { SYS_recvmmsg, WAITED_INPUT },
		{ SYS_accept, WAITED_INPUT },	      { SYS_accept4, WAITED_INPUT },
		{ SYS_write, WAITED_OUTPUT },	      { SYS_writev, WAITED_OUTPUT },
		{ SYS_sendto, WAITED_OUTPUT },	      { SYS_sendmsg, WAITED_OUTPUT },
		{ SYS_sendmmsg, WAITED_OUTPUT },      { SYS_wait4, WAITED_CHILDREN },
		{ SYS_waitid, WAITED_CHILDREN },
#ifdef SYS_pause
		{ SYS_pause, WAITED_SIGNAL },
#endif
		{ SYS_rt_sigsuspend, WAITED_SIGNAL }, { SYS_rt_sigtimedwait, WAITED_SIGNAL },
#ifdef SYS_io_pgetevents
		{ SYS_io_pgetevents, WAITED_AIO },
#endif
#ifdef SYS_io_uring_enter
		{ SYS_io_uring_enter, WAITED_URING },
#endif
		{ STATES_STOPPED, WAITED_STOPPED },   { STATES_KERNEL, WAITED_KERNEL },
		{ STATES_CHILDREN, WAITED_CHILDREN },
	};

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		if (calls[i].call == call)
			return calls[i].wait;
	return WAITED_UNKNOWN;
}

/* Other waiting by its kind; what was in none of the calls is not known. */
static void take_waits(uint64_t waits[static BUDGET_WAITS], uint64_t other_ns, const int *calls,
		       const __u64 *call_ns, int count)
{
	for (int i = 0; i < count; i++) {
		int call = calls[i] > 0 ? calls[i] - 1 : calls[i];
		uint64_t ns = call_ns[i] < other_ns ? call_ns[i] : other_ns;

		if (calls[i]) {
			waits[wait_of(call)] += ns;
			other_ns -= ns;
		}
	}
	waits[WAITED_UNKNOWN] += other_ns;
}

static void take_why(struct budget_why *why, const struct states_row *row)
{
	uint64_t queue = row->ns[STATE_RUNNABLE];

	take_waits(why->waits, row->ns[STATE_OTHER], row->calls, row->call_ns, STATES_CALLS);
	/* a queue has the switch in it, which counts as running: profile and kernel differ by it */
	why->own = row->own_ns < queue ? row->own_ns : queue;
	why->others = row->others_ns < queue - why->own ? row->others_ns : queue - why->own;
}

static void take_row(struct budget *budget, const struct states_row *row)
{
	struct budget_thread *thread = vec_push(&budget->threads);

	*thread = (struct budget_thread){
		.pid = row->pid,
		.tid = row->tid,
		.count = row->threads,
		.switches = row->switches,
		.preemptions = row->preemptions,
	};
	snprintf(thread->name, sizeof(thread->name), "%.15s", row->comm);
	for (int i = 0; i < BUDGET_PARTS; i++)
		thread->ns[i] = row->ns[i];
	take_why(&thread->why, row);
	if (!*thread->name && row->tid)
		file_line(thread->name, sizeof(thread->name), "/proc/%u/comm", row->tid);
}

static uint64_t latest(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t earliest(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t end_states(struct runbudget *budget, uint64_t now_ns, struct budget *into)
{
	struct states_result result;
	pid_t workload = budget->group || budget->roots.len == 1 ? budget->roots.data[0] : 0;
	uint64_t end_ns = 0;

	states_end(budget->states, now_ns, &result);
	into->source = BUDGET_STATES;
	into->whole = !result.overflow;
	into->missing = result.overflow;
	into->knows_disk = true;
	into->knows_pages = result.knows_pages;
	vec_each (row, &result.rows) {
		take_row(into, row);
		if (workload && row->pid == (uint32_t)workload)
			end_ns = latest(end_ns, latest(row->end_ns, row->process_end_ns));
	}
	for (int i = 0; i < BUDGET_PARTS; i++)
		into->run_ns[i] = result.all_ns[i];
	take_waits(into->run_waits, into->run_ns[BUDGET_OTHER], result.calls, result.call_ns,
		   STATES_ENDERS);
	/* one thread's life is the run's, and that of a thread is the more exact */
	if (into->threads.len == 1) {
		memcpy(into->run_ns, into->threads.data[0].ns, sizeof(into->run_ns));
		memcpy(into->run_waits, into->threads.data[0].why.waits, sizeof(into->run_waits));
	}
	vec_free(&result.rows);
	return end_ns;
}

/* ---- by /proc ---- */

static struct runbudget_thread *find_thread(struct runbudget *budget, pid_t pid, pid_t tid)
{
	vec_each (thread, &budget->threads)
		if (thread->tid == tid && thread->pid == pid)
			return thread;
	return NULL;
}

static void look_at_thread(struct runbudget *budget, pid_t pid, pid_t tid, uint64_t now_ns)
{
	struct runbudget_thread *thread;
	unsigned long long ran, queued;
	char line[100];

	if (file_line(line, sizeof(line), "/proc/%d/task/%d/schedstat", (int)pid, (int)tid) <= 0 ||
	    sscanf(line, "%llu %llu", &ran, &queued) != 2)
		return;
	thread = find_thread(budget, pid, tid);
	if (!thread) {
		bool first = now_ns == budget->begin_ns;

		if (budget->threads.len >= THREADS_MOST)
			return;
		thread = vec_push(&budget->threads);
		*thread = (struct runbudget_thread){
			.pid = pid,
			.tid = tid,
			/* one that is new has begun since the last look, and has run or waited */
			.first_ns = first ? now_ns : now_ns - ran - queued,
			.ran_before = first ? ran : 0,
			.queued_before = first ? queued : 0,
			.ran = ran,
			.queued = queued,
			.last_ns = now_ns,
		};
	}
	/* when it ended is not known: not before it had run and waited for as long as it has since
	 */
	if (state_of(pid, tid) == 'Z')
		now_ns = earliest(now_ns,
				  thread->last_ns + ran - thread->ran + queued - thread->queued);
	thread->last_ns = now_ns;
	thread->ran = ran;
	thread->queued = queued;
	file_line(thread->name, sizeof(thread->name), "/proc/%d/task/%d/comm", (int)pid, (int)tid);
}

void runbudget_look(struct runbudget *budget)
{
	if (!budget->states && budget->begin_ns)
		walk_threads(budget, (uint64_t)clock_now_ns(), look_at_thread);
}

static void look_again(void *user)
{
	struct runbudget *budget = user;

	runbudget_look(budget);
	evloop_at(budget->loop, clock_now_ns() + LOOK_NS, look_again, budget);
}

/*
 * One thread's life is the run's.  Of several it is not known who ran when: that nobody ran is
 * certain for as long as they all together did not.
 */
static void estimate_run(struct budget *into, uint64_t run_ns)
{
	uint64_t left = run_ns;

	for (int i = 0; i < BUDGET_OTHER; i++) {
		uint64_t sum = 0;

		vec_each (thread, &into->threads)
			sum += thread->ns[i];
		into->run_ns[i] = sum < left ? sum : left;
		left -= into->run_ns[i];
	}
	into->run_ns[BUDGET_OTHER] = into->run_waits[WAITED_UNKNOWN] = left;
}

/* The disk's part is known of one that is alone in its group: by the kernel's count of stalls. */
static void take_disk(const struct runbudget *budget, struct budget *into)
{
	int64_t us = budget->group ? jobgroup_pressure_us(budget->group, "io") : -1;
	struct budget_thread *thread = into->threads.len == 1 ? into->threads.data : NULL;
	uint64_t ns = us > 0 ? (uint64_t)us * 1000 : 0;

	if (us < 0 || !thread)
		return;
	into->knows_disk = true;
	ns = ns < thread->ns[BUDGET_OTHER] ? ns : thread->ns[BUDGET_OTHER];
	thread->ns[BUDGET_DISK] = ns;
	thread->ns[BUDGET_OTHER] -= ns;
	thread->why.waits[WAITED_UNKNOWN] = thread->ns[BUDGET_OTHER];
}

static void end_looks(struct runbudget *budget, uint64_t now_ns, struct budget *into)
{
	uint64_t last_ns = 0;

	evloop_never(budget->loop, look_again, budget);
	into->source = BUDGET_SCHEDSTAT;
	vec_each (thread, &budget->threads) {
		uint64_t life = thread->last_ns - thread->first_ns;
		uint64_t ran = thread->ran - thread->ran_before;
		uint64_t queued = thread->queued - thread->queued_before;
		struct budget_thread *row = vec_push(&into->threads);

		last_ns = thread->last_ns > last_ns ? thread->last_ns : last_ns;
		*row = (struct budget_thread){ .pid = (uint32_t)thread->pid,
					       .tid = (uint32_t)thread->tid,
					       .count = 1 };
		memcpy(row->name, thread->name, sizeof(row->name));
		/* the clocks of the two differ a little */
		ran = ran < life ? ran : life;
		queued = queued < life - ran ? queued : life - ran;
		row->ns[BUDGET_RAN] = ran;
		row->ns[BUDGET_QUEUE] = queued;
		row->ns[BUDGET_OTHER] = row->why.waits[WAITED_UNKNOWN] = life - ran - queued;
	}
	take_disk(budget, into);
	/* what came behind the last look is not known */
	estimate_run(into, (last_ns > budget->begin_ns ? last_ns : now_ns) - budget->begin_ns);
}

/* ---- its life ---- */

void runbudget_prepare(struct runbudget *budget, struct evloop *loop, struct states *states,
		       const char *why)
{
	struct err err = { 0 };

	*budget = (struct runbudget){ .loop = loop };
	snprintf(budget->why, sizeof(budget->why), "%s", states ? "" : why);
	if (states && states_begin(states, &err))
		snprintf(budget->why, sizeof(budget->why), "%.199s", err.text);
	else
		budget->states = states;
}

void runbudget_begin(struct runbudget *budget, const struct runbudget_target *target,
		     uint64_t begin_ns)
{
	budget->begin_ns = begin_ns;
	budget->thread = target->thread;
	budget->tree = target->tree || target->workload;
	budget->group = target->group && target->group->path ? target->group : NULL;
	if (target->workload)
		*vec_push(&budget->roots) = target->workload;
	else
		add_ids(&budget->roots, target->who);
	if (budget->roots.len)
		quota_begin(&budget->quota, budget->roots.data[0]);
	if (budget->states) {
		/* of a program that waits for its start nothing else is there */
		if (target->workload)
			states_add(budget->states, target->workload, target->workload, false,
				   begin_ns);
		else
			walk_threads(budget, begin_ns, follow_thread);
		return;
	}
	walk_threads(budget, begin_ns, look_at_thread);
	evloop_at(budget->loop, clock_now_ns() + LOOK_NS, look_again, budget);
}

/*
 * A group's count is the sum over its CPUs.  As many of them as the busiest threads can have may
 * have been held back at once: no less than this is the run's.
 */
static void take_quota(const struct runbudget *budget, struct budget *into)
{
	uint64_t held = quota_held_ns(&budget->quota), cpus = (uint64_t)get_nprocs();

	cpus = into->workers < cpus ? into->workers : cpus;
	held /= cpus ? cpus : 1;
	into->held_ns = held < into->run_ns[BUDGET_QUEUE] ? held : into->run_ns[BUDGET_QUEUE];
}

/* The time when the workload ended, or 0. */
static uint64_t end_count(struct runbudget *budget, uint64_t now_ns, struct budget *result)
{
	uint64_t end_ns = 0;

	snprintf(result->why, sizeof(result->why), "%s", budget->why);
	if (budget->states)
		end_ns = end_states(budget, now_ns, result);
	else
		end_looks(budget, now_ns, result);
	budget->states = NULL;
	budget->begin_ns = 0;
	budget_settle(result);
	if (result->whole)
		budget_bound(result);
	take_quota(budget, result);
	if (!result->threads.len || !budget_sum(result->run_ns)) {
		result->source = BUDGET_NONE;
		snprintf(result->why, sizeof(result->why),
			 "the kernel's count of its threads was empty");
	}
	return end_ns;
}

bool runbudget_result(struct runbudget *budget, uint64_t now_ns, struct budget *result)
{
	end_count(budget, now_ns, result);
	return result->source != BUDGET_NONE;
}

uint64_t runbudget_end(struct runbudget *budget, uint64_t now_ns, struct buf *text)
{
	struct budget result = { 0 };
	char *json_text = NULL;
	uint64_t end_ns;
	size_t size;
	FILE *out;

	if (!budget->begin_ns)
		return 0;
	end_ns = end_count(budget, now_ns, &result);
	out = open_memstream(&json_text, &size);
	if (out) {
		struct json json = json_to(out);

		budget_write(&result, &json, NULL);
	}
	if (out && !fclose(out))
		buf_add(text, json_text, strcspn(json_text, "\n"));
	free(json_text);
	budget_free(&result);
	return end_ns;
}

void runbudget_free(struct runbudget *budget)
{
	if (budget->states)
		states_end(budget->states, 0, NULL);
	if (budget->loop)
		evloop_never(budget->loop, look_again, budget);
	budget->states = NULL;
	budget->begin_ns = 0;
	vec_free(&budget->threads);
	vec_free(&budget->roots);
	quota_free(&budget->quota);
}
