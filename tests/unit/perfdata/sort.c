// SPDX-License-Identifier: Apache-2.0
#include "perfdata/sort.h"
#include "perfdata/maker.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const uint64_t ids[] = { 11 };
static const struct made_attr event = { .sample_type = MADE_SAMPLE_TYPE,
					.ids = ids,
					.ids_count = 1 };

static void sample_at(struct maker *maker, uint64_t time)
{
	make_sample_start(maker, time * 10, time, 11);
	make_record_end(maker);
}

static struct record_sort *start(struct maker *maker, struct perf_reader **reader, size_t limit)
{
	struct err err = { 0 };

	*reader = perf_reader_open_mem(maker->out.data, maker->out.len, &err);
	EXPECT(*reader);
	return record_sort_new(*reader, limit);
}

/* Takes all records and wants their times; 0 stands for a record without one. */
static void expect_order(struct record_sort *sort, const uint64_t *want, size_t count)
{
	struct sorted_record rec;
	struct err err = { 0 };

	for (size_t i = 0; i < count; i++) {
		test_case("record %zu", i);
		EXPECT_INT(record_sort_next(sort, &rec, &err), 1);
		EXPECT_INT(rec.time, want[i]);
		if (rec.rec.header->type == PERF_RECORD_SAMPLE) {
			struct sample sample;

			EXPECT_INT(sample_parse(rec.attr, rec.rec.header, &sample), 0);
			EXPECT_INT(sample.ip, want[i] * 10);
		}
	}
	EXPECT_INT(record_sort_next(sort, &rec, &err), 0);
}

TEST(sort_releases_a_round_when_the_next_has_ended)
{
	struct maker maker = { 0 };
	struct perf_reader *reader;
	struct record_sort *sort;
	/* Two CPUs, emptied one after the other; 25 of the first round comes with the second. */
	static const uint64_t order[] = { 0, 0, 10, 15, 20, 25, 30, 0, 35, 40, 45, 50 };

	make_start(&maker, &event, 1);
	sample_at(&maker, 10);
	sample_at(&maker, 20);
	sample_at(&maker, 30);
	sample_at(&maker, 15);
	make_round(&maker);
	sample_at(&maker, 40);
	sample_at(&maker, 50);
	sample_at(&maker, 25);
	sample_at(&maker, 35);
	make_round(&maker);
	sample_at(&maker, 45);
	make_comm(&maker, 1, "untimed", 0, 0);
	make_finish(&maker);
	sort = start(&maker, &reader, 0);
	expect_order(sort, order, ARRAY_SIZE(order));
	EXPECT_INT(record_sort_out_of_order(sort), 0);
	record_sort_free(sort);
	perf_reader_close(reader);
	make_free(&maker);
}

TEST(sort_keeps_the_files_order_where_times_are_equal)
{
	struct maker maker = { 0 };
	struct perf_reader *reader;
	struct record_sort *sort;
	struct sorted_record rec;
	struct err err = { 0 };

	make_start(&maker, &event, 1);
	for (uint64_t i = 0; i < 9; i++) {
		make_sample_start(&maker, i, 100 - i / 3, 11);
		make_record_end(&maker);
	}
	make_finish(&maker);
	sort = start(&maker, &reader, 0);
	for (uint64_t i = 0; i < 9; i++) {
		struct sample sample;

		EXPECT_INT(record_sort_next(sort, &rec, &err), 1);
		EXPECT_INT(sample_parse(rec.attr, rec.rec.header, &sample), 0);
		EXPECT_INT(sample.ip, (2 - i / 3) * 3 + i % 3);
	}
	record_sort_free(sort);
	perf_reader_close(reader);
	make_free(&maker);
}

