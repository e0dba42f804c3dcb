/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers and tables for people: grouped digits, units, aligned columns, colour on a terminal.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "base/vec.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define TEXT_NUMBER 48 /* room for any number these print */

/* "1,234,567" */
char *text_grouped(char into[static TEXT_NUMBER], uint64_t value);
/* "1,234.50": decimals places, the digits before the point grouped when asked for; "1.50e+20" from
 * 1e18 on */
char *text_decimal(char into[static TEXT_NUMBER], double value, int decimals, bool grouped);
/* "1.5 s", "20 ms", "300 us", "7 ns", "12 min 5 s", "3 h 25 min" */
char *text_duration(char into[static TEXT_NUMBER], int64_t ns);
/* "512 B", "1.5 KiB", "1,024 TiB": four digits. */
char *text_bytes(char into[static TEXT_NUMBER], uint64_t bytes);

/*
 * The colours that we use.  text_color gives the escape sequence, or "" where the stream is no
 * terminal, NO_COLOR is set or TERM is dumb.
 */
enum text_color { COLOR_OFF, COLOR_BOLD, COLOR_DIM, COLOR_GOOD, COLOR_WARN, COLOR_BAD };

const char *text_color(FILE *out, enum text_color color);
/* A pager is put between: colours and width stay those of the terminal that it is now. */
void text_remember_terminal(FILE *out);
bool text_is_terminal(FILE *out); /* also through a pager */
int text_width(FILE *out);	  /* columns of the terminal; 80 where there is none */

/*
 * Words of text from column `indent` on, broken before `width`; the first line starts in place.  A
 * newline in text breaks there.  TEXT_HARD_SPACE is a space at which no line is broken.
 */
#define TEXT_HARD_SPACE '\x1f'
void text_wrap(FILE *out, const char *text, int indent, int width);

/*
 * How far two names are apart (insertions, deletions, changes, swaps of neighbours; case is one
 * half), for "did you mean".  Gives at most `limit`.
 */
/* "s", or "" for one: "%llu sample%s". */
const char *text_plural(uint64_t count);

int text_distance(const char *a, const char *b, int limit);

/*
 * Whether `typed` may be meant for `name`: one letter wrong, or two of a name of six letters or
 * more that begins alike ("evlist" is no "list").  Gives the distance, or 0 if not.
 */
int text_typo_of(const char *typed, const char *name);

/* Shell-style pattern with * and ?; whole string, case counts. */
bool text_glob(const char *pattern, const char *text);

/* What a hexadecimal digit stands for, or -1 where it is none. */
int text_hex_digit(char digit);

/* Whether `word` occurs in text, case aside. */
bool text_contains(const char *text, const char *word);

/* The length of the UTF-8 sequence at text, or 0 where it is none (RFC 3629: no surrogates). */
size_t text_utf8_length(const char *text);
/* A copy in which U+FFFD stands for every byte that is no UTF-8.  Free it. */
char *text_utf8(const char *text);

#endif
