// SPDX-License-Identifier: Apache-2.0
#include "server/guesses.h"
#include "base/clock.h"
#include "base/map.h"
#include "base/mem.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define KEPT	       1024 /* accounts, addresses, and pairs of them */
#define KNOWN	       256  /* pairs that have signed in */
#define KNOWN_OF_ONE   16   /* ... of one user */
#define FREE	       5    /* failures without a pause */
#define FREE_ADDRESS   20   /* ... of an address, whatever the names */
#define FIRST_PAUSE_NS (4 * NS_PER_SEC)
#define MOST_PAUSE_NS  (60 * NS_PER_SEC)
#define QUIET_NS       (600 * NS_PER_SEC)
#define NOTED_NS       (60 * NS_PER_SEC)
/* Of all strangers together: a burst, and what may follow it.  Each takes us 50 ms of a CPU. */
#define ALL_BURST      100
#define ALL_PER_SECOND 2
#define LOG_BURST      50
#define LOG_PER_SECOND 0.2

struct tries {
	uint64_t who;
	int failed;
	int64_t last_ns, next_ns; /* 0: never */
};

struct known {
	uint64_t user, pair;
	int64_t at_ns;
};

struct bucket {
	double left;
	int64_t at_ns; /* 0: full */
};

struct guesses {
	pthread_mutex_t lock;
	struct tries tries[KEPT];
	struct known known[KNOWN];
	struct bucket all, log;
};

struct guesses *guesses_new(void)
{
	struct guesses *guesses = mem_alloc(sizeof(*guesses));

	pthread_mutex_init(&guesses->lock, NULL);
	return guesses;
}

void guesses_free(struct guesses *guesses)
{
	if (!guesses)
		return;
	pthread_mutex_destroy(&guesses->lock);
	free(guesses);
}

static uint64_t hash(const char *kind, const char *name, const char *address)
{
	return map_hash(kind, strlen(kind)) ^ 31 * map_hash(name, strlen(name)) ^
	       961 * map_hash(address, strlen(address));
}

/* Of a proxy on this machine, which speaks for many: none of them may keep the others out. */
static bool is_shared(const char *address)
{
	return !strcmp(address, "unix") || !strncmp(address, "127.", 4) || !strcmp(address, "::1");
}

/* All below is called with the lock held. */

/* Forgotten first is who has least to wait for: many names leave one that is guessed where it is.
 */
static struct tries *find(struct guesses *guesses, uint64_t who, int64_t now_ns)
{
	struct tries *first = guesses->tries;

	for (struct tries *t = guesses->tries; t < guesses->tries + KEPT; t++) {
		if (t->who == who && t->last_ns) {
			if (now_ns - t->last_ns > QUIET_NS)
				t->failed = 0;
			return t;
		}
		if (t->next_ns < first->next_ns)
			first = t;
	}
	*first = (struct tries){ .who = who };
	return first;
}

static int64_t wait_of(struct guesses *guesses, uint64_t who, int64_t now_ns)
{
	int64_t next_ns = find(guesses, who, now_ns)->next_ns;

	return next_ns > now_ns ? next_ns - now_ns : 0;
}

static void note_failed(struct guesses *guesses, uint64_t who, int freely, int64_t now_ns)
{
	struct tries *tries = find(guesses, who, now_ns);
	int64_t pause_ns = 0;

	tries->failed++;
	if (tries->failed > freely) {
		int steps = tries->failed - freely - 1;

		pause_ns = steps < 4 ? FIRST_PAUSE_NS << steps : MOST_PAUSE_NS;
	}
	tries->last_ns = now_ns;
	tries->next_ns = now_ns + pause_ns;
}

static struct known *find_known(struct guesses *guesses, uint64_t pair)
{
	for (struct known *k = guesses->known; k < guesses->known + KNOWN; k++)
		if (k->pair == pair && k->at_ns)
			return k;
	return NULL;
}

/* A place for one more: of that user's own if there are many, else the oldest of all. */
static struct known *known_place(struct guesses *guesses, uint64_t user)
{
	struct known *oldest = guesses->known, *own = NULL;
	size_t count = 0;

	for (struct known *k = guesses->known; k < guesses->known + KNOWN; k++) {
		if (k->at_ns < oldest->at_ns)
			oldest = k;
		if (!k->at_ns || k->user != user)
			continue;
		count++;
		if (!own || k->at_ns < own->at_ns)
			own = k;
	}
	return count >= KNOWN_OF_ONE ? own : oldest;
}

