// SPDX-License-Identifier: Apache-2.0
#include "dwarf/abbrev.h"
#include "dwarf/constants.h"
#include "dwarf/file.h"

/* Bytes of the forms that always take the same; -1 for others. */
static int fixed_size(uint16_t form)
{
	switch (form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const: return 0;
	case DW_FORM_data1:
	case DW_FORM_flag:
	case DW_FORM_ref1:
	case DW_FORM_strx1:
	case DW_FORM_addrx1: return 1;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2: return 2;
	case DW_FORM_strx3:
	case DW_FORM_addrx3: return 3;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_ref_sup4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4: return 4;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sup8:
	case DW_FORM_ref_sig8: return 8;
	case DW_FORM_data16: return 16;
	default: return -1;
	}
}

/* What an attribute adds to the size of its entries. */
static void measure(struct abbrev *abbrev, uint16_t form)
{
	int size = fixed_size(form);

	if (size >= 0) {
		abbrev->size += (uint32_t)size;
		return;
	}
	switch (form) {
	case DW_FORM_addr: abbrev->addresses++; break;
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_strp_sup:
	case DW_FORM_sec_offset:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt: abbrev->offsets++; break;
	case DW_FORM_ref_addr: abbrev->refs++; break;
	default: abbrev->fixed = false;
	}
}

#define ATTRS_MAX 4096 /* of one abbreviation; the counts above are of 16 bits */

static bool read_attrs(struct abbrevs *table, struct abbrev *abbrev, struct bytes *b)
{
	abbrev->first = (uint32_t)table->attrs.len;
	abbrev->fixed = true;
	for (;;) {
		uint64_t name = bytes_uleb(b), form = bytes_uleb(b);
		int64_t constant = form == DW_FORM_implicit_const ? bytes_sleb(b) : 0;

		if (b->c.broken || form > UINT16_MAX || abbrev->count >= ATTRS_MAX)
			return false;
		if (!name && !form)
			return true;
		*vec_push(&table->attrs) = (struct abbrev_attr){ name > UINT16_MAX ? UINT16_MAX
										   : (uint16_t)name,
								 (uint16_t)form, constant };
		abbrev->count++;
		measure(abbrev, (uint16_t)form);
	}
}

static int by_code(const void *a, const void *b)
{
	uint64_t x = ((const struct abbrev *)a)->code, y = ((const struct abbrev *)b)->code;

	return (x > y) - (x < y);
}

void abbrevs_read(struct abbrevs *table, struct dwarf_file *file, uint64_t offset, uint64_t until)
{
	struct bytes b = file_bytes(file, DWARF_ABBREV, offset);
	bool sorted = true, good = true;
	uint64_t former = 0;

	while (good) {
		const unsigned char *start = b.c.at;
		struct abbrev abbrev = { .code = bytes_uleb(&b) };
		uint64_t tag;

		if (!abbrev.code)
			break;
		tag = bytes_uleb(&b);
		abbrev.tag = tag > UINT16_MAX ? UINT16_MAX : (uint16_t)tag;
		abbrev.has_children = bytes_u8(&b);
		good = read_attrs(table, &abbrev, &b) &&
		       dwarf_spend(file->dwarf, (uint64_t)(b.c.at - start));
		if (good)
			*vec_push(&table->rows) = abbrev;
		sorted &= abbrev.code > former;
		former = abbrev.code;
		if (abbrev.code == until)
			break;
	}
	if (b.c.broken || !good)
		dwarf_damaged(file->dwarf);
	if (!sorted && table->rows.len)
		qsort(table->rows.data, table->rows.len, sizeof(*table->rows.data), by_code);
}

void abbrevs_fini(struct abbrevs *table)
{
	vec_free(&table->rows);
	vec_free(&table->attrs);
}

const struct abbrev *abbrevs_find(const struct abbrevs *table, uint64_t code)
{
	size_t low = 0, high = table->rows.len;

	if (code - 1 < high && table->rows.data[code - 1].code == code)
		return &table->rows.data[code - 1]; /* the numbers usually run from 1 */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->rows.data[middle].code < code)
			low = middle + 1;
		else
			high = middle;
	}
	return low < table->rows.len && table->rows.data[low].code == code ? &table->rows.data[low]
									   : NULL;
}

const struct abbrevs *abbrevs_of(struct unit *unit)
{
	struct dwarf_file *file = unit->file;
	uint32_t known;

	if (unit->abbrevs)
		return unit->abbrevs;
	known = idmap_find(&file->abbrevs_at, unit->abbrev_offset);
	if (known == IDMAP_NONE) {
		struct abbrevs *table = arena_alloc(&file->dwarf->arena, sizeof(*table));

		known = (uint32_t)file->abbrevs.len;
		abbrevs_read(table, file, unit->abbrev_offset, 0);
		*vec_push(&file->abbrevs) = table;
		idmap_add(&file->abbrevs_at, unit->abbrev_offset, known);
	}
	unit->abbrevs = file->abbrevs.data[known];
	return unit->abbrevs;
}
