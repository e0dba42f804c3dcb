// SPDX-License-Identifier: Apache-2.0
/*
 * The three shapes of vendor JSON:
 *
 *	Intel perfmon	  { "Header": {...}, "Events": [ { "EventName", "EventCode", ... } ] }
 *	Arm data	  { "_type": "Events", "cpu", "events": [ { "name", "code", ... } ] }
 *	perf's pmu-events [ { "EventName", "EventCode", ... }, { "MetricName" ... } ]
 */
#include "base/err.h"
#include "base/jsonread.h"
#include "event/source.h"
#include "event/vendor.h"
#include "event/vendorrow.h"

#include <errno.h>
#include <string.h>

void vendor_table_init(struct vendor_table *table, const char *name)
{
	*table = (struct vendor_table){ .title = "", .version = "", .date = "", .source = "" };
	table->shape = table->cpus = table->pmu = "";
	table->name = arena_strdup(&table->arena, name);
}

void vendor_table_fini(struct vendor_table *table)
{
	vec_free(&table->events);
	vec_free(&table->standard);
	arena_free(&table->arena);
}

typedef int read_function(struct vendor_table *table, struct json_object *row, struct err *err);

static int read_rows(struct vendor_table *table, struct json_object *rows, read_function *read,
		     const char *file, struct err *err)
{
	int count = 0;

	if (!json_object_is_type(rows, json_type_array))
		return err_set(err, EBADMSG, "%s: its events are not a list", file);
	for (size_t i = 0; i < json_object_array_length(rows); i++) {
		struct json_object *row = json_object_array_get_idx(rows, i);
		int rc = json_object_is_type(row, json_type_object)
				 ? read(table, row, err)
				 : err_set(err, EBADMSG, "it is not an object");

		if (rc < 0)
			return err_prefix(err, "%s: event %zu", file, i + 1);
		count += rc;
	}
	return count;
}

static void read_intel_header(struct vendor_table *table, struct json_object *root)
{
	struct json_object *header;

	if (!json_object_object_get_ex(root, "Header", &header) ||
	    !json_object_is_type(header, json_type_object))
		return;
	table->title = vendor_one_line(table, jsonread_text(header, "Info", ""));
	table->version = vendor_one_line(table, jsonread_text(header, "Version", ""));
	table->date = vendor_one_line(table, jsonread_text(header, "DatePublished", ""));
}

/* "0x41d0c" is implementer and part; a CPU's own id has them in these places of its MIDR. */
static void read_arm_header(struct vendor_table *table, struct json_object *root)
{
	const char *id = jsonread_text(root, "cpuid", "");
	uint64_t number;

	table->title = vendor_one_line(table, jsonread_text(root, "cpu", ""));
	table->date = vendor_one_line(table, jsonread_text(root, "timestamp", ""));
	if (!source_number(id, strlen(id), 0, &number) && number >> 20 == 0)
		table->cpus = arena_printf(&table->arena, "0x%016llx",
					   (unsigned long long)((number >> 12) << 24 | 0xf0000 |
								(number & 0xfff) << 4));
}

static int read_tree(struct vendor_table *table, struct json_object *root, const char *file,
		     struct err *err)
{
	struct json_object *rows;

	if (json_object_is_type(root, json_type_array)) {
		table->shape = "perf";
		return read_rows(table, root, vendor_row_read, file, err);
	}
	if (!json_object_is_type(root, json_type_object))
		return 0;
	if (json_object_object_get_ex(root, "Events", &rows)) {
		table->shape = "intel";
		read_intel_header(table, root);
		return read_rows(table, rows, vendor_row_read, file, err);
	}
	if (!strcmp(jsonread_text(root, "_type", ""), "Events") &&
	    json_object_object_get_ex(root, "events", &rows)) {
		table->shape = "arm";
		read_arm_header(table, root);
		return read_rows(table, rows, vendor_row_read_arm, file, err);
	}
	return 0;
}

int vendor_json_read(struct vendor_table *table, const char *text, size_t size, const char *file,
		     struct err *err)
{
	struct json_object *root = jsonread(text, size, file, err);
	int rc;

	if (!root)
		return err && err->code ? -err->code : -EBADMSG;
	rc = read_tree(table, root, file, err);
	json_object_put(root);
	return rc;
}
