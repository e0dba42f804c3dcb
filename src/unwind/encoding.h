/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The numbers of call frame information: LEB128, and pointers in the encodings of .eh_frame.
 *
 * Out of a cursor, so that what lies behind the end is `broken` and zero.  Only files of this
 * machine's byte order are read, which both architectures that we unwind have.
 */
#ifndef UNWIND_ENCODING_H
#define UNWIND_ENCODING_H

#include "base/cursor.h"

/* How a pointer is stored (low half), what it is counted from (high half). */
enum cfi_encoding {
	CFI_ABSOLUTE = 0x00, /* a word, as wide as the file's addresses */
	CFI_ULEB = 0x01,
	CFI_U16 = 0x02,
	CFI_U32 = 0x03,
	CFI_U64 = 0x04,
	CFI_SLEB = 0x09,
	CFI_S16 = 0x0a,
	CFI_S32 = 0x0b,
	CFI_S64 = 0x0c,
	CFI_FORMAT = 0x0f,
	CFI_FROM_HERE = 0x10, /* from the address of the pointer itself */
	CFI_FROM_TEXT = 0x20,
	CFI_FROM_DATA = 0x30, /* from the start of .eh_frame_hdr */
	CFI_FROM_FUNCTION = 0x40,
	CFI_ALIGNED = 0x50,
	CFI_BASE = 0x70,
	CFI_INDIRECT = 0x80, /* the address of the pointer: only what runs can follow it */
	CFI_OMITTED = 0xff,
};

/* Where the bytes of a cursor are in the object, and what else pointers may be counted from. */
struct cfi_bases {
	const unsigned char *bytes; /* the section's first */
	uint64_t address;	    /* and where that is loaded */
	uint64_t data;
	bool wide; /* addresses have 64 bits */
};

uint8_t cfi_u8(struct cursor *c);
uint16_t cfi_u16(struct cursor *c);
uint64_t cfi_word(struct cursor *c, bool wide);

/* What does not fit into 64 bits is broken, as is what never ends. */
uint64_t cfi_uleb(struct cursor *c);
int64_t cfi_sleb(struct cursor *c);

/* The pointer; one that can't be followed in a file (indirect, unknown) breaks the cursor. */
uint64_t cfi_pointer(struct cursor *c, uint8_t encoding, const struct cfi_bases *bases);

/* A length in the pointer's format: always counted from 0. */
uint64_t cfi_extent(struct cursor *c, uint8_t encoding, const struct cfi_bases *bases);

/* Passes over a pointer of any kind, for those that nobody here follows. */
void cfi_skip_pointer(struct cursor *c, uint8_t encoding, const struct cfi_bases *bases);

#endif