static void fill(struct bucket *bucket, double burst, double per_second, int64_t now_ns)
{
	if (!bucket->at_ns)
		bucket->left = burst;
	else
		bucket->left += (double)(now_ns - bucket->at_ns) / NS_PER_SEC * per_second;
	if (bucket->left > burst)
		bucket->left = burst;
	bucket->at_ns = now_ns;
}

/* What a guess counts against, and how many of them are free. */
struct counts {
	uint64_t who[2];
	int freely[2];
	size_t count;
	bool known;
};

static struct counts counts_of(struct guesses *guesses, const struct guess *guess)
{
	struct counts counts = { .count = 1, .freely = { FREE, FREE_ADDRESS } };

	counts.who[0] = hash("pair", guess->name, guess->address);
	counts.known = find_known(guesses, counts.who[0]);
	if (counts.known)
		return counts;
	counts.who[0] = hash("account", guess->name, "");
	counts.who[1] = hash("address", "", guess->address);
	counts.count = is_shared(guess->address) ? 1 : 2;
	return counts;
}

int64_t guess_wait(struct guesses *guesses, const struct guess *guess)
{
	struct counts counts;
	int64_t wait_ns = 0;

	pthread_mutex_lock(&guesses->lock);
	counts = counts_of(guesses, guess);
	for (size_t i = 0; i < counts.count; i++) {
		int64_t one_ns = wait_of(guesses, counts.who[i], guess->now_ns);

		wait_ns = one_ns > wait_ns ? one_ns : wait_ns;
	}
	if (!wait_ns && !counts.known) {
		fill(&guesses->all, ALL_BURST, ALL_PER_SECOND, guess->now_ns);
		if (guesses->all.left < 1)
			wait_ns = NS_PER_SEC;
		else
			guesses->all.left--;
	}
	for (size_t i = 0; i < counts.count && !wait_ns; i++)
		note_failed(guesses, counts.who[i], counts.freely[i], guess->now_ns);
	pthread_mutex_unlock(&guesses->lock);
	return wait_ns;
}

static void take_back(struct guesses *guesses, const struct guess *guess)
{
	struct counts counts = counts_of(guesses, guess);

	for (size_t i = 0; i < counts.count; i++) {
		struct tries *tries = find(guesses, counts.who[i], guess->now_ns);

		if (tries->failed)
			tries->failed--;
		tries->next_ns = guess->now_ns;
	}
	if (!counts.known)
		guesses->all.left++;
}

void guess_unmade(struct guesses *guesses, const struct guess *guess)
{
	pthread_mutex_lock(&guesses->lock);
	take_back(guesses, guess);
	pthread_mutex_unlock(&guesses->lock);
}

void guess_good(struct guesses *guesses, const struct guess *guess)
{
	uint64_t pair = hash("pair", guess->name, guess->address);
	uint64_t user = hash("account", guess->name, "");
	struct known *known;

	pthread_mutex_lock(&guesses->lock);
	take_back(guesses, guess);
	known = find_known(guesses, pair);
	if (known)
		find(guesses, pair, guess->now_ns)->failed = 0;
	else
		known = known_place(guesses, user);
	*known = (struct known){ user, pair, guess->now_ns };
	pthread_mutex_unlock(&guesses->lock);
}

bool guess_failed(struct guesses *guesses, const struct guess *guess)
{
	bool tell;

	pthread_mutex_lock(&guesses->lock);
	fill(&guesses->log, LOG_BURST, LOG_PER_SECOND, guess->now_ns);
	tell = guesses->log.left >= 1;
	guesses->log.left -= tell;
	pthread_mutex_unlock(&guesses->lock);
	return tell;
}

bool guess_is_known(struct guesses *guesses, const struct guess *guess)
{
	bool known;

	pthread_mutex_lock(&guesses->lock);
	known = find_known(guesses, hash("pair", guess->name, guess->address));
	pthread_mutex_unlock(&guesses->lock);
	return known;
}

bool guess_note(struct guesses *guesses, const struct guess *guess)
{
	struct tries *tries;
	bool due;

	pthread_mutex_lock(&guesses->lock);
	tries = find(guesses, hash("note", guess->name, guess->address), guess->now_ns);
	due = tries->next_ns <= guess->now_ns;
	if (due) {
		tries->last_ns = guess->now_ns;
		tries->next_ns = guess->now_ns + NOTED_NS;
	}
	pthread_mutex_unlock(&guesses->lock);
	return due;
}
