// SPDX-License-Identifier: Apache-2.0
/* What can be measured: the catalogue, most used first, and whether an expression can be. */
#include "base/err.h"
#include "base/json.h"
#include "base/jsonread.h"
#include "server/answer.h"
#include "server/resource.h"

#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#define USES_MOST 50

struct wish {
	const char *search, *group;
	uint64_t session, limit;
};

static int read_wish(const struct request *request, struct wish *wish, struct err *err)
{
	int rc = request_u64(request, "session", 0, &wish->session, err);

	if (!rc)
		rc = request_u64(request, "limit", 200, &wish->limit, err);
	if (!rc && (wish->session > INT64_MAX || wish->limit > 100000))
		rc = err_set(err, EINVAL, "session or limit: too large");
	wish->search = request_text(request, "search", "");
	wish->group = request_text(request, "group", "");
	return rc;
}

static bool is_of_group(struct json_object *event, const char *group)
{
	return !*group || !strcmp(jsonread_text(event, "kind", ""), group) ||
	       !strcmp(jsonread_text(event, "group", ""), group);
}

static bool is_wanted(struct json_object *event, const struct wish *wish)
{
	/* Not why it can't be measured, which may be said of all of them. */
	static const char *const members[] = { "name",	      "alias",	"family",
					       "description", "detail", NULL };

	return is_of_group(event, wish->group) && answer_has_words(event, members, wish->search);
}

static bool is_named(struct json_object *event, const char *name)
{
	return !strcmp(jsonread_text(event, "name", ""), name) ||
	       !strcmp(jsonread_text(event, "alias", ""), name);
}

static bool is_used(struct json_object *event, const struct event_uses *uses)
{
	vec_each (use, uses)
		if (is_named(event, use->event))
			return true;
	return false;
}

struct output {
	struct json *json;
	const struct wish *wish;
	uint64_t total;
};

static void put(struct output *output, struct json_object *event)
{
	if (is_wanted(event, output->wish) && output->total++ < output->wish->limit)
		json_raw(output->json, NULL,
			 json_object_to_json_string_ext(event, JSON_C_TO_STRING_PLAIN));
}

/* Those that were used in their order, then all others in the catalogue's. */
static void write_events(struct json *json, struct json_object *list, const struct wish *wish,
			 const struct event_uses *uses)
{
	struct output output = { json, wish, 0 };
	size_t count = list ? json_object_array_length(list) : 0;

	json_open(json, "items", '[');
	vec_each (use, uses)
		for (size_t i = 0; i < count; i++)
			if (is_named(json_object_array_get_idx(list, i), use->event))
				put(&output, json_object_array_get_idx(list, i));
	for (size_t i = 0; i < count; i++)
		if (!is_used(json_object_array_get_idx(list, i), uses))
			put(&output, json_object_array_get_idx(list, i));
	json_close(json);
	json_u64(json, "total", output.total);
}

static void write_uses(struct json *json, const struct event_uses *uses)
{
	json_open(json, "most_used", '[');
	vec_each (use, uses) {
		json_open(json, NULL, '{');
		json_text(json, "event", use->event);
		json_int(json, "in_session", use->in_session);
		json_int(json, "overall", use->overall);
		json_close(json);
	}
	json_close(json);
}

static void reply_events(struct request *request, struct json_object *catalog,
			 const struct wish *wish, const struct event_uses *uses)
{
	struct json *json = reply_json(request);

	json_open(json, NULL, '{');
	write_events(json, answer_list(catalog, "events"), wish, uses);
	write_uses(json, uses);
	json_close(json);
}

static int get_events(struct request *request, struct err *err)
{
	struct json_object *catalog = NULL;
	struct event_uses uses = { 0 };
	struct wish wish;
	int rc = read_wish(request, &wish, err);

	if (!rc)
		rc = store_event_uses(request->store, (int64_t)wish.session, USES_MOST,
				      &request->arena, &uses, err);
	if (!rc)
		rc = answer_object(request, "events", true, &catalog, err);
	if (!rc)
		reply_events(request, catalog, &wish, &uses);
	vec_free(&uses);
	json_object_put(catalog);
	return rc;
}

static int get_check(struct request *request, struct err *err)
{
	const char *expression = request_text(request, "expression", "");
	struct wordlist words = { &expression, 1, 1 };

	if (!*expression)
		return err_set(err, EINVAL, "`expression` is missing: what to check");
	return answer_reply(request, "check", &words, err);
}

const struct route event_routes[] = {
	{ "GET", "/api/v1/events", RIGHT_LOOK, get_events, ROUTE_SLOW },
	{ "GET", "/api/v1/events/check", RIGHT_LOOK, get_check, ROUTE_SLOW },
	{ 0 },
};
