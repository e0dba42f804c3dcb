// SPDX-License-Identifier: Apache-2.0
#include "cmd/roff.h"
#include "base/buf.h"
#include "base/mem.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define CODE_INDENT 4

static void put_char(FILE *out, char c, bool literal)
{
	if (c == '\\')
		fputs("\\(rs", out);
	else if (c == '-' && literal)
		fputs("\\-", out); /* a plain one may be set as a hyphen that no shell takes */
	else if (c == '\'' && literal)
		fputs("\\(aq", out);
	else if (c == '`' && literal)
		fputs("\\(ga", out);
	else if (c == '~' && literal)
		fputs("\\(ti", out);
	else if (c == '^' && literal)
		fputs("\\(ha", out);
	else
		putc(c, out);
}

static void put_literal(FILE *out, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		put_char(out, text[i], true);
}

void roff_literal(FILE *out, const char *text)
{
	put_literal(out, text, strlen(text));
}

/* A mark around words, like **bold**: its length and font, or 0 where none begins. */
static size_t mark_at(const char *text, char *font)
{
	if (text[0] == '`' || (text[0] == '*' && text[1] == '*'))
		*font = 'B';
	else if (text[0] == '*' && text[1] && !isspace((unsigned char)text[1]))
		*font = 'I';
	else
		return 0;
	return text[0] == '*' && text[1] == '*' ? 2 : 1;
}

void roff_text(FILE *out, const char *text)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", out);
	while (*text) {
		char font;
		size_t mark = mark_at(text, &font);
		const char *end = mark ? text + mark : NULL;

		while (end && *end && strncmp(end, text, mark))
			end++;
		if (!end || !*end || end == text + mark) { /* no mark, or one that never closes */
			put_char(out, *text++, false);
			continue;
		}
		fprintf(out, "\\f%c", font);
		put_literal(out, text + mark, (size_t)(end - text) - mark);
		fputs("\\fR", out);
		text = end + mark;
	}
	putc('\n', out);
}

/* A walk over the lines of a document. */
struct walk {
	FILE *out;
	const char *next;   /* what was not looked at yet */
	struct buf line;    /* the current one, without its newline */
	int indent;	    /* of the current line, in spaces */
	int headings;	    /* seen so far */
	bool in_item;	    /* the last block was an item of a list or a definition */
	bool after_heading; /* the first paragraph needs no request */
};

static bool take_line(struct walk *walk)
{
	size_t length = strcspn(walk->next, "\n");

	if (!*walk->next)
		return false;
	buf_clear(&walk->line);
	buf_add(&walk->line, walk->next, length);
	walk->next += length + (walk->next[length] == '\n');
	walk->indent = (int)strspn(walk->line.data, " ");
	return true;
}

static const char *content(const struct walk *walk)
{
	return walk->line.data + walk->indent;
}

static bool is_blank(const char *line)
{
	return line[strspn(line, " \t\n")] == '\0' || line[strspn(line, " \t")] == '\n';
}

/* The number of bytes that mark a list's item ("- ", "12. "), or 0. */
static size_t item_mark(const char *text)
{
	size_t digits = strspn(text, "0123456789");

	if ((text[0] == '-' || text[0] == '*') && text[1] == ' ')
		return 2;
	return digits && text[digits] == '.' && text[digits + 1] == ' ' ? digits + 2 : 0;
}

/* Whether the line that comes next goes on with the paragraph that is being read. */
static bool continues(const struct walk *walk)
{
	const char *text = walk->next + strspn(walk->next, " ");

	return *walk->next && !is_blank(walk->next) && *text != '#' && *text != ':' &&
	       !item_mark(text) && strncmp(text, "```", 3);
}

/* The rest of a paragraph whose first line, from `first` on, is the current one. */
static void put_paragraph(struct walk *walk, const char *first)
{
	struct buf text = { 0 };

	buf_puts(&text, first);
	while (continues(walk) && take_line(walk))
		buf_printf(&text, " %s", content(walk));
	roff_text(walk->out, buf_text(&text));
	buf_free(&text);
}

