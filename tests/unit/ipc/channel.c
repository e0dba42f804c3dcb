// SPDX-License-Identifier: Apache-2.0
#include "ipc/channel.h"
#include "base/arena.h"
#include "base/buf.h"
#include "ipc/talk.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static struct channel *here, *there;
static int raw; /* the other end of `here`, where it is no channel */
static struct arena arena;
static struct err err;

static void join(void)
{
	int fds[2];

	err = (struct err){ 0 };
	EXPECT_INT(channel_pair(fds, &err), 0);
	here = channel_new(fds[0], &talk);
	there = channel_new(fds[1], &talk);
}

static void join_raw(void)
{
	int fds[2];

	err = (struct err){ 0 };
	EXPECT_INT(channel_pair(fds, &err), 0);
	here = channel_new(fds[0], &talk);
	raw = fds[1];
}

static void part(void)
{
	channel_free(here);
	channel_free(there);
	here = there = NULL;
	if (raw > 0)
		close(raw);
	raw = 0;
	arena_free(&arena);
}

static int receive(struct channel *channel, struct talk_all **message)
{
	const struct ipc_type *type = NULL;
	void *got = NULL;
	int rc = channel_receive(channel, &arena, &type, &got, &err);

	*message = got;
	if (rc > 0)
		EXPECT(type == &talk_all);
	return rc;
}

static int send_number(struct channel *channel, uint64_t number)
{
	struct talk_all message = { .number = number, .first = -1, .second = -1 };

	return channel_send(channel, &talk_all, &message, &err);
}

TEST(channel_both_ways)
{
	struct talk_all *got;

	join();
	EXPECT_INT(receive(here, &got), 0);
	EXPECT_INT(send_number(here, 1), 0);
	EXPECT_INT(send_number(here, 2), 0);
	EXPECT_INT(send_number(there, 3), 0);
	EXPECT_INT(receive(there, &got), 1);
	EXPECT_INT(got->number, 1);
	EXPECT_INT(receive(there, &got), 1);
	EXPECT_INT(got->number, 2);
	EXPECT_INT(receive(there, &got), 0);
	EXPECT_INT(receive(here, &got), 1);
	EXPECT_INT(got->number, 3);
	part();
}

/* Which file a descriptor is. */
static ino_t file_of(int fd)
{
	struct stat info = { 0 };

	EXPECT_INT(fstat(fd, &info), 0);
	return info.st_ino;
}

TEST(channel_descriptors_stay_with_their_message)
{
	struct talk_all *got;
	int pipes[5][2];

	join();
	for (int i = 0; i < 5; i++) {
		struct talk_all message = { .number = (uint64_t)i, .first = -1, .second = -1 };

		EXPECT_INT(pipe(pipes[i]), 0);
		if (i != 2) /* one without any between them */
			message.second = pipes[i][0];
		if (i == 3)
			message.first = pipes[i][1];
		EXPECT_INT(channel_send(here, &talk_all, &message, &err), 0);
	}
	for (int i = 0; i < 5; i++) {
		test_case("message %d", i);
		EXPECT_INT(receive(there, &got), 1);
		EXPECT_INT(got->number, i);
		EXPECT_BOOL(got->second >= 0, i != 2);
		EXPECT_BOOL(got->first >= 0, i == 3);
		if (i != 2) {
			EXPECT(got->second != pipes[i][0]);
			EXPECT(file_of(got->second) == file_of(pipes[i][0]));
			EXPECT(fcntl(got->second, F_GETFD) & FD_CLOEXEC);
		}
		ipc_release(&talk_all, got);
		close(pipes[i][0]);
		close(pipes[i][1]);
	}
	part();
}

TEST(channel_descriptor_that_is_none)
{
	struct talk_all message = { .first = 1000000, .second = -1 }, *got;

	join();
	EXPECT_INT(channel_send(here, &talk_all, &message, &err), -EBADF);
	EXPECT_INT(send_number(here, 7), 0); /* nothing of it is left behind */
	EXPECT_INT(receive(there, &got), 1);
	EXPECT_INT(got->number, 7);
	part();
}

