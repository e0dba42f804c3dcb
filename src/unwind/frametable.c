// SPDX-License-Identifier: Apache-2.0
#include "unwind/frametable.h"
#include "symbol/elf.h"
#include "symbol/unpack.h"

static void take(struct frame_table *table, const struct elf_file *elf, unsigned char *bytes,
		 size_t size, uint64_t address)
{
	*table = (struct frame_table){ .bytes = bytes };
	table->section.bases =
		(struct cfi_bases){ .bytes = bytes, .address = address, .wide = elf->wide };
	table->section.size = size;
}

static int by_start(const void *left, const void *right)
{
	const struct indexed *a = left, *b = right;

	return a->start < b->start ? -1 : a->start > b->start;
}

static void build_index(struct frame_table *table)
{
	struct cfi_entry entry;
	size_t at = 0, next;
	enum cfi_kind kind;

	table->has_index = true;
	while ((kind = cfi_read(&table->section, at, &entry, &next)) != CFI_END) {
		if (kind == CFI_ENTRY)
			*vec_push(&table->index) = (struct indexed){ entry.start, entry.end,
								     entry.offset };
		at = next;
	}
	if (table->index.len)
		qsort(table->index.data, table->index.len, sizeof(*table->index.data), by_start);
}

bool frame_table_load_debug(struct frame_table *table, const struct elf_file *elf)
{
	const struct elf_section *section = elf_section_find(elf, ".debug_frame");
	unsigned char *bytes;
	uint64_t size;

	if (!section || elf->swapped)
		return false;
	bytes = unpack_section(elf, section, &size);
	if (!bytes)
		return false;
	take(table, elf, bytes, (size_t)size, section->addr);
	table->section.debug = true;
	build_index(table);
	return true;
}

/* A piece of the file, by a section of that name or else by what the segments say. */
struct piece {
	unsigned char *bytes;
	uint64_t address, size;
};

static bool load_piece(const struct elf_file *elf, uint64_t offset, struct piece *piece)
{
	piece->bytes = piece->size ? image_load(&elf->image, offset, piece->size) : NULL;
	return piece->bytes != NULL;
}

static bool load_section(const struct elf_file *elf, const char *name, struct piece *piece)
{
	const struct elf_section *section = elf_section_find(elf, name);

	if (!section || section->type == SHT_NOBITS || section->flags & SHF_COMPRESSED)
		return false;
	*piece = (struct piece){ .address = section->addr, .size = section->size };
	return load_piece(elf, section->offset, piece);
}

/* The vdso and sstripped files have no sections. */
static bool load_header_segment(const struct elf_file *elf, struct piece *piece)
{
	for (uint32_t i = 0; i < elf->segment_count; i++) {
		const struct elf_segment *s = &elf->segments[i];

		if (s->type != PT_GNU_EH_FRAME)
			continue;
		*piece = (struct piece){ .address = s->addr, .size = s->file_size };
		return load_piece(elf, s->offset, piece);
	}
	return false;
}

/* From an address to the end of its segment; where .eh_frame ends, a zero says so. */
static bool load_rest(const struct elf_file *elf, uint64_t address, struct piece *piece)
{
	const struct elf_segment *s = elf_segment_of(elf, address);

	if (!s || address - s->addr >= s->file_size)
		return false;
	*piece = (struct piece){ .address = address, .size = s->file_size - (address - s->addr) };
	return load_piece(elf, s->offset + (address - s->addr), piece);
}

static bool load_header(const struct elf_file *elf, struct piece *piece, struct cfi_header *header)
{
	struct cfi_bases bases;

	if (!load_section(elf, ".eh_frame_hdr", piece) && !load_header_segment(elf, piece))
		return false;
	bases = (struct cfi_bases){ .bytes = piece->bytes,
				    .address = piece->address,
				    .data = piece->address,
				    .wide = elf->wide };
	if (cfi_header_read(header, &bases, (size_t)piece->size))
		return true;
	free(piece->bytes);
	piece->bytes = NULL;
	return false;
}

bool frame_table_load_eh(struct frame_table *table, const struct elf_file *elf)
{
	struct piece head = { 0 }, frames = { 0 };
	struct cfi_header header = { 0 };
	bool has_header;

	if (elf->swapped)
		return false;
	has_header = load_header(elf, &head, &header);
	if (!load_section(elf, ".eh_frame", &frames) &&
	    (!has_header || !load_rest(elf, header.frames, &frames))) {
		free(head.bytes);
		return false;
	}
	take(table, elf, frames.bytes, (size_t)frames.size, frames.address);
	table->header = header;
	table->header_bytes = head.bytes;
	table->section.bases.data = head.address;
	if (!header.count)
		build_index(table);
	return true;
}

void frame_table_free(struct frame_table *table)
{
	free(table->bytes);
	free(table->header_bytes);
	vec_free(&table->index);
}

const struct frame_index *frame_table_index(struct frame_table *table)
{
	if (!table->has_index)
		build_index(table);
	return &table->index;
}

/* The entry's offset by the index; false if nothing covers pc. */
static bool find_indexed(const struct frame_table *table, uint64_t pc, size_t *offset)
{
	const struct frame_index *index = &table->index;
	size_t low = 0, high = index->len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (index->data[middle].start <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || pc >= index->data[low - 1].end)
		return false;
	*offset = index->data[low - 1].offset;
	return true;
}

bool frame_table_find(const struct frame_table *table, uint64_t pc, struct cfi_entry *entry)
{
	size_t offset, next;
	uint64_t address;

	if (table->header.count) {
		if (!cfi_header_find(&table->header, pc, &address) ||
		    address - table->section.bases.address >= table->section.size)
			return false;
		offset = (size_t)(address - table->section.bases.address);
	} else if (!find_indexed(table, pc, &offset)) {
		return false;
	}
	return cfi_read(&table->section, offset, entry, &next) == CFI_ENTRY && pc >= entry->start &&
	       pc < entry->end;
}
