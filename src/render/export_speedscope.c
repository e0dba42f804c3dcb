// SPDX-License-Identifier: Apache-2.0
/*
 * speedscope's file format: frames once, and a "sampled" profile for each event, whose stacks begin
 * with the program's name as our flame graphs do; or one for each thread.  Neighbours with the same
 * stack become one sample.
 */
#include "base/buf.h"
#include "base/outbuf.h"
#include "profile/flametree.h"
#include "render/export.h"
#include "render/flame_layout.h"

#define NO_FRAME UINT32_MAX

struct writer {
	const struct export_source *source;
	const struct selection *s;
	struct outbuf *out;
	struct buf quoted;
	struct export_groups groups;
	uint32_t *function_frames, *thread_frames; /* of the file's frames */
	uint32_t frames;
	VEC(uint32_t) path;
};

static void put_text(struct writer *w, const char *text)
{
	export_json_text(w->out, &w->quoted, text);
}

static uint32_t new_frame(struct writer *w, const char *name)
{
	out_text(w->out, w->frames ? ",\n{\"name\":" : "{\"name\":");
	put_text(w, name);
	return w->frames++;
}

static void put_function_frames(struct writer *w)
{
	const struct profile *profile = w->s->profile;

	w->function_frames = mem_alloc((profile->functions.len + 1) * sizeof(uint32_t));
	for (uint32_t i = 0; i < profile->functions.len; i++) {
		const char *path = w->s->paths[profile->functions.data[i].object];

		if (!w->s->names[i])
			continue;
		w->function_frames[i] = new_frame(w, w->s->names[i]);
		if (*path) {
			out_text(w->out, ",\"file\":");
			put_text(w, path);
		}
		out_char(w->out, '}');
	}
}

/* Programs' names as frames; those of the same name are one. */
static void put_thread_frames(struct writer *w)
{
	const struct profile *profile = w->s->profile;
	struct map known = { 0 };

	w->thread_frames = mem_alloc((profile->threads.len + 1) * sizeof(uint32_t));
	for (uint32_t i = 0; i < profile->threads.len; i++) {
		const char *comm = w->s->comms[i];
		uint32_t frame = map_find(&known, comm, strlen(comm));

		w->thread_frames[i] = NO_FRAME;
		if (w->source->per_thread || !*comm || !w->s->threads[i].samples)
			continue;
		if (frame == MAP_NONE) {
			frame = map_add(&known, comm, strlen(comm), new_frame(w, comm));
			out_char(w->out, '}');
		}
		w->thread_frames[i] = frame;
	}
	map_free(&known);
}

static uint64_t weight_of(const struct writer *w, uint32_t row)
{
	const struct profile_samples *rows = &w->s->profile->samples;

	return w->source->weight == WEIGH_SAMPLES ? profile_row_count(rows, row)
						  : rows->weight[row];
}

/* How many rows from `at` on show the same. */
static size_t run_length(const struct writer *w, size_t at, size_t end)
{
	const uint32_t *rows = w->groups.rows;
	const uint32_t *threads = w->s->profile->samples.thread;
	size_t length = 1;

	while (at + length < end &&
	       selection_stack(w->s, rows[at + length]) == selection_stack(w->s, rows[at]) &&
	       w->thread_frames[threads[rows[at + length]]] == w->thread_frames[threads[rows[at]]])
		length++;
	return length;
}

static void put_stack(struct writer *w, uint32_t row)
{
	uint32_t top = w->thread_frames[w->s->profile->samples.thread[row]];

	w->path.len = 0;
	for (uint32_t at = selection_stack(w->s, row); at != STACK_ROOT;
	     at = w->s->stacks.parent[at])
		*vec_push(&w->path) = w->function_frames[w->s->stacks.function[at]];
	if (top != NO_FRAME)
		*vec_push(&w->path) = top;
	out_char(w->out, '[');
	for (size_t i = w->path.len; i-- > 0;) {
		out_u64(w->out, w->path.data[i], 0);
		if (i)
			out_char(w->out, ',');
	}
	out_char(w->out, ']');
}

