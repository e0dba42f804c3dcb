// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"
#include "base/jsonread.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

/* A writer into memory: out_end gives what was written, to be freed. */
struct out {
	struct json json;
	FILE *file;
	char *text;
	size_t size;
};

static void out_start(struct out *out)
{
	out->file = open_memstream(&out->text, &out->size);
	EXPECT(out->file != NULL);
	out->json = json_to(out->file);
}

static char *out_end(struct out *out)
{
	fclose(out->file);
	return out->text;
}

static void write_sample(struct json *json)
{
	json_open(json, NULL, '{');
	json_text(json, "name", "cycles");
	json_open(json, "cpus", '[');
	json_u64(json, NULL, 0);
	json_int(json, NULL, -1);
	json_close(json);
	json_open(json, "empty", '{');
	json_close(json);
	json_open(json, "none", '[');
	json_close(json);
	json_flag(json, "open", true);
	json_flag(json, "shut", false);
	json_text(json, "why", NULL);
	json_u64_text(json, "large", UINT64_MAX);
	json_hex(json, "config", 0x3c);
	json_close(json);
}

TEST(json_writes_on_one_line)
{
	struct out out;
	char *text;

	out_start(&out);
	write_sample(&out.json);
	text = out_end(&out);
	EXPECT_TEXT(text, "{\"name\":\"cycles\",\"cpus\":[0,-1],\"empty\":{},\"none\":[],"
			  "\"open\":true,\"shut\":false,\"why\":null,"
			  "\"large\":\"18446744073709551615\",\"config\":\"0x3c\"}\n");
	free(text);
}

TEST(json_writes_indented)
{
	struct out out;
	char *text;

	out_start(&out);
	out.json.pretty = true;
	write_sample(&out.json);
	text = out_end(&out);
	EXPECT_TEXT(text, "{\n"
			  "  \"name\": \"cycles\",\n"
			  "  \"cpus\": [\n"
			  "    0,\n"
			  "    -1\n"
			  "  ],\n"
			  "  \"empty\": {},\n"
			  "  \"none\": [],\n"
			  "  \"open\": true,\n"
			  "  \"shut\": false,\n"
			  "  \"why\": null,\n"
			  "  \"large\": \"18446744073709551615\",\n"
			  "  \"config\": \"0x3c\"\n"
			  "}\n");
	free(text);
}

TEST(json_escapes_text)
{
	static const struct {
		const char *text, *quoted;
	} cases[] = {
		{ "", "\"\"" },
		{ "plain", "\"plain\"" },
		{ "a\"b\\c/d", "\"a\\\"b\\\\c/d\"" },
		{ "tab\tline\nbell\a\x7f", "\"tab\\tline\\nbell\\u0007\\u007f\"" },
		{ "\xc3\xa9\xe2\x82\xac\xf0\x9f\x94\xa5",
		  "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x94\xa5\"" },
		{ "\xff", "\"\\ufffd\"" },
		{ "a\x80z", "\"a\\ufffdz\"" },
		{ "\xc3", "\"\\ufffd\"" },				    /* cut */
		{ "\xc3(", "\"\\ufffd(\"" },				    /* no second byte */
		{ "\xc0\xaf", "\"\\ufffd\\ufffd\"" },			    /* overlong */
		{ "\xe0\x80\xaf", "\"\\ufffd\\ufffd\\ufffd\"" },	    /* overlong */
		{ "\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"" },	    /* surrogate */
		{ "\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"" }, /* past the last one */
		{ "\xf5\x80", "\"\\ufffd\\ufffd\"" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct out out;
		char *text;

		test_case("%s", cases[i].quoted);
		out_start(&out);
		json_quote(out.file, cases[i].text);
		text = out_end(&out);
		EXPECT_TEXT(text, cases[i].quoted);
		free(text);
	}
}

TEST(json_doubles_come_back_as_they_were)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {
		{ 0, "0" },
		{ 1.5, "1.5" },
		{ 0.1, "0.1" },
		{ 1700000000.125, "1700000000.125" },
		{ 1e300, "1e+300" },
		{ -2.5e-7, "-2.5e-07" },
		{ 0.1 + 0.2, "0.30000000000000004" },
		{ 123456789012345680.0, "1.2345678901234568e+17" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct out out;
		char *text;

		test_case("%s", cases[i].text);
		out_start(&out);
		json_double(&out.json, NULL, cases[i].value);
		text = out_end(&out);
		EXPECT_TEXT(text, cases[i].text);
		EXPECT(strtod(text, NULL) == cases[i].value);
		free(text);
	}
}

TEST(json_has_no_word_for_what_is_not_finite)
{
	const double values[] = { NAN, INFINITY, -INFINITY };

	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		struct out out;
		char *text;

		out_start(&out);
		json_double(&out.json, NULL, values[i]);
		text = out_end(&out);
		EXPECT_TEXT(text, "null");
		free(text);
	}
}

TEST(json_nests_to_its_limit_and_reads_back)
{
	struct json_object *root, *at;
	struct out out;
	char *text;

	out_start(&out);
	for (int i = 0; i < JSON_DEPTH; i++)
		json_open(&out.json, i ? "in" : NULL, '{');
	json_text(&out.json, "deep", "yes");
	for (int i = 0; i < JSON_DEPTH; i++)
		json_close(&out.json);
	text = out_end(&out);
	root = at = jsonread(text, out.size, "written", NULL);
	EXPECT(root != NULL);
	for (int i = 1; i < JSON_DEPTH; i++)
		EXPECT(json_object_object_get_ex(at, "in", &at));
	EXPECT_TEXT(jsonread_text(at, "deep", NULL), "yes");
	json_object_put(root);
	free(text);
}
