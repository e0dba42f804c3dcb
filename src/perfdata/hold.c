// SPDX-License-Identifier: Apache-2.0
#include "perfdata/hold.h"

#include <linux/perf_event.h>

#ifndef __has_feature
#define __has_feature(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, size)   ((void)(at), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#endif

#define PIECE ((size_t)256 * 1024) /* and so aligned: a copy's address leads to its piece */

struct hold_piece {
	size_t used;
	size_t live; /* copies that were not given back */
	_Alignas(8) unsigned char bytes[];
};

#define ROOM (PIECE - sizeof(struct hold_piece))

static struct hold_piece *piece_of(const void *copy)
{
	return (struct hold_piece *)((uintptr_t)copy & ~(PIECE - 1));
}

static struct hold_piece *empty_piece(struct hold *hold)
{
	struct hold_piece *piece;

	if (hold->unused.len) {
		piece = hold->unused.data[--hold->unused.len];
	} else {
		piece = mem_alloc_aligned(PIECE, PIECE);
		*vec_push(&hold->pieces) = piece;
	}
	piece->used = piece->live = 0;
	return piece;
}

const void *hold_add(struct hold *hold, const void *bytes, size_t size, uint64_t tag)
{
	size_t whole = sizeof(tag) + ((size + 7) & ~(size_t)7);
	unsigned char *at;

	if (!hold->filling || whole > ROOM - hold->filling->used) {
		/* All of it given back already: nobody else will find it unused. */
		if (hold->filling && !hold->filling->live)
			*vec_push(&hold->unused) = hold->filling;
		hold->filling = empty_piece(hold);
	}
	at = hold->filling->bytes + hold->filling->used;
	hold->filling->used += whole;
	hold->filling->live++;
	ASAN_UNPOISON_MEMORY_REGION(at, whole);
	memcpy(at, &tag, sizeof(tag));
	memcpy(at + sizeof(tag), bytes, size);
	return at + sizeof(tag);
}

uint64_t hold_tag(const void *copy)
{
	return ((const uint64_t *)copy)[-1];
}

void hold_give_back(struct hold *hold, const void *copy)
{
	struct hold_piece *piece = piece_of(copy);

	/* Whoever still looks at it would soon see another record: the sanitizer tells at once. */
	ASAN_POISON_MEMORY_REGION(copy, ((const struct perf_event_header *)copy)->size);
	if (!--piece->live && piece != hold->filling)
		*vec_push(&hold->unused) = piece;
}

size_t hold_size(const struct hold *hold)
{
	return (hold->pieces.len - hold->unused.len) * PIECE;
}

void hold_fini(struct hold *hold)
{
	vec_each (piece, &hold->pieces)
		free(*piece);
	vec_free(&hold->pieces);
	vec_free(&hold->unused);
	hold->filling = NULL;
}
