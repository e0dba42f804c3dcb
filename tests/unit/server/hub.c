// SPDX-License-Identifier: Apache-2.0
#include "server/hub.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/vec.h"
#include "test.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* A client that reads into memory, and how often it slept and was woken. */
struct reader {
	struct hub_client *client;
	struct buf got;
	int rests, wakes;
	bool ended;
};

static void rest(void *user)
{
	((struct reader *)user)->rests++;
}

static void wake(void *user)
{
	((struct reader *)user)->wakes++;
}

static void reader_open(struct reader *reader, struct hub *hub)
{
	*reader = (struct reader){ 0 };
	reader->client = hub_client_new(hub, 0, &(struct hub_sleep){ reader, rest, wake });
}

static const char *reader_read(struct reader *reader, size_t piece)
{
	char bytes[4096];
	ssize_t size;

	buf_clear(&reader->got);
	while ((size = hub_client_read(reader->client, bytes, piece)) > 0)
		buf_add(&reader->got, bytes, (size_t)size);
	reader->ended = size < 0;
	return buf_text(&reader->got);
}

static void reader_close(struct reader *reader)
{
	hub_client_free(reader->client);
	buf_free(&reader->got);
}

static void join(struct hub *hub, struct reader *reader, const char *topic, const char *since)
{
	hub_begin(hub);
	EXPECT_INT(hub_join(reader->client, &(struct hub_wish){ topic, since }, 1, true), 0);
	hub_end(hub);
}

static void publish(struct hub *hub, const char *topic, const char *json)
{
	hub_begin(hub);
	hub_publish(hub, topic, "news", json);
	hub_end(hub);
}

static void state(void *user, struct hub_client *client, const char *topic)
{
	struct hub_event *event = hub_event_new(user, topic, "state", "{}");

	hub_snapshot(client, event);
	hub_event_put(event);
}

static struct hub *hub_with_state(uint64_t epoch, const struct hub_limits *limits)
{
	struct hub *hub = hub_new(epoch, limits);

	hub_set_source(hub, state, hub);
	return hub;
}

TEST(hub_renders_as_server_sent_events)
{
	struct hub *hub = hub_with_state(7, NULL);
	struct reader reader;

	reader_open(&reader, hub);
	EXPECT_TEXT(reader_read(&reader, 4096), "retry: 1000\n\n");
	EXPECT_INT(reader.rests, 1);
	join(hub, &reader, "queue", "");
	EXPECT_INT(reader.wakes, 1);
	EXPECT_TEXT(reader_read(&reader, 4096),
		    "event: state\ndata: {\"topic\":\"queue\",\"at\":\"7-0\"}\n\n");
	publish(hub, "queue", "{\"items\":\n[1]}");
	publish(hub, "other", "{}");
	EXPECT_TEXT(reader_read(&reader, 5),
		    "id: 7-1\nevent: news\n"
		    "data: {\"topic\":\"queue\",\"at\":\"7-1\",\"items\": [1]}\n\n");
	EXPECT(!reader.ended);
	hub_tell(reader.client, "ready", "{}", true);
	EXPECT_TEXT(reader_read(&reader, 4096), "id: 7-2\nevent: ready\ndata: {}\n\n");
	reader_close(&reader);
	hub_free(hub);
}

/* Ids in what was read, each with a space behind it; "state " for a snapshot. */
static const char *ids(struct reader *reader)
{
	static char found[4000];
	const char *text = reader_read(reader, 4096);

	found[0] = '\0';
	for (const char *line = text; line && *line;
	     line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		size_t used = strlen(found);

		if (!strncmp(line, "id: ", 4))
			snprintf(found + used, sizeof(found) - used, "%.*s ",
				 (int)strcspn(line + 4, "\n"), line + 4);
		else if (!strncmp(line, "event: state", 12))
			snprintf(found + used, sizeof(found) - used, "state ");
	}
	return found;
}

TEST(hub_goes_on_from_an_id)
{
	static const struct {
		const char *since, *want;
	} cases[] = {
		{ "7-0", "7-1 7-2 7-3 7-4 " },
		{ "7-2", "7-3 7-4 " },
		{ "7-4", "" },
		{ "7-5", "state " }, /* not given out yet */
		{ "6-2", "state " }, /* of another start */
		{ "8-2", "state " },
		{ "", "state " },
		{ "7-", "state " },
		{ "7-2x", "state " },
		{ "-1", "state " },
		{ "7--1", "state " },
		{ "99999999999999999999999-1", "state " },
		{ "7-99999999999999999999999", "state " },
	};
	struct hub *hub = hub_with_state(7, NULL);
	struct reader reader;

	for (int i = 0; i < 4; i++)
		publish(hub, "queue", "{}");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		test_case("%s", cases[i].since);
		reader_open(&reader, hub);
		join(hub, &reader, "queue", cases[i].since);
		EXPECT_TEXT(ids(&reader), cases[i].want);
		reader_close(&reader);
	}
	hub_free(hub);
}

