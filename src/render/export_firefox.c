// SPDX-License-Identifier: Apache-2.0
/*
 * The Firefox Profiler's processed format, version 60: the first whose tables of stacks, frames and
 * functions are shared by all threads, as ours are.  Newer versions of the page bring it up to date
 * when they read it.  A thread there is a thread of one event.
 *
 * Its weights are samples, milliseconds or bytes.  Where an event counts neither time nor bytes its
 * samples are weighed.  Profiles without times get a sample a millisecond, so that there is a range
 * to look at.
 */
#include "base/buf.h"
#include "base/outbuf.h"
#include "profile/moments.h"
#include "render/export.h"
#include "render/flame_layout.h"

#include <stdio.h>

#define VERSION "60"

enum { CATEGORY_OTHER, CATEGORY_USER, CATEGORY_LIBRARY, CATEGORY_KERNEL, CATEGORY_JIT };

struct writer {
	const struct export_source *source;
	const struct selection *s;
	const struct profile *profile;
	struct outbuf *out;
	struct buf quoted;
	struct export_groups groups;
	uint32_t *func_of;  /* by function: of the file's funcs */
	uint32_t *stack_of; /* by stack: of the file's stacks */
	VEC(uint32_t) funcs, stacks;
	struct interner strings;
	VEC(uint32_t) func_names, object_names;
	uint8_t *depth; /* by stack: how often it is inlined */
	uint32_t *leaders;
	bool has_times;
};

static void put_text(struct writer *w, const char *text)
{
	export_json_text(w->out, &w->quoted, text);
}

/* "name":[value,value...], with a function that puts the value of a row. */
static void put_column(struct writer *w, const char *name, size_t rows,
		       void (*put)(struct writer *w, size_t row))
{
	out_printf(w->out, "\"%s\":[", name);
	for (size_t i = 0; i < rows && !w->out->error; i++) {
		if (i)
			out_char(w->out, ',');
		put(w, i);
	}
	out_text(w->out, "],");
}

static void put_null(struct writer *w, size_t row)
{
	(void)row;
	out_text(w->out, "null");
}

static void put_zero(struct writer *w, size_t row)
{
	(void)row;
	out_char(w->out, '0');
}

static void put_false(struct writer *w, size_t row)
{
	(void)row;
	out_text(w->out, "false");
}

static void put_minus_one(struct writer *w, size_t row)
{
	(void)row;
	out_text(w->out, "-1");
}

static void put_row_itself(struct writer *w, size_t row)
{
	out_u64(w->out, row, 0);
}

/* ---- tables ---- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* Numbers what samples lead to. */
static void number_tables(struct writer *w)
{
	const struct profile_stacks *stacks = &w->s->stacks;

	w->func_of = mem_alloc((w->profile->functions.len + 1) * sizeof(*w->func_of));
	w->stack_of = mem_alloc((stacks->len + 1) * sizeof(*w->stack_of));
	w->depth = mem_alloc(stacks->len + 1);
	for (uint32_t i = 0; i < w->profile->functions.len; i++) {
		w->func_of[i] = (uint32_t)w->funcs.len;
		if (!w->s->names[i])
			continue;
		*vec_push(&w->funcs) = i;
		*vec_push(&w->func_names) = interner_add(&w->strings, w->s->names[i]);
	}
	for (size_t i = 0; i < w->profile->objects.len; i++)
		*vec_push(&w->object_names) = interner_add(&w->strings, base_name(w->s->paths[i]));
	for (uint32_t i = 1; i < stacks->len; i++) {
		uint8_t outer = w->depth[stacks->parent[i]];

		w->stack_of[i] = (uint32_t)w->stacks.len;
		w->depth[i] = stacks->flags[i] & STACK_INLINED ? outer + (outer < UINT8_MAX) : 0;
		if (w->s->used[i])
			*vec_push(&w->stacks) = i;
	}
}

static void put_stack_prefix(struct writer *w, size_t row)
{
	uint32_t parent = w->s->stacks.parent[w->stacks.data[row]];

	if (parent == STACK_ROOT)
		out_text(w->out, "null");
	else
		out_u64(w->out, w->stack_of[parent], 0);
}

