// SPDX-License-Identifier: Apache-2.0
#include "import/perfscript_word.h"

#include <ctype.h>
#include <string.h>

static bool is_text(struct piece word, const char *text)
{
	return piece_length(word) == strlen(text) && !memcmp(word.at, text, strlen(text));
}

static bool is_number(const char *at, const char *end)
{
	for (const char *p = at; p < end; p++)
		if (!is_digit(*p))
			return false;
	return at < end;
}

/* "4K", "2M"; "N/A" where the kernel did not know. */
static bool is_page_size(struct piece word)
{
	return is_text(word, "N/A") || (piece_length(word) >= 2 && strchr("KMGTPE", word.end[-1]) &&
					is_number(word.at, word.end - 1));
}

/* "AX:0x7ffe", "R10:0x0"; "ABI:2" in front of them. */
static bool is_register(struct piece word)
{
	const char *colon = memchr(word.at, ':', piece_length(word));
	const char *p = word.at;

	if (!colon || colon == word.at)
		return false;
	while (p < colon && (isupper((unsigned char)*p) || is_digit(*p) || *p == '_'))
		p++;
	if (p < colon)
		return false;
	if (is_text((struct piece){ word.at, colon }, "ABI"))
		return is_number(colon + 1, word.end);
	return word.end - colon > 3 && !memcmp(colon, ":0x", 3) && is_address(colon + 3, word.end);
}

/* "0x4005d0/0x4005e8/P/-/-/0", and with names in place of addresses. */
static bool is_branch(struct piece word)
{
	int slashes = 0;

	for (const char *p = word.at; p < word.end; p++)
		slashes += *p == '/';
	return slashes >= 5 && word.at[0] == '0' && word.at[1] == 'x';
}

/* What a column of two words, "ilen: 4", begins with, or NULL. */
static const char *labelled(struct piece front, const char *label)
{
	struct piece word = last_word(front);

	return is_text(word, label) ? word.at : NULL;
}

/* Where "insn: 48 8b 05" begins if the text ends with it, else NULL. */
static const char *instruction(struct piece text)
{
	struct piece word = last_word(text);

	while (piece_length(word) == 2 && is_address(word.at, word.end)) {
		text = trim(text.at, word.at);
		word = last_word(text);
		if (is_text(word, "insn:"))
			return word.at;
	}
	return NULL;
}

/* Where "IPC: 0.50 (3/6)" begins if the text ends with it, else NULL. */
static const char *cycles(struct piece text)
{
	struct piece word = last_word(text);

	if (piece_length(word) < 5 || *word.at != '(' || !is_digit(word.at[1]))
		return NULL;
	text = trim(text.at, word.at);
	word = last_word(text);
	if (word.at == word.end || !is_digit(*word.at))
		return NULL;
	return labelled(trim(text.at, word.at), "IPC:");
}

/* A physical address: one behind the frame's own and its name. */
static bool is_physical(struct piece front, struct piece word)
{
	const char *next;
	bool digit = false;

	for (const char *p = word.at; p < word.end; p++)
		digit |= is_digit(*p);
	if (!digit || !is_address(word.at, word.end))
		return false;
	for (const char *at = front.at; at < front.end; at = trim(next, front.end).at) {
		next = word_end(at, front.end);
		if (next < front.end && is_long_address(at, next))
			return true;
	}
	return false;
}

/* Where the last column begins; the text's end if that is none. */
static const char *last_column(struct piece text)
{
	struct piece word = last_word(text), front = trim(text.at, word.at);
	const char *at = instruction(text);

	if (!at)
		at = cycles(text);
	if (!at && is_number(word.at, word.end))
		at = labelled(front, "ilen:");
	if (at)
		return at;
	return is_page_size(word) || is_register(word) || is_branch(word) ||
			       is_physical(front, word)
		       ? word.at
		       : text.end;
}

struct piece script_without_columns(struct piece text)
{
	while (text.at < text.end) {
		const char *at = last_column(text);

		if (at == text.end)
			break;
		text = trim(text.at, at);
	}
	return text;
}

bool script_is_columns(const char *at, const char *end)
{
	struct piece text, word;

	if (at < end && *at == '\t')
		return false;
	text = script_without_columns(trim(at, end));
	word = last_word(text);
	if (is_address(word.at, word.end)) /* the physical one */
		text = script_without_columns(trim(text.at, word.at));
	return text.at == text.end;
}