/* What was missed of two topics comes in one order, so that the last id holds for both. */
TEST(hub_merges_what_was_missed)
{
	struct hub *hub = hub_with_state(1, NULL);
	struct hub_wish wishes[] = { { "a", "1-1" }, { "b", "1-1" }, { "c", "" } };
	struct reader reader;

	for (int i = 0; i < 3; i++) {
		publish(hub, "a", "{}");
		publish(hub, "b", "{}");
	}
	reader_open(&reader, hub);
	hub_begin(hub);
	EXPECT_INT(hub_join(reader.client, wishes, 3, true), 0);
	hub_end(hub);
	EXPECT_TEXT(ids(&reader), "state 1-2 1-3 1-4 1-5 1-6 ");
	reader_close(&reader);

	/* Later ones leave no ids behind: they would go back. */
	reader_open(&reader, hub);
	hub_begin(hub);
	EXPECT_INT(hub_join(reader.client, wishes, 2, false), 0);
	hub_end(hub);
	EXPECT_TEXT(ids(&reader), "");
	EXPECT_CONTAINS(buf_text(&reader.got), "\"at\":\"1-3\"");
	reader_close(&reader);
	hub_free(hub);
}

TEST(hub_history_is_bounded)
{
	struct hub *hub = hub_with_state(1, &(struct hub_limits){ .history_events = 3 });
	struct reader reader;

	for (int i = 0; i < 5; i++)
		publish(hub, "a", "{}");
	reader_open(&reader, hub);
	join(hub, &reader, "a", "1-1");
	EXPECT_TEXT(ids(&reader), "state ");
	join(hub, &reader, "a", "1-2");
	EXPECT_TEXT(ids(&reader), "1-3 1-4 1-5 ");
	hub_begin(hub);
	hub_skip(hub, "a");
	hub_end(hub);
	join(hub, &reader, "a", "1-5");
	EXPECT_TEXT(ids(&reader), "state ");
	reader_close(&reader);
	hub_free(hub);

	/* One event that is larger than the whole history. */
	hub = hub_with_state(1, &(struct hub_limits){ .history_bytes = 100 });
	publish(hub, "a", "{\"x\":\"0123456789012345678901234567890123456789012345678901234\"}");
	EXPECT_INT(hub_stats(hub).history_bytes, 0);
	reader_open(&reader, hub);
	join(hub, &reader, "a", "1-0");
	EXPECT_TEXT(ids(&reader), "state ");
	reader_close(&reader);
	hub_free(hub);
}

TEST(hub_forgets_topics)
{
	struct hub *hub = hub_with_state(1, NULL);
	int64_t now_ns = clock_now_ns();
	struct reader reader;

	EXPECT(!hub_wanted(hub, "a"));
	publish(hub, "a", "{}");
	EXPECT(!hub_wanted(hub, "a"));
	reader_open(&reader, hub);
	join(hub, &reader, "a", "");
	join(hub, &reader, "b", "");
	EXPECT(hub_wanted(hub, "a"));
	hub_leave(reader.client, "a");
	EXPECT(hub_wanted(hub, "a"));
	reader_read(&reader, 4096);
	hub_tick(hub, now_ns + 50 * NS_PER_SEC);
	EXPECT_INT(hub_stats(hub).topics, 2);
	reader_read(&reader, 4096);
	hub_tick(hub, now_ns + 70 * NS_PER_SEC);
	EXPECT_INT(hub_stats(hub).topics, 1);
	EXPECT(!hub_wanted(hub, "a"));
	reader_close(&reader);

	/* Nothing was published since 1-1, but before it nobody knows. */
	reader_open(&reader, hub);
	join(hub, &reader, "a", "1-1");
	EXPECT_TEXT(ids(&reader), "");
	join(hub, &reader, "a", "1-0");
	EXPECT_TEXT(ids(&reader), "state ");
	reader_close(&reader);
	hub_free(hub);
}

