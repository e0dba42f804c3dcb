// SPDX-License-Identifier: Apache-2.0
/*
 * A list is items and groups with commas between.  An item is
 *
 *	NAME[:MODIFIERS]		what a source of the catalogue knows; NAME may hold colons
 *	NAME/TERMS/[MODIFIERS]		the same with terms, or a PMU with its own terms
 *
 * and a group is [NAME]{ITEM,ITEM}[:MODIFIERS].
 */
#include "event/parse.h"
#include "base/buf.h"
#include "base/err.h"
#include "event/catalog.h"
#include "event/complain.h"
#include "event/modifier.h"
#include "event/pmu.h"
#include "event/source.h"
#include "event/term.h"

#include <ctype.h>
#include <errno.h>

#define EVENTS_MAX 65536

struct parser {
	struct event_list *list;
	struct catalog *catalog;
	const char *text;
	size_t at;
	struct err *err;
};

/* Where the parts of an item stand in the text. */
struct item {
	size_t at, length;
	size_t name_length; /* up to the first slash, or all of it */
	size_t terms_at, terms_length;
	size_t rest_at; /* what follows the second slash */
	bool has_terms;
};

static void skip_space(struct parser *p)
{
	while (isspace((unsigned char)p->text[p->at]))
		p->at++;
}

/* The slash that ends the terms; a quoted value may hold one. */
static size_t closing_slash(const char *text, size_t at)
{
	bool quoted = false;

	for (; text[at] && (quoted || text[at] != '/'); at++)
		if (text[at] == '\'')
			quoted = !quoted;
	return at;
}

static int scan_item(struct parser *p, struct item *item)
{
	const char *text = p->text;
	bool breakpoint = !strncmp(text + p->at, "mem:", 4); /* has a slash of its own */
	size_t end = p->at + strcspn(text + p->at, breakpoint ? ",{}" : ",{}/");

	*item = (struct item){ .at = p->at, .name_length = end - p->at, .rest_at = end };
	if (text[end] == '/') {
		item->has_terms = true;
		item->terms_at = end + 1;
		end = closing_slash(text, end + 1);
		if (!text[end])
			return complain(p->err, EINVAL, text, item->terms_at - 1, 1,
					"the terms that begin with this / have no / at their end");
		item->terms_length = end - item->terms_at;
		item->rest_at = end + 1;
		end = item->rest_at + strcspn(text + item->rest_at, ",{}");
	}
	while (end > item->rest_at && isspace((unsigned char)text[end - 1]))
		end--;
	if (!item->has_terms)
		while (end > item->at && isspace((unsigned char)text[end - 1]))
			item->rest_at = --end, item->name_length = end - item->at;
	item->length = end - item->at;
	p->at = end;
	if (!item->name_length)
		return complain(p->err, EINVAL, text, item->at, 1, "an event is missing here");
	return 0;
}

static int apply_modifiers(struct parser *p, size_t from, size_t at, size_t length, bool of_group)
{
	int wrong = modifiers_check(p->text + at, length);

	if (wrong >= 0)
		return complain(p->err, EINVAL, p->text, at + (size_t)wrong, 1,
				"unknown or repeated modifier; there are "
				"u k h (user, kernel, hypervisor) p pp ppp P (precise) G H (guest, "
				"host) S (read the group) D (pinned) W (weak group) e (exclusive) "
				"I (not idle) b (BPF)");
	for (size_t i = from; i < p->list->events.len; i++)
		modifiers_apply(&p->list->events.data[i], p->text + at, length, of_group);
	return 0;
}

/* What follows a name or a closing slash: nothing, or a colon (free after a slash) and letters. */
static int parse_modifiers(struct parser *p, size_t from, size_t at, size_t end, bool of_group)
{
	if (at < end && p->text[at] == ':')
		at++;
	return apply_modifiers(p, from, at, end - at, of_group);
}

static int unknown_term(const struct term *term, struct err *err)
{
	struct buf names = { 0 };
	int rc;

	term_put_common(&names);
	rc = err_set(err, EINVAL, "no term '%s' is known for this event; there are%s", term->key,
		     buf_text(&names));
	buf_free(&names);
	return rc;
}

/* Terms on what is no PMU: only those that mean the same everywhere. */
static int apply_terms(struct parser *p, size_t from, const struct item *item,
		       const struct terms *terms)
{
	for (size_t i = 0; i < terms->items.len; i++) {
		const struct term *term = &terms->items.data[i];
		struct err why = { 0 };

		for (size_t k = from; k < p->list->events.len; k++) {
			int rc = term_apply_common(term, &p->list->events.data[k], &why);

			if (rc == 0)
				rc = unknown_term(term, &why);
			if (rc < 0)
				return complain(p->err, why.code, p->text,
						item->terms_at + term->at, term->length, "%s",
						why.text);
		}
	}
	return 0;
}

static int resolve_with_terms(struct parser *p, const struct item *item, const char *name,
			      const struct terms *terms)
{
	size_t from = p->list->events.len, bad = 0;
	struct err why = { 0 };
	int rc = catalog_find(p->catalog, name, p->list, &why);

	if (rc > 0 && !name[rc])
		return apply_terms(p, from, item, terms);
	if (rc >= 0) {
		event_list_truncate(p->list, from);
		rc = pmu_add(p->catalog, name, terms, p->list, &bad, &why);
		if (rc > 0)
			return 0;
		if (rc == 0)
			return complain_unknown(p->err, p->catalog, p->text, item->at,
						item->name_length);
		if (bad < terms->items.len)
			return complain(p->err, why.code, p->text,
					item->terms_at + terms->items.data[bad].at,
					terms->items.data[bad].length, "%s", why.text);
	}
	return complain(p->err, why.code, p->text, item->at, item->name_length, "%s", why.text);
}

