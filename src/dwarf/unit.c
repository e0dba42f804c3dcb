// SPDX-License-Identifier: Apache-2.0
#include "dwarf/unit.h"
#include "dwarf/constants.h"
#include "dwarf/rangelist.h"

/* What stands in the header behind the version, whose order version 5 changed. */
static void read_rest(struct unit *unit, struct bytes *b)
{
	if (unit->version >= 5) {
		unit->type = bytes_u8(b);
		unit->address_size = bytes_u8(b);
		unit->abbrev_offset = bytes_sized(b, unit->offset_size);
	} else {
		unit->type = DW_UT_compile;
		unit->abbrev_offset = bytes_sized(b, unit->offset_size);
		unit->address_size = bytes_u8(b);
	}
	if (unit->type == DW_UT_skeleton || unit->type == DW_UT_split_compile)
		unit->split_id = bytes_u64(b);
	if (unit->type == DW_UT_type || unit->type == DW_UT_split_type)
		bytes_skip(b, 8u + unit->offset_size);
}

static bool is_readable(const struct unit *unit)
{
	return unit->version >= 2 && unit->version <= 5 &&
	       (unit->address_size == 4 || unit->address_size == 8) &&
	       unit->abbrev_offset <= UINT32_MAX;
}

/* The header at an offset; *next is where the unit ends. */
static struct unit *read_header(struct dwarf_file *file, uint64_t offset,
				const struct unit_parts *parts, uint64_t *next)
{
	struct bytes b = file_bytes(file, DWARF_INFO, offset);
	const unsigned char *start = b.c.at;
	struct unit header = { .file = file, .offset = offset, .parts = *parts };
	uint64_t length = bytes_length(&b, &header.offset_size);
	struct unit *unit;

	*next = NO_OFFSET;
	if (length > cursor_left(&b.c))
		b.c.broken = true;
	if (b.c.broken || !length)
		return NULL;
	b.c.end = b.c.at + length;
	*next = header.end = offset + (uint64_t)(b.c.end - start);
	header.version = bytes_u16(&b);
	read_rest(&header, &b);
	header.abbrev_offset += parts->abbrev;
	if (b.c.broken || !is_readable(&header))
		return NULL;
	header.dies = offset + (uint64_t)(b.c.at - start);
	header.lines_offset = NO_OFFSET;
	unit = arena_alloc(&file->dwarf->arena, sizeof(*unit));
	*unit = header;
	return unit;
}

void units_read(struct dwarf_file *file)
{
	static const struct unit_parts whole = { 0 };
	uint64_t at = 0;

	while (file_has(file, DWARF_INFO, at)) {
		struct unit *unit = read_header(file, at, &whole, &at);

		if (!dwarf_spend(file->dwarf, 16))
			return;
		if (unit)
			*vec_push(&file->units) = unit;
		else
			dwarf_damaged(file->dwarf);
	}
}

struct unit *unit_read_at(struct dwarf_file *file, uint64_t offset, const struct unit_parts *parts)
{
	struct unit *known = NULL, *unit;
	uint64_t next;
	size_t at;

	unit = read_header(file, offset, parts, &next);
	if (!unit)
		return NULL;
	vec_push(&file->units);
	for (at = file->units.len - 1; at && file->units.data[at - 1]->offset > offset; at--)
		file->units.data[at] = file->units.data[at - 1];
	file->units.data[at] = unit;
	if (at && file->units.data[at - 1]->offset == offset)
		known = file->units.data[at - 1];
	return known ? known : unit;
}

struct unit *unit_at(struct dwarf_file *file, uint64_t offset)
{
	size_t low = 0, high = file->units.len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (file->units.data[middle]->offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || offset < file->units.data[low - 1]->dies ||
	    offset >= file->units.data[low - 1]->end)
		return NULL;
	return file->units.data[low - 1];
}

struct bytes unit_bytes(struct unit *unit, uint64_t offset)
{
	struct bytes b = file_bytes(unit->file, DWARF_INFO, offset);

	if (offset < unit->offset || offset >= unit->end)
		b.c.end = b.c.at;
	else if (unit->end - offset < cursor_left(&b.c))
		b.c.end = b.c.at + (unit->end - offset);
	return b;
}

/* The attributes of a first entry by which others are to be understood. */
static void take_base(struct unit *unit, uint16_t name, const struct value *v)
{
	if (v->kind != VALUE_NUMBER)
		return;
	switch (name) {
	case DW_AT_str_offsets_base:
		unit->str_offsets_base = unit->parts.str_offsets + v->number;
		break;
	case DW_AT_addr_base:
	case DW_AT_GNU_addr_base: unit->addr_base = v->number; break;
	case DW_AT_rnglists_base: unit->rnglists_base = unit->parts.rnglists + v->number; break;
	case DW_AT_GNU_ranges_base: unit->ranges_base = v->number; break;
	case DW_AT_GNU_dwo_id: unit->split_id = v->number; break;
	case DW_AT_language: unit->language = (uint16_t)v->number; break;
	case DW_AT_stmt_list: unit->lines_offset = unit->parts.line + v->number; break;
	}
}

