// SPDX-License-Identifier: Apache-2.0
/* What the API answers about runs, by way of HTTP. */
#include "base/jsonread.h"
#include "jobs/output.h"
#include "profile/index.h"
#include "profile/made.h"
#include "render/series_write.h"
#include "server/profiles.h"
#include "server/site.h"
#include "store/scene.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define SECOND 1000000000ull

static int64_t run;
static int remade;

static int remake(void *state, int64_t of, struct err *err)
{
	(void)state;
	(void)err;
	remade += of == run;
	return 0;
}

static void open_site(size_t most)
{
	site_open(NULL);
	site_app.profiles = profiles_new(
		&(struct profiles_options){ .dir = scene_dir, .most = most, .remake = remake });
	run = scene_run(scene_session("s"), RUN_PROCESSING);
	remade = 0;
}

static void close_site(void)
{
	http_stop(site_app.http);
	site_app.http = NULL;
	profiles_free(site_app.profiles);
	site_close();
}

static struct profile *some_profile(void)
{
	struct profile *profile = made_profile();

	for (uint64_t i = 0; i < 100; i++)
		made_sample(profile, 5 * SECOND + i * SECOND / 50,
			    i % 4 ? "main;work" : "main;sort", SECOND / 50);
	return profile;
}

static int64_t add_index(int64_t to)
{
	struct profile *profile = some_profile();
	struct content *content = content_begin(scene_dir, to, "index", &scene_err);
	int64_t id = content_id(content);

	EXPECT_INT(profile_index_write_fd(profile, content_fd(content), &scene_err), 0);
	EXPECT_INT(content_end(content, &scene_err), 0);
	profile_free(profile);
	return id;
}

static const char *get(const char *what)
{
	static char path[300];

	snprintf(path, sizeof(path), "/api/v1/runs/%lld/%s", (long long)run, what);
	return site_call("GET", path, NULL);
}

static void expect(const char *what, int status, const char *part)
{
	const char *answer = get(what);

	test_case("%s", what);
	if (site_status(answer) != status)
		EXPECT_TEXT(answer, "");
	EXPECT_CONTAINS(site_body(answer), part);
}

TEST(results_of_samples)
{
	open_site(0);
	add_index(run);
	expect("events", 200, "\"event\":\"cpu-clock\",\"unit\":\"ns\",\"samples\":100");
	expect("top?limit=1", 200,
	       "[{\"function\":\"work\",\"object\":\"/bin/prog\",\"kind\":\"user\","
	       "\"self_samples\":75,");
	expect("top?search=sor", 200, "\"matches\":1,\"left_out\":0");
	expect("top?sort=name&after=1&limit=1", 200, "[{\"function\":\"sort\"");
	expect("tree?depth=1", 200, "\"samples\":100");
	expect("tree?from=6000000000&to=6500000000", 200, "\"samples\":25");
	expect("callers?function=work", 200, "\"rows\":[{\"function\":\"main\"");
	expect("callees?function=main&limit=1", 200, "\"left_out\":1");
	expect("threads", 200, "\"processes\":[{\"comm\":\"prog\",\"pid\":1,\"threads\":1,");
	expect("heatmap?rows=10", 200, "\"columns\":2,\"rows\":10,\"counts\":[5,5,");
	expect("heatmap?lanes=cpu&width=2", 200, "\"items\":[{\"samples\":100,\"cpu\":0,");
	expect("samples?width=5", 200, "\"down_sampled\":true");
	expect("chart?tid=1", 200, "\"samples\":100,\"down_sampled\":false,\"depth\":2");
	expect("flame", 200, "\"start_ns\":\"5000000000\"");
	expect("flame?depth=2", 200, "[not shown]");
	expect("flame?most=2", 200, "[not shown]");
	expect("flame?changes=focus:work", 200, "\"outside_samples\":25,");
	expect("flame?most=1&search=work|sort", 200, "\"matched_samples\":100,");
	expect("flame?most=1&search=main&changes=focus:work", 200, "\"matched_samples\":0,");
	expect("top?changes=reverse,focus:work", 200, "\"samples\":75,");
	expect("callees?function=main&changes=hide:work", 200, "\"rows\":[{\"function\":\"sort\"");
	expect("quality", 200, "\"query\":\"quality\"");
	expect("summary", 200, "\"tabs\":[\"overview\",\"samples\",\"flame\",\"time\",");
	expect("overview", 200, "`work` alone took 75 %");
	close_site();
}

