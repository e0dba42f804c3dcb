// SPDX-License-Identifier: Apache-2.0
#include "base/cpuset.h"
#include "base/buf.h"
#include "test.h"

#include <errno.h>
#include <unistd.h>

static char *spelled(const struct cpuset *set)
{
	struct buf text = { 0 };

	vec_each (cpu, set)
		buf_printf(&text, "%d ", *cpu);
	buf_puts(&text, "");
	return text.data;
}

TEST(cpuset_reads_lists)
{
	static const struct {
		const char *text, *numbers;
	} cases[] = {
		{ "0", "0 " },
		{ "0-3", "0 1 2 3 " },
		{ "3,1,2", "1 2 3 " },
		{ "0-2,1-4,2", "0 1 2 3 4 " },
		{ "8,10-11\n", "8 10 11 " },
		{ "5-5", "5 " },
		{ "65535", "65535 " },
		{ "1,", "1 " },
		{ "", "" },
		{ "\n", "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct cpuset set = { 0 };
		struct err err = { 0 };
		char *numbers;

		test_case("'%s'", cases[i].text);
		EXPECT_INT(cpuset_parse(&set, cases[i].text, &err), 0);
		numbers = spelled(&set);
		EXPECT_TEXT(numbers, cases[i].numbers);
		free(numbers);
		cpuset_free(&set);
	}
}

TEST(cpuset_refuses_what_is_no_list)
{
	static const char *const cases[] = {
		"a",   "-1",	      "1-",    "3-1", "1,,2", ",1",
		"1 2", "0-65536",     "65536", "1x",  "0x3",  "1-2-3",
		"+1",  "99999999999", "0-3,a", " 1",  "1;2",  "0-99999999999999999999",
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct cpuset set = { 0 };
		struct err err = { 0 };
		char *numbers;

		test_case("'%s'", cases[i]);
		*vec_push(&set) = 7;
		EXPECT_INT(cpuset_parse(&set, cases[i], &err), -EINVAL);
		EXPECT_CONTAINS(err.text, cases[i]);
		EXPECT_CONTAINS(err.text, "is not a list of CPUs");
		numbers = spelled(&set);
		EXPECT_TEXT(numbers, "7 "); /* nothing of it was taken */
		free(numbers);
		cpuset_free(&set);
	}
}

TEST(cpuset_adds_to_what_is_there)
{
	struct cpuset set = { 0 };
	char *numbers;

	EXPECT_INT(cpuset_parse(&set, "4-5", NULL), 0);
	EXPECT_INT(cpuset_parse(&set, "1,5", NULL), 0);
	numbers = spelled(&set);
	EXPECT_TEXT(numbers, "1 4 5 ");
	EXPECT(cpuset_has(&set, 4));
	EXPECT(!cpuset_has(&set, 2));
	EXPECT(!cpuset_has(&set, -1));
	free(numbers);
	cpuset_free(&set);
	EXPECT(!cpuset_has(&set, 4));
}

TEST(cpuset_knows_the_cpus_that_are_online)
{
	struct cpuset set = { 0 };

	EXPECT_INT(cpuset_online(&set, NULL), 0);
	EXPECT_INT(set.len, sysconf(_SC_NPROCESSORS_ONLN));
	cpuset_free(&set);
}
