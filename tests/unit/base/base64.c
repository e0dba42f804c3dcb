// SPDX-License-Identifier: Apache-2.0
#include "base/base64.h"
#include "base/outbuf.h"
#include "test.h"

#include <stdlib.h>

TEST(base64_of_every_length)
{
	static const struct {
		const char *bytes;
		size_t size;
		const char *text;
	} cases[] = {
		/* RFC 4648, section 10 */
		{ "", 0, "" },
		{ "f", 1, "Zg==" },
		{ "fo", 2, "Zm8=" },
		{ "foo", 3, "Zm9v" },
		{ "foobar", 6, "Zm9vYmFy" },
		{ "\xff\xfe\0\xfb", 4, "//4A+w==" },
	};
	struct outbuf out;

	outbuf_init(&out, -1);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		test_case("%zu bytes", cases[i].size);
		base64_write(&out, cases[i].bytes, cases[i].size);
		out_char(&out, '\0');
		EXPECT_TEXT(out.data, cases[i].text);
		out.at = out.data;
	}
	outbuf_fini(&out);
}
