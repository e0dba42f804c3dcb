// SPDX-License-Identifier: Apache-2.0
#include "dwarf/maker.h"
#include "dwarf/constants.h"

#include <string.h>

void put_number(struct buf *buf, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		buf_putc(buf, i < 8 ? (char)(value >> 8 * i) : 0);
}

void put_uleb(struct buf *buf, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		buf_putc(buf, (char)(value | 0x80));
	buf_putc(buf, (char)value);
}

static void put_text(struct buf *buf, const char *text)
{
	buf_add(buf, text, strlen(text) + 1);
}

static void put_offset(const struct made *made, struct buf *buf, uint64_t value)
{
	put_number(buf, value, made->wide ? 8 : 4);
}

/* Puts bytes behind their own length. */
static void put_unit(const struct made *made, struct buf *into, struct buf *bytes)
{
	if (made->wide)
		put_number(into, UINT32_MAX, 4);
	put_offset(made, into, bytes->len);
	buf_add(into, bytes->data, bytes->len);
	buf_free(bytes);
}

enum { UNIT = 1, PATTERN, FUNCTION, INLINED, INLINED_RANGES, SHAPE };

static void put_abbrev(struct buf *buf, unsigned code, unsigned tag, bool children,
		       const unsigned *attrs)
{
	put_uleb(buf, code);
	put_uleb(buf, tag);
	buf_putc(buf, children);
	for (; attrs[0]; attrs += 2) {
		put_uleb(buf, attrs[0]);
		put_uleb(buf, attrs[1]);
	}
	put_number(buf, 0, 2);
}

static void make_abbrevs(struct made *made)
{
	struct buf *b = &made->sections[DWARF_ABBREV];
	unsigned offset = made->version >= 4 ? DW_FORM_sec_offset
			  : made->wide	     ? DW_FORM_data8
					     : DW_FORM_data4;

	put_abbrev(b, UNIT, DW_TAG_compile_unit, true,
		   (unsigned[]){ DW_AT_language, DW_FORM_data1, DW_AT_comp_dir, DW_FORM_string,
				 DW_AT_low_pc, DW_FORM_addr, DW_AT_ranges, offset, DW_AT_stmt_list,
				 offset, 0 });
	put_abbrev(b, PATTERN, DW_TAG_subprogram, false,
		   (unsigned[]){ DW_AT_name, DW_FORM_strp, DW_AT_inline, DW_FORM_data1, 0 });
	put_abbrev(b, FUNCTION, DW_TAG_subprogram, true,
		   (unsigned[]){ DW_AT_name, DW_FORM_strp, DW_AT_linkage_name, DW_FORM_string,
				 DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc,
				 made->version >= 4 ? DW_FORM_data4 : DW_FORM_addr, 0 });
	put_abbrev(b, INLINED, DW_TAG_inlined_subroutine, false,
		   (unsigned[]){ DW_AT_abstract_origin, DW_FORM_ref4, DW_AT_low_pc, DW_FORM_addr,
				 DW_AT_high_pc, made->version >= 4 ? DW_FORM_data4 : DW_FORM_addr,
				 DW_AT_call_file, DW_FORM_data1, DW_AT_call_line, DW_FORM_data1,
				 0 });
	put_abbrev(b, INLINED_RANGES, DW_TAG_inlined_subroutine, true,
		   (unsigned[]){ DW_AT_abstract_origin, DW_FORM_ref4, DW_AT_ranges, offset,
				 DW_AT_call_file, DW_FORM_data1, DW_AT_call_line, DW_FORM_udata,
				 0 });
	put_abbrev(b, SHAPE, DW_TAG_structure_type, true,
		   (unsigned[]){ DW_AT_sibling, DW_FORM_ref4, 0 });
	buf_putc(b, 0);
}

/* Offsets of the two lists. */
struct lists {
	uint64_t unit, middle;
};

