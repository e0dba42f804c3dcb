// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "base/err.h"
#include "store/filerows.h"
#include "store/sqlite.h"

#include <errno.h>
#include <stdio.h>

#define FILE_COLUMNS                                                           \
	"SELECT f.id, f.run, f.kind, f.hash, f.size, f.created_ns FROM file f" \
	" JOIN run r ON f.run = r.id JOIN session s ON r.session = s.id "
#define PURGE_BYTES (1 << 20) /* of rows, at a time */
#define PRESENT	    "r.purge_ns IS NULL AND s.purge_ns IS NULL"

static void read_hash(struct stmt *q, char into[static HASH_TEXT])
{
	const char *hash = (const char *)sqlite3_column_text(q->stmt, q->column++);

	snprintf(into, HASH_TEXT, "%s", hash ? hash : "");
}

static void read_file(struct stmt *q, struct arena *arena, struct file_row *into)
{
	*into = (struct file_row){ .id = stmt_get_int(q) };
	into->run = stmt_get_int(q);
	into->kind = stmt_get_text(q, arena);
	read_hash(q, into->hash);
	into->size = stmt_get_int(q);
	into->created_ns = stmt_get_int(q);
}

static int add(struct store *store, int64_t run, const char *kind, int64_t *id, struct err *err)
{
	struct stmt q;
	int rc = db_check_run(store, run, err);

	if (rc)
		return rc;
	stmt_open(&q, store,
		  "INSERT INTO file (run, kind, hash, size, created_ns)"
		  " VALUES (?, ?, '', 0, ?) RETURNING id");
	stmt_int(&q, run);
	stmt_text(&q, kind);
	stmt_int(&q, clock_wall_ns());
	rc = stmt_number(&q, id, err);
	return rc ? rc : db_changed(store, STORE_RUN, run, err);
}

int store_file_add(struct store *store, int64_t run, const char *kind, int64_t *id, struct err *err)
{
	int rc = db_write(store, err);

	if (!rc)
		rc = add(store, run, kind, id, err);
	return db_done(store, rc, err);
}

static int finish(struct store *store, int64_t id, const char *hash, int64_t size, struct err *err)
{
	struct stmt q;
	int64_t run;
	int rc;

	stmt_open(&q, store, "UPDATE file SET hash = ?, size = ? WHERE id = ? RETURNING run");
	stmt_text(&q, hash);
	stmt_int(&q, size);
	stmt_int(&q, id);
	rc = stmt_number(&q, &run, err);
	if (rc == -ENOENT)
		return err_set(err, ENOENT, "there is no file %lld any more", (long long)id);
	return rc ? rc : db_changed(store, STORE_RUN, run, err);
}

int store_file_finish(struct store *store, int64_t id, const char *hash, int64_t size,
		      struct err *err)
{
	int rc = db_write(store, err);

	if (!rc)
		rc = finish(store, id, hash, size, err);
	return db_done(store, rc, err);
}

int store_file_list(struct store *store, int64_t run, struct arena *arena, struct file_rows *into,
		    struct err *err)
{
	struct stmt q;
	int rc = db_read(store, err);

	if (!rc) {
		stmt_open(&q, store,
			  FILE_COLUMNS "WHERE ?1 = 0 OR (f.run = ?1 AND " PRESENT
				       ") ORDER BY f.id");
		stmt_int(&q, run);
		while ((rc = stmt_row(&q, err)) > 0)
			read_file(&q, arena, vec_push(into));
		stmt_close(&q);
	}
	return db_done(store, rc, err);
}

int store_file_get(struct store *store, int64_t id, struct arena *arena, struct file_row *into,
		   struct err *err)
{
	struct stmt q;
	int rc = db_read(store, err);

	if (!rc) {
		stmt_open(&q, store, FILE_COLUMNS "WHERE f.id = ? AND " PRESENT);
		stmt_int(&q, id);
		rc = stmt_row(&q, err);
		if (rc > 0)
			read_file(&q, arena, into);
		stmt_close(&q);
		if (!rc)
			rc = err_set(err, ENOENT, "there is no file %lld", (long long)id);
	}
	return db_done(store, rc < 0 ? rc : 0, err);
}

static int hash_used(struct store *store, const char *hash, bool *used, struct err *err)
{
	struct stmt q;
	int64_t count;
	int rc;

	stmt_open(&q, store, "SELECT EXISTS (SELECT 1 FROM file WHERE hash = ?)");
	stmt_text(&q, hash);
	rc = stmt_number(&q, &count, err);
	*used = rc || count;
	return rc;
}

static int drop(struct store *store, int64_t id, char orphan[static HASH_TEXT], struct err *err)
{
	bool used = false;
	int64_t run = 0;
	struct stmt q;
	int rc;

	stmt_open(&q, store, "DELETE FROM file WHERE id = ? RETURNING run, hash");
	stmt_int(&q, id);
	while ((rc = stmt_row(&q, err)) > 0) {
		run = stmt_get_int(&q);
		read_hash(&q, orphan);
	}
	stmt_close(&q);
	if (!rc && !run)
		return err_set(err, ENOENT, "there is no file %lld", (long long)id);
	if (!rc && *orphan)
		rc = hash_used(store, orphan, &used, err);
	if (used)
		*orphan = '\0';
	return rc ? rc : db_changed(store, STORE_RUN, run, err);
}

int store_file_drop(struct store *store, int64_t id, char orphan[static HASH_TEXT], struct err *err)
{
	int rc = db_write(store, err);

	*orphan = '\0';
	if (!rc)
		rc = drop(store, id, orphan, err);
	rc = db_done(store, rc, err);
	if (rc) /* the row is still there */
		*orphan = '\0';
	return rc;
}

