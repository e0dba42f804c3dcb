/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words that belong to somebody else, to an arena mostly; and as one piece of bytes, each with its
 * NUL behind it, as /proc/PID/cmdline has them.
 */
#ifndef BASE_WORDLIST_H
#define BASE_WORDLIST_H

#include "base/vec.h"

struct arena;
struct buf;

struct wordlist VEC_OF(const char *);

void wordlist_join(const struct wordlist *words, struct buf *into);
/* Copies them into the arena; what stands behind the last NUL is no word. */
struct wordlist wordlist_split(const void *bytes, size_t size, struct arena *arena);

#endif
