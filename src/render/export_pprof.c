// SPDX-License-Identifier: Apache-2.0
/*
 * pprof's profile.proto.  Samples that agree in stack, sampled address and thread are one; each
 * event has two values, samples and its own count, or one where the two are the same or somebody
 * else's profile gave it.
 *
 * A location is a function with what is inlined in it there, and an address where one is known:
 * that of the sample.  The profile keeps none of callers, as most of those are no code.  Addresses
 * are offsets in the object's file, which is what pprof makes of a mapping that starts at 0.
 */
#include "base/idmap.h"
#include "base/outbuf.h"
#include "base/text.h"
#include "import/profileproto.h"
#include "render/export.h"
#include "render/flame_layout.h"
#include "render/proto.h"

#define NO_LIST UINT32_MAX

/* A function, and the one that it was inlined into; lists share their outer parts. */
struct list {
	uint32_t outer, function;
};

/* A stack and the address that was sampled there. */
struct place {
	uint32_t stack, leaf; /* leaf 0: no address */
};

struct sample {
	uint32_t place, thread;
};

struct writer {
	const struct selection *s;
	const struct profile *profile;
	struct outbuf *out;
	struct interner strings;
	struct buf inner, message, whole; /* each goes into the next */

	uint32_t *first_type; /* by event: its place among the values */
	uint8_t *pairs;	      /* by event: it has two values */
	size_t types;
	uint32_t default_type; /* string */

	struct idmap list_ids, place_ids, sample_ids, leaf_ids;
	VEC(struct list) lists;
	uint32_t *list_of; /* by stack */
	VEC(struct place) places;
	VEC(struct sample) samples;
	VEC(uint64_t) values;	      /* `types` for each sample */
	VEC(struct place) leaf_lists; /* lists with an address: locations behind those without */
	uint32_t *files;	      /* by function: string, where its source is known */
};

static void put_message(struct writer *w, int field)
{
	proto_put_inner(&w->whole, field, &w->message);
	out_bytes(w->out, w->whole.data, w->whole.len);
	buf_clear(&w->whole);
}

static uint32_t string_of(struct writer *w, const char *text)
{
	return interner_add(&w->strings, text);
}

/* ---- value types ---- */

static uint32_t put_type(struct writer *w, const char *name, const char *unit)
{
	char *clean = text_utf8(name);
	uint32_t string = string_of(w, clean);

	proto_put_number(&w->message, TYPE_NAME, string);
	proto_put_number(&w->message, TYPE_UNIT, string_of(w, unit));
	put_message(w, PROFILE_TYPE);
	free(clean);
	w->types++;
	return string;
}

static const char *unit_of(const struct profile *profile, uint16_t event)
{
	const char *told = profile_text(profile, profile->events.data[event].unit);
	const char *unit = flame_unit(profile, event, WEIGH_PERIOD);

	return *told ? told : !strcmp(unit, "ns") ? "nanoseconds" : "count";
}

static size_t count_events(const struct selection *s)
{
	size_t count = 0;

	for (size_t i = 0; i < s->profile->events.len; i++)
		count += s->totals[i].samples > 0;
	return count;
}

static void put_types(struct writer *w)
{
	size_t events = count_events(w->s);

	w->first_type = mem_alloc((w->profile->events.len + 1) * sizeof(*w->first_type));
	w->pairs = mem_alloc(w->profile->events.len + 1);
	for (uint16_t i = 0; i < w->profile->events.len; i++) {
		const struct profile_event *event = &w->profile->events.data[i];
		const char *name = export_event_name(w->profile, i);
		char *count = mem_printf("%s_samples", name);
		uint32_t type;

		if (!w->s->totals[i].samples) {
			free(count);
			continue;
		}
		w->first_type[i] = (uint32_t)w->types;
		w->pairs[i] = !*profile_text(w->profile, event->unit) &&
			      event->weight != event->samples && strcmp(name, "samples");
		if (w->pairs[i])
			put_type(w, events > 1 ? count : "samples", "count");
		type = put_type(w, name, unit_of(w->profile, i));
		if (!w->default_type)
			w->default_type = type;
		free(count);
	}
	if (!w->types)
		put_type(w, "samples", "count");
}

