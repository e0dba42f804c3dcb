// SPDX-License-Identifier: Apache-2.0
#include "ipc/message.h"
#include "base/arena.h"
#include "base/buf.h"
#include "ipc/talk.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static const char *some_words[] = { "one", "", "two words" };

static struct talk_all sample(void)
{
	return (struct talk_all){ .number = UINT64_MAX,
				  .offset = INT64_MIN,
				  .yes = true,
				  .text = "text \xff",
				  .words = { .data = some_words, .len = 3 },
				  .bytes = { "a\0b", 3 },
				  .first = -1,
				  .second = 5 };
}

static void *decode(const struct buf *bytes, const int *fds, struct arena *arena, struct err *err)
{
	struct ipc_header header;

	memcpy(&header, bytes->data, sizeof(header));
	if (ipc_check_header(&talk, &header, err))
		return NULL;
	EXPECT_INT(bytes->len, sizeof(header) + header.size);
	return ipc_decode(&talk, &header, bytes->data + sizeof(header), fds, arena, err);
}

TEST(message_there_and_back)
{
	struct talk_all sent = sample(), *got;
	int fds[IPC_MOST_FDS];
	struct arena arena = { 0 };
	struct buf bytes = { 0 };
	struct err err = { 0 };

	EXPECT_INT(ipc_encode(&talk, &talk_all, &sent, &bytes, fds, &err), 0);
	EXPECT_INT(fds[0], 5);
	fds[0] = 77; /* the kernel gives another number */
	got = decode(&bytes, fds, &arena, &err);
	EXPECT_TEXT(err.text, "");
	EXPECT(got->number == UINT64_MAX);
	EXPECT(got->offset == INT64_MIN);
	EXPECT(got->yes);
	EXPECT_TEXT(got->text, sent.text);
	EXPECT_INT(got->words.len, 3);
	EXPECT_TEXT(got->words.data[1], "");
	EXPECT_TEXT(got->words.data[2], "two words");
	EXPECT_INT(got->bytes.size, 3);
	EXPECT_INT(memcmp(got->bytes.data, "a\0b", 3), 0);
	EXPECT_INT(got->first, -1);
	EXPECT_INT(got->second, 77);
	arena_free(&arena);
	buf_free(&bytes);
}

TEST(message_of_nothing)
{
	struct talk_all empty = { .first = -1, .second = -1 }, *got;
	struct talk_nothing nothing = { 0 };
	int fds[IPC_MOST_FDS];
	struct arena arena = { 0 };
	struct buf bytes = { 0 };
	struct err err = { 0 };

	EXPECT_INT(ipc_encode(&talk, &talk_all, &empty, &bytes, fds, &err), 0);
	got = decode(&bytes, fds, &arena, &err);
	EXPECT(got);
	EXPECT_TEXT(got->text, "");
	EXPECT_INT(got->words.len, 0);
	EXPECT_INT(got->bytes.size, 0);
	buf_clear(&bytes);
	EXPECT_INT(ipc_encode(&talk, &talk_nothing, &nothing, &bytes, fds, &err), 0);
	EXPECT_INT(bytes.len, sizeof(struct ipc_header));
	EXPECT(decode(&bytes, fds, &arena, &err));
	arena_free(&arena);
	buf_free(&bytes);
}

TEST(message_too_long_is_not_sent)
{
	static const struct ipc_type stranger = IPC_TYPE("stranger", struct talk_nothing,
							 talk_nothing_fields);
	struct talk_all text = sample(), words = sample(), bytes = sample();
	int fds[IPC_MOST_FDS];
	struct buf out = { 0 };
	struct err err = { 0 };

	text.text = "123456789012345678901";
	EXPECT_INT(ipc_encode(&talk, &talk_all, &text, &out, fds, &err), -E2BIG);
	EXPECT_TEXT(err.text, "all: text is longer than 20 bytes");
	words.words.data = (const char *[]){ "1234567890", "1234567890", "12345678" };
	EXPECT_INT(ipc_encode(&talk, &talk_all, &words, &out, fds, &err), -E2BIG);
	bytes.bytes.size = 600001;
	EXPECT_INT(ipc_encode(&talk, &talk_all, &bytes, &out, fds, &err), -E2BIG);
	EXPECT_INT(ipc_encode(&talk, &stranger, &text, &out, fds, &err), -EINVAL);
	EXPECT_INT(out.len, 0);
	buf_free(&out);
}

