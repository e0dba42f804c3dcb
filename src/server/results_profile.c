// SPDX-License-Identifier: Apache-2.0
/* The flame tree and its tables. */
#include "base/err.h"
#include "base/text.h"
#include "profile/remedy.h"
#include "render/flame_color.h"
#include "render/flame_columns.h"
#include "render/flame_layout.h"
#include "render/flame_svg.h"
#include "render/out_json.h"
#include "server/results.h"

#include <errno.h>
#include <inttypes.h>

#define ROWS_LIMIT 100
#define TREE_LIMIT 10000
/* Frames of a flame graph, the widest: about 500 KB packed. */
#define FRAMES	    50000
#define FRAMES_MOST 1000000

/* What the page wants besides the graph. */
static void put_members(const struct result *result, const struct flametree *tree, struct buf *into)
{
	const struct query *query = &result->query;
	const struct profile_filter *filter = &query->view.filter;
	const struct weight_pair *whole = &tree->nodes.data[0].total;
	uint64_t first = result->span.start, last = result->span.last;

	buf_printf(into,
		   "\"run\":%" PRId64 ",\"start_ns\":\"%" PRIu64 "\",\"end_ns\":\"%" PRIu64 "\",",
		   result->run.id, first, last);
	buf_printf(into, "\"from_ns\":\"%" PRIu64 "\",\"to_ns\":\"%" PRIu64 "\",",
		   filter->time_from ? filter->time_from : first,
		   filter->time_to ? filter->time_to : last + 1);
	buf_printf(into,
		   "\"samples\":%" PRIu64 ",\"count\":\"%" PRIu64 "\",\"idle_samples\":%" PRIu64,
		   whole->samples, whole->weight, tree->idle.samples);
	buf_printf(into, ",\"outside_samples\":%" PRIu64 ",\"outside_count\":\"%" PRIu64 "\"",
		   tree->outside.samples, tree->outside.weight);
	if (query->view.search)
		buf_printf(into,
			   ",\"matched_samples\":%" PRIu64 ",\"matched_count\":\"%" PRIu64 "\"",
			   tree->matched.samples, tree->matched.weight);
	buf_printf(into, ",\"hidden\":%" PRIu64 ",\"least\":%g,", tree->hidden, tree->least);
}

static void put_flame(const struct result *result, const struct flametree *tree, struct outbuf *out)
{
	const struct query *query = &result->query;
	uint16_t event = query->view.filter.event;
	const struct weight_pair *total = &tree->nodes.data[0].total;
	struct buf members = { 0 }, subtitle = { 0 };
	char samples[TEXT_NUMBER], *amount;
	struct flame_graph graph = {
		.tree = tree,
		.event = event,
		.weight = query->weight,
		.reversed = query->view.stacks.from_leaf,
		.unit = flame_unit(query->profile, event, query->weight),
		.empty = "There are no samples here.",
	};

	put_members(result, tree, &members);
	amount = flame_amount(flame_value(total, query->weight), graph.unit);
	/* values of an import are what they are, and no samples */
	if (strcmp(profile_noun(query->profile, event), "samples") != 0)
		buf_puts(&subtitle, amount);
	else
		buf_printf(&subtitle, "%s sample%s", text_grouped(samples, total->samples),
			   text_plural(total->samples));
	free(amount);
	graph.members = members.data;
	graph.subtitle = subtitle.data;
	flame_columns_write(&graph, out);
	buf_free(&members);
	buf_free(&subtitle);
}

/* The frame that is looked into, in hexadecimal digits as in the page's address. */
static int read_inside(struct request *request, struct flametree_options *view, struct err *err)
{
	const char *text = result_text(request, "inside");

	if (text && (strspn(text, "0123456789abcdef") != strlen(text) || strlen(text) > 8))
		return err_set(err, EINVAL, "inside=%s: must be eight hexadecimal digits", text);
	view->inside = text ? (uint32_t)strtoul(text, NULL, 16) : 0;
	view->name_key = flame_shade;
	return 0;
}

static int read_size(struct request *request, struct flametree_options *view, struct err *err)
{
	uint32_t most;
	int rc = result_number(request, "most", FRAMES, 1, FRAMES_MOST, &most, err);

	view->most = most;
	view->search = result_text(request, "search");
	if (!rc)
		rc = result_number(request, "depth", 0, 0, 10000, &view->depth, err);
	return rc ? rc : read_inside(request, view, err);
}

static int get_flame(struct request *request, struct err *err)
{
	struct flametree tree;
	struct result result;
	struct answer answer;
	int rc = result_open(&result, request, err);

	if (rc)
		return rc < 0 ? rc : 0;
	result.query.view.least = result.query.least;
	rc = read_size(request, &result.query.view, err);
	if (!rc && !result.query.profile->events.len)
		rc = err_set(err, ENOENT, "run %" PRId64 " has no samples", result.run.id);
	if (!rc)
		rc = flametree_build(&tree, result.query.profile, &result.query.view, err);
	if (!rc) {
		answer_begin(&answer, request);
		put_flame(&result, &tree, &answer.out);
		answer_end(&answer, 0);
		flametree_free(&tree);
	}
	result_close(&result, request);
	return rc;
}

