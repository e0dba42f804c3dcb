// SPDX-License-Identifier: Apache-2.0
#include "base/err.h"
#include "base/json.h"
#include "base/log.h"
#include "cmd/command.h"
#include "cmd/flame_options.h"
#include "profile/remedy.h"
#include "render/overview_json.h"
#include "render/query_json.h"
#include "symbol/package.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#define TREE_LIMIT 1000
#define ROWS_LIMIT 100
#define NO_LIMIT   INT_MIN /* none is given */

struct query_args {
	struct flame_args flame; /* first: the options that are also flame's mean its fields */
	int depth, limit;
	const char *percent_limit, *sort;
};

enum question {
	ASK_TREE,
	ASK_TOP,
	ASK_CALLERS,
	ASK_CALLEES,
	ASK_THREADS,
	ASK_EVENTS,
	ASK_QUALITY,
	ASK_OVERVIEW
};

static const struct {
	const char *name;
	bool takes_function;
} questions[] = {
	[ASK_TREE] = { "tree" },
	[ASK_TOP] = { "top" },
	[ASK_CALLERS] = { "callers", true },
	[ASK_CALLEES] = { "callees", true },
	[ASK_THREADS] = { "threads" },
	[ASK_EVENTS] = { "events" },
	[ASK_QUALITY] = { "quality" },
	[ASK_OVERVIEW] = { "overview" },
};

/* What the words ask for. */
struct asked {
	const char *path, *function;
	enum question question;
};

#define FIELD	  FLAME_FIELD
#define OWN(name) offsetof(struct query_args, name)

static const struct option_spec query_specs[] = {
	{ OPT_TEXT, 'i', "input", FIELD(input), "FILE",
	  "read FILE instead of perf.data; - is standard input" },
	{ OPT_INT, 0, "depth", OWN(depth), "N", "of a tree: levels below the root; default: all" },
	{ OPT_INT, 0, "limit", OWN(limit), "N",
	  "at most N rows, the heaviest: 100, of a tree 1000 nodes" },
	{ OPT_TEXT, 0, "percent-limit", OWN(percent_limit), "PERCENT",
	  "leave out rows below this share" },
	{ OPT_TEXT, 0, "sort", OWN(sort), "WHAT",
	  "functions by self (the default) or by total, with what they call" },
	{ OPT_HEADING, .help = "Which samples and frames" },
	{ OPT_TEXT, 'e', "event", FIELD(event), "NAME", "the event; default: the first" },
	{ OPT_TEXT, 0, "weight", FIELD(weight), "WHAT",
	  "sort and divide by samples, or by the event's own count (period), the default" },
	{ OPT_TEXT, 0, "pid", FIELD(pids), "PID[,...]", "only these processes" },
	{ OPT_TEXT, 0, "tid", FIELD(tids), "TID[,...]", "only these threads" },
	FLAME_FILTER_SPECS,
	{ OPT_TEXT, 0, "keep", FIELD(keep), "REGEX", "the same as --grep", .hidden = true },
	{ OPT_FLAG, 0, "idle", FIELD(idle), NULL,
	  "what idle CPUs do too, which is the default; --no-idle leaves it out" },
	SYMBOL_OPTIONS(FLAME_SYMBOL),
	{ OPT_FLAG, 0, "no-index", FIELD(no_index), NULL, "neither read nor write FILE.index" },
	{ 0 },
};

static const struct query_args query_defaults = { .flame = { .idle = true }, .limit = NO_LIMIT };

static bool find_question(const char *word, enum question *question)
{
	for (size_t i = 0; i < ARRAY_SIZE(questions); i++) {
		if (strcmp(word, questions[i].name))
			continue;
		*question = (enum question)i;
		return true;
	}
	return false;
}

/* "FILE top", "FILE callers main"; without FILE it is what load_path finds. */
static int read_words(struct asked *asked, const char *input, int argc, char **argv,
		      struct err *err)
{
	enum question ignored;
	int at = 0;

	if (!input && argc > 1 && find_question(argv[1], &ignored))
		input = argv[at++];
	*asked = (struct asked){ .path = load_path(input) };
	if (at == argc || !find_question(argv[at++], &asked->question))
		return err_set(
			err, EINVAL,
			"usage: perfolio query [FILE] QUESTION; questions: tree, top, "
			"callers FUNCTION, callees FUNCTION, threads, events, quality, overview");
	if (questions[asked->question].takes_function) {
		if (at == argc)
			return err_set(err, EINVAL, "%s of which function?", argv[at - 1]);
		asked->function = argv[at++];
	}
	return at < argc ? err_set(err, EINVAL, "unexpected argument '%s'", argv[at]) : 0;
}

static int read_bounds(struct query *query, const struct query_args *args, enum question question,
		       struct err *err)
{
	const char *least = args->percent_limit;
	char *end = NULL;

