// SPDX-License-Identifier: Apache-2.0
/* Threads and events. */
#include "base/idmap.h"
#include "profile/breakdown.h"
#include "render/query_inside.h"

/* A process: the threads that have its pid. */
struct process {
	uint32_t pid, threads;
	const struct breakdown_row *heaviest;
	struct weight_pair weight;
};

struct processes VEC_OF(struct process);

static void rank_threads(const struct query *query, const struct breakdown *threads,
			 struct query_ranking *ranking)
{
	for (uint32_t i = 0; i < threads->rows.len; i++)
		*vec_push(ranking) = (struct query_ranked){
			flame_value(&threads->rows.data[i].self, query->weight), 0, i
		};
	query_rank(ranking);
}

/* The heaviest threads come first, so a process is named by its heaviest. */
static void join_threads(const struct breakdown *threads, const struct query_ranking *ranking,
			 struct processes *processes)
{
	struct idmap by_pid = { 0 }, tids = { 0 };

	vec_each (ranked, ranking) {
		const struct breakdown_row *row = &threads->rows.data[ranked->id];
		uint32_t next = (uint32_t)processes->len;
		uint32_t at = idmap_add(&by_pid, row->pid, next);
		struct process *process;

		if (at == next)
			*vec_push(processes) = (struct process){ .pid = row->pid, .heaviest = row };
		process = &processes->data[at];
		next = (uint32_t)tids.len;
		process->threads += idmap_add(&tids, (uint64_t)row->pid << 32 | row->tid, next) ==
				    next;
		process->weight.samples += row->self.samples;
		process->weight.weight += row->self.weight;
	}
	idmap_free(&by_pid);
	idmap_free(&tids);
}

static void put_processes(const struct query *query, const struct processes *processes, uint64_t of,
			  struct json *json)
{
	struct query_ranking ranking = { 0 };
	size_t shown;

	for (uint32_t i = 0; i < processes->len; i++)
		*vec_push(&ranking) = (struct query_ranked){
			flame_value(&processes->data[i].weight, query->weight), 0, i
		};
	query_rank(&ranking);
	shown = query_shown(query, &ranking, of);
	json_open(json, "processes", '[');
	for (size_t i = 0; i < shown; i++) {
		const struct process *process = &processes->data[ranking.data[i].id];

		json_open(json, NULL, '{');
		json_text(json, "comm", profile_text(query->profile, process->heaviest->comm));
		json_u64(json, "pid", process->pid);
		json_u64(json, "threads", process->threads);
		query_put_weight(query, "", &process->weight, of, json);
		json_close(json);
	}
	json_close(json);
	json_u64(json, "processes_left_out", ranking.len - shown);
	vec_free(&ranking);
}

static void put_threads(const struct query *query, const struct breakdown *threads,
			const struct query_ranking *ranking, uint64_t of, struct json *json)
{
	size_t shown = query_shown(query, ranking, of);

	json_open(json, "rows", '[');
	for (size_t i = 0; i < shown; i++) {
		const struct breakdown_row *row = &threads->rows.data[ranking->data[i].id];

		json_open(json, NULL, '{');
		json_text(json, "comm", profile_text(query->profile, row->comm));
		json_u64(json, "pid", row->pid);
		json_u64(json, "tid", row->tid);
		query_put_weight(query, "", &row->self, of, json);
		json_close(json);
	}
	json_close(json);
	json_u64(json, "left_out", ranking->len - shown);
}

int query_threads(const struct query *query, struct json *json, struct err *err)
{
	struct breakdown_options options = {
		.keys = 1u << BY_COMM | 1u << BY_PID | 1u << BY_TID,
		.filter = query_filter(query),
	};
	struct query_ranking ranking = { 0 };
	struct processes processes = { 0 };
	struct breakdown threads;
	uint64_t of;
	int rc = breakdown_make(&threads, query->profile, &options, err);

	if (rc)
		return rc;
	of = flame_value(&threads.total, query->weight);
	rank_threads(query, &threads, &ranking);
	join_threads(&threads, &ranking, &processes);
	query_open(query, "threads", &threads.total, json);
	put_threads(query, &threads, &ranking, of, json);
	put_processes(query, &processes, of, json);
	json_close(json);
	vec_free(&ranking);
	vec_free(&processes);
	breakdown_free(&threads);
	return 0;
}

static void put_event(const struct query *query, uint16_t event, const struct weight_pair *taken,
		      struct json *json)
{
	const struct profile_event *facts = &query->profile->events.data[event];

	json_open(json, NULL, '{');
	json_text(json, "event", profile_text(query->profile, facts->name));
	if (profile_event_sampled(facts))
		json_text(json, "sampled", profile_event_sampled(facts));
	json_text(json, "unit", flame_unit(query->profile, event, WEIGH_PERIOD));
	if (facts->noun)
		json_text(json, "noun", profile_noun(query->profile, event));
	json_u64(json, "samples", taken->samples);
	json_u64_text(json, "count", taken->weight);
	json_u64(json, "lost", facts->lost);
	if (facts->counted)
		json_u64_text(json, "counted", facts->counted);
	else
		json_text(json, "counted", NULL);
	json_close(json);
}

static void put_coverage(const struct profile_coverage *coverage, struct json *json)
{
	if (!coverage->known) {
		json_text(json, "cpu_time_ns", NULL);
		json_text(json, "idle_ns", NULL);
		return;
	}
	json_u64_text(json, "cpu_time_ns", coverage->cpu_ns);
	if (coverage->idle_known)
		json_u64_text(json, "idle_ns", coverage->idle_ns);
	else
		json_text(json, "idle_ns", NULL);
}

int query_events(const struct query *query, struct json *json, struct err *err)
{
	struct profile_filter filter = query_filter(query);
	size_t events = query->profile->events.len;
	VEC(struct weight_pair) taken = { 0 };
	size_t shown = events < query_limit(query) ? events : query_limit(query);
	int rc = 0;

	for (uint16_t i = 0; i < shown && !rc; i++) {
		struct stack_weights weights;

		filter.event = i;
		rc = profile_weigh(query->profile, &filter, &weights, err);
		if (rc)
			break;
		*vec_push(&taken) = query_whole(&weights);
		stack_weights_free(&weights);
	}
	if (!rc) {
		json_open(json, NULL, '{');
		json_text(json, "query", "events");
		json_open(json, "rows", '[');
		for (uint16_t i = 0; i < shown; i++)
			put_event(query, i, &taken.data[i], json);
		json_close(json);
		json_u64(json, "left_out", events - shown);
		put_coverage(&query->profile->coverage, json);
		json_close(json);
	}
	vec_free(&taken);
	return rc;
}
