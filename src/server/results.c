// SPDX-License-Identifier: Apache-2.0
#include "server/results.h"
#include "base/err.h"
#include "server/app.h"
#include "server/profiles.h"
#include "server/run_end.h"
#include "store/content.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

const char *result_text(const struct request *request, const char *name)
{
	const char *text = request_text(request, name, NULL);

	return text && *text ? text : NULL;
}

int result_number(const struct request *request, const char *name, uint32_t otherwise,
		  uint32_t least, uint32_t most, uint32_t *value, struct err *err)
{
	uint64_t number;
	int rc = request_u64(request, name, otherwise, &number, err);

	if (!rc && (number < least || number > most))
		rc = err_set(err, EINVAL, "%s=%" PRIu64 ": %u to %u", name, number, least, most);
	*value = rc ? otherwise : (uint32_t)number;
	return rc;
}

int result_choice(const struct request *request, const char *name, const char *const *words,
		  unsigned *choice, struct err *err)
{
	const char *text = result_text(request, name);
	struct buf all = { 0 };
	int rc;

	*choice = 0;
	if (!text)
		return 0;
	for (unsigned i = 0; words[i]; i++) {
		if (!strcmp(words[i], text)) {
			*choice = i;
			buf_free(&all);
			return 0;
		}
		buf_printf(&all, "%s%s", i ? ", " : "", words[i]);
	}
	rc = err_set(err, EINVAL, "%s=%s: must be one of %s", name, text, buf_text(&all));
	buf_free(&all);
	return rc;
}

int result_range(const struct request *request, uint64_t *from, uint64_t *to, struct err *err)
{
	int rc = request_u64(request, "from", 0, from, err);

	if (!rc)
		rc = request_u64(request, "to", 0, to, err);
	if (!rc && *to && *from > *to)
		rc = err_set(err, EINVAL,
			     "from=%" PRIu64 " is later than to=%" PRIu64 ": there is nothing "
			     "between them",
			     *from, *to);
	return rc;
}

static int no_such_event(const struct profile *profile, const char *name, struct err *err)
{
	struct buf known = { 0 };
	int rc;

	vec_each (event, &profile->events)
		buf_printf(&known, "%s%s", known.len ? ", " : "",
			   profile_text(profile, event->name));
	rc = err_set(err, EINVAL, "event=%.100s: there are no samples of it; there are of %.500s",
		     name, buf_text(&known));
	buf_free(&known);
	return rc;
}

/* The event of that name, or the first that has samples. */
static int choose_event(struct query *query, const struct request *request, struct err *err)
{
	const struct profile *profile = query->profile;
	const char *name = result_text(request, "event");
	uint16_t *event = &query->view.filter.event;

	for (*event = 0; *event < profile->events.len; ++*event) {
		const struct profile_event *facts = &profile->events.data[*event];

		if (name ? !strcmp(profile_text(profile, facts->name), name) : facts->samples > 0)
			return 0;
	}
	*event = 0;
	return name ? no_such_event(profile, name, err) : 0;
}

static int read_filter(struct query *query, const struct request *request, struct err *err)
{
	struct profile_filter *filter = &query->view.filter;
	int rc = choose_event(query, request, err);

	filter->pids = result_text(request, "pid");
	filter->tids = result_text(request, "tid");
	filter->comms = result_text(request, "comm");
	filter->cpus = result_text(request, "cpu");
	filter->keep = result_text(request, "keep");
	filter->drop = result_text(request, "drop");
	if (!rc)
		rc = result_range(request, &filter->time_from, &filter->time_to, err);
	if (!rc)
		rc = request_flag(request, "idle", true, &query->view.show_idle, err);
	filter->busy = !query->view.show_idle;
	return rc;
}

