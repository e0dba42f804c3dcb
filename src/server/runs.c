// SPDX-License-Identifier: Apache-2.0
/* Runs: list, look at, change, remove, restore; the queue. */
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/json.h"
#include "server/analysis.h"
#include "server/app.h"
#include "server/resource.h"
#include "server/scheduler.h"
#include "server/trouble.h"
#include "store/datadir.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define QUEUE_MOST 10000     /* runs of it that are shown */
#define TEXT_MOST  (4 << 20) /* in forms and commands of all that an answer has */

static int no_such_state(const char *text, struct err *err)
{
	struct buf known = { 0 };
	int rc;

	for (int i = 0; i < RUN_STATES; i++)
		buf_printf(&known, "%s%s", i ? ", " : "", run_state_name(i));
	rc = err_set(err, EINVAL, "state=%.100s: no run has that; it is one of %s", text,
		     buf_text(&known));
	buf_free(&known);
	return rc;
}

/* "queued,running" as bits. */
static int read_states(const char *text, unsigned *states, struct err *err)
{
	while (*text) {
		size_t length = strcspn(text, ",");
		int i = 0;

		while (i < RUN_STATES && (strlen(run_state_name(i)) != length ||
					  strncmp(run_state_name(i), text, length)))
			i++;
		if (i == RUN_STATES)
			return no_such_state(text, err);
		*states |= 1U << i;
		text += length + (text[length] == ',');
	}
	return 0;
}

/* The session is in the path, or a parameter, or neither. */
static int read_session(const struct request *request, struct run_filter *filter, struct err *err)
{
	uint64_t session;
	int rc = request_u64(request, "session", (uint64_t)request->ids[0], &session, err);

	if (!rc && session > INT64_MAX)
		rc = err_set(err, EINVAL, "session: no session has that number");
	filter->session = rc ? 0 : (int64_t)session;
	return rc;
}

static int read_filter(const struct request *request, struct run_filter *filter, size_t *limit,
		       struct err *err)
{
	int rc = read_page(request, &filter->page, limit, err);

	if (!rc)
		rc = read_session(request, filter, err);
	if (!rc)
		rc = read_states(request_text(request, "state", ""), &filter->states, err);
	if (!rc)
		rc = request_flag(request, "removed", false, &filter->removed, err);
	if (rc)
		return rc;
	filter->search = request_text(request, "search", NULL);
	filter->tag = request_text(request, "tag", NULL);
	return 0;
}

/* How many of them are on a page; the one behind it tells that there is another. */
static size_t page_length(const struct runs *runs, size_t limit)
{
	int64_t bytes = 0;
	size_t count = 0;

	while (count < runs->len && count < limit && bytes <= TEXT_MOST)
		bytes += store_run_text(&runs->data[count++]);
	return count;
}

static int list_runs(struct request *request, struct err *err)
{
	struct run_filter filter = { .bytes = TEXT_MOST };
	struct runs found = { 0 };
	struct json *json;
	size_t limit;
	int rc = read_filter(request, &filter, &limit, err);

	if (!rc)
		rc = store_run_list(request->store, &filter, &request->arena, &found, err);
	if (!rc) {
		limit = page_length(&found, limit);
		json = reply_json(request);
		json_open(json, NULL, '{');
		json_open(json, "items", '[');
		for (size_t i = 0; i < limit; i++)
			run_write(json, &found.data[i], request);
		end_page(json, found.len, limit, found.len > limit ? found.data[limit - 1].id : 0);
	}
	vec_free(&found);
	return rc;
}

static int list_session_runs(struct request *request, struct err *err)
{
	struct session session;
	int rc = store_session_get(request->store, request->ids[0], &request->arena, &session, err);

	return rc ? rc : list_runs(request, err);
}

static int get_run(struct request *request, struct err *err)
{
	return reply_run(request, request->ids[0], err);
}

static int patch_run(struct request *request, struct err *err)
{
	struct run run;
	int rc = store_run_get(request->store, request->ids[0], &request->arena, &run, err);

	if (!rc)
		rc = change_tags(request, STORE_RUN, run.id, &run.tags, err);
	if (rc)
		return rc;
	audit(request, "run-change", "run %lld", (long long)run.id);
	return reply_run(request, request->ids[0], err);
}

