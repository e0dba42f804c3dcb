// SPDX-License-Identifier: Apache-2.0
#include "server/quote.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define OPERATORS "|&;<>()$`*?"
#define BLANKS	  " \t\r\n"

/* What is between double quotes: a backslash counts before " \ $ ` only. */
static const char *in_double(const char *text, struct buf *word)
{
	for (; *text && *text != '"'; text++) {
		if (*text == '\\' && text[1] && strchr("\"\\$`", text[1]))
			text++;
		buf_putc(word, *text);
	}
	return *text ? text + 1 : NULL;
}

static const char *in_single(const char *text, struct buf *word)
{
	size_t length = strcspn(text, "'");

	buf_add(word, text, length);
	return text[length] ? text + length + 1 : NULL;
}

static const char *unclosed(char quote, struct err *err)
{
	err_set(err, EINVAL, "a %c is not closed", quote);
	return NULL;
}

/* One word from text on; where it ends, or NULL. */
static const char *take_word(const char *text, struct buf *word, struct err *err)
{
	while (*text && !strchr(BLANKS, *text)) {
		char c = *text++;

		if (c == '\'' || c == '"') {
			text = c == '"' ? in_double(text, word) : in_single(text, word);
			if (!text)
				return unclosed(c, err);
		} else if (c == '\\') {
			if (!*text) {
				err_set(err, EINVAL, "nothing follows the last backslash");
				return NULL;
			}
			buf_putc(word, *text++);
		} else if (strchr(OPERATORS, c)) {
			err_set(err, ENOEXEC,
				"%c means something to a shell only: quote it, or ask for a shell",
				c);
			return NULL;
		} else {
			buf_putc(word, c);
		}
	}
	return text;
}

int quote_split(const char *text, struct arena *arena, struct wordlist *into, struct err *err)
{
	struct buf word = { 0 };
	int rc = 0;

	if (strlen(text) > QUOTE_BYTES_MOST)
		return err_set(err, EINVAL, "longer than %d bytes", QUOTE_BYTES_MOST);
	while (!rc) {
		text += strspn(text, BLANKS);
		if (!*text)
			break;
		buf_clear(&word);
		text = take_word(text, &word, err);
		if (!text)
			rc = err ? -err->code : -EINVAL;
		else if (into->len == QUOTE_WORDS_MOST)
			rc = err_set(err, EINVAL, "more than %d words", QUOTE_WORDS_MOST);
		else
			*vec_push(into) = arena_strdup(arena, buf_text(&word));
	}
	buf_free(&word);
	return rc;
}

static bool is_assignment(const char *word)
{
	size_t length = 0;

	if (!isalpha((unsigned char)*word) && *word != '_')
		return false;
	while (isalnum((unsigned char)word[length]) || word[length] == '_')
		length++;
	return word[length] == '=';
}

int quote_assignments(const char *text, struct arena *arena, struct wordlist *into, struct err *err)
{
	size_t first = into->len;
	int rc = quote_split(text, arena, into, err);

	for (size_t i = first; i < into->len && !rc; i++)
		if (!is_assignment(into->data[i]))
			rc = err_set(err, EINVAL, "`%s` is not NAME=VALUE", into->data[i]);
	return rc;
}

static bool is_plain(const char *word)
{
	if (!*word)
		return false;
	for (; *word; word++)
		if (!isalnum((unsigned char)*word) && !strchr("_-+=./,:@%^", *word))
			return false;
	return true;
}

static void quote_word(const char *word, struct buf *into)
{
	if (is_plain(word)) {
		buf_puts(into, word);
		return;
	}
	buf_putc(into, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			buf_puts(into, "'\\''");
		else
			buf_putc(into, *word);
	}
	buf_putc(into, '\'');
}

void quote_join(const struct wordlist *words, struct buf *into)
{
	for (size_t i = 0; i < words->len; i++) {
		if (i)
			buf_putc(into, ' ');
		quote_word(words->data[i], into);
	}
}
