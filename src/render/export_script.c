// SPDX-License-Identifier: Apache-2.0
/*
 * `perf script` text of samples that need not come from a recording: what is not known is left out
 * (a process) or 0 (a time, an address).  Only the sampled address is known, and as a place in its
 * object, unless the samples come from such a text with its places; the exact text of a recording
 * is made by `perfolio script`.
 *
 * A row of many samples becomes as many, which share its weight, so that both totals stay; unless
 * that would be a text of more than MOST_SAMPLES or MOST_EXPANDED bytes: then it is one sample of
 * the whole weight, which its period tells.  A few bytes of input can stand for terabytes of text,
 * so one that would be larger than MOST_TEXT even then is refused before anything is written.
 */
#include "base/err.h"
#include "base/outbuf.h"
#include "import/import.h"
#include "render/export.h"

#include <errno.h>

#define MOST_SAMPLES  ((uint64_t)2000000)
#define MOST_EXPANDED ((uint64_t)1 << 30)
#define MOST_TEXT     ((uint64_t)16 << 30)
#define HEAD_BYTES    64 /* about, without the name of the thread */
#define FRAME_BYTES   24 /* the same without function and object */

struct writer {
	const struct selection *s;
	struct outbuf *out;
	char **names, **paths, **comms, **events; /* as a line can hold them */
	bool expand;
	const struct import_places *places; /* or NULL */
};

/* A copy without what would end a line; blanks where a word is wanted. */
static char *one_line(const char *text, bool one_word)
{
	char *copy = mem_strdup(text);

	for (char *c = copy; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f || (one_word && *c == ' '))
			*c = one_word ? '_' : ' ';
	return copy;
}

static char **texts_of(char *const *texts, size_t count)
{
	char **made = mem_alloc((count + 1) * sizeof(*made));

	for (size_t i = 0; i < count; i++)
		made[i] = one_line(texts[i] ? texts[i] : "", false);
	return made;
}

static char **events_of(const struct profile *profile)
{
	char **made = mem_alloc((profile->events.len + 1) * sizeof(*made));

	for (uint16_t i = 0; i < profile->events.len; i++)
		made[i] = one_line(export_event_name(profile, i), true);
	return made;
}

static void free_texts(char **texts)
{
	for (size_t i = 0; texts[i]; i++)
		free(texts[i]);
	free(texts);
}

static void put_thread(struct writer *w, uint32_t thread)
{
	const struct profile_thread *facts = &w->s->profile->threads.data[thread];
	const char *comm = w->comms[thread];

	out_left(w->out, comm, strlen(comm), 16);
	out_char(w->out, ' ');
	if (!thread_is_unknown(facts)) {
		out_int(w->out, (int32_t)facts->pid, 0);
		out_char(w->out, '/');
	}
	out_int(w->out, (int32_t)facts->tid, 0);
	out_char(w->out, ' ');
}

static void put_head(struct writer *w, size_t row, uint64_t weight)
{
	const struct profile_samples *rows = &w->s->profile->samples;
	struct outbuf *out = w->out;

	put_thread(w, rows->thread[row]);
	if (selection_cpu(w->s, row) >= 0) {
		out_char(out, '[');
		out_u64_zeros(out, rows->cpu[row], 3);
		out_text(out, "] ");
	}
	out_u64(out, rows->time[row] / 1000000000, 5);
	out_char(out, '.');
	out_u64_zeros(out, rows->time[row] % 1000000000, 9);
	out_text(out, ": ");
	out_u64(out, weight, 10);
	out_char(out, ' ');
	out_text(out, w->events[rows->event[row]]);
	out_text(out, ": \n");
}

static void put_frame(struct writer *w, uint32_t stack, struct import_place place)
{
	uint32_t function = w->s->stacks.function[stack];
	const struct profile_function *facts = &w->s->profile->functions.data[function];
	const char *path = w->paths[facts->object];
	bool nameless = !strcmp(profile_function_name(w->s->profile, function), UNKNOWN_NAME);

	out_char(w->out, '\t');
	out_hex(w->out, place.address, 16);
	out_char(w->out, ' ');
	out_text(w->out, nameless ? UNKNOWN_NAME : w->names[function]);
	if (place.offset >= 0) {
		out_text(w->out, "+0x");
		out_hex(w->out, (uint64_t)place.offset, 0);
	}
	out_text(w->out, " (");
	if (w->s->stacks.flags[stack] & STACK_INLINED)
		out_text(w->out, "inlined");
	else
		out_text(w->out, *path ? path : UNKNOWN_NAME);
	out_text(w->out, ")\n");
}

