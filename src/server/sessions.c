// SPDX-License-Identifier: Apache-2.0
/* Sessions: list, add, look at, change, remove, restore. */
#include "base/clock.h"
#include "base/err.h"
#include "base/json.h"
#include "server/analysis.h"
#include "server/app.h"
#include "server/resource.h"
#include "server/share.h"
#include "store/datadir.h"

#include <errno.h>
#include <string.h>

#define TITLE_MOST 300
#define NOTES_MOST (64 << 10)

static int read_filter(const struct request *request, struct session_filter *filter, size_t *limit,
		       struct err *err)
{
	bool archived;
	int rc = read_page(request, &filter->page, limit, err);

	filter->search = request_text(request, "search", NULL);
	filter->tag = request_text(request, "tag", NULL);
	if (!rc)
		rc = request_flag(request, "removed", false, &filter->removed, err);
	if (!rc && request_text(request, "archived", NULL)) {
		rc = request_flag(request, "archived", false, &archived, err);
		filter->archived = archived;
		filter->active = !archived;
	}
	return rc;
}

static int list_sessions(struct request *request, struct err *err)
{
	struct session_filter filter = { 0 };
	struct sessions found = { 0 };
	struct json *json;
	size_t limit;
	int rc = read_filter(request, &filter, &limit, err);

	if (!rc)
		rc = store_session_list(request->store, &filter, &request->arena, &found, err);
	if (!rc) {
		json = reply_json(request);
		json_open(json, NULL, '{');
		json_open(json, "items", '[');
		for (size_t i = 0; i < found.len && i < limit; i++)
			session_write(json, &found.data[i], request);
		end_page(json, found.len, limit, found.len > limit ? found.data[limit - 1].id : 0);
	}
	vec_free(&found);
	return rc;
}

static int read_patch(const struct request *request, struct session_patch *patch, bool *archived,
		      struct err *err)
{
	int rc = body_text(request, "title", NULL, &patch->title, err);

	if (!rc)
		rc = body_text(request, "notes", NULL, &patch->notes, err);
	if (!rc)
		rc = body_flag(request, "archived", false, archived, err);
	if (json_object_object_get_ex(request->body, "archived", NULL))
		patch->archived = archived;
	if (!rc && patch->title && (!*patch->title || strlen(patch->title) > TITLE_MOST))
		rc = err_set(err, EINVAL, "a title has 1 to %d bytes", TITLE_MOST);
	if (!rc && patch->notes && strlen(patch->notes) > NOTES_MOST)
		rc = err_set(err, EINVAL, "notes have at most %d bytes", NOTES_MOST);
	return rc;
}

static int64_t length_of(const char *text)
{
	return text ? (int64_t)strlen(text) : 0;
}

static int add_session(struct request *request, struct err *err)
{
	static const struct wordlist none;
	struct session_patch first = { .person = request->user->name, .maker = request->user->id };
	bool archived;
	int64_t id;
	int rc = read_patch(request, &first, &archived, err);

	if (!rc && !first.title)
		rc = err_set(err, EINVAL, "a session needs a `title`");
	if (!rc)
		rc = share_room(request->app, request->user->id,
				length_of(first.title) + length_of(first.notes) + STORE_ROW_BYTES,
				err);
	if (!rc)
		rc = store_session_add(request->store, &first, &id, err);
	if (!rc)
		rc = change_tags(request, STORE_SESSION, id, &none, err);
	if (!rc)
		audit(request, "session-add", "session %lld", (long long)id);
	if (!rc)
		rc = reply_session(request, id, err);
	if (!rc)
		reply_status(request, 201);
	return rc;
}

static int get_session(struct request *request, struct err *err)
{
	return reply_session(request, request->ids[0], err);
}

/* What becomes no longer needs none: it is how room is made. */
static int room_for_patch(struct request *request, const struct session_patch *patch,
			  const struct session *now, struct err *err)
{
	int64_t more = 0;

	if (patch->title)
		more += length_of(patch->title) - length_of(now->title);
	if (patch->notes)
		more += length_of(patch->notes) - length_of(now->notes);
	return more > 0 ? share_room(request->app, request->user->id, more, err) : 0;
}

static int patch_session(struct request *request, struct err *err)
{
	struct session_patch patch = { 0 };
	struct session session;
	bool archived;
	int rc = read_patch(request, &patch, &archived, err);

	if (!rc)
		rc = store_session_get(request->store, request->ids[0], &request->arena, &session,
				       err);
	if (!rc)
		rc = room_for_patch(request, &patch, &session, err);
	if (!rc)
		rc = store_session_change(request->store, session.id, &patch, err);
	if (!rc)
		rc = change_tags(request, STORE_SESSION, session.id, &session.tags, err);
	if (rc)
		return rc;
	audit(request, "session-change", "session %lld", (long long)session.id);
	return reply_session(request, session.id, err);
}

static int remove_session(struct request *request, struct err *err)
{
	int rc = store_remove(request->store, STORE_SESSION, request->ids[0],
			      clock_wall_ns() + DATADIR_UNDO_NS, err);

	if (!rc && request->app->analysis)
		analysis_drop_removed(request->app->analysis);
	if (!rc)
		audit(request, "session-remove", "session %lld", (long long)request->ids[0]);
	return rc;
}

static int restore_session(struct request *request, struct err *err)
{
	int rc = store_restore(request->store, STORE_SESSION, request->ids[0], err);

	if (!rc && request->app->analysis)
		rc = analysis_restored(request->app->analysis, request->ids[0], err);
	if (!rc)
		audit(request, "session-restore", "session %lld", (long long)request->ids[0]);
	return rc ? rc : reply_session(request, request->ids[0], err);
}

const struct route session_routes[] = {
	{ "GET", "/api/v1/sessions", RIGHT_LOOK, list_sessions },
	{ "POST", "/api/v1/sessions", RIGHT_MEASURE, add_session },
	{ "GET", "/api/v1/sessions/{id}", RIGHT_LOOK, get_session },
	{ "PATCH", "/api/v1/sessions/{id}", RIGHT_CHANGE_SESSION, patch_session },
	{ "DELETE", "/api/v1/sessions/{id}", RIGHT_CHANGE_SESSION, remove_session },
	{ "POST", "/api/v1/sessions/{id}/restore", RIGHT_CHANGE_SESSION, restore_session,
	  ROUTE_NO_BODY },
	{ 0 },
};
