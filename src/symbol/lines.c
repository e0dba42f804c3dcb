// SPDX-License-Identifier: Apache-2.0
/* From addresses of an object to its source. */
#include "dwarf/digest.h"
#include "symbol/debugfile.h"
#include "symbol/find.h"
#include "symbol/relocate.h"
#include "symbol/store.h"

#include <stdlib.h>

/* The file with the debug information: the object's own, or one that was split from it. */
static bool find_split_or_own(struct finder *f, enum dso_kind kind, struct elf_file *elf)
{
	struct elf_file code = { 0 };
	bool has_code = kind == DSO_MODULE ? find_code(f, &code) : read_find_code(f, kind, &code);
	bool found;

	if (has_code && debugfile_has_lines(&code)) {
		*elf = code;
		return true;
	}
	found = find_debug(f, has_code ? &code : NULL, elf);
	elf_file_close(&code);
	return found;
}

static bool find_lines(struct dso *object, struct finder *f, struct elf_file *elf)
{
	enum dso_kind kind = object->key.kind;

	if (kind == DSO_KERNEL)
		return vmlinux_find_lines(object, f, elf, &object->lines_shift);
	f->wish = FIND_LINES;
	f->wanted = *dso_build_id(object); /* of the file that the names are from */
	if (!find_split_or_own(f, kind, elf))
		return false;
	if (kind == DSO_MODULE && elf->type == ET_REL && object->key.base) {
		object->lines_shift = RELOCATE_TEXT - object->key.base;
		return true;
	}
	/* Of other files that were never linked nobody knows what was loaded where. */
	if (kind == DSO_MODULE || elf->type == ET_REL) {
		elf_file_close(elf);
		return false;
	}
	return true;
}

/* The debug information and what was kept of it. */
struct source_lines {
	struct dwarf_source from; /* which is the next one's */
	struct dwarf *dwarf;
	bool kept; /* it has a build-id, and is worth keeping something of */
	struct cache_identity identity;
	struct cache_bytes bytes;
	struct digest digest; /* in the bytes; empty without */
	char *source;
};

#define KEPT_FROM (256 * 1024) /* reading less than this takes a millisecond or two */

static void open_kept(struct source_lines *lines, const struct cache *cache,
		      const struct build_id *id, const struct elf_file *elf)
{
	uint64_t size = debugfile_size(elf, DWARF_INFO);

	lines->kept = id->size && cache->dir && size >= KEPT_FROM;
	if (!lines->kept)
		return;
	cache_identity_init(&lines->identity, CACHE_LINES, id, NULL);
	lines->identity.symbols_size = size;
	lines->identity.strings_size = debugfile_size(elf, DWARF_LINE);
	lines->bytes = cache_load_bytes(cache, &lines->identity);
	if (lines->bytes.data && !digest_of(&lines->digest, lines->bytes.data, lines->bytes.size))
		lines->digest = (struct digest){ 0 };
}

static struct source_lines *open_lines(struct dso *object)
{
	struct finder f = finder_of(object);
	struct source_lines *lines = NULL;
	struct elf_file elf;

	if (find_lines(object, &f, &elf)) {
		lines = mem_alloc(sizeof(*lines));
		lines->source = mem_strdup(buf_text(&f.source));
		open_kept(lines, &object->store->cache, &f.wanted, &elf);
		lines->from = debugfile_source(elf, lines->source, object);
		lines->dwarf = dwarf_new(&lines->from);
	}
	buf_free(&f.source);
	return lines;
}

/* What this run has read for the first time is there for the next one. */
static void keep(const struct source_lines *lines, const struct cache *cache)
{
	struct cache_note note = { .source = lines->source };
	struct iovec parts[DIGEST_PARTS];
	struct digest_made made = { 0 };

	if (lines->kept && digest_make(&made, lines->dwarf, &lines->digest) &&
	    !debugfile_changed(&lines->from)) {
		digest_parts(&made, parts);
		cache_save_bytes(cache, &lines->identity, parts, DIGEST_PARTS, &note);
	}
	digest_made_free(&made);
}

void source_lines_close(struct source_lines *lines, const struct cache *cache)
{
	if (!lines)
		return;
	keep(lines, cache);
	dwarf_free(lines->dwarf);
	cache_free_bytes(&lines->bytes);
	free(lines->source);
	free(lines);
}

static size_t find(struct source_lines *lines, uint64_t address, struct dwarf_frame *frames,
		   size_t room)
{
	size_t count;

	if (digest_find(&lines->digest, address, frames, room, &count))
		return count;
	return dwarf_find(lines->dwarf, address, frames, room);
}

/* The address in the terms of the file that has the lines; those of the kernel are known then. */
static uint64_t own_address(const struct dso *object, uint64_t file_address, uint64_t asked)
{
	bool kernel = object->key.kind == DSO_KERNEL || object->key.kind == DSO_MODULE;

	return kernel ? asked + object->lines_shift : file_address;
}

static bool may_have_lines(enum dso_kind kind)
{
	return kind == DSO_FILE || kind == DSO_VDSO || kind == DSO_KERNEL || kind == DSO_MODULE;
}

size_t dso_frames(struct dso *object, uint64_t address, struct dwarf_frame *frames, size_t room)
{
	uint64_t own = dso_address(object, address);
	size_t count = 0;

	if (!may_have_lines(object->key.kind))
		return 0;
	pthread_mutex_lock(&object->lock);
	if (!object->lines_tried) {
		object->lines_tried = true;
		object->lines = open_lines(object);
	}
	if (object->lines)
		count = find(object->lines, own_address(object, own, address), frames, room);
	pthread_mutex_unlock(&object->lock);
	return count;
}

enum lines_state dso_lines_state(struct dso *object)
{
	enum lines_state state = LINES_UNREAD;

	pthread_mutex_lock(&object->lock);
	if (object->lines_tried)
		state = LINES_NONE;
	if (object->lines)
		switch (dwarf_state(object->lines->dwarf)) {
		case DWARF_GOOD: state = LINES_GOOD; break;
		case DWARF_DAMAGED: state = LINES_DAMAGED; break;
		case DWARF_TIRED: state = LINES_TIRED; break;
		}
	pthread_mutex_unlock(&object->lock);
	return state;
}

void dso_give_up_rules(struct dso *object)
{
	atomic_store(&object->rules_tired, true);
}

/* Objects are added while others are asked, and asking one takes its lock: see symbol/store.h. */
const char *symbol_store_given_up(struct symbol_store *store, enum given_up what)
{
	const char *path = NULL;
	struct dso *object;

	for (size_t i = 0; (object = store_object(store, i)); i++)
		if (what == GIVEN_UP_RULES ? atomic_load(&object->rules_tired)
					   : dso_lines_state(object) == LINES_TIRED)
			path = object->key.path;
	return path;
}
