// SPDX-License-Identifier: Apache-2.0
#include "unwind/maker.h"

#include <string.h>

static void put32(struct buf *buf, uint32_t value)
{
	buf_add(buf, &value, sizeof(value));
}

/* Lengths are known at the end. */
static size_t begin(struct made_frames *frames)
{
	size_t at = frames->bytes.len;

	put32(&frames->bytes, 0);
	return at;
}

static void end(struct made_frames *frames, size_t at)
{
	uint32_t length;

	while (frames->bytes.len % 4)
		buf_putc(&frames->bytes, 0);
	length = (uint32_t)(frames->bytes.len - at - 4);
	memcpy(frames->bytes.data + at, &length, sizeof(length));
}

void make_common(struct made_frames *frames, const struct made_common *made)
{
	struct buf *bytes = &frames->bytes;
	size_t at = begin(frames);
	const char *letters = made->letters ? made->letters : "";

	put32(bytes, frames->debug ? UINT32_MAX : 0);
	buf_putc(bytes, (char)(made->version ? made->version : 1));
	buf_add(bytes, letters, strlen(letters) + 1);
	if (made->version == 4)
		buf_add(bytes, "\x08\x00", 2);
	buf_putc(bytes, 1);    /* alignment of code */
	buf_putc(bytes, 0x78); /* of data: -8 */
	buf_putc(bytes, (char)(made->return_column ? made->return_column : 16));
	if (letters[0] == 'z') {
		buf_putc(bytes, (char)made->data_size);
		buf_add(bytes, made->data, made->data_size);
	}
	buf_add(bytes, made->program, made->size);
	end(frames, at);
	frames->common = at;
}

void make_usual_common(struct made_frames *frames)
{
	make_common(frames, &(struct made_common){ .letters = frames->debug ? "" : "zR",
						   .data = "\x1b",
						   .data_size = 1,
						   .program = "\x0c\x07\x08\x90\x01",
						   .size = 5 });
}

size_t make_entry(struct made_frames *frames, uint64_t start, uint64_t size, const void *program,
		  size_t program_size)
{
	struct buf *bytes = &frames->bytes;
	size_t at = begin(frames);

	if (frames->debug) {
		put32(bytes, (uint32_t)frames->common);
		buf_add(bytes, &start, 8);
		buf_add(bytes, &size, 8);
	} else {
		put32(bytes, (uint32_t)(bytes->len - frames->common));
		put32(bytes, (uint32_t)(start - (MADE_FRAMES_ADDR + bytes->len)));
		put32(bytes, (uint32_t)size);
		buf_putc(bytes, 0);
	}
	buf_add(bytes, program, program_size);
	end(frames, at);
	return at;
}

struct cfi_section made_section(const struct made_frames *frames)
{
	return (struct cfi_section){ .bases = { .bytes = (unsigned char *)frames->bytes.data,
						.address = MADE_FRAMES_ADDR,
						.wide = true },
				     .size = frames->bytes.len,
				     .debug = frames->debug };
}
