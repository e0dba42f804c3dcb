// SPDX-License-Identifier: Apache-2.0
#include "perfdata/reader.h"
#include "perfdata/maker.h"
#include "perfdata/sample.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

static const uint64_t ids_a[] = { 11, 12 }, ids_b[] = { 21 };
static const struct made_attr two_events[] = {
	{ .type = PERF_TYPE_HARDWARE,
	  .sample_type = MADE_SAMPLE_TYPE,
	  .precise_ip = 2,
	  .exclude_kernel = true,
	  .ids = ids_a,
	  .ids_count = 2 },
	{ .type = PERF_TYPE_SOFTWARE,
	  .config = PERF_COUNT_SW_CPU_CLOCK,
	  .sample_type = MADE_SAMPLE_TYPE,
	  .ids = ids_b,
	  .ids_count = 1 },
};

static void two_records(struct maker *maker)
{
	make_comm(maker, 42, "sleeper", 1000, 11);
	make_sample_start(maker, 0x401000, 2000, 21);
	make_record_end(maker);
}

static struct perf_reader *open_made(const struct maker *maker)
{
	struct err err = { 0 };
	struct perf_reader *reader = perf_reader_open_mem(maker->out.data, maker->out.len, &err);

	EXPECT_TEXT(err.text, "");
	EXPECT(reader);
	return reader;
}

static uint64_t count_records(struct perf_reader *reader)
{
	struct err err = { 0 };
	struct record rec;
	uint64_t count = 0;

	while (perf_reader_next(reader, &rec, &err) > 0)
		count++;
	return count;
}

static void check_comm(struct perf_reader *reader, const struct record *rec)
{
	const struct perf_attr *attr = perf_reader_attr_of(reader, rec->header);
	const uint32_t *body = (const uint32_t *)(rec->header + 1);
	struct sample sample;

	EXPECT_INT(rec->header->type, PERF_RECORD_COMM);
	EXPECT_INT(body[0], 42);
	EXPECT_TEXT((const char *)(body + 2), "sleeper");
	EXPECT(attr == perf_reader_attr(reader, 0));
	EXPECT_INT(sample_id_parse(attr, rec->header, &sample), 0);
	EXPECT_INT(sample.tid, 8);
	EXPECT_INT(sample.time, 1000);
	EXPECT_INT(sample.id, 11);
	EXPECT_INT(record_time(attr, rec->header), 1000);
}

static void check_sample(struct perf_reader *reader, const struct record *rec)
{
	const struct perf_attr *attr = perf_reader_attr_of(reader, rec->header);
	struct sample sample;

	EXPECT_INT(rec->header->type, PERF_RECORD_SAMPLE);
	EXPECT(attr == perf_reader_attr(reader, 1));
	EXPECT_INT(sample_parse(attr, rec->header, &sample), 0);
	EXPECT_INT(sample.ip, 0x401000);
	EXPECT_INT(sample.pid, 7);
	EXPECT_INT(sample.tid, 8);
	EXPECT_INT(sample.time, 2000);
	EXPECT_INT(record_time(attr, rec->header), 2000);
}

