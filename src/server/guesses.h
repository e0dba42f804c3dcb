/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who guesses passwords has to wait, and keeps nobody out.
 *
 * Failures count against the account, from wherever they come: after five of them the next try has
 * to wait for 4 s, then 8, up to a minute.  They count against the address, unless that may be a
 * proxy's, and against all of us, so that who tries many names from many addresses has to wait too.
 * An address from which that user has signed in before counts for itself: what others do there and
 * elsewhere does not delay it.  Tokens are not guessed, and not delayed.
 *
 * Nothing is locked: what is known is forgotten after ten quiet minutes, and of it there is a fixed
 * amount.  The clock is the caller's.  All of it may be called by any thread.
 */
#ifndef SERVER_GUESSES_H
#define SERVER_GUESSES_H

#include <stdbool.h>
#include <stdint.h>

struct guesses;

struct guess {
	const char *name, *address;
	int64_t now_ns;
};

struct guesses *guesses_new(void);
void guesses_free(struct guesses *guesses);

/*
 * How long it has to wait until its password is looked at; 0: it may be, and counts as a failure
 * from now on, so that several at once are no way to have more.
 */
int64_t guess_wait(struct guesses *guesses, const struct guess *guess);
/* It was none: right, or not looked at. */
void guess_good(struct guesses *guesses, const struct guess *guess);
void guess_unmade(struct guesses *guesses, const struct guess *guess);
/* It was one: whether the log is to have it, which is not to be filled. */
bool guess_failed(struct guesses *guesses, const struct guess *guess);
/* Whether that user has signed in from there before. */
bool guess_is_known(struct guesses *guesses, const struct guess *guess);

/* Something else that is to be noted, of that name and address: at most once a minute. */
bool guess_note(struct guesses *guesses, const struct guess *guess);

#endif
