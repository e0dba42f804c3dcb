// SPDX-License-Identifier: Apache-2.0
#include "perfdata/tracing_walk.h"
#include "base/buf.h"
#include "perfdata/maker.h"
#include "test.h"

#include <errno.h>
#include <stdlib.h>

static const char format[] = "name: fault\nID: 317\nformat:\n\tfield:int x;\toffset:8;\tsize:4;"
			     "\tsigned:1;\n\nprint fmt: \"x=%d\", REC->x\n";

static void sized(struct maker *maker, const char *text)
{
	make_u64(maker, strlen(text));
	make_bytes(maker, text, strlen(text));
}

static void make_tracing(struct maker *maker)
{
	make_bytes(maker, "\x17\x08\x44tracing0.6", 14);
	make_bytes(maker, maker->big ? "\1\x8" : "\0\x8", 2);
	make_u32(maker, 4096);
	make_bytes(maker, "header_page", 12);
	sized(maker, "the page");
	make_bytes(maker, "header_event", 13);
	sized(maker, "the event");
	make_u32(maker, 0); /* ftrace's own */
	make_u32(maker, 1);
	make_bytes(maker, "exceptions", 11);
	make_u32(maker, 1);
	sized(maker, format);
	make_u32(maker, 0); /* kallsyms */
	make_u32(maker, 5);
	make_bytes(maker, "print", 5);
}

static void note(const char *system, const char *text, size_t size, void *user)
{
	char name[32];
	uint64_t id;

	EXPECT(tracing_name(text, size, name, sizeof(name), &id));
	buf_printf(user, "%s:%s=%d ", system, name, (int)id);
}

TEST(tracing_walk_finds_the_formats)
{
	for (int big = 0; big < 2; big++) {
		struct maker maker = { .big = big };
		struct tracing_head head;
		struct buf seen = { 0 };

		make_tracing(&maker);
		EXPECT_INT(tracing_walk(maker.out.data, maker.out.len, &head, note, &seen), 0);
		EXPECT_TEXT(buf_text(&seen), "exceptions:fault=317 ");
		EXPECT_BOOL(head.big_endian, big);
		EXPECT_INT(head.page_size, 4096);
		EXPECT_INT(head.header_page_size, 8);
		EXPECT_INT(head.printk_size, 5);
		buf_free(&seen);
		make_free(&maker);
	}
}

TEST(tracing_walk_says_where_it_is_cut)
{
	struct maker maker = { 0 };

	make_tracing(&maker);
	for (size_t size = 0; size < maker.out.len; size++) {
		char *copy = mem_alloc(size + 1);
		struct tracing_head head;
		struct buf seen = { 0 };

		memcpy(copy, maker.out.data, size);
		test_case("%zu of %zu", size, maker.out.len);
		EXPECT_INT(tracing_walk(copy, size, &head, note, &seen), -EBADMSG);
		buf_free(&seen);
		free(copy);
	}
	make_free(&maker);
}
