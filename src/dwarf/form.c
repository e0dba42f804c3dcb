// SPDX-License-Identifier: Apache-2.0
#include "dwarf/form.h"
#include "dwarf/constants.h"

uint64_t form_address(const struct unit *unit, uint64_t index)
{
	struct dwarf_file *own = unit->file->dwarf->files.data[0]; /* .dwo files have none */
	struct bytes b;
	uint64_t address;

	if (index > UINT32_MAX || unit->addr_base > UINT32_MAX)
		return NO_OFFSET;
	b = file_bytes(own, DWARF_ADDR, unit->addr_base + index * unit->address_size);
	address = bytes_sized(&b, unit->address_size);
	return b.c.broken ? NO_OFFSET : address;
}

static struct value number(uint64_t value)
{
	return (struct value){ .kind = VALUE_NUMBER, .number = value };
}

static struct value address_of(uint64_t value)
{
	return (struct value){ .kind = value == NO_OFFSET ? VALUE_OTHER : VALUE_ADDRESS,
			       .number = value };
}

static struct value entry(struct dwarf_file *file, uint64_t offset)
{
	return (struct value){ .kind = file ? VALUE_ENTRY : VALUE_OTHER,
			       .number = offset,
			       .file = file };
}

static struct value text(const char *string)
{
	return (struct value){ .kind = string ? VALUE_TEXT : VALUE_OTHER, .text = string };
}

static struct value text_at(struct dwarf_file *file, enum dwarf_section section, uint64_t offset)
{
	return text(file ? file_text(file, section, offset) : NULL);
}

static struct value text_by_number(const struct unit *unit, uint64_t index)
{
	struct bytes b;
	uint64_t offset;

	if (index > UINT32_MAX || unit->str_offsets_base > UINT32_MAX)
		return text(NULL);
	b = file_bytes(unit->file, DWARF_STR_OFFSETS,
		       unit->str_offsets_base + index * unit->offset_size);
	offset = bytes_sized(&b, unit->offset_size);
	return b.c.broken ? text(NULL) : text_at(unit->file, DWARF_STR, offset);
}

static unsigned ref_addr_size(const struct unit *unit)
{
	return unit->version == 2 ? unit->address_size : unit->offset_size;
}

static struct value read_entry(struct bytes *b, struct unit *unit, uint16_t form)
{
	switch (form) {
	case DW_FORM_ref1: return entry(unit->file, unit->offset + bytes_u8(b));
	case DW_FORM_ref2: return entry(unit->file, unit->offset + bytes_u16(b));
	case DW_FORM_ref4: return entry(unit->file, unit->offset + bytes_u32(b));
	case DW_FORM_ref8: return entry(unit->file, unit->offset + bytes_u64(b));
	case DW_FORM_ref_udata: return entry(unit->file, unit->offset + bytes_uleb(b));
	case DW_FORM_ref_addr: return entry(unit->file, bytes_sized(b, ref_addr_size(unit)));
	case DW_FORM_ref_sup4: return entry(file_shared(unit->file), bytes_u32(b));
	case DW_FORM_ref_sup8: return entry(file_shared(unit->file), bytes_u64(b));
	default: return entry(file_shared(unit->file), bytes_sized(b, unit->offset_size));
	}
}

static struct value read_text(struct bytes *b, struct unit *unit, uint16_t form)
{
	switch (form) {
	case DW_FORM_string: return text(bytes_text(b));
	case DW_FORM_strp: return text_at(unit->file, DWARF_STR, bytes_sized(b, unit->offset_size));
	case DW_FORM_line_strp:
		return text_at(unit->file, DWARF_LINE_STR, bytes_sized(b, unit->offset_size));
	case DW_FORM_strx1: return text_by_number(unit, bytes_u8(b));
	case DW_FORM_strx2: return text_by_number(unit, bytes_u16(b));
	case DW_FORM_strx3: return text_by_number(unit, bytes_u24(b));
	case DW_FORM_strx4: return text_by_number(unit, bytes_u32(b));
	case DW_FORM_strx:
	case DW_FORM_GNU_str_index: return text_by_number(unit, bytes_uleb(b));
	default:
		return text_at(file_shared(unit->file), DWARF_STR,
			       bytes_sized(b, unit->offset_size));
	}
}

