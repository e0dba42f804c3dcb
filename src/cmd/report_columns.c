// SPDX-License-Identifier: Apache-2.0
/* Which columns a report has, and what its rows are put in order by: -s, -F, -n and their like. */
#include "base/err.h"
#include "base/mem.h"
#include "cmd/report_options.h"
#include "perfdata/reader.h"
#include "perfdata/tracing.h"

#include <errno.h>
#include <stdlib.h>

#define USUAL_KEYS  "comm,dso,symbol"
#define BRANCH_KEYS "comm,dso_from,symbol_from,symbol_to,cycles"
#define MEMORY_KEYS \
	"local_weight,mem,sym,dso,symbol_daddr,dso_daddr,snoop,tlb,locked,blocked,local_ins_lat"

struct chooser {
	const struct report_args *args;
	const struct report_source *source;
	struct report_options *options;
	struct report_traits *traits;
	struct strlist *words;
	enum report_mode mode;
	struct tracing *tracing; /* NULL: not asked for yet, or none */
};

/* The next word up to a comma; false at the end. */
static bool next_word(const char **text, const char **word, size_t *length)
{
	if (!*text || !**text)
		return false;
	*word = *text;
	*length = strcspn(*text, ",");
	*text += *length;
	*text += **text == ',';
	return true;
}

bool report_wants_lines(const struct report_args *args)
{
	const char *const texts[] = { args->sort, args->fields };

	if (args->names.lines)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		const char *text = texts[i], *word;
		size_t length;

		while (next_word(&text, &word, &length)) {
			const struct report_key *key = report_key(word, length);

			if (key && (key->by == BY_SRCLINE || key->by == BY_SRCFILE))
				return true;
		}
	}
	return false;
}

/* Whether an event of the recording has a field of this name. */
static bool is_trace_field(struct chooser *c, const char *name)
{
	const char *dot = strrchr(name, '.');
	struct tracing_field field;

	if (!c->source->reader)
		return false;
	if (!c->tracing)
		c->tracing = tracing_new(c->source->reader);
	for (size_t i = 0; c->tracing && i < perf_reader_attr_count(c->source->reader); i++) {
		const struct perf_attr *attr = perf_reader_attr(c->source->reader, i);

		if (attr->attr.base.type == PERF_TYPE_TRACEPOINT &&
		    tracing_field(c->tracing, attr->attr.base.config, dot ? dot + 1 : name, &field))
			return true;
	}
	return false;
}

static int complain(const char *option, const char *word, struct err *err)
{
	return err_set(
		err, EINVAL,
		"%s: unknown %s '%s'; there are comm, pid, tid, cpu, parent, dso, symbol, addr, "
		"srcline, srcfile, time, cgroup, trace, weight, the fields of recorded "
		"tracepoints, and more in the manual",
		option, strcmp(option, "--fields") ? "sort key" : "field", word);
}

/* A column for a word; *column has no key if it is none, or none here. */
static int find_column(struct chooser *c, const char *option, const char *word, size_t length,
		       struct report_column *column, struct err *err)
{
	const struct report_key *key = report_key(word, length);
	char *name = mem_strndup(word, length);
	int rc = 0;

	strlist_add(c->words, name);
	free(name);
	name = *vec_last(c->words);
	*column = (struct report_column){ .key = key };
	if (!key && is_trace_field(c, name))
		*column = (struct report_column){ .key = &report_trace_field, .name = name };
	if (!column->key)
		rc = complain(option, name, err);
	else if (column->key->mode != MODE_ANY && column->key->mode != c->mode)
		rc = err_set(err, EINVAL, "%s: '%s' tells of %s; add %s", option, name,
			     column->key->mode == MODE_BRANCHES ? "branches" : "memory",
			     column->key->mode == MODE_BRANCHES ? "-b" : "--mem-mode");
	else if (column->key->by == BY_TRAIT && column->key->field == FIELD_KEY &&
		 !c->source->reader && !c->source->unopened)
		rc = err_set(err, EINVAL, "%s: '%s' is known of recordings only", option, name);
	if (!rc)
		column->by = column->key->by;
	return rc;
}

