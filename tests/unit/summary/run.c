// SPDX-License-Identifier: Apache-2.0
/* Whole recordings, made byte by byte. */
#include "summary/run.h"
#include "perfdata/maker.h"
#include "perfdata/reader.h"
#include "summary/scene.h"
#include "test.h"

#include <errno.h>

#define HEAD                                                                            \
	"format:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char enter_format[] = "name: sys_enter\nID: 21\n" HEAD
				   "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
				   "\nprint fmt: \"NR %ld\", REC->id\n";
static const char exit_format[] =
	"name: sys_exit\nID: 20\n" HEAD "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n\nprint fmt: \"NR %ld = %ld\", "
	"REC->id, REC->ret\n";
static const char short_format[] = "name: sys_exit\nID: 20\n" HEAD
				   "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
				   "\nprint fmt: \"NR %ld\", REC->id\n";

static const uint64_t enter_id[] = { 1 }, exit_id[] = { 2 };

#define SAMPLE_TYPE (MADE_SAMPLE_TYPE | PERF_SAMPLE_RAW)

static const struct made_attr attrs[] = {
	{ .type = PERF_TYPE_TRACEPOINT,
	  .config = 21,
	  .sample_period = 1,
	  .sample_type = SAMPLE_TYPE,
	  .ids = enter_id,
	  .ids_count = 1 },
	{ .type = PERF_TYPE_TRACEPOINT,
	  .config = 20,
	  .sample_period = 1,
	  .sample_type = SAMPLE_TYPE,
	  .ids = exit_id,
	  .ids_count = 1 },
};

static void make_both(struct maker *maker, const char *enter, const char *end)
{
	const char *const formats[] = { enter, end };

	make_formats(maker, "raw_syscalls", formats, ARRAY_SIZE(formats));
	make_feature(maker, FEATURE_ARCH);
	make_text(maker, "x86_64");
	make_feature_end(maker);
}

/* The raw data of pid 7, tid 8: the common fields, then the numbers. */
static void make_raw(struct maker *maker, uint64_t time, uint64_t id, int64_t number,
		     int64_t result, uint32_t size)
{
	make_sample_start(maker, 0, time, id);
	make_u32(maker, size + 4);
	make_u16(maker, id == 1 ? 21 : 20);
	make_u16(maker, 0);
	make_u32(maker, 8);
	if (size >= 16)
		make_u64(maker, (uint64_t)number);
	if (size >= 24)
		make_u64(maker, (uint64_t)result);
	make_u32(maker, 0);
	make_record_end(maker);
}

static void make_lost(struct maker *maker, uint64_t lost)
{
	make_record(maker, PERF_RECORD_LOST, 0);
	make_u64(maker, 1);
	make_u64(maker, lost);
	make_u64(maker, 7 | 8ULL << 32);
	make_u64(maker, 50);
	make_u64(maker, 1);
	make_record_end(maker);
}

static int run(struct maker *maker, const char *name, struct summary_result *result,
	       struct err *err)
{
	static const struct summary_choice all = { 0 };
	struct perf_reader *reader = perf_reader_open_mem(maker->out.data, maker->out.len, err);
	int rc;

	EXPECT(reader);
	rc = summary_run(summary_find(name), reader, "made", &all, result, err);
	perf_reader_close(reader);
	return rc;
}

TEST(run_reads_fields_of_either_byte_order)
{
	for (int big = 0; big < 2; big++) {
		struct maker maker = { .big = big };
		struct scene scene = { 0 };
		struct err err = { 0 };

		test_case(big ? "big" : "little");
		make_start(&maker, attrs, ARRAY_SIZE(attrs));
		make_comm(&maker, 8, "prog", 1, 1);
		make_raw(&maker, 100, 1, 2, 0, 16);
		make_raw(&maker, 300, 2, 2, -ENOENT, 24);
		make_both(&maker, enter_format, exit_format);
		make_finish(&maker);
		EXPECT_INT(run(&maker, "syscall-counts-by-pid", &scene.result, &err), 0);
		EXPECT_INT(scene_rows(&scene, "calls"), 1);
		EXPECT_TEXT(scene_text(&scene, "calls", 0, "syscall"), "open");
		EXPECT_INT(scene_number(&scene, "calls", 0, "errors"), 1);
		EXPECT_INT(scene_number(&scene, "calls", 0, "total_ns"), 200);
		EXPECT_INT(scene.result.samples, 2);
		EXPECT_INT(scene.result.notes.len, 0);
		summary_result_free(&scene.result);
		make_free(&maker);
	}
}

