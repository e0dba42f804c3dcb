// SPDX-License-Identifier: Apache-2.0
#include "cmd/doctor_page.h"

#include <langinfo.h>
#include <string.h>

/* How a state looks; the ASCII form serves where the terminal's characters are not UTF-8. */
static const struct {
	const char *utf8, *ascii;
	enum text_color color;
} marks[] = {
	[DOCTOR_OK] = { "✓", "+", COLOR_GOOD },
	[DOCTOR_LIMITED] = { "!", "!", COLOR_WARN },
	[DOCTOR_MISSING] = { "✗", "-", COLOR_BAD },
	[DOCTOR_UNKNOWN] = { "?", "?", COLOR_DIM },
};

struct page page_of(FILE *out, bool verbose)
{
	return (struct page){
		.out = out,
		.width = text_width(out) < 100 ? text_width(out) : 100,
		.utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8"),
		.verbose = verbose,
	};
}

void page_mark(const struct page *page, enum doctor_state state)
{
	fprintf(page->out, "%s%s%s", text_color(page->out, marks[state].color),
		page->utf8 ? marks[state].utf8 : marks[state].ascii,
		text_color(page->out, COLOR_OFF));
}

const char *page_arrow(const struct page *page)
{
	return page->utf8 ? "→ " : "> ";
}

void page_text(const struct page *page, int column, const char *mark, const char *text,
	       enum text_color color)
{
	fprintf(page->out, "%*s%s%s", column, "", mark, text_color(page->out, color));
	text_wrap(page->out, text, column + (mark[0] ? 2 : 0), page->width);
	fputs(text_color(page->out, COLOR_OFF), page->out);
}
