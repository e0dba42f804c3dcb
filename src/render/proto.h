/* SPDX-License-Identifier: Apache-2.0 */
/* Protocol buffers as they go onto the wire; import/proto.h reads them. */
#ifndef RENDER_PROTO_H
#define RENDER_PROTO_H

#include "base/buf.h"
#include <stdint.h>

void proto_put_varint(struct buf *to, uint64_t value);
/* A field of a number; 0 is what readers take for one that is missing. */
void proto_put_number(struct buf *to, int field, uint64_t value);
void proto_put_bytes(struct buf *to, int field, const void *bytes, size_t size);
/* Moves what is in `from` into a field of `to`. */
void proto_put_inner(struct buf *to, int field, struct buf *from);

#endif
