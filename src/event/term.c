// SPDX-License-Identifier: Apache-2.0
#include "event/term.h"
#include "base/buf.h"
#include "base/err.h"
#include "event/source.h"

#include <ctype.h>
#include <errno.h>

static bool key_char(char c)
{
	return isalnum((unsigned char)c) || strchr("_-.:[]*?!@", c);
}

/* 'text' with quotes loses them; without, it ends at the next comma. */
static size_t value_length(const char *text, size_t length)
{
	const char *end;

	if (length && text[0] == '\'') {
		end = memchr(text + 1, '\'', length - 1);
		return end ? (size_t)(end - text) + 1 : 0;
	}
	end = memchr(text, ',', length);
	return end ? (size_t)(end - text) : length;
}

static void set_value(struct terms *terms, struct term *term, const char *text, size_t length)
{
	if (text[0] == '\'')
		text++, length -= 2;
	term->text = arena_strndup(terms->arena, text, length);
	term->is_number = !source_number(text, length, 0, &term->number);
}

/* "r1a8" between slashes is config=0x1a8. */
static void set_bare(struct terms *terms, struct term *term)
{
	uint64_t raw;

	term->number = 1;
	if (term->key[0] != 'r' || source_number(term->key + 1, strlen(term->key) - 1, 16, &raw))
		return;
	term->text = term->key;
	term->key = arena_strdup(terms->arena, "config");
	term->is_number = true;
	term->number = raw;
}

int terms_parse(struct terms *terms, const char *text, size_t length, size_t *at, struct err *err)
{
	size_t pos = 0;

	while (pos < length) {
		struct term *term;
		size_t size = 0;

		*at = pos;
		while (pos + size < length && text[pos + size] && key_char(text[pos + size]))
			size++;
		if (!size)
			return err_set(err, EINVAL, "a term is missing here");
		term = vec_push(&terms->items);
		term->at = pos;
		term->length = size;
		term->key = arena_strndup(terms->arena, text + pos, size);
		pos += size;
		if (pos < length && text[pos] == '=') {
			*at = ++pos;
			size = value_length(text + pos, length - pos);
			if (!size)
				return err_set(err, EINVAL, "a value is missing here");
			set_value(terms, term, text + pos, size);
			pos += size;
			term->length = pos - term->at;
		} else {
			set_bare(terms, term);
		}
		*at = pos;
		if (pos < length && text[pos] != ',')
			return err_set(err, EINVAL, "expected ',' between terms");
		*at = ++pos;
		if (pos == length)
			return err_set(err, EINVAL, "a term is missing here");
	}
	return 0;
}

void terms_free(struct terms *terms)
{
	vec_free(&terms->items);
}

enum meaning { CONFIG, TEXT, NUMBER, PERIOD, FREQ, CHOICE, CHOICE_NOT, FLAG };

#define FIELD(name) offsetof(struct event, name)

static const struct common {
	const char *key;
	enum meaning meaning;
	size_t offset; /* in struct event */
	uint64_t most; /* a number's limit */
} common[] = {
	{ "config", CONFIG, FIELD(attr.base.config), UINT64_MAX },
	{ "config1", CONFIG, FIELD(attr.base.config1), UINT64_MAX },
	{ "config2", CONFIG, FIELD(attr.base.config2), UINT64_MAX },
	{ "config3", CONFIG, FIELD(attr.config3), UINT64_MAX },
	{ "name", TEXT, FIELD(name) },
	{ "period", PERIOD, 0, INT64_MAX },
	{ "freq", FREQ, 0, INT32_MAX },
	{ "call-graph", TEXT, FIELD(sampling.call_graph) },
	{ "stack-size", NUMBER, FIELD(sampling.stack_size), 65528 },
	{ "max-stack", NUMBER, FIELD(sampling.max_stack), UINT16_MAX },
	{ "nr", NUMBER, FIELD(sampling.max_events), UINT32_MAX },
	{ "branch_type", TEXT, FIELD(sampling.branch_type) },
	{ "time", CHOICE, FIELD(sampling.time), 1 },
	{ "inherit", CHOICE, FIELD(sampling.inherit), 1 },
	{ "no-inherit", CHOICE_NOT, FIELD(sampling.inherit), 1 },
	{ "overwrite", CHOICE, FIELD(sampling.overwrite), 1 },
	{ "no-overwrite", CHOICE_NOT, FIELD(sampling.overwrite), 1 },
	{ "percore", FLAG, FIELD(sampling.percore), 1 },
	{ "aux-output", FLAG, FIELD(sampling.aux_output), 1 },
	{ "aux-sample-size", NUMBER, FIELD(sampling.aux_sample_size), UINT32_MAX },
};

void term_put_common(struct buf *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(common); i++)
		buf_printf(out, " %s", common[i].key);
}

static int check_value(const struct common *kind, const struct term *term, struct err *err)
{
	bool may_be_bare = kind->meaning >= CHOICE;

	if (!term->text && !may_be_bare)
		return err_set(err, EINVAL, "%s= wants a value", term->key);
	if (kind->meaning == TEXT)
		return 0;
	if (term->text && !term->is_number)
		return err_set(err, EINVAL, "%s= wants a number", term->key);
	if (term->number > kind->most)
		return err_set(err, ERANGE, "%s= is at most %llu", term->key,
			       (unsigned long long)kind->most);
	return 0;
}

static void set_field(const struct common *kind, const struct term *term, struct event *event)
{
	void *field = (char *)event + kind->offset;

	switch (kind->meaning) {
	case TEXT: *(const char **)field = term->text; break;
	case CONFIG:
	case NUMBER: memcpy(field, &term->number, sizeof(uint64_t)); break;
	case PERIOD:
	case FREQ:
		event->attr.base.freq = kind->meaning == FREQ;
		event->attr.base.sample_period = term->number; /* a union with sample_freq */
		event->own_period = true;
		break;
	case CHOICE: *(enum event_choice *)field = term->number ? CHOICE_YES : CHOICE_NO; break;
	case CHOICE_NOT: *(enum event_choice *)field = term->number ? CHOICE_NO : CHOICE_YES; break;
	case FLAG: *(bool *)field = term->number; break;
	}
}

int term_apply_common(const struct term *term, struct event *event, struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(common); i++) {
		int rc;

		if (strcmp(common[i].key, term->key) != 0)
			continue;
		rc = check_value(&common[i], term, err);
		if (rc)
			return rc;
		set_field(&common[i], term, event);
		return 1;
	}
	return 0;
}
