// SPDX-License-Identifier: Apache-2.0
#include "server/stream.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "server/hub.h"
#include "server/live.h"
#include "server/site.h"
#include "store/scene.h"
#include "test.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static void write_run(struct json *json, const struct run *run)
{
	json_open(json, NULL, '{');
	json_int(json, "id", run->id);
	json_close(json);
}

static void begin(const struct hub_limits *limits)
{
	struct err err = { 0 };
	uint64_t epoch = 0;

	site_open(NULL);
	EXPECT_INT(stream_epoch(site_app.store, &epoch, &err), 0);
	site_app.hub = hub_new(epoch, limits);
	site_app.live = live_new(site_app.dir, site_app.hub, write_run);
}

static void end(void)
{
	struct hub *hub = site_app.hub;
	struct live *live = site_app.live;

	hub_stop(hub);
	site_close();
	live_free(live);
	hub_free(hub);
}

/* A stream that somebody reads. */
struct open {
	int fd;
	struct buf got;
};

static void open_stream(struct open *open, const char *query, const char *head)
{
	struct buf text = { 0 };

	*open = (struct open){ .fd = site_connect() };
	buf_printf(&text,
		   "GET /api/v1/stream%s HTTP/1.1\r\nHost: %s\r\n"
		   "Authorization: Bearer " SITE_TOKEN "\r\n%s\r\n",
		   query, site_host(), head);
	EXPECT_INT(send(open->fd, text.data, text.len, MSG_NOSIGNAL), (ssize_t)text.len);
	buf_free(&text);
}

/* Reads until a text has come, or a minute has passed. */
static bool comes(struct open *open, const char *text)
{
	int64_t until_ns = clock_now_ns() + 60 * NS_PER_SEC;
	struct pollfd waiting = { .fd = open->fd, .events = POLLIN };
	char bytes[4096];

	while (!strstr(buf_text(&open->got), text)) {
		ssize_t got;

		if (clock_now_ns() > until_ns || poll(&waiting, 1, 1000) < 0)
			return false;
		got = recv(open->fd, bytes, sizeof(bytes), MSG_DONTWAIT);
		if (!got)
			return false;
		if (got > 0)
			buf_add(&open->got, bytes, (size_t)got);
	}
	return true;
}

static void close_stream(struct open *open)
{
	close(open->fd);
	buf_free(&open->got);
}

static void publish(const char *topic, const char *json)
{
	hub_begin(site_app.hub);
	hub_publish(site_app.hub, topic, "news", json);
	hub_end(site_app.hub);
}

TEST(stream_sends_states_and_events)
{
	struct open open;

	begin(NULL);
	open_stream(&open, "?topics=queue,,sessions", "");
	EXPECT(comes(&open, "event: ready"));
	EXPECT_CONTAINS(open.got.data, "200 OK");
	EXPECT_CONTAINS(open.got.data, "Content-Type: text/event-stream");
	EXPECT_CONTAINS(open.got.data, "event: hello\ndata: {\"stream\":");
	EXPECT_CONTAINS(open.got.data, "\"items\":[],\"running\":[],\"trouble\":null}");
	EXPECT_CONTAINS(open.got.data, "id: 1-0\nevent: ready");
	scene_session("a");
	live_look(site_app.live, clock_now_ns());
	EXPECT(comes(&open, "\"topic\":\"sessions\",\"at\":\"1-1\",\"kind\":\"session\""));

	/* Who has closed his side for writing may still read. */
	EXPECT(!shutdown(open.fd, SHUT_WR));
	publish("queue", "{\"half\":1}");
	EXPECT(comes(&open, "\"half\":1"));
	publish("queue", "{\"half\":2}");
	EXPECT(comes(&open, "\"half\":2"));
	close_stream(&open);
	end();
}

TEST(stream_goes_on)
{
	static const char *const ways[][2] = {
		{ "?topics=queue", "Last-Event-ID: 1-2\r\n" },
		{ "?topics=queue&last=1-2", "" },
		{ "?topics=queue@1-2&last=1-0", "" },
	};
	struct open open;

	begin(NULL);
	for (int i = 1; i <= 4; i++)
		publish("queue", "{}");
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		test_case("%s %s", ways[i][0], ways[i][1]);
		open_stream(&open, ways[i][0], ways[i][1]);
		EXPECT(comes(&open, "id: 1-4\nevent: ready"));
		EXPECT_CONTAINS(open.got.data, "id: 1-3\nevent: news");
		EXPECT(!strstr(open.got.data, "id: 1-2"));
		EXPECT(!strstr(open.got.data, "event: queue"));
		close_stream(&open);
	}
	end();
}

