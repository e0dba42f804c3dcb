// SPDX-License-Identifier: Apache-2.0
#include "base/options.h"
#include "base/buf.h"
#include "base/vec.h"
#include "test.h"

#include <errno.h>
#include <limits.h>

enum { WORDS = 8 };

struct values {
	bool all, no_inherit;
	int verbose, repeat, summaries;
	uint64_t size;
	const char *output, *style, *summary;
	struct strlist events;
	int64_t interval_ns;
};

static int take_summary(void *options, const char *text, bool unset, struct err *err)
{
	struct values *values = options;

	if (text && !strcmp(text, "bad"))
		return err_set(err, EINVAL, "'bad' is bad");
	values->summaries = unset ? 0 : values->summaries + 1;
	values->summary = text;
	return 0;
}

#define FIELD(name) offsetof(struct values, name)

static const struct option_spec specs[] = {
	{ OPT_HEADING, .help = "A heading" },
	{ OPT_FLAG, 'a', "all-cpus", FIELD(all), NULL, "everything" },
	{ OPT_FLAG, 'i', "no-inherit", FIELD(no_inherit), NULL, "no children" },
	{ OPT_COUNT, 'v', "verbose", FIELD(verbose), NULL, "more words" },
	{ OPT_INT, 'r', "repeat", FIELD(repeat), "N", "times" },
	{ OPT_U64, 0, "size", FIELD(size), "N", "bytes" },
	{ OPT_TEXT, 'o', "output", FIELD(output), "FILE", "where to" },
	{ OPT_TEXT, 0, "style", FIELD(style), "[NAME]", "how" },
	{ OPT_LIST, 'e', "event", FIELD(events), "EVENT", "what" },
	{ OPT_LIST, 0, "events", FIELD(events), "EVENT", "the same", .hidden = true },
	{ OPT_DURATION, 'I', "interval-print", FIELD(interval_ns), "TIME", "how often",
	  .unit_ns = 1000000 },
	{ OPT_CALL, 's', "summary", 0, "[WHAT]", "a summary", .call = take_summary },
	{ OPT_CALL, 0, "summary-only", 1, NULL, "that only", .call = take_summary },
	{ 0 },
};

struct run {
	struct values values;
	struct options_result result;
	struct err err;
	char *argv[WORDS + 2];
	int argc, rc;
};

/* Parses `line`, words apart by single spaces, after a program name. */
static void run_line(struct run *run, char *line, bool stop_at_word)
{
	*run = (struct run){ .argv = { (char *)"prog" }, .argc = 1 };
	for (char *word = strtok(line, " "); word; word = strtok(NULL, " "))
		run->argv[run->argc++] = word;
	run->rc = options_parse(specs, &run->values, run->argc, run->argv, stop_at_word,
				&run->result, &run->err);
}

static void run_free(struct run *run)
{
	strlist_free(&run->values.events);
}

/* What the values are, in one line of text, those that are not zero. */
static char *spelled(const struct values *v)
{
	struct buf text = { 0 };

	buf_puts(&text, v->all ? "all " : "");
	buf_puts(&text, v->no_inherit ? "no-inherit " : "");
	if (v->verbose)
		buf_printf(&text, "verbose=%d ", v->verbose);
	if (v->repeat)
		buf_printf(&text, "repeat=%d ", v->repeat);
	if (v->size)
		buf_printf(&text, "size=%llu ", (unsigned long long)v->size);
	if (v->output)
		buf_printf(&text, "output=%s ", v->output);
	if (v->style)
		buf_printf(&text, "style=%s ", v->style);
	vec_each (event, &v->events)
		buf_printf(&text, "event=%s ", *event);
	if (v->interval_ns)
		buf_printf(&text, "interval=%lld ", (long long)v->interval_ns);
	if (v->summaries)
		buf_printf(&text, "summary%d=%s ", v->summaries, v->summary ? v->summary : "");
	return text.data;
}

