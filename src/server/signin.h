/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who a request is from: by its cookie, or by the token that a program shows.
 *
 * The token of the start-up belongs to the server's owner, whose cookie is derived from it: both
 * hold as long as the server, also over a restart of the web side.  A user of the store gets a
 * token for the cookie, which ends with sign-out, with the user, or after 30 days.
 */
#ifndef SERVER_SIGNIN_H
#define SERVER_SIGNIN_H

#include "server/route.h"

struct signins;

struct signins *signins_new(const struct app *app);
void signins_free(struct signins *signins);

/* *by_token: it was shown in the head, by a program.  -EACCES: nobody is signed in. */
int signin_check(struct request *request, struct user *user, bool *by_token, struct err *err);

/* The link that was printed: GET /?token=... */
int signin_by_link(struct request *request, const char *token, struct err *err);

#endif