TEST(hub_drops_who_does_not_read)
{
	struct hub *hub = hub_with_state(1, &(struct hub_limits){ .queue_bytes = 4000 });
	struct reader slow, quick;
	char some[10];
	int published = 0;

	reader_open(&slow, hub);
	reader_open(&quick, hub);
	join(hub, &slow, "a", "");
	join(hub, &quick, "a", "");
	reader_read(&slow, 4096);
	publish(hub, "a", "{\"text\":\"begun\"}");
	EXPECT_INT(hub_client_read(slow.client, some, sizeof(some)), sizeof(some));
	while (!hub_stats(hub).dropped && ++published < 1000) {
		publish(hub, "a", "{}");
		EXPECT_CONTAINS(reader_read(&quick, 4096), "event: news");
	}
	EXPECT(published > 50 && published < 100);
	EXPECT_INT(hub_stats(hub).queued_bytes, 0);

	/* It gets what it had begun to read, the reason, and the end. */
	EXPECT_CONTAINS(reader_read(&slow, 4096), "\"text\":\"begun\"}\n\nevent: dropped\ndata: {");
	EXPECT_CONTAINS(buf_text(&slow.got), "too slowly");
	EXPECT(slow.ended);
	publish(hub, "a", "{}");
	reader_read(&quick, 4096);
	EXPECT(!quick.ended);
	reader_close(&slow);
	reader_close(&quick);
	hub_free(hub);
}

TEST(hub_drops_who_has_not_read_for_long)
{
	struct hub *hub = hub_with_state(1, NULL);
	int64_t now_ns = clock_now_ns();
	struct reader reader;

	reader_open(&reader, hub);
	reader_read(&reader, 4096);
	hub_tick(hub, now_ns + 16 * NS_PER_SEC);
	EXPECT_INT(reader.wakes, 1);
	hub_tick(hub, now_ns + 30 * NS_PER_SEC);
	EXPECT_INT(hub_stats(hub).dropped, 1);
	hub_tick(hub, now_ns + 100 * NS_PER_SEC);
	EXPECT_INT(hub_stats(hub).dropped, 1);
	EXPECT_CONTAINS(reader_read(&reader, 4096), "event: dropped");
	EXPECT(reader.ended);
	reader_close(&reader);

	reader_open(&reader, hub);
	reader_read(&reader, 4096);
	hub_tick(hub, now_ns + 16 * NS_PER_SEC);
	EXPECT_TEXT(reader_read(&reader, 4096), ":\n\n");
	reader_close(&reader);
	hub_free(hub);
}

/* What a client asks for itself is never too much: else coming back would be dropped for ever. */
TEST(hub_does_not_count_what_was_missed)
{
	struct hub *hub = hub_with_state(1, &(struct hub_limits){ .queue_bytes = 300 });
	struct reader reader;

	for (int i = 0; i < 50; i++)
		publish(hub, "a", "{}");
	reader_open(&reader, hub);
	join(hub, &reader, "a", "1-0");
	EXPECT_INT(hub_stats(hub).dropped, 0);
	EXPECT_CONTAINS(ids(&reader), "1-50 ");
	reader_close(&reader);
	hub_free(hub);
}

TEST(hub_has_limits)
{
	struct hub *hub = hub_with_state(3, &(struct hub_limits){ .clients = 2, .topics = 2 });
	struct hub_wish wishes[] = { { "a", "" }, { "b", "" }, { "c", "" } };
	struct strlist topics = { 0 };
	struct hub_client *found;
	struct reader one, two, three;

	reader_open(&one, hub);
	reader_open(&two, hub);
	reader_open(&three, hub);
	EXPECT(one.client && two.client && !three.client);
	EXPECT(hub_client_id(one.client) != hub_client_id(two.client));
	hub_begin(hub);
	EXPECT_INT(hub_join(one.client, wishes, 3, true), -E2BIG);
	EXPECT_INT(hub_join(one.client, wishes, 2, true), 0);
	EXPECT_INT(hub_join(one.client, wishes, 2, true), 0); /* anew */
	EXPECT_INT(hub_join(one.client, wishes + 2, 1, true), -E2BIG);
	hub_leave(one.client, "a");
	hub_leave(one.client, "never joined");
	EXPECT_INT(hub_join(one.client, wishes + 2, 1, true), 0);
	hub_end(hub);
	hub_followed(one.client, &topics);
	EXPECT_INT(topics.len, 2);
	strlist_free(&topics);

	/* A client that goes while somebody has found it. */
	found = hub_client_get(hub, hub_client_id(one.client), 0);
	EXPECT(found == one.client);
	EXPECT(!hub_client_get(hub, 12345, 0));
	EXPECT(!hub_client_get(hub, hub_client_id(one.client), 1)); /* it is somebody else's */
	reader_close(&one);
	hub_tell(found, "late", "{}", true);
	hub_client_put(found);

	hub_stop(hub);
	reader_read(&two, 4096);
	EXPECT(two.ended);
	reader_close(&two);
	EXPECT(!hub_client_new(hub, 0, &(struct hub_sleep){ &one, rest, wake }));
	hub_free(hub);
}