static void put_range(const struct made *made, struct buf *b, uint64_t start, uint64_t end)
{
	if (made->version >= 5) {
		buf_putc(b, DW_RLE_start_length);
		put_number(b, start, 8);
		put_uleb(b, end - start);
	} else {
		put_number(b, start, 8);
		put_number(b, end, 8);
	}
}

static void end_ranges(const struct made *made, struct buf *b)
{
	put_number(b, 0, made->version >= 5 ? 1 : 16);
}

static struct lists make_ranges(struct made *made)
{
	struct buf *b = &made->sections[made->version >= 5 ? DWARF_RNGLISTS : DWARF_RANGES];
	struct lists lists = { .unit = b->len };

	put_range(made, b, 0x1000, 0x1100);
	put_range(made, b, 0x2000, 0x2010);
	end_ranges(made, b);
	lists.middle = b->len;
	put_range(made, b, 0x1010, 0x1020);
	put_range(made, b, 0x1030, 0x1050);
	end_ranges(made, b);
	return lists;
}

static void put_name(struct made *made, struct buf *b, const char *name)
{
	put_offset(made, b, made->sections[DWARF_STR].len);
	put_text(&made->sections[DWARF_STR], name);
}

static void put_pcs(const struct made *made, struct buf *b, uint64_t low, uint64_t high)
{
	put_number(b, low, 8);
	if (made->version >= 4)
		put_number(b, high - low, 4);
	else
		put_number(b, high, 8);
}

static void put_header(struct made *made, struct buf *b)
{
	put_number(b, (unsigned)made->version, 2);
	if (made->version >= 5) {
		buf_putc(b, DW_UT_compile);
		buf_putc(b, 8);
	}
	put_offset(made, b, 0);
	if (made->version < 5)
		buf_putc(b, 8);
}

static void make_info(struct made *made, const struct lists *lists)
{
	struct buf b = { 0 };
	size_t length = made->wide ? 12 : 4, middle, inner;

	put_header(made, &b);
	buf_putc(&b, UNIT);
	buf_putc(&b, DW_LANG_C99);
	put_text(&b, "/src");
	put_number(&b, 0, 8);
	put_offset(made, &b, lists->unit);
	put_offset(made, &b, 0);
	buf_putc(&b, SHAPE);
	put_number(&b, length + b.len + 6, 4); /* over what would be the end of the unit */
	put_number(&b, 0, 2);
	middle = length + b.len;
	buf_putc(&b, PATTERN);
	put_name(made, &b, "middle");
	buf_putc(&b, 1);
	inner = length + b.len;
	buf_putc(&b, PATTERN);
	put_name(made, &b, "inner");
	buf_putc(&b, 1);
	buf_putc(&b, FUNCTION);
	put_name(made, &b, "outer");
	put_text(&b, "_Z5outerv");
	put_pcs(made, &b, 0x1000, 0x1100);
	buf_putc(&b, INLINED_RANGES);
	put_number(&b, middle, 4);
	put_offset(made, &b, lists->middle);
	buf_putc(&b, 1);
	put_uleb(&b, 20);
	buf_putc(&b, INLINED);
	put_number(&b, inner, 4);
	put_pcs(made, &b, 0x1034, 0x1038);
	buf_putc(&b, 2);
	buf_putc(&b, 30);
	put_number(&b, 0, 2); /* the ends of middle and outer */
	buf_putc(&b, FUNCTION);
	put_name(made, &b, "lonely");
	put_text(&b, "lonely");
	put_pcs(made, &b, 0x2000, 0x2010);
	put_number(&b, 0, 2);
	put_unit(made, &made->sections[DWARF_INFO], &b);
}

