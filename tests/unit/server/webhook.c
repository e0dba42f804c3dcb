// SPDX-License-Identifier: Apache-2.0
#include "server/webhook.h"
#include "server/app.h"
#include "test.h"

#include <errno.h>

TEST(webhook_is_allowed_by_its_beginning)
{
	static const struct {
		const char *url;
		int rc;
	} cases[] = {
		{ "", 0 },
		{ "http://127.0.0.1:9000/ci", 0 },
		{ "http://127.0.0.1:9000/ci/done", 0 },
		{ "http://127.0.0.1:9000/ci?x=1", 0 },
		{ "http://[::1]:80/", 0 },
		{ "http://[::1]:80/a", 0 },
		{ "http://127.0.0.1:9000/cinema", -EACCES },
		{ "http://127.0.0.1:9000/ci/../admin", -EINVAL },
		{ "http://127.0.0.1:9000/ci/%2E%2e/admin", -EINVAL },
		{ "http://127.0.0.1:9000/ci/..", -EINVAL },
		{ "http://127.0.0.1:9000/", -EACCES },
		{ "http://127.0.0.1:90001/ci", -EINVAL },
		{ "http://127.0.0.1:9000@evil/ci", -EINVAL },
		{ "http://evil/http://127.0.0.1:9000/ci", -EINVAL },
		{ "http://127.0.0.1:9000/ci\r\nX: y", -EINVAL },
		{ "https://127.0.0.1:9000/ci", -EINVAL },
		{ "HTTP://127.0.0.1:9000/ci", -EINVAL },
		{ "http://", -EINVAL },
		{ "http:/", -EINVAL },
		{ "%00", -EINVAL },
		{ "h", -EINVAL },
	};
	const char *allowed[] = { "http://127.0.0.1:9000/ci", "http://[::1]:80/" };
	struct app app = { .policy.webhooks = { allowed, ARRAY_SIZE(allowed),
						ARRAY_SIZE(allowed) } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *url = mem_strdup(cases[i].url); /* of its own size, for the sanitizer */
		struct err err = { 0 };

		test_case("%s", cases[i].url);
		EXPECT_INT(webhook_check(&app, url, &err), cases[i].rc);
		free(url);
	}
}