/* ---- collecting ---- */

static void make_lists(struct writer *w)
{
	const struct profile_stacks *stacks = &w->s->stacks;

	w->list_of = mem_alloc((stacks->len + 1) * sizeof(*w->list_of));
	for (size_t i = 1; i < stacks->len; i++) {
		uint32_t parent = stacks->parent[i], next = (uint32_t)w->lists.len;
		bool inlined = stacks->flags[i] & STACK_INLINED && parent != STACK_ROOT;
		uint32_t outer = inlined ? w->list_of[parent] : NO_LIST;

		if (!w->s->used[i])
			continue;
		w->list_of[i] = idmap_add(&w->list_ids,
					  (uint64_t)(outer + 1) << 32 | stacks->function[i], next);
		if (w->list_of[i] == next)
			*vec_push(&w->lists) = (struct list){ outer, stacks->function[i] };
	}
}

static uint32_t place_of(struct writer *w, size_t row)
{
	uint32_t stack = selection_stack(w->s, row), next = (uint32_t)w->places.len, id;
	uint32_t leaf = selection_leaf(w->s, row) ? w->profile->samples.leaf[row] + 1 : 0;

	id = idmap_add(&w->place_ids, (uint64_t)stack << 32 | leaf, next);
	if (id == next)
		*vec_push(&w->places) = (struct place){ stack, leaf };
	return id;
}

static void collect_row(struct writer *w, size_t row)
{
	const struct profile_samples *rows = &w->profile->samples;
	uint32_t place = place_of(w, row), next = (uint32_t)w->samples.len;
	uint32_t id = idmap_add(&w->sample_ids, (uint64_t)place << 32 | rows->thread[row], next);
	uint16_t event = rows->event[row];
	uint64_t *values;

	if (id == next) {
		*vec_push(&w->samples) = (struct sample){ place, rows->thread[row] };
		for (size_t i = 0; i < w->types; i++)
			*vec_push(&w->values) = 0;
	}
	values = &w->values.data[id * w->types + w->first_type[event]];
	if (w->pairs[event])
		*values++ += profile_row_count(rows, row);
	*values += rows->weight[row];
}

static void collect(struct writer *w)
{
	make_lists(w);
	for (size_t i = w->s->sieve.first; i < w->s->sieve.last; i++)
		if (selection_takes(w->s, i))
			collect_row(w, i);
}

/* ---- samples ---- */

/* Ids count from 1: lists as they are come first, then those with an address. */
static uint64_t leaf_location(struct writer *w, uint32_t list, uint32_t leaf)
{
	uint32_t next = (uint32_t)w->leaf_lists.len;
	uint32_t id = idmap_add(&w->leaf_ids, (uint64_t)list << 32 | leaf, next);

	if (id == next)
		*vec_push(&w->leaf_lists) = (struct place){ list, leaf };
	return (uint64_t)w->lists.len + 1 + id;
}

static void put_locations(struct writer *w, const struct place *place)
{
	const struct profile_stacks *stacks = &w->s->stacks;
	uint32_t leaf = place->leaf;

	for (uint32_t at = place->stack; at != STACK_ROOT; at = stacks->parent[at]) {
		uint32_t list = w->list_of[at];

		proto_put_varint(&w->inner,
				 leaf ? leaf_location(w, list, leaf) : (uint64_t)list + 1);
		leaf = 0;
		while (stacks->flags[at] & STACK_INLINED && stacks->parent[at] != STACK_ROOT)
			at = stacks->parent[at];
	}
	proto_put_inner(&w->message, SAMPLE_LOCATION, &w->inner);
}

