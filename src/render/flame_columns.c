// SPDX-License-Identifier: Apache-2.0
#include "render/flame_columns.h"
#include "base/base64.h"
#include "base/buf.h"
#include "base/json.h"
#include "base/outbuf.h"
#include "profile/places.h"
#include "render/flame_layout.h"

/* Texts that are numbered as they are met; 0 is "". */
struct numbered {
	struct map known;
	VEC(const char *) texts;
};

struct columns {
	const struct flame_graph *graph;
	struct outbuf *out;
	uint32_t *function_of; /* by name of the tree: its number, NO_NODE if it has none yet */
	VEC(const char *) functions;
	struct idmap faces;
	uint32_t not_shown;   /* the face of what was left out; NO_NODE: none yet */
	uint32_t *hot_places; /* by function of the profile; NULL: not known */
	struct numbered objects, places;
	VEC(uint32_t) object_colors;
	/* Of functions, of faces, of frames. */
	struct buf object, shade, place, fixed;
	struct buf of, kind;
	struct buf drop, face, self, samples;
};

/* Most of what is written, so nothing is called for a byte. */
static void put_number(struct buf *into, uint64_t value)
{
	vec_reserve(into, into->len + 11);
	for (; value >= 0x80; value >>= 7)
		into->data[into->len++] = (char)(value | 0x80);
	into->data[into->len++] = (char)value;
	into->data[into->len] = 0;
}

static uint32_t number_of(struct numbered *numbered, const char *text)
{
	uint32_t next = (uint32_t)numbered->texts.len;
	uint32_t at = map_add(&numbered->known, text, strlen(text), next);

	if (at == next)
		*vec_push(&numbered->texts) = text;
	return at;
}

static const char *place_of(const struct columns *c, const struct flame_node *node)
{
	uint32_t place = !c->hot_places || node->function == NO_FUNCTION
				 ? NO_PLACE
				 : c->hot_places[node->function];

	return place == NO_PLACE ? "" : profile_text(c->graph->tree->profile, place);
}

static uint32_t object_of(struct columns *c, uint32_t node)
{
	const struct flametree *tree = c->graph->tree;
	uint32_t object = number_of(&c->objects, flame_object_path(tree, node));

	if (object == c->object_colors.len)
		*vec_push(&c->object_colors) = flame_object_color(flame_object(tree, node));
	return object;
}

static uint32_t function_of(struct columns *c, uint32_t node)
{
	const struct flametree *tree = c->graph->tree;
	const struct flame_node *facts = &tree->nodes.data[node];
	const char *name = flame_name(tree, node);
	uint32_t *known = &c->function_of[facts->name], color;

	if (*known != NO_NODE)
		return *known;
	*known = (uint32_t)c->functions.len;
	*vec_push(&c->functions) = name;
	put_number(&c->object, object_of(c, node));
	put_number(&c->shade, flame_shade(name));
	put_number(&c->place, number_of(&c->places, place_of(c, facts)));
	if (c->graph->fixed) {
		color = facts->kind == FLAME_GROUP
				? flame_kind_color(FLAME_GROUP)
				: flame_colors_get(c->graph->fixed, name,
						   flame_color(tree, node, c->graph->palette));
		put_number(&c->fixed, color);
	}
	return *known;
}

static uint32_t face_of(struct columns *c, uint32_t node)
{
	uint8_t kind = c->graph->tree->nodes.data[node].kind;
	uint32_t function = function_of(c, node), next = (uint32_t)c->faces.len;
	uint32_t face = idmap_add(&c->faces, (uint64_t)function * FLAME_KINDS + kind, next);

	if (face == next) {
		put_number(&c->of, function);
		put_number(&c->kind, kind);
	}
	return face;
}

static void put_frame(struct columns *c, uint32_t node, uint64_t drop)
{
	const struct flame_node *facts = &c->graph->tree->nodes.data[node];

	put_number(&c->drop, drop);
	put_number(&c->face, face_of(c, node));
	put_number(&c->self, flame_value(&facts->self, c->graph->weight));
	put_number(&c->samples, facts->self.samples);
}

/* What was left out of a node's children. */
static struct weight_pair left_out(const struct flametree *tree, uint32_t node)
{
	const struct flame_node *nodes = tree->nodes.data;
	struct weight_pair rest = { nodes[node].total.samples - nodes[node].self.samples,
				    nodes[node].total.weight - nodes[node].self.weight };

	for (uint32_t i = nodes[node].first_child; i != NO_NODE; i = nodes[i].next_sibling) {
		rest.samples -= nodes[i].total.samples;
		rest.weight -= nodes[i].total.weight;
	}
	return rest;
}

static uint32_t not_shown_face(struct columns *c)
{
	if (c->not_shown == NO_NODE) {
		uint32_t next = (uint32_t)c->faces.len, function = (uint32_t)c->functions.len;

		*vec_push(&c->functions) = FLAME_NOT_SHOWN;
		put_number(&c->object, number_of(&c->objects, ""));
		if (c->objects.texts.len > c->object_colors.len)
			*vec_push(&c->object_colors) = flame_kind_color(FLAME_UNKNOWN);
		put_number(&c->shade, 0);
		put_number(&c->place, 0);
		if (c->graph->fixed)
			put_number(&c->fixed, flame_kind_color(FLAME_UNKNOWN));
		put_number(&c->of, function);
		put_number(&c->kind, FLAME_UNKNOWN);
		c->not_shown = idmap_add(&c->faces,
					 (uint64_t)function * FLAME_KINDS + FLAME_UNKNOWN, next);
	}
	return c->not_shown;
}