TEST(options_spellings)
{
	static const struct {
		const char *line, *values;
	} cases[] = {
		{ "", "" },
		{ "-a", "all " },
		{ "--all-cpus", "all " },
		{ "--all", "all " },
		{ "--no-all-cpus", "" },
		{ "-a --no-all-cpus", "" },
		{ "-a --no-all", "" },
		{ "--no-inherit", "no-inherit " },
		{ "-i", "no-inherit " },
		{ "-i --inherit", "" },
		{ "-i --inh", "" },
		{ "--no-inh", "no-inherit " },
		{ "-v -v --verbose", "verbose=3 " },
		{ "-vvv", "verbose=3 " },
		{ "-vv --no-verbose", "" },
		{ "-av", "all verbose=1 " },
		{ "-r 5", "repeat=5 " },
		{ "-r5", "repeat=5 " },
		{ "-r -5", "repeat=-5 " },
		{ "--repeat 5", "repeat=5 " },
		{ "--repeat=5", "repeat=5 " },
		{ "--rep=0x10", "repeat=16 " },
		{ "-avr5", "all verbose=1 repeat=5 " },
		{ "-r 1 -r 2", "repeat=2 " },
		{ "--size 18446744073709551615", "size=18446744073709551615 " },
		{ "-o file", "output=file " },
		{ "-o -", "output=- " },
		{ "-o --", "output=-- " },
		{ "--output=", "output= " },
		{ "--output=a=b", "output=a=b " },
		{ "--style", "style= " },
		{ "--style=x", "style=x " },
		{ "--style=x --no-style", "" },
		{ "-e a -eb --event c --event=d --events=e --ev f",
		  "event=a event=b event=c event=d event=e event=f " },
		{ "-I 100", "interval=100000000 " },
		{ "-I 2s", "interval=2000000000 " },
		{ "-I -1", "interval=-1 " },
		{ "--in 5us", "interval=5000 " }, /* not the opposite of --no-inherit */
		{ "-s", "summary1= " },
		{ "--summary", "summary1= " },
		{ "--summary=x", "summary1=x " },
		{ "-sx", "summary1=x " },
		{ "-s --no-summary", "" },
		{ "--summary-o", "summary1= " },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *line = mem_strdup(cases[i].line), *values;
		struct run run;

		test_case("%s", cases[i].line);
		run_line(&run, line, false);
		EXPECT_TEXT(run.err.text, "");
		EXPECT_INT(run.rc, 0);
		values = spelled(&run.values);
		EXPECT_TEXT(values, cases[i].values);
		EXPECT_INT(run.result.next, run.argc);
		free(values);
		run_free(&run);
		free(line);
	}
}

TEST(options_faults)
{
	static const struct {
		const char *line, *text;
	} cases[] = {
		{ "--frob", "unknown option '--frob'" },
		{ "--frob=7", "unknown option '--frob'" },
		{ "-x", "unknown option '-x'" },
		{ "-ax", "unknown option '-x'" },
		{ "--=x", "unknown option '--'" },
		{ "--su", "ambiguous option '--su'; it could be --summary, --summary-only" },
		{ "--s", "ambiguous option '--s'; it could be --size, --style, --summary, "
			 "--summary-only" },
		{ "--all-cpus=1", "--all-cpus takes no value" },
		{ "--no-summary=x", "--no-summary takes no value" },
		{ "--no-repeat", "unknown option '--no-repeat'" },
		{ "-r", "-r needs N" },
		{ "--repeat", "--repeat needs N" },
		{ "--output", "--output needs FILE" },
		{ "-r five", "-r: 'five' is not a number, or out of range" },
		{ "-r 5x", "-r: '5x' is not a number, or out of range" },
		{ "--repeat=", "--repeat: '' is not a number, or out of range" },
		{ "-r 2147483648", "-r: '2147483648' is not a number, or out of range" },
		{ "--size -1", "--size: '-1' is not a number, or out of range" },
		{ "--size 18446744073709551616",
		  "--size: '18446744073709551616' is not a number, or out of range" },
		{ "-I often", "-I: 'often' is not a duration; write 500ms, 10s or 2m" },
		{ "-I 5y", "-I: '5y': unknown unit 'y'; use ns, us, ms, s, m or h" },
		{ "-sbad", "-s: 'bad' is bad" },
		{ "--summary=bad", "--summary: 'bad' is bad" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *line = mem_strdup(cases[i].line);
		struct run run;

		test_case("%s", cases[i].line);
		run_line(&run, line, false);
		EXPECT_INT(run.rc, -EINVAL);
		EXPECT_TEXT(run.err.text, cases[i].text);
		run_free(&run);
		free(line);
	}
}

/* Where words may stand between options, and how argv is left. */
TEST(options_and_words)
{
	static const struct {
		const char *line;
		bool stop_at_word;
		const char *left; /* the words from result.next on */
		const char *values;
	} cases[] = {
		{ "word", false, "word", "" },
		{ "one -a two", false, "one two", "all " },
		{ "one -r 5 two -o f three", false, "one two three", "repeat=5 output=f " },
		{ "one -- -a two", false, "one -a two", "" },
		{ "-- -a", false, "-a", "" },
		{ "-a --", false, "", "all " },
		{ "- -a", false, "-", "all " },
		{ "-a prog -v", true, "prog -v", "all " },
		{ "-a -- prog -v", true, "prog -v", "all " },
		{ "-a -- -v", true, "-v", "all " },
		{ "-r 5 -- -- x", true, "-- x", "repeat=5 " },
		{ "-a", true, "", "all " },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *line = mem_strdup(cases[i].line), *values;
		struct buf left = { 0 };
		struct run run;

		test_case("%s", cases[i].line);
		run_line(&run, line, cases[i].stop_at_word);
		EXPECT_INT(run.rc, 0);
		for (int at = run.result.next; at < run.argc; at++)
			buf_printf(&left, "%s%s", left.len ? " " : "", run.argv[at]);
		EXPECT_TEXT(buf_text(&left), cases[i].left);
		EXPECT(run.argv[run.argc] == NULL);
		values = spelled(&run.values);
		EXPECT_TEXT(values, cases[i].values);
		free(values);
		buf_free(&left);
		run_free(&run);
		free(line);
	}
}

TEST(options_help_stops_the_rest)
{
	static const char *const lines[] = { "-h --frob", "--help --frob", "-ah --frob",
					     "word -h" };

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		char *line = mem_strdup(lines[i]);
		struct run run;

		test_case("%s", lines[i]);
		run_line(&run, line, false);
		EXPECT_INT(run.rc, 0);
		EXPECT(run.result.help);
		run_free(&run);
		free(line);
	}
}

