// SPDX-License-Identifier: Apache-2.0
#include "server/rights.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/jsonread.h"
#include "base/map.h"
#include "base/mem.h"
#include "server/app.h"
#include "server/files.h"
#include "server/form.h"
#include "server/resource.h"
#include "server/unixaccount.h"

#include <errno.h>
#include <json-c/json.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEPT	     64		       /* downloads that are remembered */
#define REFUSALS     1024	       /* people and routes that they were refused */
#define REFUSED_MOST 10		       /* lines of one person and route in a minute */
#define AGAIN_NS     (60 * NS_PER_SEC) /* one who takes the same file again is noted again */

struct refusals {
	const struct route *route;
	int64_t user, until_ns;
	int count;
};

struct taken {
	uint64_t what; /* hash of person, run and file */
	int64_t until_ns;
};

struct rights {
	pthread_mutex_t lock;
	struct refusals refusals[REFUSALS];
	struct taken taken[KEPT];
	size_t next; /* of the downloads, to be forgotten first */
};

struct rights *rights_new(void)
{
	struct rights *rights = mem_alloc(sizeof(*rights));

	pthread_mutex_init(&rights->lock, NULL);
	return rights;
}

void rights_free(struct rights *rights)
{
	if (!rights)
		return;
	pthread_mutex_destroy(&rights->lock);
	free(rights);
}

static const struct {
	const char *name;
	bool runner;
} table[RIGHTS] = {
	[RIGHT_LOOK] = { "look" },
	[RIGHT_MEASURE] = { "measure", true },
	[RIGHT_CHANGE_SESSION] = { "change-session", true },
	[RIGHT_CHANGE_RUN] = { "change-run", true },
	[RIGHT_REPEAT_RUN] = { "repeat-run", true },
	[RIGHT_RAW] = { "raw" },
	[RIGHT_EXPORT] = { "export" },
};

const char *right_name(enum right right)
{
	return table[right].name;
}

bool right_needs_runner(enum right right)
{
	return table[right].runner;
}

/* ---- the log ---- */

/* The same person's of the same kind, or the place of those that are over for longest. */
static struct refusals *find_refusals(struct rights *rights, int64_t user,
				      const struct route *route)
{
	struct refusals *found = rights->refusals;

	for (struct refusals *r = rights->refusals; r < rights->refusals + REFUSALS; r++) {
		if (r->user == user && r->route == route && r->until_ns)
			return r;
		if (r->until_ns < found->until_ns)
			found = r;
	}
	return found;
}

/* How many that person has had of that kind in this minute, with this one; *before: in the last
 * such minute, where that was not told to its end. */
static int count_refusal(struct rights *rights, int64_t user, const struct route *route,
			 int *before)
{
	int64_t now = clock_now_ns();
	struct refusals *found;
	int count;

	*before = 0;
	pthread_mutex_lock(&rights->lock);
	found = find_refusals(rights, user, route);
	if (found->user != user || found->route != route || found->until_ns < now) {
		if (found->user == user && found->route == route && found->count > REFUSED_MOST)
			*before = found->count;
		*found = (struct refusals){ .user = user,
					    .route = route,
					    .until_ns = now + 60 * NS_PER_SEC };
	}
	count = ++found->count;
	pthread_mutex_unlock(&rights->lock);
	return count;
}

static bool is_power_of_ten(int count)
{
	while (count > 1 && count % 10 == 0)
		count /= 10;
	return count == 1;
}

/*
 * Many of one kind don't hide those of another, nor how many they are: from the tenth on they are
 * counted, which the tenth, the hundredth and so on say, and the first of a later minute.
 */
void rights_note_refusal(struct request *request, const char *why)
{
	const struct route *route = request->route;
	struct rights *rights = request->app->rights;
	int before = 0,
	    count = rights ? count_refusal(rights, request->user->id, route, &before) : 1;

	if (before)
		audit(request, "refused", "%s %s: %d in a minute", route->method, route->path,
		      before);
	if (count < REFUSED_MOST)
		audit(request, "refused", "%s %s: %s", route->method, route->path, why);
	else if (is_power_of_ten(count))
		audit(request, "refused", "%s %s: %d in a minute, and the next are counted only",
		      route->method, route->path, count);
}

void rights_note_too_large(struct request *request, int rc, const struct err *err)
{
	if (rc == -EFBIG || rc == -ENOSPC)
		rights_note_refusal(request, err->text);
}

