// SPDX-License-Identifier: Apache-2.0
/*
 * pprof's profiles (profile.proto): tables of strings, mappings, functions and locations that
 * samples refer to by number.  All of it is in memory while it is read: the tables may come behind
 * what refers to them.  Every value type of a sample is an event of its own.
 */
#include "base/err.h"
#include "base/idmap.h"
#include "import/parts.h"
#include "import/profileproto.h"
#include "import/proto.h"

#include <errno.h>

struct location {
	uint64_t mapping, address;
	uint32_t first_line, lines; /* of `lines`: function numbers, the innermost first */
};

struct mapping {
	uint64_t file, build_id; /* strings */
};

struct type {
	uint64_t name, unit;
	uint16_t event;
	bool is_count;
};

struct pprof {
	struct import_job *job;
	VEC(struct cursor) strings;
	VEC(struct type) types;
	uint64_t default_type; /* string: "" for none */
	VEC(struct mapping) mapping_facts;
	VEC(uint64_t) function_names, lines;
	VEC(struct location) locations;
	struct idmap mappings, functions, location_ids;
	struct idmap links; /* function number and object, to a link without `inlined` */
	VEC(uint64_t) path;
	VEC(int64_t) values;
	uint32_t thread;
};

/* A string of the table; "" where there is none.  Free it. */
static char *string_of(const struct pprof *p, uint64_t number)
{
	const struct cursor *text;

	if (number >= p->strings.len)
		return mem_strdup("");
	text = &p->strings.data[number];
	return mem_strndup((const char *)text->at, cursor_left(text));
}

static void remember(struct idmap *map, uint64_t id, size_t index)
{
	if (id != UINT64_MAX && index < IDMAP_NONE)
		idmap_add(map, id, (uint32_t)index);
}

static void read_type(struct pprof *p, struct cursor c)
{
	struct type *type = vec_push(&p->types);
	struct proto_field field;

	while (proto_next(&c, &field)) {
		if (field.number == TYPE_NAME)
			type->name = field.value;
		else if (field.number == TYPE_UNIT)
			type->unit = field.value;
	}
}

static void read_mapping(struct pprof *p, struct cursor c)
{
	struct mapping facts = { 0 };
	struct proto_field field;
	uint64_t id = 0;

	while (proto_next(&c, &field)) {
		if (field.number == MAPPING_ID)
			id = field.value;
		else if (field.number == MAPPING_FILE)
			facts.file = field.value;
		else if (field.number == MAPPING_BUILD_ID)
			facts.build_id = field.value;
	}
	remember(&p->mappings, id, p->mapping_facts.len);
	*vec_push(&p->mapping_facts) = facts;
}

static void read_function(struct pprof *p, struct cursor c)
{
	uint64_t id = 0, name = 0, system = 0;
	struct proto_field field;

	while (proto_next(&c, &field)) {
		if (field.number == FUNCTION_ID)
			id = field.value;
		else if (field.number == FUNCTION_NAME)
			name = field.value;
		else if (field.number == FUNCTION_SYSTEM_NAME)
			system = field.value;
	}
	remember(&p->functions, id, p->function_names.len);
	*vec_push(&p->function_names) = name ? name : system;
}

static uint64_t read_line(struct cursor c)
{
	struct proto_field field;
	uint64_t function = 0;

	while (proto_next(&c, &field))
		if (field.number == LINE_FUNCTION)
			function = field.value;
	return function;
}

static void read_location(struct pprof *p, struct cursor c)
{
	struct location location = { .first_line = (uint32_t)p->lines.len };
	struct proto_field field;
	uint64_t id = 0;

	while (proto_next(&c, &field)) {
		switch (field.number) {
		case LOCATION_ID: id = field.value; break;
		case LOCATION_MAPPING: location.mapping = field.value; break;
		case LOCATION_ADDRESS: location.address = field.value; break;
		case LOCATION_LINE: *vec_push(&p->lines) = read_line(field.inside); break;
		default: break;
		}
	}
	location.lines = (uint32_t)p->lines.len - location.first_line;
	remember(&p->location_ids, id, p->locations.len);
	*vec_push(&p->locations) = location;
}

