// SPDX-License-Identifier: Apache-2.0
#include "jobs/request.h"
#include "base/clock.h"
#include "base/err.h"
#include "jobs/family.h"
#include "jobs/identity.h"
#include "jobs/reach.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static struct wordlist words_of(const char *const *words)
{
	struct wordlist list = { 0 };

	for (; *words; words++)
		*vec_push(&list) = *words;
	return list;
}

TEST(request_options)
{
	static const struct {
		const char *words[4];
		bool record;
		int rc;
	} cases[] = {
		{ { "-d" }, false, 0 },
		{ { "-dd", "--all-user" }, false, 0 },
		{ { "-e", "cycles" }, false, 0 },
		{ { "-ecycles" }, false, 0 },
		{ { "--event=cycles" }, false, 0 },
		{ { "--event", "cycles" }, false, 0 },
		{ { "-dx" }, false, -EPERM },
		{ { "--even=cycles" }, false, -EPERM },
		{ { "--eventual" }, false, -EPERM },
		{ { "-d=1" }, false, -EPERM },
		{ { "-e" }, false, -EINVAL },
		{ { "-e", "-o" }, false, -EINVAL },
		{ { "-e", "--pre=id" }, false, -EINVAL },
		{ { "-ofile" }, false, -EPERM },
		{ { "--output=file" }, false, -EPERM },
		{ { "--pre=id" }, false, -EPERM },
		{ { "--post", "id" }, false, -EPERM },
		{ { "--control=fd:1" }, false, -EPERM },
		{ { "--series=1" }, false, -EPERM },
		{ { "--log-fd=1" }, false, -EPERM },
		{ { "-p1" }, false, -EPERM },
		{ { "--" }, false, -EPERM },
		{ { "" }, false, -EPERM },
		{ { "id" }, false, -EPERM },
		{ { "-g", "-b", "-d" }, true, 0 },
		{ { "--call-graph=dwarf,4096" }, true, 0 },
		{ { "-j", "any,u" }, true, 0 },
		{ { "-m4M" }, true, 0 },
		{ { "-o", "file" }, true, -EPERM },
		{ { "--output=x" }, true, -EPERM },
		{ { "-a" }, true, -EPERM },
		{ { "-k", "realtime" }, true, -EPERM },
		{ { "--switch-output=1s" }, true, -EPERM },
		{ { "-r", "99" }, true, -EPERM },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct wordlist list = words_of(cases[i].words);
		struct err err = { 0 };

		test_case("%s", cases[i].words[0]);
		EXPECT_INT(request_check_options(&list, cases[i].record, &err), cases[i].rc);
		vec_free(&list);
	}
}

static struct msg_start start_of(const char *const *argv, int file)
{
	return (struct msg_start){
		.run = 1,
		.tool = TOOL_BOTH,
		.target = TARGET_COMMAND,
		.who = "",
		.argv = words_of(argv),
		.folder = "",
		.cpus = "",
		.count_events = "",
		.interval_ns = NS_PER_MSEC,
		.sample_events = "",
		.rate = "99",
		.call_graph = "",
		.recording = file,
		.series = file,
		.output = file,
	};
}

TEST(request_targets)
{
	static const struct {
		uint64_t target;
		const char *who;
		int strict, lax; /* what comes of it */
	} cases[] = {
		{ TARGET_HOST, "", -EPERM, 0 },
		{ TARGET_PROCESS, "1", -EPERM, 0 },
		{ TARGET_PROCESS, "1,22", -EPERM, 0 },
		{ TARGET_THREAD, "1", -EPERM, 0 },
		{ TARGET_USER, "root", -EPERM, 0 },
		{ TARGET_USER, "no such user", -EINVAL, -EINVAL },
		{ TARGET_PROCESS, "", -EPERM, -EINVAL },
		{ TARGET_PROCESS, "1,", -EPERM, -EINVAL },
		{ TARGET_PROCESS, ",1", -EPERM, -EINVAL },
		{ TARGET_PROCESS, "-1", -EPERM, -EINVAL },
		{ TARGET_PROCESS, "1 --output=x", -EPERM, -EINVAL },
		{ TARGET_PROCESS, "99999999999999", -EPERM, -EINVAL },
		{ 17, "", -EINVAL, -EINVAL },
	};
	struct identity seven = { .uid = 7, .name = (char *)"seven" };
	struct reach strict = { 0 };
	struct reach lax = { .attach = true, .attach_others = true, .users = true, .host = true };
	struct family family = { 0 };
	FILE *file = tmpfile();
	struct stat info;

	fstat(fileno(file), &info);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct msg_start start = start_of((const char *const[]){ NULL }, fileno(file));
		struct err err = { 0 };

		test_case("%s", cases[i].who);
		start.target = cases[i].target;
		start.who = cases[i].who;
		EXPECT_INT(request_check(&strict, &family, &seven, info.st_dev, &start, &err),
			   cases[i].strict);
		EXPECT_INT(request_check(&lax, &family, &seven, info.st_dev, &start, &err),
			   cases[i].lax);
	}
	fclose(file);
}