static uint64_t random_number(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

/* Far more records than fit into the limit: those past it are read again from the file. */
TEST(sort_holds_places_where_memory_ends)
{
	enum { COUNT = 100000 };
	struct maker maker = { 0 };
	struct perf_reader *reader;
	struct record_sort *sort;
	struct sorted_record rec;
	struct sorted_record before[RECORD_SORT_LASTING] = { 0 };
	struct err err = { 0 };
	uint64_t state = 1, last = 0;
	int again = 0;

	make_start(&maker, &event, 1);
	for (int i = 0; i < COUNT; i++)
		sample_at(&maker, 1 + random_number(&state));
	make_finish(&maker);
	sort = start(&maker, &reader, 3 << 20); /* the copies would need 5 MB */
	for (int i = 0; i < COUNT; i++) {
		struct sorted_record *old = &before[i % RECORD_SORT_LASTING];

		if (old->lasting)
			EXPECT_INT(((const uint64_t *)old->rec.header)[3], old->time);
		EXPECT_INT(record_sort_next(sort, &rec, &err), 1);
		EXPECT(rec.time >= last);
		last = rec.time;
		EXPECT_INT(((const uint64_t *)rec.rec.header)[3], rec.time);
		EXPECT(rec.lasting);
		again += rec.rec.reread;
		*old = rec;
	}
	EXPECT(again > 0 && again < COUNT);
	EXPECT_INT(record_sort_next(sort, &rec, &err), 0);
	EXPECT_INT(record_sort_out_of_order(sort), 0);
	record_sort_free(sort);
	perf_reader_close(reader);
	make_free(&maker);
}

TEST(sort_gives_up_order_before_memory)
{
	enum { COUNT = 100000 };
	struct maker maker = { 0 };
	struct perf_reader *reader;
	struct record_sort *sort;
	struct sorted_record rec;
	struct err err = { 0 };
	uint64_t count = 0;

	make_start(&maker, &event, 1);
	for (uint64_t i = 0; i < COUNT; i++)
		sample_at(&maker, COUNT - i);
	make_finish(&maker);
	sort = start(&maker, &reader, 1 << 20);
	while (record_sort_next(sort, &rec, &err) > 0)
		count++;
	EXPECT_INT(count, COUNT);
	EXPECT(record_sort_out_of_order(sort) > 0);
	record_sort_free(sort);
	perf_reader_close(reader);
	make_free(&maker);
}

TEST(sort_leaves_a_recording_without_times_alone)
{
	struct made_attr old = event;
	struct maker maker = { 0 };
	struct perf_reader *reader;
	struct record_sort *sort;
	static const uint64_t order[] = { 0, 0, 0 };

	old.no_id_all = true;
	make_start(&maker, &old, 1);
	for (int i = 3; i > 0; i--) {
		make_sample_start(&maker, 0, (uint64_t)i, 11);
		make_record_end(&maker);
	}
	make_finish(&maker);
	sort = start(&maker, &reader, 0);
	expect_order(sort, order, ARRAY_SIZE(order));
	record_sort_free(sort);
	perf_reader_close(reader);
	make_free(&maker);
}

static void write_part(const char *folder, const char *name, const struct buf *bytes)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	EXPECT(file);
	EXPECT_INT(fwrite(bytes->data, 1, bytes->len, file), bytes->len);
	fclose(file);
}

TEST(sort_merges_the_files_of_a_directory)
{
	enum { FILES = 3, EACH = 20000 };
	const uint64_t step = 1000000;
	char folder[] = "/tmp/perfolio-sort-XXXXXX", name[16], path[128];
	struct maker maker = { 0 };
	struct perf_reader *reader;
	struct record_sort *sort;
	struct sorted_record rec;
	struct err err = { 0 };

	EXPECT(mkdtemp(folder));
	make_start(&maker, &event, 1);
	make_comm(&maker, 1, "untimed", 0, 0);
	make_finish(&maker);
	write_part(folder, "data", &maker.out);
	for (uint64_t file = 0; file < FILES; file++) {
		struct maker part = { 0 };

		for (uint64_t i = 0; i < EACH; i++)
			sample_at(&part, (1 + i * FILES + file) * step);
		snprintf(name, sizeof(name), "data.%d", (int)file);
		write_part(folder, name, &part.out);
		make_free(&part);
	}
	reader = perf_reader_open(folder, NULL, &err);
	EXPECT_TEXT(err.text, "");
	sort = record_sort_new(reader, 0);
	EXPECT_INT(record_sort_next(sort, &rec, &err), 1);
	EXPECT_INT(rec.time, 0);
	for (uint64_t i = 0; i < FILES * EACH; i++) {
		EXPECT_INT(record_sort_next(sort, &rec, &err), 1);
		EXPECT_INT(rec.time, (1 + i) * step);
	}
	EXPECT_INT(record_sort_next(sort, &rec, &err), 0);
	record_sort_free(sort);
	perf_reader_close(reader);
	for (int i = -1; i < FILES; i++) {
		snprintf(path, sizeof(path), i < 0 ? "%s/data" : "%s/data.%d", folder, i);
		unlink(path);
	}
	rmdir(folder);
	make_free(&maker);
}
