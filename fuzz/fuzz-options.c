// SPDX-License-Identifier: Apache-2.0
/* Option tables, CPU lists and durations: one input is an argv, its words apart by newlines. */
#include "base/cpuset.h"
#include "base/options.h"
#include "fuzz.h"

#include <errno.h>

struct values {
	bool flag, no_flag;
	int count, number, summed;
	uint64_t size;
	const char *text;
	struct strlist list;
	int64_t duration_ns;
};

static int add_length(void *options, const char *text, bool unset, struct err *err)
{
	struct values *values = options;

	if (text && text[0] == '!')
		return err_set(err, EINVAL, "'%s' is refused", text);
	values->summed += unset ? 0 : text ? (int)strlen(text) : 1;
	return 0;
}

#define FIELD(name) offsetof(struct values, name)

static const struct option_spec specs[] = {
	{ OPT_HEADING, .help = "Kinds" },
	{ OPT_FLAG, 'a', "all-cpus", FIELD(flag), NULL, "" },
	{ OPT_FLAG, 0, "no-inherit", FIELD(no_flag), NULL, "" },
	{ OPT_COUNT, 'v', "verbose", FIELD(count), NULL, "" },
	{ OPT_INT, 'r', "repeat", FIELD(number), "N", "" },
	{ OPT_U64, 0, "size", FIELD(size), "N", "" },
	{ OPT_TEXT, 'o', "output", FIELD(text), "FILE", "" },
	{ OPT_LIST, 'e', "event", FIELD(list), "EVENT", "" },
	{ OPT_DURATION, 'I', "interval-print", FIELD(duration_ns), "TIME", "", .unit_ns = 1000000 },
	{ OPT_CALL, 's', "summary", 0, "[WHAT]", "", .call = add_length },
	{ 0 },
};

static void parse_options(const char *text, bool stop_at_word)
{
	struct strlist words = { 0 };
	struct values values = { 0 };
	struct options_result result;
	char **argv;
	int argc;

	for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
		char *word = mem_strndup(at, strcspn(at, "\n"));

		*vec_push(&words) = word;
	}
	argc = (int)words.len;
	argv = mem_resize(NULL, words.len + 1, sizeof(*argv));
	if (words.len)
		memcpy(argv, words.data, words.len * sizeof(*argv));
	argv[argc] = NULL;
	options_parse(specs, &values, argc, argv, stop_at_word, &result, NULL);
	FUZZ_HOLDS(argc == 0 || (result.next >= 1 && result.next <= argc));
	FUZZ_HOLDS(argv[argc] == NULL);
	for (int i = 0; i < argc; i++) /* reordered, none lost, none twice */
		FUZZ_HOLDS(argv[i] != NULL && memchr(argv[i], 0, strlen(argv[i]) + 1));
	strlist_free(&values.list);
	strlist_free(&words);
	free(argv);
}

static void parse_cpus(const char *text)
{
	struct cpuset set = { 0 };

	if (!cpuset_parse(&set, text, NULL))
		for (size_t i = 0; i < set.len; i++) {
			FUZZ_HOLDS(cpuset_has(&set, set.data[i]));
			FUZZ_HOLDS(i == 0 || set.data[i - 1] < set.data[i]);
		}
	cpuset_free(&set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	int64_t ns = -1;

	parse_options(text, false);
	parse_options(text, true);
	parse_cpus(text);
	if (!duration_parse(text, 1000000, &ns, NULL))
		FUZZ_HOLDS(ns >= 0);
	free(text);
	return 0;
}
