// SPDX-License-Identifier: Apache-2.0
#include "cmd/stat_options.h"
#include "base/clock.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>

/* Parses the words of a line, as main.c does, and checks what they say together. */
static int parse(struct stat_options *options, const char *line, struct err *err)
{
	struct options_result result;
	static char copy[200]; /* the options borrow from it */
	char *argv[32] = { NULL };
	int argc = 0, rc;

	snprintf(copy, sizeof(copy), "%s", line);
	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	*options = stat_option_defaults;
	rc = options_parse(stat_option_specs, options, argc, argv, true, &result, err);
	if (!rc)
		rc = stat_options_check(options, argc - result.next, err);
	stat_options_release(options);
	return rc;
}

TEST(stat_options_that_go_together)
{
	static const char *const lines[] = {
		"stat true",
		"stat",
		"stat -e cs --filter x -e faults -- true",
		"stat -a -A -I 100 --interval-count 3 --summary sleep 1",
		"stat --per-thread",
		"stat --per-thread -p 1",
		"stat -a --per-core --timeout 50",
		"stat -C 0-3 --no-aggr true",
		"stat -D -1 --control fifo:a,b true",
		"stat -r 3 --table true",
		"stat -x, --no-big-num -o file --append true",
		"stat --format json true",
		"stat --for-each-cgroup a,b -a sleep 1",
		"stat -ddd -vv -n -S -i -B -c -j true",
	};

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct stat_options options;
		struct err err = { 0 };

		test_case("%s", lines[i]);
		EXPECT_INT(parse(&options, lines[i], &err), 0);
		EXPECT_TEXT(err.text, "");
	}
}

TEST(stat_options_that_do_not)
{
	static const struct {
		const char *line, *says;
	} cases[] = {
		{ "stat --filter x true", "the -e before it" },
		{ "stat -I 0.5 true", "1ms is the shortest" },
		{ "stat --interval-count 2 true", "needs -I" },
		{ "stat --interval-count -1 -I 10 true", "above 0" },
		{ "stat --timeout 5 true", "10ms is the shortest" },
		{ "stat --timeout 100 -I 100 true", "--interval-count" },
		{ "stat -r -1 true", "0 is forever" },
		{ "stat --table true", "needs -r" },
		{ "stat -A --per-core -a true", "choose one" },
		{ "stat -A true", "use -a or -C" },
		{ "stat --per-socket -p 1", "use -a or -C" },
		{ "stat --per-thread true", "needs -p, -t, -u or -a" },
		{ "stat --per-thread -a -C 0 true", "needs -p, -t, -u or -a" },
		{ "stat -G a --for-each-cgroup b -a true", "don't go together" },
		{ "stat --per-thread -p 1 -G a true", "by CPU" },
		{ "stat -o f --log-fd 3 true", "don't go together" },
		{ "stat --log-fd -3 true", "above 0" },
		{ "stat -x, -B true", "-B" },
		{ "stat --metric-only --per-thread -p 1", "don't go together" },
		{ "stat --metric-only -r 2 true", "don't go together" },
		{ "stat --all-user --all-kernel true", "exclude" },
		{ "stat --passes -I 100 true", "don't go together" },
		{ "stat -D soon true", "not a duration" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct stat_options options;
		struct err err = { 0 };

		test_case("%s", cases[i].line);
		EXPECT_INT(parse(&options, cases[i].line, &err), -EINVAL);
		EXPECT_CONTAINS(err.text, cases[i].says);
	}
}

TEST(stat_options_formats)
{
	static const struct {
		const char *line;
		int rc;
		enum stat_format format;
	} cases[] = {
		{ "stat true", 0, STAT_TEXT },
		{ "stat -x; true", 0, STAT_CSV },
		{ "stat -j true", 0, STAT_JSON },
		{ "stat --format text true", 0, STAT_TEXT },
		{ "stat --format csv true", 0, STAT_CSV },
		{ "stat --format csv -x; true", 0, STAT_CSV },
		{ "stat --format json -j true", 0, STAT_JSON },
		{ "stat --format csv -j true", -EINVAL, 0 },
		{ "stat --format text -x, true", -EINVAL, 0 },
		{ "stat --format xml true", -EINVAL, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct stat_options options;
		enum stat_format format;
		struct err err = { 0 };

		test_case("%s", cases[i].line);
		EXPECT_INT(parse(&options, cases[i].line, &err), 0);
		EXPECT_INT(stat_options_format(&options, &format, &err), cases[i].rc);
		if (!cases[i].rc)
			EXPECT_INT(format, cases[i].format);
	}
}

TEST(stat_options_times_are_milliseconds)
{
	struct stat_options options;
	struct err err = { 0 };

	EXPECT_INT(parse(&options, "stat -I 100 -D 1s sleep 1", &err), 0);
	EXPECT_INT(options.interval_ns, 100 * NS_PER_MSEC);
	EXPECT_INT(options.delay_ns, NS_PER_SEC);
	EXPECT_INT(parse(&options, "stat --timeout 250ms sleep 1", &err), 0);
	EXPECT_INT(options.timeout_ns, 250 * NS_PER_MSEC);
}
