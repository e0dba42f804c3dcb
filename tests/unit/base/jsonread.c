// SPDX-License-Identifier: Apache-2.0
#include "base/jsonread.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

TEST(jsonread_keeps_64_bits)
{
	static const char text[] = "{\"a\": 9223372036854775807, \"b\": 18446744073709551615}";
	struct json_object *root = jsonread(text, sizeof(text) - 1, "text", NULL), *member;

	EXPECT(root != NULL);
	EXPECT(json_object_object_get_ex(root, "a", &member));
	EXPECT_INT(json_object_get_int64(member), INT64_MAX);
	EXPECT(json_object_object_get_ex(root, "b", &member));
	EXPECT(json_object_get_uint64(member) == UINT64_MAX);
	json_object_put(root);
}

TEST(jsonread_takes_one_whole_document)
{
	static const struct {
		const char *text;
		bool good;
	} cases[] = {
		{ "{}", true },		{ "[]\n\n", true },	 { " [1, 2]", true },
		{ "12", true },		{ "\"text\"", true },	 { "true", true },
		{ "{} {}", false },	{ "[1] x", false },	 { "[1],", false },
		{ "12 13", false },	{ "{\"a\":1}}", false }, { "", false },
		{ " ", false },		{ "null", false },	 { "nul", false },
		{ "[1,]", false },	{ "[1", false },	 { "\"open", false },
		{ "{\"a\" 1}", false }, { "{a: 1}", false },	 { "'single'", false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err err = { 0 };
		struct json_object *root;

		test_case("%s", cases[i].text);
		root = jsonread(cases[i].text, strlen(cases[i].text), "text", &err);
		EXPECT_BOOL(root != NULL, cases[i].good);
		EXPECT_INT(err.code, cases[i].good ? 0 : EBADMSG);
		json_object_put(root);
	}
}

TEST(jsonread_refuses_bytes_after_the_end)
{
	EXPECT(jsonread("{}\0{}", 5, "text", NULL) == NULL);
	EXPECT(jsonread("[1]\0", 4, "text", NULL) == NULL);
}

TEST(jsonread_names_the_place)
{
	static const struct {
		const char *text, *said;
	} cases[] = {
		{ "{\n\"a\": 1,\n\"b\": x\n}", "events.json:3: not valid JSON: " },
		{ "[\n1\n", "events.json:3: not valid JSON: it ends too early" },
		{ "{}\n\n[]", "events.json:3: not valid JSON: " },
		{ "null", "events.json:1: not valid JSON: it holds nothing but null" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err err = { 0 };

		test_case("%s", cases[i].text);
		EXPECT(jsonread(cases[i].text, strlen(cases[i].text), "events.json", &err) == NULL);
		EXPECT_CONTAINS(err.text, cases[i].said);
	}
}

TEST(jsonread_limits_the_depth)
{
	char text[2000];
	struct err err = { 0 };

	memset(text, '[', 1000);
	memset(text + 1000, ']', 1000);
	EXPECT(jsonread(text, sizeof(text), "deep", &err) == NULL);
	EXPECT_CONTAINS(err.text, "deep:1: not valid JSON: nesting too deep");
	EXPECT(jsonread(text, (size_t)INT32_MAX + 1, "large", &err) == NULL);
	EXPECT_TEXT(err.text, "large: too large for a JSON file");
}

TEST(jsonread_text_of_members)
{
	static const char text[] = "{\"name\": \"x\", \"number\": 7, \"nothing\": null}";
	struct json_object *root = jsonread(text, sizeof(text) - 1, "text", NULL);

	EXPECT(root != NULL);
	EXPECT_TEXT(jsonread_text(root, "name", "?"), "x");
	EXPECT_TEXT(jsonread_text(root, "number", "?"), "7");
	EXPECT_TEXT(jsonread_text(root, "nothing", "?"), "?");
	EXPECT_TEXT(jsonread_text(root, "absent", "?"), "?");
	EXPECT_TEXT(jsonread_text(NULL, "absent", "?"), "?");
	json_object_put(root);
	root = jsonread("[1]", 3, "text", NULL);
	EXPECT_TEXT(jsonread_text(root, "name", NULL), NULL);
	json_object_put(root);
}

TEST(jsonread_reads_files)
{
	char path[] = "/tmp/perfolio-test-XXXXXX";
	struct json_object *root;
	struct err err = { 0 };
	int fd = mkstemp(path);

	EXPECT(fd >= 0);
	EXPECT_INT(write(fd, "{\"a\":\"b\"}", 9), 9);
	close(fd);
	root = jsonread_file(path, &err);
	EXPECT_TEXT(jsonread_text(root, "a", NULL), "b");
	json_object_put(root);
	unlink(path);
	EXPECT(jsonread_file(path, &err) == NULL);
	EXPECT_INT(err.code, ENOENT);
	EXPECT_CONTAINS(err.text, path);
}
