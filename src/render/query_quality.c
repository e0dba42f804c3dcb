// SPDX-License-Identifier: Apache-2.0
#include "import/import.h"
#include "profile/trust.h"
#include "render/panel_json.h"
#include "render/query_inside.h"
#include "render/report.h"

static void put_imported(const struct import_result *imported, struct json *json)
{
	json_open(json, "text", '{');
	json_u64(json, "lines", imported->lines);
	json_u64(json, "broken", imported->broken);
	if (imported->broken) {
		json_u64(json, "first_broken_line", imported->broken_line);
		json_text(json, "first_broken_text", imported->broken_text);
	}
	if (imported->negative)
		json_u64(json, "negative", imported->negative);
	json_close(json);
}

static size_t shown_objects(const struct query *query, const struct panel *panel)
{
	size_t shown = 0;

	while (shown < panel->rows.len && shown < query_limit(query) &&
	       !query_is_light(query, panel->rows.data[shown].self.weight, panel->all.weight))
		shown++;
	return shown;
}

void query_quality(const struct query *query, const struct import_result *imported,
		   const struct remedy_facts *facts, struct json *json)
{
	const struct profile *profile = query->profile;
	struct remedy_facts about = *facts;
	struct panel panel;
	uint16_t event = query->view.filter.event;
	struct trust trust;
	size_t shown;

	if (imported) {
		about.lines = imported->lines;
		about.bad_lines = imported->broken;
		about.negative = imported->negative;
	}
	trust_of(&trust, profile, event, &about);
	panel_make(&panel, profile, event);
	shown = shown_objects(query, &panel);
	json_open(json, NULL, '{');
	json_text(json, "query", "quality");
	report_trust_json(profile, &trust, "trust", json);
	json_flag(json, "has_stacks", panel.has_stacks);
	json_u64(json, "whole_stacks", panel.whole.samples);
	json_u64(json, "cut_stacks", panel.cut.samples);
	json_u64(json, "spliced_stacks", panel.spliced.samples);
	if (imported)
		put_imported(imported, json);
	json_open(json, "objects", '[');
	for (size_t i = 0; i < shown; i++)
		panel_row_json(&panel.rows.data[i], profile, facts, json);
	json_close(json);
	json_u64(json, "left_out", panel.rows.len - shown);
	json_close(json);
	panel_free(&panel);
}
