// SPDX-License-Identifier: Apache-2.0
#include "server/commands.h"
#include "base/arena.h"
#include "base/json.h"
#include "base/jsonread.h"
#include "server/form.h"
#include "test.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>

/* What is written for the form, without the "commands" around it. */
static char *lines_of(const char *text)
{
	struct arena arena = { 0 };
	struct err err = { 0 };
	struct json_object *object = jsonread(text, strlen(text), "form", &err);
	struct form form;
	char *out = NULL;
	size_t size;
	FILE *file = open_memstream(&out, &size);
	struct json json = json_to(file);

	EXPECT_INT(form_parse(object, &arena, &form, &err), 0);
	EXPECT_TEXT(err.text, "");
	json_open(&json, NULL, '{');
	commands_write(&json, &form, &arena);
	json_close(&json);
	fclose(file);
	form_fini(&form);
	json_object_put(object);
	arena_free(&arena);
	return out;
}

TEST(commands_say_all_that_the_server_does)
{
	static const struct {
		const char *form, *perfolio, *perf;
	} cases[] = {
		{ "{\"tool\":\"sample\",\"rate\":\"99\",\"call_graph\":\"fp\",\"cpus\":\"0-1\","
		  "\"folder\":\"/a b\",\"environment\":\"A=1 B='x y' C=\",\"limit_s\":2.5,"
		  "\"target\":{\"kind\":\"command\",\"command\":\"ls 'c d'\"}}",
		  "\"cd '/a b' && A=1 B='x y' C= perfolio record -F 99 --call-graph fp "
		  "--sample-cpu -- timeout 2.5 taskset -c 0-1 ls 'c d'\"",
		  "\"cd '/a b' && A=1 B='x y' C= perf record -F 99 --call-graph fp "
		  "--sample-cpu -- timeout 2.5 taskset -c 0-1 ls 'c d'\"" },
		{ "{\"tool\":\"both\",\"interval_ms\":5,\"rate\":\"c1000\",\"call_graph\":\"\","
		  "\"limit_s\":3,"
		  "\"events\":{\"count\":\"{cycles,faults}:u\",\"sample\":\"faults\"},"
		  "\"options\":{\"stat\":\"-A\",\"record\":\"-m 8\"},"
		  "\"target\":{\"kind\":\"process\",\"who\":\"7,8\",\"children\":true}}",
		  "\"perfolio stat -I 5 -e '{cycles,faults}:u' -A -p 7,8 --tree -- sleep 3\","
		  "\"perfolio record -c 1000 -e faults --sample-cpu -m 8 -p 7,8 --tree -- sleep "
		  "3\"",
		  "\"perf stat -I 10 -e '{cycles,faults}:u' -A -p 7,8 -- sleep 3\","
		  "\"perf record -c 1000 -e faults --sample-cpu -m 8 -p 7,8 -- sleep 3\"" },
		{ "{\"tool\":\"count\",\"target\":{\"kind\":\"thread\",\"who\":\"9\"}}",
		  "\"perfolio stat -I 100 -t 9\"", "\"perf stat -I 100 -t 9\"" },
		{ "{\"tool\":\"both\",\"target\":{\"kind\":\"user\",\"who\":\"me\"}}",
		  "\"perfolio stat -I 100 -u me\",\"perfolio record -F 99 --call-graph dwarf "
		  "--sample-cpu -u me\"",
		  "\"perf record -F 99 --call-graph dwarf,65528 --sample-cpu -u me\"" },
		{ "{\"tool\":\"count\",\"limit_s\":1,\"target\":{\"kind\":\"host\"}}",
		  "\"perfolio stat -I 100 -a -- sleep 1\"", "\"perf stat -I 100 -a -- sleep 1\"" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char want[2000], *got = lines_of(cases[i].form);

		test_case("%s", cases[i].form);
		snprintf(want, sizeof(want), "{\"commands\":{\"perfolio\":[%s],\"perf\":[%s]}}\n",
			 cases[i].perfolio, cases[i].perf);
		EXPECT_TEXT(got, want);
		free(got);
	}
}
