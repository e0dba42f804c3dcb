// SPDX-License-Identifier: Apache-2.0
/* Statements: values in, columns out. */
#include "base/buf.h"
#include "base/err.h"
#include "store/sqlite.h"

#include <errno.h>
#include <limits.h>

void stmt_open(struct stmt *q, struct store *store, const char *sql)
{
	*q = (struct stmt){ .store = store };
	q->code = sqlite3_prepare_v2(store->db, sql, -1, &q->stmt, NULL);
}

static void bound(struct stmt *q, int code)
{
	if (q->code == SQLITE_OK)
		q->code = code;
}

void stmt_int(struct stmt *q, int64_t value)
{
	bound(q, sqlite3_bind_int64(q->stmt, ++q->bound, value));
}

void stmt_text_or_null(struct stmt *q, const char *text)
{
	if (text)
		bound(q, sqlite3_bind_text(q->stmt, ++q->bound, text, -1, SQLITE_TRANSIENT));
	else
		bound(q, sqlite3_bind_null(q->stmt, ++q->bound));
}

void stmt_text(struct stmt *q, const char *text)
{
	stmt_text_or_null(q, text ? text : "");
}

void stmt_words(struct stmt *q, const struct wordlist *words)
{
	struct buf all = { 0 };

	wordlist_join(words, &all);
	if (all.len > INT_MAX)
		bound(q, SQLITE_TOOBIG);
	else /* a NULL would be SQL's */
		bound(q, sqlite3_bind_blob(q->stmt, ++q->bound, buf_text(&all), (int)all.len,
					   SQLITE_TRANSIENT));
	buf_free(&all);
}

int stmt_row(struct stmt *q, struct err *err)
{
	if (q->code == SQLITE_OK || q->code == SQLITE_ROW)
		q->code = sqlite3_step(q->stmt);
	q->column = 0;
	if (q->code == SQLITE_ROW)
		return 1;
	return q->code == SQLITE_DONE ? 0 : db_fail(q->store, q->code, err);
}

int64_t stmt_get_int(struct stmt *q)
{
	return sqlite3_column_int64(q->stmt, q->column++);
}

const char *stmt_get_text(struct stmt *q, struct arena *arena)
{
	const char *text = (const char *)sqlite3_column_text(q->stmt, q->column++);

	return arena_strdup(arena, text ? text : "");
}

void stmt_get_words(struct stmt *q, struct arena *arena, struct wordlist *into)
{
	const void *bytes = sqlite3_column_blob(q->stmt, q->column);
	size_t size = (size_t)sqlite3_column_bytes(q->stmt, q->column);

	q->column++;
	*into = wordlist_split(bytes, size, arena);
}

void stmt_close(struct stmt *q)
{
	sqlite3_finalize(q->stmt);
	q->stmt = NULL;
}

int stmt_end(struct stmt *q, struct err *err)
{
	int rc;

	do {
		rc = stmt_row(q, err);
	} while (rc > 0);
	stmt_close(q);
	return rc ? rc : sqlite3_changes(q->store->db);
}

int stmt_number(struct stmt *q, int64_t *into, struct err *err)
{
	int rc = stmt_row(q, err);

	if (rc > 0)
		*into = stmt_get_int(q);
	stmt_close(q);
	if (!rc)
		return err_set(err, ENOENT, "%s: no such row", q->store->path);
	return rc < 0 ? rc : 0;
}

int stmt_list(struct stmt *q, struct arena *arena, struct wordlist *into, struct err *err)
{
	VEC(const char *) list = { 0 };
	int rc;

	while ((rc = stmt_row(q, err)) > 0)
		*vec_push(&list) = stmt_get_text(q, arena);
	stmt_close(q);
	*into = (struct wordlist){ .len = list.len };
	if (list.len) {
		into->data = arena_alloc(arena, list.len * sizeof(*list.data));
		memcpy(into->data, list.data, list.len * sizeof(*list.data));
	}
	vec_free(&list);
	return rc;
}
