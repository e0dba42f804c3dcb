// SPDX-License-Identifier: Apache-2.0
#include "server/stream.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "server/app.h"
#include "server/http.h"
#include "server/hub.h"
#include "server/live_run.h"
#include "server/live_topic.h"
#include "server/route.h"
#include "server/signin.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EPOCH	    "stream-epoch"
#define MOST_TOPICS 1000 /* that are looked at; the hub allows fewer */

int stream_epoch(struct store *store, uint64_t *epoch, struct err *err)
{
	struct arena arena = { 0 };
	const char *last = NULL;
	char text[24];
	int rc = store_setting_get(store, EPOCH, &arena, &last, err);

	*epoch = (last ? strtoull(last, NULL, 10) : 0) + 1;
	arena_free(&arena);
	snprintf(text, sizeof(text), "%" PRIu64, *epoch);
	return rc ? rc : store_setting_set(store, EPOCH, text, err);
}

struct wishes VEC_OF(struct hub_wish);

/* "TOPIC" or "TOPIC@ID". */
static int add_wish(struct request *request, struct wishes *wishes, const char *text,
		    const char *last, struct err *err)
{
	struct arena *arena = &request->arena;
	const char *at = strchr(text, '@');
	char *name = arena_strndup(arena, text, at ? (size_t)(at - text) : strlen(text));
	struct live_topic topic;
	int rc;

	if (!live_topic_parse(name, &topic))
		return err_set(
			err, EINVAL,
			"unknown topic '%s'; there are sessions, queue, "
			"session:ID, run:ID and run:ID:counters, output, tree, heat and lanes",
			name);
	if (wishes->len == MOST_TOPICS)
		return err_set(err, E2BIG, "these are too many topics");
	rc = topic.kind == TOPIC_OUTPUT ? rights_check_raw(request, topic.id, "output", err) : 0;
	if (rc && rc != -ENOENT)
		return rc;
	/* Until the run exists nobody knows who may see its output: the client gets an end event
	 * and nothing more. */
	*vec_push(wishes) = (struct hub_wish){ .topic = name,
					       .since = at ? arena_strdup(arena, at + 1) : last,
					       .gone = rc };
	return 0;
}

static int split_topics(struct request *request, struct wishes *wishes, struct err *err)
{
	const char *last = request_header(request, "Last-Event-ID");
	char *rest = arena_strdup(&request->arena, request_text(request, "topics", ""));
	int rc = 0;

	if (!last)
		last = request_text(request, "last", "");
	last = arena_strdup(&request->arena, last);
	for (char *word; !rc && (word = strsep(&rest, ","));)
		if (*word)
			rc = add_wish(request, wishes, word, last, err);
	return rc;
}

static int too_many_topics(struct err *err)
{
	return err_set(err, E2BIG, "a stream follows 64 topics at most");
}

/* The reply's source: a client of the hub. */
struct stream {
	struct request *request; /* lives as long as its reply */
	struct hub_client *client;
};

static void stream_rest(void *user)
{
	http_rest(((struct stream *)user)->request->http);
}

static void stream_wake(void *user)
{
	http_wake(((struct stream *)user)->request->http);
}

/* A stream may outlive the right to it: who has signed out, or was removed, is told no more. */
static bool stream_holds(void *user)
{
	const struct stream *stream = user;
	const struct request *request = stream->request;
	struct arena arena = { 0 };
	struct user person;
	int rc = signin_again(request->app->signins, request->by, &arena, &person, NULL);

	arena_free(&arena);
	return rc != -EACCES && (rc || person.role == request->user->role);
}

static ssize_t stream_read(void *user, char *into, size_t size)
{
	struct stream *stream = user;

	return hub_client_read(stream->client, into, size);
}

static void stream_end(void *user)
{
	struct stream *stream = user;

	hub_client_free(stream->client);
	free(stream);
}

static void write_topics(struct json *json, struct hub_client *client)
{
	struct strlist topics = { 0 };

	hub_followed(client, &topics);
	json_open(json, "topics", '[');
	vec_each (topic, &topics)
		json_text(json, NULL, *topic);
	json_close(json);
	strlist_free(&topics);
}