static void put_frame_func(struct writer *w, size_t row)
{
	out_u64(w->out, w->func_of[w->s->stacks.function[w->stacks.data[row]]], 0);
}

static void put_frame_depth(struct writer *w, size_t row)
{
	out_u64(w->out, w->depth[w->stacks.data[row]], 0);
}

static void put_frame_category(struct writer *w, size_t row)
{
	static const uint8_t categories[] = {
		[FRAME_USER] = CATEGORY_USER,	  [FRAME_LIBRARY] = CATEGORY_LIBRARY,
		[FRAME_KERNEL] = CATEGORY_KERNEL, [FRAME_JIT] = CATEGORY_JIT,
		[FRAME_UNKNOWN] = CATEGORY_OTHER,
	};
	uint32_t function = w->s->stacks.function[w->stacks.data[row]];

	out_u64(w->out, categories[w->profile->functions.data[function].kind], 0);
}

static void put_func_resource(struct writer *w, size_t row)
{
	uint32_t object = w->profile->functions.data[w->funcs.data[row]].object;

	out_int(w->out, *w->s->paths[object] ? (int64_t)object : -1, 0);
}

static void put_func_name(struct writer *w, size_t row)
{
	out_u64(w->out, w->func_names.data[row], 0);
}

static void put_object_name(struct writer *w, size_t row)
{
	out_u64(w->out, w->object_names.data[row], 0);
}

static void put_library_type(struct writer *w, size_t row)
{
	(void)row;
	out_char(w->out, '1');
}

static void put_string(struct writer *w, size_t row)
{
	put_text(w, interner_text(&w->strings, (uint32_t)row));
}

static void put_length(struct writer *w, size_t length)
{
	out_printf(w->out, "\"length\":%zu}", length);
}

/* A frame for each stack: it is smaller than to look for equal ones, and the page does not mind. */
static void put_shared(struct writer *w)
{
	size_t stacks = w->stacks.len, funcs = w->funcs.len, objects = w->profile->objects.len;

	out_text(w->out, "\"shared\":{\"stackTable\":{");
	put_column(w, "frame", stacks, put_row_itself);
	put_column(w, "prefix", stacks, put_stack_prefix);
	put_length(w, stacks);
	out_text(w->out, ",\n\"frameTable\":{");
	put_column(w, "address", stacks, put_minus_one);
	put_column(w, "inlineDepth", stacks, put_frame_depth);
	put_column(w, "category", stacks, put_frame_category);
	put_column(w, "subcategory", stacks, put_zero);
	put_column(w, "func", stacks, put_frame_func);
	put_column(w, "nativeSymbol", stacks, put_null);
	put_column(w, "innerWindowID", stacks, put_null);
	put_column(w, "line", stacks, put_null);
	put_column(w, "column", stacks, put_null);
	put_length(w, stacks);
	out_text(w->out, ",\n\"funcTable\":{");
	put_column(w, "name", funcs, put_func_name);
	put_column(w, "isJS", funcs, put_false);
	put_column(w, "relevantForJS", funcs, put_false);
	put_column(w, "resource", funcs, put_func_resource);
	put_column(w, "source", funcs, put_null);
	put_column(w, "lineNumber", funcs, put_null);
	put_column(w, "columnNumber", funcs, put_null);
	put_length(w, funcs);
	out_text(w->out, ",\n\"resourceTable\":{");
	put_column(w, "type", objects, put_library_type);
	put_column(w, "lib", objects, put_row_itself);
	put_column(w, "name", objects, put_object_name);
	put_column(w, "host", objects, put_null);
	put_length(w, objects);
	out_text(w->out, ",\n\"nativeSymbols\":{\"libIndex\":[],\"address\":[],\"name\":[],"
			 "\"functionSize\":[],\"length\":0},\n");
	put_column(w, "stringArray", w->strings.strings.len, put_string);
	out_text(w->out, "\n\"sources\":{\"uuid\":[],\"filename\":[],\"length\":0}},\n");
}

/* ---- libraries ---- */

/* Breakpad's form of a build-id: its first 16 bytes as a GUID of the other byte order, and a 0. */
static void breakpad_id(char into[static 34], const struct build_id *id)
{
	static const uint8_t order[16] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };

	*into = '\0';
	if (id->size < 16)
		return;
	for (size_t i = 0; i < 16; i++)
		sprintf(into + 2 * i, "%02X", id->bytes[order[i]]);
	strcat(into, "0");
}

