// SPDX-License-Identifier: Apache-2.0
#include "jobs/capture.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "jobs/evloop.h"
#include "jobs/output.h"
#include "store/room.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define PIPE_BYTES (1 << 20)
#define AT_ONCE	   16	     /* pieces, before others have their turn */
#define LOOK_EVERY (1 << 20) /* bytes between two looks at the disk */
#define DRAIN_MOST 64	     /* pieces that are still taken from a pipe after the end */

/* Whole or not at all: a piece that the disk has no room for is cut off again. */
static bool write_piece(struct capture *capture, int stream, const char *bytes, size_t size)
{
	struct output_piece piece = { .time_ns = (uint64_t)clock_now_ns(),
				      .stream = (uint32_t)stream,
				      .size = (uint32_t)size };
	struct iovec parts[] = { { &piece, sizeof(piece) }, { (char *)bytes, size } };
	ssize_t wanted = (ssize_t)(sizeof(piece) + size);

	if (pwritev(capture->file, parts, 2, (off_t)capture->at) != wanted) {
		if (ftruncate(capture->file, (off_t)capture->at))
			capture->file = -1; /* nothing can be relied on there */
		return false;
	}
	capture->at += (uint64_t)wanted;
	return true;
}

/* What the disk has for files (store/room.h); asked now and then, for a program may print a lot. */
static uint64_t room_on_disk(struct capture *capture)
{
	struct disk disk;

	if (!capture->until_look && !disk_look(capture->file, &disk)) {
		capture->disk = disk.left > disk.floor ? (uint64_t)(disk.left - disk.floor) : 0;
		capture->until_look = LOOK_EVERY;
	}
	return capture->until_look ? capture->disk : UINT64_MAX;
}

static void keep(struct capture *capture, int stream, const char *bytes, size_t size)
{
	uint64_t limit = capture->limit ? capture->limit - capture->kept : UINT64_MAX;
	uint64_t disk = capture->file >= 0 ? room_on_disk(capture) : 0;
	uint64_t room = disk < limit ? disk : limit;
	size_t part = size < room ? size : (size_t)room;

	if (capture->file < 0 || (part && !write_piece(capture, stream, bytes, part)))
		part = 0;
	capture->kept += part;
	capture->disk -= part < capture->disk ? part : capture->disk;
	capture->until_look -= size < capture->until_look ? size : capture->until_look;
	capture->cut += size - part;
}

/* False at the end of the pipe. */
static bool take(struct capture *capture, int which)
{
	ssize_t got = read(capture->pipes[which], capture->room, OUTPUT_PIECE);

	if (got > 0)
		keep(capture, which ? OUTPUT_STDERR : OUTPUT_STDOUT, capture->room, (size_t)got);
	return got > 0 || (got < 0 && errno == EINTR);
}

static void close_pipe(struct capture *capture, int which)
{
	if (capture->pipes[which] < 0)
		return;
	evloop_unwatch(capture->loop, capture->pipes[which]);
	close(capture->pipes[which]);
	capture->pipes[which] = -1;
}

static void ready(struct capture *capture, int which, short revents)
{
	bool more = true;

	for (int i = 0; i < AT_ONCE && more; i++)
		more = take(capture, which);
	/* all writers have closed it, and it is empty */
	if (!more && revents & POLLHUP && !(revents & POLLIN))
		close_pipe(capture, which);
}

static void stdout_ready(void *user, short revents)
{
	ready(user, 0, revents);
}

static void stderr_ready(void *user, short revents)
{
	ready(user, 1, revents);
}

int capture_open(struct capture *capture, struct evloop *loop, int file, uint64_t limit,
		 int theirs[static 2], struct err *err)
{
	*capture =
		(struct capture){ .loop = loop, .pipes = { -1, -1 }, .file = file, .limit = limit };
	theirs[0] = theirs[1] = -1;
	for (int i = 0; i < 2; i++) {
		int pair[2];

		if (pipe2(pair, O_CLOEXEC))
			return err_set(err, errno, "pipe: %s", strerror(errno));
		capture->pipes[i] = pair[0];
		theirs[i] = pair[1];
		fcntl(pair[0], F_SETFL, O_NONBLOCK);
		fcntl(pair[0], F_SETPIPE_SZ, PIPE_BYTES);
		evloop_watch(loop, pair[0], POLLIN, i ? stderr_ready : stdout_ready, capture);
	}
	capture->room = mem_alloc(OUTPUT_PIECE);
	return 0;
}

void capture_close(struct capture *capture)
{
	for (int i = 0; i < 2; i++) {
		for (int n = 0; n < DRAIN_MOST && capture->pipes[i] >= 0 && capture->room; n++)
			if (!take(capture, i))
				break;
		close_pipe(capture, i);
	}
	free(capture->room);
	capture->room = NULL;
}
