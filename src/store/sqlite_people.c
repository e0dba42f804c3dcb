// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "base/err.h"
#include "store/people.h"
#include "store/sqlite.h"

#include <errno.h>

#define USER_COLUMNS                                             \
	"SELECT u.id, u.name, u.role, u.password, u.created_ns," \
	" (SELECT count(*) FROM token t WHERE t.user = u.id) FROM user u "

static void read_user(struct stmt *q, struct arena *arena, struct user *into)
{
	*into = (struct user){ .id = stmt_get_int(q) };
	into->name = stmt_get_text(q, arena);
	into->role = strcmp(stmt_get_text(q, arena), role_name(ROLE_RUNNER)) ? ROLE_VIEWER
									     : ROLE_RUNNER;
	into->password = stmt_get_text(q, arena);
	into->created_ns = stmt_get_int(q);
	into->tokens = stmt_get_int(q);
}

int store_user_add(struct store *store, const struct user *user, int64_t *id, struct err *err)
{
	struct stmt q;
	int rc = db_write(store, err);

	if (!rc) {
		stmt_open(&q, store,
			  "INSERT INTO user (name, role, password, created_ns)"
			  " VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING id");
		stmt_text(&q, user->name);
		stmt_text(&q, role_name(user->role));
		stmt_text(&q, user->password);
		stmt_int(&q, clock_wall_ns());
		rc = stmt_number(&q, id, err);
		if (rc == -ENOENT)
			rc = err_set(err, EEXIST, "there is a user '%s' already", user->name);
	}
	return db_done(store, rc, err);
}

/* The user that an opened statement gives; -ENOENT without words. */
static int one_user(struct stmt *q, struct arena *arena, struct user *into, struct err *err)
{
	int rc = stmt_row(q, err);

	if (rc > 0)
		read_user(q, arena, into);
	stmt_close(q);
	if (!rc)
		return -ENOENT;
	return rc < 0 ? rc : 0;
}

int store_user_find(struct store *store, const char *name, struct arena *arena, struct user *into,
		    struct err *err)
{
	struct stmt q;
	int rc = db_read(store, err);

	if (!rc) {
		stmt_open(&q, store, USER_COLUMNS "WHERE u.name = ?");
		stmt_text(&q, name);
		rc = one_user(&q, arena, into, err);
		if (rc == -ENOENT)
			err_set(err, ENOENT, "there is no user '%s'", name);
	}
	return db_done(store, rc, err);
}

int store_user_list(struct store *store, struct arena *arena, struct users *into, struct err *err)
{
	struct stmt q;
	int rc = db_read(store, err);

	if (!rc) {
		stmt_open(&q, store, USER_COLUMNS "ORDER BY u.name");
		while ((rc = stmt_row(&q, err)) > 0)
			read_user(&q, arena, vec_push(into));
		stmt_close(&q);
	}
	return db_done(store, rc, err);
}

int store_user_count(struct store *store, int64_t *count, struct err *err)
{
	struct stmt q;
	int rc = db_read(store, err);

	if (!rc) {
		stmt_open(&q, store, "SELECT count(*) FROM user");
		rc = stmt_number(&q, count, err);
	}
	return db_done(store, rc, err);
}

int store_user_change(struct store *store, const struct user *user, struct err *err)
{
	struct stmt q;
	int rc = db_write(store, err);

	if (!rc) {
		stmt_open(&q, store, "UPDATE user SET role = ?, password = ? WHERE id = ?");
		stmt_text(&q, role_name(user->role));
		stmt_text(&q, user->password);
		stmt_int(&q, user->id);
		rc = stmt_end(&q, err);
		if (!rc)
			rc = err_set(err, ENOENT, "there is no user %lld", (long long)user->id);
	}
	if (rc > 0) {
		stmt_open(&q, store, "DELETE FROM token WHERE user = ? AND browser = 1");
		stmt_int(&q, user->id);
		rc = stmt_end(&q, err);
	}
	return db_done(store, rc < 0 ? rc : 0, err);
}

int store_user_remove(struct store *store, int64_t id, struct err *err)
{
	struct stmt q;
	int rc = db_write(store, err);

	if (!rc) {
		stmt_open(&q, store, "DELETE FROM user WHERE id = ?");
		stmt_int(&q, id);
		rc = stmt_end(&q, err);
		if (!rc)
			rc = err_set(err, ENOENT, "there is no user %lld", (long long)id);
	}
	return db_done(store, rc < 0 ? rc : 0, err);
}

