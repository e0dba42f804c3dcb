// SPDX-License-Identifier: Apache-2.0
/* The compact form of a vendor table (see event/vendor.h). */
#include "base/buf.h"
#include "base/err.h"
#include "event/vendor.h"

#include <errno.h>
#include <stdlib.h>

#define MAGIC	"perfolio-events 1"
#define COLUMNS 7

struct field {
	const char *key;
	size_t offset;
};

static const struct field header[] = {
	{ "name", offsetof(struct vendor_table, name) },
	{ "title", offsetof(struct vendor_table, title) },
	{ "version", offsetof(struct vendor_table, version) },
	{ "date", offsetof(struct vendor_table, date) },
	{ "source", offsetof(struct vendor_table, source) },
	{ "shape", offsetof(struct vendor_table, shape) },
	{ "cpus", offsetof(struct vendor_table, cpus) },
	{ "pmu", offsetof(struct vendor_table, pmu) },
};

char *vendor_table_text(const struct vendor_table *table)
{
	struct buf out = { 0 };

	buf_puts(&out, MAGIC "\n");
	for (size_t i = 0; i < ARRAY_SIZE(header); i++)
		buf_printf(&out, "%s\t%s\n", header[i].key,
			   *(const char *const *)((const char *)table + header[i].offset));
	buf_printf(&out, "rank\t%d\n\n", table->rank);
	vec_each (event, &table->events)
		buf_printf(&out, "%s\t%s\t%s\t%.17g%s\t%s\t%s\t%s\n", event->name, event->pmu,
			   event->terms, event->scale, event->unit, event->deprecated ? "d" : "",
			   event->brief, event->detail);
	return out.data;
}

/* Takes the text up to `end` (or the line's end) off *at, into the table's arena. */
static const char *take(struct vendor_table *table, const char **at, const char *line_end, char end)
{
	const char *stop = memchr(*at, end, (size_t)(line_end - *at));
	const char *text;

	if (!stop)
		stop = line_end;
	text = arena_strndup(&table->arena, *at, (size_t)(stop - *at));
	*at = stop < line_end ? stop + 1 : stop;
	return text;
}

static void parse_header_line(struct vendor_table *table, const char *at, const char *end)
{
	const char *key = take(table, &at, end, '\t');
	const char *value = take(table, &at, end, '\n');

	if (!strcmp(key, "rank"))
		table->rank = atoi(value);
	for (size_t i = 0; i < ARRAY_SIZE(header); i++)
		if (!strcmp(key, header[i].key))
			*(const char **)((char *)table + header[i].offset) = value;
}

static int parse_event_line(struct vendor_table *table, const char *at, const char *end)
{
	const char *columns[COLUMNS];
	struct vendor_event event;
	char *unit;

	for (int i = 0; i < COLUMNS; i++)
		columns[i] = take(table, &at, end, i < COLUMNS - 1 ? '\t' : '\n');
	event = (struct vendor_event){ .name = columns[0],
				       .pmu = columns[1],
				       .terms = columns[2],
				       .scale = strtod(columns[3], &unit),
				       .deprecated = *columns[4] == 'd',
				       .brief = columns[5],
				       .detail = columns[6] };
	event.unit = unit;
	if (!*event.name || !*event.terms || !(event.scale > 0))
		return -EBADMSG;
	*vec_push(&table->events) = event;
	return 0;
}

int vendor_table_parse(struct vendor_table *table, const char *text, size_t size, bool header_only,
		       struct err *err)
{
	const char *end = text + size;
	bool in_header = true;

	for (int line = 1; text < end; line++) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));

		if (!stop)
			stop = end;
		if (line == 1) {
			if ((size_t)(stop - text) != strlen(MAGIC) ||
			    memcmp(text, MAGIC, strlen(MAGIC)) != 0)
				return err_set(err, EBADMSG,
					       "not a table of this version; import it again");
		} else if (stop == text) {
			in_header = false;
			if (header_only)
				return 0;
		} else if (in_header) {
			parse_header_line(table, text, stop);
		} else if (parse_event_line(table, text, stop)) {
			return err_set(err, EBADMSG, "line %d is broken; import it again", line);
		}
		text = stop + (stop < end);
	}
	if (in_header)
		return err_set(err, EBADMSG, "it ends too early; import it again");
	return 0;
}