struct value form_read(struct bytes *b, struct unit *unit, const struct abbrev_attr *attr)
{
	switch (attr->form) {
	case DW_FORM_addr: return address_of(bytes_sized(b, unit->address_size));
	case DW_FORM_addrx:
	case DW_FORM_GNU_addr_index: return address_of(form_address(unit, bytes_uleb(b)));
	case DW_FORM_addrx1: return address_of(form_address(unit, bytes_u8(b)));
	case DW_FORM_addrx2: return address_of(form_address(unit, bytes_u16(b)));
	case DW_FORM_addrx3: return address_of(form_address(unit, bytes_u24(b)));
	case DW_FORM_addrx4: return address_of(form_address(unit, bytes_u32(b)));
	case DW_FORM_flag:
	case DW_FORM_data1: return number(bytes_u8(b));
	case DW_FORM_data2: return number(bytes_u16(b));
	case DW_FORM_data4: return number(bytes_u32(b));
	case DW_FORM_data8: return number(bytes_u64(b));
	case DW_FORM_udata: return number(bytes_uleb(b));
	case DW_FORM_sdata: return number((uint64_t)bytes_sleb(b));
	case DW_FORM_sec_offset: return number(bytes_sized(b, unit->offset_size));
	case DW_FORM_flag_present: return number(1);
	case DW_FORM_implicit_const: return number((uint64_t)attr->constant);
	case DW_FORM_rnglistx:
		return (struct value){ .kind = VALUE_RANGES, .number = bytes_uleb(b) };
	case DW_FORM_string:
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_str_index:
	case DW_FORM_GNU_strp_alt: return read_text(b, unit, attr->form);
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
	case DW_FORM_ref_addr:
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
	case DW_FORM_GNU_ref_alt: return read_entry(b, unit, attr->form);
	default: form_skip(b, unit, attr); return (struct value){ 0 };
	}
}

void form_skip(struct bytes *b, const struct unit *unit, const struct abbrev_attr *attr)
{
	switch (attr->form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const: break;
	case DW_FORM_data1:
	case DW_FORM_flag:
	case DW_FORM_ref1:
	case DW_FORM_strx1:
	case DW_FORM_addrx1: bytes_skip(b, 1); break;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2: bytes_skip(b, 2); break;
	case DW_FORM_strx3:
	case DW_FORM_addrx3: bytes_skip(b, 3); break;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_ref_sup4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4: bytes_skip(b, 4); break;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sup8:
	case DW_FORM_ref_sig8: bytes_skip(b, 8); break;
	case DW_FORM_data16: bytes_skip(b, 16); break;
	case DW_FORM_addr: bytes_skip(b, unit->address_size); break;
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_strp_sup:
	case DW_FORM_sec_offset:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt: bytes_skip(b, unit->offset_size); break;
	case DW_FORM_ref_addr: bytes_skip(b, ref_addr_size(unit)); break;
	case DW_FORM_string: bytes_text(b); break;
	case DW_FORM_block1: bytes_skip(b, bytes_u8(b)); break;
	case DW_FORM_block2: bytes_skip(b, bytes_u16(b)); break;
	case DW_FORM_block4: bytes_skip(b, bytes_u32(b)); break;
	case DW_FORM_block:
	case DW_FORM_exprloc: bytes_skip(b, bytes_uleb(b)); break;
	case DW_FORM_sdata:
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index: bytes_uleb(b); break;
	default: b->c.broken = true; /* DW_FORM_indirect, which nobody writes, or unknown */
	}
}

void form_skip_all(struct bytes *b, const struct unit *unit, const struct abbrevs *table,
		   const struct abbrev *abbrev)
{
	if (abbrev->fixed) {
		bytes_skip(b, abbrev->size + (uint64_t)abbrev->addresses * unit->address_size +
				      (uint64_t)abbrev->offsets * unit->offset_size +
				      (uint64_t)abbrev->refs * ref_addr_size(unit));
		return;
	}
	for (uint32_t i = 0; i < abbrev->count; i++)
		form_skip(b, unit, &table->attrs.data[abbrev->first + i]);
}
