// SPDX-License-Identifier: Apache-2.0
/* What sessions and runs have in common: changes, tags, removal; and settings. */
#include "base/err.h"
#include "store/sqlite.h"

#include <errno.h>

/* The statements that differ between the two; no names are ever put together. */
static const struct kind_sql {
	const char *name;
	const char *tag_on, *tag_off;
	const char *busy; /* a run of it that is being made */
	const char *remove, *restore;
} kinds[] = {
	[STORE_SESSION] = {
		.name = "session",
		.tag_on = "INSERT OR IGNORE INTO session_tag (session, tag) VALUES (?, ?)",
		.tag_off = "DELETE FROM session_tag WHERE session = ? AND tag = ?",
		.busy = "SELECT coalesce(min(id), 0) FROM run WHERE session = ?"
			" AND state IN ('starting', 'running')",
		.remove = "UPDATE session SET purge_ns = ? WHERE id = ?",
		.restore = "UPDATE session SET purge_ns = NULL"
			   " WHERE id = ? AND purge_ns IS NOT NULL",
	},
	[STORE_RUN] = {
		.name = "run",
		.tag_on = "INSERT OR IGNORE INTO run_tag (run, tag) VALUES (?, ?)",
		.tag_off = "DELETE FROM run_tag WHERE run = ? AND tag = ?",
		.busy = "SELECT coalesce(min(id), 0) FROM run WHERE id = ?"
			" AND state IN ('starting', 'running')",
		.remove = "UPDATE run SET purge_ns = ? WHERE id = ?",
		.restore = "UPDATE run SET purge_ns = NULL WHERE id = ? AND purge_ns IS NOT NULL",
	},
	[STORE_QUEUE] = { .name = "queue" },
};

static enum store_kind kind_of(const char *name)
{
	enum store_kind kind = STORE_SESSION;

	while (kind < STORE_QUEUE && strcmp(kinds[kind].name, name))
		kind++;
	return kind;
}

int db_changed(struct store *store, enum store_kind kind, int64_t id, struct err *err)
{
	struct stmt q;
	int rc;

	stmt_open(&q, store,
		  "INSERT INTO change (number, kind, id)"
		  " VALUES ((SELECT coalesce(max(number), 0) + 1 FROM change), ?, ?)"
		  " ON CONFLICT (kind, id) DO UPDATE SET number = excluded.number");
	stmt_text(&q, kinds[kind].name);
	stmt_int(&q, id);
	rc = stmt_end(&q, err);
	return rc < 0 ? rc : 0;
}

int store_changes(struct store *store, int64_t after, int limit, struct changes *into,
		  struct err *err)
{
	struct arena arena = { 0 };
	struct stmt q;
	int rc = db_read(store, err);

	if (!rc) {
		stmt_open(&q, store,
			  "SELECT number, kind, id FROM change WHERE number > ?"
			  " ORDER BY number LIMIT ?");
		stmt_int(&q, after);
		stmt_int(&q, db_limit(limit));
		while ((rc = stmt_row(&q, err)) > 0) {
			struct change *change = vec_push(into);

			change->number = stmt_get_int(&q);
			change->kind = kind_of(stmt_get_text(&q, &arena));
			change->id = stmt_get_int(&q);
		}
		stmt_close(&q);
	}
	arena_free(&arena);
	return db_done(store, rc, err);
}

static int check_thing(struct store *store, enum store_kind kind, int64_t id, struct err *err)
{
	return kind == STORE_SESSION ? db_check_session(store, id, err)
				     : db_check_run(store, id, err);
}

static int tag_thing(struct store *store, enum store_kind kind, int64_t id, const char *tag,
		     bool on, struct err *err)
{
	struct stmt q;
	int rc = check_thing(store, kind, id, err);

	if (rc)
		return rc;
	stmt_open(&q, store, on ? kinds[kind].tag_on : kinds[kind].tag_off);
	stmt_int(&q, id);
	stmt_text(&q, tag);
	rc = stmt_end(&q, err);
	return rc > 0 ? db_changed(store, kind, id, err) : rc;
}

int store_tag(struct store *store, enum store_kind kind, int64_t id, const char *tag, bool on,
	      struct err *err)
{
	int rc;

	if (!tag || !*tag)
		return err_set(err, EINVAL, "a tag has at least one letter");
	rc = db_write(store, err);
	if (!rc)
		rc = tag_thing(store, kind, id, tag, on, err);
	return db_done(store, rc, err);
}

int store_tags(struct store *store, struct arena *arena, struct wordlist *into, struct err *err)
{
	struct stmt q;
	int rc = db_read(store, err);

	if (!rc) {
		stmt_open(&q, store,
			  "SELECT tag FROM session_tag UNION SELECT tag FROM run_tag"
			  " ORDER BY tag");
		rc = stmt_list(&q, arena, into, err);
	}
	return db_done(store, rc, err);
}

