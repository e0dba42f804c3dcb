// SPDX-License-Identifier: Apache-2.0
#include "dwarf/function.h"
#include "dwarf/constants.h"
#include "dwarf/unit.h"

#define NESTING 1024 /* of entries: deeper than any compiler's */

struct walk {
	struct unit *unit;
	const struct abbrevs *table;
	struct bytes b;
	uint64_t entry; /* the offset of the one that is read */
	struct functions *functions;
	struct span_list spans;
	uint32_t scopes[NESTING]; /* the function that each open entry lies in */
	size_t depth;
};

/* What is read of a function's entry. */
struct facts {
	struct pc_attrs pcs;
	uint64_t sibling; /* where the next entry beside it is; 0: not told */
	uint32_t call_file, call_line;
	bool abstract; /* declared, or only a pattern for inlined copies: no code below it */
};

static uint32_t small(const struct value *value)
{
	return value->kind == VALUE_NUMBER && value->number <= UINT32_MAX ? (uint32_t)value->number
									  : 0;
}

static void take(struct facts *facts, uint16_t name, const struct value *v)
{
	switch (name) {
	case DW_AT_low_pc: facts->pcs.low = *v; break;
	case DW_AT_high_pc: facts->pcs.high = *v; break;
	case DW_AT_ranges: facts->pcs.ranges = *v; break;
	case DW_AT_call_file: facts->call_file = small(v); break;
	case DW_AT_call_line: facts->call_line = small(v); break;
	case DW_AT_declaration:
	case DW_AT_inline: facts->abstract |= v->kind == VALUE_NUMBER && v->number; break;
	case DW_AT_sibling: facts->sibling = v->kind == VALUE_ENTRY ? v->number : 0; break;
	}
}

static bool is_wanted(uint16_t name)
{
	switch (name) {
	case DW_AT_low_pc:
	case DW_AT_high_pc:
	case DW_AT_ranges:
	case DW_AT_call_file:
	case DW_AT_call_line:
	case DW_AT_declaration:
	case DW_AT_inline:
	case DW_AT_sibling: return true;
	default: return false;
	}
}

static struct facts read_facts(struct walk *w, const struct abbrev *abbrev)
{
	struct facts facts = { 0 };

	for (uint32_t i = 0; i < abbrev->count && !w->b.c.broken; i++) {
		const struct abbrev_attr *attr = &w->table->attrs.data[abbrev->first + i];

		if (is_wanted(attr->name)) {
			struct value value = form_read(&w->b, w->unit, attr);

			take(&facts, attr->name, &value);
		} else {
			form_skip(&w->b, w->unit, attr);
		}
	}
	return facts;
}

/* Forward only: what leads back would be read again and again. */
static bool skip_to(struct walk *w, uint64_t offset)
{
	uint64_t here = w->unit->end - cursor_left(&w->b.c);

	if (offset <= here || offset >= w->unit->end)
		return false;
	w->b.c.at += offset - here;
	return true;
}

static void enter(struct walk *w, uint32_t scope)
{
	if (w->depth == NESTING) {
		w->b.c.broken = true;
		return;
	}
	w->scopes[w->depth++] = scope;
}

static uint32_t scope_of(const struct walk *w)
{
	return w->depth ? w->scopes[w->depth - 1] : NO_FUNCTION;
}

static void read_function(struct walk *w, const struct abbrev *abbrev)
{
	struct facts facts = read_facts(w, abbrev);
	bool inlined = abbrev->tag == DW_TAG_inlined_subroutine;
	uint32_t scope = scope_of(w), row = (uint32_t)w->functions->rows.len;
	size_t before = w->spans.len;

	/* A pattern has no code; addresses that one claims would belong to no row. */
	if (!w->b.c.broken && !facts.abstract)
		unit_pcs(w->unit, &facts.pcs, row, &w->spans);
	for (size_t i = before; i < w->spans.len; i++)
		w->spans.data[i].depth = (uint32_t)w->depth;
	/* In DWARF 2 what has several ranges tells none, and is still what others are inlined in.
	 */
	if (!facts.abstract) {
		*vec_push(&w->functions->rows) = (struct function){
			.entry = w->entry,
			.parent = inlined ? scope : NO_FUNCTION,
			.call_file = facts.call_file,
			.call_line = facts.call_line,
		};
		scope = row;
	}
	if (abbrev->has_children && !(facts.abstract && skip_to(w, facts.sibling)))
		enter(w, scope);
}

/* Whether the code of functions may stand inside of types: Rust has it so, C and C++ do not. */
static bool types_hold_code(const struct unit *unit)
{
	switch (unit->language) {
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14: return false;
	default: return true;
	}
}

static bool is_type(uint16_t tag)
{
	switch (tag) {
	case DW_TAG_array_type:
	case DW_TAG_class_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_structure_type:
	case DW_TAG_subroutine_type:
	case DW_TAG_union_type: return true;
	default: return false;
	}
}

