// SPDX-License-Identifier: Apache-2.0
#include "render/overview_json.h"
#include "base/json.h"

static void put_finding(struct json *json, const struct finding *finding)
{
	json_open(json, NULL, '{');
	json_text(json, "rule", finding->rule);
	json_text(json, "text", finding->text);
	if (*finding->remedy)
		json_text(json, "remedy", finding->remedy);
	json_text(json, "tab", finding->tab);
	if (finding->function) {
		json_text(json, "function", finding->function->name);
		json_text(json, "object", finding->function->object);
	}
	json_open(json, "evidence", '[');
	for (size_t i = 0; i < finding->evidence_count; i++) {
		const struct evidence *evidence = &finding->evidence[i];

		json_open(json, NULL, '{');
		json_text(json, "name", evidence->name);
		json_text(json, "text", evidence->text);
		json_double(json, "value", evidence->value);
		json_text(json, "unit", evidence->unit);
		json_close(json);
	}
	json_close(json);
	json_close(json);
}

void overview_show(const struct overview *overview, const struct budget *budget,
		   const char *missing, struct json *json)
{
	json_text(json, "sentence", overview->findings[0].text);
	json_flag(json, "sure", overview->sure);
	budget_show(budget, json, "budget");
	json_text(json, "budget_missing", missing);
	json_open(json, "findings", '[');
	for (size_t i = 0; i < overview->count; i++)
		put_finding(json, &overview->findings[i]);
	json_close(json);
}