TEST(reader_takes_files_and_pipes_in_either_byte_order)
{
	for (int i = 0; i < 4; i++) {
		struct maker maker = { .big = i & 1, .pipe = i & 2 };
		struct perf_reader *reader;
		struct err err = { 0 };
		struct record rec;

		test_case("%s, %s", maker.big ? "big-endian" : "little-endian",
			  maker.pipe ? "pipe" : "file");
		make_start(&maker, two_events, 2);
		two_records(&maker);
		if (!maker.pipe)
			make_finish(&maker);
		reader = open_made(&maker);
		EXPECT_BOOL(perf_reader_is_pipe(reader), maker.pipe);
		EXPECT_BOOL(perf_reader_swapped(reader), maker.big);
		do {
			EXPECT_INT(perf_reader_next(reader, &rec, &err), 1);
		} while (rec.header->type == USER_RECORD_ATTR);
		EXPECT_INT(perf_reader_attr_count(reader), 2);
		EXPECT_TEXT(perf_reader_attr(reader, 0)->name, "cycles:uhpp");
		EXPECT_TEXT(perf_reader_attr(reader, 1)->name, "cpu-clock:HG");
		EXPECT_INT(perf_reader_attr(reader, 0)->attr.base.sample_max_stack, 77);
		EXPECT_INT(perf_reader_attr(reader, 0)->attr.config3, 3);
		check_comm(reader, &rec);
		EXPECT_INT(perf_reader_next(reader, &rec, &err), 1);
		check_sample(reader, &rec);
		EXPECT_INT(perf_reader_next(reader, &rec, &err), 0);
		EXPECT(!perf_reader_damage(reader));
		perf_reader_close(reader);
		make_free(&maker);
	}
}

TEST(reader_takes_every_attr_size)
{
	for (uint32_t size = PERF_ATTR_SIZE_VER0; size <= 200; size += 8) {
		struct made_attr attr = two_events[0];
		struct maker maker = { 0 };
		struct perf_reader *reader;

		test_case("attr of %u bytes", size);
		attr.size = size;
		make_start(&maker, &attr, 1);
		two_records(&maker);
		make_finish(&maker);
		reader = open_made(&maker);
		EXPECT_INT(perf_reader_attr(reader, 0)->ids_count, 2);
		EXPECT_INT(perf_reader_attr(reader, 0)->attr.config3, size >= 136 ? 3 : 0);
		EXPECT_INT(count_records(reader), 2);
		perf_reader_close(reader);
		make_free(&maker);
	}
}

TEST(reader_takes_the_first_version)
{
	for (int big = 0; big < 2; big++) {
		struct made_attr attr = two_events[0];
		struct maker maker = { .big = big };
		struct perf_reader *reader;

		attr.size = 72;
		make_start(&maker, &attr, 1);
		two_records(&maker);
		make_finish(&maker);
		memcpy(maker.out.data, "PERFFILE", 8);
		reader = open_made(&maker);
		EXPECT_BOOL(perf_reader_swapped(reader), big);
		EXPECT_INT(count_records(reader), 2);
		perf_reader_close(reader);
		make_free(&maker);
	}
}

