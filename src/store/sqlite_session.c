// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "base/err.h"
#include "store/sqlite.h"

#include <errno.h>

#define SESSION_COLUMNS                                                                \
	"SELECT s.id, s.title, s.notes, s.person, s.maker, s.created_ns, s.archived, " \
	"coalesce(s.purge_ns, 0),"                                                     \
	" (SELECT count(*) FROM run r WHERE r.session = s.id AND r.purge_ns IS NULL)," \
	" (SELECT coalesce(sum(f.size), 0) FROM file f JOIN run r ON f.run = r.id"     \
	"  WHERE r.session = s.id),"                                                   \
	" (SELECT number FROM change c WHERE c.kind = 'session' AND c.id = s.id)"      \
	" FROM session s "
#define TEXT_BYTES(title, notes) "length(CAST(" title " AS BLOB)) + length(CAST(" notes " AS BLOB))"
#define SESSION_TAGS		 "SELECT tag FROM session_tag WHERE session = ? ORDER BY tag"

int db_check_session(struct store *store, int64_t id, struct err *err)
{
	struct stmt q;
	int64_t one;
	int rc;

	stmt_open(&q, store, "SELECT 1 FROM session WHERE id = ? AND purge_ns IS NULL");
	stmt_int(&q, id);
	rc = stmt_number(&q, &one, err);
	if (rc == -ENOENT)
		err_set(err, ENOENT, "there is no session %lld", (long long)id);
	return rc;
}

static void read_session(struct stmt *q, struct arena *arena, struct session *into)
{
	*into = (struct session){ .id = stmt_get_int(q) };
	into->title = stmt_get_text(q, arena);
	into->notes = stmt_get_text(q, arena);
	into->person = stmt_get_text(q, arena);
	into->maker = stmt_get_int(q);
	into->created_ns = stmt_get_int(q);
	into->archived = stmt_get_int(q);
	into->purge_ns = stmt_get_int(q);
	into->runs = stmt_get_int(q);
	into->bytes = stmt_get_int(q);
	into->change = stmt_get_int(q);
}

static int read_tags(struct store *store, struct session *session, struct arena *arena,
		     struct err *err)
{
	struct stmt q;

	stmt_open(&q, store, SESSION_TAGS);
	stmt_int(&q, session->id);
	return stmt_list(&q, arena, &session->tags, err);
}

static int add(struct store *store, const struct session_patch *first, int64_t *id, struct err *err)
{
	struct stmt q;
	int rc;

	stmt_open(&q, store,
		  "INSERT INTO session (title, notes, created_ns, archived, person, maker, bytes)"
		  " VALUES (?1, ?2, ?3, ?4, ?5, ?6, " TEXT_BYTES("?1", "?2") ") RETURNING id");
	stmt_text(&q, first->title);
	stmt_text(&q, first->notes);
	stmt_int(&q, clock_wall_ns());
	stmt_int(&q, first->archived && *first->archived);
	stmt_text(&q, first->person);
	stmt_int(&q, first->maker);
	rc = stmt_number(&q, id, err);
	return rc ? rc : db_changed(store, STORE_SESSION, *id, err);
}

int store_session_add(struct store *store, const struct session_patch *first, int64_t *id,
		      struct err *err)
{
	int rc = db_write(store, err);

	if (!rc)
		rc = add(store, first, id, err);
	return db_done(store, rc, err);
}

static int change(struct store *store, int64_t id, const struct session_patch *patch,
		  struct err *err)
{
	struct stmt q;
	int rc = db_check_session(store, id, err);

	if (rc)
		return rc;
	stmt_open(&q, store,
		  "UPDATE session SET title = coalesce(?1, title), notes = coalesce(?2, notes),"
		  " archived = iif(?3 < 0, archived, ?3), bytes = " TEXT_BYTES(
			  "coalesce(?1, title)", "coalesce(?2, notes)") " WHERE id = ?4");
	stmt_text_or_null(&q, patch->title);
	stmt_text_or_null(&q, patch->notes);
	stmt_int(&q, patch->archived ? *patch->archived : -1);
	stmt_int(&q, id);
	rc = stmt_end(&q, err);
	return rc < 0 ? rc : db_changed(store, STORE_SESSION, id, err);
}

int store_session_change(struct store *store, int64_t id, const struct session_patch *patch,
			 struct err *err)
{
	int rc = db_write(store, err);

	if (!rc)
		rc = change(store, id, patch, err);
	return db_done(store, rc, err);
}

static int get(struct store *store, int64_t id, struct arena *arena, struct session *into,
	       struct err *err)
{
	struct stmt q;
	int rc;

	stmt_open(&q, store, SESSION_COLUMNS "WHERE s.id = ? AND s.purge_ns IS NULL");
	stmt_int(&q, id);
	rc = stmt_row(&q, err);
	if (rc > 0)
		read_session(&q, arena, into);
	stmt_close(&q);
	if (!rc)
		return err_set(err, ENOENT, "there is no session %lld", (long long)id);
	return rc < 0 ? rc : read_tags(store, into, arena, err);
}

int store_session_get(struct store *store, int64_t id, struct arena *arena, struct session *into,
		      struct err *err)
{
	int rc = db_read(store, err);

	if (!rc)
		rc = get(store, id, arena, into, err);
	return db_done(store, rc, err);
}

#define SESSION_TEXTS                                                                            \
	"s.title, s.notes, (SELECT group_concat(tag, ' ') FROM session_tag t WHERE t.session = " \
	"s.id)"
/* What people know a run by: its command, the process that it was of, the file that was imported.
 */
#define RUN_TEXTS                                                               \
	"r.argv, iif(json_valid(r.form), json_extract(r.form, '$.target.name'," \
	" '$.target.who', '$.name'), '')"

static int list(struct store *store, const struct session_filter *filter, struct arena *arena,
		struct sessions *into, struct err *err)
{
	size_t first = into->len;
	struct stmt q;
	int rc;

	stmt_open(&q, store,
		  SESSION_COLUMNS
		  "WHERE s.id < ?1 AND (s.purge_ns IS NOT NULL) = ?2"
		  " AND (?3 = ?4 OR s.archived = ?3)"
		  " AND (?5 IS NULL OR EXISTS (SELECT 1 FROM session_tag t"
		  "  WHERE t.session = s.id AND t.tag = ?5))"
		  " AND (?6 IS NULL OR has_words(?6, " SESSION_TEXTS ")"
		  "  OR EXISTS (SELECT 1 FROM run r WHERE r.session = s.id AND r.purge_ns IS NULL"
		  "   AND has_words(?6, " SESSION_TEXTS ", " RUN_TEXTS ")))"
		  " ORDER BY s.id DESC LIMIT ?7");
	stmt_int(&q, db_before(&filter->page));
	stmt_int(&q, filter->removed);
	stmt_int(&q, filter->archived);
	stmt_int(&q, filter->active);
	stmt_text_or_null(&q, filter->tag);
	stmt_text_or_null(&q, filter->search);
	stmt_int(&q, db_limit(filter->page.limit));
	while ((rc = stmt_row(&q, err)) > 0)
		read_session(&q, arena, vec_push(into));
	stmt_close(&q);
	for (size_t i = first; i < into->len && !rc; i++)
		rc = read_tags(store, &into->data[i], arena, err);
	return rc;
}

int store_session_list(struct store *store, const struct session_filter *filter,
		       struct arena *arena, struct sessions *into, struct err *err)
{
	int rc = db_read(store, err);

	if (!rc)
		rc = list(store, filter, arena, into, err);
	return db_done(store, rc, err);
}