static void put_libs(struct writer *w)
{
	out_text(w->out, "\"libs\":[");
	for (size_t i = 0; i < w->profile->objects.len; i++) {
		const struct profile_object *object = &w->profile->objects.data[i];
		char breakpad[34], code[BUILD_ID_TEXT];

		breakpad_id(breakpad, &object->build_id);
		build_id_text(code, &object->build_id);
		out_text(w->out, i ? ",\n{\"arch\":\"\",\"name\":" : "{\"arch\":\"\",\"name\":");
		put_text(w, base_name(w->s->paths[i]));
		out_text(w->out, ",\"path\":");
		put_text(w, w->s->paths[i]);
		out_text(w->out, ",\"debugName\":");
		put_text(w, base_name(w->s->paths[i]));
		out_text(w->out, ",\"debugPath\":");
		put_text(w, w->s->paths[i]);
		out_printf(w->out, ",\"breakpadId\":\"%s\",\"codeId\":", breakpad);
		out_printf(w->out, *code ? "\"%s\"}" : "null}", code);
	}
	out_text(w->out, "],\n");
}

/* ---- threads ---- */

static void put_ms(struct outbuf *out, uint64_t ns)
{
	out_u64(out, ns / 1000000, 0);
	if (ns % 1000000) {
		out_char(out, '.');
		out_u64_zeros(out, ns % 1000000, 6);
	}
}

static void put_times(struct writer *w, size_t first, size_t end)
{
	out_text(w->out, "\"time\":[");
	for (size_t i = first; i < end && !w->out->error; i++) {
		uint64_t time = w->profile->samples.time[w->groups.rows[i]];

		if (i > first)
			out_char(w->out, ',');
		put_ms(w->out, w->has_times ? time - w->s->first_time : (i - first) * 1000000);
	}
	out_text(w->out, "],");
}

static void put_sample_stacks(struct writer *w, size_t first, size_t end)
{
	out_text(w->out, "\"stack\":[");
	for (size_t i = first; i < end && !w->out->error; i++) {
		uint32_t stack = selection_stack(w->s, w->groups.rows[i]);

		if (i > first)
			out_char(w->out, ',');
		if (stack == STACK_ROOT)
			out_text(w->out, "null");
		else
			out_u64(w->out, w->stack_of[stack], 0);
	}
	out_text(w->out, "],");
}

static const char *weight_type(const struct writer *w, uint16_t event)
{
	const char *unit = flame_unit(w->profile, event, w->source->weight);

	if (!strcmp(unit, "ns") || !strcmp(unit, "nanoseconds"))
		return "tracing-ms";
	return !strcmp(unit, "bytes") ? "bytes" : "samples";
}

static void put_weights(struct writer *w, size_t first, size_t end, const char *type)
{
	const struct profile_samples *rows = &w->profile->samples;

	out_printf(w->out, "\"weightType\":\"%s\",\"weight\":[", type);
	for (size_t i = first; i < end && !w->out->error; i++) {
		uint32_t row = w->groups.rows[i];

		if (i > first)
			out_char(w->out, ',');
		if (!strcmp(type, "tracing-ms"))
			put_ms(w->out, rows->weight[row]);
		else
			out_u64(w->out,
				!strcmp(type, "bytes") ? rows->weight[row]
						       : profile_row_count(rows, row),
				0);
	}
	out_text(w->out, "],");
}

static void put_thread_name(struct writer *w, uint32_t thread, uint16_t event)
{
	const char *comm = w->s->comms[thread];
	bool many = w->profile->events.len > 1;
	char *name = mem_printf("%s%s%s%s", *comm ? comm : "all", many ? " (" : "",
				many ? export_event_name(w->profile, event) : "", many ? ")" : "");

	out_text(w->out, "\"name\":");
	put_text(w, name);
	out_text(w->out, ",\"processName\":");
	put_text(w, w->s->comms[w->leaders[thread]]);
	free(name);
}