TEST(reader_refuses_what_is_no_recording)
{
	static const struct {
		const char *bytes;
		size_t size;
		const char *words;
	} cases[] = {
		{ "", 0, "empty" },
		{ "PERFILE2", 8, "inside its header" },
		{ "PERFILE2\x68\0\0\0\0\0\0\0", 16, "inside its header" },
		{ "\177ELF............", 16, "not a perf.data" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err err = { 0 };

		test_case("%s", cases[i].words);
		EXPECT(!perf_reader_open_mem(cases[i].bytes, cases[i].size, &err));
		EXPECT_CONTAINS(err.text, cases[i].words);
	}
}

TEST(reader_gives_all_before_the_damage)
{
	struct maker maker = { 0 };
	size_t second;

	make_start(&maker, two_events, 2);
	make_comm(&maker, 42, "sleeper", 1000, 11);
	second = maker.out.len;
	make_sample_start(&maker, 1, 2, 11);
	make_record_end(&maker);
	make_finish(&maker);
	for (size_t cut = maker.data; cut < maker.out.len; cut++) {
		struct err err = { 0 };
		struct perf_reader *reader = perf_reader_open_mem(maker.out.data, cut, &err);

		test_case("cut at %zu", cut);
		EXPECT(reader);
		EXPECT_INT(count_records(reader), cut >= second ? 1 : 0);
		EXPECT_CONTAINS(perf_reader_damage(reader), "truncated");
		perf_reader_close(reader);
	}
	/* A record without a size, in the middle, and one that is larger than what is left. */
	for (int byte = 0; byte <= 0xff; byte += 0xff) {
		struct perf_reader *reader;

		memset(maker.out.data + second, byte, 8);
		reader = open_made(&maker);

		EXPECT_INT(count_records(reader), 1);
		EXPECT_CONTAINS(perf_reader_damage(reader), "damaged at");
		perf_reader_close(reader);
	}
	make_free(&maker);
}

/* Features stand last: what is missing of them is said, and that no record is. */
TEST(reader_says_how_much_of_the_file_is_missing)
{
	struct maker maker = { 0 };
	char want[128];
	size_t table;

	make_start(&maker, two_events, 2);
	make_comm(&maker, 42, "sleeper", 1000, 11);
	table = maker.out.len;
	make_feature(&maker, FEATURE_HOSTNAME);
	make_text(&maker, "a-host");
	make_feature_end(&maker);
	make_finish(&maker);
	for (size_t cut = maker.data; cut <= maker.out.len; cut++) {
		struct err err = { 0 };
		struct perf_reader *reader = perf_reader_open_mem(maker.out.data, cut, &err);
		bool has_table = cut >= table + 16;

		test_case("%zu of %zu bytes", cut, maker.out.len);
		count_records(reader);
		snprintf(want, sizeof(want), "truncated: %zu of %s%zu bytes", cut,
			 has_table ? "" : "at least ", has_table ? maker.out.len : table + 16);
		if (cut == maker.out.len)
			EXPECT(!perf_reader_damage(reader));
		else
			EXPECT_CONTAINS(perf_reader_damage(reader), want);
		EXPECT_BOOL(perf_reader_records_cut(reader), cut < table);
		perf_reader_close(reader);
	}
	make_free(&maker);
}

TEST(reader_counts_records_it_does_not_know)
{
	static const uint32_t types[] = { 0, 40, 63, 200, 32778, 40000, UINT32_MAX };
	struct maker maker = { 0 };
	struct perf_reader *reader;

	make_start(&maker, two_events, 2);
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		make_record(&maker, types[i], 0);
		make_bytes(&maker, "1234567", i); /* and the next one lies askew */
		make_record_end(&maker);
	}
	two_records(&maker);
	make_finish(&maker);
	reader = open_made(&maker);
	EXPECT_INT(count_records(reader), 2);
	EXPECT_INT(perf_reader_unknown_records(reader), ARRAY_SIZE(types));
	perf_reader_close(reader);
	make_free(&maker);
}