static void put_files(const struct made *made, struct buf *b)
{
	if (made->version < 5) {
		put_text(b, "include");
		buf_putc(b, 0);
		put_text(b, "a.c");
		put_number(b, 0, 3);
		put_text(b, "b.h");
		buf_putc(b, 1);
		put_number(b, 0, 2);
		buf_putc(b, 0);
		return;
	}
	buf_putc(b, 1);
	put_uleb(b, DW_LNCT_path);
	put_uleb(b, DW_FORM_string);
	put_uleb(b, 2);
	put_text(b, "/src");
	put_text(b, "include");
	buf_putc(b, 2);
	put_uleb(b, DW_LNCT_path);
	put_uleb(b, DW_FORM_string);
	put_uleb(b, DW_LNCT_directory_index);
	put_uleb(b, DW_FORM_udata);
	put_uleb(b, 3);
	put_text(b, "a.c");
	buf_putc(b, 0);
	put_text(b, "a.c");
	buf_putc(b, 0);
	put_text(b, "b.h");
	buf_putc(b, 1);
}

static void put_extended(struct buf *b, unsigned opcode, uint64_t value, unsigned size)
{
	buf_putc(b, 0);
	put_uleb(b, 1 + size);
	buf_putc(b, (char)opcode);
	put_number(b, value, size);
}

/* Goes on by so many bytes and lines: one byte that says both. */
static void put_special(struct buf *b, unsigned pc, int line)
{
	buf_putc(b, (char)(10 + pc * 14 + (unsigned)(line + 5)));
}

static void put_program(struct buf *b)
{
	put_extended(b, DW_LNE_set_address, 0x1000, 8);
	buf_putc(b, DW_LNS_advance_line);
	buf_putc(b, 10);
	buf_putc(b, DW_LNS_copy); /* 0x1000: a.c:11 */
	buf_putc(b, DW_LNS_advance_pc);
	put_uleb(b, 0x34);
	buf_putc(b, DW_LNS_set_file);
	put_uleb(b, 2);
	buf_putc(b, DW_LNS_advance_line);
	buf_putc(b, 20);
	put_special(b, 0, 0); /* 0x1034: b.h:31 */
	buf_putc(b, DW_LNS_set_file);
	put_uleb(b, 1);
	buf_putc(b, DW_LNS_advance_line);
	buf_putc(b, 0x80 - 20); /* -20 */
	put_special(b, 4, 1);	/* 0x1038: a.c:12 */
	buf_putc(b, DW_LNS_fixed_advance_pc);
	put_number(b, 0xc8, 2);
	put_extended(b, DW_LNE_end_sequence, 0, 0);
	put_extended(b, DW_LNE_set_address, 0x2000, 8);
	buf_putc(b, DW_LNS_advance_line);
	buf_putc(b, 39);
	buf_putc(b, DW_LNS_copy);
	buf_putc(b, DW_LNS_const_add_pc); /* by 17 */
	put_extended(b, DW_LNE_end_sequence, 0, 0);
}

static void make_lines(struct made *made)
{
	static const char operands[] = { 0, 1, 1, 1, 1, 0, 0, 0, 1 };
	struct buf whole = { 0 }, header = { 0 };

	buf_putc(&header, 1); /* bytes of an instruction */
	if (made->version >= 4)
		buf_putc(&header, 1); /* its operations */
	buf_putc(&header, 1);
	buf_putc(&header, (char)-5);
	buf_putc(&header, 14);
	buf_putc(&header, 10);
	buf_add(&header, operands, sizeof(operands));
	put_files(made, &header);
	put_number(&whole, (unsigned)made->version, 2);
	if (made->version >= 5)
		put_number(&whole, 8, 2);
	put_offset(made, &whole, header.len);
	buf_add(&whole, header.data, header.len);
	buf_free(&header);
	put_program(&whole);
	put_unit(made, &made->sections[DWARF_LINE], &whole);
}

void made_fill(struct made *made)
{
	struct lists lists = make_ranges(made);

	make_abbrevs(made);
	make_info(made, &lists);
	make_lines(made);
}

void made_free(struct made *made)
{
	for (size_t i = 0; i < DWARF_SECTIONS; i++)
		buf_free(&made->sections[i]);
}

static const unsigned char *load(void *context, enum dwarf_section section, size_t *size)
{
	struct made *made = context;

	*size = made->sections[section].len;
	return (unsigned char *)made->sections[section].data;
}

struct dwarf_source made_source(struct made *made)
{
	return (struct dwarf_source){ .context = made, .load = load };
}