TEST(options_keep_the_defaults)
{
	char *argv[] = { (char *)"prog", (char *)"-v", NULL };
	struct values values = { .repeat = 3, .verbose = 1, .output = "given" };
	struct options_result result;

	EXPECT_INT(options_parse(specs, &values, 2, argv, false, &result, NULL), 0);
	EXPECT_INT(values.repeat, 3);
	EXPECT_INT(values.verbose, 2);
	EXPECT_TEXT(values.output, "given");
}

TEST(option_spelling_for_help)
{
	static const struct {
		struct option_spec spec;
		const char *text;
	} cases[] = {
		{ { OPT_FLAG, 'a', "all-cpus" }, "-a, --all-cpus" },
		{ { OPT_FLAG, 0, "all-cpus" }, "--all-cpus" },
		{ { OPT_FLAG, 'a', NULL }, "-a" },
		{ { OPT_LIST, 'e', "event", 0, "EVENT" }, "-e, --event EVENT" },
		{ { OPT_CALL, 0, "summary", 0, "[WHAT]" }, "--summary[=WHAT]" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf text = { 0 };

		option_spelling(&cases[i].spec, &text);
		EXPECT_TEXT(buf_text(&text), cases[i].text);
		buf_free(&text);
	}
}

TEST(duration_units)
{
	static const struct {
		const char *text;
		int64_t ns; /* of which a bare number counts milliseconds; -1: refused */
	} cases[] = {
		{ "0", 0 },
		{ "7", 7000000 },
		{ "1.5", 1500000 },
		{ ".5", 500000 },
		{ "10s", 10000000000 },
		{ "500ms", 500000000 },
		{ "100us", 100000 },
		{ "3ns", 3 },
		{ "2m", 120000000000 },
		{ "2min", 120000000000 },
		{ "1h", 3600000000000 },
		{ "0.25s", 250000000 },
		{ "1e3ms", 1000000000 },
		{ "", -1 },
		{ ".", -1 },
		{ "s", -1 },
		{ "-5", -1 },
		{ "-1", -1 },
		{ "+5", -1 },
		{ "5 s", -1 },
		{ "5S", -1 },
		{ "5ss", -1 },
		{ "nan", -1 },
		{ "inf", -1 },
		{ "1e999", -1 },
		{ "1e30s", -1 },
		{ "3000000h", -1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err err = { 0 };
		int64_t ns = -1;
		int rc;

		test_case("'%s'", cases[i].text);
		rc = duration_parse(cases[i].text, 1000000, &ns, &err);
		EXPECT_INT(rc, cases[i].ns < 0 ? -EINVAL : 0);
		EXPECT_INT(ns, cases[i].ns);
		EXPECT_BOOL(err.text[0], cases[i].ns < 0);
	}
}
