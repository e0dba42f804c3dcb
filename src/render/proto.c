// SPDX-License-Identifier: Apache-2.0
#include "render/proto.h"

#define WIRE_BYTES 2

void proto_put_varint(struct buf *to, uint64_t value)
{
	char bytes[10];
	size_t length = 0;

	for (; value >= 0x80; value >>= 7)
		bytes[length++] = (char)(value | 0x80);
	bytes[length++] = (char)value;
	buf_add(to, bytes, length);
}

void proto_put_number(struct buf *to, int field, uint64_t value)
{
	if (!value)
		return;
	proto_put_varint(to, (uint64_t)field << 3);
	proto_put_varint(to, value);
}

void proto_put_bytes(struct buf *to, int field, const void *bytes, size_t size)
{
	proto_put_varint(to, (uint64_t)field << 3 | WIRE_BYTES);
	proto_put_varint(to, size);
	buf_add(to, bytes, size);
}

void proto_put_inner(struct buf *to, int field, struct buf *from)
{
	proto_put_bytes(to, field, buf_text(from), from->len);
	buf_clear(from);
}
