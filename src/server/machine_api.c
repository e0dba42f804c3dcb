// SPDX-License-Identifier: Apache-2.0
/* What is asked of the machine itself: hosts, events, processes, the doctor. */
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/jsonread.h"
#include "base/text.h"
#include "server/app.h"
#include "server/link.h"
#include "server/resource.h"
#include "store/datadir.h"

#include <errno.h>
#include <json-c/json.h>
#include <string.h>

static void write_host(struct json *json, const struct msg_policy *policy, int64_t used,
		       const struct runs *runs)
{
	int64_t queued = 0, running = 0;

	vec_each (run, runs) {
		queued += run->state == RUN_QUEUED;
		running = run->state == RUN_QUEUED ? running : run->id;
	}
	json_open(json, NULL, '{');
	json_text(json, "name", policy->host);
	json_text(json, "kernel", policy->kernel);
	json_text(json, "perfolio", policy->perfolio);
	json_text(json, "cpu_model", policy->cpu_model);
	json_u64(json, "cpus", policy->cpus);
	json_text(json, "workload_user", policy->workload_user);
	json_flag(json, "as_root", policy->as_root);
	json_flag(json, "attach", policy->attach);
	json_flag(json, "other_users", policy->other_users);
	json_flag(json, "whole_host", policy->whole_host);
	json_u64_text(json, "max_runtime_ns", policy->max_runtime_ns);
	json_u64(json, "max_output", policy->max_output);
	json_u64(json, "max_disk", policy->max_disk);
	json_int(json, "disk_used", used);
	json_int(json, "queued", queued);
	if (running)
		json_int(json, "running", running);
	else
		json_text(json, "running", NULL);
	json_close(json);
}

static int get_hosts(struct request *request, struct err *err)
{
	struct run_filter filter = { .page.limit = 1000,
				     .states = 1U << RUN_QUEUED | 1U << RUN_STARTING |
					       1U << RUN_RUNNING };
	struct runs runs = { 0 };
	struct json *json;
	int64_t used;
	int rc = datadir_bytes(request->app->dir, &used, err);

	if (!rc)
		rc = store_run_list(request->store, &filter, &request->arena, &runs, err);
	if (!rc) {
		json = reply_json(request);
		json_open(json, NULL, '{');
		json_open(json, "items", '[');
		write_host(json, &request->app->policy, used, &runs);
		json_close(json);
		json_close(json);
	}
	vec_free(&runs);
	return rc;
}

static int ask_object(struct request *request, const char *what, const struct wordlist *words,
		      struct json_object **object, struct err *err)
{
	struct buf answer = { 0 };
	int rc = link_ask(request->app->link, what, words, &answer, err);

	if (!rc) {
		*object = jsonread(buf_text(&answer), answer.len, what, err);
		rc = *object ? 0 : -EIO;
	}
	buf_free(&answer);
	return rc;
}

/* The answer as it is. */
static int pass_on(struct request *request, const char *what, const struct wordlist *words,
		   struct err *err)
{
	struct buf answer = { 0 };
	int rc = link_ask(request->app->link, what, words, &answer, err);

	if (!rc)
		reply_bytes(request, "application/json", buf_text(&answer), answer.len);
	buf_free(&answer);
	return rc;
}

static int get_doctor(struct request *request, struct err *err)
{
	return pass_on(request, "doctor", NULL, err);
}

static int get_check(struct request *request, struct err *err)
{
	const char *expression = request_text(request, "expression", "");
	struct wordlist words = { &expression, 1, 1 };

	if (!*expression)
		return err_set(err, EINVAL, "`expression` is missing: what to check");
	return pass_on(request, "check", &words, err);
}

