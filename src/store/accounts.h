/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who may sign in: names with a password, and tokens for programs.
 *
 * Passwords are kept as Argon2id, which is slow on purpose; tokens are 256 random bits, kept as
 * their hash, and shown once.
 */
#ifndef STORE_ACCOUNTS_H
#define STORE_ACCOUNTS_H

#include "store/people.h"

#define TOKEN_TEXT     44 /* with its NUL */
#define TOKEN_HASH     65 /* hex, with its NUL */
#define PASSWORD_LEAST 8

/* password NULL: only tokens let that user in.  -EINVAL for a name or password that won't do. */
int account_add(struct store *store, const char *name, enum role role, const char *password,
		int64_t *id, struct err *err);
/* A new password, unless it is NULL, and role: all browsers of that user have to sign in again. */
int account_change(struct store *store, const struct user *user, enum role role,
		   const char *password, struct err *err);
int account_check_name(const char *name, struct err *err);

/* -EACCES in the same words and after the same time, whether name or password is wrong. */
int account_sign_in(struct store *store, const char *name, const char *password,
		    struct arena *arena, struct user *into, struct err *err);

/* As the store keeps it: who has only this has nothing. */
void token_hash(const char *token, char into[static TOKEN_HASH]);

/* Makes a token for row->user: its text is in `token` and nowhere else, row->hash is not read. */
int account_token_add(struct store *store, const struct token *row, char token[static TOKEN_TEXT],
		      int64_t *id, struct err *err);
/* Of a program's; -EACCES for one that is not known or has expired. */
int account_token_check(struct store *store, const char *token, struct arena *arena,
			struct user *into, struct err *err);

#endif
