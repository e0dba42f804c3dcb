// SPDX-License-Identifier: Apache-2.0
#include "import/input.h"
#include "base/err.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#define RAW_SIZE ((size_t)256 * 1024)

enum packing { PACKED_NOT, PACKED_GZIP, PACKED_ZSTD };

struct input {
	char *name;
	int fd; /* -1: in memory */
	uint64_t position, size;
	enum packing packing;

	/* Bytes as they are in the file, [raw_at, raw_end) not used yet; memory is one such piece.
	 */
	char *raw;
	const char *raw_at, *raw_end;
	bool raw_done;

	z_stream gzip;
	ZSTD_DStream *zstd;
	bool unpacked;	    /* the end of a packed part was reached, and no byte of another seen */
	uint64_t made;	    /* bytes that were unpacked */
	uint64_t most_made; /* that may be, if they are more than most_times the packed ones */
	unsigned most_times;

	char *peeked;
	size_t peeked_at, peeked_size;
	bool has_peeked;
};

/* What the file has next; 0 at its end, which is remembered. */
static ssize_t read_file(struct input *in, void *into, size_t room, struct err *err)
{
	ssize_t got;

	do {
		got = read(in->fd, into, room);
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		return err_set(err, errno, "%s: %s", in->name, strerror(errno));
	in->raw_done = got == 0;
	in->position += (uint64_t)got;
	return got;
}

static int fill_raw(struct input *in, struct err *err)
{
	ssize_t got;

	if (in->raw_done || in->raw_at < in->raw_end)
		return 0;
	got = read_file(in, in->raw, RAW_SIZE, err);
	if (got < 0)
		return (int)got;
	in->raw_at = in->raw;
	in->raw_end = in->raw + got;
	return 0;
}

static enum packing packing_of(const char *bytes, size_t size)
{
	if (size >= 3 && !memcmp(bytes, "\x1f\x8b\x08", 3))
		return PACKED_GZIP;
	if (size >= 4 && !memcmp(bytes, "\x28\xb5\x2f\xfd", 4))
		return PACKED_ZSTD;
	return PACKED_NOT;
}

/* Sees how the bytes are packed; a pipe may give its first bytes one by one. */
static int begin(struct input *in, struct err *err)
{
	while (in->fd >= 0 && !in->raw_done && (size_t)(in->raw_end - in->raw_at) < 4) {
		ssize_t got = read_file(in, in->raw + (in->raw_end - in->raw_at), INPUT_PEEK, err);

		if (got < 0)
			return (int)got;
		in->raw_end += got;
	}
	in->packing = packing_of(in->raw_at, (size_t)(in->raw_end - in->raw_at));
	if (in->packing == PACKED_GZIP && inflateInit2(&in->gzip, 15 + 16) != Z_OK)
		return err_set(err, ENOMEM, "%s: zlib does not start", in->name);
	if (in->packing == PACKED_ZSTD)
		in->zstd = ZSTD_createDStream();
	return 0;
}

struct input *input_open(const char *path, struct err *err)
{
	struct input *in;
	bool standard = !strcmp(path, "-");
	int fd = standard ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st)) {
		err_set(err, errno, "%s: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	in = mem_alloc(sizeof(*in));
	input_limit(in, INPUT_STREAM_BYTES, INPUT_STREAM_TIMES);
	in->fd = fd;
	in->name = mem_strdup(standard ? "standard input" : path);
	in->size = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
	in->raw = mem_alloc(RAW_SIZE);
	in->raw_at = in->raw_end = in->raw;
	if (begin(in, err)) {
		input_close(in);
		return NULL;
	}
	return in;
}

struct input *input_of(const void *bytes, size_t size)
{
	struct input *in = mem_alloc(sizeof(*in));

	input_limit(in, INPUT_STREAM_BYTES, INPUT_STREAM_TIMES);
	in->fd = -1;
	in->name = mem_strdup("bytes in memory");
	in->size = in->position = size;
	in->raw_at = bytes ? bytes : "";
	in->raw_end = in->raw_at + (bytes ? size : 0);
	in->raw_done = true;
	begin(in, NULL);
	return in;
}

void input_close(struct input *in)
{
	if (!in)
		return;
	if (in->packing == PACKED_GZIP)
		inflateEnd(&in->gzip);
	ZSTD_freeDStream(in->zstd);
	if (in->fd >= 0)
		close(in->fd);
	free(in->raw);
	free(in->peeked);
	free(in->name);
	free(in);
}

const char *input_name(const struct input *in)
{
	return in->name;
}

uint64_t input_position(const struct input *in)
{
	return in->position;
}

uint64_t input_size(const struct input *in)
{
	return in->size;
}

bool input_is_packed(const struct input *in)
{
	return in->packing != PACKED_NOT;
}

/* Straight to where it is wanted, once what was looked at is used up. */
static ssize_t read_plain(struct input *in, void *into, size_t room, struct err *err)
{
	size_t size = (size_t)(in->raw_end - in->raw_at);

	if (!size)
		return in->raw_done ? 0 : read_file(in, into, room, err);
	if (size > room)
		size = room;
	memcpy(into, in->raw_at, size);
	in->raw_at += size;
	return (ssize_t)size;
}

static int damaged(const struct input *in, const char *how, struct err *err)
{
	return err_set(err, EBADMSG, "%s: the %s data is damaged", in->name, how);
}

/* One step of unpacking: bytes made, which may be none while more are needed. */
static ssize_t step_gzip(struct input *in, void *into, size_t room, struct err *err)
{
	size_t size = (size_t)(in->raw_end - in->raw_at);
	int rc;

	/* gzip files may be put one behind the other. */
	if (in->unpacked && size) {
		inflateReset(&in->gzip);
		in->unpacked = false;
	}
	in->gzip.next_in = (unsigned char *)(uintptr_t)in->raw_at;
	in->gzip.avail_in = (unsigned)size;
	in->gzip.next_out = into;
	in->gzip.avail_out = (unsigned)room;
	rc = inflate(&in->gzip, Z_NO_FLUSH);
	in->raw_at = in->raw_end - in->gzip.avail_in;
	if (rc == Z_STREAM_END)
		in->unpacked = true;
	else if (rc != Z_OK && rc != Z_BUF_ERROR)
		return damaged(in, "gzip", err);
	return (ssize_t)(room - in->gzip.avail_out);
}

static ssize_t step_zstd(struct input *in, void *into, size_t room, struct err *err)
{
	ZSTD_inBuffer from = { in->raw_at, (size_t)(in->raw_end - in->raw_at), 0 };
	ZSTD_outBuffer to = { into, room, 0 };
	size_t rc = ZSTD_decompressStream(in->zstd, &to, &from);

	in->raw_at += from.pos;
	if (ZSTD_isError(rc))
		return damaged(in, "zstd", err);
	in->unpacked = rc == 0;
	return (ssize_t)to.pos;
}

void input_limit(struct input *in, uint64_t bytes, unsigned times)
{
	in->most_made = bytes;
	in->most_times = times;
}

/* What is packed by whoever wants to fill memory or time is some thousand times larger. */
static int check_size(struct input *in, struct err *err)
{
	uint64_t packed = in->position - (uint64_t)(in->raw_end - in->raw_at);

	if (in->made <= in->most_made || in->made / in->most_times <= packed)
		return 0;
	return err_set(err, EFBIG,
		       "%s: unpacks to more than %llu MB and %u times its size; if that is right, "
		       "unpack it first",
		       in->name, (unsigned long long)(in->most_made >> 20), in->most_times);
}

static ssize_t read_more(struct input *in, void *into, size_t room, struct err *err)
{
	/* zlib counts in 32 bits. */
	size_t most = room < ((size_t)1 << 30) ? room : (size_t)1 << 30;

	if (in->packing == PACKED_NOT)
		return read_plain(in, into, room, err);
	for (;;) {
		ssize_t got = fill_raw(in, err);

		if (got)
			return got;
		if (in->raw_at == in->raw_end && in->unpacked)
			return 0;
		got = in->packing == PACKED_GZIP ? step_gzip(in, into, most, err)
						 : step_zstd(in, into, most, err);
		if (got > 0) {
			in->made += (uint64_t)got;
			return check_size(in, err) ? -EFBIG : got;
		}
		if (got)
			return got;
		if (in->raw_at == in->raw_end && in->raw_done && !in->unpacked)
			return err_set(err, EBADMSG, "%s: the packed data ends too early",
				       in->name);
	}
}

int input_peek(struct input *in, const char **bytes, size_t *size, struct err *err)
{
	if (!in->has_peeked) {
		in->peeked = mem_alloc(INPUT_PEEK);
		while (in->peeked_size < INPUT_PEEK) {
			ssize_t got = read_more(in, in->peeked + in->peeked_size,
						INPUT_PEEK - in->peeked_size, err);

			if (got < 0)
				return (int)got;
			if (!got)
				break;
			in->peeked_size += (size_t)got;
		}
		in->has_peeked = true;
	}
	*bytes = in->peeked;
	*size = in->peeked_size;
	return 0;
}

ssize_t input_read(struct input *in, void *into, size_t room, struct err *err)
{
	size_t size = in->peeked_size - in->peeked_at;

	if (!size)
		return read_more(in, into, room, err);
	if (size > room)
		size = room;
	memcpy(into, in->peeked + in->peeked_at, size);
	in->peeked_at += size;
	return (ssize_t)size;
}

int input_read_all(struct input *in, struct buf *into, uint64_t most, struct err *err)
{
	char *piece = mem_alloc(RAW_SIZE);
	ssize_t got;

	input_limit(in, INPUT_WHOLE_BYTES, INPUT_WHOLE_TIMES);
	while ((got = input_read(in, piece, RAW_SIZE, err)) > 0) {
		if (into->len + (uint64_t)got > most) {
			got = err_set(err, EFBIG,
				      "%s: more than %llu MB when unpacked; this format is "
				      "read as a whole",
				      in->name, (unsigned long long)(most >> 20));
			break;
		}
		buf_add(into, piece, (size_t)got);
	}
	free(piece);
	return (int)got;
}
