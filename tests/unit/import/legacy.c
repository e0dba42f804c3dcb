// SPDX-License-Identifier: Apache-2.0
/* What pprof read before profile.proto. */
#include "base/buf.h"
#include "import/fold.h"
#include "import/input.h"
#include "test.h"

#include <errno.h>
#include <stdlib.h>

static void expect_fold(const char *text, const char *want)
{
	struct import_result result;
	char *got = fold_text(text, &result);

	EXPECT_INT(result.format, IMPORT_LEGACY);
	EXPECT_TEXT(got, want);
	free(got);
}

TEST(legacy_heap)
{
	/* Every allocation was seen: nothing to scale; callers' addresses are behind the call. */
	expect_fold("heap profile: 3: 300 [3: 300] @ heapprofile\n"
		    "  2: 200 [2: 200] @ 0x11 0x21\n"
		    "  1: 100 [1: 100] @ 0x12 0x401\n"
		    "MAPPED_LIBRARIES:\n"
		    "400-500 r-xp 00000000 00:00 12 /bin/prog\n",
		    "0x20;0x10 200\n0x400;0x11 100\n0x20;0x10 2\n0x400;0x11 1\n");
	/* 1 / (1 - exp(-100 / 50)) = 1.1565 of what was seen; what was freed again comes first. */
	expect_fold("heap profile: 2: 200 [20: 2000] @ heap/100\n"
		    "2: 200 [20: 2000] @ 0x11\n"
		    "0: 0 [0: 0] @ 0x31\n",
		    "0x10 231\n0x10 23\n0x10 2313\n0x10 2\n");
	expect_fold("heap profile: 1: 64 [1: 64] @ growthz\n 1: 64 [1: 64] @ 0x8 0x9\n",
		    "0x8;0x7 64\n0x8;0x7 1\n");
}

TEST(legacy_counts)
{
	expect_fold("# a comment\n\ngoroutine profile: total 3\n2 @ 0x11 0x21\n1 @ 0x31\n\n"
		    "--- something else ---\n9 @ 0x1\n",
		    "0x20;0x10 2\n0x30 1\n");
}

TEST(legacy_contention)
{
	/* 10 cycles of 2 a nanosecond, a hundredth of which was seen. */
	expect_fold("--- contentionz 1 ---\ncycles/second = 2000000000\nsampling period = 100\n"
		    "ms since reset = 1\n  10  3 @ 0x11 0x21\n",
		    "0x20;0x10 500\n0x20;0x10 300\n");
	expect_fold("--- mutex:\n 10  3 @ 0x11\n", "0x10 10\n0x10 3\n");
	expect_fold("--- contentionz 1 ---\nformat = java\nresolution = microseconds\n"
		    "sampling period = 2\n  10  3 @ 0x1 0x2\n 0x1 com.x.f (X.java:1)\n 0x2 GC\n",
		    "GC;com.x.f 20\nGC;com.x.f 6\n");
}

TEST(legacy_threads)
{
	expect_fold("--- threadz 1 ---\n\n"
		    "--- Thread 7f (name: main/12) stack: ---\n"
		    "  PC: 0x10: wait(int)\n  0x21: main\n"
		    "--- Thread 80 (name: helper/13) stack: ---\n"
		    "  [same as previous thread]\n"
		    "--- Thread 81 (name: other/14) stack: ---\n"
		    "  PC: 0x30 0x41\n      creator: 0x51\n"
		    "--- Memory map: ---\n  00000000-00001000: /bin/prog\n",
		    "helper-?/13;main;wait(int) 1\nmain-?/12;main;wait(int) 1\n"
		    "other-?/14;0x50;0x40;0x30 1\n");
}

static void put_word(struct buf *to, uint64_t value, bool wide, bool big)
{
	size_t size = wide ? 8 : 4;

	for (size_t i = 0; i < size; i++)
		buf_putc(to, (char)(value >> 8 * (big ? size - 1 - i : i)));
}

static void make_cpu(struct buf *to, bool java, bool wide, bool big)
{
	static const uint64_t samples[] = { 3, 2, 0x10, 0x21, 1, 3, 0x30, 0x30, 0x21, 0, 1, 0 };
	const uint64_t head[] = { 0, 3, java, 1000, 0 };

	for (size_t i = 0; i < ARRAY_SIZE(head); i++)
		put_word(to, head[i], wide, big);
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		put_word(to, samples[i], wide, big);
	buf_puts(to, java ? " 0x10 work (A.java:3)\n 0x021 main (A.java:9)\n"
			  : "00000000-00001000: /bin/prog\n");
}

/* Words of either size and order; a leaf that comes twice is one, but for Java's methods. */
TEST(legacy_cpu)
{
	for (int form = 0; form < 8; form++) {
		struct import_options options = { 0 };
		struct import_result result;
		struct buf bytes = { 0 };
		char *got;

		test_case("form %d", form);
		make_cpu(&bytes, form & 1, form & 2, form & 4);
		got = fold_bytes(bytes.data, bytes.len, &options, &result);
		EXPECT_TEXT(got, form & 1 ? "main;0x30;0x30 1000000\nmain;work 3000000\n"
					    "main;0x30;0x30 1\nmain;work 3\n"
					  : "0x20;0x10 3000000\n0x20;0x30 1000000\n"
					    "0x20;0x10 3\n0x20;0x30 1\n");
		free(got);
		buf_free(&bytes);
	}
}

/* Cut anywhere: refused or read, never past the end. */
TEST(legacy_cut)
{
	static const char text[] = "--- threadz 1 ---\n--- Thread 7f (name: main/12) stack: ---\n"
				   "  PC: 0x10: wait(int)\n  0x21: main\n--- Thread 80 (name: h/1)";
	struct import_options options = { 0 };
	struct buf cpu = { 0 };

	make_cpu(&cpu, true, true, false);
	for (size_t i = 1; i < sizeof(text) + cpu.len; i++) {
		bool binary = i >= sizeof(text);
		size_t size = binary ? i - sizeof(text) + 1 : i;
		char *copy = mem_alloc(size);
		struct import_result result;
		struct err err = { 0 };
		struct input *input;

		memcpy(copy, binary ? cpu.data : text, size);
		input = input_of(copy, size);
		if (!import_read(input, &options, &result, &err))
			profile_free(result.profile);
		input_close(input);
		free(copy);
	}
	buf_free(&cpu);
}

TEST(legacy_damaged)
{
	static const char *const texts[] = {
		"heap profile: 1: 2 [\n",
		"--- threadz 1 ---\nnothing\n",
	};
	struct import_options options = { 0 };
	struct import_result result;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct input *input = input_of(texts[i], strlen(texts[i]));
		struct err err = { 0 };

		test_case("text %zu", i);
		EXPECT_INT(import_read(input, &options, &result, &err), -EBADMSG);
		input_close(input);
	}
	free(fold_text("goroutine profile: total 3\n2 @ 0x11\nnonsense\n-1 @ 0x12\n", &result));
	EXPECT_INT(result.broken, 2);
	EXPECT_INT(result.broken_line, 3);
	free(fold_text(
		"heap profile: 1: 1 [1: 1] @ heap_v2/99999999999999999999\n"
		"-1: -5 [9223372036854775807: 9223372036854775807] @ 0xfffffffffffffffffff\n",
		&result));
}
