/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cookies of the server's owner, and the proofs that belong to all cookies.
 *
 * A cookie of the owner's is random bytes and their hash under a key, so nothing is kept for it. It
 * outlives the server, so that a page that was open when it was started again goes on by itself;
 * each browser has its own, which ends when that one signs out.  The key is changed when it has
 * served its days.
 *
 * Browsers send a cookie to every port of a machine, whoever listens there.  So a cookie alone is
 * worth nothing: its proof, a hash of it under a second key, is kept by the page, in the storage of
 * its origin, and sent in a header, which no page of another origin can do.
 *
 * Both keys are in a file of their own, never in the database, and in memory that is not swapped or
 * dumped.  All of it may be called by any thread.
 */
#ifndef SERVER_OWNERCOOKIE_H
#define SERVER_OWNERCOOKIE_H

#include "store/accounts.h"

#define OWNER_COOKIE_DAYS 30

struct datadir;
struct err;
struct owner_cookies;

/* NULL on failure, with the reason in *err. */
struct owner_cookies *owner_cookies_open(struct datadir *dir, struct err *err);
void owner_cookies_free(struct owner_cookies *cookies);

void owner_cookie_make(struct owner_cookies *cookies, char text[static TOKEN_TEXT]);
/* Whether it is one of ours that was not signed out; *series goes with its hash from then on. */
bool owner_cookie_holds(struct owner_cookies *cookies, const char *text, unsigned *series);
bool owner_cookie_still_holds(struct owner_cookies *cookies, const char *hash, unsigned series);
/* The one of that hash holds no more. */
int owner_cookie_end(struct owner_cookies *cookies, const char *hash, struct err *err);

/* Of any cookie, the owner's or a user's. */
void cookie_prove(const struct owner_cookies *cookies, const char *cookie,
		  char proof[static TOKEN_TEXT]);
bool cookie_is_proved(const struct owner_cookies *cookies, const char *cookie, const char *proof);

#endif
