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

#define MOST_FRAMES (SINK_DEPTH + 1)   /* one more than is kept, so that it counts as cut */
#define MOST_TEXT   ((size_t)64 << 10) /* of a name: it is copied wherever it is used */

/* A table's row takes more memory than the two bytes that it can be written in. */
#define TABLES_FREE  ((size_t)64 << 20)
#define TABLES_TIMES 4 /* as many bytes as the profile has, and TABLES_FREE */

struct location {
	uint64_t mapping, address;
	uint32_t first_line, lines; /* of `lines`: function numbers, the innermost first */
};

struct mapping {
	uint64_t file, build_id; /* strings */
	uint32_t object;	 /* once it was asked for, and one more; 0: not yet */
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
	size_t length;

	if (number >= p->strings.len)
		return mem_strdup("");
	text = &p->strings.data[number];
	length = cursor_left(text) < MOST_TEXT ? cursor_left(text) : MOST_TEXT;
	return mem_strndup((const char *)text->at, length);
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

static size_t size_of_tables(const struct pprof *p)
{
	return p->strings.cap * sizeof(*p->strings.data) + p->types.cap * sizeof(*p->types.data) +
	       p->mapping_facts.cap * sizeof(*p->mapping_facts.data) +
	       p->function_names.cap * sizeof(*p->function_names.data) +
	       p->lines.cap * sizeof(*p->lines.data) +
	       p->locations.cap * sizeof(*p->locations.data);
}

/* The first pass: everything but samples.  -EBADMSG if the bytes are no such message. */
static int read_tables(struct pprof *p, struct cursor c)
{
	size_t most = TABLES_FREE + cursor_left(&c) * TABLES_TIMES;
	struct proto_field field;

	while (proto_next(&c, &field)) {
		if (size_of_tables(p) > most)
			return -EFBIG;
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
	return c.broken || cursor_left(&c) ? -EBADMSG : 0;
}

static uint32_t object_of(struct pprof *p, uint64_t mapping)
{
	uint32_t index = idmap_find(&p->mappings, mapping);
	struct mapping *facts;
	char *path, *id;

	if (index == IDMAP_NONE)
		return import_object(p->job->sink.profile, "");
	facts = &p->mapping_facts.data[index];
	if (facts->object)
		return facts->object - 1;
	path = string_of(p, facts->file);
	id = string_of(p, facts->build_id);
	facts->object = import_object_of(p->job->sink.profile, path, id) + 1;
	free(id);
	free(path);
	return facts->object - 1;
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

/* From the outermost on, so that of a stack that is too deep no more is looked at than is kept:
 * locations may have as many lines as they like, and samples as many locations. */
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
	for (uint32_t i = at->lines; i-- > 0 && sink->chain.len < MOST_FRAMES;)
		*vec_push(&sink->chain) =
			link_of(function_of(p, p->lines.data[at->first_line + i], object),
				i + 1 < at->lines);
	if (!at->lines)
		*vec_push(&sink->chain) = link_of(import_function(sink->profile, "", object),
						  false);
}

/* A value without a type, and locations of frames that would be left out anyway, take no memory. */
static void add_number(struct pprof *p, uint64_t value, bool values)
{
	size_t types = p->types.len ? p->types.len : 1;

	if (values) {
		if (p->values.len < types)
			*vec_push(&p->values) = (int64_t)value;
		return;
	}
	if (p->path.len >= (size_t)2 * MOST_FRAMES) { /* the outermost stand last */
		memmove(p->path.data, p->path.data + MOST_FRAMES,
			MOST_FRAMES * sizeof(*p->path.data));
		p->path.len = MOST_FRAMES;
	}
	*vec_push(&p->path) = value;
}

/* Numbers that may stand one by one or packed. */
static void read_numbers(struct proto_field *field, struct pprof *p, bool values)
{
	if (field->wire != PROTO_BYTES)
		add_number(p, field->value, values);
	else
		while (cursor_left(&field->inside))
			add_number(p, proto_varint(&field->inside), values);
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
	struct profile_quality *quality = &p->job->sink.profile->quality;
	struct import_result *result = p->job->result;
	bool negative = false;

	for (size_t i = 0; i < p->values.len; i++) {
		int64_t value = p->values.data[i];
		uint64_t count = count_of(p, i);
		uint16_t event = value ? event_of(p, i) : 0;

		if (value < 0) {
			negative = true;
			if (event < IMPORT_TYPES)
				result->negative_weight[event] += 0 - (uint64_t)value;
		}
		if (value <= 0)
			continue;
		if (unknown)
			quality->unknown_leaves += count;
		if (p->job->sink.cut)
			quality->cut_stacks += count;
		sink_add(&p->job->sink, &(struct profile_row){ .stack = sample->stack,
							       .thread = sample->thread,
							       .event = event,
							       .weight = (uint64_t)value,
							       .count = count });
	}
	result->negative += negative;
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
	uint32_t leaf;

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
	for (size_t i = p->path.len; i-- > 0 && sink->chain.len < MOST_FRAMES;)
		push_location(p, p->path.data[i]);
	if (!sink->chain.len)
		*vec_push(&sink->chain) = link_of(import_no_stack(sink->profile), false);
	leaf = *vec_last(&sink->chain) >> 1;
	unknown = sink->profile->functions.data[leaf].kind == FRAME_UNKNOWN;
	add_values(p,
		   &(struct profile_row){ .stack = sink_stack(sink, false),
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

static int check_tables(struct pprof *p, const struct buf *bytes, struct err *err)
{
	const char *name = input_name(p->job->input);
	int rc = read_tables(p, cursor_of(bytes->data, bytes->len));

	if (rc == -EFBIG)
		return err_set(err, EFBIG,
			       "%s: the pprof profile's tables take more than %zu MB of memory, %d "
			       "times their size; their rows are empty",
			       name, (TABLES_FREE + bytes->len * TABLES_TIMES) >> 20, TABLES_TIMES);
	return rc ? err_set(err, EBADMSG, "%s: the pprof profile is damaged", name) : 0;
}

int import_pprof(struct import_job *job, struct err *err)
{
	uint64_t most = job->options->most_bytes ? job->options->most_bytes : IMPORT_MOST_BYTES;
	struct profile *profile = job->sink.profile;
	struct pprof p = { .job = job };
	struct buf bytes = { 0 };
	int rc = input_read_all(job->input, &bytes, most, err);

	if (!rc)
		rc = check_tables(&p, &bytes, err);
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
