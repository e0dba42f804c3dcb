// SPDX-License-Identifier: Apache-2.0
/* Reading the symbols of programs, libraries and the vdso. */
#include "symbol/elfsyms.h"
#include "symbol/find.h"
#include "symbol/image.h"
#include "symbol/store.h"
#include "symbol/table.h"
#include "symbol/unpack.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CACHE_WORTH (128 * 1024) /* reading less than this is as quick as reading the cache */

/* The files of an object, as far as they were found. */
struct sources {
	struct elf_file code, debug;
	bool has_code, has_debug;
	char *path; /* of the one with the names */
};

static void sources_close(struct sources *s)
{
	elf_file_close(&s->code);
	elf_file_close(&s->debug);
	free(s->path);
}

static const struct elf_section *mini_debug(const struct sources *s)
{
	const struct elf_section *section = s->has_code
						    ? elf_section_find(&s->code, ".gnu_debugdata")
						    : NULL;

	return section && section->type == SHT_PROGBITS ? section : NULL;
}

/* The file and section of the best names; NULL for none. */
static const struct elf_section *best_names(const struct sources *s, const struct elf_file **file,
					    enum dso_state *state)
{
	const struct elf_section *section = NULL;

	*file = s->has_debug ? &s->debug : &s->code;
	section = elfsyms_symtab(*file);
	*state = DSO_FULL;
	if (!section) {
		*state = DSO_PARTIAL;
		section = mini_debug(s);
	}
	if (!section)
		section = elfsyms_dynsym(*file);
	if (!section)
		*state = DSO_STRIPPED;
	return section;
}

static void identify(const struct sources *s, const struct build_id *id,
		     struct cache_identity *identity)
{
	const struct elf_file *file;
	enum dso_state state;
	const struct elf_section *section = best_names(s, &file, &state);

	cache_identity_init(identity, CACHE_FILE, id,
			    s->has_code ? &s->code.image.stamp : &s->debug.image.stamp);
	identity->state = (uint8_t)state;
	if (!section)
		return;
	identity->symbols_size = section->size;
	if (section->type != SHT_PROGBITS && section->link < file->section_count)
		identity->strings_size = file->sections[section->link].size;
}

/* .gnu_debugdata is a whole ELF file, xz inside, with those symbols that .dynsym lacks. */
static void add_mini_debug(struct symbol_sheet *sheet, const struct sources *s)
{
	const struct elf_section *section = mini_debug(s);
	unsigned char *packed = section ? elf_section_load(&s->code, section) : NULL;
	const struct elf_section *symtab;
	struct elf_file mini;
	struct image image;

	if (!packed)
		return;
	image = image_owning(packed, section->size);
	if (unpack_image(&image)) {
		image_close(&image);
		return;
	}
	if (elf_file_open(&mini, image))
		return;
	symtab = elfsyms_symtab(&mini);
	if (symtab)
		elfsyms_add(sheet, &mini, symtab, &s->code);
	elf_file_close(&mini);
}

static struct table *build(const struct sources *s)
{
	const struct elf_file *names = s->has_debug ? &s->debug : &s->code;
	const struct elf_file *code = s->has_code ? &s->code : &s->debug;
	const struct elf_section *symtab = elfsyms_symtab(names), *dynsym = elfsyms_dynsym(names);
	struct symbol_sheet sheet = { 0 };

	if (symtab)
		elfsyms_add(&sheet, names, symtab, code);
	else
		add_mini_debug(&sheet, s);
	if (dynsym)
		elfsyms_add(&sheet, names, dynsym, code);
	elfsyms_add_plt(&sheet, code);
	elfsyms_add_segments(&sheet, code);
	return table_build(&sheet, OVERLAP_INNERMOST);
}

/* Names of stubs come out of the relocations, and programs with large tables of pointers have
 * many. */
static bool is_worth_keeping(const struct sources *s, const struct cache_identity *identity)
{
	const struct elf_section *moved = s->has_code ? elf_section_find(&s->code, ".rela.dyn")
						      : NULL;

	return identity->symbols_size + identity->strings_size + (moved ? moved->size : 0) >=
		       CACHE_WORTH ||
	       (identity->state == DSO_PARTIAL && !identity->strings_size);
}

static void take_from_cache(struct reading *r, struct table *table, const struct cache_note *note)
{
	r->table = table;
	r->state = note->state;
	r->source = mem_strdup(note->source);
}

/* From the cache, or else from the files; false if they changed meanwhile. */
static bool read_sources(struct symbol_store *store, const struct sources *s,
			 const struct build_id *id, struct reading *r)
{
	struct cache_identity identity;
	struct cache_note note;
	struct table *table;
	bool worth;

	identify(s, id, &identity);
	worth = is_worth_keeping(s, &identity);
	table = worth ? cache_load(&store->cache, &identity, false, &note) : NULL;
	if (table) {
		take_from_cache(r, table, &note);
		return true;
	}
	table = build(s);
	if (image_changed(&s->code.image) || image_changed(&s->debug.image)) {
		table_free(table);
		return false;
	}
	r->table = table;
	r->state = table_count(table) ? identity.state : DSO_STRIPPED;
	r->source = mem_strdup(s->path);
	note = (struct cache_note){ .source = s->path, .state = (uint8_t)r->state };
	if (worth)
		cache_save(&store->cache, &identity, table, &note);
	return true;
}

