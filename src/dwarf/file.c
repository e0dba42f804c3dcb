// SPDX-License-Identifier: Apache-2.0
#include "dwarf/file.h"
#include "dwarf/unit.h"

struct dwarf_file *file_add(struct dwarf *dwarf, const struct dwarf_source *source)
{
	struct dwarf_file *file = arena_alloc(&dwarf->arena, sizeof(*file));

	file->dwarf = dwarf;
	file->source = *source;
	file->number = (uint32_t)dwarf->files.len;
	*vec_push(&dwarf->files) = file;
	return file;
}

static void load(struct dwarf_file *file, enum dwarf_section section)
{
	size_t size = 0;
	const unsigned char *data = file->source.load(file->source.context, section, &size);

	file->sections[section].loaded = true;
	if (!data)
		return;
	file->sections[section].data = data;
	file->sections[section].size = size;
	file->dwarf->work_left += size * DWARF_WORK;
}

struct bytes file_bytes(struct dwarf_file *file, enum dwarf_section section, uint64_t offset)
{
	const unsigned char *data;
	size_t size;

	if (!file->sections[section].loaded)
		load(file, section);
	data = file->sections[section].data;
	size = file->sections[section].size;
	return (struct bytes){
		.c = offset < size ? cursor_of(data + offset, size - offset) : cursor_of(NULL, 0),
		.swapped = file->source.swapped,
	};
}

const char *file_text(struct dwarf_file *file, enum dwarf_section section, uint64_t offset)
{
	struct bytes b = file_bytes(file, section, offset);
	const char *text = bytes_text(&b);

	/* One endless string that everything names would cost its length each time. */
	return text && dwarf_spend(file->dwarf, (uint64_t)((const char *)b.c.at - text)) ? text
											 : NULL;
}

struct dwarf_file *file_shared(struct dwarf_file *file)
{
	struct dwarf_source source;

	if (!file->shared_tried) {
		file->shared_tried = true;
		/* Only the object's own file: one that is shared has none beyond it. */
		if (!file->number && file->source.open_shared &&
		    file->source.open_shared(file->source.context, &source)) {
			file->shared = file_add(file->dwarf, &source);
			units_read(file->shared);
		}
	}
	return file->shared;
}
