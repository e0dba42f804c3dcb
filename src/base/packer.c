// SPDX-License-Identifier: Apache-2.0
#include "base/packer.h"
#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#define PIECE	   ((size_t)128 * 1024)
#define GZIP_LEVEL 4
#define ZSTD_LEVEL 3

struct packer {
	int fd;
	z_stream gzip;
	enum packing packing;
	ZSTD_CStream *zstd;
	bool broken; /* the library had no memory to begin with */
	unsigned char piece[PIECE];
};

const char *packing_suffix(enum packing packing)
{
	return packing == PACK_GZIP ? ".gz" : packing == PACK_ZSTD ? ".zst" : "";
}

enum packing packing_of_name(const char *name)
{
	size_t length = strlen(name);

	for (enum packing packing = PACK_GZIP; packing <= PACK_ZSTD; packing++) {
		size_t tail = strlen(packing_suffix(packing));

		if (length > tail && !strcmp(name + length - tail, packing_suffix(packing)))
			return packing;
	}
	return PACK_NOT;
}

struct packer *packer_new(int fd, enum packing packing)
{
	struct packer *packer = mem_alloc(sizeof(*packer));

	packer->fd = fd;
	packer->packing = packing;
	if (packing == PACK_ZSTD) {
		packer->zstd = ZSTD_createCStream();
		packer->broken = !packer->zstd ||
				 ZSTD_isError(ZSTD_CCtx_setParameter(
					 packer->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL));
	} else {
		packer->broken = deflateInit2(&packer->gzip, GZIP_LEVEL, Z_DEFLATED, 15 + 16, 8,
					      Z_DEFAULT_STRATEGY) != Z_OK;
	}
	return packer;
}

static int gzip_write(struct packer *p, const void *bytes, size_t size, int flush)
{
	int state, rc = 0;

	/* zlib's own count has 32 bits; pieces of an outbuf are far smaller. */
	p->gzip.next_in = (unsigned char *)(uintptr_t)bytes;
	p->gzip.avail_in = (unsigned)size;
	do {
		p->gzip.next_out = p->piece;
		p->gzip.avail_out = PIECE;
		state = deflate(&p->gzip, flush);
		rc = fd_write_all(p->fd, p->piece, PIECE - p->gzip.avail_out);
	} while (!rc &&
		 (flush == Z_FINISH ? state == Z_OK || state == Z_BUF_ERROR : !p->gzip.avail_out));
	return rc;
}

static int zstd_write(struct packer *p, const void *bytes, size_t size, ZSTD_EndDirective end)
{
	ZSTD_inBuffer in = { bytes, size, 0 };
	size_t left;
	int rc;

	do {
		ZSTD_outBuffer out = { p->piece, PIECE, 0 };

		left = ZSTD_compressStream2(p->zstd, &out, &in, end);
		if (ZSTD_isError(left))
			return -EIO;
		rc = fd_write_all(p->fd, p->piece, out.pos);
	} while (!rc && (end == ZSTD_e_end ? left > 0 : in.pos < in.size));
	return rc;
}

int packer_write(struct packer *packer, const void *bytes, size_t size)
{
	if (packer->broken)
		return -ENOMEM;
	return packer->packing == PACK_ZSTD ? zstd_write(packer, bytes, size, ZSTD_e_continue)
					    : gzip_write(packer, bytes, size, Z_NO_FLUSH);
}

int packer_end(struct packer *packer)
{
	int rc = -ENOMEM;

	if (!packer->broken)
		rc = packer->packing == PACK_ZSTD ? zstd_write(packer, "", 0, ZSTD_e_end)
						  : gzip_write(packer, "", 0, Z_FINISH);
	ZSTD_freeCStream(packer->zstd);
	if (packer->packing == PACK_GZIP)
		deflateEnd(&packer->gzip);
	free(packer);
	return rc;
}
