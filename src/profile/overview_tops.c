// SPDX-License-Identifier: Apache-2.0
#include "profile/overview_tops.h"
#include "base/idmap.h"
#include "profile/calltree.h"
#include "profile/flametree.h"

/* A place for it, if it is among the heaviest; NULL: it is not. */
static struct overview_top *add_top(struct overview_tops *tops, double share)
{
	struct overview_top *top = tops->data;
	size_t at = tops->count;

	while (at && top[at - 1].share < share)
		at--;
	if (at == OVERVIEW_TOP) {
		tops->next = share > tops->next ? share : tops->next;
		return NULL;
	}
	if (tops->count == OVERVIEW_TOP) {
		tops->next = top[--tops->count].share;
		free(top[tops->count].name);
	}
	memmove(top + at + 1, top + at, (tops->count - at) * sizeof(*top));
	tops->count++;
	top[at] = (struct overview_top){ .share = share };
	return &top[at];
}

void overview_tops_free(struct overview_tops *tops)
{
	for (size_t i = 0; i < tops->count; i++)
		free(tops->data[i].name);
	tops->count = 0;
}

/*
 * The loop that runs a Python program.  Where Python tells what it runs (-X perf), each of its
 * functions has a name that begins with py::.
 */
static double find_python(const struct profile *profile, const struct function_weight *functions)
{
	double weight = 0;

	for (uint32_t i = 0; i < profile->functions.len; i++) {
		const char *name = profile_function_name(profile, i);

		if (!functions[i].total.weight)
			continue;
		if (!strncmp(name, "py::", 4))
			return 0;
		if (!strcmp(name, "_PyEval_EvalFrameDefault"))
			weight += (double)functions[i].total.weight;
	}
	return weight;
}

void overview_find_functions(struct overview_facts *facts, const struct profile *profile,
			     const struct stack_weights *weights, double busy)
{
	struct function_weight *functions = profile_function_weights(profile, weights);

	for (uint32_t i = 0; i < profile->functions.len; i++) {
		const struct profile_function *function = &profile->functions.data[i];
		struct overview_top *top = NULL;

		if (functions[i].self.weight && function->kind != FRAME_UNKNOWN &&
		    !profile_is_no_stack(profile, i))
			top = add_top(&facts->functions, (double)functions[i].self.weight / busy);
		if (!top)
			continue;
		top->name = flame_function_name(profile, i);
		top->object = profile_text(profile, profile->objects.data[function->object].path);
		top->kernel = function->kind == FRAME_KERNEL;
	}
	facts->python = find_python(profile, functions) / busy;
	free(functions);
}

/* By row of threads: what was sampled of it. */
static double *weigh_threads(const struct profile *profile, uint16_t event, double *all)
{
	const struct profile_samples *rows = &profile->samples;
	double *weights = mem_alloc((profile->threads.len + 1) * sizeof(*weights));

	for (size_t i = 0; i < rows->len; i++)
		if (rows->event[i] == event && profile->threads.data[rows->thread[i]].tid) {
			weights[rows->thread[i]] += (double)rows->weight[i];
			*all += (double)rows->weight[i];
		}
	return weights;
}

/* Rows of threads that belong together. */
struct group {
	double weight;
	uint32_t comm; /* of the last of them */
};

struct groups VEC_OF(struct group);

/* The first thread of a process has its name, the others often names of their own. */
static uint32_t program_of(const struct idmap *programs, const struct profile_thread *thread)
{
	uint32_t comm = idmap_find(programs, thread->pid);

	return thread->pid == thread->tid || comm == IDMAP_NONE ? thread->comm : comm;
}

static struct idmap name_programs(const struct profile *profile)
{
	struct idmap programs = { 0 };

	/* the last name counts: before its exec a process has that of who started it */
	for (size_t i = profile->threads.len; i--;) {
		const struct profile_thread *thread = &profile->threads.data[i];

		if (thread->pid == thread->tid)
			idmap_add(&programs, thread->pid, thread->comm);
	}
	return programs;
}

/* A thread has a row for each name that it had; a program is all rows with one name. */
static void add_groups(struct overview_tops *tops, const struct profile *profile,
		       const double *weights, double all, bool by_name)
{
	struct idmap known = { 0 }, programs = name_programs(profile);
	struct groups groups = { 0 };

	for (uint32_t i = 0; i < profile->threads.len; i++) {
		const struct profile_thread *thread = &profile->threads.data[i];
		uint32_t name = by_name ? program_of(&programs, thread) : thread->comm, at;
		uint64_t key = by_name ? name : (uint64_t)thread->pid << 32 | thread->tid;

		if (!(weights[i] > 0))
			continue;
		at = idmap_add(&known, key, (uint32_t)groups.len);
		if (at == groups.len)
			*vec_push(&groups) = (struct group){ 0 };
		groups.data[at].weight += weights[i];
		groups.data[at].comm = name;
	}
	vec_each (group, &groups) {
		struct overview_top *top = add_top(tops, group->weight / all);

		if (top)
			top->name = mem_strdup(profile_text(profile, group->comm));
	}
	idmap_free(&known);
	idmap_free(&programs);
	vec_free(&groups);
}

/* The share of the process that has most of it. */
static double heaviest_process(const struct profile *profile, const double *weights, double all)
{
	VEC(double) sums = { 0 };
	struct idmap processes = { 0 };
	double most = 0;

	for (uint32_t i = 0; i < profile->threads.len; i++) {
		uint32_t at = idmap_add(&processes, profile->threads.data[i].pid,
					(uint32_t)sums.len);

		if (at == sums.len)
			*vec_push(&sums) = 0;
		sums.data[at] += weights[i];
		most = sums.data[at] > most ? sums.data[at] : most;
	}
	idmap_free(&processes);
	vec_free(&sums);
	return all > 0 ? most / all : 0;
}

void overview_find_workers(struct overview_facts *facts, const struct profile *profile,
			   uint16_t event)
{
	double all = 0, *weights = weigh_threads(profile, event, &all);

	add_groups(&facts->workers, profile, weights, all, false);
	add_groups(&facts->programs, profile, weights, all, true);
	facts->heaviest_process = heaviest_process(profile, weights, all);
	free(weights);
}
