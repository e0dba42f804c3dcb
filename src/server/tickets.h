/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tickets: for what a browser asks for by itself, links and downloads, where no header can be sent
 * along.  One holds for 30 seconds, for one request with GET, for one address with all of its
 * parameters, and for whoever asked for it.  They are in memory only, as hashes.
 *
 * All of it may be called by any thread.
 */
#ifndef SERVER_TICKETS_H
#define SERVER_TICKETS_H

#include "server/signin.h"
#include "store/accounts.h"

#define TICKET_SECONDS 30

struct tickets;

struct tickets *tickets_new(void);
void tickets_free(struct tickets *tickets);

/* -EBUSY when that person has too many, or all have. */
int ticket_make(struct tickets *tickets, const struct credential *by, int64_t user,
		const char *address, char ticket[static TOKEN_TEXT]);
/* Whose it was; it is worth nothing from then on, also for another address: -ENOENT. */
int ticket_take(struct tickets *tickets, const char *ticket, const char *address,
		struct credential *by);

#endif
