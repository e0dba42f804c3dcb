// SPDX-License-Identifier: Apache-2.0
#include "render/time_json.h"
#include "base/buf.h"
#include "base/outbuf.h"
#include "profile/made.h"
#include "test.h"

#include <errno.h>

#define SECOND 1000000000ull

static struct profile *three_seconds(void)
{
	struct profile *profile = made_profile();

	made_sample(profile, 5 * SECOND, "main;\"quoted\"", 5);
	made_sample(profile, 5 * SECOND + 600000000, "main", 7);
	made_sample(profile, 7 * SECOND + 1, "main", 9);
	return profile;
}

typedef int writer(const struct time_subject *subject, struct outbuf *out, struct err *err);

static void expect(writer *write, const char *want)
{
	struct profile *profile = three_seconds();
	struct time_subject subject = { .run = 4,
					.profile = profile,
					.span = profile_span(profile, 0, 0) };
	struct buf text = { 0 };
	struct outbuf out;
	struct err err = { 0 };

	outbuf_init_memory(&out, &text);
	EXPECT_INT(write(&subject, &out, &err), 0);
	outbuf_fini(&out);
	EXPECT_TEXT(buf_text(&text), want);
	buf_free(&text);
	profile_free(profile);
}

static int heatmap(const struct time_subject *subject, struct outbuf *out, struct err *err)
{
	return time_heatmap_json(subject, &(struct profile_filter){ 0 }, 2, out, err);
}

static int lanes(const struct time_subject *subject, struct outbuf *out, struct err *err)
{
	struct lanes_options options = { .kind = LANE_THREAD, .columns = 2, .limit = 5 };

	return time_lanes_json(subject, &options, out, err);
}

static int samples(const struct time_subject *subject, struct outbuf *out, struct err *err)
{
	return time_samples_json(subject, &(struct profile_filter){ .time_from = 5 * SECOND + 1 },
				 10, out, err);
}

static int chart(const struct time_subject *subject, struct outbuf *out, struct err *err)
{
	struct chart_options options = { .tid = 1, .columns = 10, .to = 6 * SECOND };

	return time_chart_json(subject, &options, out, err);
}

TEST(time_heatmap_as_json)
{
	expect(heatmap, "{\"run\":4,\"event\":\"cpu-clock\",\"start_ns\":\"5000000000\","
			"\"end_ns\":\"7000000001\",\"lanes\":\"none\",\"samples\":3,\"most\":1,"
			"\"columns\":3,\"rows\":2,\"counts\":[1,1,0,0,1,0]}");
}

TEST(time_lanes_as_json)
{
	expect(lanes, "{\"run\":4,\"event\":\"cpu-clock\",\"start_ns\":\"5000000000\","
		      "\"end_ns\":\"7000000001\",\"lanes\":\"thread\",\"samples\":3,\"most\":2,"
		      "\"columns\":2,\"column_ns\":1000000001,\"from_ns\":\"5000000000\","
		      "\"to_ns\":\"7000000002\",\"items\":[{\"samples\":3,\"pid\":1,\"tid\":1,"
		      "\"comm\":\"prog\",\"counts\":[2,1]}],\"left_out\":0}");
}

TEST(time_samples_as_json)
{
	expect(samples,
	       "{\"run\":4,\"event\":\"cpu-clock\",\"start_ns\":\"5000000000\",\"unit\":\"ns\","
	       "\"from_ns\":\"5000000001\",\"to_ns\":\"7000000002\",\"samples\":2,"
	       "\"down_sampled\":false,\"t\":[600000000,2000000001],\"value\":[7,9],"
	       "\"ip\":[\"\",\"\"],\"function\":[0,0],\"cpu\":[0,0],\"tid\":[1,1],"
	       "\"functions\":[{\"name\":\"main\",\"object\":\"/bin/prog\",\"kind\":\"user\"}]}");
}

TEST(time_chart_as_json)
{
	expect(chart,
	       "{\"run\":4,\"event\":\"cpu-clock\",\"start_ns\":\"5000000000\",\"tid\":1,"
	       "\"comm\":\"prog\",\"from_ns\":\"5000000000\",\"to_ns\":\"6000000000\","
	       "\"samples\":2,\"down_sampled\":false,\"depth\":2,\"t\":[0,0,600000000],"
	       "\"length\":[7,7,7],\"level\":[0,1,0],\"function\":[0,1,0],"
	       "\"count\":[1,1,1],\"functions\":[{\"name\":\"main\",\"object\":\"/bin/prog\","
	       "\"kind\":\"user\"},{\"name\":\"\\\"quoted\\\"\",\"object\":\"/bin/prog\","
	       "\"kind\":\"user\"}]}");
}