static void put_thread(struct writer *w, size_t group)
{
	uint32_t thread = (uint32_t)(group % w->groups.threads);
	const struct profile_thread *facts = &w->profile->threads.data[thread];
	uint16_t event = (uint16_t)(group / w->groups.threads);
	size_t first = w->groups.starts[group], end = w->groups.starts[group + 1];

	out_text(w->out, "{\"processType\":\"default\",\"processStartupTime\":0,"
			 "\"processShutdownTime\":null,\"registerTime\":0,\"unregisterTime\":null,"
			 "\"pausedRanges\":[],");
	put_thread_name(w, thread, event);
	out_printf(w->out, ",\"isMainThread\":%s,\"pid\":\"%d\",\"tid\":%d,\n",
		   facts->pid == facts->tid ? "true" : "false", (int32_t)facts->pid,
		   (int32_t)facts->tid);
	out_text(w->out, "\"samples\":{");
	put_sample_stacks(w, first, end);
	put_times(w, first, end);
	put_weights(w, first, end, weight_type(w, event));
	put_length(w, end - first);
	out_text(w->out, ",\n\"markers\":{\"data\":[],\"name\":[],\"startTime\":[],\"endTime\":[],"
			 "\"phase\":[],\"category\":[],\"length\":0}}");
}

static void put_threads(struct writer *w)
{
	size_t written = 0;

	out_text(w->out, "\"threads\":[");
	for (size_t i = 0; i < w->groups.count && !w->out->error; i++) {
		if (w->groups.starts[i] == w->groups.starts[i + 1])
			continue;
		if (written++)
			out_text(w->out, ",\n");
		put_thread(w, i);
	}
	out_text(w->out, "]");
}

/* ---- the whole ---- */

/* One for the whole file: that of the first event that is in it. */
static uint64_t interval_of(const struct writer *w)
{
	for (uint16_t event = 0; event < w->profile->events.len; event++)
		if (w->has_times && w->s->totals[event].samples)
			return profile_interval(w->profile, event);
	return 1000000;
}

static void put_meta(struct writer *w)
{
	out_text(w->out, "{\"meta\":{\"interval\":");
	put_ms(w->out, interval_of(w));
	out_text(w->out, ",\"startTime\":0,\"processType\":0,\"stackwalk\":1,\"debug\":false,"
			 "\"version\":24,\"preprocessedProfileVersion\":" VERSION
			 ",\"symbolicated\":true,\"usesOnlyOneStackType\":true,"
			 "\"sourceCodeIsNotOnSearchfox\":true,\"importedFrom\":\"perfolio\","
			 "\"markerSchema\":[],\"extensions\":{\"baseURL\":[],\"id\":[],\"name\":[],"
			 "\"length\":0},\"product\":");
	put_text(w, w->source->title);
	out_text(w->out,
		 ",\"categories\":[{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":"
		 "[\"Other\"]},{\"name\":\"User\",\"color\":\"yellow\",\"subcategories\":"
		 "[\"Other\"]},{\"name\":\"Library\",\"color\":\"blue\",\"subcategories\":"
		 "[\"Other\"]},{\"name\":\"Kernel\",\"color\":\"orange\",\"subcategories\":"
		 "[\"Other\"]},{\"name\":\"JIT\",\"color\":\"green\",\"subcategories\":"
		 "[\"Other\"]}]},\n");
}

int export_firefox(const struct export_source *source, struct outbuf *out, struct err *err)
{
	struct writer w = { .source = source,
			    .s = source->selection,
			    .profile = source->selection->profile,
			    .out = out,
			    .has_times = source->selection->last_time >
					 source->selection->first_time };

	(void)err;
	export_groups_make(&w.groups, w.s, true);
	w.leaders = export_leaders(w.profile);
	number_tables(&w);
	put_meta(&w);
	put_libs(&w);
	put_shared(&w);
	put_threads(&w);
	out_text(out, ",\"pages\":[],\"counters\":[],\"profilerOverhead\":[]}\n");
	export_groups_free(&w.groups);
	free(w.func_of);
	free(w.stack_of);
	free(w.depth);
	free(w.leaders);
	vec_free(&w.funcs);
	vec_free(&w.func_names);
	vec_free(&w.object_names);
	interner_free(&w.strings);
	vec_free(&w.stacks);
	buf_free(&w.quoted);
	return 0;
}