static int remove_run(struct request *request, struct err *err)
{
	int rc = store_remove(request->store, STORE_RUN, request->ids[0],
			      clock_wall_ns() + DATADIR_UNDO_NS, err);

	if (!rc && request->app->analysis)
		analysis_drop(request->app->analysis, request->ids[0]);
	if (!rc)
		audit(request, "run-remove", "run %lld", (long long)request->ids[0]);
	return rc;
}

static int restore_run(struct request *request, struct err *err)
{
	struct run run;
	int rc = store_restore(request->store, STORE_RUN, request->ids[0], err);

	if (!rc)
		rc = store_run_get(request->store, request->ids[0], &request->arena, &run, err);
	if (rc)
		return rc;
	if (request->app->analysis && run.state == RUN_PROCESSING)
		analysis_process(request->app->analysis, run.id);
	audit(request, "run-restore", "run %lld", (long long)request->ids[0]);
	scheduler_kick(request->app->scheduler);
	return reply_run(request, request->ids[0], err);
}

static int by_place(const void *a, const void *b)
{
	const struct run *x = a, *y = b;

	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return x->id < y->id ? -1 : 1;
}

/* How many of the queue are not in the answer. */
static int count_left_out(struct request *request, size_t shown, size_t *left_out, struct err *err)
{
	struct queue queue = { 0 };
	int rc = store_queue(request->store, &queue, err);

	*left_out = queue.len > shown ? queue.len - shown : 0;
	vec_free(&queue);
	return rc;
}

/* What is starting or running has no place, and so stands first. */
static int reply_all_waiting(struct request *request, struct err *err)
{
	struct runs found = { 0 };
	struct json *json;
	size_t left_out = 0;
	int rc = store_queue_runs(request->store, QUEUE_MOST, TEXT_MOST, &request->arena, &found,
				  err);

	if (!rc)
		rc = count_left_out(request, found.len, &left_out, err);
	if (!rc) {
		if (found.len)
			qsort(found.data, found.len, sizeof(*found.data), by_place);
		json = reply_json(request);
		json_open(json, NULL, '{');
		json_open(json, "items", '[');
		vec_each (run, &found)
			run_write(json, run, request);
		json_close(json);
		json_u64(json, "left_out", left_out);
		trouble_write(json, "trouble", request->app->dir);
		json_close(json);
	}
	vec_free(&found);
	return rc;
}

static int move_run(struct request *request, struct err *err)
{
	uint64_t before;
	int rc = body_u64(request, "before", 0, &before, err);

	if (!rc && before > INT64_MAX)
		rc = err_set(err, EINVAL, "`before` must be the number of a run");
	if (!rc)
		rc = request->user->role == ROLE_OWNER
			     ? store_run_move(request->store, request->ids[0], (int64_t)before, err)
			     : store_run_move_own(request->store, request->ids[0], (int64_t)before,
						  err);
	if (rc == -EACCES)
		rights_note_refusal(request, err->text);
	if (rc)
		return rc;
	audit(request, "run-move", "run %lld before %llu", (long long)request->ids[0],
	      (unsigned long long)before);
	return reply_all_waiting(request, err);
}

const struct route run_routes[] = {
	{ "GET", "/api/v1/runs", RIGHT_LOOK, list_runs },
	{ "GET", "/api/v1/sessions/{id}/runs", RIGHT_LOOK, list_session_runs },
	{ "GET", "/api/v1/runs/{id}", RIGHT_LOOK, get_run },
	{ "PATCH", "/api/v1/runs/{id}", RIGHT_CHANGE_RUN, patch_run },
	{ "DELETE", "/api/v1/runs/{id}", RIGHT_CHANGE_RUN, remove_run },
	{ "POST", "/api/v1/runs/{id}/restore", RIGHT_CHANGE_RUN, restore_run, ROUTE_NO_BODY },
	{ "GET", "/api/v1/queue", RIGHT_LOOK, reply_all_waiting },
	{ "POST", "/api/v1/runs/{id}/move", RIGHT_CHANGE_RUN, move_run },
	{ 0 },
};
