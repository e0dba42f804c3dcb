/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the SQLite store share: transactions, and statements with bound values.
 *
 *	struct query q;
 *	int rc = db_write(store, err);
 *
 *	if (!rc) {
 *		query_open(&q, store, "UPDATE run SET folder = ? WHERE id = ?");
 *		query_text(&q, folder);
 *		query_int(&q, id);
 *		rc = query_end(&q, err);
 *	}
 *	return db_done(store, rc, err);
 *
 * A statement's text is always a constant of ours; what comes from outside is bound.  A query
 * remembers its first failure, so the binding calls need no checks.
 */
#ifndef STORE_SQLITE_H
#define STORE_SQLITE_H

#include "store/store.h"
#include <pthread.h>
#include <sqlite3.h>

struct store {
	sqlite3 *db;
	char *path;
	pthread_mutex_t lock; /* from db_read or db_write to db_done */
	bool begun;
};

/* Begin a transaction; always end with db_done, also after a failure. */
int db_read(struct store *store, struct err *err);
int db_write(struct store *store, struct err *err);
/* Commits if rc is not negative; gives rc, or why it could not be committed. */
int db_done(struct store *store, int rc, struct err *err);

/* Statements without values or rows, separated by semicolons. */
int db_run(struct store *store, const char *sql, struct err *err);
/* What SQLite says has failed last, in our words. */
int db_fail(struct store *store, int code, struct err *err);

/* Notes that a thing changed; part of every transaction that changes one. */
int db_changed(struct store *store, enum store_kind kind, int64_t id, struct err *err);
const char *db_kind_name(enum store_kind kind);

struct query {
	struct store *store;
	sqlite3_stmt *stmt;
	int code;   /* SQLite's */
	int bound;  /* values so far */
	int column; /* to read next */
};

void query_open(struct query *q, struct store *store, const char *sql);
void query_int(struct query *q, int64_t value);
void query_text(struct query *q, const char *text);	    /* NULL is "" */
void query_text_or_null(struct query *q, const char *text); /* NULL is SQL's */
void query_words(struct query *q, const struct words *words);

/* 1 for a row, 0 at the end, negative on failure. */
int query_row(struct query *q, struct err *err);
int64_t query_get_int(struct query *q);
const char *query_get_text(struct query *q, struct arena *arena);
void query_get_words(struct query *q, struct arena *arena, struct words *into);

void query_close(struct query *q);
/* Runs it to its end and closes it; the number of rows that it changed, or negative. */
int query_end(struct query *q, struct err *err);
/* The one number that it gives; -ENOENT without a row.  Closes it. */
int query_number(struct query *q, int64_t *into, struct err *err);
/* Adds the one text of each row.  Closes it. */
int query_list(struct query *q, struct arena *arena, struct words *into, struct err *err);

/* Whether a session or run is there and not removed; -ENOENT with words if not. */
int db_check_session(struct store *store, int64_t id, struct err *err);
int db_check_run(struct store *store, int64_t id, struct err *err);

int64_t db_now_ns(void);
int64_t db_before(const struct page *page);
int db_limit(int limit);

#endif