/* Cut anywhere, a byte longer anywhere: refused by name, never read past its end. */
TEST(message_of_another_length_is_refused)
{
	struct talk_all sent = sample();
	int fds[IPC_MOST_FDS];
	struct arena arena = { 0 };
	struct buf bytes = { 0 };
	struct ipc_header header;

	EXPECT_INT(ipc_encode(&talk, &talk_all, &sent, &bytes, fds, NULL), 0);
	memcpy(&header, bytes.data, sizeof(header));
	for (uint32_t size = 0; size < header.size + 20; size++) {
		struct ipc_header other = { .size = size, .type = header.type, .fds = 1 };
		char *copy = mem_alloc(size + 1);
		struct err err = { 0 };

		test_case("%u bytes of %u", size, header.size);
		memcpy(copy, bytes.data + sizeof(header), size < header.size ? size : header.size);
		EXPECT_BOOL(ipc_decode(&talk, &other, copy, fds, &arena, &err),
			    size == header.size);
		EXPECT_INT(err.code, size == header.size ? 0 : EPROTO);
		free(copy);
	}
	arena_free(&arena);
	buf_free(&bytes);
}

TEST(message_malformed_is_refused)
{
	/* offsets in the payload: 0 number, 8 offset, 16 yes, 17 text, 27 words, 46 bytes, 53 54
	 * fds */
	static const struct {
		size_t at;
		unsigned char value;
		const char *why;
	} cases[] = {
		{ 16, 2, "all: yes is" },	   { 17, 21, "all: text is" },
		{ 20, 255, "all: text is" },	   { 22, 0, "all: text is" },
		{ 27, 31, "all: words is" },	   { 45, 'x', "all: words is" },
		{ 48, 255, "all: bytes is" },	   { 53, 1, "all: second is" },
		{ 54, 0, "descriptors too many" }, { 54, 3, "all: second is" },
	};
	struct talk_all sent = sample();
	int fds[IPC_MOST_FDS];
	struct arena arena = { 0 };
	struct buf bytes = { 0 };

	EXPECT_INT(ipc_encode(&talk, &talk_all, &sent, &bytes, fds, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		unsigned char *at = (unsigned char *)bytes.data + sizeof(struct ipc_header) +
				    cases[i].at;
		unsigned char old = *at;
		struct err err = { 0 };

		test_case("byte %zu is %u", cases[i].at, cases[i].value);
		*at = cases[i].value;
		EXPECT(!decode(&bytes, fds, &arena, &err));
		EXPECT_INT(err.code, EPROTO);
		EXPECT_CONTAINS(err.text, cases[i].why);
		*at = old;
	}
	arena_free(&arena);
	buf_free(&bytes);
}

TEST(message_headers)
{
	static const struct {
		struct ipc_header header;
		bool good;
	} cases[] = {
		{ { 0, 0, 0 }, true },
		{ { 0, 1, IPC_MOST_FDS }, true },
		{ { IPC_MOST_BYTES, 1, 0 }, true },
		{ { IPC_MOST_BYTES + 1, 1, 0 }, false },
		{ { 0, 2, 0 }, false },
		{ { 0, UINT16_MAX, 0 }, false },
		{ { 0, 0, IPC_MOST_FDS + 1 }, false },
		{ { UINT32_MAX, 0, 0 }, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err err = { 0 };

		test_case("%zu", i);
		EXPECT_INT(ipc_check_header(&talk, &cases[i].header, &err),
			   cases[i].good ? 0 : -EPROTO);
		EXPECT_BOOL(err.text[0], !cases[i].good);
	}
}

TEST(message_release_closes_what_nobody_took)
{
	struct talk_all message = { .first = open("/dev/null", O_RDONLY), .second = -1 };
	int fd = message.first;

	EXPECT(fd >= 0);
	ipc_release(&talk_all, &message);
	EXPECT_INT(message.first, -1);
	EXPECT_INT(fcntl(fd, F_GETFD), -1);
	ipc_release(&talk_all, &message);
	ipc_release(&talk_all, NULL);
}