/* How many frames it took: one, or none where nothing is left out. */
static uint64_t put_left_out(struct columns *c, uint32_t node)
{
	struct weight_pair rest = left_out(c->graph->tree, node);

	if (!c->graph->tree->hidden || !rest.samples)
		return 0;
	put_number(&c->drop, 0);
	put_number(&c->face, not_shown_face(c));
	put_number(&c->self, flame_value(&rest, c->graph->weight));
	put_number(&c->samples, rest.samples);
	return 1;
}

static void walk(struct columns *c)
{
	const struct flame_node *nodes = c->graph->tree->nodes.data;
	uint64_t drop = 0, more;
	uint32_t node = 0;

	for (;;) {
		put_frame(c, node, drop);
		more = put_left_out(c, node);
		drop = more;
		if (nodes[node].first_child != NO_NODE) {
			node = nodes[node].first_child;
			continue;
		}
		for (drop = 1 + more; node && nodes[node].next_sibling == NO_NODE; drop++)
			node = nodes[node].parent;
		if (!node)
			return;
		node = nodes[node].next_sibling;
	}
}

/* Whether JSON has it as it is. */
static bool is_plain(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < 0x20 || (unsigned char)*text >= 0x7f || *text == '"' ||
		    *text == '\\' || *text == '<')
			return false;
	return true;
}

void flame_script_text(struct outbuf *out, const char *text)
{
	struct buf quoted = { 0 };
	const char *at;
	size_t length;

	if (is_plain(text)) {
		out_char(out, '"');
		out_text(out, text);
		out_char(out, '"');
		return;
	}
	json_quote_into(&quoted, text);
	for (at = quoted.data; (length = strcspn(at, "<")), at[length]; at += length + 1) {
		out_bytes(out, at, length);
		out_text(out, "\\u003c");
	}
	out_text(out, at);
	buf_free(&quoted);
}

static void put_member(struct columns *c, const char *key, const char *text)
{
	out_printf(c->out, "\"%s\":", key);
	flame_script_text(c->out, text ? text : "");
	out_char(c->out, ',');
}

static void put_texts(struct columns *c, const char *key, const char *const *texts, size_t count)
{
	out_printf(c->out, "\"%s\":[", key);
	for (size_t i = 0; i < count; i++) {
		if (i)
			out_char(c->out, ',');
		flame_script_text(c->out, texts[i]);
	}
	out_text(c->out, "],\n");
}

static void put_object_colors(struct columns *c)
{
	out_text(c->out, "\"object_colors\":[");
	for (size_t i = 0; i < c->object_colors.len; i++) {
		if (i)
			out_char(c->out, ',');
		out_u64(c->out, c->object_colors.data[i], 0);
	}
	out_text(c->out, "],\n");
}

static void put_columns(struct columns *c)
{
	const char *noun = profile_noun(c->graph->tree->profile, c->graph->event);
	bool counts_samples = !strcmp(c->graph->unit, noun);
	const struct {
		const char *key;
		const struct buf *bytes;
	} all[] = {
		{ "object", &c->object },
		{ "shade", &c->shade },
		{ "place", &c->place },
		{ "fixed", c->graph->fixed ? &c->fixed : NULL },
		{ "of", &c->of },
		{ "kind", &c->kind },
		{ "drop", &c->drop },
		{ "face", &c->face },
		{ "samples", counts_samples ? NULL : &c->samples },
		{ "self", &c->self },
	};

	out_text(c->out, "\"columns\":{");
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		if (!all[i].bytes)
			continue;
		out_printf(c->out, "%s\"%s\":\"", i ? ",\n" : "", all[i].key);
		base64_write(c->out, all[i].bytes->data, all[i].bytes->len);
		out_char(c->out, '"');
	}
	out_text(c->out, "}}");
}

static void free_columns(struct columns *c)
{
	struct buf *const bytes[] = { &c->object, &c->shade, &c->place, &c->fixed, &c->of,
				      &c->kind,	  &c->drop,  &c->face,	&c->self,  &c->samples };

	for (size_t i = 0; i < ARRAY_SIZE(bytes); i++)
		buf_free(bytes[i]);
	map_free(&c->objects.known);
	map_free(&c->places.known);
	vec_free(&c->objects.texts);
	vec_free(&c->object_colors);
	vec_free(&c->places.texts);
	vec_free(&c->functions);
	idmap_free(&c->faces);
	free(c->function_of);
	free(c->hot_places);
}

void flame_columns_write(const struct flame_graph *graph, struct outbuf *out)
{
	const struct flametree *tree = graph->tree;
	const struct profile *profile = tree->profile;
	struct columns c = { .graph = graph, .out = out, .not_shown = NO_NODE };
	size_t names = tree->names.len;

	c.function_of = mem_resize(NULL, names + 1, sizeof(*c.function_of));
	memset(c.function_of, 0xff, (names + 1) * sizeof(*c.function_of));
	c.hot_places = profile_hot_places(profile, graph->event);
	number_of(&c.places, "");
	walk(&c);
	out_char(out, '{');
	out_text(out, graph->members ? graph->members : "");
	put_member(&c, "event", profile_text(profile, profile->events.data[graph->event].name));
	put_member(&c, "unit", graph->unit);
	if (profile->events.data[graph->event].noun)
		put_member(&c, "noun", profile_noun(profile, graph->event));
	put_member(&c, "subtitle", graph->subtitle);
	put_member(&c, "footer", graph->footer);
	put_member(&c, "empty", graph->empty);
	put_texts(&c, "functions", c.functions.data, c.functions.len);
	put_texts(&c, "objects", c.objects.texts.data, c.objects.texts.len);
	put_texts(&c, "places", c.places.texts.data, c.places.texts.len);
	put_object_colors(&c);
	put_columns(&c);
	free_columns(&c);
}