TEST(run_names_what_is_missing)
{
	static const struct {
		const char *enter, *exit, *summary, *said;
	} cases[] = {
		{ enter_format, exit_format, "wakeup-latency",
		  "needs the event sched:sched_wakeup, which was not recorded; `perfolio script "
		  "record wakeup-latency" },
		{ enter_format, exit_format, "rw-by-pid", "syscalls:sys_enter_read" },
		{ NULL, exit_format, "syscall-counts", "raw_syscalls:sys_enter" },
		{ enter_format, short_format, "failed-syscalls",
		  "needs the field ret of sys_exit, which it does not have" },
		{ NULL, NULL, "failed-syscalls", "raw_syscalls:sys_exit" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct summary_result result = { 0 };
		struct maker maker = { 0 };
		struct err err = { 0 };

		test_case("%zu", i);
		make_start(&maker, attrs, ARRAY_SIZE(attrs));
		make_raw(&maker, 300, 2, 2, -ENOENT, 24);
		make_both(&maker, cases[i].enter, cases[i].exit);
		make_finish(&maker);
		EXPECT_INT(run(&maker, cases[i].summary, &result, &err), -ENODATA);
		EXPECT_CONTAINS(err.text, cases[i].said);
		summary_result_free(&result);
		make_free(&maker);
	}
}

TEST(run_counts_what_is_damaged_or_lost)
{
	struct summary_result result = { 0 };
	struct maker maker = { 0 };
	struct err err = { 0 };

	make_start(&maker, attrs, ARRAY_SIZE(attrs));
	make_raw(&maker, 10, 2, 2, -ENOENT, 24);
	make_raw(&maker, 20, 2, 2, 0, 16); /* ends before its result */
	make_raw(&maker, 30, 2, 0, 0, 8);
	make_raw(&maker, 40, 9, 2, 0, 24); /* of no event */
	make_lost(&maker, 1234);
	make_both(&maker, enter_format, exit_format);
	make_finish(&maker);
	EXPECT_INT(run(&maker, "failed-syscalls", &result, &err), 0);
	EXPECT_INT(result.samples, 1);
	EXPECT_INT(result.lost, 1234);
	EXPECT_INT(result.notes.len, 2);
	EXPECT_CONTAINS(result.notes.data[0], "1234 samples lost");
	EXPECT_CONTAINS(result.notes.data[1], "2 damaged, 1 of unknown");
	EXPECT_CONTAINS(result.notes.data[1], "1 of unknown events");
	summary_result_free(&result);
	make_free(&maker);
}

TEST(run_says_when_not_every_event_was_recorded)
{
	struct made_attr twice[] = { attrs[1], attrs[1] };
	struct summary_result result = { 0 };
	struct maker maker = { 0 };
	struct err err = { 0 };

	twice[0].sample_period = 100;
	twice[1].ids = enter_id;
	make_start(&maker, twice, ARRAY_SIZE(twice));
	make_both(&maker, NULL, exit_format);
	make_finish(&maker);
	EXPECT_INT(run(&maker, "failed-syscalls", &result, &err), 0);
	EXPECT_INT(result.notes.len, 2);
	EXPECT_CONTAINS(result.notes.data[0], "now and then");
	EXPECT_CONTAINS(result.notes.data[1], "counted twice");
	summary_result_free(&result);
	make_free(&maker);
}