int store_token_add(struct store *store, const struct token *token, int64_t *id, struct err *err)
{
	struct stmt q;
	int rc = db_write(store, err);

	if (!rc) {
		stmt_open(&q, store,
			  "INSERT INTO token (user, hash, label, browser, created_ns, expires_ns)"
			  " VALUES (?, ?, ?, ?, ?, ?) RETURNING id");
		stmt_int(&q, token->user);
		stmt_text(&q, token->hash);
		stmt_text(&q, token->label);
		stmt_int(&q, token->browser);
		stmt_int(&q, clock_wall_ns());
		stmt_int(&q, token->expires_ns);
		rc = stmt_number(&q, id, err);
	}
	return db_done(store, rc, err);
}

int store_token_find(struct store *store, const char *hash, bool browser, struct arena *arena,
		     struct user *into, struct err *err)
{
	struct stmt q;
	int rc = db_read(store, err);

	if (!rc) {
		stmt_open(&q, store,
			  USER_COLUMNS "JOIN token k ON k.user = u.id"
				       " WHERE k.hash = ? AND k.browser = ?"
				       " AND (k.expires_ns = 0 OR k.expires_ns > ?)");
		stmt_text(&q, hash);
		stmt_int(&q, browser);
		stmt_int(&q, clock_wall_ns());
		rc = one_user(&q, arena, into, err);
		if (rc == -ENOENT)
			err_set(err, ENOENT, "unknown or expired token");
	}
	return db_done(store, rc, err);
}

int store_token_list(struct store *store, int64_t user, struct arena *arena, struct tokens *into,
		     struct err *err)
{
	struct stmt q;
	int rc = db_read(store, err);

	if (!rc) {
		stmt_open(&q, store,
			  "SELECT id, user, label, hash, browser, created_ns, expires_ns FROM token"
			  " WHERE user = ? ORDER BY id");
		stmt_int(&q, user);
		while ((rc = stmt_row(&q, err)) > 0) {
			struct token *token = vec_push(into);

			token->id = stmt_get_int(&q);
			token->user = stmt_get_int(&q);
			token->label = stmt_get_text(&q, arena);
			token->hash = stmt_get_text(&q, arena);
			token->browser = stmt_get_int(&q);
			token->created_ns = stmt_get_int(&q);
			token->expires_ns = stmt_get_int(&q);
		}
		stmt_close(&q);
	}
	return db_done(store, rc, err);
}

int store_token_remove(struct store *store, int64_t user, int64_t id, struct err *err)
{
	struct stmt q;
	int rc = db_write(store, err);

	if (!rc) {
		stmt_open(&q, store, "DELETE FROM token WHERE user = ? AND id = ?");
		stmt_int(&q, user);
		stmt_int(&q, id);
		rc = stmt_end(&q, err);
		if (!rc)
			rc = err_set(err, ENOENT, "there is no token %lld of that user",
				     (long long)id);
	}
	return db_done(store, rc < 0 ? rc : 0, err);
}

int store_token_end(struct store *store, const char *hash, struct err *err)
{
	struct stmt q;
	int rc = db_write(store, err);

	if (!rc) {
		stmt_open(&q, store, "DELETE FROM token WHERE hash = ?");
		stmt_text(&q, hash);
		rc = stmt_end(&q, err);
	}
	return db_done(store, rc < 0 ? rc : 0, err);
}

int store_audit_add(struct store *store, const char *person, const char *action, const char *detail,
		    struct err *err)
{
	struct stmt q;
	int rc = db_write(store, err);

	if (!rc) {
		stmt_open(&q, store,
			  "INSERT INTO audit (time_ns, person, action, detail, user)"
			  " VALUES (?, ?, ?, ?, coalesce((SELECT id FROM user WHERE name = ?2"
			  " AND name <> '" OWNER_NAME "'), 0))");
		stmt_int(&q, clock_wall_ns());
		stmt_text(&q, person);
		stmt_text(&q, action);
		stmt_text(&q, detail);
		rc = stmt_end(&q, err);
	}
	return db_done(store, rc < 0 ? rc : 0, err);
}

int store_audit_list(struct store *store, const struct page *page, int64_t user,
		     struct arena *arena, struct audits *into, struct err *err)
{
	struct stmt q;
	int rc = db_read(store, err);

	if (!rc) {
		stmt_open(&q, store,
			  "SELECT id, time_ns, person, action, detail FROM audit WHERE id < ?"
			  " AND (?2 = 0 OR user = ?2) ORDER BY id DESC LIMIT ?");
		stmt_int(&q, db_before(page));
		stmt_int(&q, user);
		stmt_int(&q, db_limit(page->limit));
		while ((rc = stmt_row(&q, err)) > 0) {
			struct audit *line = vec_push(into);

			line->id = stmt_get_int(&q);
			line->time_ns = stmt_get_int(&q);
			line->person = stmt_get_text(&q, arena);
			line->action = stmt_get_text(&q, arena);
			line->detail = stmt_get_text(&q, arena);
		}
		stmt_close(&q);
	}
	return db_done(store, rc, err);
}
