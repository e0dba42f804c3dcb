// SPDX-License-Identifier: Apache-2.0
#include "jobs/private.h"
#include "base/buf.h"
#include "base/vec.h"
#include "test.h"

/* What a command line names below /tmp and its like. */
TEST(private_scan_finds_paths)
{
	static const struct {
		const char *text, *paths;
	} cases[] = {
		{ "/tmp/x/prog", "/tmp/x/prog" },
		{ "/tmp", "" },
		{ "/tmp/", "" },
		{ "/srv/tmp/x", "" },
		{ "/tmpfile/x", "" },
		{ "tmp/x", "" },
		{ "cd /tmp/x && ./a >/var/tmp/out", "/tmp/x /var/tmp/out" },
		{ "--out=/tmp/a/b", "/tmp/a/b" },
		{ "PATH=/bin:/tmp/b:/usr/bin", "/tmp/b" },
		{ "cat '/tmp/c' \"/dev/shm/d\"", "/tmp/c /dev/shm/d" },
		{ "/tmp/a;/tmp/b", "/tmp/a /tmp/b" },
		{ "", "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strlist found = { 0 };
		struct buf all = { 0 };

		test_case("%s", cases[i].text);
		private_scan(cases[i].text, &found);
		vec_each (path, &found)
			buf_printf(&all, "%s%s", all.len ? " " : "", *path);
		EXPECT_TEXT(buf_text(&all), cases[i].paths);
		buf_free(&all);
		strlist_free(&found);
	}
}
