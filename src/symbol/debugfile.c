// SPDX-License-Identifier: Apache-2.0
#include "symbol/debugfile.h"
#include "base/cursor.h"
#include "symbol/find.h"
#include "symbol/relocate.h"
#include "symbol/unpack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum split_state { SPLIT_UNKNOWN, SPLIT_PACKAGE, SPLIT_FILES };

struct debugfile {
	struct elf_file elf;
	struct dso *object; /* NULL: no other files */
	char *path;
	bool split; /* its sections are called .dwo */
	enum split_state splits;
	unsigned char *sections[DWARF_SECTIONS];
};

static const struct {
	const char *name, *split;
} names[DWARF_SECTIONS] = {
	[DWARF_INFO] = { ".debug_info", ".debug_info.dwo" },
	[DWARF_ABBREV] = { ".debug_abbrev", ".debug_abbrev.dwo" },
	[DWARF_STR] = { ".debug_str", ".debug_str.dwo" },
	[DWARF_LINE] = { ".debug_line", ".debug_line.dwo" },
	[DWARF_LINE_STR] = { ".debug_line_str", ".debug_line_str.dwo" },
	[DWARF_STR_OFFSETS] = { ".debug_str_offsets", ".debug_str_offsets.dwo" },
	[DWARF_ADDR] = { ".debug_addr", NULL },
	[DWARF_RANGES] = { ".debug_ranges", NULL },
	[DWARF_RNGLISTS] = { ".debug_rnglists", ".debug_rnglists.dwo" },
	[DWARF_ARANGES] = { ".debug_aranges", NULL },
	[DWARF_CU_INDEX] = { NULL, ".debug_cu_index" },
};

/* ".debug_info", or ".zdebug_info" as it was called when packed, before the flag for that. */
static const struct elf_section *find_section(const struct elf_file *elf, const char *name)
{
	const struct elf_section *section = elf_section_find(elf, name);
	char old[32];

	if (section && section->type != SHT_NOBITS)
		return section;
	snprintf(old, sizeof(old), ".z%s", name + 1);
	return elf_section_find(elf, old);
}

bool debugfile_has_lines(const struct elf_file *elf)
{
	return find_section(elf, names[DWARF_INFO].name);
}

uint64_t debugfile_size(const struct elf_file *elf, enum dwarf_section section)
{
	const struct elf_section *found = find_section(elf, names[section].name);

	return found ? found->size : 0;
}

static const unsigned char *load(void *context, enum dwarf_section which, size_t *size)
{
	struct debugfile *file = context;
	const char *name = file->split ? names[which].split : names[which].name;
	const struct elf_section *section = name ? find_section(&file->elf, name) : NULL;
	uint64_t room = 0;

	if (section && !file->sections[which]) {
		file->sections[which] = unpack_section(&file->elf, section, &room);
		if (file->sections[which] && file->elf.type == ET_REL)
			relocate_section(&file->elf, section, file->sections[which], room);
	}
	*size = room;
	return file->sections[which];
}

static void close_file(void *context)
{
	struct debugfile *file = context;

	for (size_t i = 0; i < DWARF_SECTIONS; i++)
		free(file->sections[i]);
	elf_file_close(&file->elf);
	free(file->path);
	free(file);
}

/* Takes the file over. */
static struct debugfile *file_new(struct elf_file elf, const char *path)
{
	struct debugfile *file = mem_alloc(sizeof(*file));

	file->elf = elf;
	file->path = mem_strdup(path);
	return file;
}

static struct dwarf_source source_of(struct debugfile *file)
{
	return (struct dwarf_source){
		.context = file, .swapped = file->elf.swapped, .load = load, .close = close_file
	};
}

/* NAME in the folder that a file is in.  Free it. */
static char *beside(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');

	return mem_printf("%.*s%s", slash ? (int)(slash + 1 - path) : 0, path, name);
}

