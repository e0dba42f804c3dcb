// SPDX-License-Identifier: Apache-2.0
/* Paths and fields of requests. */
#include "base/arena.h"
#include "fuzz.h"
#include "server/app.h"
#include "server/field.h"
#include "server/routes.h"
#include "server/webhook.h"

static void check_webhook(const char *text)
{
	const char *allowed[] = { "http://127.0.0.1:9000/ci" };
	struct app app = { .policy.webhooks = { allowed, 1, 1 } };
	struct err err = { 0 };

	if (webhook_check(&app, text, &err))
		FUZZ_HOLDS(*err.text);
	else
		FUZZ_HOLDS(!*text || !strncmp(text, allowed[0], strlen(allowed[0])));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const methods[] = { "GET", "POST", "DELETE" };
	uint64_t first, length, whole = size * 7;
	char *text = fuzz_text(data, size);
	struct arena arena = { 0 };
	struct route_match match;
	char cookie[44];

	for (size_t i = 0; i < ARRAY_SIZE(methods); i++) {
		route_find(methods[i], text, &arena, &match);
		FUZZ_HOLDS(!match.route || match.ids[0] >= 0);
	}
	if (field_cookie(text, "perfolio-7700", cookie, sizeof(cookie)))
		FUZZ_HOLDS(strlen(cookie) < sizeof(cookie));
	field_takes_gzip(text);
	field_has_etag(text, "\"1-2-3\"");
	if (field_range(text, whole, &first, &length) > 0)
		FUZZ_HOLDS(length && first < whole && length <= whole - first);
	check_webhook(text);
	arena_free(&arena);
	free(text);
	return 0;
}
