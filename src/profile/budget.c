// SPDX-License-Identifier: Apache-2.0
#include "profile/budget.h"
#include "base/json.h"
#include "base/jsonread.h"

#include <stdio.h>

static const struct {
	const char *name, *label;
} parts[] = {
	[BUDGET_RAN] = { "ran", "Ran" },
	[BUDGET_QUEUE] = { "cpu-queue", "Waited for a CPU" },
	[BUDGET_DISK] = { "disk", "Waited for the disk" },
	[BUDGET_PAGES] = { "pages", "Waited for memory (swap, reclaim)" },
	[BUDGET_OTHER] = { "other", "Other waiting" },
};

static const struct {
	const char *name, *label;
} waits[] = {
	[WAITED_UNKNOWN] = { "unknown", "something that is not recorded" },
	[WAITED_FUTEX] = { "futex", "locks or other threads (futex)" },
	[WAITED_SLEEP] = { "sleep", "time to pass (sleep)" },
	[WAITED_EVENTS] = { "events", "events (poll, select or epoll)" },
	[WAITED_INPUT] = { "input", "input (read or receive)" },
	[WAITED_OUTPUT] = { "output", "room for its output (write or send)" },
	[WAITED_CHILDREN] = { "children", "child processes (wait)" },
	[WAITED_SIGNAL] = { "signal", "a signal" },
	[WAITED_KERNEL] = { "kernel", "something inside the kernel (locks and the like)" },
	[WAITED_STOPPED] = { "stopped", "its continuation (it was stopped by a signal)" },
	[WAITED_URING] = { "io-uring", "I/O that it had started (io_uring)" },
	[WAITED_AIO] = { "aio", "I/O that it had started (libaio)" },
};

#define WORK 0.8  /* of all CPU time, that the busiest threads have at least */
#define MOST 0.55 /* of the waiting, for one kind to stand for it */

static const char *const sources[] = {
	[BUDGET_NONE] = "none",
	[BUDGET_STATES] = "scheduler",
	[BUDGET_SCHEDSTAT] = "schedstat",
};

const char *budget_part_name(enum budget_part part)
{
	return parts[part].name;
}

const char *budget_part_label(enum budget_part part)
{
	return parts[part].label;
}

/* ---- sums ---- */

uint64_t budget_sum(const uint64_t ns[static BUDGET_PARTS])
{
	uint64_t sum = 0;

	for (int i = 0; i < BUDGET_PARTS; i++)
		sum += ns[i];
	return sum;
}

void budget_shares(const uint64_t ns[static BUDGET_PARTS], double shares[static BUDGET_PARTS])
{
	double sum = (double)budget_sum(ns);

	for (int i = 0; i < BUDGET_PARTS; i++)
		shares[i] = sum > 0 ? (double)ns[i] / sum : 0;
}

const char *budget_wait_name(enum budget_wait wait)
{
	return waits[wait].name;
}

const char *budget_wait_label(enum budget_wait wait)
{
	return waits[wait].label;
}

enum budget_wait budget_main_wait(const struct budget *budget)
{
	const uint64_t *ns = budget->work_why.waits;
	uint64_t all = 0;
	int most = 0;

	for (int i = 0; i < BUDGET_WAITS; i++) {
		all += ns[i];
		most = ns[i] > ns[most] ? i : most;
	}
	return (double)ns[most] > MOST * (double)all ? (enum budget_wait)most : WAITED_UNKNOWN;
}

uint64_t budget_started_io(const uint64_t ns[static BUDGET_WAITS])
{
	return ns[WAITED_URING] + ns[WAITED_AIO];
}

static void add_thread(struct budget_thread *into, const struct budget_thread *thread)
{
	for (int i = 0; i < BUDGET_PARTS; i++)
		into->ns[i] += thread->ns[i];
	into->count += thread->count;
	into->life_ns += thread->life_ns;
	into->switches += thread->switches;
	into->preemptions += thread->preemptions;
	for (int i = 0; i < BUDGET_WAITS; i++)
		into->why.waits[i] += thread->why.waits[i];
	into->why.own += thread->why.own;
	into->why.others += thread->why.others;
}