/* What a file says of the one that dwz moved parts of it to: a name and a build-id. */
struct shared_link {
	unsigned char *bytes;
	const char *name;
	struct build_id id;
};

static bool read_link(const struct elf_file *elf, struct shared_link *link)
{
	const struct elf_section *section = elf_section_find(elf, ".gnu_debugaltlink");
	size_t length, left;

	*link = (struct shared_link){ .bytes = section ? elf_section_load(elf, section) : NULL };
	if (!link->bytes)
		return false;
	link->name = (const char *)link->bytes;
	length = strlen(link->name) + 1;
	left = length < section->size ? section->size - length : 0;
	if (!left || left > BUILD_ID_SIZE)
		return false;
	link->id.size = (uint8_t)left;
	memcpy(link->id.bytes, link->bytes + length, left);
	return true;
}

/* By its name, which counts from the folder of the file, or in the folder of build-ids. */
static bool find_shared(struct finder *f, const struct debugfile *file, const char *name,
			struct elf_file *shared)
{
	char *path = name[0] == '/' ? mem_strdup(name) : beside(file->path, name);
	bool found = name[0] == '/' ? find_place(f, path, shared) : find_try(f, "", path, shared);

	free(path);
	return found || find_debug(f, NULL, shared);
}

static bool open_shared(void *context, struct dwarf_source *source)
{
	struct debugfile *file = context;
	struct finder f = finder_of(file->object);
	struct shared_link link;
	struct elf_file shared;
	bool found = false;

	f.wish = FIND_LINES;
	if (read_link(&file->elf, &link)) {
		f.wanted = link.id;
		found = find_shared(&f, file, link.name, &shared);
	}
	if (found)
		*source = source_of(file_new(shared, buf_text(&f.source)));
	free(link.bytes);
	buf_free(&f.source);
	return found;
}

static bool try_package(struct debugfile *file, struct finder *f, struct elf_file *split)
{
	char *path;
	bool found;

	if (file->splits != SPLIT_UNKNOWN)
		return false;
	path = mem_printf("%s.dwp", file->path);
	found = find_try(f, "", path, split);
	file->splits = found ? SPLIT_PACKAGE : SPLIT_FILES;
	free(path);
	return found;
}

/* Where the compiler put it, or beside the program. */
static bool try_files(struct debugfile *file, struct finder *f, const char *folder,
		      const char *name, struct elf_file *split)
{
	const char *slash = strrchr(name, '/');
	char *whole = name[0] == '/' || !folder ? mem_strdup(name)
						: mem_printf("%s/%s", folder, name);
	char *near = beside(file->path, slash ? slash + 1 : name);
	bool found = (whole[0] == '/' && find_place(f, whole, split)) ||
		     find_try(f, "", near, split);

	free(whole);
	free(near);
	return found;
}

static bool open_split(void *context, const char *folder, const char *name, uint64_t id,
		       struct dwarf_source *source)
{
	struct debugfile *file = context, *other;
	struct finder f = finder_of(file->object);
	struct elf_file split;
	bool found;

	(void)id; /* which the reader compares: these files have no build-id */
	f.wanted = (struct build_id){ 0 };
	found = file->splits != SPLIT_PACKAGE &&
		(try_package(file, &f, &split) || try_files(file, &f, folder, name, &split));
	if (found) {
		other = file_new(split, buf_text(&f.source));
		other->split = true;
		*source = source_of(other);
	}
	buf_free(&f.source);
	return found;
}

struct dwarf_source debugfile_source(struct elf_file elf, const char *path, struct dso *object)
{
	struct debugfile *file = file_new(elf, path);
	struct dwarf_source source = source_of(file);

	file->object = object;
	if (object) {
		source.open_shared = open_shared;
		source.open_split = open_split;
	}
	return source;
}

bool debugfile_changed(const struct dwarf_source *source)
{
	const struct debugfile *file = source->context;

	return image_changed(&file->elf.image);
}
