// SPDX-License-Identifier: Apache-2.0
/*
 * The names and the source lines in a kernel's image.
 *
 * An image has a hundred thousand symbols and more, so their table is kept by its build-id.
 */
#include "symbol/debugfile.h"
#include "symbol/debuginfod.h"
#include "symbol/elfsyms.h"
#include "symbol/find.h"
#include "symbol/store.h"
#include "symbol/table.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

static void identify(struct cache_identity *identity, const struct elf_file *elf)
{
	const struct elf_section *symbols = elfsyms_symtab(elf);
	struct build_id id;

	elf_file_build_id(elf, &id);
	cache_identity_init(identity, CACHE_VMLINUX, &id, &elf->image.stamp);
	identity->state = DSO_FULL;
	if (symbols) {
		identity->symbols_size = symbols->size;
		if (symbols->link < elf->section_count)
			identity->strings_size = elf->sections[symbols->link].size;
	}
}

static struct kernel_names *names_of(struct symbol_store *store, const struct elf_file *elf,
				     const char *path)
{
	struct symbol_sheet sheet = { 0 };
	struct cache_identity identity;
	struct kernel_names *names;

	identify(&identity, elf);
	names = kernel_names_kept(store, &identity, false);
	if (names)
		return names;
	elfsyms_add_kernel(&sheet, elf);
	if (sheet.rows.len && !image_changed(&elf->image)) {
		names = mem_alloc(sizeof(*names));
		elfsyms_value(elf, "_text", &names->text);
		elfsyms_value(elf, "_stext", &names->stext);
		names->table = table_build(&sheet, OVERLAP_INNERMOST);
		names->state = DSO_FULL;
		names->source = mem_strdup(path);
		kernel_names_keep(store, &identity, names);
	}
	sheet_free(&sheet);
	return names;
}

/* Takes the file over. */
static bool read_image(struct dso *object, struct elf_file *elf, const char *path,
		       struct reading *r)
{
	struct kernel_names *names = names_of(object->store, elf, path);

	if (names) {
		elf_file_build_id(elf, &r->build_id);
		r->state = names->state;
		r->shift = kernel_shift(&object->key, names->text, names->stext);
		r->table = names->table;
		r->source = names->source;
		free(names); /* what it held is the reading's */
	}
	elf_file_close(elf);
	return names != NULL;
}

/* What is done with a file that may be the image: true if it was of use.  Takes it over. */
typedef bool image_taker(struct dso *object, struct elf_file *elf, const char *path, void *into);

static bool take_names(struct dso *object, struct elf_file *elf, const char *path, void *into)
{
	return read_image(object, elf, path, into);
}

static bool try_path(struct dso *object, struct finder *f, const char *root, const char *path,
		     image_taker *take, void *into)
{
	struct elf_file elf;

	return find_try(f, root, path, &elf) && take(object, &elf, buf_text(&f->source), into);
}

static bool try_places(struct dso *object, struct finder *f, image_taker *take, void *into)
{
	static const char *const places[] = {
		"/boot/vmlinux-%s",
		"/usr/lib/debug/boot/vmlinux-%s",
		"/lib/modules/%s/build/vmlinux",
		"/usr/lib/debug/lib/modules/%s/vmlinux",
		"/usr/lib/debug/boot/vmlinux-%s.debug",
	};
	const struct symbol_options *options = &object->store->options;
	struct utsname host;
	const char *release = options->release;
	bool found = false;

	if (!release && !uname(&host))
		release = host.release;
	for (size_t i = 0; i < ARRAY_SIZE(places) && !found && release; i++) {
		char *path = mem_printf(places[i], release);

		found = try_path(object, f, options->symfs ? options->symfs : "", path, take, into);
		free(path);
	}
	return found;
}

/* It must be of the recorded build: the running kernel's where only its release is recorded. */
static struct finder kernel_finder(const struct dso *object)
{
	struct finder f = { .store = object->store,
			    .path = object->key.path,
			    .wanted = object->key.build_id,
			    .guest = object->key.guest,
			    .trouble = DSO_MISSING };

	if (!f.guest && !f.wanted.size && f.store->options.release &&
	    store_is_running_kernel(f.store, &f.wanted))
		f.wanted = f.store->running;
	return f;
}

bool vmlinux_find(struct dso *object, struct reading *r)
{
	struct finder f = kernel_finder(object);
	struct elf_file elf;
	bool found = false;

	if (f.wanted.size)
		found = (find_try_cached(&f, "elf", &elf) &&
			 read_image(object, &elf, buf_text(&f.source), r)) ||
			try_places(object, &f, take_names, r);
	buf_free(&f.source);
	return found;
}

void vmlinux_find_afar(struct dso *object, struct reading *r)
{
	struct finder f = kernel_finder(object);
	struct elf_file elf;

	if (find_try_debuginfod(&f, DEBUGINFOD_DEBUGINFO, &elf)) {
		free(r->source);
		r->source = NULL;
		r->shared = false;
		read_image(object, &elf, buf_text(&f.source), r);
	}
	buf_free(&f.source);
}

/* One that the user names; only where the recording tells the build can it be the wrong one. */
void vmlinux_read_given(struct dso *object, const char *path, struct reading *r)
{
	struct finder f = { .store = object->store,
			    .path = object->key.path,
			    .wanted = object->key.build_id,
			    .trouble = DSO_MISSING };

	if (!try_path(object, &f, "", path, take_names, r))
		r->state = f.trouble == DSO_MISSING && f.source.len ? DSO_STRIPPED : f.trouble;
	buf_free(&f.source);
}

static bool take_lines(struct dso *object, struct elf_file *elf, const char *path, void *into)
{
	struct elf_file *kept = into;

	(void)object, (void)path;
	if (!debugfile_has_lines(elf)) {
		elf_file_close(elf);
		return false;
	}
	*kept = *elf;
	return true;
}

/* An image that the user names may be the one, or tell of which build that must be. */
static bool find_image_with_lines(struct dso *object, struct finder *f, struct elf_file *elf)
{
	const struct symbol_options *options = &f->store->options;
	bool guest = f->guest;
	const char *given = guest ? options->guest.vmlinux : options->vmlinux;

	if (given && try_path(object, f, "", given, take_lines, elf))
		return true;
	if (!f->wanted.size || (guest && !given))
		return false;
	return (!given && try_places(object, f, take_lines, elf)) || find_debug(f, NULL, elf);
}

bool vmlinux_find_lines(struct dso *object, struct finder *f, struct elf_file *elf, uint64_t *shift)
{
	uint64_t text = 0, stext = 0;

	*f = kernel_finder(object);
	f->wish = FIND_LINES;
	if (!find_image_with_lines(object, f, elf))
		return false;
	elfsyms_value(elf, "_text", &text);
	elfsyms_value(elf, "_stext", &stext);
	*shift = kernel_shift(&object->key, text, stext);
	return true;
}
