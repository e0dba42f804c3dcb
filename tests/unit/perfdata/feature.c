// SPDX-License-Identifier: Apache-2.0
#include "perfdata/feature.h"
#include "perfdata/maker.h"
#include "test.h"

static const uint64_t ids[] = { 11 };
static const struct made_attr event = { .sample_type = MADE_SAMPLE_TYPE,
					.ids = ids,
					.ids_count = 1 };

static void text_feature(struct maker *maker, int feature, const char *text)
{
	make_feature(maker, feature);
	make_text(maker, text);
	make_feature_end(maker);
}

static void make_event_desc(struct maker *maker)
{
	make_feature(maker, FEATURE_EVENT_DESC);
	make_u32(maker, 1);
	make_u32(maker, 64);
	make_u32(maker, 1); /* type */
	make_u32(maker, 64);
	make_u64(maker, 9); /* config */
	for (int i = 0; i < 6; i++)
		make_u64(maker, 0);
	make_u32(maker, 2); /* ids */
	make_text(maker, "dummy:u");
	make_u64(maker, 71);
	make_u64(maker, 72);
	make_feature_end(maker);
}

static void make_topology(struct maker *maker)
{
	make_feature(maker, FEATURE_CPU_TOPOLOGY);
	make_u32(maker, 1);
	make_text(maker, "0-1");
	make_u32(maker, 2);
	make_text(maker, "0");
	make_text(maker, "1");
	for (uint32_t i = 0; i < 2; i++) {
		make_u32(maker, 10 + i); /* core */
		make_u32(maker, 3);	 /* socket */
	}
	make_feature_end(maker);
}

static void make_build_id(struct maker *maker)
{
	make_feature(maker, FEATURE_BUILD_ID);
	for (int i = 0; i < 2; i++) {
		size_t start = maker->out.len;

		make_u32(maker, 0);
		make_u16(maker, i ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER | 1 << 15);
		make_u16(maker, 8 + 4 + 24 + 16);
		make_u32(maker, 77);
		make_bytes(maker, "0123456789abcdefghij", 20);
		make_bytes(maker, "\x10\0\0\0", 4);
		make_name(maker, i ? "[kernel.kallsy]" : "/usr/bin/prog12");
		EXPECT_INT(maker->out.len - start, 8 + 4 + 24 + 16);
	}
	make_feature_end(maker);
}

static void make_all(struct maker *maker)
{
	make_start(maker, &event, 1);
	make_build_id(maker);
	text_feature(maker, FEATURE_HOSTNAME, "here");
	text_feature(maker, FEATURE_ARCH, "s390x");
	make_feature(maker, FEATURE_NRCPUS);
	make_u32(maker, 2);
	make_u32(maker, 1);
	make_feature_end(maker);
	make_feature(maker, FEATURE_CMDLINE);
	make_u32(maker, 2);
	make_text(maker, "perf");
	make_text(maker, "it's");
	make_feature_end(maker);
	make_event_desc(maker);
	make_topology(maker);
	make_feature(maker, FEATURE_SAMPLE_TIME);
	make_u64(maker, 1000);
	make_u64(maker, 2000);
	make_feature_end(maker);
	make_feature(maker, FEATURE_CLOCK_DATA);
	make_u32(maker, 1);
	make_u32(maker, 4);
	make_u64(maker, 5000);
	make_u64(maker, 600);
	make_feature_end(maker);
	make_finish(maker);
}

static void check_all(const struct perf_env *env)
{
	EXPECT_TEXT(env->hostname, "here");
	EXPECT_TEXT(env->arch, "s390x");
	EXPECT(!env->version);
	EXPECT_INT(env->cpus_available, 2);
	EXPECT_INT(env->cmdline.count, 2);
	EXPECT_TEXT(env->cmdline.data[1], "it's");
	EXPECT_INT(env->events.count, 1);
	EXPECT_TEXT(env->events.data[0].name, "dummy:u");
	EXPECT_INT(env->events.data[0].attr.base.config, 9);
	EXPECT_INT(env->events.data[0].ids[1], 72);
	EXPECT_INT(env->cpus.count, 2);
	EXPECT_INT(env->cpus.data[1].core, 11);
	EXPECT_INT(env->cpus.data[1].socket, 3);
	EXPECT_TEXT(env->threads.data[1], "1");
	EXPECT_INT(env->last_sample_ns, 2000);
	EXPECT(env->clock_known);
	EXPECT_INT(env->clock, 4);
	EXPECT_INT(env->clock_ns, 600);
	EXPECT_INT(env->build_ids.count, 2);
	EXPECT_INT(env->build_ids.data[0].pid, 77);
	EXPECT_INT(env->build_ids.data[0].size, 16);
	EXPECT_INT(env->build_ids.data[1].size, 20);
	EXPECT_TEXT(env->build_ids.data[0].path, "/usr/bin/prog12");
}

TEST(feature_takes_them_apart_in_either_byte_order)
{
	for (int big = 0; big < 2; big++) {
		struct maker maker = { .big = big };
		struct perf_reader *reader;
		struct err err = { 0 };
		struct perf_env env;

		test_case(big ? "big-endian" : "little-endian");
		make_all(&maker);
		reader = perf_reader_open_mem(maker.out.data, maker.out.len, &err);
		EXPECT(reader);
		EXPECT_TEXT(perf_reader_attr(reader, 0)->name, "dummy:u");
		perf_env_load(&env, reader);
		check_all(&env);
		perf_env_free(&env);
		perf_reader_close(reader);
		make_free(&maker);
	}
}

/* Each word of the payloads in turn says something absurd: no crash, no endless list. */
TEST(feature_survives_absurd_counts)
{
	struct maker maker = { 0 };

	make_all(&maker);
	for (size_t at = maker.data; at + 4 <= maker.out.len; at += 4) {
		struct perf_reader *reader;
		struct err err = { 0 };
		struct perf_env env;
		uint32_t old, absurd = 0xfffffff0;

		memcpy(&old, maker.out.data + at, 4);
		memcpy(maker.out.data + at, &absurd, 4);
		reader = perf_reader_open_mem(maker.out.data, maker.out.len, &err);
		EXPECT(reader);
		perf_env_load(&env, reader);
		EXPECT(env.cmdline.count <= 2);
		EXPECT(env.events.count <= 1);
		perf_env_free(&env);
		perf_reader_close(reader);
		memcpy(maker.out.data + at, &old, 4);
	}
	make_free(&maker);
}

TEST(feature_old_build_ids_have_no_pid)
{
	struct maker maker = { 0 };
	struct perf_reader *reader;
	struct err err = { 0 };
	struct perf_env env = { 0 };

	make_start(&maker, &event, 1);
	make_feature(&maker, FEATURE_BUILD_ID);
	make_u32(&maker, 0);
	make_u16(&maker, PERF_RECORD_MISC_KERNEL);
	make_u16(&maker, 8 + 24 + 24);
	make_bytes(&maker, "0123456789abcdefghij\0\0\0", 24);
	make_name(&maker, "[kernel.kallsyms]");
	make_feature_end(&maker);
	make_finish(&maker);
	reader = perf_reader_open_mem(maker.out.data, maker.out.len, &err);
	EXPECT(reader);
	feature_load_build_ids(&env, reader);
	EXPECT_INT(env.build_ids.count, 1);
	EXPECT_TEXT(env.build_ids.data[0].path, "[kernel.kallsyms]");
	EXPECT(!memcmp(env.build_ids.data[0].bytes, "0123456789abcdefghij", 20));
	perf_env_free(&env);
	perf_reader_close(reader);
	make_free(&maker);
}