static int read_frames(struct query *query, const struct request *request, struct err *err)
{
	static const char *const weights[] = { "period", "samples", NULL };
	static const char *const groups[] = { "comm", "process", "thread", "none", NULL };
	struct calltree_options *stacks = &query->view.stacks;
	unsigned weight, group;
	int rc = result_choice(request, "weight", weights, &weight, err);

	if (!rc)
		rc = result_choice(request, "group", groups, &group, err);
	if (!rc)
		rc = request_flag(request, "reversed", false, &stacks->from_leaf, err);
	if (!rc)
		rc = request_flag(request, "collapse", false, &stacks->collapse_recursion, err);
	if (!rc)
		rc = request_double(request, "least", 0, &query->least, err);
	if (!rc && !(query->least >= 0 && query->least <= 1))
		rc = err_set(err, EINVAL, "least=%g: must be between 0 and 1", query->least);
	if (rc)
		return rc;
	stacks->focus = result_text(request, "focus");
	stacks->hide = result_text(request, "hide");
	stacks->changes = result_text(request, "changes");
	query->weight = query->view.weight = weight ? WEIGH_SAMPLES : WEIGH_PERIOD;
	query->view.group = (enum flame_group)group;
	return 0;
}

static bool is_known(struct result *result, struct request *request)
{
	char mark[PROFILES_MARK];

	profiles_mark(request->app->profiles, result->run.id, mark);
	return *mark && reply_etag(request, arena_printf(&request->arena, "%" PRId64 "-%s",
							 result->run.change, mark));
}

struct profile_span result_span(const struct run *run, const struct profile *profile)
{
	const struct run_facts *facts = &run->facts;
	uint64_t start = run_began_at(run);
	int64_t length = facts->ended_ns - facts->started_ns;
	uint64_t end = length > 0 ? start + (uint64_t)length : 0;

	return profile ? profile_span(profile, start, end) : (struct profile_span){ start, end };
}

int result_open(struct result *result, struct request *request, struct err *err)
{
	struct query *query = &result->query;
	int rc;

	*result = (struct result){ 0 };
	rc = store_run_get(request->store, request->ids[0], &request->arena, &result->run, err);
	if (rc)
		return rc;
	if (is_known(result, request))
		return 1;
	rc = profiles_get(request->app->profiles, result->run.id, &query->profile, err);
	if (rc)
		return rc;
	result->span = result_span(&result->run, query->profile);
	rc = read_filter(query, request, err);
	if (!rc)
		rc = read_frames(query, request, err);
	if (rc)
		result_close(result, request);
	return rc;
}

void result_close(struct result *result, struct request *request)
{
	profiles_put(request->app->profiles, result->query.profile);
	result->query.profile = NULL;
}

void answer_begin(struct answer *answer, struct request *request)
{
	*answer = (struct answer){ .request = request };
	outbuf_init_memory(&answer->out, &answer->text);
}

int answer_end(struct answer *answer, int rc)
{
	outbuf_fini(&answer->out);
	if (!rc)
		reply_take(answer->request, "application/json", &answer->text);
	buf_free(&answer->text);
	return rc;
}

bool result_is_growing(const struct run *run)
{
	return run->state < RUN_PROCESSING;
}

int result_file(struct request *request, const char *kind, const char *what, struct err *err)
{
	struct file_rows rows = { 0 };
	const struct file_row *found;
	struct file_row row;
	int rc = content_list(request->app->dir, request->ids[0], &request->arena, &rows, err);

	if (!rc) {
		found = content_find(&rows, kind, false);
		rc = found ? content_open(request->app->dir, found->id, &request->arena, &row, err)
			   : err_set(err, ENOENT, "run %" PRId64 " has no %s", request->ids[0],
				     what);
	}
	vec_free(&rows);
	return rc;
}

bool result_same_file(struct request *request, const struct run *run, int fd)
{
	struct stat st = { 0 };

	fstat(fd, &st);
	return reply_etag(request, arena_printf(&request->arena, "%" PRId64 "-%" PRId64,
						run->change, (int64_t)st.st_size));
}
