// SPDX-License-Identifier: Apache-2.0
/*
 * What a recording tells about its events beside their attrs: names, units, groups, from features
 * in a file and from records in a pipe.
 */
#include "base/cursor.h"
#include "base/mem.h"
#include "perfdata/feature.h"
#include "perfdata/impl.h"
#include "perfdata/tracing_walk.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FEATURE_SIMPLEPERF_META 129
#define SPLIT_ROOM		64 /* for the header and the size before the bytes */
#define TRACING_DATA_MAX	((uint64_t)1 << 30)

static void set_name(struct perf_reader *reader, struct perf_attr *attr, const char *name)
{
	if (strcmp(attr->name, name))
		attr->name = arena_strdup(&reader->attrs.arena, name);
}

static void take_groups(struct perf_reader *reader, const struct perf_env *env)
{
	for (uint32_t i = 0; i < env->groups.count; i++) {
		const struct feature_group *group = &env->groups.data[i];

		for (uint64_t at = group->leader;
		     at < (uint64_t)group->leader + group->members && at < reader->attrs.list.len;
		     at++)
			reader->attrs.list.data[at]->leader = group->leader;
	}
}

/*
 * simpleperf keeps pairs of strings instead; "event_type_info" has a line "NAME,TYPE,CONFIG" for
 * each event.  Its names are taken for tracepoints only, for which the attr alone gives none: all
 * others are called as perf calls them.
 */
static void take_simpleperf_event(struct perf_reader *reader, const char *line, size_t length)
{
	char name[256];
	uint64_t config;
	uint32_t type;

	if (length >= sizeof(name))
		return;
	memcpy(name, line, length);
	name[length] = 0;
	line = strchr(name, ',');
	if (!line || sscanf(line, ",%" SCNu32 ",%" SCNu64, &type, &config) != 2)
		return;
	name[line - name] = 0;
	vec_each (at, &reader->attrs.list) {
		const struct perf_event_attr *attr = &(*at)->attr.base;

		if (type == PERF_TYPE_TRACEPOINT && attr->type == type && attr->config == config)
			set_name(reader, *at, name);
	}
}

static const char *next_string(struct cursor *c)
{
	size_t left = cursor_left(c);
	const char *text = (const char *)c->at, *end = left ? memchr(text, 0, left) : NULL;

	return end ? cursor_bytes(c, (size_t)(end - text) + 1) : NULL;
}

static void take_simpleperf_meta(struct perf_reader *reader)
{
	const char *key, *value;
	struct feature_bytes bytes;

	if (!feature_open(&bytes, reader, (enum perf_feature)FEATURE_SIMPLEPERF_META))
		return;
	while ((key = next_string(&bytes.c)) && (value = next_string(&bytes.c))) {
		if (strcmp(key, "event_type_info"))
			continue;
		while (*value) {
			size_t length = strcspn(value, "\n");

			take_simpleperf_event(reader, value, length);
			value += length + !!value[length];
		}
	}
}

/*
 * The same goes for hiperf, which fills in perf's feature but has names of its own
 * ("hw-cpu-cycles").  Features above 127 are not perf's.
 */
static bool is_foreign(const struct perf_reader *reader)
{
	return reader->header.features[2] || reader->header.features[3];
}

static void take_descriptions(struct perf_reader *reader, const struct perf_env *env)
{
	for (uint32_t i = 0; i < env->events.count && i < reader->attrs.list.len; i++) {
		struct perf_attr *attr = reader->attrs.list.data[i];

		if (*env->events.data[i].name &&
		    (attr->attr.base.type == PERF_TYPE_TRACEPOINT || !is_foreign(reader)))
			set_name(reader, attr, env->events.data[i].name);
	}
}

/* The formats name a tracepoint by its id, which is its attr's config. */
static void take_tracepoint(const char *system, const char *format, size_t size, void *user)
{
	struct perf_reader *reader = user;
	char event[128], name[256];
	uint64_t id;

	if (!*system || !tracing_name(format, size, event, sizeof(event), &id))
		return;
	snprintf(name, sizeof(name), "%s:%s", system, event);
	vec_each (at, &reader->attrs.list) {
		const struct perf_event_attr *attr = &(*at)->attr.base;

		if (attr->type == PERF_TYPE_TRACEPOINT && attr->config == id)
			set_name(reader, *at, name);
	}
}

static void take_tracepoints(struct perf_reader *reader)
{
	bool wanted = false;
	struct tracing_head head;
	const void *bytes;
	size_t size;

	/* The data may be large: it is looked at only where a tracepoint is in need of a name. */
	vec_each (at, &reader->attrs.list)
		wanted |= !strcmp((*at)->name, NAMELESS_TRACEPOINT);
	if (wanted && perf_reader_feature(reader, FEATURE_TRACING_DATA, &bytes, &size))
		tracing_walk(bytes, size, &head, take_tracepoint, reader);
}

void names_from_features(struct perf_reader *reader)
{
	struct perf_env env = { 0 };

	take_simpleperf_meta(reader);
	feature_load_events(&env, reader);
	take_descriptions(reader, &env);
	take_tracepoints(reader);
	feature_load_groups(&env, reader);
	take_groups(reader, &env);
	perf_env_free(&env);
}

