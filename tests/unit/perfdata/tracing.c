// SPDX-License-Identifier: Apache-2.0
#include "perfdata/tracing.h"
#include "perfdata/maker.h"
#include "perfdata/reader.h"
#include "test.h"

#define FIELD(words, at, width, sign) \
	"\tfield:" words ";\toffset:" #at ";\tsize:" #width ";\tsigned:" #sign ";\n"

static const char format[] = "name: thing\nID: 77\nformat:\n" FIELD(
	"unsigned short common_type", 0, 2, 0) "\n" FIELD("unsigned char byte", 2, 1, 0)
	FIELD("char small", 3, 1, 1) FIELD("int word", 4, 4, 1) FIELD("unsigned int count", 8, 4, 0)
		FIELD("long result", 16, 8, 1) FIELD("char comm[8]", 24, 8, 0) FIELD(
			"__data_loc char[] far", 32, 4, 0) FIELD("__rel_loc char[] near", 36, 4, 0)
			FIELD("unsigned long args[2]", 40, 16, 0) "\nprint fmt: \"x\"\n";

struct scene {
	struct maker maker;
	struct perf_reader *reader;
	struct tracing *tracing;
	struct maker raw;
};

static void make_raw(struct maker *raw)
{
	make_u16(raw, 77);
	make_bytes(raw, "\xfe\xfe", 2);
	make_u32(raw, (uint32_t)-5);
	make_u32(raw, 0xfffffffe);
	make_u32(raw, 0);
	make_u64(raw, (uint64_t)-110);
	make_bytes(raw, "eightlet", 8); /* fills its room: no NUL */
	make_u32(raw, 56 | 4 << 16);
	make_u32(raw, 20 | 5 << 16);
	make_u64(raw, 0);
	make_u64(raw, 0);
	make_bytes(raw, "far\0near\0\0\0\0", 12);
}

static void start(struct scene *scene, bool big)
{
	const char *const formats[] = { format };
	const struct made_attr attr = { .type = PERF_TYPE_TRACEPOINT, .config = 77 };
	struct err err = { 0 };

	*scene = (struct scene){ .maker = { .big = big }, .raw = { .big = big } };
	make_start(&scene->maker, &attr, 1);
	make_formats(&scene->maker, "made", formats, 1);
	make_finish(&scene->maker);
	scene->reader = perf_reader_open_mem(scene->maker.out.data, scene->maker.out.len, &err);
	EXPECT(scene->reader);
	scene->tracing = tracing_new(scene->reader);
	EXPECT(scene->tracing);
	make_raw(&scene->raw);
}

static void end(struct scene *scene)
{
	tracing_free(scene->tracing);
	perf_reader_close(scene->reader);
	make_free(&scene->maker);
	make_free(&scene->raw);
}

TEST(tracing_knows_events)
{
	struct scene scene;
	char name[32];

	start(&scene, false);
	EXPECT(tracing_event(scene.tracing, 77, name, sizeof(name)));
	EXPECT_TEXT(name, "made:thing");
	EXPECT(!tracing_event(scene.tracing, 78, name, sizeof(name)));
	EXPECT(!tracing_event(NULL, 77, name, sizeof(name)));
	end(&scene);
}

TEST(tracing_numbers_in_either_byte_order)
{
	static const struct {
		const char *name;
		int64_t value;
		size_t end;
	} cases[] = {
		{ "byte", 254, 3 },	     { "small", -2, 4 },     { "word", -5, 8 },
		{ "count", 0xfffffffe, 12 }, { "result", -110, 24 }, { "common_type", 77, 2 },
	};

	for (size_t i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		size_t at = i / 2;
		struct tracing_field field;
		struct scene scene;
		int64_t value;

		test_case("%s, %s", cases[at].name, i % 2 ? "big" : "little");
		start(&scene, i % 2);
		EXPECT(tracing_field(scene.tracing, 77, cases[at].name, &field));
		EXPECT(tracing_number(&field, scene.raw.out.data, scene.raw.out.len, &value));
		EXPECT_INT(value, cases[at].value);
		EXPECT(tracing_number(&field, scene.raw.out.data, cases[at].end, &value));
		EXPECT(!tracing_number(&field, scene.raw.out.data, cases[at].end - 1, &value));
		end(&scene);
	}
}

TEST(tracing_texts)
{
	static const struct {
		const char *name, *text;
		size_t end;
	} cases[] = {
		{ "comm", "eightlet", 32 },
		{ "far", "far", 60 },
		{ "near", "near", 65 },
	};

	for (size_t i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		size_t at = i / 2;
		struct tracing_field field;
		struct scene scene;
		char text[16];
		int64_t value;

		test_case("%s, %s", cases[at].name, i % 2 ? "big" : "little");
		start(&scene, i % 2);
		EXPECT(tracing_field(scene.tracing, 77, cases[at].name, &field));
		EXPECT(field.is_text);
		EXPECT(!tracing_number(&field, scene.raw.out.data, scene.raw.out.len, &value));
		tracing_text(&field, scene.raw.out.data, cases[at].end, text, sizeof(text));
		EXPECT_TEXT(text, cases[at].text);
		tracing_text(&field, scene.raw.out.data, cases[at].end, text, 3);
		EXPECT_INT(strlen(text), 2);
		for (size_t size = 0; size < cases[at].end; size++) {
			tracing_text(&field, scene.raw.out.data, size, text, sizeof(text));
			EXPECT_TEXT(text, "");
		}
		end(&scene);
	}
}

TEST(tracing_refuses_other_fields)
{
	struct tracing_field field;
	struct scene scene;

	start(&scene, false);
	EXPECT(!tracing_field(scene.tracing, 77, "args", &field));
	EXPECT(!tracing_field(scene.tracing, 77, "nothing", &field));
	EXPECT(!tracing_field(scene.tracing, 78, "word", &field));
	EXPECT(!tracing_field(NULL, 77, "word", &field));
	end(&scene);
}