TEST(stream_epochs_go_up)
{
	struct err err = { 0 };
	uint64_t first, second;

	scene_open();
	EXPECT_INT(stream_epoch(scene_store, &first, &err), 0);
	scene_reopen();
	EXPECT_INT(stream_epoch(scene_store, &second, &err), 0);
	EXPECT(second > first);
	scene_close();
}

TEST(stream_refuses)
{
	struct open one, two;

	begin(&(struct hub_limits){ .clients = 2, .topics = 2 });
	EXPECT_INT(site_status(site_ask("GET", "/api/v1/stream", "", NULL)), 401);
	EXPECT_INT(site_status(site_call("GET", "/api/v1/stream?topics=nonsense", NULL)), 400);
	EXPECT_INT(site_status(site_call("GET", "/api/v1/stream?topics=run:1%0aid:%201", NULL)),
		   400);
	EXPECT_INT(site_status(site_call("GET", "/api/v1/stream?topics=run:1,run:2,run:3", NULL)),
		   413);
	open_stream(&one, "", "");
	EXPECT(comes(&one, "event: ready"));
	open_stream(&two, "", "");
	EXPECT(comes(&two, "event: ready"));
	EXPECT_INT(site_status(site_call("GET", "/api/v1/stream", NULL)), 429);
	EXPECT_INT(site_status(site_call("POST", "/api/v1/stream/99/topics", "{}")), 404);
	close_stream(&one);
	close_stream(&two);
	end();
}

static const char *change(const struct open *open, const char *body)
{
	const char *found = strstr(open->got.data, "\"stream\":");
	char path[100];

	snprintf(path, sizeof(path), "/api/v1/stream/%llu/topics", strtoull(found + 9, NULL, 10));
	return site_call("POST", path, body);
}

TEST(stream_changes_topics)
{
	static const char *const bad[] = { "[]", "{\"add\":7}", "{\"add\":[7]}",
					   "{\"add\":[\"x\"]}", "{\"remove\":{}}" };
	struct open open;

	begin(NULL);
	open_stream(&open, "?topics=sessions", "");
	EXPECT(comes(&open, "event: ready"));
	EXPECT_CONTAINS(change(&open, "{\"add\":[\"queue\"],\"remove\":[\"sessions\",\"run:5\"]}"),
			"{\"topics\":[\"queue\"]}");
	EXPECT(comes(&open, "event: queue"));
	publish("sessions", "{\"not\":1}");
	publish("queue", "{\"yes\":1}");
	EXPECT(comes(&open, "\"yes\":1"));
	EXPECT(!strstr(open.got.data, "\"not\":1"));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		test_case("%s", bad[i]);
		EXPECT_INT(site_status(change(&open, bad[i])), 400);
	}
	close_stream(&open);
	end();
}

/* One never reads: the other loses nothing, and the first is told when it looks at last. */
TEST(stream_drops_who_never_reads)
{
	char *json = mem_alloc(64 << 10);
	struct open slow, quick;
	char mark[20];
	int i = 0;

	begin(&(struct hub_limits){ .queue_bytes = 300 << 10 });
	open_stream(&slow, "?topics=queue", "");
	open_stream(&quick, "?topics=queue", "");
	EXPECT(comes(&slow, "event: ready"));
	EXPECT(comes(&quick, "event: ready"));
	for (; i < 1000 && !hub_stats(site_app.hub).dropped; i++) {
		snprintf(json, 64 << 10, "{\"mark\":\"m%d.\",\"x\":\"%060000d\"}", i, 0);
		publish("queue", json);
		snprintf(mark, sizeof(mark), "m%d.", i);
		buf_clear(&quick.got);
		EXPECT(comes(&quick, mark));
	}
	EXPECT(i > 4 && i < 1000);
	EXPECT(comes(&slow, "event: dropped"));
	EXPECT_CONTAINS(slow.got.data, "too slowly");
	close_stream(&slow);
	close_stream(&quick);
	free(json);
	end();
}
