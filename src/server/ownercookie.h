/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cookies of the server's owner.  They outlive the server, so that a page that was open when it was
 * started again goes on by itself; each browser has its own, which ends when that one signs out.
 *
 * A cookie is random bytes and the proof that they were made with a secret of the store, which is
 * changed when it has served its days.  The store also keeps which ones were signed out since.
 * All of it may be called by any thread.
 */
#ifndef SERVER_OWNERCOOKIE_H
#define SERVER_OWNERCOOKIE_H

#include <stdbool.h>

#define OWNER_COOKIE_DAYS 30

struct arena;
struct err;
struct owner_cookies;
struct store;

/* NULL on failure, with the reason in *err. */
struct owner_cookies *owner_cookies_open(struct store *store, struct err *err);
void owner_cookies_free(struct owner_cookies *cookies);

/* A new one, in the arena. */
const char *owner_cookie_make(struct owner_cookies *cookies, struct arena *arena);
bool owner_cookie_holds(struct owner_cookies *cookies, const char *text);
/* It holds no more; nothing where it is none of ours. */
int owner_cookie_end(struct owner_cookies *cookies, struct store *store, const char *text,
		     struct err *err);

#endif