static void read_other(struct walk *w, const struct abbrev *abbrev, bool skip_types)
{
	if (skip_types && abbrev->has_children && is_type(abbrev->tag)) {
		struct facts facts = read_facts(w, abbrev);

		if (!skip_to(w, facts.sibling))
			enter(w, scope_of(w));
		return;
	}
	form_skip_all(&w->b, w->unit, w->table, abbrev);
	if (abbrev->has_children)
		enter(w, scope_of(w));
}

static void walk_entries(struct walk *w)
{
	bool skip_types = !types_hold_code(w->unit);

	while (cursor_left(&w->b.c)) {
		const struct abbrev *abbrev;
		uint64_t code;

		w->entry = w->unit->end - cursor_left(&w->b.c);
		code = bytes_uleb(&w->b);
		if (!code) {
			if (!w->depth || !--w->depth)
				break;
			continue;
		}
		abbrev = abbrevs_find(w->table, code);
		if (!abbrev || !dwarf_spend(w->unit->file->dwarf, 1u + abbrev->count)) {
			w->b.c.broken = true;
			break;
		}
		if (abbrev->tag == DW_TAG_subprogram || abbrev->tag == DW_TAG_inlined_subroutine)
			read_function(w, abbrev);
		else
			read_other(w, abbrev, skip_types);
	}
	if (w->b.c.broken)
		dwarf_damaged(w->unit->file->dwarf);
}

static struct functions *read_unit(struct unit *unit)
{
	struct walk *w = mem_alloc(sizeof(*w));
	struct functions *functions = mem_alloc(sizeof(*functions));

	*w = (struct walk){ .unit = unit,
			    .table = abbrevs_of(unit),
			    .b = unit_bytes(unit, unit->dies),
			    .functions = functions };
	walk_entries(w);
	if (unit->file->dwarf->state != DWARF_TIRED)
		spans_make(&functions->places, &w->spans);
	vec_free(&w->spans);
	free(w);
	return functions;
}

const struct functions *functions_of(struct unit *unit)
{
	if (!unit->functions_tried) {
		unit->functions_tried = true;
		unit->functions = read_unit(unit);
	}
	return unit->functions;
}

void functions_free(struct functions *functions)
{
	if (!functions)
		return;
	vec_free(&functions->rows);
	spans_free(&functions->places);
	free(functions);
}

#define REFERENCES 16 /* followed from an entry to its name; three are usual */

/* What an entry says of its name, and where more may be said. */
struct naming {
	const char *linkage, *plain;
	struct value origin;
};

static struct naming read_naming(struct unit *unit, uint64_t entry)
{
	const struct abbrevs *table = abbrevs_of(unit);
	struct bytes b = unit_bytes(unit, entry);
	const struct abbrev *abbrev = abbrevs_find(table, bytes_uleb(&b));
	struct naming naming = { 0 };

	if (!abbrev || !dwarf_spend(unit->file->dwarf, 1u + abbrev->count))
		return naming;
	for (uint32_t i = 0; i < abbrev->count && !b.c.broken; i++) {
		const struct abbrev_attr *attr = &table->attrs.data[abbrev->first + i];

		switch (attr->name) {
		case DW_AT_linkage_name:
		case DW_AT_MIPS_linkage_name:
			naming.linkage = form_read(&b, unit, attr).text;
			break;
		case DW_AT_name: naming.plain = form_read(&b, unit, attr).text; break;
		case DW_AT_abstract_origin:
		case DW_AT_specification: naming.origin = form_read(&b, unit, attr); break;
		default: form_skip(&b, unit, attr);
		}
	}
	return naming;
}

/* The linkage name may stand further on than the plain one. */
static const char *find_name(struct unit *unit, uint64_t entry)
{
	const char *plain = NULL;

	for (int i = 0; i < REFERENCES && unit; i++) {
		struct naming naming = read_naming(unit, entry);

		if (naming.linkage)
			return naming.linkage;
		if (!plain)
			plain = naming.plain;
		if (naming.origin.kind != VALUE_ENTRY)
			break;
		entry = naming.origin.number;
		unit = unit_at(naming.origin.file, entry);
		if (unit && !unit_root(unit))
			break;
	}
	return plain;
}

const char *function_name(struct unit *unit, uint64_t entry)
{
	struct dwarf *dwarf = unit->file->dwarf;
	uint64_t key = (uint64_t)unit->file->number << 40 | entry;
	uint32_t known = idmap_find(&dwarf->names_at, key);

	if (known == IDMAP_NONE) {
		const char *name = find_name(unit, entry);

		known = idmap_add(&dwarf->names_at, key, (uint32_t)dwarf->names.len);
		*vec_push(&dwarf->names) = name;
	}
	return dwarf->names.data[known];
}
