/* SPDX-License-Identifier: Apache-2.0 */
/* Words in a line of `perf script`, for the files that read such lines. */
#ifndef IMPORT_PERFSCRIPT_WORD_H
#define IMPORT_PERFSCRIPT_WORD_H

#include "import/perfscript_line.h"

static inline bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool is_hex(char c)
{
	return is_digit(c) || ((c | 32) >= 'a' && (c | 32) <= 'f');
}

static inline struct piece trim(const char *at, const char *end)
{
	while (at < end && is_blank(*at))
		at++;
	while (end > at && is_blank(end[-1]))
		end--;
	return (struct piece){ at, end };
}

/* The last word of a piece, which must be trimmed. */
static inline struct piece last_word(struct piece text)
{
	const char *at = text.end;

	while (at > text.at && !is_blank(at[-1]))
		at--;
	return (struct piece){ at, text.end };
}

static inline const char *word_end(const char *at, const char *end)
{
	while (at < end && !is_blank(*at))
		at++;
	return at;
}

static inline bool is_address(const char *at, const char *end)
{
	for (const char *p = at; p < end; p++)
		if (!is_hex(*p))
			return false;
	return at < end;
}

/* An address that is no word of a name: "add" and "feed" are functions. */
static inline bool is_long_address(const char *at, const char *end)
{
	bool digit = false;

	for (const char *p = at; p < end; p++)
		digit |= is_digit(*p);
	return digit && end - at >= 6 && is_address(at, end);
}

#endif