/* A browser asks for a long file in parts, and for output again and again. */
static bool noted_lately(struct rights *rights, uint64_t what)
{
	int64_t now = clock_now_ns();
	bool known = false;

	pthread_mutex_lock(&rights->lock);
	for (size_t i = 0; i < KEPT && !known; i++)
		known = rights->taken[i].what == what && rights->taken[i].until_ns > now;
	if (!known)
		rights->taken[rights->next++ % KEPT] = (struct taken){ .what = what,
								       .until_ns = now + AGAIN_NS };
	pthread_mutex_unlock(&rights->lock);
	return known;
}

static void note_raw(struct request *request, const char *detail)
{
	char text[200];

	snprintf(text, sizeof(text), "%lld %s", (long long)request->user->id, detail);
	if (!request->app->rights ||
	    !noted_lately(request->app->rights, map_hash(text, strlen(text))))
		audit(request, "raw-download", "%s", detail);
}

static void note_taken(struct request *request, int64_t run, const char *what)
{
	char detail[150];

	snprintf(detail, sizeof(detail), "run %lld: %s", (long long)run, what);
	note_raw(request, detail);
}

void rights_note_values(struct request *request)
{
	const struct values_seen *seen = &request->values;
	char detail[150];

	if (seen->count == 1)
		note_taken(request, seen->first, "environment");
	if (seen->count <= 1)
		return;
	snprintf(detail, sizeof(detail), "runs %lld to %lld: environment of %zu",
		 (long long)seen->first, (long long)seen->last, seen->count);
	note_raw(request, detail);
}

static int refuse(struct request *request, const char *code, const char *remedy, struct err *err,
		  const char *format, ...) __attribute__((format(printf, 5, 6)));

static int refuse(struct request *request, const char *code, const char *remedy, struct err *err,
		  const char *format, ...)
{
	char why[300];
	va_list args;

	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	rights_note_refusal(request, why);
	return reply_error(request, 403, code, remedy, err, "%s", why);
}

/* ---- sessions ---- */

static bool is_maker(const struct user *user, int64_t maker)
{
	return user->role == ROLE_OWNER || (user->role == ROLE_RUNNER && user->id == maker);
}

bool rights_change_session(const struct user *user, const struct session *session)
{
	return is_maker(user, session->maker);
}

static int refuse_change(struct request *request, const char *kind, const char *maker,
			 struct err *err)
{
	return refuse(request, "not-yours",
		      "Make a session of your own, or ask the person who made it.", err,
		      "%s %lld is %s's; others look at it and change nothing", kind,
		      (long long)request->ids[0], maker);
}

static int check_session(struct request *request, struct err *err)
{
	struct makers makers;
	int rc = store_makers(request->store, STORE_SESSION, request->ids[0], &request->arena,
			      &makers, err);

	if (rc || is_maker(request->user, makers.session))
		return rc;
	return refuse_change(request, "session", makers.session_person, err);
}

static int check_run(struct request *request, struct err *err)
{
	struct makers makers;
	int rc = store_makers(request->store, STORE_RUN, request->ids[0], &request->arena, &makers,
			      err);

	if (rc || is_maker(request->user, makers.session) || is_maker(request->user, makers.run))
		return rc;
	return refuse_change(request, "run", makers.session_person, err);
}

/* ---- raw data ---- */

/* Whether the program ran as whom this person's do, who could have read all of it while it did. */
static bool is_same_account(struct request *request, const struct run *run)
{
	struct json_object *usage = jsonread(run->facts.usage, strlen(run->facts.usage), "", NULL);
	const char *ran_as = usage ? jsonread_text(usage, "unix_user", "") : "";
	bool same;

	if (!request->account)
		request->account = unix_account_of(request->app, request->user->name,
						   &request->arena);
	same = *ran_as && !strcmp(ran_as, request->account);
	json_object_put(usage);
	return same;
}

static bool is_kind(const char *kind, enum run_target target)
{
	return !strcmp(kind, form_target_name(target));
}

/* The supervisor decides; the page is to know before, also of an account that was made just now. */
struct reach rights_reach(const struct app *app)
{
	const struct msg_policy *policy = &app->policy;
	struct reach_rules rules = { .attach = policy->attach,
				     .users = policy->other_users,
				     .host = policy->whole_host,
				     .allow_attach = policy->allow_attach,
				     .allow_users = policy->allow_users,
				     .allow_host = policy->allow_host };
	int64_t accounts = 0;

	if (!policy->shared && store_user_count(app->store, &accounts, NULL))
		accounts = 1;
	return reach_by(&rules, policy->shared || accounts);
}

