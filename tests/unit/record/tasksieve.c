// SPDX-License-Identifier: Apache-2.0
#include "record/tasksieve.h"
#include "base/clock.h"
#include "test.h"

#define ROOM 4096

/* A ring as the kernel fills it. */
struct filled {
	struct perf_event_mmap_page page;
	uint64_t data[ROOM / 8];
	struct ring ring;
};

static const struct perf_writer_attr attr = {
	.attr.base = { .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME }
};

static void start(struct filled *filled)
{
	*filled = (struct filled){ 0 };
	filled->ring = (struct ring){ .page = &filled->page,
				      .data = (const unsigned char *)filled->data,
				      .size = ROOM };
}

static void put(struct filled *filled, const uint64_t *words, size_t count)
{
	for (size_t i = 0; i < count; i++, filled->page.data_head += 8)
		filled->data[filled->page.data_head % ROOM / 8] = words[i];
}

static uint64_t header(uint32_t type, size_t words)
{
	return type | (uint64_t)(words * 8) << 48;
}

static void put_sample(struct filled *filled, uint32_t pid, uint32_t tid)
{
	uint64_t words[] = { header(PERF_RECORD_SAMPLE, 4), 0x1234, pid | (uint64_t)tid << 32, 1 };

	put(filled, words, ARRAY_SIZE(words));
}

static void put_task(struct filled *filled, uint32_t type, uint32_t tid)
{
	uint64_t words[] = { header(type, 4), tid | (uint64_t)100 << 32, tid | (uint64_t)100 << 32,
			     1 };

	put(filled, words, ARRAY_SIZE(words));
}

/* How many samples and other records of a ring are let through; it is empty then. */
static void let_through(const struct tasksieve *sieve, struct filled *filled, int *samples,
			int *others)
{
	struct ring_view view, part;
	uint64_t at;

	*samples = *others = 0;
	if (!ring_view(&filled->ring, &view))
		return;
	at = view.start;
	while (tasksieve_next(sieve, &view, &at, &part))
		for (uint64_t record = part.start; record < part.end;) {
			struct perf_event_header found = ring_header(&part, record);

			*(found.type == PERF_RECORD_SAMPLE ? samples : others) += 1;
			record += found.size;
		}
	ring_release(&filled->ring, &view);
}

TEST(tasksieve_lets_the_program_and_its_children_through)
{
	struct filled a, b;
	struct ring rings[2];
	struct tasksieve *sieve = tasksieve_new(100, &attr, 1);
	int samples, others;

	start(&a);
	start(&b);
	put_sample(&a, 100, 100);
	put_sample(&a, 7, 7);	  /* somebody else */
	put_sample(&a, 100, 101); /* a thread, whose start stands in the other ring */
	put_sample(&a, 0, 0);	  /* an idle CPU */
	put_sample(&a, 200, 200); /* a process */
	put_task(&b, PERF_RECORD_FORK, 101);
	put_task(&b, PERF_RECORD_FORK, 200);
	put_sample(&b, 8, 8);
	rings[0] = a.ring;
	rings[1] = b.ring;
	tasksieve_look(sieve, rings, 2, 0);
	let_through(sieve, &a, &samples, &others);
	EXPECT_INT(samples, 3);
	EXPECT_INT(others, 0);
	let_through(sieve, &b, &samples, &others);
	EXPECT_INT(samples, 0);
	EXPECT_INT(others, 2);
	tasksieve_free(sieve);
}

TEST(tasksieve_forgets_what_has_ended_a_while_ago)
{
	struct filled a;
	struct tasksieve *sieve = tasksieve_new(100, &attr, 1);
	int samples, others;

	start(&a);
	put_task(&a, PERF_RECORD_FORK, 200);
	put_task(&a, PERF_RECORD_EXIT, 200);
	put_sample(&a, 200, 200); /* on its way out */
	tasksieve_look(sieve, &a.ring, 1, 0);
	let_through(sieve, &a, &samples, &others);
	EXPECT_INT(samples, 1);
	put_sample(&a, 200, 200); /* another one of that number */
	tasksieve_look(sieve, &a.ring, 1, 2 * NS_PER_SEC);
	let_through(sieve, &a, &samples, &others);
	EXPECT_INT(samples, 0);

	test_case("one that is started with a number used before");
	put_task(&a, PERF_RECORD_FORK, 201);
	put_task(&a, PERF_RECORD_EXIT, 201);
	put_task(&a, PERF_RECORD_FORK, 201);
	tasksieve_look(sieve, &a.ring, 1, 2 * NS_PER_SEC);
	let_through(sieve, &a, &samples, &others);
	put_sample(&a, 201, 201);
	tasksieve_look(sieve, &a.ring, 1, 9 * NS_PER_SEC);
	let_through(sieve, &a, &samples, &others);
	EXPECT_INT(samples, 1);
	tasksieve_free(sieve);
}

/* A ring is left at its end and begins anew at its start; parts are right there too. */
TEST(tasksieve_goes_around_the_ring)
{
	struct filled a;
	struct tasksieve *sieve = tasksieve_new(100, &attr, 1);
	int all = 0, samples, others;

	start(&a);
	for (int i = 0; i < 1000; i++) {
		put_sample(&a, 100, 100);
		put_sample(&a, 9, 9);
		tasksieve_look(sieve, &a.ring, 1, 0);
		let_through(sieve, &a, &samples, &others);
		all += samples;
	}
	EXPECT_INT(all, 1000);
	tasksieve_free(sieve);
}