/* More than the socket takes at once: it waits here, and comes out whole and in order. */
TEST(channel_long_messages_wait)
{
	enum { SIZE = 500000, COUNT = 6 };
	char *bytes = mem_alloc(SIZE);
	struct talk_all *got, message = { .bytes = { bytes, SIZE }, .second = -1 };

	join();
	message.first = open("/dev/null", O_RDONLY);
	for (int i = 0; i < COUNT; i++) {
		memset(bytes, 'a' + i, SIZE);
		EXPECT_INT(channel_send(here, &talk_all, &message, &err), 0);
	}
	close(message.first);
	EXPECT_INT(channel_wants(here), POLLIN | POLLOUT);
	for (int i = 0; i < COUNT; i++) {
		int rc;

		while (!(rc = receive(there, &got)))
			EXPECT_INT(channel_flush(here, &err), 0);
		EXPECT_INT(rc, 1);
		EXPECT_INT(got->bytes.size, SIZE);
		memset(bytes, 'a' + i, SIZE);
		EXPECT_INT(memcmp(got->bytes.data, bytes, SIZE), 0);
		EXPECT(got->first >= 0);
		ipc_release(&talk_all, got);
		arena_free(&arena);
	}
	EXPECT_INT(channel_wants(here), POLLIN);
	free(bytes);
	part();
}

TEST(channel_a_peer_that_does_not_read_is_given_up)
{
	struct talk_all message = { .first = -1, .second = -1 };
	int rc = 0;

	join();
	message.bytes = (struct ipc_bytes){ mem_alloc(500000), 500000 };
	for (int i = 0; i < 20 && !rc; i++)
		rc = channel_send(here, &talk_all, &message, &err);
	EXPECT_INT(rc, -ENOBUFS);
	EXPECT_TEXT(err.text, "talk: the other end does not read");
	err = (struct err){ 0 };
	EXPECT_INT(send_number(here, 1), -ENOBUFS);
	EXPECT_TEXT(err.text, "talk: the other end does not read");
	EXPECT_INT(channel_wants(here), 0);
	free((void *)message.bytes.data);
	part();
}

TEST(channel_the_other_end_goes)
{
	struct talk_all *got;

	join();
	EXPECT_INT(send_number(there, 9), 0);
	channel_free(there);
	there = NULL;
	EXPECT_INT(receive(here, &got), 1); /* what it said before is still heard */
	EXPECT_INT(receive(here, &got), -EPIPE);
	EXPECT_TEXT(err.text, "talk: the other end has gone");
	EXPECT_INT(send_number(here, 1), -EPIPE);
	part();
}

/* The kernel calls that a reset; it is an end like the other. */
TEST(channel_the_other_end_goes_without_reading)
{
	struct talk_all *got;

	join();
	EXPECT_INT(send_number(there, 9), 0);
	EXPECT_INT(send_number(here, 1), 0);
	channel_free(there);
	there = NULL;
	EXPECT_INT(receive(here, &got), 1);
	EXPECT_INT(receive(here, &got), -EPIPE);
	EXPECT_TEXT(err.text, "talk: the other end has gone");
	part();
}

TEST(channel_another_version_is_refused)
{
	struct ipc_protocol newer = talk;
	struct talk_all *got;
	int fds[2];

	newer.version++;
	EXPECT_INT(channel_pair(fds, &err), 0);
	here = channel_new(fds[0], &talk);
	there = channel_new(fds[1], &newer);
	EXPECT_INT(send_number(there, 1), 0);
	EXPECT_INT(receive(here, &got), -EPROTO);
	EXPECT_CONTAINS(err.text, "the other end does not speak 'perfolio ");
	EXPECT_CONTAINS(err.text, " talk 3'");
	part();
}

