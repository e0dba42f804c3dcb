// SPDX-License-Identifier: Apache-2.0
#include "perfdata/source.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void source_init_fd(struct source *source, int fd, bool owned)
{
	*source = (struct source){ .fd = fd, .owned = owned };
	source->stream = lseek(fd, 0, SEEK_CUR) < 0;
	/* Not cleared: what was never read is never looked at. */
	source->buffer = mem_resize(NULL, SOURCE_WINDOW, 1);
	source->window = source->buffer;
}

void source_init_mem(struct source *source, const void *bytes, size_t size)
{
	*source = (struct source){ .fd = -1, .window = bytes, .length = size };
}

void source_fini(struct source *source)
{
	free(source->buffer);
	if (source->owned)
		close(source->fd);
	*source = (struct source){ .fd = -1 };
}

/* read or pread until `size` bytes are there, the source ends or fails. */
static size_t read_some(struct source *source, uint64_t offset, void *into, size_t want,
			size_t room)
{
	size_t done = 0;

	while (done < want) {
		ssize_t got;

		if (source->stream)
			got = read(source->fd, (char *)into + done, room - done);
		else
			got = pread(source->fd, (char *)into + done, room - done,
				    (off_t)(offset + done));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			source->error = errno;
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	return done;
}

static size_t fill_file(struct source *source, uint64_t offset)
{
	size_t into = offset & 7;

	source->start = offset - into;
	source->length = 0;
	if (offset <= INT64_MAX - SOURCE_WINDOW)
		source->length = read_some(source, source->start, source->buffer, SOURCE_WINDOW,
					   SOURCE_WINDOW);
	return source->length > into ? source->length - into : 0;
}

/* Forgets what lies before offset, which may be further on than what was read so far. */
static bool drop_before(struct source *source, uint64_t offset)
{
	uint64_t start = offset & ~(uint64_t)7, gone;

	while ((gone = start - source->start) > source->length) {
		size_t upto = gone < SOURCE_WINDOW ? (size_t)gone : SOURCE_WINDOW;

		source->length += read_some(source, 0, source->buffer + source->length,
					    upto - source->length, upto - source->length);
		if (source->length < upto)
			return false;
		if (upto == SOURCE_WINDOW) {
			source->start += SOURCE_WINDOW;
			source->length = 0;
		}
	}
	memmove(source->buffer, source->buffer + gone, source->length - gone);
	source->start = start;
	source->length -= gone;
	return true;
}

static size_t fill_stream(struct source *source, uint64_t offset, size_t want)
{
	size_t have;

	if (offset < source->start || !drop_before(source, offset))
		return 0;
	want += offset & 7;
	if (source->length < want)
		source->length += read_some(source, 0, source->buffer + source->length,
					    want - source->length, SOURCE_WINDOW - source->length);
	source_at(source, offset, &have);
	return have;
}

size_t source_fill(struct source *source, uint64_t offset, size_t want)
{
	size_t have;

	if (source->fd < 0) {
		source_at(source, offset, &have);
		return have;
	}
	if (source->stream)
		return fill_stream(source, offset, want);
	return fill_file(source, offset);
}

size_t source_read(struct source *source, uint64_t offset, void *into, size_t size)
{
	const unsigned char *at;
	size_t have;

	if (source->stream || !size)
		return 0;
	if (source->fd >= 0)
		return offset > (uint64_t)INT64_MAX - size
			       ? 0
			       : read_some(source, offset, into, size, size);
	at = source_at(source, offset, &have);
	if (have > size)
		have = size;
	if (have)
		memcpy(into, at, have);
	return have;
}

uint64_t source_size(const struct source *source)
{
	struct stat info;

	if (source->fd < 0)
		return source->length;
	if (source->stream || fstat(source->fd, &info) || S_ISBLK(info.st_mode))
		return UINT64_MAX;
	return (uint64_t)info.st_size;
}

int source_spool(struct source *source, struct err *err)
{
	FILE *file = tmpfile(); /* has no name: it goes when we close it */
	int fd = file ? fcntl(fileno(file), F_DUPFD_CLOEXEC, 3) : -1, rc;

	if (file)
		fclose(file);
	if (fd < 0)
		return err_set(err, errno, "no room to keep the stream: %s", strerror(errno));
	do {
		rc = fd_write_all(fd, source->buffer, source->length);
		source->length =
			rc ? 0 : read_some(source, 0, source->buffer, SOURCE_WINDOW, SOURCE_WINDOW);
	} while (source->length);
	if (rc) {
		close(fd);
		return err_set(err, -rc, "no room to keep the stream: %s", strerror(-rc));
	}
	source_fini(source);
	source_init_fd(source, fd, true);
	return 0;
}