static void put_stacks(struct writer *w, size_t first, size_t end)
{
	for (size_t at = first; at < end && !w->out->error; at += run_length(w, at, end)) {
		if (at > first)
			out_text(w->out, ",\n");
		put_stack(w, w->groups.rows[at]);
	}
}

static void put_weights(struct writer *w, size_t first, size_t end)
{
	for (size_t at = first, length; at < end && !w->out->error; at += length) {
		uint64_t weight = 0;

		length = run_length(w, at, end);
		for (size_t i = at; i < at + length; i++)
			weight += weight_of(w, w->groups.rows[i]);
		if (at > first)
			out_char(w->out, ',');
		out_u64(w->out, weight, 0);
	}
}

static const char *unit_of(const char *unit)
{
	static const char *const known[] = { "nanoseconds", "microseconds", "milliseconds",
					     "seconds", "bytes" };

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(unit, known[i]))
			return known[i];
	return !strcmp(unit, "ns") ? "nanoseconds" : "none";
}

static void put_name(struct writer *w, size_t group)
{
	const struct profile *profile = w->s->profile;
	const char *event = export_event_name(profile, (uint16_t)(group / w->groups.threads));
	char *thread = flame_group_name(profile, (uint32_t)(group % w->groups.threads),
					GROUP_THREAD);
	char *name = mem_printf("%s%s%s", w->source->per_thread ? thread : "",
				w->source->per_thread && *thread ? " " : "", event);

	put_text(w, name);
	free(name);
	free(thread);
}

static void put_profile(struct writer *w, size_t group)
{
	size_t first = w->groups.starts[group], end = w->groups.starts[group + 1];
	uint16_t event = (uint16_t)(group / w->groups.threads);
	uint64_t total = 0;

	for (size_t i = first; i < end; i++)
		total += weight_of(w, w->groups.rows[i]);
	out_text(w->out, "{\"type\":\"sampled\",\"name\":");
	put_name(w, group);
	out_text(w->out, ",\"unit\":");
	put_text(w, unit_of(flame_unit(w->s->profile, event, w->source->weight)));
	out_text(w->out, ",\"startValue\":0,\"endValue\":");
	out_u64(w->out, total, 0);
	out_text(w->out, ",\n\"samples\":[");
	put_stacks(w, first, end);
	out_text(w->out, "],\n\"weights\":[");
	put_weights(w, first, end);
	out_text(w->out, "]}");
}

static void put_profiles(struct writer *w)
{
	size_t written = 0;

	for (size_t i = 0; i < w->groups.count && !w->out->error; i++) {
		if (w->groups.starts[i] == w->groups.starts[i + 1])
			continue;
		if (written++)
			out_text(w->out, ",\n");
		put_profile(w, i);
	}
	if (!written) /* speedscope opens no file without a profile */
		out_text(w->out, "{\"type\":\"sampled\",\"name\":\"no samples\",\"unit\":\"none\","
				 "\"startValue\":0,\"endValue\":0,\"samples\":[],\"weights\":[]}");
}

int export_speedscope(const struct export_source *source, struct outbuf *out, struct err *err)
{
	struct writer w = { .source = source, .s = source->selection, .out = out };

	(void)err;
	export_groups_make(&w.groups, w.s, source->per_thread);
	out_text(out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
		      "\"exporter\":\"perfolio@" PERFOLIO_VERSION "\",\"name\":");
	put_text(&w, source->title);
	out_text(out, ",\n\"shared\":{\"frames\":[");
	put_function_frames(&w);
	put_thread_frames(&w);
	out_text(out, "]},\n\"profiles\":[");
	put_profiles(&w);
	out_text(out, "]}\n");
	export_groups_free(&w.groups);
	free(w.function_frames);
	free(w.thread_frames);
	vec_free(&w.path);
	buf_free(&w.quoted);
	return 0;
}
