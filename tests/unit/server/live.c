// SPDX-License-Identifier: Apache-2.0
#include "server/live.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "jobs/output.h"
#include "jobs/protocol.h"
#include "render/series.h"
#include "server/hub.h"
#include "server/live_topic.h"
#include "store/scene.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct hub *hub;
static struct live *live;
static struct hub_client *client;
static struct buf got;
static int64_t now_ns, session, run;
static char topic[HUB_TOPIC];

static void sleep_or_wake(void *user)
{
	(void)user;
}

static void write_run(struct json *json, const struct run *of)
{
	json_open(json, NULL, '{');
	json_int(json, "id", of->id);
	json_text(json, "state", run_state_name(of->state));
	json_close(json);
}

static void begin(void)
{
	scene_open();
	session = scene_session("one");
	run = scene_queued(session);
	hub = hub_new(1, NULL);
	live = live_new(scene_dir, hub, write_run);
	client = hub_client_new(hub, 0, &(struct hub_sleep){ NULL, sleep_or_wake, sleep_or_wake });
	now_ns = clock_now_ns();
	live_look(live, now_ns);
}

static void end(void)
{
	hub_client_free(client);
	live_free(live);
	hub_free(hub);
	buf_free(&got);
	scene_close();
}

static const char *read_all(void)
{
	char bytes[4096];
	ssize_t size;

	buf_clear(&got);
	while ((size = hub_client_read(client, bytes, sizeof(bytes))) > 0)
		buf_add(&got, bytes, (size_t)size);
	return buf_text(&got);
}

static const char *join(enum live_topic_kind kind, int64_t id)
{
	read_all();
	hub_begin(hub);
	hub_join(client, &(struct hub_wish){ live_topic_name(topic, kind, id), "" }, 1, true);
	hub_end(hub);
	return read_all();
}

static const char *look(void)
{
	now_ns += 100 * NS_PER_MSEC;
	live_look(live, now_ns);
	return read_all();
}

static void step(enum run_state from, enum run_state to)
{
	EXPECT_INT(scene_step(run, from, to), 0);
}

TEST(live_topics_have_one_name)
{
	static const char *const bad[] = { "",		 "queues",
					   "session",	 "session:",
					   "run:0",	 "run:01",
					   "run:-1",	 "run:1:",
					   "run:1:x",	 "run:1:tree:",
					   "run: 1",	 "run:1e3",
					   "sessions:1", "run:9999999999999999999",
					   "run:1\n" };
	struct live_topic what;

	EXPECT(live_topic_parse("queue", &what) && what.kind == TOPIC_QUEUE);
	EXPECT(live_topic_parse("run:12:heat", &what) && what.kind == TOPIC_HEAT && what.id == 12);
	EXPECT(live_topic_parse("session:3", &what) && what.kind == TOPIC_SESSION && what.id == 3);
	EXPECT(live_topic_parse("run:3", &what) && what.kind == TOPIC_RUN);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		test_case("%s", bad[i]);
		EXPECT(!live_topic_parse(bad[i], &what));
	}
}

TEST(live_tells_changes)
{
	begin();
	EXPECT_CONTAINS(join(TOPIC_QUEUE, 0), "\"items\":[1],\"running\":[],\"trouble\":null}");
	EXPECT_CONTAINS(join(TOPIC_RUN, run), "\"run\":{\"id\":1,\"state\":\"queued\"}");
	EXPECT_TEXT(join(TOPIC_SESSION, session), "");
	EXPECT_TEXT(look(), "");
	step(RUN_QUEUED, RUN_STARTING);
	look();
	EXPECT_CONTAINS(got.data, "\"topic\":\"run:1\"");
	EXPECT_CONTAINS(got.data, "\"topic\":\"session:1\"");
	EXPECT_CONTAINS(got.data, "{\"id\":1,\"state\":\"starting\"}");
	EXPECT_CONTAINS(got.data, "\"items\":[],\"running\":[1],\"trouble\":null}");
	EXPECT_TEXT(look(), "");
	step(RUN_STARTING, RUN_RUNNING);
	EXPECT(!strstr(look(), "\"items\":"));
	step(RUN_RUNNING, RUN_FAILED);
	EXPECT_CONTAINS(look(), "\"items\":[],\"running\":[],\"trouble\":null}");

	EXPECT_CONTAINS(join(TOPIC_RUN, 99), "event: end");
	EXPECT_CONTAINS(join(TOPIC_TREE, 99), "\"state\":\"unknown\"");
	end();
}