TEST(results_refuse_what_makes_no_sense)
{
	static const struct {
		const char *what;
		int status;
		const char *part;
	} cases[] = {
		{ "top?event=nothing", 400, "there are no samples of it" },
		{ "top?keep=(", 400, "\"error\"" },
		{ "top?limit=0", 400, "limit=0: 1 to" },
		{ "top?sort=size", 400, "one of self, total, name, object" },
		{ "tree?from=x", 400, "from=x" },
		{ "tree?cpu=x", 400, "\"error\"" },
		{ "tree?least=7", 400, "least=7" },
		{ "flame?most=0", 400, "most=0: 1 to" },
		{ "flame?search=(", 400, "not a regular expression" },
		{ "top?search=(", 400, "not a regular expression" },
		{ "flame?changes=turn", 400, "'turn' must be one of focus:NAME" },
		{ "top?changes=turn", 400, "'turn' must be one of focus:NAME" },
		{ "flame?inside=main", 400, "inside=main: must be eight hexadecimal digits" },
		{ "flame?inside=123456789", 400, "eight hexadecimal digits" },
		{ "callers", 400, "function: needs a name" },
		{ "callers?function=nobody", 404, "no function in these stacks" },
		{ "heatmap?lanes=disk", 400, "one of none, cpu, thread" },
		{ "heatmap?rows=0", 400, "rows=0" },
		{ "heatmap?lanes=cpu&width=0", 400, "width=0" },
		{ "chart", 400, "tid" },
		{ "chart?tid=77", 404, "thread 77" },
		{ "samples?width=99999999", 400, "width=" },
		{ "lines?function=work", 404, "no lines are known" },
		{ "counters", 404, "has no counters" },
		{ "output", 404, "has no output" },
	};

	open_site(0);
	add_index(run);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		expect(cases[i].what, cases[i].status, cases[i].part);
	run = 999;
	expect("tree", 404, "\"error\"");
	expect("summary", 404, "\"error\"");
	expect("output", 404, "\"error\"");
	close_site();
}

static struct series_row row_at(uint64_t tick)
{
	return (struct series_row){ .time_ns = 5 * SECOND + tick * SECOND / 10,
				    .cpu = -1,
				    .value = SECOND / 20,
				    .enabled_ns = SECOND / 10,
				    .running_ns = SECOND / 10 };
}

static void add_series(void)
{
	struct series_head head = { .magic = SERIES_MAGIC,
				    .version = SERIES_PLAIN,
				    .events = 1,
				    .rows_at = sizeof(head) + 16,
				    .start_ns = 5 * SECOND,
				    .interval_ns = SECOND / 10 };
	struct content *content = content_begin(scene_dir, run, "series", &scene_err);

	EXPECT_INT(content_write(content, &head, sizeof(head), &scene_err), 0);
	EXPECT_INT(content_write(content, "task-clock\0\0\0\0\0\0", 16, &scene_err), 0);
	for (uint64_t i = 1; i <= 20; i++) {
		struct series_row row = row_at(i);

		EXPECT_INT(content_write(content, &row, sizeof(row), &scene_err), 0);
	}
	EXPECT_INT(content_end(content, &scene_err), 0);
}

/* 20 rows of SECOND / 20, of which the first 15 are from before the reset. */
TEST(results_of_counters_that_were_reset)
{
	static const struct series_event event = { "task-clock", "msec", 1e-6 };
	struct series_writer writer;
	struct content *content;

	open_site(0);
	content = content_begin(scene_dir, run, "series", &scene_err);
	EXPECT_INT(series_begin(&writer, content_fd(content), &event, 1, 5 * SECOND, SECOND / 10,
				&scene_err),
		   0);
	for (uint64_t i = 1; i <= 20; i++) {
		struct series_row row = row_at(i);

		series_add(&writer, &row);
		if (i == 15)
			series_add_mark(&writer, SERIES_RESET, row.time_ns + 1);
	}
	EXPECT_INT(series_flush(&writer, &scene_err), 0);
	series_end(&writer);
	EXPECT_INT(content_end(content, &scene_err), 0);
	expect("summary", 200,
	       "{\"event\":\"task-clock\",\"total\":\"250000000\",\"unit\":\"msec\",\"scale\":1e-"
	       "06");
	expect("summary", 200, "\"reset_ns\":\"6500000001\"");
	expect("summary", 200, "\"cpu_ns\":\"1000000000\""); /* the program was there before */
	expect("counters", 200, "\"resets\":[\"6500000001\"]");
	expect("counters", 200, "\"total\":\"250000000\",\"points\":20,");
	expect("counters?to=6400000000", 200, "\"resets\":[],");
	expect("counters?to=6400000000", 200, "\"total\":\"650000000\",\"points\":13,");
	expect("counters/histogram", 200, "\"points\":20,");
	expect("counters/raw?after=15&limit=1", 200,
	       "\"total_rows\":21,\"rows\":[[\"6500000001\",-1,-1,\"0\",\"0\",\"0\"]]");
	close_site();
}