/* The first pass: everything but samples.  False if the bytes are no such message. */
static bool read_tables(struct pprof *p, struct cursor c)
{
	struct proto_field field;

	while (proto_next(&c, &field)) {
		if (field.wire == PROTO_VARINT && field.number == PROFILE_DEFAULT_TYPE)
			p->default_type = field.value;
		if (field.wire != PROTO_BYTES)
			continue;
		switch (field.number) {
		case PROFILE_TYPE: read_type(p, field.inside); break;
		case PROFILE_MAPPING: read_mapping(p, field.inside); break;
		case PROFILE_LOCATION: read_location(p, field.inside); break;
		case PROFILE_FUNCTION: read_function(p, field.inside); break;
		case PROFILE_STRING: *vec_push(&p->strings) = field.inside; break;
		default: break;
		}
	}
	return !c.broken && !cursor_left(&c);
}

static uint32_t object_of(struct pprof *p, uint64_t mapping)
{
	uint32_t index = idmap_find(&p->mappings, mapping);
	char *path, *id;
	uint32_t object;

	if (index == IDMAP_NONE)
		return import_object(p->job->sink.profile, "");
	path = string_of(p, p->mapping_facts.data[index].file);
	id = string_of(p, p->mapping_facts.data[index].build_id);
	object = import_object_of(p->job->sink.profile, path, id);
	free(id);
	free(path);
	return object;
}

static uint32_t function_of(struct pprof *p, uint64_t number, uint32_t object)
{
	uint32_t index = idmap_find(&p->functions, number);
	uint64_t key = (uint64_t)index << 32 | object;
	uint32_t function = idmap_find(&p->links, key);
	char *name;

	if (index == IDMAP_NONE)
		return import_function(p->job->sink.profile, "", object);
	if (function != IDMAP_NONE)
		return function;
	name = string_of(p, p->function_names.data[index]);
	function = import_function(p->job->sink.profile, name, object);
	free(name);
	return idmap_add(&p->links, key, function);
}

static void push_location(struct pprof *p, uint64_t id)
{
	uint32_t index = id == UINT64_MAX ? IDMAP_NONE : idmap_find(&p->location_ids, id);
	struct sink *sink = &p->job->sink;
	const struct location *at;
	uint32_t object;

	if (index == IDMAP_NONE) {
		*vec_push(&sink->chain) = link_of(
			import_function(sink->profile, "", import_object(sink->profile, "")),
			false);
		return;
	}
	at = &p->locations.data[index];
	object = object_of(p, at->mapping);
	for (uint32_t i = 0; i < at->lines; i++)
		*vec_push(&sink->chain) =
			link_of(function_of(p, p->lines.data[at->first_line + i], object),
				i + 1 < at->lines);
	if (!at->lines)
		*vec_push(&sink->chain) = link_of(import_function(sink->profile, "", object),
						  false);
}

/* Numbers that may stand one by one or packed. */
static void read_numbers(struct proto_field *field, struct pprof *p, bool values)
{
	if (field->wire != PROTO_BYTES) {
		if (values)
			*vec_push(&p->values) = (int64_t)field->value;
		else
			*vec_push(&p->path) = field->value;
		return;
	}
	while (cursor_left(&field->inside)) {
		uint64_t value = proto_varint(&field->inside);

		if (values)
			*vec_push(&p->values) = (int64_t)value;
		else
			*vec_push(&p->path) = value;
	}
}

static uint16_t event_of(struct pprof *p, size_t type)
{
	return type < p->types.len ? p->types.data[type].event
				   : sink_event(&p->job->sink, "samples", "count");
}

/* How many samples a value stands for: itself if it counts, else the count that comes before it. */
static uint64_t count_of(const struct pprof *p, size_t type)
{
	for (size_t i = type + 1; i-- > 0;)
		if (i < p->types.len && p->types.data[i].is_count && p->values.data[i] > 0)
			return (uint64_t)p->values.data[i];
	return 1;
}