static int hashes_of(struct store *store, int64_t run, struct hashes *into, struct err *err)
{
	struct stmt q;
	int rc;

	stmt_open(&q, store, "SELECT hash FROM file WHERE run = ? AND hash <> ''");
	stmt_int(&q, run);
	while ((rc = stmt_row(&q, err)) > 0)
		read_hash(&q, vec_push(into)->text);
	stmt_close(&q);
	return rc;
}

/* The first ones by one statement that gives ids and sizes. */
static int some_due(struct store *store, const char *sql, int64_t now_ns, struct file_ids *into,
		    struct err *err)
{
	int64_t bytes = 0;
	struct stmt q;
	int rc;

	stmt_open(&q, store, sql);
	stmt_int(&q, now_ns);
	while ((rc = stmt_row(&q, err)) > 0 && bytes < PURGE_BYTES) {
		*vec_push(into) = stmt_get_int(&q);
		bytes += stmt_get_int(&q);
	}
	stmt_close(&q);
	return rc < 0 ? rc : 0;
}

static int purge_one(struct store *store, enum store_kind kind, int64_t id, struct err *err)
{
	struct stmt q;
	int rc;

	stmt_open(&q, store,
		  kind == STORE_RUN ? "DELETE FROM run WHERE id = ?"
				    : "DELETE FROM session WHERE id = ?");
	stmt_int(&q, id);
	rc = stmt_end(&q, err);
	return rc < 0 ? rc : db_changed(store, kind, id, err);
}

/* Sessions come last: their runs would go with them, all at once. */
static int purge_some(struct store *store, int64_t now_ns, struct hashes *orphans, int64_t *things,
		      struct err *err)
{
	enum store_kind kind = STORE_RUN;
	struct file_ids due = { 0 };
	int rc = some_due(store,
			  "SELECT id, bytes FROM run WHERE purge_ns <= ?1 OR session IN"
			  " (SELECT id FROM session WHERE purge_ns <= ?1) ORDER BY id LIMIT 64",
			  now_ns, &due, err);

	if (!rc && !due.len) {
		kind = STORE_SESSION;
		rc = some_due(store,
			      "SELECT id, bytes FROM session WHERE purge_ns <= ?1 ORDER BY id"
			      " LIMIT 64",
			      now_ns, &due, err);
	}
	for (size_t i = 0; i < due.len && !rc; i++) {
		if (kind == STORE_RUN)
			rc = hashes_of(store, due.data[i], orphans, err);
		if (!rc)
			rc = purge_one(store, kind, due.data[i], err);
	}
	*things = (int64_t)due.len;
	vec_free(&due);
	return rc;
}

static int keep_unused(struct store *store, struct hashes *hashes, struct err *err)
{
	size_t kept = 0;
	int rc = 0;

	for (size_t i = 0; i < hashes->len && !rc; i++) {
		bool used;

		rc = hash_used(store, hashes->data[i].text, &used, err);
		if (!used)
			hashes->data[kept++] = hashes->data[i];
	}
	hashes->len = kept;
	return rc;
}

int store_purge(struct store *store, int64_t now_ns, struct hashes *orphans, int64_t *things,
		struct err *err)
{
	int rc = db_write(store, err);

	*things = 0;
	if (!rc)
		rc = purge_some(store, now_ns, orphans, things, err);
	if (!rc)
		rc = keep_unused(store, orphans, err);
	rc = db_done(store, rc, err);
	if (rc) { /* the rows are still there */
		orphans->len = 0;
		*things = 0;
	}
	return rc;
}

int store_bytes(struct store *store, int64_t *bytes, struct err *err)
{
	struct stmt q;
	int rc = db_read(store, err);

	if (!rc) {
		stmt_open(&q, store,
			  "SELECT coalesce(sum(size), 0) FROM"
			  " (SELECT max(size) AS size FROM file WHERE hash <> '' GROUP BY hash)");
		rc = stmt_number(&q, bytes, err);
	}
	return db_done(store, rc, err);
}

int store_bytes_of(struct store *store, int64_t maker, int64_t *bytes, struct file_ids *unfinished,
		   struct err *err)
{
	int64_t rows = 0;
	struct stmt q;
	int rc = db_read(store, err);

	if (!rc) {
		stmt_open(&q, store,
			  "SELECT coalesce(sum(size), 0) FROM (SELECT max(f.size) AS size"
			  " FROM file f JOIN run r ON f.run = r.id WHERE r.maker = ?"
			  " AND f.hash <> '' GROUP BY f.hash)");
		stmt_int(&q, maker);
		rc = stmt_number(&q, bytes, err);
	}
	if (!rc) {
		stmt_open(&q, store,
			  "SELECT coalesce(sum(bytes + ?2), 0) FROM (SELECT bytes FROM session"
			  " WHERE maker = ?1 UNION ALL SELECT bytes FROM run WHERE maker = ?1)");
		stmt_int(&q, maker);
		stmt_int(&q, STORE_ROW_BYTES);
		rc = stmt_number(&q, &rows, err);
		*bytes += rows;
	}
	if (!rc) {
		stmt_open(&q, store,
			  "SELECT f.id FROM file f JOIN run r ON f.run = r.id WHERE r.maker = ?"
			  " AND f.hash = '' ORDER BY f.id");
		stmt_int(&q, maker);
		while ((rc = stmt_row(&q, err)) > 0)
			*vec_push(unfinished) = stmt_get_int(&q);
		stmt_close(&q);
	}
	return db_done(store, rc, err);
}
