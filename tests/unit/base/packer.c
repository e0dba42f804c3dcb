// SPDX-License-Identifier: Apache-2.0
#include "base/packer.h"
#include "base/outbuf.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#define LINES 100000

/* More than fits into the buffers on the way. */
static size_t write_lines(enum packing packing, char *packed, size_t room)
{
	int fd = memfd_create("packed", MFD_CLOEXEC);
	struct outbuf out;
	ssize_t size;

	outbuf_init(&out, fd);
	outbuf_pack(&out, packing);
	for (unsigned i = 0; i < LINES; i++) {
		out_u64(&out, i * 2654435761u, 10);
		out_char(&out, '\n');
	}
	EXPECT_INT(outbuf_fini(&out), 0);
	size = pread(fd, packed, room, 0);
	EXPECT(size > 0 && (size_t)size < room);
	close(fd);
	return (size_t)size;
}

TEST(packer_packs)
{
	size_t whole = (size_t)11 * LINES, room = 2 * whole, size, got;
	char *plain = mem_alloc(room), *packed = mem_alloc(room), *opened = mem_alloc(room);
	z_stream gzip = { .next_out = (unsigned char *)opened, .avail_out = (unsigned)room };

	EXPECT_INT(write_lines(PACK_NOT, plain, room), whole);

	size = write_lines(PACK_GZIP, packed, room);
	EXPECT(size < whole);
	gzip.next_in = (unsigned char *)packed;
	gzip.avail_in = (unsigned)size;
	EXPECT_INT(inflateInit2(&gzip, 15 + 16), Z_OK);
	EXPECT_INT(inflate(&gzip, Z_FINISH), Z_STREAM_END);
	EXPECT_INT(gzip.total_out, whole);
	EXPECT(!memcmp(plain, opened, whole));
	inflateEnd(&gzip);

	size = write_lines(PACK_ZSTD, packed, room);
	EXPECT(size < whole);
	memset(opened, 0, room);
	got = ZSTD_decompress(opened, room, packed, size);
	EXPECT_INT(got, whole);
	EXPECT(!memcmp(plain, opened, whole));
	free(plain);
	free(packed);
	free(opened);
}

TEST(packer_says_when_it_cannot_write)
{
	for (enum packing packing = PACK_NOT; packing <= PACK_ZSTD; packing++) {
		struct outbuf out;
		int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

		outbuf_init(&out, fd);
		outbuf_pack(&out, packing);
		out_text(&out, "text");
		EXPECT_INT(outbuf_fini(&out), -ENOSPC);
		close(fd);
	}
}

TEST(packer_names)
{
	EXPECT_INT(packing_of_name("a.csv.gz"), PACK_GZIP);
	EXPECT_INT(packing_of_name("a.zst"), PACK_ZSTD);
	EXPECT_INT(packing_of_name("a.csv"), PACK_NOT);
	EXPECT_INT(packing_of_name(".gz"), PACK_NOT);
	EXPECT_INT(packing_of_name("-"), PACK_NOT);
}
