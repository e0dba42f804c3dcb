// SPDX-License-Identifier: Apache-2.0
#include "event/complain.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/text.h"
#include "event/catalog.h"
#include "event/modifier.h"
#include "event/pmu.h"
#include "event/tracepoint.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WORDS	   600
#define SHOWN	   80 /* columns of a long text around the mark */
#define NEAREST	   4  /* names offered */
#define PMUS_SHOWN 20

/* Any bytes as one column each. */
static void add_printable(struct buf *out, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		buf_putc(out, isprint((unsigned char)text[i]) ? text[i] : '?');
}

static void add_marked(struct buf *out, const char *text, size_t at, size_t length)
{
	size_t whole = strlen(text), from = 0, to = whole;

	if (whole > SHOWN) {
		from = at > SHOWN / 3 ? at - SHOWN / 3 : 0;
		to = whole - from > SHOWN ? from + SHOWN : whole;
	}
	buf_puts(out, from ? "\n  ..." : "\n  ");
	add_printable(out, text + from, to - from);
	buf_puts(out, to < whole ? "...\n  " : "\n  ");
	buf_printf(out, "%*s^", (int)(at - from) + (from ? 3 : 0), "");
	for (size_t i = at + 1; i < at + length && i < to; i++)
		buf_putc(out, '~');
}

static int complain_with(struct err *err, int code, const char *text, size_t at, size_t length,
			 const char *words, const char *after)
{
	struct buf out = { 0 };
	int rc;

	/* The mark has to come through, whatever the words' length: err.text is 1,000 bytes. */
	buf_printf(&out, "%.*s%s", WORDS, words, strlen(words) > WORDS ? " ..." : "");
	add_marked(&out, text, at, length);
	buf_puts(&out, after);
	rc = err_set(err, code, "%s", buf_text(&out));
	buf_free(&out);
	return rc;
}

int complain(struct err *err, int code, const char *text, size_t at, size_t length,
	     const char *format, ...)
{
	struct buf words = { 0 };
	va_list args;
	int rc;

	va_start(args, format);
	buf_vprintf(&words, format, args);
	va_end(args);
	rc = complain_with(err, code, text, at, length, buf_text(&words), "");
	buf_free(&words);
	return rc;
}

struct nearest {
	const char *wanted[3]; /* as it is, in small letters, in capitals */
	struct {
		const char *name;
		int distance;
	} best[NEAREST];
};

static bool already_there(const struct nearest *nearest, const char *name)
{
	for (int i = 0; i < NEAREST && nearest->best[i].name; i++)
		if (!strcmp(nearest->best[i].name, name))
			return true;
	return false;
}

static void offer(struct nearest *nearest, const char *name)
{
	int worst = nearest->best[NEAREST - 1].distance;
	int distance = worst, i = NEAREST - 1;

	for (int k = 0; k < 3; k++) {
		int d = k && !strcmp(nearest->wanted[k], nearest->wanted[0])
				? worst
				: text_distance(nearest->wanted[k], name, worst);

		distance = d < distance ? d : distance;
	}
	if (distance >= worst || already_there(nearest, name))
		return;
	for (; i && nearest->best[i - 1].distance > distance; i--)
		nearest->best[i] = nearest->best[i - 1];
	nearest->best[i].name = name;
	nearest->best[i].distance = distance;
}

static int offer_entry(const struct catalog_entry *entry, void *user)
{
	if (entry->example)
		return 0;
	offer(user, entry->name);
	if (entry->alias)
		offer(user, entry->alias);
	return 0;
}

static char *in_case(const char *text, int (*change)(int))
{
	char *copy = mem_strdup(text);

	for (char *c = copy; *c; c++)
		*c = (char)change((unsigned char)*c);
	return copy;
}

/* False if nothing is near. */
static bool add_nearest(struct buf *out, struct catalog *catalog, const char *name)
{
	char *lower = in_case(name, tolower), *upper = in_case(name, toupper);
	struct nearest nearest = { .wanted = { name, lower, upper } };
	size_t length = strlen(name) < 60 ? strlen(name) : 60;
	struct arena texts = { 0 };

	/* A third of the letters may be wrong: further away nobody sees the likeness. */
	for (int i = 0; i < NEAREST; i++)
		nearest.best[i].distance = 2 * (2 + (int)length) / 3;
	catalog_each(catalog, &texts, offer_entry, &nearest);
	for (int i = 0; i < NEAREST && nearest.best[i].name; i++)
		buf_printf(out, "%s%s", i ? ", " : "\n  did you mean: ", nearest.best[i].name);
	if (nearest.best[0].name)
		buf_putc(out, '?');
	if (!nearest.best[0].name)
		buf_puts(out, "\n  `perfolio list` shows what there is");
	arena_free(&texts);
	free(lower);
	free(upper);
	return nearest.best[0].name;
}

/* Without the modifiers at its end, if these are any. */
static size_t name_length(const char *text, size_t length)
{
	const char *colon = memrchr(text, ':', length);
	size_t letters = colon ? (size_t)(text + length - colon) - 1 : 0;

	return colon && modifiers_check(colon + 1, letters) < 0 ? (size_t)(colon - text) : length;
}

static void add_pmus(struct buf *out, struct catalog *catalog)
{
	const struct pmus *pmus = pmus_get(catalog);

	buf_puts(out, "\n  this machine's PMUs:");
	for (size_t i = 0; i < pmus->len && i < PMUS_SHOWN; i++)
		buf_printf(out, " %s", pmus->data[i].name);
	if (pmus->len > PMUS_SHOWN)
		buf_puts(out, " ...");
}

int complain_unknown(struct err *err, struct catalog *catalog, const char *text, size_t at,
		     size_t length)
{
	struct buf words = { 0 }, after = { 0 };
	struct err why = { 0 };
	bool near;
	char *name;
	int rc;

	if (!err) /* nobody will read it, and the nearest names take a while */
		return -EINVAL;
	length = name_length(text + at, length);
	name = mem_strndup(text + at, length);
	near = add_nearest(&after, catalog, name);
	if ((strchr(name, ':') || !near) && !tracefs_path(catalog, &why))
		buf_printf(&after, "\n  tracepoints are out of reach: %s", why.text);
	if (text[at + length] == '/') /* terms follow */
		add_pmus(&after, catalog);
	buf_puts(&words, "unknown event '");
	add_printable(&words, name, length > 60 ? 60 : length);
	buf_puts(&words, length > 60 ? "...'" : "'");
	rc = complain_with(err, EINVAL, text, at, length, buf_text(&words), buf_text(&after));
	buf_free(&words);
	buf_free(&after);
	free(name);
	return rc;
}