/* Attaching is allowed, but to nobody else's. */
TEST(request_own_processes_only)
{
	struct identity us = { .uid = getuid(), .name = (char *)"us" };
	struct reach reach = { .attach = true };
	struct family family = { 0 };
	FILE *file = tmpfile();
	struct msg_start start = start_of((const char *const[]){ NULL }, fileno(file));
	struct err err = { 0 };
	struct stat info;
	char own[32];

	fstat(fileno(file), &info);
	snprintf(own, sizeof(own), "%d", (int)getpid());
	start.target = TARGET_PROCESS;
	start.who = own;
	EXPECT_INT(request_check(&reach, &family, &us, info.st_dev, &start, &err), 0);
	us.uid++;
	EXPECT_INT(request_check(&reach, &family, &us, info.st_dev, &start, &err), -EPERM);
	EXPECT_CONTAINS(err.text, "is not of user us");
	reach.shared = true;
	EXPECT_INT(request_check(&reach, &family, &us, info.st_dev, &start, &err), -EPERM);
	EXPECT_CONTAINS(err.text, "`--allow attach`");
	fclose(file);
}

/* Neither what is the server's, nor, with its children, what has started it. */
TEST(request_never_the_server)
{
	struct identity us = { .uid = getuid(), .name = (char *)"us" };
	struct reach reach = { .attach = true, .attach_others = true };
	struct family family = { .supervisor = getppid(), .guard = 0 };
	FILE *file = tmpfile();
	struct msg_start start = start_of((const char *const[]){ NULL }, fileno(file));
	struct err err = { 0 };
	struct stat info;
	char own[32];

	fstat(fileno(file), &info);
	snprintf(own, sizeof(own), "1,%d", (int)getpid());
	start.target = TARGET_PROCESS;
	start.who = own;
	EXPECT_INT(request_check(&reach, &family, &us, info.st_dev, &start, &err), -EPERM);
	EXPECT_CONTAINS(err.text, "is perfolio's own");
	start.target = TARGET_THREAD;
	EXPECT_INT(request_check(&reach, &family, &us, info.st_dev, &start, &err), -EPERM);
	start.target = TARGET_PROCESS;
	family.supervisor = getpid();
	snprintf(own, sizeof(own), "%d", (int)getppid());
	EXPECT_INT(request_check(&reach, &family, &us, info.st_dev, &start, &err), 0);
	start.children = true;
	EXPECT_INT(request_check(&reach, &family, &us, info.st_dev, &start, &err), -EPERM);
	EXPECT_CONTAINS(err.text, "has started this server");
	fclose(file);
}

TEST(request_values)
{
	struct identity who = { .name = (char *)"somebody" };
	struct reach reach = { 0 };
	struct family family = { 0 };
	FILE *file = tmpfile();
	struct stat info;
	static const struct {
		const char *rate, *folder, *entry;
		uint64_t tool, interval;
		int rc;
	} cases[] = {
		{ "99", "/tmp", "A=b", TOOL_COUNT, NS_PER_MSEC, 0 },
		{ "max", "", "A=", TOOL_SAMPLE, 0, 0 },
		{ "c1000", "", "A=b=c", TOOL_BOTH, NS_PER_SEC, 0 },
		{ "c", "", "A=b", TOOL_SAMPLE, 0, -EINVAL },
		{ "99 -o x", "", "A=b", TOOL_SAMPLE, 0, -EINVAL },
		{ "-1", "", "A=b", TOOL_SAMPLE, 0, -EINVAL },
		{ "", "tmp", "A=b", TOOL_SAMPLE, 0, -EINVAL },
		{ "", "", "A", TOOL_SAMPLE, 0, -EINVAL },
		{ "", "", "=b", TOOL_SAMPLE, 0, -EINVAL },
		{ "", "", "A=b", TOOL_COUNT, 999999, -EINVAL },
		{ "", "", "A=b", 0, 0, -EINVAL },
		{ "", "", "A=b", 4, 0, -EINVAL },
	};

	fstat(fileno(file), &info);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct msg_start start = start_of((const char *const[]){ "true", NULL },
						  fileno(file));
		struct err err = { 0 };

		test_case("%s", cases[i].rate);
		start.rate = cases[i].rate;
		start.folder = cases[i].folder;
		start.tool = cases[i].tool;
		start.interval_ns = cases[i].interval;
		*vec_push(&start.environment) = cases[i].entry;
		EXPECT_INT(request_check(&reach, &family, &who, info.st_dev, &start, &err),
			   cases[i].rc);
		vec_free(&start.environment);
		vec_free(&start.argv);
	}
	fclose(file);
}

TEST(request_files)
{
	int pair[2], null = open("/dev/null", O_RDWR), proc = open("/proc/self/comm", O_RDWR);
	int self = open("/proc/self/exe", O_RDONLY);
	FILE *file = tmpfile();
	struct err err = { 0 };
	struct stat info;

	fstat(fileno(file), &info);
	EXPECT_INT(pipe(pair), 0);
	EXPECT_INT(request_check_file(fileno(file), info.st_dev, "output", &err), 0);
	EXPECT_INT(request_check_file(fileno(file), info.st_dev + 1, "output", &err), -EPERM);
	EXPECT_INT(request_check_file(-1, info.st_dev, "output", &err), -EINVAL);
	EXPECT_INT(request_check_file(null, info.st_dev, "output", &err), -EPERM);
	EXPECT_INT(request_check_file(proc, info.st_dev, "output", &err), -EPERM);
	EXPECT_INT(request_check_file(self, info.st_dev, "output", &err), -EPERM);
	EXPECT_INT(request_check_file(pair[1], info.st_dev, "output", &err), -EPERM);
	EXPECT_TEXT(err.text, "the file for the output is not in the data folder");
	close(pair[0]);
	close(pair[1]);
	close(null);
	close(proc);
	close(self);
	fclose(file);
}