TEST(hub_one_person_leaves_streams_to_others)
{
	struct hub_limits limits = { .clients = 5, .of_person = 2 };
	struct hub *hub = hub_new(1, &limits);
	struct reader readers[8] = { 0 };
	static const struct {
		int64_t person;
		bool has;
	} cases[8] = { { 7, true }, { 7, true }, { 7, false }, { 8, true },
		       { 0, true }, { 0, true }, { 0, false }, { 8, false } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		EXPECT_BOOL(hub_person_full(hub, 7), i >= 2);
		readers[i].client = hub_client_new(hub, cases[i].person,
						   &(struct hub_sleep){ &readers[i], rest, wake });
		EXPECT_BOOL(readers[i].client != NULL, cases[i].has);
	}
	EXPECT(!hub_person_full(hub, 8) && !hub_person_full(hub, 0));
	hub_client_free(readers[0].client);
	readers[0].client = hub_client_new(hub, 7, &(struct hub_sleep){ &readers[0], rest, wake });
	EXPECT(readers[0].client);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		hub_client_free(readers[i].client);
	hub_free(hub);
}

/* Threads: a sleeper that is not woken would wait for ever. */
struct sleeper {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool resting, joined;
	struct hub *hub;
	int seen;
};

static void sleeper_rest(void *user)
{
	struct sleeper *sleeper = user;

	pthread_mutex_lock(&sleeper->lock);
	sleeper->resting = true;
	pthread_mutex_unlock(&sleeper->lock);
}

static void sleeper_wake(void *user)
{
	struct sleeper *sleeper = user;

	pthread_mutex_lock(&sleeper->lock);
	sleeper->resting = false;
	pthread_cond_signal(&sleeper->changed);
	pthread_mutex_unlock(&sleeper->lock);
}

#define THREADS	 8
#define MESSAGES 2000

static void *sleep_and_read(void *user)
{
	struct sleeper *sleeper = user;
	struct hub_client *client = hub_client_new(
		sleeper->hub, 0, &(struct hub_sleep){ sleeper, sleeper_rest, sleeper_wake });
	char bytes[1000];
	ssize_t size;

	hub_begin(sleeper->hub);
	hub_join(client, &(struct hub_wish){ "a", "1-0" }, 1, true);
	hub_end(sleeper->hub);
	__atomic_store_n(&sleeper->joined, true, __ATOMIC_RELEASE);
	while ((size = hub_client_read(client, bytes, sizeof(bytes))) >= 0) {
		for (ssize_t i = 0; i < size; i++)
			sleeper->seen += bytes[i] == 'Q'; /* the event's name */
		pthread_mutex_lock(&sleeper->lock);
		while (sleeper->resting)
			pthread_cond_wait(&sleeper->changed, &sleeper->lock);
		pthread_mutex_unlock(&sleeper->lock);
	}
	hub_client_free(client);
	return NULL;
}

TEST(hub_loses_nothing_between_threads)
{
	struct hub *hub = hub_with_state(1, &(struct hub_limits){ .history_events = 2 * MESSAGES,
								  .history_bytes = 1 << 24 });
	struct sleeper sleepers[THREADS];
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++) {
		sleepers[i] = (struct sleeper){ .hub = hub };
		pthread_mutex_init(&sleepers[i].lock, NULL);
		pthread_cond_init(&sleepers[i].changed, NULL);
		pthread_create(&threads[i], NULL, sleep_and_read, &sleepers[i]);
	}
	for (int i = 0; i < MESSAGES; i++) {
		hub_begin(hub);
		hub_publish(hub, "a", "Q", "{}");
		hub_end(hub);
		if (i % 64 == 0)
			hub_tick(hub, clock_now_ns());
	}
	/* Whoever joins late gets all of it from the history. */
	for (int i = 0; i < THREADS; i++)
		while (!__atomic_load_n(&sleepers[i].joined, __ATOMIC_ACQUIRE))
			nanosleep(&(struct timespec){ .tv_nsec = NS_PER_MSEC }, NULL);
	hub_stop(hub);
	for (int i = 0; i < THREADS; i++) {
		test_case("%d", i);
		pthread_join(threads[i], NULL);
		EXPECT_INT(sleepers[i].seen, MESSAGES);
		pthread_mutex_destroy(&sleepers[i].lock);
		pthread_cond_destroy(&sleepers[i].changed);
	}
	hub_free(hub);
}
