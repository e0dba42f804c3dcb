// SPDX-License-Identifier: Apache-2.0
#include "server/tickets.h"
#include "base/clock.h"
#include "base/mem.h"

#include <errno.h>
#include <pthread.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#define TICKETS_MOST 1024
#define OF_ONE_MOST  64
#define BYTES	     32

struct ticket {
	char hash[TOKEN_HASH], address[TOKEN_HASH]; /* hashes of both */
	struct credential by;
	int64_t user;
	int64_t until_ns; /* 0: there is none */
};

struct tickets {
	pthread_mutex_t lock;
	struct ticket all[TICKETS_MOST];
};

struct tickets *tickets_new(void)
{
	struct tickets *tickets = mem_alloc(sizeof(*tickets));

	pthread_mutex_init(&tickets->lock, NULL);
	return tickets;
}

void tickets_free(struct tickets *tickets)
{
	if (!tickets)
		return;
	pthread_mutex_destroy(&tickets->lock);
	free(tickets);
}

/* A free place for one more of that user's; NULL when there is none.  With the lock held. */
static struct ticket *find_place(struct tickets *tickets, int64_t user, int64_t now_ns)
{
	struct ticket *place = NULL;
	size_t own = 0;

	for (struct ticket *t = tickets->all; t < tickets->all + TICKETS_MOST; t++) {
		if (t->until_ns <= now_ns)
			place = t;
		else
			own += t->user == user;
	}
	return own < OF_ONE_MOST ? place : NULL;
}

int ticket_make(struct tickets *tickets, const struct credential *by, int64_t user,
		const char *address, char ticket[static TOKEN_TEXT])
{
	int64_t now_ns = clock_now_ns();
	unsigned char bytes[BYTES];
	struct ticket *place;

	pthread_mutex_lock(&tickets->lock);
	place = find_place(tickets, user, now_ns);
	if (place) {
		randombytes_buf(bytes, sizeof(bytes));
		sodium_bin2base64(ticket, TOKEN_TEXT, bytes, sizeof(bytes),
				  sodium_base64_VARIANT_URLSAFE_NO_PADDING);
		sodium_memzero(bytes, sizeof(bytes));
		*place = (struct ticket){ .by = *by, .user = user };
		token_hash(ticket, place->hash);
		token_hash(address, place->address);
		place->until_ns = now_ns + TICKET_SECONDS * NS_PER_SEC;
	}
	pthread_mutex_unlock(&tickets->lock);
	return place ? 0 : -EBUSY;
}

int ticket_take(struct tickets *tickets, const char *ticket, const char *address,
		struct credential *by)
{
	char hash[TOKEN_HASH], wanted[TOKEN_HASH];
	int64_t now_ns = clock_now_ns();
	int rc = -ENOENT;

	token_hash(ticket, hash);
	token_hash(address, wanted);
	pthread_mutex_lock(&tickets->lock);
	for (struct ticket *t = tickets->all; t < tickets->all + TICKETS_MOST; t++) {
		if (t->until_ns <= now_ns || strcmp(t->hash, hash))
			continue;
		t->until_ns = 0;
		if (!strcmp(t->address, wanted)) {
			*by = t->by;
			rc = 0;
		}
	}
	pthread_mutex_unlock(&tickets->lock);
	return rc;
}