static bool is_same(const struct report_column *a, const struct report_column *b)
{
	return a->key == b->key && (!a->name || (b->name && !strcmp(a->name, b->name)));
}

/* The place of a trait: two columns may tell of the same one. */
static int place_trait(struct chooser *c, struct report_column *column, struct err *err)
{
	struct report_traits *t = c->traits;
	size_t i = 0;

	if (column->key->by != BY_TRAIT || column->key->field != FIELD_KEY)
		return 0;
	while (i < t->count && (t->wanted[i].key->trait != column->key->trait ||
				(column->name && strcmp(t->wanted[i].name, column->name) != 0)))
		i++;
	if (i == TRAITS_MAX)
		return err_set(err, EINVAL, "--sort: too many keys");
	if (i == t->count)
		t->wanted[t->count++] = *column;
	column->by = BY_TRAIT + i;
	return 0;
}

static int add(struct chooser *c, struct report_columns *columns, struct report_column column,
	       struct err *err)
{
	for (size_t i = 0; i < columns->count; i++)
		if (is_same(&columns->list[i], &column))
			return 0;
	if (columns->count == REPORT_COLUMNS)
		return err_set(err, EINVAL, "too many columns");
	columns->list[columns->count] = column;
	return place_trait(c, &columns->list[columns->count++], err);
}

static int add_named(struct chooser *c, struct report_columns *columns, const char *name,
		     struct err *err)
{
	return add(c, columns,
		   (struct report_column){ .key = report_key(name, strlen(name)),
					   .by = report_key(name, strlen(name))->by },
		   err);
}

static int add_words(struct chooser *c, struct report_columns *columns, const char *option,
		     const char *text, struct err *err)
{
	const char *word;
	size_t length;
	int rc = 0;

	while (!rc && next_word(&text, &word, &length)) {
		struct report_column column;

		rc = find_column(c, option, word, length, &column, err);
		if (!rc)
			rc = add(c, columns, column, err);
	}
	return rc;
}

/* What stands in front of the keys. */
static int add_usual(struct chooser *c, struct report_columns *columns, struct err *err)
{
	const struct {
		bool wanted;
		const char *name;
	} fields[] = {
		{ c->options->children, "overhead_children" },
		{ true, "overhead" },
		{ c->args->show_modes, "overhead_sys" },
		{ c->args->show_modes, "overhead_us" },
		{ c->args->show_modes && guest_sources_given(&c->args->names.guest),
		  "overhead_guest_sys" },
		{ c->args->show_modes && guest_sources_given(&c->args->names.guest),
		  "overhead_guest_us" },
		{ c->args->show_samples, "sample" },
		{ c->args->show_weight, "period" },
	};
	int rc = 0;

	for (size_t i = 0; !rc && i < ARRAY_SIZE(fields); i++)
		if (fields[i].wanted)
			rc = add_named(c, columns, fields[i].name, err);
	return rc;
}

static const char *default_keys(const struct chooser *c)
{
	return c->mode == MODE_BRANCHES ? BRANCH_KEYS
	       : c->mode == MODE_MEMORY ? MEMORY_KEYS
	       : c->source->tracepoints ? "trace"
					: USUAL_KEYS;
}

/* The keys of -s; those that begin with + come behind the usual ones. */
static int add_keys(struct chooser *c, struct report_columns *columns, struct err *err)
{
	const char *sort = c->args->sort;
	bool more = sort && *sort == '+';
	int rc = 0;

	if (!sort || more)
		rc = add_words(c, columns, "--sort", default_keys(c), err);
	if (!rc && sort)
		rc = add_words(c, columns, "--sort", sort + more, err);
	if (!rc && c->args->parent)
		rc = add_named(c, columns, "parent", err);
	return rc;
}