/* A large record of simpleperf's comes in parts; other records of its are passed over. */
TEST(reader_joins_what_simpleperf_split)
{
	static const struct {
		uint32_t inner, parts;
		size_t bytes;
		bool ended, found;
	} cases[] = {
		{ SIMPLEPERF_RECORD_TRACING_DATA, 3, 150000, true, true },
		{ SIMPLEPERF_RECORD_TRACING_DATA, 3, 150000, false, false },
		{ SIMPLEPERF_RECORD_KERNEL_SYMBOL, 3, 150000, true, false },
		{ SIMPLEPERF_RECORD_TRACING_DATA, 1, 150000, true, false }, /* not all of it */
		{ SIMPLEPERF_RECORD_TRACING_DATA, 1, 100, true, true },
		{ SIMPLEPERF_RECORD_TRACING_DATA, 0, 0, true, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint32_t head[3] = { cases[i].inner, 0, (uint32_t)cases[i].bytes };
		size_t whole = sizeof(head) + cases[i].bytes, at = 0;
		unsigned char *large = mem_alloc(whole);
		struct maker maker = { 0 };
		struct perf_reader *reader;
		const void *data;
		size_t size = 0;

		test_case("case %zu", i);
		memcpy(large, head, sizeof(head));
		make_start(&maker, two_events, 2);
		for (uint32_t part = 0; part < cases[i].parts; part++) {
			size_t step = whole - at < 65527 ? whole - at : 65527;

			make_record(&maker, SIMPLEPERF_RECORD_SPLIT, 0);
			make_bytes(&maker, large + at, step);
			make_record_end(&maker);
			at += step;
		}
		if (cases[i].ended) {
			make_record(&maker, SIMPLEPERF_RECORD_SPLIT_END, 0);
			make_record_end(&maker);
		}
		two_records(&maker);
		make_finish(&maker);
		reader = open_made(&maker);
		EXPECT_INT(count_records(reader), 2);
		EXPECT_INT(perf_reader_unknown_records(reader), 0);
		EXPECT_BOOL(perf_reader_feature(reader, FEATURE_TRACING_DATA, &data, &size),
			    cases[i].found);
		EXPECT_INT(size, cases[i].found ? cases[i].bytes : 0);
		perf_reader_close(reader);
		make_free(&maker);
		free(large);
	}
}

/* Cuts one zstd stream into records of odd sizes, so that records begin and end in mid-piece. */
static void compressed(struct maker *maker, const struct buf *plain, uint32_t type)
{
	size_t room = ZSTD_compressBound(plain->len), at = 0;
	char *zstd = mem_alloc(room);
	size_t size = ZSTD_compress(zstd, room, plain->data, plain->len, 1);

	for (size_t piece = 7; at < size; at += piece, piece += 3) {
		if (piece > size - at)
			piece = size - at;
		make_record(maker, type, 0);
		if (type == USER_RECORD_COMPRESSED2)
			make_u64(maker, piece);
		make_bytes(maker, zstd + at, piece);
		if (type == USER_RECORD_COMPRESSED2)
			make_bytes(maker, "\0\0\0\0\0\0\0", -piece & 7);
		make_record_end(maker);
	}
	free(zstd);
}

TEST(reader_opens_compressed_records)
{
	for (int i = 0; i < 4; i++) {
		struct maker maker = { .big = i & 1 }, plain = { .big = i & 1 };
		struct perf_reader *reader;
		struct err err = { 0 };
		struct record rec;
		uint64_t count = 0;

		test_case("variant %d", i);
		for (int k = 0; k < 5000; k++)
			two_records(&plain);
		make_start(&maker, two_events, 2);
		compressed(&maker, &plain.out,
			   i & 2 ? USER_RECORD_COMPRESSED2 : USER_RECORD_COMPRESSED);
		make_round(&maker);
		make_finish(&maker);
		reader = open_made(&maker);
		while (perf_reader_next(reader, &rec, &err) > 0 &&
		       rec.header->type != USER_RECORD_FINISHED_ROUND)
			count++ % 2 ? check_sample(reader, &rec) : check_comm(reader, &rec);
		EXPECT_INT(count, 10000);
		EXPECT_INT(rec.header->type, USER_RECORD_FINISHED_ROUND);
		EXPECT(!perf_reader_damage(reader));
		perf_reader_close(reader);
		make_free(&maker);
		make_free(&plain);
	}
}

TEST(reader_stops_at_broken_compression)
{
	struct maker maker = { 0 };
	struct perf_reader *reader;

	make_start(&maker, two_events, 2);
	two_records(&maker);
	make_record(&maker, USER_RECORD_COMPRESSED, 0);
	make_bytes(&maker, "this is not zstd", 16);
	make_record_end(&maker);
	two_records(&maker);
	make_finish(&maker);
	reader = open_made(&maker);
	EXPECT_INT(count_records(reader), 2);
	EXPECT_CONTAINS(perf_reader_damage(reader), "compressed data");
	perf_reader_close(reader);
	make_free(&maker);
}

TEST(reader_carries_auxtrace)
{
	struct maker maker = { .pipe = true };
	struct perf_reader *reader;
	struct err err = { 0 };
	struct record rec;
	char into[64] = { 0 };

	make_start(&maker, two_events, 2);
	make_record(&maker, USER_RECORD_AUXTRACE, 0);
	make_u64(&maker, 24); /* size of what follows */
	make_u64(&maker, 0);
	make_u64(&maker, 0);
	make_u64(&maker, 0);
	make_u64(&maker, 0);
	make_record_end(&maker);
	make_bytes(&maker, "what the hardware traced", 24);
	two_records(&maker);
	reader = open_made(&maker);
	do {
		EXPECT_INT(perf_reader_next(reader, &rec, &err), 1);
	} while (rec.header->type != USER_RECORD_AUXTRACE);
	EXPECT_INT(rec.extra_size, 24);
	EXPECT_INT(perf_reader_extra(reader, &rec, 5, into, sizeof(into)), 19);
	EXPECT_TEXT(into, "the hardware traced");
	EXPECT_INT(count_records(reader), 2);
	perf_reader_close(reader);
	make_free(&maker);
}

/* The same bytes through a pipe(2), which can't seek. */
static struct perf_reader *open_stream(const struct maker *maker, int *keep)
{
	struct err err = { 0 };
	struct perf_reader *reader;
	int ends[2];

	EXPECT_INT(pipe(ends), 0);
	EXPECT_INT(write(ends[1], maker->out.data, maker->out.len), maker->out.len);
	close(ends[1]);
	*keep = dup(STDIN_FILENO);
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	reader = perf_reader_open("-", NULL, &err);
	EXPECT_TEXT(err.text, "");
	return reader;
}

TEST(reader_reads_standard_input)
{
	for (int pipe_mode = 0; pipe_mode < 2; pipe_mode++) {
		struct maker maker = { .pipe = pipe_mode };
		struct perf_reader *reader;
		int keep;

		make_start(&maker, two_events, 2);
		for (int i = 0; i < 300; i++)
			two_records(&maker);
		if (!pipe_mode) {
			make_feature(&maker, FEATURE_EVENT_DESC);
			make_u32(&maker, 0);
			make_u32(&maker, 136);
			make_feature_end(&maker);
			make_finish(&maker);
		}
		reader = open_stream(&maker, &keep);
		EXPECT_INT(count_records(reader), pipe_mode ? 602 : 600);
		perf_reader_close(reader);
		dup2(keep, STDIN_FILENO);
		close(keep);
		make_free(&maker);
	}
}

static void write_file(const char *path, const void *bytes, size_t size)
{
	FILE *file = fopen(path, "w");

	EXPECT(file);
	EXPECT_INT(fwrite(bytes, 1, size, file), size);
	fclose(file);
}

static void patch_u64(const char *path, size_t at, uint64_t value)
{
	int fd = open(path, O_WRONLY);

	EXPECT_INT(pwrite(fd, &value, 8, (off_t)at), 8);
	close(fd);
}

TEST(reader_reads_an_unfinished_file_to_its_last_whole_record)
{
	struct maker maker = { 0 };
	struct perf_reader *reader;

	make_start(&maker, two_events, 2); /* data.size stays 0, as perf has it until it ends */
	two_records(&maker);
	make_sample_start(&maker, 1, 2, 11);
	make_record_end(&maker);
	maker.out.len -= 3;
	reader = open_made(&maker);
	EXPECT_INT(count_records(reader), 2);
	EXPECT_CONTAINS(perf_reader_damage(reader), "did not close it");
	perf_reader_close(reader);
	make_free(&maker);
}

/* Ours: data.size is committed, the reserved bit set, the table stands in a round's record. */
TEST(reader_takes_our_own_unfinished_file)
{
	struct maker maker = { 0 };
	struct perf_reader *reader;
	uint64_t committed;

	make_start(&maker, two_events, 2);
	two_records(&maker);
	committed = maker.out.len - maker.data;
	make_record(&maker, USER_RECORD_FINISHED_ROUND, 0);
	make_bytes(&maker, "\0\0\0\0\0\0\0", 8);
	make_record_end(&maker);
	two_records(&maker);
	maker.out.len -= 5; /* killed in the middle of a write */
	memcpy(maker.out.data + 48, &committed, 8);
	maker.out.data[72] |= 1;
	reader = open_made(&maker);
	EXPECT_INT(count_records(reader), 4);
	EXPECT_CONTAINS(perf_reader_damage(reader), "killed, or still writes it");
	EXPECT(!perf_reader_records_cut(reader));
	perf_reader_close(reader);
	make_free(&maker);
}

static void expect_next(struct perf_reader *reader, int want)
{
	struct err err = { 0 };
	struct record rec;

	EXPECT_INT(perf_reader_next(reader, &rec, &err), want);
}

TEST(reader_follows_a_file_that_grows)
{
	const struct perf_reader_options follow = { .follow = true };
	char path[] = "/tmp/perfolio-reader-XXXXXX";
	struct maker maker = { 0 };
	struct perf_reader *reader;
	struct err err = { 0 };
	size_t first, second;

	close(mkstemp(path));
	make_start(&maker, two_events, 2);
	make_comm(&maker, 1, "one", 1, 11);
	first = maker.out.len;
	make_comm(&maker, 2, "two", 2, 11);
	second = maker.out.len;
	make_comm(&maker, 3, "three", 3, 11);

	write_file(path, maker.out.data, first + 5); /* and a piece of the next one */
	reader = perf_reader_open(path, &follow, &err);
	EXPECT_TEXT(err.text, "");
	expect_next(reader, 1);
	expect_next(reader, 0);
	EXPECT(perf_reader_growing(reader));
	write_file(path, maker.out.data, second);
	expect_next(reader, 1);
	expect_next(reader, 0);
	make_finish(&maker);
	write_file(path, maker.out.data, maker.out.len);
	expect_next(reader, 1);
	expect_next(reader, 0);
	EXPECT(!perf_reader_growing(reader));
	EXPECT(!perf_reader_damage(reader));
	perf_reader_close(reader);
	unlink(path);
	make_free(&maker);
}

TEST(reader_follows_what_ours_commits)
{
	const struct perf_reader_options follow = { .follow = true };
	char path[] = "/tmp/perfolio-reader-XXXXXX";
	struct maker maker = { 0 };
	struct perf_reader *reader;
	struct err err = { 0 };
	uint64_t bit = 1;

	close(mkstemp(path));
	make_start(&maker, two_events, 2);
	memcpy(maker.out.data + 72, &bit, 8);
	two_records(&maker);
	two_records(&maker);
	write_file(path, maker.out.data, maker.out.len);
	patch_u64(path, 48, (maker.out.len - maker.data) / 2);
	reader = perf_reader_open(path, &follow, &err);
	EXPECT_TEXT(err.text, "");
	expect_next(reader, 1);
	expect_next(reader, 1);
	expect_next(reader, 0); /* more is there, but not committed */
	patch_u64(path, 48, maker.out.len - maker.data);
	expect_next(reader, 1);
	expect_next(reader, 1);
	expect_next(reader, 0);
	patch_u64(path, 72, 0);
	expect_next(reader, 0);
	EXPECT(!perf_reader_growing(reader));
	perf_reader_close(reader);
	unlink(path);
	make_free(&maker);
}

TEST(reader_reads_a_directory)
{
	char folder[] = "/tmp/perfolio-reader-XXXXXX", path[64];
	struct maker maker = { 0 }, more = { 0 };
	struct perf_reader *reader;
	struct err err = { 0 };

	EXPECT(mkdtemp(folder));
	make_start(&maker, two_events, 2);
	two_records(&maker);
	make_finish(&maker);
	two_records(&more);
	two_records(&more);
	for (int i = -1; i < 11; i++) {
		const struct buf *bytes = i < 0 ? &maker.out : &more.out;

		snprintf(path, sizeof(path), i < 0 ? "%s/data" : "%s/data.%d", folder, i);
		write_file(path, bytes->data, bytes->len);
	}
	reader = perf_reader_open(folder, NULL, &err);
	EXPECT_TEXT(err.text, "");
	EXPECT_INT(perf_reader_stream_count(reader), 12);
	EXPECT_INT(count_records(reader), 2 + 11 * 4);
	perf_reader_close(reader);
	for (int i = -1; i < 11; i++) {
		snprintf(path, sizeof(path), i < 0 ? "%s/data" : "%s/data.%d", folder, i);
		unlink(path);
	}
	rmdir(folder);
	make_free(&maker);
	make_free(&more);
}

/* A hole makes a file of more than 4 GB out of two records: offsets must not be cut to 32 bits. */
TEST(reader_reads_beyond_4_gb)
{
	const uint64_t far = (5ull << 30) + 8;
	char path[] = "/tmp/perfolio-reader-XXXXXX";
	struct maker maker = { 0 };
	struct perf_reader *reader;
	struct err err = { 0 };
	struct record rec;
	int fd = mkstemp(path);

	make_start(&maker, two_events, 2);
	make_record(&maker, USER_RECORD_AUXTRACE, 0);
	make_u64(&maker, far); /* its payload is the hole */
	for (int i = 0; i < 4; i++)
		make_u64(&maker, 0);
	make_record_end(&maker);
	EXPECT_INT(write(fd, maker.out.data, maker.out.len), maker.out.len);
	EXPECT_INT(ftruncate(fd, (off_t)(maker.out.len + far)), 0);
	patch_u64(path, 48, maker.out.len - maker.data + far + 56);
	EXPECT_INT(lseek(fd, 0, SEEK_END), maker.out.len + far);
	maker.out.len = 0;
	make_comm(&maker, 42, "sleeper", 1000, 11);
	EXPECT_INT(write(fd, maker.out.data, maker.out.len), maker.out.len);
	patch_u64(path, 48, (uint64_t)lseek(fd, 0, SEEK_END) - maker.data);
	close(fd);

	reader = perf_reader_open(path, NULL, &err);
	EXPECT_TEXT(err.text, "");
	EXPECT_INT(perf_reader_next(reader, &rec, &err), 1);
	EXPECT_INT(perf_reader_next(reader, &rec, &err), 1);
	check_comm(reader, &rec);
	EXPECT(rec.file_off > far);
	EXPECT_INT(perf_reader_next(reader, &rec, &err), 0);
	EXPECT(!perf_reader_damage(reader));
	perf_reader_close(reader);
	unlink(path);
	make_free(&maker);
}

TEST(reader_brings_a_record_back)
{
	for (int big = 0; big < 2; big++) {
		struct maker maker = { .big = big };
		struct perf_reader *reader;
		struct err err = { 0 };
		struct record first, rec;

		make_start(&maker, two_events, 2);
		two_records(&maker);
		make_finish(&maker);
		reader = open_made(&maker);
		EXPECT_INT(perf_reader_next(reader, &first, &err), 1);
		EXPECT(first.reread);
		EXPECT_INT(perf_reader_next(reader, &rec, &err), 1);
		EXPECT_INT(perf_reader_again(reader, 0, first.file_off, 40, &first), -EIO);
		EXPECT_INT(perf_reader_again(reader, 0, maker.data, 48, &first), 1);
		check_comm(reader, &first);
		check_sample(reader, &rec);
		perf_reader_close(reader);
		make_free(&maker);
	}
}

TEST(reader_tells_how_far_a_counter_grew)
{
	struct maker maker = { 0 };
	struct perf_reader *reader;
	uint64_t delta;

	make_start(&maker, two_events, 2);
	make_finish(&maker);
	reader = open_made(&maker);
	EXPECT(perf_reader_read_delta(reader, 12, 100, &delta) == perf_reader_attr(reader, 0));
	EXPECT_INT(delta, 100);
	perf_reader_read_delta(reader, 11, 5, &delta);
	EXPECT_INT(delta, 5);
	perf_reader_read_delta(reader, 12, 170, &delta);
	EXPECT_INT(delta, 70);
	EXPECT(!perf_reader_read_delta(reader, 99, 1, &delta));
	perf_reader_close(reader);
	make_free(&maker);
}
