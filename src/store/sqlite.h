/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the SQLite store share: transactions, and statements with bound values.
 *
 *	struct stmt q;
 *	int rc = db_write(store, err);
 *
 *	if (!rc) {
 *		stmt_open(&q, store, "UPDATE run SET folder = ? WHERE id = ?");
 *		stmt_text(&q, folder);
 *		stmt_int(&q, id);
 *		rc = stmt_end(&q, err);
 *	}
 *	return db_done(store, rc, err);
 *
 * A statement's text is always a constant of ours; what comes from outside is bound.  A stmt
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
	pthread_mutex_t
		lock; /* from db_read or db_write to db_done; its holder may take it again */
	int depth;    /* how often it is held: the outermost is the transaction */
	bool begun;
	void (*full)(void *user); /* of store_options */
	void *full_user;
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

struct stmt {
	struct store *store;
	sqlite3_stmt *stmt;
	int code;   /* SQLite's */
	int bound;  /* values so far */
	int column; /* to read next */
};

void stmt_open(struct stmt *q, struct store *store, const char *sql);
void stmt_int(struct stmt *q, int64_t value);
void stmt_text(struct stmt *q, const char *text);	  /* NULL is "" */
void stmt_text_or_null(struct stmt *q, const char *text); /* NULL is SQL's */
void stmt_words(struct stmt *q, const struct wordlist *words);

/* 1 for a row, 0 at the end, negative on failure. */
int stmt_row(struct stmt *q, struct err *err);
int64_t stmt_get_int(struct stmt *q);
const char *stmt_get_text(struct stmt *q, struct arena *arena);
void stmt_get_words(struct stmt *q, struct arena *arena, struct wordlist *into);

void stmt_close(struct stmt *q);
/* Runs it to its end and closes it; the number of rows that it changed, or negative. */
int stmt_end(struct stmt *q, struct err *err);
/* The one number that it gives; -ENOENT without a row.  Closes it. */
int stmt_number(struct stmt *q, int64_t *into, struct err *err);
/* Adds the one text of each row.  Closes it. */
int stmt_list(struct stmt *q, struct arena *arena, struct wordlist *into, struct err *err);

/* Whether a session or run is there and not removed; -ENOENT with words if not. */
int db_check_session(struct store *store, int64_t id, struct err *err);
int db_check_run(struct store *store, int64_t id, struct err *err);

int64_t db_before(const struct page *page);
int db_limit(int limit);

#endif