typedef int query_writer(const struct query *query, struct json *json, struct err *err);

/* Nothing is written before it is known that there is an answer, so the reply can begin then. */
static int answer_query(struct request *request, uint32_t limit,
			int (*read)(struct request *request, struct query *query, struct err *err),
			query_writer *write, struct err *err)
{
	struct result result;
	int rc = result_open(&result, request, err);

	if (rc)
		return rc < 0 ? rc : 0;
	rc = result_number(request, "limit", limit, 1, QUERY_MOST, &result.query.limit, err);
	if (!rc && read)
		rc = read(request, &result.query, err);
	if (!rc)
		rc = write(&result.query, reply_json(request), err);
	result_close(&result, request);
	return rc;
}

static int read_tree(struct request *request, struct query *query, struct err *err)
{
	return result_number(request, "depth", 0, 0, 10000, &query->depth, err);
}

static int get_tree(struct request *request, struct err *err)
{
	return answer_query(request, TREE_LIMIT, read_tree, query_tree, err);
}

static int read_top(struct request *request, struct query *query, struct err *err)
{
	static const char *const orders[] = { "self", "total", "name", "object", NULL };
	unsigned order;
	int rc = result_choice(request, "sort", orders, &order, err);

	if (!rc)
		rc = result_number(request, "after", 0, 0, UINT32_MAX - 1, &query->skip, err);
	query->order = rc ? ORDER_SELF : (enum query_order)order;
	query->search = result_text(request, "search");
	return rc;
}

static int get_top(struct request *request, struct err *err)
{
	return answer_query(request, ROWS_LIMIT, read_top, query_top, err);
}

static int get_threads(struct request *request, struct err *err)
{
	return answer_query(request, 1000, NULL, query_threads, err);
}

static int get_events(struct request *request, struct err *err)
{
	return answer_query(request, 1000, NULL, query_events, err);
}

typedef int function_writer(const struct query *query, const char *name, struct json *json,
			    struct err *err);

static int answer_function(struct request *request, function_writer *write, struct err *err)
{
	const char *name = result_text(request, "function");
	struct result result;
	int rc = name ? result_open(&result, request, err)
		      : err_set(err, EINVAL, "function: needs a name");

	if (rc)
		return rc < 0 ? rc : 0;
	rc = result_number(request, "limit", ROWS_LIMIT, 1, QUERY_MOST, &result.query.limit, err);
	if (!rc)
		rc = write(&result.query, name, reply_json(request), err);
	result_close(&result, request);
	return rc;
}

static int get_callers(struct request *request, struct err *err)
{
	return answer_function(request, query_callers, err);
}

static int get_callees(struct request *request, struct err *err)
{
	return answer_function(request, query_callees, err);
}

static int get_lines(struct request *request, struct err *err)
{
	return answer_function(request, query_lines, err);
}

/* As the analyser found it; what it can't have known, without remedies. */
static int get_quality(struct request *request, struct err *err)
{
	struct remedy_facts facts = { 0 };
	struct result result;
	int rc = result_open(&result, request, err);

	if (rc)
		return rc < 0 ? rc : 0;
	facts.imported = !strcmp(result.run.tool, "import");
	facts.form = !facts.imported;
	if (*result.run.facts.quality)
		reply_bytes(request, "application/json", result.run.facts.quality,
			    strlen(result.run.facts.quality));
	else
		query_quality(&result.query, NULL, &facts, reply_json(request));
	result_close(&result, request);
	return 0;
}

const struct route profile_routes[] = {
	{ "GET", "/api/v1/runs/{id}/flame", RIGHT_LOOK, get_flame },
	{ "GET", "/api/v1/runs/{id}/tree", RIGHT_LOOK, get_tree },
	{ "GET", "/api/v1/runs/{id}/top", RIGHT_LOOK, get_top },
	{ "GET", "/api/v1/runs/{id}/callers", RIGHT_LOOK, get_callers },
	{ "GET", "/api/v1/runs/{id}/callees", RIGHT_LOOK, get_callees },
	{ "GET", "/api/v1/runs/{id}/threads", RIGHT_LOOK, get_threads },
	{ "GET", "/api/v1/runs/{id}/events", RIGHT_LOOK, get_events },
	{ "GET", "/api/v1/runs/{id}/lines", RIGHT_LOOK, get_lines },
	{ "GET", "/api/v1/runs/{id}/quality", RIGHT_LOOK, get_quality },
	{ 0 },
};