static void take_other(struct unit *unit, uint16_t name, const struct value *v)
{
	switch (name) {
	case DW_AT_low_pc:
		unit->pcs.low = *v;
		unit->low_pc = v->kind == VALUE_ADDRESS ? v->number : 0;
		break;
	case DW_AT_high_pc: unit->pcs.high = *v; break;
	case DW_AT_ranges: unit->pcs.ranges = *v; break;
	case DW_AT_comp_dir: unit->folder = v->text; break;
	case DW_AT_dwo_name:
	case DW_AT_GNU_dwo_name: unit->split_name = v->text; break;
	}
}

/* Where the tables begin of which a unit does not say it: behind their headers. */
static void set_defaults(struct unit *unit)
{
	bool new = unit->version >= 5, wide = unit->offset_size == 8;

	unit->str_offsets_base = unit->parts.str_offsets + (new ? wide ? 16 : 8 : 0);
	unit->rnglists_base = unit->parts.rnglists + (wide ? 20 : 12);
}

typedef void root_taker(struct unit *unit, uint16_t name, const struct value *value);

static void each_root_attr(struct unit *unit, const struct abbrevs *table,
			   const struct abbrev *abbrev, struct bytes b, root_taker *take)
{
	for (uint32_t i = 0; i < abbrev->count && !b.c.broken; i++) {
		const struct abbrev_attr *attr = &table->attrs.data[abbrev->first + i];
		struct value value = form_read(&b, unit, attr);

		take(unit, attr->name, &value);
	}
}

bool unit_root(struct unit *unit)
{
	struct bytes b = unit_bytes(unit, unit->dies);
	uint64_t code = bytes_uleb(&b);
	const struct abbrev *abbrev;
	struct abbrevs table = { 0 };

	if (unit->rooted)
		return unit->tag;
	unit->rooted = true;
	if (!code)
		return false;
	/* Most units are never asked about: this one abbreviation is enough for now. */
	abbrevs_read(&table, unit->file, unit->abbrev_offset, code);
	abbrev = abbrevs_find(&table, code);
	if (abbrev && dwarf_spend(unit->file->dwarf, abbrev->count)) {
		unit->tag = abbrev->tag;
		set_defaults(unit);
		each_root_attr(unit, &table, abbrev, b, take_base);
		each_root_attr(unit, &table, abbrev, b, take_other);
	}
	abbrevs_fini(&table);
	return unit->tag;
}

void unit_pcs(struct unit *unit, const struct pc_attrs *attrs, uint32_t owner,
	      struct span_list *spans)
{
	uint64_t low = attrs->low.number, end = attrs->high.number;

	if (attrs->ranges.kind != VALUE_OTHER) {
		rangelist_read(unit, &attrs->ranges, owner, spans);
		return;
	}
	if (attrs->low.kind != VALUE_ADDRESS || attrs->high.kind == VALUE_OTHER)
		return;
	if (attrs->high.kind == VALUE_NUMBER)
		end += low;
	rangelist_add(spans, low, end, owner);
}

/* One set of .debug_aranges; *unit_offset is whose. */
static struct bytes read_set(struct bytes *b, uint64_t *unit_offset, uint8_t *address_size)
{
	const unsigned char *start = b->c.at;
	struct bytes set = *b;
	uint8_t offset_size;
	uint64_t length = bytes_length(&set, &offset_size);

	if (length > cursor_left(&set.c))
		set.c.broken = b->c.broken = true;
	if (set.c.broken)
		return set;
	set.c.end = set.c.at + length;
	b->c.at = set.c.end;
	bytes_u16(&set); /* version */
	*unit_offset = bytes_sized(&set, offset_size);
	*address_size = bytes_u8(&set);
	bytes_u8(&set); /* of a segment's number */
	if (*address_size != 4 && *address_size != 8)
		set.c.broken = true;
	else /* the pairs are aligned to their size */
		bytes_skip(&set, -(uint64_t)(set.c.at - start) % (2u * *address_size));
	return set;
}

/*
 * Beside what the units say themselves: not every compiler writes this section, but up to version 2
 * there is no other way to tell of several ranges.
 */
static void place_by_aranges(struct dwarf_file *file, const struct idmap *units,
			     struct span_list *spans)
{
	struct bytes b = file_bytes(file, DWARF_ARANGES, 0);

	while (cursor_left(&b.c) && dwarf_spend(file->dwarf, 1)) {
		uint64_t unit_offset = 0;
		uint8_t size = 0;
		struct bytes set = read_set(&b, &unit_offset, &size);
		uint32_t owner = unit_offset == NO_OFFSET ? IDMAP_NONE
							  : idmap_find(units, unit_offset);

		while (owner != IDMAP_NONE && cursor_left(&set.c) >= 2u * size &&
		       dwarf_spend(file->dwarf, RANGE_STEPS)) {
			uint64_t start = bytes_sized(&set, size);

			rangelist_add(spans, start, start + bytes_sized(&set, size), owner);
		}
	}
}

void units_place(struct dwarf_file *file, struct span_list *spans)
{
	struct idmap incomplete = { 0 };

	for (size_t i = 0; i < file->units.len; i++) {
		struct unit *unit = file->units.data[i];

		if (unit->type == DW_UT_type || !unit_root(unit))
			continue;
		unit_pcs(unit, &unit->pcs, (uint32_t)i, spans);
		if (unit->pcs.ranges.kind == VALUE_OTHER && unit->lines_offset != NO_OFFSET)
			idmap_add(&incomplete, unit->offset, (uint32_t)i);
	}
	if (incomplete.len)
		place_by_aranges(file, &incomplete, spans);
	idmap_free(&incomplete);
}
