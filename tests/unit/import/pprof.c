// SPDX-License-Identifier: Apache-2.0
#include "base/buf.h"
#include "import/fold.h"
#include "import/input.h"
#include "test.h"

#include <errno.h>

/* Messages by hand: a field of a number, or of bytes. */
static void put_varint(struct buf *to, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		buf_putc(to, (char)(value | 0x80));
	buf_putc(to, (char)value);
}

static void put_number(struct buf *to, int field, uint64_t value)
{
	put_varint(to, (uint64_t)field << 3);
	put_varint(to, value);
}

static void put_bytes(struct buf *to, int field, struct buf *bytes)
{
	put_varint(to, (uint64_t)field << 3 | 2);
	put_varint(to, bytes->len);
	buf_add(to, buf_text(bytes), bytes->len);
	buf_clear(bytes);
}

static void put_string(struct buf *to, const char *text)
{
	struct buf bytes = { 0 };

	buf_puts(&bytes, text);
	put_bytes(to, 6, &bytes);
	buf_free(&bytes);
}

/* work (with helper inlined) called by main, 3 samples of 30 ns; and a location that is missing. */
static void make_profile(struct buf *to)
{
	static const char *const strings[] = { "",     "samples",     "count",
					       "cpu",  "nanoseconds", "main",
					       "work", "helper",      "/bin/prog" };
	struct buf part = { 0 }, inner = { 0 };

	for (int i = 0; i < 2; i++) {
		put_number(&part, 1, (uint64_t)(i * 2 + 1));
		put_number(&part, 2, (uint64_t)(i * 2 + 2));
		put_bytes(to, 1, &part);
	}
	for (int i = 0; i < 2; i++) { /* packed, and one by one */
		if (i) {
			put_number(&part, 1, 1);
			put_number(&part, 1, 99);
			put_number(&part, 2, 1);
			put_number(&part, 2, 10);
		} else {
			put_varint(&inner, 1);
			put_varint(&inner, 2);
			put_bytes(&part, 1, &inner);
			put_varint(&inner, 3);
			put_varint(&inner, 30);
			put_bytes(&part, 2, &inner);
		}
		put_bytes(to, 2, &part);
	}
	put_number(&part, 1, 1);
	put_number(&part, 5, 8);
	put_bytes(to, 3, &part);
	for (uint64_t i = 1; i <= 2; i++) {
		put_number(&part, 1, i);
		put_number(&part, 2, 1);
		if (i == 1) {
			put_number(&inner, 1, 3);
			put_bytes(&part, 4, &inner);
		}
		put_number(&inner, 1, i == 1 ? 2 : 1);
		put_bytes(&part, 4, &inner);
		put_bytes(to, 4, &part);
	}
	for (uint64_t i = 1; i <= 3; i++) {
		put_number(&part, 1, i);
		put_number(&part, 2, i + 4);
		put_bytes(to, 5, &part);
	}
	for (size_t i = 0; i < ARRAY_SIZE(strings); i++)
		put_string(to, strings[i]);
	buf_free(&part);
	buf_free(&inner);
}

TEST(pprof_profile)
{
	struct import_options options = { 0 };
	struct import_result result;
	struct buf bytes = { 0 };
	char *got;

	make_profile(&bytes);
	got = fold_bytes(bytes.data, bytes.len, &options, &result);
	EXPECT_TEXT(got, "[unknown];work;helper_[i] 10\nmain;work;helper_[i] 30\n"
			 "[unknown];work;helper_[i] 1\nmain;work;helper_[i] 3\n");
	EXPECT_INT(result.format, IMPORT_PPROF);
	free(got);
	buf_free(&bytes);
}

/* The type of values that the profile names comes first; the last where it names none that is
 * there. */
