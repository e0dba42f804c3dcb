// SPDX-License-Identifier: Apache-2.0
/* `perfolio list` for people: a heading a kind, a line an event, reasons once. */
#include "base/buf.h"
#include "base/text.h"
#include "cmd/listing.h"

#include <inttypes.h>
#include <string.h>

#define NAME_COLUMN 4
#define TEXT_COLUMN 36
#define WIDEST	    110
#define REASON	    600 /* room for one */

static int width_of(FILE *out)
{
	int width = text_width(out);

	return width > WIDEST ? WIDEST : width < 60 ? 60 : width;
}

static void print_name(const struct listing *listing, const struct row *row, FILE *out)
{
	bool bad = row->state < 0;
	char mark = bad									   ? 'x'
		    : row->state == ROW_UNTESTED && !listing->cpu && !listing_is_form(row) ? '?'
		    : row->whole_state < 0						   ? 'u'
											   : ' ';
	const struct catalog_entry *entry = &row->entry;

	fprintf(out, "  %s%c %s%s", bad ? text_color(out, COLOR_BAD) : "", mark, entry->name,
		bad ? text_color(out, COLOR_OFF) : "");
	if (entry->alias)
		fprintf(out, "%s OR %s%s", text_color(out, COLOR_DIM), entry->alias,
			text_color(out, COLOR_OFF));
}

/* Moves to the column of descriptions, on the next line if the name reaches into it. */
static void to_text_column(const struct row *row, FILE *out)
{
	size_t used = NAME_COLUMN + strlen(row->entry.name) +
		      (row->entry.alias ? strlen(" OR ") + strlen(row->entry.alias) : 0);

	if (used + 2 > TEXT_COLUMN)
		fprintf(out, "\n%*s", TEXT_COLUMN, "");
	else
		fprintf(out, "%*s", TEXT_COLUMN - (int)used, "");
}

static void print_more(const char *label, const char *text, FILE *out)
{
	char *line = mem_printf("%s: %s", label, text);

	fprintf(out, "%*s%s", TEXT_COLUMN, "", text_color(out, COLOR_DIM));
	text_wrap(out, line, TEXT_COLUMN, width_of(out));
	fputs(text_color(out, COLOR_OFF), out);
	free(line);
}

static void print_encoding(const struct row *row, FILE *out)
{
	const struct perf_event_attr *attr = &row->attr.base;
	struct buf text = { 0 };

	if (row->entry.encoding)
		buf_printf(&text, "%s ", row->entry.encoding);
	if (row->has_event) {
		buf_printf(&text, "type %" PRIu32 ", config %#" PRIx64, attr->type,
			   (uint64_t)attr->config);
		if (attr->config1)
			buf_printf(&text, ", config1 %#" PRIx64, (uint64_t)attr->config1);
		if (attr->config2)
			buf_printf(&text, ", config2 %#" PRIx64, (uint64_t)attr->config2);
	}
	if (text.len)
		print_more("encoding", buf_text(&text), out);
	buf_free(&text);
}

static void print_row(const struct listing *listing, const struct row *row, FILE *out)
{
	const struct catalog_entry *entry = &row->entry;

	print_name(listing, row, out);
	if (*entry->brief && !listing->no_descriptions) {
		to_text_column(row, out);
		if (entry->deprecated)
			fputs("(deprecated) ", out);
		text_wrap(out, entry->brief, TEXT_COLUMN, width_of(out));
	} else {
		putc('\n', out);
	}
	if (row->fields && *row->fields)
		print_more("fields", row->fields, out);
	if (!listing->verbose)
		return;
	if (entry->detail && !listing->no_descriptions)
		print_more("more", entry->detail, out);
	print_encoding(row, out);
}

static void print_reason(const struct listing *listing, const struct row *row, const char *lead,
			 FILE *out)
{
	char why[REASON];

	fprintf(out, "  %s%s", text_color(out, COLOR_WARN), lead);
	text_wrap(out, listing_why(listing, row, why, sizeof(why)), NAME_COLUMN, width_of(out));
	fputs(text_color(out, COLOR_OFF), out);
}

struct tally {
	size_t shown, refused, user_only;
	VEC(const struct row *) reasons; /* one row for each different reason */
};

static void count_row(const struct listing *listing, const struct row *row, struct tally *tally)
{
	char why[REASON], known[REASON];

	tally->shown++;
	if (row->whole_state >= 0)
		return;
	tally->refused += row->state < 0;
	tally->user_only += row->state == 0;
	listing_why(listing, row, why, sizeof(why));
	vec_each (other, &tally->reasons)
		if (!strcmp(why, listing_why(listing, *other, known, sizeof(known))))
			return;
	*vec_push(&tally->reasons) = row;
}

/* `said` is the last reason that stood under a heading, so that it is not repeated. */
static void print_heading(const struct listing *listing, const struct listing_kind *kind,
			  const struct tally *tally, char said[REASON], FILE *out)
{
	char number[TEXT_NUMBER], why[REASON] = "";
	bool none = tally->refused == tally->shown && tally->reasons.len == 1;
	bool user_only = tally->user_only == tally->shown && tally->reasons.len == 1;
	bool again;

	if (none || user_only)
		listing_why(listing, tally->reasons.data[0], why, sizeof(why));
	again = *why && !strcmp(why, said);
	fprintf(out, "%s%s (%s)%s%s%s\n", text_color(out, COLOR_BOLD), kind->heading,
		text_grouped(number, tally->shown), text_color(out, COLOR_OFF),
		none	    ? ": none can be opened here"
		: user_only ? ": only their user's part can be opened here"
			    : "",
		again ? ", for the same reason" : "");
	if (*why && !again)
		print_reason(listing, tally->reasons.data[0], "", out);
	if (*why)
		memcpy(said, why, sizeof(why));
}

static void print_kind(const struct listing *listing, const struct listing_kind *kind,
		       char said[REASON], FILE *out)
{
	const char *family = NULL;
	struct tally tally = { 0 };
	bool sub_headings = kind->kind == EVENT_MODEL || kind->kind == EVENT_VENDOR;

	vec_each (row, &listing->rows)
		if (row->entry.kind == kind->kind)
			count_row(listing, row, &tally);
	if (!tally.shown)
		return;
	print_heading(listing, kind, &tally, said, out);
	vec_each (row, &listing->rows) {
		if (row->entry.kind != kind->kind)
			continue;
		if (sub_headings && (!family || strcmp(family, row->entry.family) != 0))
			fprintf(out, "  %s\n", row->entry.family);
		family = row->entry.family;
		print_row(listing, row, out);
	}
	if (tally.reasons.len > 1 || (tally.refused < tally.shown && tally.user_only < tally.shown))
		vec_each (reason, &tally.reasons)
			print_reason(listing, *reason, (*reason)->state < 0 ? "x " : "u ", out);
	putc('\n', out);
	vec_free(&tally.reasons);
}

void listing_print(const struct listing *listing, FILE *out)
{
	char said[REASON] = "";

	for (size_t i = 0; listing_kinds[i].heading; i++)
		print_kind(listing, &listing_kinds[i], said, out);
	if (listing->no_tracepoints.code) {
		fprintf(out, "%sTracepoints%s: none can be seen here\n  %s",
			text_color(out, COLOR_BOLD), text_color(out, COLOR_OFF),
			text_color(out, COLOR_WARN));
		text_wrap(out, listing->no_tracepoints.text, NAME_COLUMN, width_of(out));
		fputs(text_color(out, COLOR_OFF), out);
	}
}