static void tell_hello(struct hub_client *client, const struct wishes *wishes)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct json json = json_to(out);

	json_open(&json, NULL, '{');
	json_u64(&json, "stream", hub_client_id(client));
	json_open(&json, "topics", '[');
	vec_each (wish, wishes)
		json_text(&json, NULL, wish->topic);
	json_close(&json);
	json_close(&json);
	fclose(out);
	hub_tell(client, "hello", text, false);
	free(text);
}

/* Between begin and end of the hub. */
static void send_gone(struct hub *hub, struct hub_client *client, const struct wishes *wishes)
{
	vec_each (wish, wishes) {
		struct live_topic topic;
		struct buf json = { 0 };
		struct hub_event *event;

		if (!wish->gone || !live_topic_parse(wish->topic, &topic))
			continue;
		live_write_end(&json, topic.id, "unknown");
		event = hub_event_new(hub, wish->topic, "end", json.data);
		hub_snapshot(client, event);
		hub_event_put(event);
		buf_free(&json);
	}
}

static int begin_stream(struct hub *hub, struct hub_client *client, const struct wishes *wishes)
{
	int rc;

	hub_begin(hub);
	tell_hello(client, wishes);
	rc = hub_join(client, wishes->data, wishes->len, true);
	send_gone(hub, client, wishes);
	hub_tell(client, "ready", "{}", true);
	hub_end(hub);
	return rc;
}

static int too_many_streams(struct request *request, struct err *err)
{
	const char *whose = hub_person_full(request->app->hub, request->user->id) ? " of yours"
										  : "";

	return reply_error(request, 429, "too_many_streams",
			   "Close pages you don't need, or try again later.", err,
			   "too many event streams%s are open", whose);
}

static int open_stream(struct request *request, const struct wishes *wishes, struct err *err)
{
	struct stream *stream = mem_alloc(sizeof(*stream));
	struct hub *hub = request->app->hub;

	stream->request = request;
	stream->client = hub_client_new(
		hub, request->user->id,
		&(struct hub_sleep){ stream, stream_rest, stream_wake, stream_holds });
	if (!stream->client) {
		free(stream);
		return too_many_streams(request, err);
	}
	if (begin_stream(hub, stream->client, wishes)) {
		stream_end(stream);
		return too_many_topics(err);
	}
	reply_header(request, "Cache-Control", "no-store");
	reply_stream(request, "text/event-stream",
		     &(struct reply_source){ stream, stream_read, stream_end });
	return 0;
}

static int get_stream(struct request *request, struct err *err)
{
	struct wishes wishes = { 0 };
	int rc = split_topics(request, &wishes, err);

	if (!rc)
		rc = open_stream(request, &wishes, err);
	vec_free(&wishes);
	return rc;
}

/* Changing topics */

static int change_topics(struct request *request, struct hub_client *client,
			 const struct wishes *wishes, const struct wordlist *remove,
			 struct err *err)
{
	struct hub *hub = request->app->hub;
	struct json *json;
	int rc;

	hub_begin(hub);
	vec_each (topic, remove)
		hub_leave(client, *topic);
	rc = hub_join(client, wishes->data, wishes->len, false);
	send_gone(hub, client, wishes);
	hub_end(hub);
	if (rc)
		return too_many_topics(err);
	json = reply_json(request);
	json_open(json, NULL, '{');
	write_topics(json, client);
	json_close(json);
	return 0;
}

static int post_topics(struct request *request, struct err *err)
{
	struct hub_client *client = hub_client_get(request->app->hub, (uint64_t)request->ids[0],
						   request->user->id);
	struct wordlist add = { 0 }, remove = { 0 };
	struct wishes wishes = { 0 };
	int rc;

	if (!client)
		return err_set(err, ENOENT, "there is no stream %" PRId64 "; it has ended",
			       request->ids[0]);
	rc = body_words(request, "add", &add, err);
	if (!rc)
		rc = body_words(request, "remove", &remove, err);
	vec_each (topic, &add)
		rc = rc ? rc : add_wish(request, &wishes, *topic, "", err);
	if (!rc)
		rc = change_topics(request, client, &wishes, &remove, err);
	vec_free(&wishes);
	vec_free(&add);
	vec_free(&remove);
	hub_client_put(client);
	return rc;
}

extern const struct route stream_routes[];
const struct route stream_routes[] = {
	{ "GET", "/api/v1/stream", RIGHT_LOOK, get_stream, 0 },
	{ "POST", "/api/v1/stream/{id}/topics", RIGHT_LOOK, post_topics, 0 },
	{ 0 },
};
