// SPDX-License-Identifier: Apache-2.0
#include "render/panel_json.h"
#include "base/json.h"

static void put_fault(const char *key, enum panel_reason reason, const struct profile *profile,
		      const struct profile_object *object, const struct remedy_facts *facts,
		      struct json *json)
{
	char *remedy = remedy_for(reason, profile, object, facts);

	json_open(json, key, '{');
	json_text(json, "reason", panel_reason(reason)->id);
	json_text(json, "text", panel_reason(reason)->text);
	json_text(json, "remedy", remedy);
	json_close(json);
	free(remedy);
}

void panel_row_json(const struct panel_row *row, const struct profile *profile,
		    const struct remedy_facts *facts, struct json *json)
{
	const struct profile_object *object = &profile->objects.data[row->object];

	json_open(json, NULL, '{');
	json_text(json, "path", profile_text(profile, object->path));
	json_u64(json, "samples", row->self.samples);
	json_u64(json, "unnamed", row->unnamed.samples);
	json_u64(json, "through", row->through.samples);
	json_u64(json, "lost", row->lost.samples);
	json_u64(json, "skipped", row->skipped.samples);
	json_u64(json, "unclear", row->unclear.samples);
	put_fault("names", row->names, profile, object, facts, json);
	put_fault("stacks", row->stacks, profile, object, facts, json);
	json_close(json);
}

void trust_faults_json(const struct profile *profile, const struct trust *trust, struct json *json)
{
	static const char *const parts[] = {
		[TRUST_RECORDING] = "recording", [TRUST_STACKS] = "stacks", [TRUST_NAMES] = "names"
	};

	json_open(json, "faults", '[');
	for (size_t i = 0; i < trust->fault_count; i++) {
		const struct trust_fault *fault = &trust->faults[i];
		const struct reason *reason = panel_reason(fault->reason);

		json_open(json, NULL, '{');
		json_text(json, "reason", reason->id);
		json_text(json, "part", parts[fault->part]);
		json_text(json, "text", fault->text);
		json_double(json, "percent", fault->share * 100);
		json_text(
			json, "object",
			fault->object == NO_OBJECT_ID
				? NULL
				: profile_text(profile, profile->objects.data[fault->object].path));
		json_text(json, "see", reason->see);
		json_text(json, "remedy", *fault->remedy ? fault->remedy : NULL);
		json_close(json);
	}
	json_close(json);
}
