// SPDX-License-Identifier: Apache-2.0
#include "perfdata/compress.h"
#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define ROOM  ((size_t)256 * 1024)
#define PIECE 65536

/* Nothing that was recorded is so much smaller when packed; what is made to be takes hours. */
#define MOST_FREE  ((uint64_t)1 << 30)
#define MOST_TIMES 1000

struct inflate {
	ZSTD_DStream *stream;
	ZSTD_inBuffer input;
	unsigned char piece[PIECE];
	const char *error;
	uint64_t fed, made;   /* bytes */
	size_t start, length; /* of what lies in `bytes` and was not taken yet */
	_Alignas(8) unsigned char bytes[ROOM];
};

struct inflate *inflate_new(void)
{
	struct inflate *inflate = mem_alloc(sizeof(*inflate));

	inflate->stream = ZSTD_createDStream();
	if (!inflate->stream)
		abort(); /* out of memory, as in base/mem */
	return inflate;
}

void inflate_free(struct inflate *inflate)
{
	if (!inflate)
		return;
	ZSTD_freeDStream(inflate->stream);
	free(inflate);
}

void inflate_feed(struct inflate *inflate, const void *bytes, size_t size)
{
	size = size < PIECE ? size : PIECE;
	memcpy(inflate->piece, bytes, size);
	inflate->input = (ZSTD_inBuffer){ .src = inflate->piece, .size = size };
	inflate->fed += size;
}

const char *inflate_error(const struct inflate *inflate)
{
	return inflate->error;
}

/* Moves the rest to the front, by whole words so that records keep their alignment. */
static void make_room(struct inflate *inflate)
{
	size_t gone = inflate->start & ~(size_t)7;

	memmove(inflate->bytes, inflate->bytes + gone, inflate->start + inflate->length - gone);
	inflate->start -= gone;
}

size_t inflate_fill(struct inflate *inflate, size_t want, const unsigned char **at)
{
	ZSTD_outBuffer output = { .dst = inflate->bytes, .size = ROOM };
	size_t before, rc;

	if (inflate->length < want && !inflate->error) {
		make_room(inflate);
		output.pos = inflate->start + inflate->length;
		do { /* zstd may keep some back although all input is taken: ask until it is dry */
			before = output.pos;
			rc = ZSTD_decompressStream(inflate->stream, &output, &inflate->input);
			if (ZSTD_isError(rc))
				inflate->error = ZSTD_getErrorName(rc);
		} while (!inflate->error && output.pos < output.size &&
			 (inflate->input.pos < inflate->input.size || output.pos > before));
		inflate->made += output.pos - inflate->start - inflate->length;
		inflate->length = output.pos - inflate->start;
		if (inflate->made > MOST_FREE && inflate->made / MOST_TIMES > inflate->fed)
			inflate->error = "it unpacks to more than 1,000 times its size";
	}
	*at = inflate->bytes + inflate->start;
	return inflate->length;
}

void inflate_advance(struct inflate *inflate, size_t size)
{
	inflate->start += size;
	inflate->length -= size;
}