static void put_label(struct writer *w, const char *key, const char *text, uint32_t number)
{
	proto_put_number(&w->inner, LABEL_KEY, string_of(w, key));
	if (text)
		proto_put_number(&w->inner, LABEL_TEXT, string_of(w, text));
	else
		proto_put_number(&w->inner, LABEL_NUMBER, number);
	proto_put_inner(&w->message, SAMPLE_LABEL, &w->inner);
}

static void put_labels(struct writer *w, uint32_t thread, const uint32_t *leaders)
{
	const struct profile_thread *facts = &w->profile->threads.data[thread];

	if (*w->s->comms[leaders[thread]])
		put_label(w, "comm", w->s->comms[leaders[thread]], 0);
	if (*w->s->comms[thread])
		put_label(w, "thread", w->s->comms[thread], 0);
	if (!thread_is_unknown(facts))
		put_label(w, "pid", NULL, facts->pid);
	if (!thread_is_unknown(facts) || facts->tid)
		put_label(w, "tid", NULL, facts->tid);
}

static void put_samples(struct writer *w)
{
	uint32_t *leaders = export_leaders(w->profile);

	for (size_t i = 0; i < w->samples.len; i++) {
		const struct sample *sample = &w->samples.data[i];

		put_locations(w, &w->places.data[sample->place]);
		for (size_t j = 0; j < w->types; j++)
			proto_put_varint(&w->inner, w->values.data[i * w->types + j]);
		proto_put_inner(&w->message, SAMPLE_VALUE, &w->inner);
		put_labels(w, sample->thread, leaders);
		put_message(w, PROFILE_SAMPLE);
	}
	free(leaders);
}

/* ---- tables ---- */

static void put_mappings(struct writer *w)
{
	for (size_t i = 0; i < w->profile->objects.len; i++) {
		char id[BUILD_ID_TEXT];

		build_id_text(id, &w->profile->objects.data[i].build_id);
		proto_put_number(&w->message, MAPPING_ID, i + 1);
		proto_put_number(&w->message, MAPPING_LIMIT, INT64_MAX);
		proto_put_number(&w->message, MAPPING_FILE, string_of(w, w->s->paths[i]));
		proto_put_number(&w->message, MAPPING_BUILD_ID, string_of(w, id));
		/* Or pprof would look for the files and name functions by itself. */
		proto_put_number(&w->message, MAPPING_FUNCTIONS, 1);
		put_message(w, PROFILE_MAPPING);
	}
}

static bool is_nameless(const struct writer *w, uint32_t function)
{
	return w->profile->functions.data[function].kind == FRAME_UNKNOWN &&
	       !strcmp(profile_function_name(w->profile, function), UNKNOWN_NAME);
}

/* The source line of a sampled address, if it was looked for; the file is noted for its function.
 */
static uint64_t line_number(struct writer *w, uint32_t function, uint32_t leaf)
{
	const struct profile_line *line;
	const char *place, *path, *colon;
	char *clean;

	if (!leaf || leaf > w->profile->lines.len)
		return 0;
	line = &w->profile->lines.data[leaf - 1];
	place = profile_text(w->profile, line->place);
	path = profile_text(w->profile, line->path); /* whole: pprof opens it */
	colon = strrchr(place, ':');
	if (!*path || !colon)
		return 0;
	clean = text_utf8(path);
	w->files[function] = string_of(w, clean);
	free(clean);
	return strtoull(colon + 1, NULL, 10);
}

/* A function without a name is a location without lines: pprof shows its object. */
static void put_lines(struct writer *w, uint32_t list, uint32_t leaf)
{
	const struct list *innermost = &w->lists.data[list];

	if (innermost->outer == NO_LIST && is_nameless(w, innermost->function))
		return;
	for (; list != NO_LIST; list = w->lists.data[list].outer, leaf = 0) {
		uint32_t function = w->lists.data[list].function;

		proto_put_number(&w->inner, LINE_FUNCTION, (uint64_t)function + 1);
		proto_put_number(&w->inner, LINE_NUMBER, line_number(w, function, leaf));
		proto_put_inner(&w->message, LOCATION_LINE, &w->inner);
	}
}

