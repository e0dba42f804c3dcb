// SPDX-License-Identifier: Apache-2.0
#include "render/summary.h"
#include "base/json.h"
#include "base/outbuf.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const struct summary_column columns[] = {
	{ "comm", "comm", CELL_TEXT },	  { "pid", "pid", CELL_ID },
	{ "calls", "calls", CELL_COUNT }, { "max_ns", "max us", CELL_SPAN },
	{ "at_ns", "at", CELL_TIME },	  { "lock", "lock", CELL_HEX },
	{ "busy", "busy", CELL_SHARE },	  { "end", "end", CELL_TEXT },
};

static void put_row(struct summary_result *result, struct summary_table *table, const char *comm,
		    uint64_t number)
{
	summary_put_text(result, table, comm);
	for (size_t i = 1; i + 1 < ARRAY_SIZE(columns); i++)
		summary_put(table, number);
	summary_put_text(result, table, "x");
}

static void make(struct summary_result *result)
{
	struct summary_table *table = summary_result_table(result, "rows", "Rows", columns);

	put_row(result, table, "ab\n\x1b[1m", 1234567);
	put_row(result, table, "b", SUMMARY_NONE);
	summary_result_table(result, "more", "More rows", columns);
	summary_note(result, "%d were lost", 7);
	result->samples = 3;
	result->lost = 7;
}

static char *text_of(const struct summary_result *result)
{
	char *text = mem_alloc(4096);
	struct outbuf out;
	int pipes[2];

	EXPECT_INT(pipe(pipes), 0);
	outbuf_init(&out, pipes[1]);
	summary_text(result, &out);
	EXPECT_INT(outbuf_fini(&out), 0);
	close(pipes[1]);
	EXPECT(read(pipes[0], text, 4095) > 0);
	close(pipes[0]);
	return text;
}

TEST(summary_as_tables)
{
	struct summary_result result = { 0 };
	char *text;

	make(&result);
	text = text_of(&result);
	EXPECT_TEXT(text,
		    "Rows\n\n"
		    "comm         pid      calls     max us        at      lock      busy  end\n"
		    "ab??[1m  1234567  1,234,567  1,234.567  0.001234  0x12d687  123.46 %  x\n"
		    "b              -          -          -         -         -         -  x\n"
		    "\nMore rows: none\n\nNote: 7 were lost.\n");
	free(text);
	summary_result_free(&result);
}

TEST(summary_as_json)
{
	struct summary_result result = { 0 };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct json json = json_to(out);

	make(&result);
	summary_json(&result, "made", &json);
	fclose(out);
	EXPECT_TEXT(text,
		    "{\"summary\":\"made\",\"rows\":[{\"comm\":\"ab\\n\\u001b[1m\",\"pid\":1234567,"
		    "\"calls\":1234567,\"max_ns\":1234567,\"at_ns\":1234567,\"lock\":\"0x12d687\","
		    "\"busy\":1.234567,\"end\":\"x\"},{\"comm\":\"b\",\"pid\":null,\"calls\":null,"
		    "\"max_ns\":null,\"at_ns\":null,\"lock\":null,\"busy\":null,\"end\":\"x\"}],"
		    "\"more\":[],\"samples\":3,\"lost\":7,\"notes\":[\"7 were lost\"]}\n");
	free(text);
	summary_result_free(&result);
}
