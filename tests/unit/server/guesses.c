// SPDX-License-Identifier: Apache-2.0
#include "server/guesses.h"
#include "base/clock.h"
#include "test.h"

#include <stdio.h>

static struct guesses *guesses;
static int64_t now_ns;

static int64_t wait_s(const char *name, const char *address)
{
	return guess_wait(guesses, &(struct guess){ name, address, now_ns }) / NS_PER_SEC;
}

/* One that is looked at, and right. */
static void enter(const char *name, const char *address)
{
	struct guess guess = { name, address, now_ns };

	EXPECT_INT(guess_wait(guesses, &guess), 0);
	guess_good(guesses, &guess);
}

static void open_guesses(void)
{
	guesses = guesses_new();
	now_ns = NS_PER_SEC;
}

TEST(guesses_wait_longer_each_time)
{
	static const int pauses[] = { 0, 0, 0, 0, 0, 4, 8, 16, 32, 60, 60, 60 };

	open_guesses();
	for (size_t i = 0; i < ARRAY_SIZE(pauses); i++) {
		test_case("%zu", i);
		EXPECT_INT(wait_s("ann", "10.0.0.1"), 0);
		if (i + 1 < ARRAY_SIZE(pauses)) {
			EXPECT_INT(wait_s("ann", "10.0.0.2"),
				   pauses[i]); /* wherever it comes from */
			if (!pauses[i])
				guess_unmade(guesses, &(struct guess){ "ann", "10.0.0.2", now_ns });
		}
		now_ns += pauses[i] * NS_PER_SEC;
	}
	now_ns += 700 * NS_PER_SEC; /* quiet: forgotten */
	for (int i = 0; i < 5; i++)
		EXPECT_INT(wait_s("ann", "10.0.0.1"), 0);
	guesses_free(guesses);
}

TEST(guesses_of_others_delay_nobody_who_was_there)
{
	char address[32];
	int looked_at = 0;

	open_guesses();
	enter("ann", "10.0.0.7");
	for (int i = 0; i < 1000; i++) {
		snprintf(address, sizeof(address), "127.0.%d.%d", i / 250, i % 250 + 1);
		looked_at += !wait_s("ann", address);
		now_ns += NS_PER_MSEC;
		if (i % 100 == 0)
			enter("ann", "10.0.0.7");
	}
	EXPECT_INT(looked_at, 6); /* of a thousand in a second */
	EXPECT(wait_s("ann", "10.0.0.8") > 0);
	/* who guesses there himself has to wait */
	for (int i = 0; i < 6; i++)
		EXPECT_INT(wait_s("ann", "10.0.0.7"), 0);
	EXPECT_INT(wait_s("ann", "10.0.0.7"), 4);
	guesses_free(guesses);
}

TEST(guesses_of_many_names_are_limited)
{
	char name[32], address[32];
	int looked_at = 0;

	open_guesses();
	enter("ann", "10.0.0.7");
	for (int i = 0; i < 10000; i++) {
		snprintf(name, sizeof(name), "user-%d", i);
		snprintf(address, sizeof(address), "127.0.%d.%d", i / 250, i % 250 + 1);
		looked_at += !wait_s(name, address);
		now_ns += 10 * NS_PER_MSEC;
	}
	EXPECT(looked_at >= 250 && looked_at <= 305); /* 100, and two a second */
	enter("ann", "10.0.0.7");
	/* one address that is no proxy's */
	now_ns += 3600 * NS_PER_SEC;
	looked_at = 0;
	for (int i = 0; i < 90; i++) {
		snprintf(name, sizeof(name), "other-%d", i);
		looked_at += !wait_s(name, "10.0.0.9");
	}
	EXPECT_INT(looked_at, 21);
	guesses_free(guesses);
}

TEST(guesses_fill_no_log)
{
	struct guess guess = { "ann", "10.0.0.1", NS_PER_SEC };
	int lines = 0;

	open_guesses();
	for (int i = 0; i < 100000; i++, guess.now_ns += NS_PER_MSEC)
		lines += guess_failed(guesses, &guess);
	EXPECT(lines >= 50 && lines <= 71);
	lines = 0;
	for (int i = 0; i < 100000; i++, guess.now_ns += NS_PER_MSEC)
		lines += guess_note(guesses, &guess);
	EXPECT_INT(lines, 2);
	guesses_free(guesses);
}
