// SPDX-License-Identifier: Apache-2.0
/* Tags, and the log of who did what. */
#include "store/people.h"
#include "base/json.h"
#include "server/resource.h"

static int get_tags(struct request *request, struct err *err)
{
	struct wordlist tags = { 0 };
	struct json *json;
	int rc = store_tags(request->store, &request->arena, &tags, err);

	if (rc)
		return rc;
	json = reply_json(request);
	json_open(json, NULL, '{');
	write_words(json, "items", &tags);
	json_close(json);
	return 0;
}

static void write_line(struct json *json, const struct audit *line)
{
	json_open(json, NULL, '{');
	json_int(json, "id", line->id);
	write_time(json, "time_ns", line->time_ns);
	json_text(json, "person", line->person);
	json_text(json, "action", line->action);
	json_text(json, "detail", line->detail);
	json_close(json);
}

/* The owner sees all of it, others what they did. */
static int get_audit(struct request *request, struct err *err)
{
	struct audits lines = { 0 };
	struct page page;
	struct json *json;
	size_t limit;
	int rc = read_page(request, &page, &limit, err);

	if (!rc)
		rc = store_audit_list(request->store, &page,
				      request->user->role == ROLE_OWNER ? 0 : request->user->id,
				      &request->arena, &lines, err);
	if (!rc) {
		json = reply_json(request);
		json_open(json, NULL, '{');
		json_open(json, "items", '[');
		for (size_t i = 0; i < lines.len && i < limit; i++)
			write_line(json, &lines.data[i]);
		end_page(json, lines.len, limit, lines.len > limit ? lines.data[limit - 1].id : 0);
	}
	vec_free(&lines);
	return rc;
}

const struct route people_routes[] = {
	{ "GET", "/api/v1/tags", RIGHT_LOOK, get_tags },
	{ "GET", "/api/v1/audit", RIGHT_MEASURE, get_audit },
	{ 0 },
};