static int remove_thing(struct store *store, enum store_kind kind, int64_t id, int64_t purge_ns,
			struct err *err)
{
	struct stmt q;
	int64_t busy;
	int rc = check_thing(store, kind, id, err);

	if (rc)
		return rc;
	stmt_open(&q, store, kinds[kind].busy);
	stmt_int(&q, id);
	rc = stmt_number(&q, &busy, err);
	if (!rc && busy)
		rc = err_set(err, EBUSY, "run %lld is being made; cancel it first",
			     (long long)busy);
	if (rc)
		return rc;
	stmt_open(&q, store, kinds[kind].remove);
	stmt_int(&q, purge_ns > 0 ? purge_ns : 1); /* 0 stands for: not removed */
	stmt_int(&q, id);
	rc = stmt_end(&q, err);
	return rc < 0 ? rc : 0;
}

static int restore_thing(struct store *store, enum store_kind kind, int64_t id, struct err *err)
{
	struct stmt q;
	int rc;

	stmt_open(&q, store, kinds[kind].restore);
	stmt_int(&q, id);
	rc = stmt_end(&q, err);
	if (!rc)
		return err_set(err, ENOENT, "there is no removed %s %lld", kinds[kind].name,
			       (long long)id);
	return rc < 0 ? rc : 0;
}

/* Runs that wait come and go with what was removed. */
static int removal_changed(struct store *store, enum store_kind kind, int64_t id, struct err *err)
{
	int rc = db_changed(store, kind, id, err);

	return rc ? rc : db_changed(store, STORE_QUEUE, 0, err);
}

static int remove_once(struct store *store, enum store_kind kind, int64_t id, int64_t purge_ns,
		       struct err *err)
{
	int rc = db_write(store, err);

	if (!rc)
		rc = remove_thing(store, kind, id, purge_ns, err);
	if (!rc)
		rc = removal_changed(store, kind, id, err);
	return db_done(store, rc, err);
}

int store_remove(struct store *store, enum store_kind kind, int64_t id, int64_t purge_ns,
		 struct err *err)
{
	int rc = remove_once(store, kind, id, purge_ns, err);

	return rc == -ENOSPC && store->full ? remove_once(store, kind, id, purge_ns, err) : rc;
}

int store_restore(struct store *store, enum store_kind kind, int64_t id, struct err *err)
{
	int rc = db_write(store, err);

	if (!rc)
		rc = restore_thing(store, kind, id, err);
	if (!rc)
		rc = removal_changed(store, kind, id, err);
	return db_done(store, rc, err);
}

/* One that can't be restored any more is gone for everybody. */
int store_makers(struct store *store, enum store_kind kind, int64_t id, struct arena *arena,
		 struct makers *into, struct err *err)
{
	struct stmt q;
	int rc = db_read(store, err);

	if (!rc) {
		stmt_open(
			&q, store,
			kind == STORE_RUN
				? "SELECT s.maker, r.maker, s.person, r.person FROM run r"
				  " JOIN session s ON r.session = s.id WHERE r.id = ?"
				: "SELECT maker, maker, person, person FROM session WHERE id = ?");
		stmt_int(&q, id);
		rc = stmt_row(&q, err);
		if (rc > 0) {
			into->session = stmt_get_int(&q);
			into->run = stmt_get_int(&q);
			into->session_person = stmt_get_text(&q, arena);
			into->run_person = stmt_get_text(&q, arena);
		}
		stmt_close(&q);
		if (!rc)
			rc = err_set(err, ENOENT, "there is no %s %lld",
				     kind == STORE_RUN ? "run" : "session", (long long)id);
	}
	return db_done(store, rc < 0 ? rc : 0, err);
}

int store_setting_get(struct store *store, const char *name, struct arena *arena,
		      const char **value, struct err *err)
{
	struct wordlist found = { 0 };
	struct stmt q;
	int rc = db_read(store, err);

	if (!rc) {
		stmt_open(&q, store, "SELECT value FROM setting WHERE name = ?");
		stmt_text(&q, name);
		rc = stmt_list(&q, arena, &found, err);
	}
	*value = found.len ? found.data[0] : NULL;
	return db_done(store, rc, err);
}

int store_setting_set(struct store *store, const char *name, const char *value, struct err *err)
{
	struct stmt q;
	int rc = db_write(store, err);

	if (!rc) {
		stmt_open(&q, store,
			  value ? "INSERT INTO setting (name, value) VALUES (?1, ?2)"
				  " ON CONFLICT (name) DO UPDATE SET value = excluded.value"
				: "DELETE FROM setting WHERE name = ?1");
		stmt_text(&q, name);
		if (value)
			stmt_text(&q, value);
		rc = stmt_end(&q, err);
	}
	return db_done(store, rc < 0 ? rc : 0, err);
}
