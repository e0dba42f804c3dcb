// SPDX-License-Identifier: Apache-2.0
/* `perfolio list --json` */
#include "base/json.h"
#include "cmd/listing.h"

#include <string.h>

static const char *kind_word(enum event_kind kind)
{
	for (size_t i = 0; listing_kinds[i].heading; i++)
		if (listing_kinds[i].kind == kind)
			return listing_kinds[i].words[0];
	return "";
}

static void write_fields(struct json *json, const char *fields)
{
	json_open(json, "fields", '[');
	while (*fields) {
		size_t length = strcspn(fields, " ");
		char *name = mem_strndup(fields, length);

		json_text(json, NULL, name);
		free(name);
		fields += length + strspn(fields + length, " ");
	}
	json_close(json);
}

static void write_state(const struct listing *listing, struct json *json, const struct row *row)
{
	char why[600];

	if (row->state == ROW_UNTESTED)
		return;
	json_flag(json, "openable", row->state == 0);
	if (row->state == 0 && row->whole_state < 0)
		json_flag(json, "user_only", true);
	if (row->whole_state < 0) {
		json_text(json, "errno", strerrorname_np(-row->whole_state));
		json_text(json, "why", listing_why(listing, row, why, sizeof(why)));
	}
}

static void write_row(const struct listing *listing, struct json *json, const struct row *row)
{
	const struct catalog_entry *entry = &row->entry;

	json_open(json, NULL, '{');
	json_text(json, "name", entry->name);
	if (entry->alias)
		json_text(json, "alias", entry->alias);
	json_text(json, "kind", kind_word(entry->kind));
	if (entry->family)
		json_text(json, "family", entry->family);
	if (*entry->brief)
		json_text(json, "description", entry->brief);
	if (entry->detail && listing->verbose)
		json_text(json, "detail", entry->detail);
	if (entry->deprecated)
		json_flag(json, "deprecated", true);
	if (row->fields)
		write_fields(json, row->fields);
	write_state(listing, json, row);
	if (entry->encoding)
		json_text(json, "encoding", entry->encoding);
	if (listing->verbose && row->has_event) {
		json_u64(json, "type", row->attr.base.type);
		json_hex(json, "config", row->attr.base.config);
		json_hex(json, "config1", row->attr.base.config1);
		json_hex(json, "config2", row->attr.base.config2);
	}
	json_close(json);
}

void listing_print_json(const struct listing *listing, FILE *out)
{
	struct json json = json_to(out);

	json_open(&json, NULL, '{');
	if (listing->cpu)
		json_text(&json, "cpu", listing->cpu);
	json_open(&json, "events", '[');
	vec_each (row, &listing->rows)
		write_row(listing, &json, row);
	json_close(&json);
	if (listing->no_tracepoints.code)
		json_text(&json, "no_tracepoints", listing->no_tracepoints.text);
	json_close(&json);
	putc('\n', out);
}
