// SPDX-License-Identifier: Apache-2.0
#include "profile/memo.h"
#include "test.h"

static uint64_t hash_of(uint64_t ip, const uint64_t *chain, size_t len, uint32_t space)
{
	struct sample sample = { .ip = ip, .chain = chain, .chain_len = len };

	return memo_hash(&sample, space, 1);
}

TEST(memo_gives_back_what_was_put)
{
	struct frames_stack put = { .stack = 7, .leaf = 9, .cut = true, .mapless = true },
			    found = { 0 };
	uint64_t chain[] = { 1, 2, 3 };
	uint64_t hash = hash_of(1, chain, 3, 5);
	struct memo memo;

	memo_init(&memo, UINT64_MAX);
	EXPECT(!memo_find(&memo, hash, &found));
	memo_put(&memo, hash, &put);
	EXPECT(memo_find(&memo, hash, &found));
	EXPECT_INT(found.stack, 7);
	EXPECT_INT(found.leaf, 9);
	EXPECT_BOOL(found.cut, true);
	EXPECT_BOOL(found.unknown, false);
	EXPECT_BOOL(found.mapless, true);
	memo_fini(&memo);
}

/* Whatever makes two stacks different makes their hashes so. */
TEST(memo_hash_sees_every_difference)
{
	uint64_t chain[] = { 1, 2, 3 }, other[] = { 1, 3, 2 };
	uint64_t hash = hash_of(1, chain, 3, 5);

	EXPECT(hash != hash_of(2, chain, 3, 5));
	EXPECT(hash != hash_of(1, chain, 2, 5));
	EXPECT(hash != hash_of(1, chain, 3, 6));
	EXPECT(hash != hash_of(1, other, 3, 5));
	EXPECT(hash == hash_of(1, chain, 3, 5));
}

/* Far more than there is room for: what is found is right, and what was used last is there. */
TEST(memo_never_mixes_stacks_up)
{
	struct memo memo;
	struct frames_stack found;

	memo_init(&memo, UINT64_MAX);
	for (uint32_t i = 1; i <= 200000; i++) {
		struct frames_stack put = { .stack = i, .leaf = i * 2, .unknown = i & 1 };

		memo_put(&memo, hash_of(i, NULL, 0, 1), &put);
		EXPECT(memo_find(&memo, hash_of(i, NULL, 0, 1), &found));
	}
	for (uint32_t i = 1; i <= 200000; i++) {
		if (!memo_find(&memo, hash_of(i, NULL, 0, 1), &found))
			continue;
		EXPECT_INT(found.stack, i);
		EXPECT_INT(found.leaf, i * 2);
		EXPECT_BOOL(found.unknown, i & 1);
	}
	memo_fini(&memo);
}
