// SPDX-License-Identifier: Apache-2.0
#include "unwind/encoding.h"

uint8_t cfi_u8(struct cursor *c)
{
	uint8_t value;

	cursor_read(c, &value, sizeof(value));
	return value;
}

uint16_t cfi_u16(struct cursor *c)
{
	uint16_t value;

	cursor_read(c, &value, sizeof(value));
	return value;
}

uint64_t cfi_word(struct cursor *c, bool wide)
{
	return wide ? cursor_u64(c) : cursor_u32(c);
}

uint64_t cfi_uleb(struct cursor *c)
{
	uint64_t value = 0;

	for (unsigned shift = 0; !c->broken; shift += 7) {
		uint8_t byte = cfi_u8(c);
		uint64_t bits = byte & 0x7f;

		/* Producers may pad with zeros, so length alone is no fault. */
		if (bits && (shift > 63 || (shift == 63 && bits > 1)))
			c->broken = true;
		else if (shift <= 63)
			value |= bits << shift;
		if (!(byte & 0x80))
			break;
		if (shift > 700)
			c->broken = true;
	}
	return c->broken ? 0 : value;
}

int64_t cfi_sleb(struct cursor *c)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte = 0x80;

	while (byte & 0x80 && !c->broken) {
		byte = cfi_u8(c);
		if (shift <= 63)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (shift > 700)
			c->broken = true;
	}
	if (byte & 0x40 && shift < 64)
		value |= UINT64_MAX << shift;
	return c->broken ? 0 : (int64_t)value;
}

static uint64_t read_format(struct cursor *c, uint8_t encoding, bool wide)
{
	switch (encoding & CFI_FORMAT) {
	case CFI_ABSOLUTE: return cfi_word(c, wide);
	case CFI_ULEB: return cfi_uleb(c);
	case CFI_U16: return cfi_u16(c);
	case CFI_U32: return cursor_u32(c);
	case CFI_U64:
	case CFI_S64: return cursor_u64(c);
	case CFI_SLEB: return (uint64_t)cfi_sleb(c);
	case CFI_S16: return (uint64_t)(int64_t)(int16_t)cfi_u16(c);
	case CFI_S32: return (uint64_t)(int64_t)(int32_t)cursor_u32(c);
	default: c->broken = true; return 0;
	}
}

/* To the next multiple of a word's size, by addresses. */
static void align(struct cursor *c, const struct cfi_bases *bases)
{
	uint64_t size = bases->wide ? 8 : 4;
	uint64_t here = bases->address + (uint64_t)(c->at - bases->bytes);

	cursor_bytes(c, (size_t)(-here & (size - 1)));
}

uint64_t cfi_pointer(struct cursor *c, uint8_t encoding, const struct cfi_bases *bases)
{
	uint64_t here = bases->address + (uint64_t)(c->at - bases->bytes), value;

	if (encoding & CFI_INDIRECT)
		c->broken = true;
	if ((encoding & CFI_BASE) == CFI_ALIGNED) {
		align(c, bases);
		return cfi_word(c, bases->wide);
	}
	value = read_format(c, encoding, bases->wide);
	switch (encoding & CFI_BASE) {
	case CFI_ABSOLUTE: break;
	case CFI_FROM_HERE: value += here; break;
	case CFI_FROM_DATA: value += bases->data; break;
	default: c->broken = true; /* text and function: no linker of these machines writes it */
	}
	if (c->broken)
		return 0;
	return bases->wide ? value : (uint32_t)value;
}

uint64_t cfi_extent(struct cursor *c, uint8_t encoding, const struct cfi_bases *bases)
{
	if ((encoding & CFI_BASE) == CFI_ALIGNED)
		return cfi_word(c, bases->wide);
	return read_format(c, encoding, bases->wide);
}

void cfi_skip_pointer(struct cursor *c, uint8_t encoding, const struct cfi_bases *bases)
{
	if (encoding == CFI_OMITTED)
		return;
	if ((encoding & CFI_BASE) == CFI_ALIGNED)
		align(c, bases);
	cfi_extent(c, encoding, bases);
}
