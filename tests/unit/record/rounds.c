// SPDX-License-Identifier: Apache-2.0
#include "record/rounds.h"
#include "base/vec.h"
#include "test.h"

#include <stdlib.h>

TEST(rounds_come_sooner_at_first)
{
	static const int64_t due_ms[] = { 100, 300, 700, 1500, 2300 };
	struct rounds rounds;

	rounds_init(&rounds, false, 0);
	for (size_t i = 0; i < ARRAY_SIZE(due_ms); i++) {
		int64_t due = due_ms[i] * NS_PER_MSEC;

		test_case("round %zu", i);
		EXPECT_INT(rounds_due_ns(&rounds), due);
		EXPECT_BOOL(rounds_may_end(&rounds, due - 1, 0), false);
		EXPECT_BOOL(rounds_may_end(&rounds, due, 0), true);
		rounds_ended(&rounds, due, 0);
	}
}

TEST(rounds_stay_short_for_one_who_reads_along)
{
	struct rounds rounds;

	rounds_init(&rounds, true, 0);
	for (int64_t i = 1; i < 20; i++) {
		EXPECT_INT(rounds_due_ns(&rounds), i * ROUND_LEAST_NS);
		rounds_ended(&rounds, i * ROUND_LEAST_NS, 0);
	}
}

/* Many bytes end a round early, but never before its least time. */
TEST(rounds_end_by_size)
{
	struct rounds rounds;

	rounds_init(&rounds, false, 0);
	rounds_ended(&rounds, 0, 1000);
	EXPECT_BOOL(rounds_may_end(&rounds, ROUND_LEAST_NS, 1000 + ROUND_BYTES), true);
	EXPECT_BOOL(rounds_may_end(&rounds, ROUND_LEAST_NS - 1, 1000 + ROUND_BYTES), false);
	EXPECT_BOOL(rounds_may_end(&rounds, ROUND_LEAST_NS, 999 + ROUND_BYTES), false);
}

/* A record's time, and when the kernel shows it in the ring. */
struct shown {
	int64_t time, at;
};

/* As a reader applies the rule: how many come after what is younger has been handed out. */
struct reader {
	int64_t newest, round_newest, handed_out;
	size_t late;
};

static void read_record(struct reader *reader, int64_t time)
{
	reader->late += time < reader->handed_out;
	if (time > reader->newest)
		reader->newest = time;
}

static void read_round(struct reader *reader)
{
	reader->handed_out = reader->round_newest;
	reader->round_newest = reader->newest;
}

/* Two rings, emptied at every pass; records are shown up to most_late_ns after their time. */
static size_t late_records(int64_t most_late_ns, bool each_pass_a_round)
{
	struct reader reader = { 0 };
	struct rounds rounds;
	VEC(struct shown) waiting = { 0 };
	int64_t now = 0;

	srand(1);
	rounds_init(&rounds, true, 0);
	for (int pass = 0; pass < 20000; pass++) {
		bool ends;
		size_t kept = 0;

		now += rand() % (2 * NS_PER_MSEC);
		for (int i = 0; i < 3; i++)
			*vec_push(&waiting) = (struct shown){ now, now + rand() % most_late_ns };
		ends = each_pass_a_round || rounds_may_end(&rounds, now, 0);
		for (size_t i = 0; i < waiting.len; i++) {
			if (waiting.data[i].at <= now)
				read_record(&reader, waiting.data[i].time);
			else
				waiting.data[kept++] = waiting.data[i];
		}
		waiting.len = kept;
		if (ends) {
			read_round(&reader);
			rounds_ended(&rounds, now, 0);
		}
	}
	vec_free(&waiting);
	return reader.late;
}

TEST(rounds_keep_their_promise_when_records_are_shown_late)
{
	EXPECT_INT(late_records(ROUND_LEAST_NS, false), 0);
	EXPECT(late_records(ROUND_LEAST_NS, true) > 0); /* as it would be without the distance */
	EXPECT(late_records(3 * ROUND_LEAST_NS, false) > 0); /* and the distance has its limit */
}
