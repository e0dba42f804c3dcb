// SPDX-License-Identifier: Apache-2.0
#include "profile/memo.h"

#define SETS_MOST  (1u << 13)
#define SETS_LEAST (1u << 8)
#define WAYS	   4

struct slot {
	uint64_t key; /* hash and flags; 0: empty */
	uint32_t stack, leaf;
};

#define CUT	  1u
#define UNKNOWN	  2u
#define SKIPS	  4u
#define REUSED	  8u
#define OFF_MAP	  16u
#define MAPLESS	  32u
#define UNCLEAR	  64u
#define TABLELESS 128u
#define FLAGS	  ((uint64_t)255)

struct memo_set {			      /* a cache line */
	_Alignas(64) struct slot slots[WAYS]; /* the one that was asked for last comes first */
};

struct memo_skips {
	uint32_t objects[WAYS];
};

void memo_init(struct memo *memo, uint64_t samples)
{
	size_t sets = SETS_LEAST;

	while (sets < SETS_MOST && sets * WAYS < samples)
		sets *= 2;
	memo->mask = sets - 1;
	memo->sets = mem_alloc_aligned(sizeof(*memo->sets), sets * sizeof(*memo->sets));
	memo->skips = mem_alloc(sets * sizeof(*memo->skips));
	memo_clear(memo);
}

void memo_clear(struct memo *memo)
{
	memset(memo->sets, 0, (memo->mask + 1) * sizeof(*memo->sets));
}

void memo_fini(struct memo *memo)
{
	free(memo->sets);
	free(memo->skips);
}

/* Two lanes, since each multiplication waits for the one before. */
uint64_t memo_hash(const struct sample *sample, uint32_t user_space, uint32_t kernel_space)
{
	uint64_t one = (uint64_t)user_space << 32 | kernel_space;
	uint64_t two = sample->ip ^ (uint64_t)sample->cpumode << 56;
	uint64_t i = 0;

	one = (one ^ one >> 29) * 0xbf58476d1ce4e5b9u;
	for (; i + 1 < sample->chain_len; i += 2) {
		one = ((one << 27 | one >> 37) ^ sample->chain[i]) * 0x9e3779b97f4a7c15u;
		two = ((two << 31 | two >> 33) ^ sample->chain[i + 1]) * 0xbf58476d1ce4e5b9u;
	}
	if (i < sample->chain_len)
		one = ((one << 27 | one >> 37) ^ sample->chain[i]) * 0x9e3779b97f4a7c15u;
	one ^= two * 0x94d049bb133111ebu;
	one = (one ^ one >> 32) * 0x9e3779b97f4a7c15u;
	one ^= one >> 29;
	return (one | (FLAGS + 1)) & ~FLAGS;
}

static struct memo_set *set_of(const struct memo *memo, uint64_t hash)
{
	return &memo->sets[hash >> 40 & memo->mask];
}

void memo_prefetch(const struct memo *memo, uint64_t hash)
{
	__builtin_prefetch(set_of(memo, hash), 1);
}

static uint32_t *skips_of(const struct memo *memo, uint64_t hash)
{
	return memo->skips[hash >> 40 & memo->mask].objects;
}

bool memo_find(struct memo *memo, uint64_t hash, struct frames_stack *found)
{
	struct slot *slots = set_of(memo, hash)->slots, slot;
	uint32_t *objects = skips_of(memo, hash);
	size_t at = 0;

	while ((slots[at].key & ~FLAGS) != hash)
		if (++at == WAYS)
			return false;
	slot = slots[at];
	if (at) {
		uint32_t object = objects[at];

		memmove(&slots[1], &slots[0], at * sizeof(slot));
		slots[0] = slot;
		memmove(&objects[1], &objects[0], at * sizeof(object));
		objects[0] = object;
	}
	*found = (struct frames_stack){
		.stack = slot.stack,
		.leaf = slot.leaf,
		.cut = slot.key & CUT,
		.unknown = slot.key & UNKNOWN,
		.skips = slot.key & SKIPS,
		.tableless = slot.key & TABLELESS,
		.unclear = slot.key & UNCLEAR,
		.skip_object = slot.key & (SKIPS | UNCLEAR) ? objects[0] : 0,
		.reused = slot.key & REUSED,
		.off_map = slot.key & OFF_MAP,
		.mapless = slot.key & MAPLESS,
	};
	return true;
}

void memo_put(struct memo *memo, uint64_t hash, const struct frames_stack *found)
{
	struct slot *slots = set_of(memo, hash)->slots;
	uint32_t *objects = skips_of(memo, hash);

	memmove(&slots[1], &slots[0], (WAYS - 1) * sizeof(*slots));
	memmove(&objects[1], &objects[0], (WAYS - 1) * sizeof(*objects));
	objects[0] = found->skip_object;
	slots[0] = (struct slot){
		.key = hash | (found->cut ? CUT : 0) | (found->unknown ? UNKNOWN : 0) |
		       (found->skips ? SKIPS : 0) | (found->reused ? REUSED : 0) |
		       (found->off_map ? OFF_MAP : 0) | (found->mapless ? MAPLESS : 0) |
		       (found->unclear ? UNCLEAR : 0) | (found->tableless ? TABLELESS : 0),
		.stack = found->stack,
		.leaf = found->leaf,
	};
}