static uint32_t object_of(const struct writer *w, uint32_t list)
{
	while (w->lists.data[list].outer != NO_LIST)
		list = w->lists.data[list].outer;
	return w->profile->functions.data[w->lists.data[list].function].object;
}

static void put_location(struct writer *w, uint64_t id, uint32_t list, uint32_t leaf)
{
	uint32_t object = object_of(w, list);

	proto_put_number(&w->message, LOCATION_ID, id);
	if (leaf) {
		object = w->profile->leaves.data[leaf - 1].object;
		proto_put_number(&w->message, LOCATION_ADDRESS,
				 w->profile->leaves.data[leaf - 1].offset);
	}
	proto_put_number(&w->message, LOCATION_MAPPING, (uint64_t)object + 1);
	put_lines(w, list, leaf);
	put_message(w, PROFILE_LOCATION);
}

static void put_all_locations(struct writer *w)
{
	w->files = mem_alloc((w->profile->functions.len + 1) * sizeof(*w->files));
	for (uint32_t i = 0; i < w->lists.len; i++)
		put_location(w, (uint64_t)i + 1, i, 0);
	for (size_t i = 0; i < w->leaf_lists.len; i++)
		put_location(w, w->lists.len + 1 + i, w->leaf_lists.data[i].stack,
			     w->leaf_lists.data[i].leaf);
}

static void put_functions(struct writer *w)
{
	for (uint32_t i = 0; i < w->profile->functions.len; i++) {
		char *system;

		if (!w->s->names[i])
			continue;
		system = text_utf8(profile_function_name(w->profile, i));
		proto_put_number(&w->message, FUNCTION_ID, (uint64_t)i + 1);
		proto_put_number(&w->message, FUNCTION_NAME, string_of(w, w->s->names[i]));
		proto_put_number(&w->message, FUNCTION_SYSTEM_NAME, string_of(w, system));
		proto_put_number(&w->message, FUNCTION_FILE, w->files[i]);
		put_message(w, PROFILE_FUNCTION);
		free(system);
	}
}

static void put_rest(struct writer *w, const char *title)
{
	struct buf rest = { 0 };
	char *clean = text_utf8(title);

	proto_put_number(&rest, PROFILE_DURATION, w->s->last_time - w->s->first_time);
	proto_put_number(&rest, PROFILE_COMMENT, string_of(w, clean));
	proto_put_number(&rest, PROFILE_DEFAULT_TYPE, w->default_type);
	out_bytes(w->out, buf_text(&rest), rest.len);
	for (size_t i = 0; i < w->strings.strings.len; i++) {
		const char *text = interner_text(&w->strings, (uint32_t)i);

		buf_clear(&rest);
		proto_put_bytes(&rest, PROFILE_STRING, text, strlen(text));
		out_bytes(w->out, rest.data, rest.len);
	}
	buf_free(&rest);
	free(clean);
}

static void release(struct writer *w)
{
	interner_free(&w->strings);
	buf_free(&w->message);
	buf_free(&w->inner);
	buf_free(&w->whole);
	free(w->first_type);
	free(w->pairs);
	free(w->list_of);
	free(w->files);
	idmap_free(&w->list_ids);
	idmap_free(&w->place_ids);
	idmap_free(&w->sample_ids);
	idmap_free(&w->leaf_ids);
	vec_free(&w->lists);
	vec_free(&w->places);
	vec_free(&w->samples);
	vec_free(&w->values);
	vec_free(&w->leaf_lists);
}

int export_pprof(const struct export_source *source, struct outbuf *out, struct err *err)
{
	struct writer w = { .s = source->selection,
			    .profile = source->selection->profile,
			    .out = out };

	(void)err;
	string_of(&w, ""); /* the first string is the empty one */
	put_types(&w);
	collect(&w);
	put_samples(&w);
	put_mappings(&w);
	put_all_locations(&w);
	put_functions(&w);
	put_rest(&w, source->title);
	release(&w);
	return 0;
}