static void add_rows(int fd, int count)
{
	static uint64_t time_ns = 1000;

	for (int i = 0; i < count; i++) {
		struct series_row row = { ++time_ns, 0, -1, UINT64_MAX, 5, 5 };

		EXPECT_INT(write(fd, &row, sizeof(row)), sizeof(row));
	}
}

static void add_reset(int fd, uint64_t time_ns)
{
	struct series_row row = { .time_ns = time_ns, .event = SERIES_RESET, .cpu = -1 };

	EXPECT_INT(write(fd, &row, sizeof(row)), sizeof(row));
}

TEST(live_follows_counters)
{
	struct series_head head = { SERIES_MAGIC, SERIES_PLAIN, 1, sizeof(head) + 8, 9, 100 };
	struct content *content;
	int fd;

	begin();
	content = content_begin(scene_dir, run, "series", &scene_err);
	fd = content_fd(content);
	step(RUN_QUEUED, RUN_STARTING);
	step(RUN_STARTING, RUN_RUNNING);
	EXPECT_TEXT(join(TOPIC_COUNTERS, run), "");
	EXPECT_TEXT(look(), "");
	EXPECT_INT(write(fd, &head, sizeof(head)), sizeof(head));
	EXPECT_TEXT(look(), "");
	EXPECT_INT(write(fd, "cycles\0", 8), 8);
	EXPECT_CONTAINS(look(), "event: points-snapshot");
	EXPECT_CONTAINS(got.data, "\"events\":[\"cycles\"],\"start_ns\":\"9\","
				  "\"interval_ns\":\"100\",\"resets\":[],\"first\":0,\"rows\":[]}");
	add_rows(fd, 2);
	EXPECT_CONTAINS(look(), "event: points\n");
	EXPECT_CONTAINS(got.data, "\"first\":0,\"rows\":[[\"1001\",0,-1,"
				  "\"18446744073709551615\",\"5\",\"5\"],[\"1002\",");
	EXPECT_TEXT(look(), "");
	/* A reset is told by itself, and is no row. */
	add_reset(fd, 7);
	EXPECT_CONTAINS(look(), "\"resets\":[\"7\"],\"first\":2,\"rows\":[]}");
	EXPECT_TEXT(look(), "");
	EXPECT_INT(write(fd, "half a row", 10), 10);
	EXPECT_TEXT(look(), "");
	EXPECT_CONTAINS(join(TOPIC_COUNTERS, run),
			"\"resets\":[\"7\"],\"first\":0,\"rows\":[[\"1001\"");

	/* Far too many: the latest. */
	EXPECT_INT(lseek(fd, -10, SEEK_CUR) > 0, 1);
	add_rows(fd, 9998);
	EXPECT_CONTAINS(look(), "\"first\":6000,\"rows\":[[\"7001\"");
	add_rows(fd, 1);
	EXPECT_CONTAINS(look(), "\"first\":10000,\"rows\":[[\"11001\"");
	EXPECT_CONTAINS(join(TOPIC_COUNTERS, run), "\"first\":6001,\"rows\":[[\"7002\"");

	/* What is written last is told before the end. */
	add_rows(fd, 1);
	EXPECT_INT(content_end(content, &scene_err), 0);
	step(RUN_RUNNING, RUN_PROCESSING);
	step(RUN_PROCESSING, RUN_DONE);
	EXPECT_CONTAINS(look(), "\"first\":10001,\"rows\":[[\"11002\"");
	EXPECT_CONTAINS(got.data, "event: end\ndata: {\"topic\":\"run:1:counters\"");
	EXPECT_CONTAINS(join(TOPIC_COUNTERS, run), "\"first\":6002");
	EXPECT_CONTAINS(got.data, "event: end");
	now_ns += 61 * NS_PER_SEC;
	look();
	EXPECT(!strstr(join(TOPIC_COUNTERS, run), "rows"));
	EXPECT_CONTAINS(got.data, "\"state\":\"done\"");
	end();
}

static void print(int fd, uint32_t stream, const char *text, size_t size)
{
	struct output_piece piece = { 7, stream, (uint32_t)size };

	EXPECT_INT(write(fd, &piece, sizeof(piece)), sizeof(piece));
	EXPECT_INT(write(fd, text, size), (ssize_t)size);
}