static int parse_with_terms(struct parser *p, const struct item *item, const char *name)
{
	struct terms terms = { .arena = &p->list->arena };
	size_t from = p->list->events.len, at = 0;
	struct err why = { 0 };
	int rc = terms_parse(&terms, p->text + item->terms_at, item->terms_length, &at, &why);

	if (rc)
		rc = complain(p->err, why.code, p->text, item->terms_at + at, 1, "%s", why.text);
	else
		rc = resolve_with_terms(p, item, name, &terms);
	terms_free(&terms);
	return rc ? rc : parse_modifiers(p, from, item->rest_at, item->at + item->length, false);
}

static int parse_plain(struct parser *p, const struct item *item, const char *name)
{
	size_t from = p->list->events.len;
	struct err why = { 0 };
	int used = catalog_find(p->catalog, name, p->list, &why);

	if (used < 0)
		return complain(p->err, why.code, p->text, item->at, item->length, "%s", why.text);
	if (!used)
		return complain_unknown(p->err, p->catalog, p->text, item->at, item->length);
	return parse_modifiers(p, from, item->at + (size_t)used, item->at + item->length, false);
}

static int parse_item(struct parser *p)
{
	size_t from = p->list->events.len;
	struct item item;
	char *name;
	int rc = scan_item(p, &item);

	if (rc)
		return rc;
	name = mem_strndup(p->text + item.at, item.name_length);
	rc = item.has_terms ? parse_with_terms(p, &item, name) : parse_plain(p, &item, name);
	free(name);
	if (rc)
		return rc;
	if (p->list->events.len > EVENTS_MAX)
		return complain(p->err, E2BIG, p->text, item.at, item.length,
				"these are more than %d events", EVENTS_MAX);
	for (size_t i = from; i < p->list->events.len; i++)
		if (!p->list->events.data[i].name)
			p->list->events.data[i].name =
				arena_strndup(&p->list->arena, p->text + item.at, item.length);
	return 0;
}

/* Which of the PMUs met so far an event belongs to; those without one go with the first. */
static uint32_t pmu_leader(const struct event_list *list, size_t from, const char *pmu)
{
	for (size_t i = from; pmu && i < list->events.len; i++)
		if (list->events.data[i].pmu && !strcmp(list->events.data[i].pmu, pmu))
			return (uint32_t)i;
	return (uint32_t)from;
}

/*
 * Names that stand for several PMUs make several groups, one a PMU, since the kernel groups events
 * of one PMU (and software) only.  Members are moved behind their leader.
 */
static void split_group(struct event_list *list, size_t from)
{
	size_t count = list->events.len - from, done = 0;
	struct event *old = mem_alloc(count * sizeof(*old));
	uint32_t *moved = mem_alloc(count * sizeof(*moved));

	memcpy(old, list->events.data + from, count * sizeof(*old));
	for (size_t i = 0; i < count; i++) {
		size_t leader = pmu_leader(list, from, old[i].pmu);

		old[i].leader = (uint32_t)leader; /* index before the move */
	}
	for (size_t lead = 0; lead < count; lead++) {
		size_t start = done;

		for (size_t i = lead; i < count; i++) {
			if (old[i].leader != from + lead)
				continue;
			moved[i] = (uint32_t)(from + done);
			list->events.data[from + done] = old[i];
			list->events.data[from + done++].leader = (uint32_t)(from + start);
		}
	}
	for (size_t i = from; i < list->events.len; i++)
		list->events.data[i].same_as = moved[list->events.data[i].same_as - from];
	free(moved);
	free(old);
}

static void close_group(struct event_list *list, size_t from)
{
	bool several = false;

	for (size_t i = from; i < list->events.len; i++) {
		list->events.data[i].leader = (uint32_t)from;
		several |= list->events.data[i].several;
	}
	if (several)
		split_group(list, from);
}

static int parse_group(struct parser *p)
{
	size_t from = p->list->events.len, open, at, end;
	int rc;

	p->at += strcspn(p->text + p->at, "{"); /* a name in front is perf's; nothing shows it */
	open = p->at++;
	for (;;) {
		skip_space(p);
		rc = parse_item(p);
		if (rc)
			return rc;
		skip_space(p);
		if (p->text[p->at] != ',')
			break;
		p->at++;
	}
	if (p->text[p->at] != '}')
		return complain(p->err, EINVAL, p->text, open, 1, "this group has no } at its end");
	close_group(p->list, from);
	at = ++p->at;
	p->at += strcspn(p->text + at, ",{}");
	for (end = p->at; end > at && isspace((unsigned char)p->text[end - 1]);)
		end--;
	return parse_modifiers(p, from, at, end, true);
}

static int parse_list(struct parser *p)
{
	for (;;) {
		size_t span;
		int rc;

		skip_space(p);
		span = strcspn(p->text + p->at, ",{}/");
		rc = p->text[p->at + span] == '{' ? parse_group(p) : parse_item(p);
		if (rc)
			return rc;
		skip_space(p);
		if (!p->text[p->at])
			return 0;
		if (p->text[p->at] != ',')
			return complain(p->err, EINVAL, p->text, p->at, 1, "expected ','");
		p->at++;
	}
}

int event_list_parse(struct event_list *list, struct catalog *catalog, const char *text,
		     struct err *err)
{
	struct parser parser = { .list = list, .catalog = catalog, .text = text, .err = err };
	size_t before = list->events.len;
	int rc = parse_list(&parser);

	if (rc)
		event_list_truncate(list, before);
	else
		list->last_parsed = before;
	return rc;
}
