// SPDX-License-Identifier: Apache-2.0
#include "profile/selection.h"
#include "base/text.h"
#include "profile/flametree.h"

#include <errno.h>

static bool reshapes(const struct calltree_options *stacks)
{
	return stacks->from_leaf || stacks->collapse_recursion || stacks->focus || stacks->hide ||
	       stacks->changes;
}

/* The columns of the stacks as the options want them. */
static int shape(struct selection *s, const struct calltree_options *options, struct err *err)
{
	size_t len = s->profile->stacks.len;
	uint8_t *wanted = mem_alloc(len);
	struct calltree_options upright = *options; /* whichever way somebody looked at them */
	struct calltree_maker maker;
	struct calltree tree;

	memset(wanted, 1, len);
	upright.upright = true;
	calltree_begin(&maker, &tree, s->profile->stacks.function[STACK_ROOT]);
	s->map = calltree_place(&maker, s->profile, &upright, wanted, err);
	s->stacks.len = tree.nodes.len;
	s->stacks.parent = mem_alloc(tree.nodes.len * sizeof(*s->stacks.parent));
	s->stacks.function = mem_alloc(tree.nodes.len * sizeof(*s->stacks.function));
	s->stacks.flags = mem_alloc(tree.nodes.len);
	for (size_t i = 0; i < tree.nodes.len; i++) {
		s->stacks.parent[i] = tree.nodes.data[i].parent;
		s->stacks.function[i] = tree.nodes.data[i].function;
		/* Seen from the leaf nothing is inlined into what stands below it. */
		s->stacks.flags[i] = tree.nodes.data[i].inlined && !options->from_leaf
					     ? STACK_INLINED
					     : 0;
	}
	calltree_end(&maker);
	calltree_free(&tree);
	free(wanted);
	if (s->map)
		return 0;
	free(s->stacks.parent);
	free(s->stacks.function);
	free(s->stacks.flags);
	return -EINVAL;
}

static void count_row(struct selection *s, size_t row)
{
	const struct profile_samples *rows = &s->profile->samples;
	struct weight_pair *total = &s->totals[rows->event[row]];
	struct weight_pair *thread = &s->threads[rows->thread[row]];
	uint64_t count = profile_row_count(rows, row);

	total->samples += count;
	total->weight += rows->weight[row];
	thread->samples += count;
	thread->weight += rows->weight[row];
	s->used[selection_stack(s, row)] = 1;
	if (!s->rows++)
		s->first_time = rows->time[row];
	s->last_time = rows->time[row];
}

static char *readable(const struct profile *profile, uint32_t function)
{
	char *name = flame_function_name(profile, function), *clean = text_utf8(name);

	free(name);
	return clean;
}

/* One pass to know what the tables of a file will need. */
static void count_rows(struct selection *s)
{
	s->totals = mem_alloc((s->profile->events.len + 1) * sizeof(*s->totals));
	s->threads = mem_alloc((s->profile->threads.len + 1) * sizeof(*s->threads));
	s->used = mem_alloc(s->stacks.len + 1);
	s->names = mem_alloc((s->profile->functions.len + 1) * sizeof(*s->names));
	for (size_t i = s->sieve.first; i < s->sieve.last; i++)
		if (selection_takes(s, i))
			count_row(s, i);
	for (size_t i = s->stacks.len; i-- > 1;) {
		uint32_t function = s->stacks.function[i];

		if (!s->used[i])
			continue;
		s->used[s->stacks.parent[i]] = 1;
		if (!s->names[function])
			s->names[function] = readable(s->profile, function);
	}
}

static void make_texts(struct selection *s)
{
	const struct profile *profile = s->profile;

	s->paths = mem_alloc((profile->objects.len + 1) * sizeof(*s->paths));
	s->comms = mem_alloc((profile->threads.len + 1) * sizeof(*s->comms));
	for (size_t i = 0; i < profile->objects.len; i++)
		s->paths[i] = text_utf8(profile_text(profile, profile->objects.data[i].path));
	for (size_t i = 0; i < profile->threads.len; i++)
		s->comms[i] = text_utf8(profile_text(profile, profile->threads.data[i].comm));
}

int selection_make(struct selection *selection, const struct profile *profile,
		   const struct selection_options *options, struct err *err)
{
	int rc;

	*selection = (struct selection){ .profile = profile,
					 .stacks = profile->stacks,
					 .event = options->event };
	rc = sieve_make(&selection->sieve, profile, &options->filter, err);
	if (rc)
		return rc;
	if (reshapes(&options->stacks))
		rc = shape(selection, &options->stacks, err);
	if (rc) {
		sieve_free(&selection->sieve);
		return rc;
	}
	count_rows(selection);
	make_texts(selection);
	return 0;
}

static void free_texts(char **texts, size_t count)
{
	for (size_t i = 0; texts && i < count; i++)
		free(texts[i]);
	free(texts);
}

void selection_free(struct selection *selection)
{
	const struct profile *profile = selection->profile;

	if (!profile)
		return;
	if (selection->map) {
		free(selection->stacks.parent);
		free(selection->stacks.function);
		free(selection->stacks.flags);
	}
	free_texts(selection->names, profile->functions.len);
	free_texts(selection->paths, profile->objects.len);
	free_texts(selection->comms, profile->threads.len);
	free(selection->map);
	free(selection->used);
	free(selection->totals);
	free(selection->threads);
	sieve_free(&selection->sieve);
	*selection = (struct selection){ 0 };
}
