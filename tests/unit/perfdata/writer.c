// SPDX-License-Identifier: Apache-2.0
#include "perfdata/writer.h"
#include "perfdata/disk.h"
#include "perfdata/pack.h"
#include "test.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <zstd.h>

#define SAMPLE_SIZE 64

static const uint64_t ids[] = { 11, 12, 13 };
static const struct perf_writer_attr attrs[] = {
	{ .attr.base = { .type = 1, .sample_type = PERF_SAMPLE_IP },
	  .name = "cpu-clock",
	  .ids = ids,
	  .ids_count = 2,
	  .leader = 0 },
	{ .attr.base = { .type = 1, .config = 2, .sample_type = PERF_SAMPLE_IP },
	  .name = "faults",
	  .ids = ids + 2,
	  .ids_count = 1,
	  .leader = 0 },
};

static struct perf_writer *open_writer(bool compress)
{
	struct perf_writer_options options = { .sys = &disk_sys,
					       .compress = compress,
					       .compress_level = 1 };
	struct err err = { 0 };
	struct perf_writer *w = perf_writer_new(3, attrs, ARRAY_SIZE(attrs), &options, &err);

	EXPECT(w);
	EXPECT_INT(perf_writer_feature(w, FEATURE_HOSTNAME, "host", 5, &err), 0);
	EXPECT_INT(perf_writer_feature(w, FEATURE_ARCH, "arch", 5, &err), 0);
	return w;
}

/* `count` samples, given in two parts as a ring that wraps does. */
static int append_samples(struct perf_writer *w, int count, struct err *err)
{
	size_t size = (size_t)count * SAMPLE_SIZE, first = size / 2 / 8 * 8;
	unsigned char *bytes = mem_alloc(size + 1);
	struct iovec parts[2];
	int rc;

	for (int i = 0; i < count; i++) {
		struct perf_event_header header = { .type = PERF_RECORD_SAMPLE,
						    .size = SAMPLE_SIZE };

		memset(bytes + i * SAMPLE_SIZE, i, SAMPLE_SIZE);
		memcpy(bytes + i * SAMPLE_SIZE, &header, sizeof(header));
	}
	parts[0] = (struct iovec){ bytes, first };
	parts[1] = (struct iovec){ bytes + first, size - first };
	rc = perf_writer_append(w, parts, 2, err);
	free(bytes);
	return rc;
}

TEST(writer_file_is_whole_after_every_round)
{
	struct disk *disk = disk_reset(1 << 20);
	struct perf_writer *w = open_writer(false);
	struct perf_section section;
	struct err err = { 0 };

	EXPECT_INT(perf_writer_begin(w, &err), 0);
	for (int round = 0; round <= 3; round++) {
		test_case("after %d rounds", round);
		EXPECT_INT(disk_records(PERF_RECORD_SAMPLE), round * 5);
		EXPECT_INT(disk_records(USER_RECORD_FINISHED_ROUND), round + 1);
		EXPECT(disk_header().features[0] & 1);
		EXPECT(disk_feature(FEATURE_HOSTNAME, &section));
		EXPECT_TEXT((char *)disk->bytes + section.offset, "host");
		EXPECT(disk_feature(FEATURE_ARCH, &section));
		EXPECT_TEXT((char *)disk->bytes + section.offset, "arch");
		EXPECT(disk_feature(FEATURE_GROUP_DESC, &section));

		EXPECT_INT(append_samples(w, 5, &err), 0);
		test_case("before round %d is committed", round + 1);
		EXPECT_INT(disk_records(PERF_RECORD_SAMPLE), round * 5);
		EXPECT_INT(perf_writer_round(w, &err), 0);
	}
	perf_writer_free(w);
	disk_reset(0);
}

TEST(writer_round_without_records_writes_nothing)
{
	struct disk *disk = disk_reset(1 << 20);
	struct perf_writer *w = open_writer(false);
	struct err err = { 0 };
	size_t before;

	EXPECT_INT(perf_writer_begin(w, &err), 0);
	before = disk->size;
	EXPECT_INT(perf_writer_round(w, &err), 0);
	EXPECT_INT(disk->size, before);
	perf_writer_free(w);
	disk_reset(0);
}

TEST(writer_finish_writes_the_ordinary_table)
{
	struct disk *disk = disk_reset(1 << 20);
	struct perf_writer *w = open_writer(false);
	struct perf_section section;
	struct err err = { 0 };

	disk->most = 37; /* every write comes back short */
	disk->interrupts = 3;
	EXPECT_INT(perf_writer_begin(w, &err), 0);
	EXPECT_INT(append_samples(w, 9, &err), 0);
	EXPECT_INT(perf_writer_feature(w, FEATURE_BUILD_ID, "ids", 4, &err), 0);
	EXPECT_INT(perf_writer_feature(w, FEATURE_SAMPLE_TIME, "times", 6, &err), 0);
	EXPECT_INT(perf_writer_feature(w, FEATURE_CPUID, "late", 5, &err), -EBUSY);
	EXPECT_INT(perf_writer_finish(w, &err), 0);

	EXPECT_INT(disk_header().magic, PERF_MAGIC);
	EXPECT_INT(disk_header().attrs.size, 2 * (PERF_ATTR_SIZE_VER7 + 16));
	EXPECT(!(disk_header().features[0] & 1));
	EXPECT_INT(disk_records(PERF_RECORD_SAMPLE), 9);
	EXPECT(disk_feature(FEATURE_BUILD_ID, &section));
	EXPECT_TEXT((char *)disk->bytes + section.offset, "ids");
	EXPECT(disk_feature(FEATURE_SAMPLE_TIME, &section));
	EXPECT_TEXT((char *)disk->bytes + section.offset, "times");
	EXPECT_INT(disk->size, section.offset + section.size);
	EXPECT_INT(perf_writer_size(w), disk->size);
	perf_writer_free(w);
	disk_reset(0);
}