static void take_attr(struct perf_reader *reader, struct cursor *body)
{
	struct event_attr attr = { 0 };
	uint64_t *ids;
	uint32_t size;

	/* In this machine's order already: only its length is to be found out. */
	memcpy(&attr, body->at,
	       cursor_left(body) < sizeof(attr) ? cursor_left(body) : sizeof(attr));
	size = attr.base.size >= PERF_ATTR_SIZE_VER0 ? attr.base.size : PERF_ATTR_SIZE_VER0;
	if (size < sizeof(attr))
		memset((char *)&attr + size, 0, sizeof(attr) - size);
	if (!cursor_bytes(body, size))
		return;
	size = (uint32_t)(cursor_left(body) / sizeof(*ids));
	ids = mem_alloc(cursor_left(body) + 1);
	memcpy(ids, body->at, size * sizeof(*ids));
	attr_table_add(&reader->attrs, &attr, ids, size);
	free(ids);
}

static void take_update(struct perf_reader *reader, struct cursor *body)
{
	uint64_t kind = cursor_u64(body);
	struct id_slot *slot = attr_table_find(&reader->attrs, cursor_u64(body));
	const char *text;

	if (!slot)
		return;
	if (kind == EVENT_UPDATE_SCALE) {
		double scale;

		cursor_read(body, &scale, sizeof(scale));
		slot->attr->scale = body->broken ? 1 : scale;
		return;
	}
	if (kind != EVENT_UPDATE_NAME && kind != EVENT_UPDATE_UNIT)
		return;
	text = next_string(body);
	if (text && kind == EVENT_UPDATE_NAME)
		set_name(reader, slot->attr, text);
	else if (text)
		slot->attr->unit = arena_strdup(&reader->attrs.arena, text);
}

static void keep_feature(struct perf_reader *reader, uint64_t feature, void *data, size_t size)
{
	struct feature_slot *slot = &reader->features[feature];

	free(slot->data);
	*slot = (struct feature_slot){ .present = true, .data = data, .size = size };
	reader->header.features[feature / 64] |= 1ull << (feature % 64);
}

static void take_feature(struct perf_reader *reader, struct cursor *body)
{
	uint64_t feature = cursor_u64(body);
	size_t size = cursor_left(body);
	char *copy;

	if (feature >= ARRAY_SIZE(reader->features) || body->broken)
		return;
	copy = mem_alloc(size + 1);
	memcpy(copy, body->at, size);
	keep_feature(reader, feature, copy, size);
	if (feature == FEATURE_EVENT_DESC || feature == FEATURE_GROUP_DESC)
		names_from_features(reader);
}

static void take_tracing_inside(struct perf_reader *reader, struct cursor *body)
{
	uint32_t size = cursor_u32(body);
	const void *bytes = cursor_bytes(body, size);
	char *copy;

	if (!bytes)
		return;
	copy = mem_alloc((size_t)size + 1);
	memcpy(copy, bytes, size);
	keep_feature(reader, FEATURE_TRACING_DATA, copy, size);
	take_tracepoints(reader);
}

/* Read ahead: it is wanted with the first sample, and a stream brings it only once. */
static void take_tracing(struct perf_reader *reader, const struct record *rec, struct cursor *body)
{
	uint64_t size;
	char *copy;
	int64_t got;

	if (!rec->extra_size) { /* simpleperf has the bytes in the record itself */
		take_tracing_inside(reader, body);
		return;
	}
	size = cursor_u32(body);
	if (rec->extra_size > TRACING_DATA_MAX)
		return;
	copy = mem_alloc(size + 1);
	got = perf_reader_extra(reader, rec, 0, copy, size);
	keep_feature(reader, FEATURE_TRACING_DATA, copy, got < 0 ? 0 : (size_t)got);
	take_tracepoints(reader);
}

static void take_split(struct perf_reader *reader, const struct cursor *body)
{
	/* What is larger than any that is wanted is no record of ours. */
	if (reader->split.len + cursor_left(body) <= TRACING_DATA_MAX + SPLIT_ROOM)
		buf_add(&reader->split, body->at, cursor_left(body));
}

static void take_split_end(struct perf_reader *reader)
{
	struct cursor whole = cursor_of(reader->split.data, reader->split.len);
	uint32_t type = cursor_u32(&whole);

	cursor_u32(&whole); /* the size in two halves: the parts have told it */
	if (type == SIMPLEPERF_RECORD_TRACING_DATA && !reader->swapped)
		take_tracing_inside(reader, &whole);
	buf_free(&reader->split);
}

/* simpleperf gives ids to events by pairs (event, id). */
static void take_event_ids(struct perf_reader *reader, struct cursor *body)
{
	uint64_t count = cursor_u64(body);

	for (; count && cursor_left(body) >= 2 * sizeof(uint64_t); count--) {
		uint64_t event = cursor_u64(body), id = cursor_u64(body);

		if (event < reader->attrs.list.len)
			attr_table_add_id(&reader->attrs, reader->attrs.list.data[event], id);
	}
}

void names_take_record(struct perf_reader *reader, const struct record *rec)
{
	struct cursor body = cursor_of(rec->header + 1, rec->header->size - sizeof(*rec->header));

	switch (rec->header->type) {
	case USER_RECORD_ATTR: take_attr(reader, &body); break;
	case USER_RECORD_EVENT_UPDATE: take_update(reader, &body); break;
	case USER_RECORD_FEATURE: take_feature(reader, &body); break;
	case USER_RECORD_TRACING_DATA:
	case SIMPLEPERF_RECORD_TRACING_DATA: take_tracing(reader, rec, &body); break;
	case SIMPLEPERF_RECORD_SPLIT: take_split(reader, &body); break;
	case SIMPLEPERF_RECORD_SPLIT_END: take_split_end(reader); break;
	case SIMPLEPERF_RECORD_EVENT_ID: take_event_ids(reader, &body); break;
	default: break;
	}
}