static void add_values(struct pprof *p, const struct profile_row *sample, bool unknown)
{
	struct import_result *result = p->job->result;

	for (size_t i = 0; i < p->values.len; i++) {
		int64_t value = p->values.data[i];
		uint64_t count = count_of(p, i);

		if (value < 0)
			import_broken(result, "(a value below zero)",
				      strchr("(a value below zero)", '\0'));
		if (value <= 0)
			continue;
		if (unknown)
			p->job->sink.profile->quality.unknown_leaves += count;
		sink_add(&p->job->sink, &(struct profile_row){ .stack = sample->stack,
							       .thread = sample->thread,
							       .event = event_of(p, i),
							       .weight = (uint64_t)value,
							       .count = count });
	}
}

/* What the labels of a sample tell of its thread. */
struct labels {
	uint64_t comm, thread; /* strings; 0: none */
	int64_t pid, tid;
	bool has_pid, has_tid;
};

static bool is_word(const struct pprof *p, uint64_t string, const char *one, const char *other)
{
	const struct cursor *text = string < p->strings.len ? &p->strings.data[string] : NULL;
	size_t length = text ? cursor_left(text) : 0;

	return text && ((length == strlen(one) && !memcmp(text->at, one, length)) ||
			(length == strlen(other) && !memcmp(text->at, other, length)));
}

static void read_label(struct pprof *p, struct cursor c, struct labels *labels)
{
	uint64_t key = 0, text = 0, number = 0;
	struct proto_field field;

	while (proto_next(&c, &field)) {
		if (field.number == LABEL_KEY)
			key = field.value;
		else if (field.number == LABEL_TEXT)
			text = field.value;
		else if (field.number == LABEL_NUMBER)
			number = field.value;
	}
	if (is_word(p, key, "comm", "command")) {
		labels->comm = text;
	} else if (is_word(p, key, "thread", "thread_comm")) {
		labels->thread = text;
	} else if (is_word(p, key, "pid", "process_id") && !text) {
		labels->pid = (int64_t)number;
		labels->has_pid = true;
	} else if (is_word(p, key, "tid", "thread_id") && !text) {
		labels->tid = (int64_t)number;
		labels->has_tid = true;
	}
}

static uint32_t thread_of(struct pprof *p, const struct labels *labels)
{
	struct profile *profile = p->job->sink.profile;
	struct profile_thread thread = { (uint32_t)labels->pid, (uint32_t)labels->tid,
					 labels->has_pid ? 0 : GENERATION_UNKNOWN, 0 };
	char *comm;

	if (!labels->comm && !labels->thread && !labels->has_pid && !labels->has_tid)
		return p->thread;
	comm = string_of(p, labels->thread ? labels->thread : labels->comm);
	thread.comm = interner_add(&profile->strings, comm);
	free(comm);
	if (!labels->has_pid)
		thread.pid = thread.tid;
	return profile_thread(profile, &thread);
}

static void read_sample(struct pprof *p, struct cursor c)
{
	struct sink *sink = &p->job->sink;
	struct labels labels = { 0 };
	struct proto_field field;
	bool unknown = false;

	p->path.len = p->values.len = 0;
	while (proto_next(&c, &field)) {
		if (field.number == SAMPLE_LOCATION)
			read_numbers(&field, p, false);
		else if (field.number == SAMPLE_VALUE)
			read_numbers(&field, p, true);
		else if (field.number == SAMPLE_LABEL && field.wire == PROTO_BYTES)
			read_label(p, field.inside, &labels);
	}
	p->job->result->lines++;
	if (c.broken) {
		import_broken(p->job->result, "(a damaged sample)",
			      strchr("(a damaged sample)", '\0'));
		return;
	}
	vec_each (id, &p->path)
		push_location(p, *id);
	if (!sink->chain.len)
		*vec_push(&sink->chain) = link_of(import_no_stack(sink->profile), false);
	unknown = sink->profile->functions.data[sink->chain.data[0] >> 1].kind == FRAME_UNKNOWN;
	add_values(p,
		   &(struct profile_row){ .stack = sink_stack(sink, true),
					  .thread = thread_of(p, &labels) },
		   unknown);
}

static size_t default_type(const struct pprof *p)
{
	char *wanted = string_of(p, p->default_type);
	size_t found = p->types.len - 1;

	for (size_t i = 0; *wanted && i < p->types.len; i++) {
		char *name = string_of(p, p->types.data[i].name);
		bool same = !strcmp(name, wanted);

		free(name);
		if (same) {
			found = i;
			break;
		}
	}
	free(wanted);
	return found;
}