TEST(pprof_default_type)
{
	static const char samples[] = "[unknown];work;helper_[i] 1\nmain;work;helper_[i] 3\n";
	static const char cpu[] = "[unknown];work;helper_[i] 10\nmain;work;helper_[i] 30\n";
	static const struct {
		uint64_t string;
		const char *first;
	} cases[] = { { 1, samples }, { 3, cpu }, { 5, cpu }, { 0, cpu }, { 99, cpu } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct import_options options = { 0 };
		struct import_result result;
		struct buf bytes = { 0 };
		char *got;

		make_profile(&bytes);
		put_number(&bytes, 14, cases[i].string);
		got = fold_bytes(bytes.data, bytes.len, &options, &result);
		test_case("default_sample_type %llu", (unsigned long long)cases[i].string);
		EXPECT_INT(strlen(got), strlen(samples) + strlen(cpu));
		EXPECT_INT(strncmp(got, cases[i].first, strlen(cases[i].first)), 0);
		free(got);
		buf_free(&bytes);
	}
}

/* A heap: one stack of 2 objects and 30 bytes, and one value without a stack. */
TEST(pprof_of_values)
{
	static const char *const strings[] = { "",	"inuse_objects", "count", "inuse_space",
					       "bytes", "main" };
	struct import_options options = { 0 };
	struct buf bytes = { 0 }, part = { 0 }, inner = { 0 };
	struct import_result result;
	struct profile *profile;
	struct err err = { 0 };
	struct input *input;

	for (uint64_t i = 1; i <= 3; i += 2) {
		put_number(&part, 1, i);
		put_number(&part, 2, i + 1);
		put_bytes(&bytes, 1, &part);
	}
	for (uint64_t i = 0; i < 2; i++) {
		if (!i)
			put_number(&part, 1, 1);
		put_number(&part, 2, i ? 1 : 2);
		put_number(&part, 2, i ? 10 : 30);
		put_bytes(&bytes, 2, &part);
	}
	for (int i = 0; i < 3; i++) { /* a difference: less than nothing, of the space alone */
		put_number(&part, 1, 1);
		put_number(&part, 2, 0);
		put_number(&part, 2, (uint64_t)-7);
		put_bytes(&bytes, 2, &part);
	}
	put_number(&part, 1, 1);
	put_number(&inner, 1, 1);
	put_bytes(&part, 4, &inner);
	put_bytes(&bytes, 4, &part);
	put_number(&part, 1, 1);
	put_number(&part, 2, 5);
	put_bytes(&bytes, 5, &part);
	for (size_t i = 0; i < ARRAY_SIZE(strings); i++)
		put_string(&bytes, strings[i]);
	input = input_of(bytes.data, bytes.len);
	EXPECT_INT(import_read(input, &options, &result, &err), 0);
	profile = result.profile;
	EXPECT_TEXT(profile_text(profile, profile->events.data[0].name), "inuse_space");
	EXPECT_TEXT(profile_noun(profile, 0), "inuse_objects");
	EXPECT_TEXT(profile_noun(profile, 1), "inuse_objects");
	EXPECT_INT(profile->events.data[0].weight, 40);
	EXPECT_INT(result.broken, 0);
	EXPECT_INT(result.negative, 3);
	EXPECT_INT(result.negative_weight[0], 21);
	EXPECT_INT(result.negative_weight[1], 0);
	EXPECT_INT(profile->quality.origin, ORIGIN_VALUES);
	EXPECT_INT(profile->quality.without_stack, 2); /* of each type one */
	EXPECT_INT(profile->quality.unknown_leaves, 0);
	profile_free(profile);
	input_close(input);
	buf_free(&bytes);
	buf_free(&part);
	buf_free(&inner);
}

/* Cut anywhere it is refused, or what is left is a whole profile; never read past the end. */
TEST(pprof_cut)
{
	struct import_options options = { 0 };
	struct buf bytes = { 0 };

	make_profile(&bytes);
	for (size_t cut = 1; cut < bytes.len; cut++) {
		char *copy = mem_alloc(cut);
		struct import_result result;
		struct err err = { 0 };
		struct input *input;
		int rc;

		memcpy(copy, bytes.data, cut);
		input = input_of(copy, cut);
		rc = import_read(input, &options, &result, &err);
		test_case("cut at %zu", cut);
		EXPECT(rc == 0 || rc == -EBADMSG);
		EXPECT_BOOL(result.profile, !rc);
		profile_free(result.profile);
		input_close(input);
		free(copy);
	}
	buf_free(&bytes);
}