TEST(results_of_counters)
{
	open_site(0);
	add_series();
	expect("counters", 200, "\"points\":20,\"down_sampled\":false");
	expect("counters?width=4&events=0&cpus=each", 200, "\"down_sampled\":true");
	expect("counters?events=1", 400, "events=1");
	expect("counters?cpus=x", 400, "\"error\"");
	expect("counters/raw?limit=2&after=3", 200, "\"first_row\":3,\"total_rows\":20");
	expect("counters/histogram?event=task-clock&bins=3", 200, "\"points\":20");
	expect("counters/histogram?event=0&scale=log", 200, "\"scale\":\"log\"");
	expect("counters/histogram?event=cycles", 400, "it was not counted");
	expect("summary", 200, "\"counters\":[{\"event\":\"task-clock\",\"total\":\"1000000000\"");
	close_site();
}

TEST(results_of_output)
{
	struct output_piece head = { .time_ns = 7, .stream = OUTPUT_STDOUT, .size = 6 };
	struct content *content;

	open_site(0);
	content = content_begin(scene_dir, run, "output", &scene_err);
	EXPECT_INT(content_write(content, &head, sizeof(head), &scene_err), 0);
	EXPECT_INT(content_write(content, "one<\"\n", 6, &scene_err), 0);
	head.stream = OUTPUT_STDERR;
	EXPECT_INT(content_write(content, &head, sizeof(head), &scene_err), 0);
	EXPECT_INT(content_write(content, "two \xff\n", 6, &scene_err), 0);
	/* It is not complete yet, and can be read all the same. */
	expect("output", 200,
	       "[{\"time_ns\":\"7\",\"stream\":\"stdout\",\"text\":\"one<\\\"\\n\"},{");
	expect("output?stream=stderr", 200, "[{\"time_ns\":\"7\",\"stream\":\"stderr\"");
	expect("output?limit=1", 200, "\"next\":\"22\",\"end\":false");
	expect("output?after=22", 200, "\"next\":\"44\",\"end\":true");
	expect("output?after=44", 200, "\"pieces\":[]");
	expect("output?after=x", 400, "after");
	expect("summary", 200, "\"output\":{\"stdout\":\"6\",\"stderr\":\"6\"");
	EXPECT_INT(content_end(content, &scene_err), 0);
	close_site();
}

TEST(results_wait_for_the_index)
{
	int64_t index;

	open_site(0);
	expect("tree", 409, "is still being read");
	EXPECT(!strstr(get("tree"), "ETag"));
	EXPECT_INT(scene_step(run, RUN_PROCESSING, RUN_DONE), 0);
	expect("tree", 404, "has no samples");
	scene_file(run, "recording", "PERFILE2");
	expect("tree", 409, "is being read again");
	EXPECT_INT(remade, 1);
	/* An old or damaged one is made again. */
	index = scene_file(run, "index", "not an index at all");
	expect("tree", 409, "is being read again");
	EXPECT_INT(remade, 2);
	EXPECT(content_open(scene_dir, index, &scene_arena, &(struct file_row){ 0 }, NULL) < 0);
	add_index(run);
	expect("tree", 200, "\"samples\":100");
	EXPECT_INT(remade, 2);
	close_site();
}

static const char *etag_of(const char *answer, char into[static 100])
{
	const char *at = strstr(answer, "ETag: ");

	EXPECT(at);
	snprintf(into, 100, "%.*s", (int)strcspn(at + 6, "\r"), at + 6);
	return into;
}

TEST(results_are_not_sent_twice)
{
	char etag[100], head[300], path[100];

	open_site(0);
	add_index(run);
	etag_of(get("flame"), etag);
	snprintf(head, sizeof(head), "Authorization: Bearer %s\r\nIf-None-Match: %s\r\n",
		 SITE_TOKEN, etag);
	snprintf(path, sizeof(path), "/api/v1/runs/%lld/flame", (long long)run);
	EXPECT_INT(site_status(site_ask("GET", path, head, NULL)), 304);
	EXPECT_INT(scene_step(run, RUN_PROCESSING, RUN_DONE), 0);
	EXPECT_INT(site_status(site_ask("GET", path, head, NULL)), 200);
	close_site();
}

/* Those that nobody holds are let go of; those that are held stay. */
TEST(profiles_are_shared_and_let_go)
{
	const struct profile *first, *again, *second;
	struct err err = { 0 };
	int64_t other;

	open_site(1);
	add_index(run);
	EXPECT_INT(profiles_get(site_app.profiles, run, &first, &err), 0);
	EXPECT_INT(profiles_get(site_app.profiles, run, &again, &err), 0);
	EXPECT(first == again);
	profiles_put(site_app.profiles, again);
	other = scene_run(scene_session("t"), RUN_PROCESSING);
	scene_file(other, "index", "x");
	EXPECT_INT(profiles_get(site_app.profiles, other, &second, &err), -EAGAIN);
	EXPECT_INT(first->samples.len, 100);
	profiles_put(site_app.profiles, first);
	EXPECT_INT(profiles_get(site_app.profiles, 12345, &second, &err), -ENOENT);
	close_site();
}
