// SPDX-License-Identifier: Apache-2.0
/*
 * Debug information: whatever the bytes are, answers end and point to what is there.
 *
 * The first byte: 1 for the other byte order, 2 if the rest is a whole ELF file.  Else parts
 * follow: a byte of file (own, shared, split) and section, two of length, and the section's bytes.
 */
#include "dwarf/digest.h"
#include "dwarf/file.h"
#include "dwarf/function.h"
#include "fuzz.h"
#include "symbol/debugfile.h"

#define FILES	  3
#define QUESTIONS 64

struct parts {
	const uint8_t *data[FILES][DWARF_SECTIONS];
	size_t size[FILES][DWARF_SECTIONS];
};

struct place {
	const struct parts *parts;
	unsigned file;
	bool swapped;
};

static const unsigned char *load(void *context, enum dwarf_section section, size_t *size)
{
	const struct place *place = context;

	*size = place->parts->size[place->file][section];
	return place->parts->data[place->file][section];
}

static struct dwarf_source source_of(const struct place *place, unsigned file);

static bool open_shared(void *context, struct dwarf_source *source)
{
	*source = source_of(context, 1);
	return true;
}

static bool open_split(void *context, const char *folder, const char *name, uint64_t id,
		       struct dwarf_source *source)
{
	(void)folder;
	(void)name;
	(void)id;
	*source = source_of(context, 2);
	return true;
}

static struct dwarf_source source_of(const struct place *place, unsigned file)
{
	struct place *other = malloc(sizeof(*other));

	if (!other)
		abort();
	*other = *place;
	other->file = file;
	return (struct dwarf_source){ .context = other,
				      .swapped = place->swapped,
				      .load = load,
				      .open_shared = open_shared,
				      .open_split = open_split,
				      .close = free };
}

static void carve(struct parts *parts, const uint8_t *data, size_t size)
{
	while (size >= 3) {
		unsigned file = data[0] >> 4 & 3, section = data[0] & 15;
		size_t length = data[1] | (size_t)data[2] << 8;

		data += 3;
		size -= 3;
		length = length < size ? length : size;
		if (file < FILES && section < DWARF_SECTIONS) {
			parts->data[file][section] = data;
			parts->size[file][section] = length;
		}
		data += length;
		size -= length;
	}
}

static void ask(struct dwarf *dwarf, uint64_t address)
{
	struct dwarf_frame frames[DWARF_DEPTH];
	size_t count = dwarf_find(dwarf, address, frames, DWARF_DEPTH);

	FUZZ_HOLDS(count <= DWARF_DEPTH);
	for (size_t i = 0; i < count; i++) {
		FUZZ_HOLDS(frames[i].inlined == (i + 1 < count));
		FUZZ_HOLDS(!frames[i].name || strlen(frames[i].name) < 1 << 24);
		FUZZ_HOLDS(!frames[i].file || strlen(frames[i].file) < 1 << 24);
	}
}

static void ask_all(struct dwarf *dwarf)
{
	ask(dwarf, 0);
	for (size_t i = 0; i < dwarf->places.count && i < QUESTIONS; i++) {
		ask(dwarf, dwarf->places.starts[i]);
		ask(dwarf, dwarf->places.starts[i] - 1);
	}
	for (size_t f = 0; f < dwarf->files.len; f++)
		vec_each (unit, &dwarf->files.data[f]->units) {
			const struct functions *functions = (*unit)->functions;

			for (size_t i = 0;
			     functions && i < functions->places.count && i < QUESTIONS; i++)
				ask(dwarf, functions->places.starts[i]);
		}
	ask(dwarf, UINT64_MAX);
}

/* What is kept of it answers the same. */
static void keep(struct dwarf *dwarf)
{
	struct dwarf_frame frames[DWARF_DEPTH];
	struct digest_made made = { 0 };

	if (digest_make(&made, dwarf, NULL)) {
		struct digest digest = { made.rows.data, made.functions.data, made.texts.data,
					 made.rows.len,	 made.functions.len,  made.texts.len };
		size_t count;

		for (size_t i = 0; i < digest.row_count && i < QUESTIONS; i++) {
			uint64_t address = digest.rows[i].start;

			if (digest_find(&digest, address, frames, DWARF_DEPTH, &count))
				FUZZ_HOLDS(
					count == dwarf_find(dwarf, address, frames, DWARF_DEPTH) ||
					dwarf_state(dwarf) != DWARF_GOOD);
		}
	}
	digest_made_free(&made);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct parts parts = { 0 };
	struct place place = { .parts = &parts };
	struct dwarf_source source;
	struct elf_file elf;
	struct dwarf *dwarf;

	if (!size)
		return 0;
	if (data[0] & 2) {
		if (elf_file_open(&elf, image_of(data + 1, size - 1)))
			return 0;
		source = debugfile_source(elf, "", NULL);
	} else {
		place.swapped = data[0] & 1;
		carve(&parts, data + 1, size - 1);
		source = source_of(&place, 0);
	}
	dwarf = dwarf_new(&source);
	ask_all(dwarf);
	keep(dwarf);
	dwarf_free(dwarf);
	return 0;
}
