// SPDX-License-Identifier: Apache-2.0
/*
 * Options that the supervisor lets pass, words apart by newlines: read by the tables of `stat` and
 * `record` none of them names a file, a command, a descriptor or whom to measure.  The first word
 * is also taken as numbers of processes and as a rate.
 */
#include "base/clock.h"
#include "base/wordlist.h"
#include "cmd/record_options.h"
#include "cmd/stat_options.h"
#include "fuzz.h"
#include "jobs/family.h"
#include "jobs/identity.h"
#include "jobs/reach.h"
#include "jobs/request.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static struct wordlist split(char *text)
{
	struct wordlist words = { 0 };

	for (char *word; (word = strsep(&text, "\n"));)
		*vec_push(&words) = word;
	return words;
}

/* As jobs/measure.c puts them behind its own. */
static char **argv_of(const struct wordlist *words)
{
	char **argv = mem_alloc((words->len + 2) * sizeof(*argv));

	argv[0] = (char *)"perfolio";
	for (size_t i = 0; i < words->len; i++)
		argv[i + 1] = (char *)words->data[i];
	return argv;
}

static void read_stat(const struct wordlist *words)
{
	struct stat_options o = stat_option_defaults;
	struct options_result result = { 0 };
	char **argv = argv_of(words);
	int argc = (int)words->len + 1;

	if (!options_parse(stat_option_specs, &o, argc, argv, true, &result, NULL)) {
		FUZZ_HOLDS(result.help || result.next == argc);
		FUZZ_HOLDS(!o.output && !o.pre && !o.post && !o.control && !o.log_fd);
		FUZZ_HOLDS(!o.series_fd && !o.append && o.repeat == 1);
		FUZZ_HOLDS(!o.pids && !o.tids && !o.user && !o.cpus && !o.all_cpus && !o.tree);
		FUZZ_HOLDS(!o.cgroups && !o.each_cgroup && !o.interval_ns);
	}
	stat_options_release(&o);
	free(argv);
}

static void read_record(const struct wordlist *words)
{
	struct record_options o = record_option_defaults;
	struct options_result result = { 0 };
	char **argv = argv_of(words);
	int argc = (int)words->len + 1;

	if (!options_parse(record_option_specs, &o, argc, argv, true, &result, NULL)) {
		FUZZ_HOLDS(result.help || result.next == argc);
		FUZZ_HOLDS(!o.output && !o.control && !o.switching && !o.summary && !o.plan);
		FUZZ_HOLDS(!o.pids && !o.tids && !o.user && !o.cpus && !o.all_cpus && !o.tree);
		FUZZ_HOLDS(!o.cgroups && !o.priority && o.choice.clock == CLOCK_MONOTONIC);
	}
	record_options_release(&o);
	free(argv);
}

/* Whatever it is, it is numbers and commas, and a rate one word. */
static void read_target(const char *text, FILE *file)
{
	struct reach reach = { .attach = true, .attach_others = true, .users = true };
	struct family family = { 0 };
	struct identity who = { .name = (char *)"somebody" };
	struct msg_start start = { .tool = TOOL_SAMPLE,
				   .target = TARGET_PROCESS,
				   .who = text,
				   .folder = "",
				   .rate = "",
				   .recording = fileno(file) };
	struct stat info;

	fstat(fileno(file), &info);
	if (!request_check(&reach, &family, &who, info.st_dev, &start, NULL))
		FUZZ_HOLDS(strspn(text, "0123456789,") == strlen(text) && *text);
	start.who = "1";
	start.rate = text;
	if (!request_check(&reach, &family, &who, info.st_dev, &start, NULL))
		FUZZ_HOLDS(strspn(text, "0123456789cmax") == strlen(text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static FILE *file;
	char *text = fuzz_text(data, size);
	struct wordlist words = split(text);

	if (!file)
		file = tmpfile();
	if (!request_check_options(&words, false, NULL))
		read_stat(&words);
	if (!request_check_options(&words, true, NULL))
		read_record(&words);
	read_target(text, file);
	vec_free(&words);
	free(text);
	return 0;
}
