/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who a request is from: by its cookie, or by the token that a program shows.
 *
 * The token of the start-up belongs to the server's owner and holds as long as the server.  Whom it
 * has signed in stays so when the server is started again: the owner's cookie is kept in the store,
 * for 30 days.  A user of the store gets a token for the cookie, which ends with sign-out, with the
 * user, or after 30 days.
 */
#ifndef SERVER_SIGNIN_H
#define SERVER_SIGNIN_H

#include "server/route.h"

struct signins;

/* NULL on failure, with the reason in *err. */
struct signins *signins_new(const struct app *app, struct err *err);
void signins_free(struct signins *signins);

/* *by_token: it was shown in the head, by a program.  -EACCES: nobody is signed in. */
int signin_check(struct request *request, struct user *user, bool *by_token, struct err *err);

/* The link that was printed: GET /?token=...  `to` is an address of the page (page_is_view). */
int signin_by_link(struct request *request, const char *token, const char *to, struct err *err);

#endif
