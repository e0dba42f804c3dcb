// SPDX-License-Identifier: Apache-2.0
#include "render/script_fields.h"
#include "perfdata/maker.h"
#include "perfdata/reader.h"
#include "test.h"

#include <errno.h>

#define BIT(field) (1ull << SCRIPT_##field)

TEST(script_fields_take_perfs_lists)
{
	static const struct {
		const char *text;
		enum script_kind kind;
		uint64_t has, has_not;
	} cases[] = {
		{ "comm,ip", KIND_HARDWARE, BIT(COMM) | BIT(IP), BIT(TIME) | BIT(SYM) },
		{ "comm,ip", KIND_TRACEPOINT, BIT(COMM) | BIT(IP), BIT(TRACE) },
		{ "+addr", KIND_HARDWARE, BIT(ADDR) | BIT(COMM) | BIT(IP), 0 },
		{ "-cpu,-time", KIND_SOFTWARE, BIT(COMM) | BIT(IP), BIT(CPU) | BIT(TIME) },
		{ "trace:comm", KIND_TRACEPOINT, BIT(COMM), BIT(TRACE) },
		{ "trace:comm", KIND_HARDWARE, BIT(IP) | BIT(SYM), 0 },
		{ "hw:+weight,-ip", KIND_HARDWARE, BIT(WEIGHT) | BIT(COMM), BIT(IP) },
		{ "trace", KIND_HARDWARE, 0, BIT(TRACE) },
		{ "bpf-output,comm", KIND_SOFTWARE, BIT(BPF_OUTPUT) | BIT(COMM), BIT(IP) },
		{ "+bpf-output", KIND_SOFTWARE, BIT(BPF_OUTPUT) | BIT(IP), 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct script_fields fields = script_fields_default();
		struct err err = { 0 };
		uint64_t chosen;

		test_case("%s", cases[i].text);
		EXPECT_INT(script_fields_parse(&fields, cases[i].text, &err), 0);
		chosen = fields.chosen[cases[i].kind];
		EXPECT_INT(chosen & cases[i].has, cases[i].has);
		EXPECT_INT(chosen & cases[i].has_not, 0);
	}
}

TEST(script_fields_refuse_nonsense)
{
	static const struct {
		const char *text, *words;
	} cases[] = {
		{ "", "no field" },
		{ "colour", "'colour'" },
		{ "gpu:comm", "'gpu'" },
		{ "comm,+ip", "not both" },
		{ "+ip,comm", "not both" },
		{ "hw:trace", "hardware events have no field 'trace'" },
		{ "comm,,-ip", "not both" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct script_fields fields = script_fields_default();
		struct err err = { 0 };

		test_case("%s", cases[i].text);
		EXPECT_INT(script_fields_parse(&fields, cases[i].text, &err), -EINVAL);
		EXPECT_CONTAINS(err.text, cases[i].words);
	}
}

TEST(script_fields_follow_what_samples_hold)
{
	static const struct made_attr event = { .sample_type = MADE_SAMPLE_TYPE };
	struct maker maker = { 0 };
	struct perf_reader *reader;
	struct script_fields fields = script_fields_default();
	struct err err = { 0 };

	make_start(&maker, &event, 1);
	make_finish(&maker);
	reader = perf_reader_open_mem(maker.out.data, maker.out.len, &err);
	EXPECT(reader);
	EXPECT_INT(script_fields_check(&fields, reader, true, &err), 0);
	EXPECT(!script_has(&fields, KIND_HARDWARE, SCRIPT_CPU));
	EXPECT(script_has(&fields, KIND_HARDWARE, SCRIPT_TIME));

	fields = script_fields_default();
	EXPECT_INT(script_fields_parse(&fields, "comm,cpu", &err), 0);
	EXPECT_INT(script_fields_check(&fields, reader, true, &err), -ENODATA);
	EXPECT_CONTAINS(err.text, "hold no CPU");

	fields = script_fields_default();
	EXPECT_INT(script_fields_parse(&fields, "ip,symoff", &err), 0);
	EXPECT_INT(script_fields_check(&fields, reader, true, &err), -EINVAL);
	EXPECT_CONTAINS(err.text, "'sym'");
	fields = script_fields_default();
	EXPECT_INT(script_fields_parse(&fields, "-sym", &err), 0);
	EXPECT_INT(script_fields_check(&fields, reader, true, &err), 0);
	perf_reader_close(reader);
	make_free(&maker);
}