static int by_work(const void *a, const void *b)
{
	const struct budget_thread *x = a, *y = b;

	if (x->ns[BUDGET_RAN] != y->ns[BUDGET_RAN])
		return x->ns[BUDGET_RAN] > y->ns[BUDGET_RAN] ? -1 : 1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

/* How long one of them ran. */
static double ran_each(const struct budget_thread *thread)
{
	return (double)thread->ns[BUDGET_RAN] / (double)(thread->count ? thread->count : 1);
}

/* How much of its life it ran. */
static double density(const struct budget_thread *thread)
{
	return thread->life_ns ? (double)thread->ns[BUDGET_RAN] / (double)thread->life_ns : 0;
}

/* All threads' CPU time, and how dense that was. */
struct work {
	double ran, dense; /* dense: the sum of CPU time × density */
	double passed;	   /* CPU time of those that only wait for the others */
};

/*
 * One that starts others and waits for their ends may have more CPU time than any of them, and yet
 * it is they who do the work: they have nearly all of it, and hardly wait.
 */
static bool waits_for_others(struct work *work, const struct budget_thread *thread)
{
	double ran = (double)thread->ns[BUDGET_RAN], rest = work->ran - ran;

	if (work->passed + ran > (1 - WORK) * work->ran ||
	    density(thread) * rest * 2 >= work->dense - ran * density(thread))
		return false;
	work->passed += ran;
	return true;
}

void budget_settle(struct budget *budget)
{
	struct budget_thread all = { 0 }, workers = { 0 }, rest = { .name = "" };
	struct work work = { 0 };
	double most = 0;
	struct budget_threads *threads = &budget->threads;

	if (threads->len)
		qsort(threads->data, threads->len, sizeof(*threads->data), by_work);
	vec_each (thread, threads) {
		/* a state's end and a life's are two looks at the clock */
		thread->life_ns = budget_sum(thread->ns);
		most = ran_each(thread) > most ? ran_each(thread) : most;
		work.ran += (double)thread->ns[BUDGET_RAN];
		work.dense += (double)thread->ns[BUDGET_RAN] * density(thread);
	}
	vec_each (thread, threads) {
		bool works = ran_each(thread) >= most / 4 ||
			     (double)workers.ns[BUDGET_RAN] < WORK * work.ran;

		add_thread(&all, thread);
		if (works && !waits_for_others(&work, thread))
			add_thread(&workers, thread);
		if (thread >= threads->data + BUDGET_THREADS)
			add_thread(&rest, thread);
	}
	memcpy(budget->all_ns, all.ns, sizeof(all.ns));
	memcpy(budget->work_ns, workers.ns, sizeof(workers.ns));
	budget->workers = workers.count;
	budget->work_why = workers.why;
	budget->count = all.count;
	budget->switches = all.switches;
	budget->preemptions = all.preemptions;
	if (threads->len > BUDGET_THREADS) {
		threads->len = BUDGET_THREADS;
		*vec_push(threads) = rest;
	}
}

/* What is too much of a part goes to those with room, running first: most of it is switching. */
static void move_excess(struct budget *budget, uint64_t excess)
{
	for (int i = 0; i < BUDGET_PARTS && excess; i++) {
		uint64_t room = budget->all_ns[i] - budget->run_ns[i];
		uint64_t part = excess < room ? excess : room;

		budget->run_ns[i] += part;
		excess -= part;
	}
	budget->run_ns[BUDGET_RAN] += excess; /* threads are missing */
}

void budget_bound(struct budget *budget)
{
	uint64_t other = budget->run_ns[BUDGET_OTHER], excess = 0, waited = 0;

	for (int i = 0; i < BUDGET_PARTS; i++)
		if (budget->run_ns[i] > budget->all_ns[i]) {
			excess += budget->run_ns[i] - budget->all_ns[i];
			budget->run_ns[i] = budget->all_ns[i];
		}
	move_excess(budget, excess);
	if (budget->run_ns[BUDGET_OTHER] == other)
		return;
	for (int i = 0; i < BUDGET_WAITS; i++) {
		if (other > budget->run_ns[BUDGET_OTHER])
			budget->run_waits[i] = (uint64_t)((double)budget->run_waits[i] /
							  (double)other *
							  (double)budget->run_ns[BUDGET_OTHER]);
		waited += i == WAITED_UNKNOWN ? 0 : budget->run_waits[i];
	}
	budget->run_waits[WAITED_UNKNOWN] = budget->run_ns[BUDGET_OTHER] > waited
						    ? budget->run_ns[BUDGET_OTHER] - waited
						    : 0;
}

void budget_free(struct budget *budget)
{
	vec_free(&budget->threads);
}

/* ---- as it is stored: numbers in the order of their declaration ---- */

static void put_parts(struct json *json, const char *key, const uint64_t ns[static BUDGET_PARTS])
{
	json_open(json, key, '[');
	for (int i = 0; i < BUDGET_PARTS; i++)
		json_u64(json, NULL, ns[i]);
	json_close(json);
}

void budget_write(const struct budget *budget, struct json *json, const char *key)
{
	json_open(json, key, '{');
	json_text(json, "source", sources[budget->source]);
	json_text(json, "why", budget->why);
	json_flag(json, "whole", budget->whole);
	json_flag(json, "knows_disk", budget->knows_disk);
	json_flag(json, "knows_pages", budget->knows_pages);
	json_u64(json, "missing", budget->missing);
	json_u64(json, "threads", budget->count);
	json_u64(json, "switches", budget->switches);
	json_u64(json, "preemptions", budget->preemptions);
	json_u64(json, "held_ns", budget->held_ns);
	put_parts(json, "run_ns", budget->run_ns);
	json_open(json, "run_waits_ns", '[');
	for (int i = 0; i < BUDGET_WAITS; i++)
		json_u64(json, NULL, budget->run_waits[i]);
	json_close(json);
	put_parts(json, "all_ns", budget->all_ns);
	put_parts(json, "work_ns", budget->work_ns);
	json_u64(json, "workers", budget->workers);
	json_u64(json, "own_ns", budget->work_why.own);
	json_u64(json, "others_ns", budget->work_why.others);
	json_open(json, "waits_ns", '[');
	for (int i = 0; i < BUDGET_WAITS; i++)
		json_u64(json, NULL, budget->work_why.waits[i]);
	json_close(json);
	json_open(json, "rows", '[');
	vec_each (thread, &budget->threads) {
		json_open(json, NULL, '[');
		json_text(json, NULL, thread->name);
		json_u64(json, NULL, thread->pid);
		json_u64(json, NULL, thread->tid);
		json_u64(json, NULL, thread->count);
		json_u64(json, NULL, thread->switches);
		json_u64(json, NULL, thread->preemptions);
		for (int i = 0; i < BUDGET_PARTS; i++)
			json_u64(json, NULL, thread->ns[i]);
		json_close(json);
	}
	json_close(json);
	json_close(json);
}

static uint64_t number_at(struct json_object *list, size_t at)
{
	struct json_object *value = json_object_is_type(list, json_type_array)
					    ? json_object_array_get_idx(list, at)
					    : NULL;
	int64_t number = value ? json_object_get_int64(value) : 0;

	return number > 0 ? (uint64_t)number : 0;
}

static uint64_t number_of(struct json_object *object, const char *key)
{
	int64_t number = json_object_get_int64(json_object_object_get(object, key));

	return number > 0 ? (uint64_t)number : 0;
}

static bool flag_of(struct json_object *object, const char *key)
{
	return json_object_get_boolean(json_object_object_get(object, key));
}

static void read_thread(struct budget_thread *thread, struct json_object *row)
{
	struct json_object *name = json_object_is_type(row, json_type_array)
					   ? json_object_array_get_idx(row, 0)
					   : NULL;

	snprintf(thread->name, sizeof(thread->name), "%s",
		 name ? json_object_get_string(name) : "");
	thread->pid = (uint32_t)number_at(row, 1);
	thread->tid = (uint32_t)number_at(row, 2);
	thread->count = number_at(row, 3);
	thread->switches = number_at(row, 4);
	thread->preemptions = number_at(row, 5);
	for (int i = 0; i < BUDGET_PARTS; i++)
		thread->ns[i] = number_at(row, 6 + (size_t)i);
	thread->life_ns = budget_sum(thread->ns);
}

bool budget_read(struct budget *budget, struct json_object *stored)
{
	struct json_object *rows;
	const char *source;

	*budget = (struct budget){ 0 };
	if (!json_object_is_type(stored, json_type_object))
		return false;
	source = jsonread_text(stored, "source", "");
	for (size_t i = 0; i < ARRAY_SIZE(sources); i++)
		if (!strcmp(source, sources[i]))
			budget->source = (enum budget_source)i;
	snprintf(budget->why, sizeof(budget->why), "%s", jsonread_text(stored, "why", ""));
	budget->whole = flag_of(stored, "whole");
	budget->knows_disk = flag_of(stored, "knows_disk");
	budget->knows_pages = flag_of(stored, "knows_pages");
	budget->missing = number_of(stored, "missing");
	budget->count = number_of(stored, "threads");
	budget->switches = number_of(stored, "switches");
	budget->preemptions = number_of(stored, "preemptions");
	for (size_t i = 0; i < BUDGET_PARTS; i++) {
		budget->run_ns[i] = number_at(json_object_object_get(stored, "run_ns"), i);
		budget->all_ns[i] = number_at(json_object_object_get(stored, "all_ns"), i);
		budget->work_ns[i] = number_at(json_object_object_get(stored, "work_ns"), i);
	}
	budget->held_ns = number_of(stored, "held_ns");
	budget->workers = number_of(stored, "workers");
	budget->work_why.own = number_of(stored, "own_ns");
	budget->work_why.others = number_of(stored, "others_ns");
	for (size_t i = 0; i < BUDGET_WAITS; i++) {
		budget->work_why.waits[i] = number_at(json_object_object_get(stored, "waits_ns"),
						      i);
		budget->run_waits[i] = number_at(json_object_object_get(stored, "run_waits_ns"), i);
	}
	rows = json_object_object_get(stored, "rows");
	for (size_t i = 0; json_object_is_type(rows, json_type_array) && i <= BUDGET_THREADS &&
			   i < json_object_array_length(rows);
	     i++)
		read_thread(vec_push(&budget->threads), json_object_array_get_idx(rows, i));
	return budget->source != BUDGET_NONE && budget_sum(budget->run_ns);
}

/* ---- as a recording carries it ---- */

#define BUDGET_MAGIC 0x3354474455424650ULL /* "PFBUDGT3" */

enum { PACKED_WHOLE = 1, PACKED_DISK = 2, PACKED_PAGES = 4 };

/* Each number in its place, whichever way they go. */
static void pass_words(struct budget *budget, uint64_t *words, bool read)
{
	uint64_t *const fixed[] = { &budget->count,	      &budget->workers,
				    &budget->switches,	      &budget->preemptions,
				    &budget->missing,	      &budget->work_why.own,
				    &budget->work_why.others, &budget->held_ns };
	uint64_t *const sums[] = { budget->run_ns, budget->all_ns, budget->work_ns };
	size_t at = 3;

#define PASS(number) (read ? (void)((number) = words[at]) : (void)(words[at] = (number)), at++)
	for (size_t i = 0; i < ARRAY_SIZE(fixed); i++)
		PASS(*fixed[i]);
	for (size_t i = 0; i < ARRAY_SIZE(sums); i++)
		for (size_t part = 0; part < BUDGET_PARTS; part++)
			PASS(sums[i][part]);
	for (size_t i = 0; i < BUDGET_WAITS; i++) {
		PASS(budget->work_why.waits[i]);
		PASS(budget->run_waits[i]);
	}
#undef PASS
}

void budget_pack(const struct budget *budget, uint64_t words[static BUDGET_WORDS])
{
	struct budget copy = *budget;

	words[0] = BUDGET_MAGIC;
	words[1] = budget->source;
	words[2] = (budget->whole ? PACKED_WHOLE : 0) | (budget->knows_disk ? PACKED_DISK : 0) |
		   (budget->knows_pages ? PACKED_PAGES : 0);
	pass_words(&copy, words, false);
}

bool budget_unpack(struct budget *budget, const uint64_t *words, size_t count)
{
	uint64_t copy[BUDGET_WORDS];
	uint64_t most = UINT64_MAX / (4 * BUDGET_PARTS); /* sums of any of them are numbers */

	*budget = (struct budget){ 0 };
	if (count < BUDGET_WORDS || words[0] != BUDGET_MAGIC || words[1] == BUDGET_NONE ||
	    words[1] >= ARRAY_SIZE(sources))
		return false;
	memcpy(copy, words, sizeof(copy));
	for (size_t i = 3; i < BUDGET_WORDS; i++)
		copy[i] = copy[i] < most ? copy[i] : most;
	pass_words(budget, copy, true);
	budget->source = (enum budget_source)words[1];
	budget->whole = words[2] & PACKED_WHOLE;
	budget->knows_disk = words[2] & PACKED_DISK;
	budget->knows_pages = words[2] & PACKED_PAGES;
	return true;
}

/* ---- as it is shown ---- */

static void show_parts(struct json *json, const char *key, const uint64_t ns[static BUDGET_PARTS])
{
	double shares[BUDGET_PARTS];

	budget_shares(ns, shares);
	json_open(json, key, '[');
	for (int i = 0; i < BUDGET_PARTS; i++) {
		json_open(json, NULL, '{');
		json_text(json, "name", parts[i].name);
		json_text(json, "label", parts[i].label);
		json_u64_text(json, "ns", ns[i]);
		json_double(json, "percent", 100 * shares[i]);
		json_close(json);
	}
	json_close(json);
}

static void show_thread(struct json *json, const struct budget_thread *thread)
{
	double shares[BUDGET_PARTS];

	budget_shares(thread->ns, shares);
	json_open(json, NULL, '{');
	json_text(json, "name", thread->name);
	json_u64(json, "pid", thread->pid);
	json_u64(json, "tid", thread->tid);
	json_u64(json, "threads", thread->count);
	json_u64_text(json, "life_ns", thread->life_ns);
	json_open(json, "percent", '{');
	for (int i = 0; i < BUDGET_PARTS; i++)
		json_double(json, parts[i].name, 100 * shares[i]);
	json_close(json);
	json_open(json, "ns", '{');
	for (int i = 0; i < BUDGET_PARTS; i++)
		json_u64_text(json, parts[i].name, thread->ns[i]);
	json_close(json);
	json_u64(json, "switches", thread->switches);
	json_u64(json, "preemptions", thread->preemptions);
	json_close(json);
}

static void show_waits(struct json *json, const char *key, const uint64_t ns[static BUDGET_WAITS],
		       const uint64_t of[static BUDGET_PARTS])
{
	double all = (double)budget_sum(of);

	json_open(json, key, '[');
	for (int i = 0; i < BUDGET_WAITS; i++) {
		if (!ns[i])
			continue;
		json_open(json, NULL, '{');
		json_text(json, "name", waits[i].name);
		json_text(json, "label", waits[i].label);
		json_u64_text(json, "ns", ns[i]);
		json_double(json, "percent", all > 0 ? 100 * (double)ns[i] / all : 0);
		json_close(json);
	}
	json_close(json);
}

static void show_why(struct json *json, const struct budget *budget)
{
	const struct budget_why *why = &budget->work_why;

	show_waits(json, "waits", budget->run_waits, budget->run_ns);
	show_waits(json, "busiest_waits", why->waits, budget->work_ns);
	json_open(json, "queued_behind", '{');
	json_u64_text(json, "own_ns", why->own);
	json_u64_text(json, "others_ns", why->others);
	json_u64_text(json, "quota_ns", budget->held_ns);
	json_close(json);
}

void budget_show(const struct budget *budget, struct json *json, const char *key)
{
	if (budget->source == BUDGET_NONE) {
		json_text(json, key, NULL);
		return;
	}
	json_open(json, key, '{');
	json_text(json, "source", sources[budget->source]);
	json_text(json, "why", *budget->why ? budget->why : NULL);
	json_flag(json, "complete", budget->whole);
	json_flag(json, "knows_disk", budget->knows_disk);
	json_flag(json, "knows_pages", budget->knows_pages);
	json_u64(json, "thread_count", budget->count);
	json_u64(json, "missing_threads", budget->missing);
	show_parts(json, "run", budget->run_ns);
	show_parts(json, "all_threads", budget->all_ns);
	show_parts(json, "busiest_threads", budget->work_ns);
	json_u64(json, "busiest_count", budget->workers);
	show_why(json, budget);
	json_open(json, "threads", '[');
	vec_each (thread, &budget->threads)
		show_thread(json, thread);
	json_close(json);
	json_close(json);
}