static bool has_field(const struct report_columns *columns, enum report_field field)
{
	for (size_t i = 0; i < columns->count; i++)
		if (columns->list[i].key->field == field)
			return true;
	return false;
}

static int add_all(struct report_columns *to, const struct report_columns *from, struct chooser *c,
		   struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < from->count; i++)
		rc = add(c, to, from->list[i], err);
	return rc;
}

/* -F lists the columns one by one; sort keys of -s that it leaves out follow. */
static int choose_fields(struct chooser *c, struct err *err)
{
	struct report_options *o = c->options;
	int rc = add_words(c, &o->columns, "--fields", c->args->fields, err);

	o->fields_given = true;
	if (!rc && (c->args->sort || c->args->parent))
		rc = add_keys(c, &o->order, err);
	if (!rc)
		rc = add_all(&o->columns, &o->order, c, err);
	if (!rc)
		rc = add_all(&o->order, &o->columns, c, err);
	o->children &= has_field(&o->columns, FIELD_CHILDREN);
	if (!rc && !o->columns.count)
		rc = err_set(err, EINVAL, "--fields needs a field");
	return rc;
}

static int choose_usual(struct chooser *c, struct err *err)
{
	struct report_options *o = c->options;
	const char *fields = c->args->fields;
	int rc = add_usual(c, &o->columns, err);

	if (!rc && fields)
		rc = add_words(c, &o->columns, "--fields", fields + 1, err);
	if (!rc && o->children)
		rc = add_named(c, &o->order, "overhead_children", err);
	if (!rc)
		rc = add_named(c, &o->order, "overhead", err);
	if (!rc)
		rc = add_keys(c, &o->order, err);
	if (!rc)
		rc = add_all(&o->columns, &o->order, c, err);
	if (!rc && !has_field(&o->columns, FIELD_KEY))
		rc = err_set(err, EINVAL, "--sort needs a key");
	return rc;
}

static int set_widths(struct report_columns *columns, const char *text, struct err *err)
{
	const char *word;
	size_t length;

	for (size_t i = 0; i < columns->count && next_word(&text, &word, &length); i++) {
		char *end;
		unsigned long width = strtoul(word, &end, 10);

		if (end != word + length || width > 1000)
			return err_set(err, EINVAL, "-w '%.*s': a width is a number up to 1000",
				       (int)length, word);
		columns->list[i].fixed_width = width;
	}
	return 0;
}

int report_choose_columns(const struct report_args *args, const struct report_source *source,
			  struct report_options *options, struct report_traits *traits,
			  struct strlist *words, struct err *err)
{
	struct chooser c = { .args = args,
			     .source = source,
			     .options = options,
			     .traits = traits,
			     .words = words,
			     .mode = args->memory	? MODE_MEMORY
				     : source->branches ? MODE_BRANCHES
							: MODE_ANY };
	bool chosen = args->fields && *args->fields != '+';
	int rc;

	if (args->hierarchy && args->fields)
		return err_set(err, EINVAL, "--hierarchy and --fields exclude each other");
	rc = chosen ? choose_fields(&c, err) : choose_usual(&c, err);
	/* Nothing is known of callers but the function. */
	for (size_t i = 0; !rc && i < options->columns.count; i++)
		if (options->columns.list[i].key->of_leaf && options->children) {
			struct report_options again = *options;

			again.children = false;
			again.columns.count = again.order.count = 0;
			*options = again;
			rc = chosen ? choose_fields(&c, err) : choose_usual(&c, err);
		}
	if (!rc && args->socket >= 0) {
		struct report_column column = { .key = report_key("socket", 6) };

		rc = place_trait(&c, &column, err);
		options->socket_key = column.by;
	}
	if (!rc && args->widths)
		rc = set_widths(&options->columns, args->widths, err);
	if (args->memory)
		options->weight_order = args->sort ? args->sort : MEMORY_KEYS;
	tracing_free(c.tracing);
	return rc;
}
