/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of dwarf/ share: an object, its files, their units. */
#ifndef DWARF_FILE_H
#define DWARF_FILE_H

#include "base/arena.h"
#include "base/idmap.h"
#include "base/vec.h"
#include "dwarf/bytes.h"
#include "dwarf/dwarf.h"
#include "dwarf/spans.h"

struct abbrevs;
struct dwarf_file;
struct functions;
struct lines;

#define NO_OFFSET UINT64_MAX

enum value_kind {
	VALUE_OTHER, /* of no interest here, or not to be had */
	VALUE_NUMBER,
	VALUE_ADDRESS,
	VALUE_ENTRY, /* another entry: its offset in .debug_info of `file` */
	VALUE_TEXT,
	VALUE_RANGES, /* number of a list of ranges */
};

struct value {
	enum value_kind kind;
	uint64_t number;
	const char *text;
	struct dwarf_file *file;
};

/* The attributes that tell which addresses are an entry's. */
struct pc_attrs {
	struct value low, high, ranges;
};

/* Bytes of a section that a unit's own offsets count from: in a package a part of it. */
struct unit_parts {
	uint64_t abbrev, line, str_offsets, rnglists;
};

struct unit {
	struct dwarf_file *file;
	uint64_t offset, dies, end; /* in .debug_info: the unit, its first entry, behind it */
	uint64_t abbrev_offset;
	uint8_t version, type, address_size, offset_size;
	struct unit_parts parts;
	/* What its first entry says. */
	bool rooted;
	uint16_t tag, language;
	uint64_t str_offsets_base, addr_base, rnglists_base, ranges_base;
	struct pc_attrs pcs;
	uint64_t low_pc, lines_offset; /* NO_OFFSET: none */
	const char *folder, *split_name;
	uint64_t split_id;
	/* Read at the first question. */
	const struct abbrevs *abbrevs;
	struct unit *split; /* the unit that holds its functions, if another */
	struct functions *functions;
	struct lines *lines;
	bool split_tried, functions_tried, lines_tried;
};

struct dwarf_file {
	struct dwarf *dwarf;
	struct dwarf_source source;
	uint32_t number;	   /* among the object's files */
	bool is_split, is_package; /* of units that were split off, of many such */
	struct {
		const unsigned char *data;
		size_t size;
		bool loaded;
	} sections[DWARF_SECTIONS];
	VEC(struct unit *) units; /* by their offsets */
	struct idmap abbrevs_at;
	VEC(struct abbrevs *) abbrevs;
	struct dwarf_file *shared; /* by dwz; NULL: none, or not asked for yet */
	bool shared_tried;
};

struct dwarf {
	struct arena arena;
	VEC(struct dwarf_file *) files; /* the first is the object's own */
	struct spans places;		/* address to number of a unit of the first file */
	bool placed;
	uint64_t work_left;
	enum dwarf_state state;
	struct idmap names_at; /* of entries, by file and offset */
	VEC(const char *) names;
};

/* A range will be sorted, a row kept: they cost more than reading them. */
#define RANGE_STEPS 8
#define ROW_STEPS   4

/* False once the object has had its share; then whoever asks leaves off. */
static inline bool dwarf_spend(struct dwarf *dwarf, uint64_t steps)
{
	if (dwarf->state == DWARF_TIRED || dwarf->work_left < steps) {
		dwarf->state = DWARF_TIRED;
		return false;
	}
	dwarf->work_left -= steps;
	return true;
}

static inline void dwarf_damaged(struct dwarf *dwarf)
{
	if (dwarf->state == DWARF_GOOD)
		dwarf->state = DWARF_DAMAGED;
}

/* A further file of the object; the source is taken over. */
struct dwarf_file *file_add(struct dwarf *dwarf, const struct dwarf_source *source);

/* A section from an offset on; empty where that lies outside. */
struct bytes file_bytes(struct dwarf_file *file, enum dwarf_section section, uint64_t offset);

/* Whether a section reaches beyond an offset. */
static inline bool file_has(struct dwarf_file *file, enum dwarf_section section, uint64_t offset)
{
	struct bytes b = file_bytes(file, section, offset);

	return cursor_left(&b.c);
}

/* The string at an offset of a section; NULL if there is none. */
const char *file_text(struct dwarf_file *file, enum dwarf_section section, uint64_t offset);

/* The file that dwz made, opened at the first call; or NULL. */
struct dwarf_file *file_shared(struct dwarf_file *file);

#endif