	if (args->depth < 0 || (args->depth && question != ASK_TREE))
		return err_set(err, EINVAL, "--depth %d: a number of levels, of a tree only",
			       args->depth);
	if (args->limit != NO_LIMIT && (args->limit < 1 || args->limit > QUERY_MOST))
		return err_set(err, EINVAL, "--limit %d: 1 to %d", args->limit, QUERY_MOST);
	query->depth = (uint32_t)args->depth;
	query->limit = args->limit != NO_LIMIT ? (uint32_t)args->limit
		       : question == ASK_TREE  ? TREE_LIMIT
					       : ROWS_LIMIT;
	query->least = least ? strtod(least, &end) / 100 : 0;
	if (least && (end == least || *end || !(query->least >= 0)))
		return err_set(err, EINVAL, "--percent-limit '%s': must be a number", least);
	if (args->sort && !strcmp(args->sort, "total"))
		query->order = ORDER_TOTAL;
	else if (args->sort && strcmp(args->sort, "self"))
		return err_set(err, EINVAL, "--sort '%s': must be self or total", args->sort);
	return 0;
}

/* The event that -e names, or the first that has samples. */
static int choose_event(struct query *query, const struct flame_args *args, const char *path,
			struct err *err)
{
	const struct profile *profile = query->profile;
	uint16_t *event = &query->view.filter.event;

	if (args->event)
		return flame_event_find(profile, args->event, event, err);
	*event = profile_main_event(profile);
	if (!profile->events.len || !profile->events.data[*event].samples)
		log_line(LOG_WARN, "%s holds no samples", path);
	flame_note_others(profile, *event);
	return 0;
}

static void answer_quality(const struct query *query, const struct loaded *in, struct json *json)
{
	struct remedy_facts facts = { .packages = PACKAGE_LISTS, .copy_size = load_copy_size(in) };

	query_quality(query, in->reader ? NULL : &in->imported, &facts, json);
}

/* What limited it, by its samples and by the time budget where `record --budget` wrote one. */
static void answer_overview(const struct query *query, struct json *json)
{
	const struct profile *profile = query->profile;
	const struct profile_samples *rows = &profile->samples;
	struct overview *overview = mem_alloc(sizeof(*overview));
	struct overview_facts facts = { 0 };
	bool known = budget_unpack(&facts.budget, profile->budget, BUDGET_WORDS);

	overview_facts_add(&facts, profile, query->view.filter.event);
	overview_facts_ending(&facts, profile);
	facts.whole_host = (facts.idle > 0 || facts.idle_counted) && !known;
	facts.duration_ns = known	? budget_sum(facts.budget.run_ns)
			    : rows->len ? rows->time[rows->len - 1] - rows->time[0]
					: 0;
	overview_make(overview, &facts);
	json_open(json, NULL, '{');
	json_text(json, "query", "overview");
	overview_show(overview, &facts.budget,
		      known ? NULL : "the recording does not have it (record --budget)", json);
	json_close(json);
	overview_facts_free(&facts);
	free(overview);
}

static int answer(const struct query *query, const struct asked *asked, const struct loaded *in,
		  struct err *err)
{
	struct json json = json_to(stdout);

	switch (asked->question) {
	case ASK_TREE: return query_tree(query, &json, err);
	case ASK_TOP: return query_top(query, &json, err);
	case ASK_CALLERS: return query_callers(query, asked->function, &json, err);
	case ASK_CALLEES: return query_callees(query, asked->function, &json, err);
	case ASK_THREADS: return query_threads(query, &json, err);
	case ASK_EVENTS: return query_events(query, &json, err);
	case ASK_QUALITY: answer_quality(query, in, &json); return 0;
	case ASK_OVERVIEW: answer_overview(query, &json); return 0;
	}
	return 0;
}

static int query_run(void *options, int argc, char **argv, struct err *err)
{
	const struct query_args *args = options;
	struct loaded input;
	struct query query = { .tells_inlined = true };
	struct asked asked;
	int rc = read_words(&asked, args->flame.input, argc, argv, err);

	if (!rc)
		rc = read_bounds(&query, args, asked.question, err);
	if (!rc)
		rc = flame_weight_of(&args->flame, &query.weight, err);
	if (!rc)
		rc = flame_load(&input, asked.path, &args->flame, NULL, err);
	if (rc)
		return rc;
	query.profile = input.profile;
	rc = flame_view_of(&args->flame, input.profile, &query.view, err);
	if (!rc && asked.question != ASK_EVENTS && asked.question != ASK_QUALITY) {
		rc = choose_event(&query, &args->flame, asked.path, err);
		if (!rc)
			flame_warn_empty(asked.path, input.profile, &query.view);
	}
	if (!rc)
		rc = answer(&query, &asked, &input, err);
	loaded_close(&input);
	return rc;
}

const struct command cmd_query = {
	.name = "query",
	.args = "[FILE] QUESTION [FUNCTION]",
	.summary = "answer questions about a profile as JSON, for programs",
	.example = "perfolio query perf.data top --limit 10",
	.options = query_specs,
	.options_size = sizeof(struct query_args),
	.defaults = &query_defaults,
	.run = query_run,
};