/* What ran already: whether that person, whose processes those were hardly, may measure such. */
static bool may_attach(const struct app *app, const struct run *run)
{
	struct json_object *form = jsonread(run->form, strlen(run->form), "", NULL), *target;
	struct reach reach = rights_reach(app);
	const char *kind = "";
	bool may = false;

	if (form && json_object_object_get_ex(form, "target", &target))
		kind = jsonread_text(target, "kind", "");
	if (is_kind(kind, TARGET_PROCESS) || is_kind(kind, TARGET_THREAD))
		may = reach.attach_others;
	else if (is_kind(kind, TARGET_USER))
		may = reach.users;
	else if (is_kind(kind, TARGET_HOST))
		may = reach.host;
	json_object_put(form);
	return may;
}

static bool may_see_raw(struct request *request, const struct run *run)
{
	const struct user *user = request->user;

	if (is_maker(user, run->maker))
		return true;
	if (user->role != ROLE_RUNNER || !strcmp(run->tool, "import"))
		return false;
	if (!run->argv.len)
		return may_attach(request->app, run);
	return is_same_account(request, run);
}

struct run_rights rights_of_run(struct request *request, const struct run *run)
{
	const struct user *user = request->user;
	struct run_rights rights = {
		.change = is_maker(user, run->session_maker) || is_maker(user, run->maker),
		.raw = may_see_raw(request, run),
	};

	rights.repeat = is_maker(user, run->session_maker) && rights.raw;
	return rights;
}

static const char *refusal_of(const struct user *user, const struct run *run)
{
	if (user->role == ROLE_VIEWER)
		return "a viewer sees names and times, and no raw data";
	if (!strcmp(run->tool, "import"))
		return "an imported file is for who sent it and the owner";
	return run->argv.len ? "its program ran as another Unix account than yours do"
			     : "your account may not measure what it measured";
}

static int check_raw(struct request *request, int64_t id, struct run *run, struct err *err)
{
	int rc = store_run_get(request->store, id, &request->arena, run, err);

	if (rc || may_see_raw(request, run))
		return rc;
	return refuse(request, "raw",
		      "Ask the person who made the run, or the owner of the server.", err,
		      "raw data of run %lld is not for %s: %s", (long long)id, request->user->name,
		      refusal_of(request->user, run));
}

static int check_file(struct request *request, const char *what, struct err *err)
{
	struct run run;
	int rc = check_raw(request, request->ids[0], &run, err);

	if (!rc)
		note_taken(request, run.id, what);
	return rc;
}

/* Output is looked at all the time: noted is who looks at somebody else's. */
int rights_find_maker(const struct app *app, const struct run *run, struct arena *arena,
		      struct user *user, struct err *err)
{
	int rc;

	*user = (struct user){ .name = OWNER_NAME, .role = ROLE_OWNER, .password = "" };
	if (!run->maker)
		return 0;
	rc = store_user_find(app->store, run->person, arena, user, err);
	if (rc == -ENOENT || (!rc && user->id != run->maker))
		return err_set(err, ENOENT, "%s, who queued it, was removed", run->person);
	return rc;
}

int rights_check_raw(struct request *request, int64_t id, const char *what, struct err *err)
{
	struct run run;
	int rc = check_raw(request, id, &run, err);

	if (!rc && run.maker != request->user->id)
		note_taken(request, id, what);
	return rc;
}

/* Else who may see what came of a run again would learn what it was given. */
static int check_repeat(struct request *request, struct err *err)
{
	struct makers makers;
	struct run run;
	int rc = store_makers(request->store, STORE_RUN, request->ids[0], &request->arena, &makers,
			      err);

	if (rc)
		return rc;
	if (!is_maker(request->user, makers.session))
		return refuse_change(request, "the session of run", makers.session_person, err);
	return check_raw(request, request->ids[0], &run, err);
}

/* ---- routes ---- */

int rights_check_early(struct request *request, struct err *err)
{
	const struct route *route = request->route;

	if (right_needs_runner(route->right) && request->user->role < ROLE_RUNNER)
		return refuse(request, "role",
			      "Ask the person who runs the server for the role `runner`.", err,
			      "%s has the role viewer, which can't run or change anything",
			      request->user->name);
	return route->flags & ROUTE_UPLOAD ? rights_check(request, err) : 0;
}

int rights_check(struct request *request, struct err *err)
{
	switch (request->route->right) {
	case RIGHT_CHANGE_SESSION: return check_session(request, err);
	case RIGHT_CHANGE_RUN: return check_run(request, err);
	case RIGHT_REPEAT_RUN: return check_repeat(request, err);
	case RIGHT_RAW: return rights_check_raw(request, request->ids[0], "output", err);
	case RIGHT_EXPORT:
		return export_is_raw(request->names[0])
			       ? check_file(request, request->names[0], err)
			       : 0;
	default: return 0;
	}
}
