// SPDX-License-Identifier: Apache-2.0
/* From terms to the words of perf_event_attr, by a PMU's format. */
#include "base/buf.h"
#include "base/err.h"
#include "event/pmu.h"
#include "event/source.h"
#include "event/vendor.h"

#include <errno.h>
#include <strings.h>

static uint64_t *config_word(struct event_attr *attr, int word)
{
	switch (word) {
	case 1: return (uint64_t *)&attr->base.config1;
	case 2: return (uint64_t *)&attr->base.config2;
	case 3: return &attr->config3;
	default: return (uint64_t *)&attr->base.config;
	}
}

/* Puts the value's bits, lowest first, where the mask has ones; what does not fit is lost. */
static uint64_t spread(uint64_t value, uint64_t mask)
{
	uint64_t result = 0;

	for (; mask; mask &= mask - 1, value >>= 1)
		if (value & 1)
			result |= mask & -mask;
	return result;
}

static const struct pmu_format *find_format(const struct pmu *pmu, const char *name)
{
	vec_each (format, &pmu->formats)
		if (!strcmp(format->name, name))
			return format;
	return NULL;
}

/* What a term without a value may name: an event of sysfs, or of a vendor's table. */
static bool find_event(struct catalog *catalog, const struct pmu *pmu, const struct term *term,
		       struct pmu_event *found)
{
	const struct vendor_event *vendor;

	if (term->text || find_format(pmu, term->key))
		return false;
	vec_each (event, &pmu->events)
		if (!strcasecmp(event->name, term->key)) {
			*found = *event;
			return true;
		}
	vendor = vendor_find(catalog, pmu, term->key);
	if (vendor)
		*found = (struct pmu_event){ .name = vendor->name,
					     .terms = vendor->terms,
					     .unit = vendor->unit,
					     .scale = vendor->scale };
	return vendor != NULL;
}

static int unknown_term(const struct pmu *pmu, const struct term *term, struct err *err)
{
	struct buf names = { 0 };
	int rc;

	vec_each (format, &pmu->formats)
		buf_printf(&names, " %s", format->name);
	term_put_common(&names);
	if (pmu->events.len)
		buf_puts(&names, "; its events are");
	for (size_t i = 0; i < pmu->events.len && i < 20; i++)
		buf_printf(&names, " %s", pmu->events.data[i].name);
	if (pmu->events.len > 20)
		buf_puts(&names, " ...");
	rc = err_set(err, EINVAL, "%s has no term or event '%s'; its terms are%s", pmu->name,
		     term->key, buf_text(&names));
	buf_free(&names);
	return rc;
}

/* An event of sysfs may leave a value to the user: "domain=?". */
static int fill_in(const struct terms *given, const char *key, uint64_t *value, struct err *err)
{
	if (given)
		vec_each (term, &given->items)
			if (!strcmp(term->key, key) && term->is_number) {
				*value = term->number;
				return 0;
			}
	return err_set(err, EINVAL, "this event wants %s=NUMBER too", key);
}

/* given: where values of "?" come from; NULL for the user's own terms. */
static int apply_term(const struct pmu *pmu, const struct term *term, const struct terms *given,
		      struct event *event, struct err *err)
{
	const struct pmu_format *format;
	uint64_t value = term->number, most;
	uint64_t *word;
	int rc = term_apply_common(term, event, err);

	if (rc)
		return rc < 0 ? rc : 0;
	format = find_format(pmu, term->key);
	if (!format)
		return unknown_term(pmu, term, err);
	if (term->text && !strcmp(term->text, "?") && given)
		rc = fill_in(given, term->key, &value, err);
	else if (term->text && !term->is_number)
		rc = err_set(err, EINVAL, "%s= wants a number", term->key);
	else if (!term->text && format->mask & (format->mask - 1))
		rc = err_set(err, EINVAL, "%s has several bits and wants a value", term->key);
	if (rc)
		return rc;
	most = format->mask ? UINT64_MAX >> (64 - __builtin_popcountll(format->mask)) : 0;
	if (value > most)
		return err_set(err, ERANGE, "%s= is at most %#llx", term->key,
			       (unsigned long long)most);
	word = config_word(&event->attr, format->word);
	*word = (*word & ~format->mask) | spread(value, format->mask);
	return 0;
}

static int apply_event(const struct pmu *pmu, const struct pmu_event *named,
		       const struct terms *given, struct event *event, struct err *err)
{
	struct terms terms = { .arena = given->arena };
	size_t at;
	int rc = terms_parse(&terms, named->terms, strlen(named->terms), &at, err);

	for (size_t i = 0; !rc && i < terms.items.len; i++)
		rc = apply_term(pmu, &terms.items.data[i], given, event, err);
	if (rc)
		err_prefix(err, "%s/%s/ is '%s' in sysfs", pmu->name, named->name, named->terms);
	event->unit = arena_strdup(given->arena, named->unit);
	event->scale = named->scale;
	event->snapshot = named->snapshot;
	terms_free(&terms);
	return rc;
}

int pmu_encode(struct catalog *catalog, const struct pmu *pmu, const struct terms *terms,
	       struct event *event, size_t *bad, struct err *err)
{
	struct pmu_event named;
	int rc = 0;

	/* Named events first, so that terms beside them change what they say. */
	for (size_t i = 0; !rc && i < terms->items.len; i++) {
		*bad = i;
		if (find_event(catalog, pmu, &terms->items.data[i], &named))
			rc = apply_event(pmu, &named, terms, event, err);
	}
	for (size_t i = 0; !rc && i < terms->items.len; i++) {
		*bad = i;
		if (!find_event(catalog, pmu, &terms->items.data[i], &named))
			rc = apply_term(pmu, &terms->items.data[i], NULL, event, err);
	}
	return rc;
}
