// SPDX-License-Identifier: Apache-2.0
#include "symbol/unpack.h"
#include "base/mem.h"

#include <errno.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

/* An output that doubles as needed. */
struct output {
	unsigned char *data;
	size_t len, cap;
};

static bool grow(struct output *out)
{
	if (out->cap >= UNPACK_MAX)
		return false;
	out->cap = out->cap ? out->cap * 2 : 256 * 1024;
	out->data = mem_resize(out->data, out->cap, 1);
	return true;
}

static int unpack_xz(const unsigned char *in, size_t size, struct output *out)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	lzma_ret rc = lzma_stream_decoder(&stream, UNPACK_MAX, 0);
	int result = 0;

	stream.next_in = in;
	stream.avail_in = size;
	while (rc == LZMA_OK) {
		if (out->len == out->cap && !grow(out)) {
			result = -EFBIG;
			break;
		}
		stream.next_out = out->data + out->len;
		stream.avail_out = out->cap - out->len;
		rc = lzma_code(&stream, LZMA_FINISH);
		out->len = out->cap - stream.avail_out;
	}
	if (!result && rc != LZMA_STREAM_END)
		result = -EBADMSG;
	lzma_end(&stream);
	return result;
}

static int unpack_zstd(const unsigned char *in, size_t size, struct output *out)
{
	ZSTD_DStream *stream = ZSTD_createDStream();
	ZSTD_inBuffer from = { in, size, 0 };
	size_t left = 1;
	int result = 0;

	while (left && !result) {
		ZSTD_outBuffer to;

		if (out->len == out->cap && !grow(out)) {
			result = -EFBIG;
			break;
		}
		to = (ZSTD_outBuffer){ out->data, out->cap, out->len };
		left = ZSTD_decompressStream(stream, &to, &from);
		if (ZSTD_isError(left) || (left && from.pos == size && to.pos < to.size))
			result = -EBADMSG; /* damaged, or cut short */
		out->len = to.pos;
	}
	ZSTD_freeDStream(stream);
	return result;
}

int unpack_image(struct image *image)
{
	static const unsigned char xz[] = { 0xfd, '7', 'z', 'X', 'Z', 0 };
	static const unsigned char zstd[] = { 0x28, 0xb5, 0x2f, 0xfd };
	unsigned char magic[6] = { 0 }, *in;
	struct output out = { 0 };
	int rc;

	image_read(image, 0, magic, image->size < sizeof(magic) ? image->size : sizeof(magic));
	if (memcmp(magic, xz, sizeof(xz)) && memcmp(magic, zstd, sizeof(zstd)))
		return 0;
	in = image_load(image, 0, image->size);
	if (!in)
		return -EBADMSG;
	rc = magic[0] == xz[0] ? unpack_xz(in, image->size, &out)
			       : unpack_zstd(in, image->size, &out);
	free(in);
	if (rc) {
		free(out.data);
		return rc;
	}
	image_close(image);
	*image = image_owning(out.data, out.len);
	return 0;
}

static bool unpack_zlib(const unsigned char *in, size_t size, unsigned char *into, uint64_t room)
{
	uLongf got = room;

	return uncompress(into, &got, in, size) == Z_OK && got == room;
}

/* Says its size beforehand, and must have it then. */
static unsigned char *unpack_known(const struct elf_file *elf, const unsigned char *in, size_t size,
				   uint64_t *room)
{
	size_t head = elf->wide ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);
	unsigned char *into;
	bool sound = false;
	uint32_t kind;

	if (size < head)
		return NULL;
	kind = elf_u32(elf, in);
	*room = elf_word(elf, in + (elf->wide ? 8 : 4));
	/* Nothing shrinks to less than a thousandth, so a lie costs no memory. */
	if (*room > UNPACK_MAX || *room / 2048 > size)
		return NULL;
	into = mem_alloc(*room + 1);
	if (kind == ELFCOMPRESS_ZLIB)
		sound = unpack_zlib(in + head, size - head, into, *room);
	else if (kind == 2) /* ELFCOMPRESS_ZSTD, which older headers lack */
		sound = ZSTD_decompress(into, *room, in + head, size - head) == *room;
	if (sound)
		return into;
	free(into);
	return NULL;
}

unsigned char *unpack_section(const struct elf_file *elf, const struct elf_section *section,
			      uint64_t *size)
{
	unsigned char *bytes = elf_section_load(elf, section), *plain;

	*size = section->size;
	if (!bytes || !(section->flags & SHF_COMPRESSED))
		return bytes;
	plain = unpack_known(elf, bytes, section->size, size);
	free(bytes);
	return plain;
}
