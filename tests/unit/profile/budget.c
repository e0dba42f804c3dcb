// SPDX-License-Identifier: Apache-2.0
#include "profile/budget.h"
#include "test.h"

#define MS 1000000ull

static struct budget_thread *add(struct budget *budget, uint64_t count, uint64_t ran,
				 uint64_t queue, uint64_t other)
{
	struct budget_thread *thread = vec_push(&budget->threads);

	*thread = (struct budget_thread){ .count = count,
					  .tid = (uint32_t)budget->threads.len,
					  .ns = { [BUDGET_RAN] = ran * MS,
						  [BUDGET_QUEUE] = queue * MS,
						  [BUDGET_OTHER] = other * MS } };
	return thread;
}

/* What must hold of any budget, whatever was counted. */
static void expect_sound(const struct budget *budget, uint64_t length)
{
	uint64_t waits = 0;

	for (int i = 0; i < BUDGET_PARTS; i++)
		EXPECT(budget->run_ns[i] <= budget->all_ns[i]);
	EXPECT_INT(budget_sum(budget->run_ns), length);
	for (int i = 0; i < BUDGET_WAITS; i++)
		waits += budget->run_waits[i];
	EXPECT_INT(waits, budget->run_ns[BUDGET_OTHER]);
}

static void count_run(struct budget *budget, uint64_t ran, uint64_t queue, uint64_t disk,
		      uint64_t other)
{
	budget->run_ns[BUDGET_RAN] = ran * MS;
	budget->run_ns[BUDGET_QUEUE] = queue * MS;
	budget->run_ns[BUDGET_DISK] = disk * MS;
	budget->run_ns[BUDGET_OTHER] = budget->run_waits[WAITED_FUTEX] = other * MS;
}

TEST(budget_of_the_run_is_within_that_of_all_threads)
{
	struct budget budget = { .source = BUDGET_STATES, .whole = true };

	/* two that hand over to each other, as the kernel's account has corrected them */
	add(&budget, 1, 1000, 200, 1200);
	add(&budget, 1, 1000, 255, 1145);
	budget_settle(&budget);
	count_run(&budget, 1842, 558, 0, 0);
	budget_bound(&budget);
	expect_sound(&budget, 2400 * MS);
	EXPECT_INT(budget.run_ns[BUDGET_QUEUE], 455 * MS);
	EXPECT_INT(budget.run_ns[BUDGET_RAN], 1945 * MS);
	/* what fits stays as it is */
	count_run(&budget, 1900, 400, 0, 100);
	budget_bound(&budget);
	expect_sound(&budget, 2400 * MS);
	EXPECT_INT(budget.run_ns[BUDGET_QUEUE], 400 * MS);
	EXPECT_INT(budget.run_waits[WAITED_FUTEX], 100 * MS);
	budget_free(&budget);
}

/* All parts and their waits, for any figures: the same numbers each time. */
TEST(budget_is_sound_whatever_was_counted)
{
	uint32_t seed = 7;

	for (int round = 0; round < 500; round++) {
		struct budget budget = { .source = BUDGET_STATES, .whole = true };
		uint64_t parts[8], length = 0;

		for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
			seed = seed * 1664525 + 1013904223;
			parts[i] = (seed >> 16) % 1000;
		}
		add(&budget, 1, parts[0], parts[1],
		    parts[2] + 4000); /* it lives longer than the run */
		add(&budget, 3, parts[3], parts[4], parts[5]);
		budget_settle(&budget);
		count_run(&budget, parts[6], parts[7], parts[2], parts[1]);
		length = budget_sum(budget.run_ns);
		budget_bound(&budget);
		expect_sound(&budget, length);
		budget_free(&budget);
	}
}

static void expect_workers(struct budget *budget, uint64_t count, uint64_t percent)
{
	double shares[BUDGET_PARTS];

	budget_settle(budget);
	budget_shares(budget->work_ns, shares);
	EXPECT_INT(budget->workers, count);
	EXPECT_INT((uint64_t)(100 * shares[BUDGET_RAN] + 0.5), percent);
	budget_free(budget);
	*budget = (struct budget){ .source = BUDGET_STATES };
}

/* Who works, and who waits for those that do. */
TEST(budget_finds_the_workers)
{
	struct budget budget = { .source = BUDGET_STATES };

	/* 890 short threads one after the other; who starts them has more CPU time than any */
	add(&budget, 1, 70, 0, 1430);
	add(&budget, 890, 1400, 30, 0);
	expect_workers(&budget, 890, 98);
	/* the same, with idle ones beside them */
	add(&budget, 1, 70, 0, 1430);
	add(&budget, 890, 1400, 30, 0);
	for (int i = 0; i < 10; i++)
		add(&budget, 1, 0, 0, 1500);
	expect_workers(&budget, 890, 98);
	/* eight that take turns with one lock: each of them works */
	for (int i = 0; i < 8; i++)
		add(&budget, 1, 125, 0, 875);
	expect_workers(&budget, 8, 13);
	/* two that hand over to each other */
	add(&budget, 1, 500, 0, 500);
	add(&budget, 1, 490, 0, 510);
	expect_workers(&budget, 2, 50);
	/* one that does half of the work itself is a worker, however much it waits */
	add(&budget, 1, 500, 0, 500);
	add(&budget, 100, 500, 0, 0);
	expect_workers(&budget, 101, 67);
}
