/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Command lines as words, and words as a command line; docs/api/quoting.md has the rules.
 *
 * It is what a shell does with quotes and blanks, and nothing else of a shell: what one would act
 * on (| & ; < > ( ) $ ` * ?) must be quoted, so that nobody believes to have a shell who has none.
 */
#ifndef SERVER_QUOTE_H
#define SERVER_QUOTE_H

#include "base/wordlist.h"

struct arena;
struct buf;
struct err;

#define QUOTE_BYTES_MOST (100 << 10)
#define QUOTE_WORDS_MOST 4096

/* Adds the words of text.  -EINVAL says what is wrong and where, -ENOEXEC what only a shell would
 * do. */
int quote_split(const char *text, struct arena *arena, struct wordlist *into, struct err *err);
/* The same for a line of assignments; one that is none is named. */
int quote_assignments(const char *text, struct arena *arena, struct wordlist *into,
		      struct err *err);

/* A text that quote_split() makes these words of, and a shell too. */
void quote_join(const struct wordlist *words, struct buf *into);

#endif
