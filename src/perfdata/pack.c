// SPDX-License-Identifier: Apache-2.0
#include "perfdata/pack.h"
#include "base/err.h"
#include "base/vec.h"
#include "perfdata/format.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <zstd.h>

struct pack {
	ZSTD_CCtx *zstd;
	uint64_t in, out;
};

struct pack *pack_new(int level, struct err *err)
{
	struct pack *pack = mem_alloc(sizeof(*pack));

	pack->zstd = ZSTD_createCCtx();
	if (!pack->zstd ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(pack->zstd, ZSTD_c_compressionLevel, level))) {
		err_set(err, EINVAL, "zstd does not take the level %d", level);
		pack_free(pack);
		return NULL;
	}
	return pack;
}

void pack_free(struct pack *pack)
{
	if (!pack)
		return;
	ZSTD_freeCCtx(pack->zstd);
	free(pack);
}

uint64_t pack_bytes_in(const struct pack *pack)
{
	return pack->in;
}

uint64_t pack_bytes_out(const struct pack *pack)
{
	return pack->out;
}

/* Opens a COMPRESSED record at the end of *into with all its room; close_record cuts it. */
static size_t open_record(struct buf *into)
{
	size_t start = into->len;

	vec_reserve(into, into->len + PERF_RECORD_MAX_SIZE + 1);
	into->len += sizeof(struct perf_event_header);
	return start;
}

static void close_record(struct buf *into, size_t start)
{
	struct perf_event_header header = { .type = USER_RECORD_COMPRESSED,
					    .size = (uint16_t)(into->len - start) };

	if (header.size == sizeof(header))
		into->len = start;
	else
		memcpy(into->data + start, &header, sizeof(header));
}

static int pack_piece(struct pack *pack, const void *bytes, size_t size, bool last,
		      struct buf *into, size_t *start, struct err *err)
{
	ZSTD_inBuffer in = { bytes, size, 0 };
	ZSTD_EndDirective mode = last ? ZSTD_e_end : ZSTD_e_continue;
	size_t left;

	do {
		size_t room = *start + PERF_RECORD_MAX_SIZE - into->len;
		ZSTD_outBuffer out = { into->data + into->len, room, 0 };

		left = ZSTD_compressStream2(pack->zstd, &out, &in, mode);
		if (ZSTD_isError(left))
			return err_set(err, EIO, "zstd: %s", ZSTD_getErrorName(left));
		into->len += out.pos;
		if (out.pos == room) {
			close_record(into, *start);
			*start = open_record(into);
		}
	} while (last ? left > 0 : in.pos < in.size);
	return 0;
}

int pack_add(struct pack *pack, const struct iovec *parts, int count, struct buf *into,
	     struct err *err)
{
	size_t before = into->len, in_frame = 0, start = open_record(into);

	for (int i = 0; i < count; i++) {
		const char *at = parts[i].iov_base;
		size_t left = parts[i].iov_len;

		while (left) {
			size_t n = left < PACK_CHUNK - in_frame ? left : PACK_CHUNK - in_frame;
			bool ends = in_frame + n == PACK_CHUNK || (n == left && i + 1 == count);
			int rc = pack_piece(pack, at, n, ends, into, &start, err);

			if (rc)
				return rc;
			at += n;
			left -= n;
			in_frame += n;
			pack->in += n;
			if (ends) {
				close_record(into, start);
				start = open_record(into);
				in_frame = 0;
			}
		}
	}
	close_record(into, start);
	pack->out += into->len - before;
	return 0;
}
