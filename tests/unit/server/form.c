// SPDX-License-Identifier: Apache-2.0
#include "server/form.h"
#include "base/arena.h"
#include "base/jsonread.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>

#define COMMAND "\"target\":{\"kind\":\"command\",\"command\":\"sleep 1\"}"

static int parse(const char *text, struct arena *arena, struct form *form,
		 struct json_object **object, struct err *err)
{
	*object = jsonread(text, strlen(text), "form", err);
	EXPECT_TEXT(err->text, "");
	return form_parse(*object, arena, form, err);
}

TEST(form_refuses_by_name)
{
	static const struct {
		const char *text, *says;
		int rc; /* 0: -EINVAL */
	} cases[] = {
		{ "{}", "`tool` is missing: one of count" },
		{ "{\"tool\":\"dance\"," COMMAND "}",
		  "`tool` can't be `dance`; it is one of count, sample, both" },
		{ "{\"tool\":7," COMMAND "}", "`tool` must be a text" },
		{ "{\"tool\":\"count\",\"colour\":1," COMMAND "}",
		  "unknown member `colour` of the form; there are tool, live, target" },
		{ "{\"tool\":\"count\"}", "target.kind" },
		{ "{\"tool\":\"count\",\"target\":[]}", "`target` must be an object" },
		{ "{\"tool\":\"count\",\"target\":{\"kind\":\"command\"}}", "needs a command" },
		{ "{\"tool\":\"count\",\"target\":{\"kind\":\"command\",\"argv\":[]}}",
		  "needs a command" },
		{ "{\"tool\":\"count\",\"target\":{\"kind\":\"command\",\"argv\":[\"\"]}}",
		  "no name" },
		{ "{\"tool\":\"count\",\"target\":{\"kind\":\"command\",\"argv\":[1]}}", "`argv`" },
		{ "{\"tool\":\"count\",\"target\":{\"kind\":\"command\",\"command\":\"a|b\"}}",
		  "command: |", -ENOEXEC },
		{ "{\"tool\":\"count\",\"target\":{\"kind\":\"process\",\"who\":\"x\"}}", "`who`" },
		{ "{\"tool\":\"count\",\"target\":{\"kind\":\"process\",\"who\":\"1,\"}}",
		  "`who`" },
		{ "{\"tool\":\"count\",\"target\":{\"kind\":\"user\"}}", "`who`" },
		{ "{\"tool\":\"count\",\"environment\":\"A=1 nope\"," COMMAND "}", "`nope`" },
		{ "{\"tool\":\"count\",\"rate\":\"fast\"," COMMAND "}", "`rate`" },
		{ "{\"tool\":\"count\",\"rate\":\"0\"," COMMAND "}", "`rate`" },
		{ "{\"tool\":\"count\",\"call_graph\":\"x\"," COMMAND "}", "`call_graph`" },
		{ "{\"tool\":\"count\",\"cpus\":\"a\"," COMMAND "}", "cpus" },
		{ "{\"tool\":\"count\",\"folder\":\"tmp\"," COMMAND "}", "`folder`" },
		{ "{\"tool\":\"count\",\"repeats\":0," COMMAND "}", "`repeats`" },
		{ "{\"tool\":\"count\",\"repeats\":1.5," COMMAND "}", "`repeats`" },
		{ "{\"tool\":\"count\",\"limit_s\":-1," COMMAND "}", "`limit_s`" },
		{ "{\"tool\":\"count\",\"limit_s\":NaN," COMMAND "}", "`limit_s`" },
		{ "{\"tool\":\"count\",\"interval_ms\":0," COMMAND "}", "`interval_ms`" },
		{ "{\"tool\":\"count\",\"tags\":[\"\"]," COMMAND "}", "tag" },
		{ "{\"tool\":\"count\",\"options\":{\"stat\":\"'\"}," COMMAND "}", "options.stat" },
		{ "{\"tool\":\"count\",\"options\":{\"perf\":\"\"}," COMMAND "}", "`perf`" },
		{ "{\"tool\":\"count\",\"notes\":\"a\\u0000\"," COMMAND "}", "`notes`" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct json_object *object;
		struct arena arena = { 0 };
		struct err err = { 0 };
		struct form form;

		test_case("%s", cases[i].text);
		EXPECT_INT(parse(cases[i].text, &arena, &form, &object, &err),
			   cases[i].rc ? cases[i].rc : -EINVAL);
		EXPECT_CONTAINS(err.text, cases[i].says);
		json_object_put(object);
		arena_free(&arena);
	}
}

TEST(form_that_says_little)
{
	struct json_object *object;
	struct arena arena = { 0 };
	struct err err = { 0 };
	struct form form;

	EXPECT_INT(parse("{\"tool\":\"sample\"," COMMAND "}", &arena, &form, &object, &err), 0);
	EXPECT_TEXT(form.rate, "99");
	EXPECT_TEXT(form.call_graph, "dwarf");
	form_fini(&form);
	json_object_put(object);
	EXPECT_INT(parse("{\"tool\":\"sample\",\"call_graph\":\"\"," COMMAND "}", &arena, &form,
			 &object, &err),
		   0);
	EXPECT_TEXT(form.call_graph, "");
	form_fini(&form);
	json_object_put(object);
	arena_free(&arena);
}

/* Things that happen have a number of their own; time and what goes with it needs a rate. */
TEST(form_takes_every_one_of_what_happens)
{
	static const struct {
		const char *events, *rate;
	} cases[] = {
		{ "sched:sched_switch", "c1" },
		{ "mem:0x1000/4:w", "c1" },
		{ "{mem:0x1000:w,sched:a}", "c1" },
		{ "cpu/event=1,name=a:b/", "99" },
		{ "sched:a,cycles", "99" },
		{ "page-faults", "c1" },
		{ "cs:u, faults", "c1" },
		{ "{cpu-migrations,minor-faults}:S", "c1" },
		{ "cycles:u", "99" },
		{ "faults,cpu-clock", "99" },
		{ "faultsx", "99" },
		{ "", "99" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct json_object *object = NULL;
		struct arena arena = { 0 };
		struct err err = { 0 };
		struct form form;
		char *text = mem_printf(
			"{\"tool\":\"sample\",\"events\":{\"sample\":\"%s\"}," COMMAND "}",
			cases[i].events);

		test_case("%s", cases[i].events);
		EXPECT_INT(parse(text, &arena, &form, &object, &err), 0);
		EXPECT_TEXT(form.rate, cases[i].rate);
		form_fini(&form);
		json_object_put(object);
		arena_free(&arena);
		free(text);
	}
}

TEST(form_becomes_a_start)
{
	static const char text[] =
		"{\"tool\":\"both\",\"live\":false,\"target\":{\"kind\":\"command\",\"command\":"
		"\"ls | wc\",\"shell\":true},\"environment\":\"A=1 B='x y'\",\"folder\":\"/tmp\","
		"\"cpus\":\"0-1\",\"events\":{\"count\":\"{cycles,instructions},cpu/"
		"event=1,umask=2/\","
		"\"sample\":\"cycles\"},\"interval_ms\":250,\"rate\":\"c1000\",\"call_graph\":"
		"\"dwarf,4096\",\"limit_s\":1.5,\"repeats\":3,\"options\":{\"record\":\"-m 64\"},"
		"\"tags\":[\"t\"],\"notes\":null}";
	struct wordlist events = { 0 };
	struct json_object *object;
	struct arena arena = { 0 };
	struct err err = { 0 };
	struct msg_start start;
	struct form form;

	EXPECT_INT(parse(text, &arena, &form, &object, &err), 0);
	start = form_start(&form, 7);
	EXPECT_INT(start.run, 7);
	EXPECT_INT(start.tool, TOOL_BOTH);
	EXPECT_INT(start.argv.len, 3);
	EXPECT_TEXT(start.argv.data[0], "/bin/sh");
	EXPECT_TEXT(start.argv.data[2], "ls | wc");
	EXPECT_INT(start.environment.len, 2);
	EXPECT_TEXT(start.environment.data[1], "B=x y");
	EXPECT_INT(start.interval_ns, 250000000);
	EXPECT_INT(start.limit_ns, 1500000000);
	EXPECT_TEXT(start.rate, "c1000");
	EXPECT_INT(start.record_options.len, 2);
	EXPECT_INT(form.repeats, 3);
	EXPECT_BOOL(form.live, false);
	form_events(&form, &arena, &events);
	EXPECT_INT(events.len, 3); /* cycles once */
	EXPECT_TEXT(events.data[2], "cpu/event=1,umask=2/");
	vec_free(&events);
	form_fini(&form);
	json_object_put(object);
	arena_free(&arena);
}