static void put_code_line(struct walk *walk, const char *text)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", walk->out);
	roff_literal(walk->out, text);
	putc('\n', walk->out);
}

/* Code up to the closing fence, or as long as lines are indented (from the current one on). */
static void put_code(struct walk *walk, bool fenced)
{
	const int base = walk->indent;
	int blank = 0;

	if (!walk->after_heading)
		fputs(walk->in_item ? ".IP\n" : ".PP\n", walk->out);
	fputs(".RS 4\n.nf\n", walk->out);
	if (!fenced)
		put_code_line(walk, content(walk));
	while (*walk->next) {
		const char *text = walk->next;

		if (!fenced && !is_blank(text) && (int)strspn(text, " ") < base)
			break;
		take_line(walk);
		if (fenced && !strncmp(content(walk), "```", 3))
			break;
		if (is_blank(walk->line.data)) { /* kept only between lines of code */
			blank++;
			continue;
		}
		for (; blank; blank--)
			putc('\n', walk->out);
		put_code_line(walk, walk->line.data + (walk->indent < base ? walk->indent : base));
	}
	fputs(".fi\n.RE\n", walk->out);
}

static void put_heading(struct walk *walk)
{
	const char *text = content(walk);
	size_t level = strspn(text, "#");

	text += level;
	fputs(level > 2 ? ".SS " : ".SH ", walk->out);
	roff_text(walk->out, text + strspn(text, " "));
	walk->after_heading = true;
	walk->in_item = false;
}

static void put_item(struct walk *walk, size_t mark)
{
	char *first = mem_strdup(content(walk));

	if (mark == 2)
		fputs(".IP \\(bu 2\n", walk->out);
	else
		fprintf(walk->out, ".IP %.*s 4\n", (int)mark - 1, first);
	put_paragraph(walk, first + mark);
	walk->in_item = true;
	free(first);
}

/* The current line is a term; the next one begins with a colon. */
static void put_definition(struct walk *walk)
{
	char *first;

	fputs(".TP\n", walk->out);
	roff_text(walk->out, content(walk));
	take_line(walk);
	first = mem_strdup(content(walk) + 1);
	put_paragraph(walk, first + strspn(first, " "));
	walk->in_item = true;
	free(first);
}

static void put_block(struct walk *walk)
{
	const char *next = walk->next + strspn(walk->next, " ");
	size_t mark = item_mark(content(walk));
	char *first;

	if (content(walk)[0] == '#') {
		put_heading(walk);
		return;
	}
	if (!strncmp(content(walk), "```", 3)) {
		put_code(walk, true);
	} else if (walk->indent >= (walk->in_item ? 2 * CODE_INDENT : CODE_INDENT)) {
		put_code(walk, false);
	} else if (mark) {
		put_item(walk, mark);
	} else if (*next == ':') {
		put_definition(walk);
	} else {
		walk->in_item = walk->in_item && walk->indent >= 2;
		if (!walk->after_heading)
			fputs(walk->in_item ? ".IP\n" : ".PP\n", walk->out);
		first = mem_strdup(content(walk));
		put_paragraph(walk, first);
		free(first);
	}
	walk->after_heading = false;
}

void roff_markdown(FILE *out, const char *markdown, void (*between)(FILE *out, const void *user),
		   const void *user)
{
	struct walk walk = { .out = out, .next = markdown };

	while (take_line(&walk)) {
		if (is_blank(walk.line.data))
			continue;
		walk.headings += !strncmp(content(&walk), "## ", 3);
		if (walk.headings == 2 && between) {
			between(out, user);
			between = NULL;
		}
		put_block(&walk);
	}
	if (between)
		between(out, user);
	buf_free(&walk.line);
}