static void make_event(struct pprof *p, struct type *type)
{
	char *name = string_of(p, type->name), *unit = string_of(p, type->unit);

	type->event = sink_event(&p->job->sink, *name ? name : "samples", unit);
	free(name);
	free(unit);
}

/* What count_of() gives for a type. */
static void name_counts(struct pprof *p)
{
	struct profile *profile = p->job->sink.profile;
	const char *noun = "stacks"; /* each of them once */
	char *name = NULL;

	vec_each (type, &p->types) {
		if (type->is_count) {
			free(name);
			name = string_of(p, type->name);
			noun = import_noun(name);
		}
		profile->events.data[type->event].noun = interner_add(&profile->strings, noun);
	}
	free(name);
}

static void make_events(struct pprof *p)
{
	bool told = false; /* the type before says how many samples it were */

	/* As pprof does, open on the type that the profile names, else on the last: the events are
	 * in the order that they are made in. */
	if (p->types.len)
		make_event(p, &p->types.data[default_type(p)]);
	vec_each (type, &p->types) {
		char *name = string_of(p, type->name), *unit = string_of(p, type->unit);

		type->is_count = !strcmp(unit, "count") && !told;
		told = type->is_count && !*import_noun(name);
		make_event(p, type);
		free(name);
		free(unit);
	}
	name_counts(p);
}

static void read_samples(struct pprof *p, struct cursor c)
{
	struct proto_field field;

	while (proto_next(&c, &field))
		if (field.number == PROFILE_SAMPLE && field.wire == PROTO_BYTES)
			read_sample(p, field.inside);
}

static void release(struct pprof *p)
{
	vec_free(&p->strings);
	vec_free(&p->types);
	vec_free(&p->mapping_facts);
	vec_free(&p->function_names);
	vec_free(&p->lines);
	vec_free(&p->locations);
	idmap_free(&p->mappings);
	idmap_free(&p->functions);
	idmap_free(&p->location_ids);
	idmap_free(&p->links);
	vec_free(&p->path);
	vec_free(&p->values);
}

int import_pprof(struct import_job *job, struct err *err)
{
	uint64_t most = job->options->most_bytes ? job->options->most_bytes : IMPORT_MOST_BYTES;
	struct profile *profile = job->sink.profile;
	struct pprof p = { .job = job };
	struct buf bytes = { 0 };
	int rc = input_read_all(job->input, &bytes, most, err);

	if (!rc && !read_tables(&p, cursor_of(bytes.data, bytes.len)))
		rc = err_set(err, EBADMSG, "%s: the pprof profile is damaged",
			     input_name(job->input));
	if (!rc) {
		struct profile_thread thread = { .generation = GENERATION_UNKNOWN,
						 .comm = interner_add(&profile->strings, "") };

		p.thread = profile_thread(profile, &thread);
		make_events(&p);
		read_samples(&p, cursor_of(bytes.data, bytes.len));
	}
	release(&p);
	buf_free(&bytes);
	return rc;
}

bool pprof_looks_so(const char *bytes, size_t size, bool all)
{
	/* Which wire type each field of a profile has. */
	static const uint8_t wires[] = { 9,
					 PROTO_BYTES,
					 PROTO_BYTES,
					 PROTO_BYTES,
					 PROTO_BYTES,
					 PROTO_BYTES,
					 PROTO_BYTES,
					 PROTO_VARINT,
					 PROTO_VARINT,
					 PROTO_VARINT,
					 PROTO_VARINT,
					 PROTO_BYTES,
					 PROTO_VARINT,
					 9,
					 PROTO_VARINT,
					 PROTO_VARINT };
	struct cursor c = cursor_of(bytes, size);
	struct proto_field field = { 0 };
	size_t fields = 0;

	while (proto_next(&c, &field)) {
		if (field.number >= ARRAY_SIZE(wires) ||
		    (field.number != 13 && field.wire != wires[field.number]))
			return false;
		fields++;
	}
	if (all)
		return fields && !c.broken && !cursor_left(&c);
	/* The last field may be cut by the end of what we look at. */
	return fields > 2 && (c.broken || !cursor_left(&c)) && field.number &&
	       (field.wire <= PROTO_BYTES || field.wire == PROTO_32);
}
