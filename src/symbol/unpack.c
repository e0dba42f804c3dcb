// SPDX-License-Identifier: Apache-2.0
#include "symbol/unpack.h"
#include "base/mem.h"

#include <errno.h>
#include <libdeflate.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
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

/* What the header of a compressed section says. */
struct packing {
	bool zstd;
	uint64_t size;
	size_t header; /* its own bytes */
};

static bool read_packing(const struct elf_file *elf, const struct elf_section *section,
			 const unsigned char *in, struct packing *packing)
{
	size_t size = elf->wide ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);
	uint32_t type;

	if (!(section->flags & SHF_COMPRESSED)) { /* the older way: "ZLIB" and 8 bytes */
		if (section->size < 12 || memcmp(in, "ZLIB", 4))
			return false;
		packing->header = 12;
		packing->zstd = false;
		packing->size = 0;
		for (int i = 4; i < 12; i++)
			packing->size = packing->size << 8 | in[i];
		return true;
	}
	if (section->size < size)
		return false;
	type = elf_u32(elf, in);
	packing->header = size;
	packing->zstd = type == 2; /* ELFCOMPRESS_ZSTD, which older headers lack */
	packing->size = elf_word(elf, in + (elf->wide ? 8 : 4));
	return type == ELFCOMPRESS_ZLIB || packing->zstd;
}

/* With libdeflate, which takes half the time that zlib does; it wants to know the size before. */
static bool unpack_zlib(const unsigned char *in, size_t size, unsigned char *out, size_t room)
{
	struct libdeflate_decompressor *tool = libdeflate_alloc_decompressor();
	enum libdeflate_result rc;

	if (!tool)
		return false;
	rc = libdeflate_zlib_decompress(tool, in, size, out, room, NULL);
	libdeflate_free_decompressor(tool);
	return rc == LIBDEFLATE_SUCCESS;
}

/* Exactly the bytes that the header tells of. */
static bool unpack_bytes(const struct packing *packing, const unsigned char *in, size_t size,
			 unsigned char *out)
{
	in += packing->header;
	size -= packing->header;
	if (packing->zstd)
		return ZSTD_decompress(out, packing->size, in, size) == packing->size;
	return unpack_zlib(in, size, out, packing->size);
}

unsigned char *unpack_section(const struct elf_file *elf, const struct elf_section *section,
			      uint64_t *size)
{
	unsigned char *in = elf_section_load(elf, section), *out;
	struct packing packing;

	*size = section->size;
	if (!in || (!(section->flags & SHF_COMPRESSED) &&
		    strncmp(elf_section_name(elf, section), ".z", 2)))
		return in;
	/* Nothing shrinks to less than a thousandth, so a lie costs no memory. */
	if (!read_packing(elf, section, in, &packing) || packing.size > UNPACK_SECTION_MAX ||
	    packing.size / 2048 > section->size) {
		free(in);
		return NULL;
	}
	*size = packing.size;
	out = mem_alloc_large(packing.size + 1);
	if (!unpack_bytes(&packing, in, section->size, out)) {
		free(out);
		out = NULL;
	}
	if (out)
		out[packing.size] = '\0';
	free(in);
	return out;
}
