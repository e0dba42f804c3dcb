/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store's rows of users, their tokens, and of what people did.
 *
 * Only hashes are kept: store/accounts.h makes and checks them.
 */
#ifndef STORE_PEOPLE_H
#define STORE_PEOPLE_H

#include "store/store.h"

enum role {
	ROLE_VIEWER,
	ROLE_RUNNER,
	ROLES,		   /* that accounts have */
	ROLE_OWNER = ROLES /* who has the server's own link; no account, and so without a number */
};
const char *role_name(enum role role);

struct user {
	int64_t id;
	const char *name;
	enum role role;
	const char *password; /* hashed; "" for none */
	int64_t created_ns;
	int64_t tokens; /* how many there are */
};
struct users VEC_OF(struct user);

struct token {
	int64_t id, user;
	const char *label;
	const char *hash;
	bool browser;			/* a cookie, which is worth nothing without its proof */
	int64_t created_ns, expires_ns; /* 0: never */
};
struct tokens VEC_OF(struct token);

/* What no account may be called: whoever has the server's own link. */
#define OWNER_NAME "owner"

/* -EEXIST where there is one of that name. */
int store_user_add(struct store *store, const struct user *user, int64_t *id, struct err *err);
int store_user_find(struct store *store, const char *name, struct arena *arena, struct user *into,
		    struct err *err);
int store_user_list(struct store *store, struct arena *arena, struct users *into,
		    struct err *err); /* by name */
int store_user_count(struct store *store, int64_t *count, struct err *err);
/* Role and password of user->id; all browsers of that user have to sign in again. */
int store_user_change(struct store *store, const struct user *user, struct err *err);
int store_user_remove(struct store *store, int64_t id, struct err *err); /* with all tokens */

int store_token_add(struct store *store, const struct token *token, int64_t *id, struct err *err);
/* Whose it is, unless it has expired or is of the other kind: -ENOENT. */
int store_token_find(struct store *store, const char *hash, bool browser, struct arena *arena,
		     struct user *into, struct err *err);
int store_token_list(struct store *store, int64_t user, struct arena *arena, struct tokens *into,
		     struct err *err);
int store_token_remove(struct store *store, int64_t user, int64_t id, struct err *err);
/* Takes back the one of that hash; nothing where there is none. */
int store_token_end(struct store *store, const char *hash, struct err *err);

/* The log of who did what; nothing takes a line out again. */
struct audit {
	int64_t id, time_ns;
	const char *person, *action, *detail;
};
struct audits VEC_OF(struct audit);

int store_audit_add(struct store *store, const char *person, const char *action, const char *detail,
		    struct err *err);
/* user: lines of this account alone; 0: all. */
int store_audit_list(struct store *store, const struct page *page, int64_t user,
		     struct arena *arena, struct audits *into, struct err *err);

#endif