/* What an earlier run kept of a file that is gone now. */
static void read_kept(struct symbol_store *store, const struct build_id *id, struct reading *r)
{
	struct cache_identity identity;
	struct cache_note note;
	struct table *table;

	if (!id->size)
		return;
	cache_identity_init(&identity, CACHE_FILE, id, NULL);
	table = cache_load(&store->cache, &identity, true, &note);
	if (table)
		take_from_cache(r, table, &note);
}

static void find_names(struct finder *f, struct sources *s)
{
	s->path = mem_strdup(buf_text(&f->source));
	if (s->has_code && elfsyms_symtab(&s->code))
		return;
	s->has_debug = find_debug(f, s->has_code ? &s->code : NULL, &s->debug);
	if (s->has_debug) {
		free(s->path);
		s->path = mem_strdup(buf_text(&f->source));
	}
}

/* True if it is done, well or not; false if the files changed under us. */
static bool try_reading(struct dso *object, struct reading *r)
{
	struct finder f = finder_of(object);
	struct sources s = { 0 };
	bool done = true;

	s.has_code = find_code(&f, &s.code);
	find_names(&f, &s);
	r->build_id = f.wanted;
	r->state = f.trouble;
	if (s.has_code || s.has_debug)
		done = read_sources(object->store, &s, &f.wanted, r);
	else
		read_kept(object->store, &f.wanted, r);
	if (f.doubted && (r->state == DSO_FULL || r->state == DSO_PARTIAL))
		r->state = DSO_NEWER;
	if (!done)
		r->state = DSO_MISMATCH; /* it is being rebuilt: no longer what was recorded */
	sources_close(&s);
	buf_free(&f.source);
	return done;
}

void read_file_object(struct dso *object, struct reading *r)
{
	if (!try_reading(object, r))
		try_reading(object, r);
}

/* Our own vdso, which is that of every process of this kernel and class. */
static bool copy_vdso(struct image *image)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	uint64_t start = 0, end = 0;
	bool found = false;
	char line[512];
	void *copy;

	while (maps && !found && fgets(line, sizeof(line), maps))
		found = strstr(line, "[vdso]") &&
			sscanf(line, "%" SCNx64 "-%" SCNx64, &start, &end) == 2;
	if (maps)
		fclose(maps);
	if (!found || end <= start || end - start > 1 << 20)
		return false;
	copy = mem_alloc(end - start);
	memcpy(copy, (void *)(uintptr_t)start, end - start);
	*image = image_owning(copy, end - start);
	return true;
}

static bool open_own_vdso(struct finder *f, struct elf_file *elf)
{
	const struct symbol_options *options = &f->store->options;
	struct build_id id;
	struct image image;

	if (options->other_machine || options->symfs || f->guest || !copy_vdso(&image) ||
	    elf_file_open(elf, image))
		return false;
	elf_file_build_id(elf, &id);
	if (f->wanted.size && !build_id_same(&id, &f->wanted)) {
		f->trouble = DSO_MISMATCH;
		elf_file_close(elf);
		return false;
	}
	f->wanted = id;
	buf_puts(&f->source, "[vdso]");
	return true;
}

void read_vdso_object(struct dso *object, struct reading *r)
{
	struct finder f = finder_of(object);
	struct sources s = { 0 };

	s.has_code = open_own_vdso(&f, &s.code) || find_try_cached(&f, "vdso", &s.code);
	find_names(&f, &s);
	r->build_id = f.wanted;
	r->state = f.trouble;
	if (s.has_code || s.has_debug)
		read_sources(object->store, &s, &f.wanted, r);
	sources_close(&s);
	buf_free(&f.source);
}

bool read_find_code(struct finder *f, enum dso_kind kind, struct elf_file *code)
{
	if (kind == DSO_VDSO)
		return open_own_vdso(f, code) || find_try_cached(f, "vdso", code);
	return kind == DSO_FILE && find_code(f, code);
}

bool dso_open_code(struct dso *object, struct elf_file *code)
{
	struct finder f;
	bool found;

	pthread_mutex_lock(&object->lock);
	f = finder_of(object);
	found = read_find_code(&f, object->key.kind, code);
	pthread_mutex_unlock(&object->lock);
	buf_free(&f.source);
	return found;
}

bool dso_open_debug(struct dso *object, struct elf_file *debug)
{
	struct elf_file code = { 0 };
	struct finder f;
	bool has_code, found;

	pthread_mutex_lock(&object->lock);
	f = finder_of(object);
	has_code = read_find_code(&f, object->key.kind, &code);
	found = find_debug(&f, has_code ? &code : NULL, debug);
	pthread_mutex_unlock(&object->lock);
	elf_file_close(&code);
	buf_free(&f.source);
	return found;
}
