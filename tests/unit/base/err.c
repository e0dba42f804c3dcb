// SPDX-License-Identifier: Apache-2.0
#include "base/err.h"
#include "test.h"

#include <errno.h>
#include <stdlib.h>

TEST(err_set_carries_code_and_words)
{
	struct err err = { 0 };

	EXPECT_INT(err_set(&err, ENOENT, "%s: %d", "file", 7), -ENOENT);
	EXPECT_INT(err.code, ENOENT);
	EXPECT_TEXT(err.text, "file: 7");
	EXPECT_INT(err_set(NULL, EPERM, "nobody listens"), -EPERM);
}

TEST(err_prefix_puts_words_in_front)
{
	struct err err = { 0 };

	err_set(&err, EINVAL, "not a number");
	EXPECT_INT(err_prefix(&err, "--%s", "repeat"), -EINVAL);
	EXPECT_TEXT(err.text, "--repeat: not a number");
	EXPECT_INT(err_prefix(NULL, "x"), 0);
}

TEST(err_may_quote_its_own_text)
{
	struct err err = { 0 };

	err_set(&err, EIO, "inner");
	err_set(&err, EIO, "outer (%s, %s)", err.text, err.text);
	EXPECT_TEXT(err.text, "outer (inner, inner)");
}

TEST(err_cuts_what_does_not_fit)
{
	struct err err = { 0 };
	char *longer = mem_printf("%*s", (int)sizeof(err.text) * 2, "end");

	err_set(&err, E2BIG, "start %s", longer);
	EXPECT_INT(strlen(err.text), sizeof(err.text) - 1);
	EXPECT_INT(err_prefix(&err, "%s", longer), -E2BIG);
	EXPECT_INT(strlen(err.text), sizeof(err.text) - 1);
	free(longer);
}