/* The places of a row's frames, the innermost first; of a stack that was cut its outer ones. */
static const struct import_place *places_of(const struct writer *w, size_t row, size_t *left)
{
	const struct profile *profile = w->s->profile;
	const struct import_places *all = w->places;
	uint64_t id = profile->leaves.data[profile->samples.leaf[row]].offset;
	size_t depth = 0, first = all->first.data[id];
	size_t end = id + 1 < all->first.len ? all->first.data[id + 1] : all->pool.len;

	for (uint32_t at = selection_stack(w->s, row); at != STACK_ROOT;
	     at = w->s->stacks.parent[at])
		depth++;
	if (end - first > depth)
		first = end - depth;
	*left = end - first;
	return all->pool.data + first;
}

static void put_sample(struct writer *w, size_t row, uint64_t weight)
{
	const struct profile_leaf *leaf = selection_leaf(w->s, row);
	struct import_place sampled = { leaf && !w->places ? leaf->offset : 0, -1 };
	const struct import_place *place = &sampled;
	size_t left = 1;

	if (w->places)
		place = places_of(w, row, &left);
	put_head(w, row, weight);
	for (uint32_t at = selection_stack(w->s, row); at != STACK_ROOT;
	     at = w->s->stacks.parent[at]) {
		put_frame(w, at, left ? *place : (struct import_place){ 0, -1 });
		place += left > 0;
		left -= left > 0;
	}
	out_char(w->out, '\n');
}

static void put_row(struct writer *w, size_t row)
{
	const struct profile_samples *rows = &w->s->profile->samples;
	uint64_t count = w->expand ? profile_row_count(rows, row) : 1;
	uint64_t share = rows->weight[row] / count, rest = rows->weight[row] % count;

	for (uint64_t i = 0; i < count && !w->out->error; i++)
		put_sample(w, row, share + (i < rest));
}

/* Roughly how many bytes the text has, if rows become as many samples as they are, and if not. */
static void estimate(const struct selection *s, uint64_t *expanded, uint64_t *merged)
{
	const struct profile_samples *rows = &s->profile->samples;
	uint64_t *bytes = mem_alloc((s->stacks.len + 1) * sizeof(*bytes));

	*expanded = *merged = 0;
	for (uint32_t i = 1; i < s->stacks.len; i++) { /* a stack comes behind its caller's */
		uint32_t function = s->stacks.function[i];
		const char *name = s->names[function];
		uint32_t object = s->profile->functions.data[function].object;

		bytes[i] = bytes[s->stacks.parent[i]] + FRAME_BYTES + (name ? strlen(name) : 0) +
			   strlen(s->paths[object]);
	}
	for (size_t i = s->sieve.first; i < s->sieve.last; i++) {
		uint64_t size, all;

		if (!selection_takes(s, i))
			continue;
		size = HEAD_BYTES + strlen(s->comms[rows->thread[i]]) +
		       bytes[selection_stack(s, i)];
		if (__builtin_mul_overflow(size, profile_row_count(rows, i), &all) ||
		    __builtin_add_overflow(*expanded, all, expanded))
			*expanded = UINT64_MAX;
		*merged += size;
	}
	free(bytes);
}

static uint64_t count_samples(const struct selection *s)
{
	uint64_t samples = 0;

	for (size_t i = 0; i < s->profile->events.len; i++)
		samples += s->totals[i].samples;
	return samples;
}

int export_script(const struct export_source *source, struct outbuf *out, struct err *err)
{
	const struct selection *s = source->selection;
	uint64_t samples = count_samples(s), expanded, merged;
	struct writer w = { .s = s, .out = out };

	estimate(s, &expanded, &merged);
	if (merged > MOST_TEXT)
		return err_set(
			err, EFBIG,
			"the text would have about %llu GB, and %llu GB are the most; choose "
			"fewer samples (--grep, --pid) or another format (pprof, csv)",
			(unsigned long long)(merged >> 30), (unsigned long long)(MOST_TEXT >> 30));
	w.expand = samples <= MOST_SAMPLES && expanded <= MOST_EXPANDED;
	w.names = texts_of(s->names, s->profile->functions.len);
	w.paths = texts_of(s->paths, s->profile->objects.len);
	w.comms = texts_of(s->comms, s->profile->threads.len);
	w.events = events_of(s->profile);
	w.places = source->places && source->places->first.len ? source->places : NULL;
	if (source->merged)
		*source->merged = w.expand ? 0 : samples - s->rows;
	for (size_t i = s->sieve.first; i < s->sieve.last && !out->error; i++)
		if (selection_takes(s, i))
			put_row(&w, i);
	free_texts(w.names);
	free_texts(w.paths);
	free_texts(w.comms);
	free_texts(w.events);
	return 0;
}
