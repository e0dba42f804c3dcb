// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"
#include "render/panel_json.h"
#include "render/report.h"

#include <math.h>

struct walk {
	struct report *report;
	struct json *json;
	const struct calltree *tree;
	uint64_t least;
};

static void put_shares(struct report *report, struct json *json, const struct weight_pair *weight,
		       const char *percent, const char *samples, const char *events)
{
	json_double(json, percent, report_percent(report, weight->weight));
	json_u64(json, samples, weight->samples);
	json_u64_text(json, events, weight->weight);
}

/* A tree as a flat list: each node names its parent's place in it. */
static void put_nodes(const struct walk *walk)
{
	const struct calltree *tree = walk->tree;
	uint32_t *places = mem_alloc(tree->nodes.len * sizeof(*places));
	uint32_t next = 0;

	json_open(walk->json, "tree", '[');
	for (uint32_t i = 1; i < tree->nodes.len; i++) {
		const struct calltree_node *node = &tree->nodes.data[i];

		if (node->total.weight < walk->least)
			continue;
		places[i] = next++;
		json_open(walk->json, NULL, '{');
		json_int(walk->json, "parent", node->parent ? (int64_t)places[node->parent] : -1);
		json_text(walk->json, "symbol",
			  report_function_name(walk->report->names, node->function));
		if (node->inlined)
			json_flag(walk->json, "inlined", true);
		put_shares(walk->report, walk->json, &node->total, "percent", "samples", "count");
		json_close(walk->json);
	}
	json_close(walk->json);
	free(places);
}

static void put_tree(struct report *report, uint32_t row, struct json *json)
{
	struct calltree tree;
	struct walk walk = {
		.report = report,
		.json = json,
		.tree = &tree,
		.least = (uint64_t)((double)report->members[0].whole *
				    (report->options->graph_min / 100)),
	};

	if (report->breakdown->rows.data[row].total.weight < walk.least)
		return;
	breakdown_tree(report->breakdown, row, &tree);
	put_nodes(&walk);
	calltree_free(&tree);
}

static void put_keys(struct report *report, const struct breakdown_row *row, struct json *json)
{
	const struct profile *p = report->breakdown->profile;

	for (size_t i = 0; i < report->options->columns.count; i++) {
		const struct report_column *column = &report->options->columns.list[i];
		const struct report_key *key = column->key;
		char number[64];

		if (key->field != FIELD_KEY)
			continue;
		switch (column->by) {
		case BY_COMM: json_text(json, "comm", profile_text(p, row->comm)); break;
		case BY_PID: json_u64(json, "pid", row->pid); break;
		case BY_TID: json_u64(json, "tid", row->tid); break;
		case BY_CPU:
			if (row->cpu != UINT16_MAX)
				json_u64(json, "cpu", row->cpu);
			break;
		case BY_PARENT:
			json_text(json, "parent",
				  row->parent == NO_FUNCTION
					  ? NULL
					  : report_function_name(report->names, row->parent));
			break;
		case BY_OBJECT:
			json_text(json, "object",
				  profile_text(p, p->objects.data[row->object].path));
			break;
		case BY_FUNCTION:
			json_text(json, "symbol",
				  report_is_stackless(p, row)
					  ? NULL
					  : report_function_name(report->names, row->function));
			if (row->inlined)
				json_flag(json, "inlined", true);
			break;
		default:
			json_text(json, column->name ? column->name : key->name,
				  report_key_text(report, column, row, number, sizeof(number)));
		}
	}
}

void report_json(struct report *report, struct json *json)
{
	const struct report_options *o = report->options;
	const struct profile *p = report->breakdown->profile;
	const struct breakdown *breakdown = report->breakdown;
	const struct profile_event *event = &p->events.data[report->members[0].event];

	json_open(json, NULL, '{');
	json_text(json, "event", profile_text(p, event->name));
	if (profile_event_sampled(event))
		json_text(json, "sampled", profile_event_sampled(event));
	json_u64(json, "samples", breakdown->total.samples);
	json_u64_text(json, "count", breakdown->total.weight);
	json_double(json, "idle_percent", report->idle_share * 100);
	json_flag(json, "busy_only", o->busy);
	json_open(json, "rows", '[');
	vec_each (at, &report->order) {
		const struct breakdown_row *row = &breakdown->rows.data[*at];

		json_open(json, NULL, '{');
		put_keys(report, row, json);
		put_shares(report, json, &row->self, "self_percent", "self_samples", "self_count");
		if (o->children)
			put_shares(report, json, &row->total, "total_percent", "total_samples",
				   "total_count");
		if (o->graph)
			put_tree(report, *at, json);
		json_close(json);
	}
	json_close(json);
	json_close(json);
}

void report_trust_json(const struct profile *p, const struct trust *trust, const char *key,
		       struct json *json)
{
	json_open(json, key, '{');
	json_text(json, "event",
		  trust->event < p->events.len ? profile_text(p, p->events.data[trust->event].name)
					       : NULL);
	json_flag(json, "good", trust_is_good(trust));
	json_text(json, "verdict", trust_verdict(trust));
	json_u64(json, "samples", trust->samples);
	if (trust->is_import && !trust->lost)
		json_text(json, "lost", NULL);
	else
		json_u64(json, "lost", trust->lost);
	if (trust->is_import)
		json_text(json, "throttled", NULL);
	else
		json_u64(json, "throttled", trust->throttled);
	json_u64(json, "guest_samples", trust->guests);
	json_u64(json, "damaged_records", trust->damaged);
	json_double(json, "lost_percent",
		    trust->is_import && !trust->lost ? NAN : trust->lost_share * 100);
	json_double(json, "cut_percent", trust->is_import ? NAN : trust->cut_share * 100);
	json_double(json, "skipped_percent", trust->is_import ? NAN : trust->skipped_share * 100);
	json_double(json, "unclear_percent", trust->is_import ? NAN : trust->unclear_share * 100);
	json_double(json, "unknown_percent", trust->unknown_share * 100);
	if (trust->covered_share >= 0) {
		json_double(json, "covered_percent", trust->covered_share * 100);
		json_u64_text(json, "cpu_time_ns", trust->cpu_ns);
	} else {
		json_text(json, "covered_percent", NULL); /* not recorded */
		json_text(json, "cpu_time_ns", NULL);
	}
	if (trust->counted) {
		json_u64_text(json, "count", trust->weight);
		json_u64_text(json, "counted", trust->counted);
	}
	if (trust->idle_share >= 0)
		json_double(json, "idle_percent", trust->idle_share * 100);
	if (trust->worst_object != NO_OBJECT_ID) {
		json_text(json, "worst_object",
			  profile_text(p, p->objects.data[trust->worst_object].path));
		json_double(json, "worst_percent", trust->worst_share * 100);
		json_text(json, "worst_reason",
			  panel_reason(panel_why_unnamed(p, &p->objects.data[trust->worst_object]))
				  ->text);
	}
	trust_faults_json(p, trust, json);
	json_text(json, "remedy", *trust->remedy ? trust->remedy : NULL);
	json_close(json);
}
