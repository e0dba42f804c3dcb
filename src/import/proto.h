/* SPDX-License-Identifier: Apache-2.0 */
/* Protocol buffers as they lie on the wire, read through a cursor: never past the end. */
#ifndef IMPORT_PROTO_H
#define IMPORT_PROTO_H

#include "base/cursor.h"

enum proto_wire { PROTO_VARINT = 0, PROTO_64 = 1, PROTO_BYTES = 2, PROTO_32 = 5 };

struct proto_field {
	uint64_t number;
	enum proto_wire wire;
	uint64_t value;	      /* of all but PROTO_BYTES */
	struct cursor inside; /* of PROTO_BYTES */
};

static inline uint64_t proto_varint(struct cursor *c)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		unsigned char byte;

		cursor_read(c, &byte, 1);
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	c->broken = true;
	return 0;
}

/* The next field; false at the end, or with c->broken where there is none. */
static inline bool proto_next(struct cursor *c, struct proto_field *field)
{
	uint64_t tag, size;
	const void *bytes;

	if (!cursor_left(c))
		return false;
	tag = proto_varint(c);
	*field = (struct proto_field){ .number = tag >> 3, .wire = (enum proto_wire)(tag & 7) };
	switch (tag & 7) {
	case PROTO_VARINT: field->value = proto_varint(c); break;
	case PROTO_64: field->value = cursor_u64(c); break;
	case PROTO_32: field->value = cursor_u32(c); break;
	case PROTO_BYTES:
		size = proto_varint(c);
		bytes = cursor_bytes(c, size);
		field->inside = cursor_of(bytes, bytes ? size : 0);
		break;
	default: c->broken = true; break;
	}
	return !c->broken && field->number;
}

#endif
