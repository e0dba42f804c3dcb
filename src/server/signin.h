/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who a request is from: by its cookie and the cookie's proof, by the token that a program shows,
 * or by a ticket.
 *
 * The token of the start-up belongs to the server's owner and holds as long as the server.  Whom it
 * has signed in stays so when the server is started again, for 30 days (server/ownercookie.h).  A
 * user of the store gets a cookie of the store's, which ends with sign-out, with the user, or after
 * 30 days.  Users are looked up with every request, so one that is removed has ended at once.
 */
#ifndef SERVER_SIGNIN_H
#define SERVER_SIGNIN_H

#include "server/route.h"
#include "store/accounts.h"

#define PROOF_HEADER "Perfolio-Proof"

struct signins;

enum credential_kind {
	BY_NOTHING, /* a server with --open */
	BY_PRINTED_TOKEN,
	BY_TOKEN,
	BY_OWNER_COOKIE,
	BY_COOKIE,
};

/* How somebody has shown who it is.  Nobody can sign in with what is in here. */
struct credential {
	enum credential_kind kind;
	unsigned series;       /* BY_OWNER_COOKIE */
	char hash[TOKEN_HASH]; /* of the token or cookie */
};

/* NULL on failure, with the reason in *err. */
struct signins *signins_new(const struct app *app, struct err *err);
void signins_free(struct signins *signins);

/*
 * ticket: of the address, which has been taken off it; or NULL.  -EACCES: nobody is signed in;
 * -EKEYREJECTED: somebody is, but the cookie came without its proof.
 */
int signin_check(struct request *request, const char *ticket, const char *address,
		 struct user *user, struct credential *by, struct err *err);
/* Whether anything was changed in the store since this was asked last, by whichever process. */
bool signins_changed(struct signins *signins);
/* Who that is now; -EACCES: it holds no more. */
int signin_again(struct signins *signins, const struct credential *by, struct arena *arena,
		 struct user *user, struct err *err);

#endif