TEST(live_follows_output)
{
	struct content *content;
	char *line = mem_alloc(1000);
	int fd;

	begin();
	content = content_begin(scene_dir, run, "output", &scene_err);
	fd = content_fd(content);
	step(RUN_QUEUED, RUN_STARTING);
	step(RUN_STARTING, RUN_RUNNING);
	look();
	EXPECT_CONTAINS(join(TOPIC_OUTPUT, run), "\"skipped\":0,\"pieces\":[]");
	print(fd, OUTPUT_STDOUT, "a\n", 2);
	print(fd, OUTPUT_STDERR, "b\0\xff", 3);
	EXPECT_CONTAINS(look(), "\"skipped\":0,\"pieces\":["
				"{\"time_ns\":\"7\",\"stream\":\"stdout\",\"text\":\"a\\n\"},"
				"{\"time_ns\":\"7\",\"stream\":\"stderr\","
				"\"text\":\"b\xef\xbf\xbd\\ufffd\"}]}");
	EXPECT_TEXT(look(), "");

	memset(line, 'x', 1000);
	for (int i = 0; i < 100; i++)
		print(fd, OUTPUT_STDOUT, line, 1000);
	EXPECT_CONTAINS(look(), "\"skipped\":35000,");
	EXPECT_CONTAINS(join(TOPIC_OUTPUT, run), "\"skipped\":35005,");

	/* Damage ends it, and nothing else. */
	EXPECT_INT(write(fd, line, 1000), 1000);
	EXPECT_TEXT(look(), "");
	EXPECT_INT(content_end(content, &scene_err), 0);
	free(line);
	end();
}

TEST(live_joins_tree_and_events)
{
	static const char *names[] = { "all" };
	static const uint32_t zero[] = { 0 };
	static const uint64_t five[] = { 5 };
	static const uint8_t kind[] = { 6 };
	struct msg_live_tree growth = { .event_name = "cycles",
					.names = { names, 1, 1 },
					.parents = { zero, 4 },
					.name_ids = { zero, 4 },
					.kinds = { kind, 1 },
					.changed = { zero, 4 },
					.self_samples = { five, 8 },
					.self_counts = { five, 8 },
					.samples = 5 };
	struct msg_live_heat heat = { .cells = { (const uint32_t[]){ 1, 2, 3 }, 12 } };
	struct err err = { 0 };

	begin();
	EXPECT_INT(live_tree_feed(live, run, &growth, &err), -ESTALE);
	step(RUN_QUEUED, RUN_STARTING);
	step(RUN_STARTING, RUN_RUNNING);
	EXPECT_INT(live_tree_feed(live, run, &growth, &err), 0);
	EXPECT_INT(live_heat_feed(live, run, &heat, &err), 0);

	/* The state holds what was not told yet, and it is not told again. */
	EXPECT_CONTAINS(join(TOPIC_TREE, run), "event: tree-snapshot");
	EXPECT_CONTAINS(join(TOPIC_HEAT, run), "\"cells\":[[1,2,3]]");
	EXPECT_TEXT(look(), "");
	growth = (struct msg_live_tree){ .first_node = 1, .samples = 6 };
	EXPECT_INT(live_tree_feed(live, run, &growth, &err), 0);
	EXPECT_CONTAINS(look(), "event: tree\n");
	EXPECT_CONTAINS(got.data, "\"first\":1,");
	growth.event = 2;
	EXPECT_INT(live_tree_feed(live, run, &growth, &err), -EPROTO);
	EXPECT_CONTAINS(err.text, "event 2");
	step(RUN_RUNNING, RUN_FAILED);
	EXPECT_CONTAINS(look(), "event: end");
	end();
}

TEST(live_thread_runs_and_ends)
{
	struct err err = { 0 };

	begin();
	EXPECT_INT(live_start(live, &err), 0);
	join(TOPIC_RUN, run);
	step(RUN_QUEUED, RUN_STARTING);
	for (int i = 0; i < 6000 && !strstr(read_all(), "starting"); i++)
		nanosleep(&(struct timespec){ .tv_nsec = 10 * NS_PER_MSEC }, NULL);
	EXPECT_CONTAINS(buf_text(&got), "\"state\":\"starting\"");
	end();
}
