// SPDX-License-Identifier: Apache-2.0
#include "server/link.h"
#include "base/buf.h"
#include "base/err.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

TEST(link_reads_an_answer)
{
	int fd = memfd_create("answer", MFD_CLOEXEC);
	struct buf answer = { 0 };

	EXPECT_INT(write(fd, "{}", 2), 2);
	EXPECT_INT(link_read_answer(fd, &answer, NULL), 0);
	EXPECT_TEXT(buf_text(&answer), "{}");
	buf_free(&answer);
	close(fd);
}

/* A file without a size that has always more is as one that grows while it is read. */
TEST(link_reads_no_answer_without_end)
{
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	struct buf answer = { 0 };
	struct err err = { 0 };

	EXPECT_INT(link_read_answer(fd, &answer, &err), -EMSGSIZE);
	EXPECT(answer.len <= LINK_ANSWER_MOST);
	buf_free(&answer);
	close(fd);
}