/* Every word of the search is in one of an object's texts. */
static bool has_words(struct json_object *object, const char *search)
{
	char word[128];

	while (*search) {
		size_t length = strcspn(search, " ");
		bool found = !length;

		snprintf(word, sizeof(word), "%.*s", (int)length, search);
		json_object_object_foreach(object, key, value)
		{
			(void)key;
			found = found || (value && !json_object_is_type(value, json_type_array) &&
					  text_contains(json_object_get_string(value), word));
		}
		if (!found)
			return false;
		search += length + (search[length] == ' ');
	}
	return true;
}

static bool is_of_group(struct json_object *event, const char *group)
{
	return !*group || !strcmp(jsonread_text(event, "kind", ""), group) ||
	       !strcmp(jsonread_text(event, "group", ""), group);
}

static void write_items(struct json *json, struct json_object *list, const char *search,
			const char *group, uint64_t limit)
{
	uint64_t total = 0;

	json_open(json, "items", '[');
	for (size_t i = 0; list && i < json_object_array_length(list); i++) {
		struct json_object *item = json_object_array_get_idx(list, i);

		if (!is_of_group(item, group) || !has_words(item, search))
			continue;
		if (total++ < limit)
			json_raw(json, NULL,
				 json_object_to_json_string_ext(item, JSON_C_TO_STRING_PLAIN));
	}
	json_close(json);
	json_u64(json, "total", total);
}

static int write_uses(struct request *request, struct json *json, uint64_t session, struct err *err)
{
	struct event_uses uses = { 0 };
	int rc = store_event_uses(request->store, (int64_t)session, 50, &request->arena, &uses,
				  err);

	json_open(json, "most_used", '[');
	vec_each (use, &uses) {
		json_open(json, NULL, '{');
		json_text(json, "event", use->event);
		json_int(json, "in_session", use->in_session);
		json_int(json, "overall", use->overall);
		json_close(json);
	}
	json_close(json);
	vec_free(&uses);
	return rc;
}

static struct json_object *list_in(struct json_object *object, const char *name)
{
	struct json_object *list = NULL;

	if (json_object_is_type(object, json_type_array))
		return object;
	if (!json_object_object_get_ex(object, name, &list) ||
	    !json_object_is_type(list, json_type_array))
		return NULL;
	return list;
}

static int get_events(struct request *request, struct err *err)
{
	struct json_object *catalog = NULL;
	uint64_t session, limit;
	struct json *json;
	int rc = request_u64(request, "session", 0, &session, err);

	if (!rc)
		rc = request_u64(request, "limit", 200, &limit, err);
	if (!rc && (session > INT64_MAX || limit > 100000))
		rc = err_set(err, EINVAL, "session or limit: too large");
	if (!rc)
		rc = ask_object(request, "events", NULL, &catalog, err);
	if (rc)
		return rc;
	json = reply_json(request);
	json_open(json, NULL, '{');
	write_items(json, list_in(catalog, "events"), request_text(request, "search", ""),
		    request_text(request, "group", ""), limit);
	rc = write_uses(request, json, session, err);
	json_close(json);
	json_object_put(catalog);
	return rc;
}

static int get_processes(struct request *request, struct err *err)
{
	struct json_object *processes = NULL;
	struct json *json;
	int rc = ask_object(request, "processes", NULL, &processes, err);

	if (rc)
		return rc;
	json = reply_json(request);
	json_open(json, NULL, '{');
	write_items(json, list_in(processes, "processes"), request_text(request, "search", ""), "",
		    1000);
	json_close(json);
	json_object_put(processes);
	return 0;
}

const struct route machine_routes[] = {
	{ "GET", "/api/v1/hosts", ROLE_VIEWER, get_hosts },
	{ "GET", "/api/v1/doctor", ROLE_VIEWER, get_doctor, ROUTE_SLOW },
	{ "GET", "/api/v1/events", ROLE_VIEWER, get_events, ROUTE_SLOW },
	{ "GET", "/api/v1/events/check", ROLE_VIEWER, get_check, ROUTE_SLOW },
	{ "GET", "/api/v1/processes", ROLE_RUNNER, get_processes, ROUTE_SLOW },
	{ 0 },
};