/* Whatever the moment at which the disk is full: a whole file, and nearly all that fits. */
TEST(writer_full_disk_leaves_a_whole_file)
{
	struct perf_section section;
	struct err err;

	for (size_t capacity = 3000; capacity < 12000; capacity += 101) {
		struct disk *disk = disk_reset(capacity);
		struct perf_writer *w = open_writer(false);
		int rc, samples, written = 0;

		test_case("%zu bytes", capacity);
		EXPECT_INT(perf_writer_begin(w, &err), 0);
		do {
			err = (struct err){ 0 };
			rc = append_samples(w, 7, &err);
			written += rc ? 0 : 7;
			if (!rc && written % 3 == 0)
				rc = perf_writer_round(w, &err);
		} while (!rc);
		EXPECT_INT(rc, -ENOSPC);
		EXPECT_CONTAINS(err.text, "No space left");
		perf_writer_feature(w, FEATURE_BUILD_ID, "ids", 4, &err);
		perf_writer_finish(w, &err);

		samples = disk_records(PERF_RECORD_SAMPLE);
		EXPECT(samples >= 0);
		EXPECT(disk_feature(FEATURE_ARCH, &section));
		EXPECT_TEXT((char *)disk->bytes + section.offset, "arch");
		/* The tail's own size and one record are the most that may be given up. */
		EXPECT(samples >= written - 7);
		EXPECT(disk->size <= capacity);
		perf_writer_free(w);
	}
	disk_reset(0);
}

TEST(writer_pipe_has_attrs_features_and_rounds)
{
	struct disk *disk = disk_reset(1 << 20);
	struct perf_writer *w;
	struct err err = { 0 };
	uint32_t want[] = { USER_RECORD_ATTR,	 USER_RECORD_ATTR,	  USER_RECORD_FEATURE,
			    USER_RECORD_FEATURE, USER_RECORD_FEATURE,	  USER_RECORD_FEATURE,
			    USER_RECORD_FEATURE, USER_RECORD_TRACING_DATA };
	size_t at = PERF_PIPE_HEADER_SIZE;
	struct perf_event_header header;

	disk->pipe = true;
	w = open_writer(false);
	EXPECT(perf_writer_is_pipe(w));
	EXPECT_INT(perf_writer_feature(w, FEATURE_TRACING_DATA, "formats", 7, &err), 0);
	EXPECT_INT(perf_writer_begin(w, &err), 0);
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		test_case("record %zu", i);
		memcpy(&header, disk->bytes + at, sizeof(header));
		EXPECT_INT(header.type, want[i]);
		EXPECT_INT(header.size % 8, 0);
		at += header.size;
	}
	EXPECT_INT(memcmp(disk->bytes + at, "formats", 8), 0);
	EXPECT_INT(disk->size, at + 8);
	at = disk->size;
	EXPECT_INT(append_samples(w, 2, &err), 0);
	EXPECT_INT(perf_writer_round(w, &err), 0);
	memcpy(&header, disk->bytes + at + 2 * SAMPLE_SIZE, sizeof(header));
	EXPECT_INT(header.type, USER_RECORD_FINISHED_ROUND);
	EXPECT_INT(perf_writer_finish(w, &err), 0);
	EXPECT_INT(disk->size, at + 2 * SAMPLE_SIZE + sizeof(header));
	perf_writer_free(w);
	disk_reset(0);
}

/* Unpacks as perf does: one stream, one call a record. */
static size_t unpack_all(const struct disk *disk, unsigned char *into, size_t room)
{
	struct perf_file_header file = disk_header();
	size_t at = file.data.offset, end = at + file.data.size, done = 0;
	ZSTD_DStream *stream = ZSTD_createDStream();

	while (at < end) {
		struct perf_event_header header;

		memcpy(&header, disk->bytes + at, sizeof(header));
		if (header.type == USER_RECORD_COMPRESSED) {
			ZSTD_inBuffer in = { disk->bytes + at + sizeof(header),
					     header.size - sizeof(header), 0 };
			ZSTD_outBuffer out = { into + done,
					       room - done < PACK_CHUNK ? room - done : PACK_CHUNK,
					       0 };

			EXPECT(!ZSTD_isError(ZSTD_decompressStream(stream, &out, &in)));
			EXPECT_INT(in.pos, in.size);
			done += out.pos;
		}
		at += header.size;
	}
	ZSTD_freeDStream(stream);
	return done;
}

TEST(writer_packed_records_come_out_again)
{
	size_t room = 8 << 20, size = 3 << 20;
	struct disk *disk = disk_reset(room);
	struct perf_writer *w = open_writer(true);
	unsigned char *bytes = mem_alloc(size), *back = mem_alloc(room);
	struct err err = { 0 };

	/* Hardly compressible, so that one batch needs many records. */
	for (size_t i = 0; i < size; i++)
		bytes[i] = (unsigned char)((i * 2654435761u) >> 13);
	EXPECT_INT(perf_writer_begin(w, &err), 0);
	EXPECT_INT(perf_writer_append(w, &(struct iovec){ bytes, 100 }, 1, &err), 0);
	EXPECT_INT(perf_writer_append(w, &(struct iovec){ bytes + 100, size - 100 }, 1, &err), 0);
	EXPECT_INT(perf_writer_finish(w, &err), 0);
	EXPECT_INT(perf_writer_raw_bytes(w), size);
	EXPECT_INT(unpack_all(disk, back, room), size);
	EXPECT_INT(memcmp(back, bytes, size), 0);
	free(bytes);
	free(back);
	perf_writer_free(w);
	disk_reset(0);
}