/* Says the right hello by hand, then what the test wants. */
static void say(const void *bytes, size_t size)
{
	char hello[128] = "";

	snprintf(hello, sizeof(hello), "perfolio %s talk 3\n", PERFOLIO_VERSION);
	EXPECT_INT(write(raw, hello, sizeof(hello)), sizeof(hello));
	EXPECT_INT(write(raw, bytes, size), (ssize_t)size);
}

TEST(channel_a_bad_message_ends_it)
{
	static const struct {
		struct ipc_header header;
		const char *why;
	} cases[] = {
		{ { 0, 9, 0 }, "talk: no message has number 9" },
		{ { 1U << 30, 1, 0 }, "talk: a message of 1073741824 bytes" },
		{ { 0, 0, 200 }, "talk: a message with 200 descriptors" },
		{ { 0, 0, 1 }, "talk: a message without its descriptors" },
		{ { 0, 1, 0 }, "talk: all: number is cut, too long or malformed" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct talk_all *got;

		test_case("%s", cases[i].why);
		join_raw();
		say(&cases[i].header, sizeof(cases[i].header));
		EXPECT_INT(receive(here, &got), -EPROTO);
		EXPECT_TEXT(err.text, cases[i].why);
		err = (struct err){ 0 };
		EXPECT_INT(receive(here, &got), -EPROTO); /* for ever, in the same words */
		EXPECT_TEXT(err.text, cases[i].why);
		EXPECT_INT(send_number(here, 1), -EPROTO);
		part();
	}
}

TEST(channel_cut_in_mid_message)
{
	struct ipc_header header = { .size = 100, .type = 1 };
	struct talk_all *got;

	join_raw();
	say(&header, sizeof(header));
	EXPECT_INT(receive(here, &got), 0);
	close(raw);
	raw = 0;
	EXPECT_INT(receive(here, &got), -EPROTO);
	EXPECT_TEXT(err.text, "talk: ended in mid-message");
	part();
}

/* Byte by byte, as a slow peer's stream may come. */
TEST(channel_in_small_pieces)
{
	struct talk_all message = { .number = 4, .text = "slowly", .first = -1, .second = -1 };
	int fds[IPC_MOST_FDS];
	struct buf bytes = { 0 };
	struct talk_all *got = NULL;

	join_raw();
	EXPECT_INT(ipc_encode(&talk, &talk_all, &message, &bytes, fds, &err), 0);
	say(bytes.data, 1);
	for (size_t i = 1; i < bytes.len; i++) {
		EXPECT_INT(receive(here, &got), 0);
		EXPECT_INT(write(raw, bytes.data + i, 1), 1);
	}
	EXPECT_INT(receive(here, &got), 1);
	EXPECT_TEXT(got->text, "slowly");
	buf_free(&bytes);
	part();
}

/* Descriptors that no message takes are a way to fill our table. */
TEST(channel_a_flood_of_descriptors)
{
	_Alignas(struct cmsghdr) char room[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec byte = { .iov_base = (char[]){ 'x' }, .iov_len = 1 };
	struct msghdr header = { .msg_iov = &byte,
				 .msg_iovlen = 1,
				 .msg_control = room,
				 .msg_controllen = sizeof(room) };
	struct cmsghdr *control = CMSG_FIRSTHDR(&header);
	struct talk_all *got;
	int before = dup(0), after, rc = 0, null = open("/dev/null", O_RDONLY);

	close(before);
	join_raw();
	control->cmsg_level = SOL_SOCKET;
	control->cmsg_type = SCM_RIGHTS;
	control->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(control), &null, sizeof(int));
	say("", 0);
	for (int i = 0; i < 100 && !rc; i++) {
		EXPECT_INT(sendmsg(raw, &header, 0), 1);
		rc = i < 7 ? 0 : receive(here, &got);
	}
	EXPECT_INT(rc, -EPROTO);
	close(null);
	part();
	after = dup(0);
	close(after);
	EXPECT_INT(after, before); /* none of them is left open */
}
