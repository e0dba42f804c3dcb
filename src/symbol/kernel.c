// SPDX-License-Identifier: Apache-2.0
/*
 * The names of the kernel, its modules and BPF programs.
 *
 * Names come from a vmlinux of the recorded build where there is one, else from kallsyms: the
 * running kernel's if that is the recorded one, or what perf or we kept of it.  The kernel lies
 * elsewhere after each boot; the recording tells where its anchor symbol was, and the difference
 * moves every address.
 */
#include "base/file.h"
#include "symbol/elfsyms.h"
#include "symbol/find.h"
#include "symbol/kallsyms.h"
#include "symbol/modules.h"
#include "symbol/store.h"
#include "symbol/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

void kernel_names_free(struct kernel_names *names)
{
	if (!names)
		return;
	table_free(names->table);
	free(names->source);
	free(names);
}

static struct kernel_names *names_new(enum dso_state state)
{
	struct kernel_names *names = mem_alloc(sizeof(*names));

	names->state = state;
	return names;
}

static struct kernel_names *names_of_list(const char *path, enum kallsyms_part part)
{
	struct kernel_names *names = names_new(DSO_MISSING);
	struct symbol_sheet sheet = { 0 };
	struct kallsyms list;
	size_t size;
	char *text = kallsyms_load(path, &size);

	if (!text) {
		if (errno != ENOENT)
			names->state = DSO_UNREADABLE;
		return names;
	}
	kallsyms_read(&list, &sheet, text, size, part);
	if (sheet.rows.len) {
		names->table = table_build(&sheet, OVERLAP_INNERMOST);
		names->state = DSO_FULL;
		names->text = list.text;
		names->stext = list.stext;
		names->source = mem_strdup(path);
	} else {
		names->state = list.hidden ? DSO_HIDDEN : DSO_STRIPPED;
	}
	sheet_free(&sheet);
	return names;
}

struct kernel_names *kernel_names_kept(const struct symbol_store *store,
				       const struct cache_identity *identity, bool any_source)
{
	struct kernel_names *names;
	struct cache_note note;
	struct table *table = cache_load(&store->cache, identity, any_source, &note);

	if (!table)
		return NULL;
	names = names_new(note.state);
	names->table = table;
	names->text = note.text;
	names->stext = note.stext;
	names->source = mem_strdup(note.source);
	return names;
}

void kernel_names_keep(const struct symbol_store *store, const struct cache_identity *identity,
		       const struct kernel_names *names)
{
	struct cache_note note = { .source = names->source,
				   .text = names->text,
				   .stext = names->stext,
				   .state = DSO_FULL };

	if (names->table)
		cache_save(&store->cache, identity, names->table, &note);
}

/* Reading /proc/kallsyms takes the kernel tens of milliseconds: kept until modules change. */
static struct kernel_names *names_of_running(const struct symbol_store *store)
{
	struct cache_identity identity;
	struct kernel_names *names;

	cache_identity_init(&identity, CACHE_KALLSYMS, &store->running, NULL);
	identity.boot = modules_stamp();
	if (store->running.size && identity.boot) {
		names = kernel_names_kept(store, &identity, false);
		if (names)
			return names;
	}
	names = names_of_list(KALLSYMS_RUNNING, KALLSYMS_NO_BPF);
	if (store->running.size && identity.boot)
		kernel_names_keep(store, &identity, names);
	return names;
}

/* What perf kept when it recorded, in the three layouts it has had. */
static struct kernel_names *names_of_build_id_dir(const struct symbol_store *store,
						  const struct build_id *id)
{
	static const char *const layouts[] = { "%s/[kernel.kallsyms]/%s/kallsyms",
					       "%s/[kernel.kallsyms]/%s" };
	struct kernel_names *names = NULL;
	char text[BUILD_ID_TEXT];

	build_id_text(text, id);
	for (size_t i = 0; i <= ARRAY_SIZE(layouts) && !names; i++) {
		char *path = i < ARRAY_SIZE(layouts)
				     ? mem_printf(layouts[i], store->buildid_dir, text)
				     : mem_printf("%s/.build-id/%.2s/%s/kallsyms",
						  store->buildid_dir, text, text + 2);

		names = names_of_list(path, KALLSYMS_KERNEL);
		if (!names->table) {
			kernel_names_free(names);
			names = NULL;
		}
		free(path);
	}
	return names;
}

static struct kernel_names *names_below_symfs(const struct symbol_store *store)
{
	char *path = mem_printf("%s/proc/kallsyms", store->options.symfs);
	struct kernel_names *names = names_of_list(path, KALLSYMS_KERNEL);

	free(path);
	return names;
}

static struct kernel_names *names_kept(const struct symbol_store *store, const struct build_id *id)
{
	struct kernel_names *names = NULL;
	struct cache_identity identity;

	if (!id->size)
		return NULL;
	cache_identity_init(&identity, CACHE_KALLSYMS, id, NULL);
	if (store->buildid_dir)
		names = names_of_build_id_dir(store, id);
	if (!names)
		names = kernel_names_kept(store, &identity, true);
	if (!names && !store->options.ignore_vmlinux) {
		identity.kind = CACHE_VMLINUX;
		names = kernel_names_kept(store, &identity, true);
	}
	return names;
}

uint64_t kernel_shift(const struct dso_key *key, uint64_t text, uint64_t stext)
{
	uint64_t here = 0;

	if (key->anchor && key->base)
		here = !strcmp(key->anchor, "_text")	? text
		       : !strcmp(key->anchor, "_stext") ? stext
							: 0;
	return here ? here - key->base : 0;
}

/* Without a build-id the release must do; without that it remains to be seen. */
bool store_is_running_kernel(const struct symbol_store *store, const struct build_id *id)
{
	struct utsname host;

	if (store->options.other_machine || store->options.symfs)
		return false;
	if (id->size)
		return build_id_same(id, &store->running);
	return !store->options.release || uname(&host) ||
	       !strcmp(store->options.release, host.release);
}

/* Who knows where the kernel lay learns nothing of that from names; who does not might. */
static bool may_ask(const struct dso_key *key)
{
	if (!kallsyms_for_strangers())
		return true;
	return key->build_id.size && key->base && key->anchor &&
	       (!strcmp(key->anchor, "_text") || !strcmp(key->anchor, "_stext"));
}

/* A recording that says nothing of its kernel: only one that lies where ours does may be ours. */
static bool may_be_running(const struct symbol_store *store, const struct build_id *id,
			   const struct kernel_names *names)
{
	return id->size || store->options.release ||
	       !kernel_shift(&store->recorded, names->text, names->stext);
}

static struct kernel_names *find_list(struct symbol_store *store, const struct build_id *id)
{
	struct kernel_names *names;

	if (store->options.kallsyms)
		return names_of_list(store->options.kallsyms, KALLSYMS_KERNEL);
	if (store_is_running_kernel(store, id) && may_ask(&store->recorded)) {
		store->listed_is_running = true;
		names = names_of_running(store);
		if (names->table && may_be_running(store, id, names))
			return names;
		store->listed_is_running = false;
		if (names->table) {
			kernel_names_free(names);
			return names_new(DSO_MISMATCH);
		}
		kernel_names_free(names);
		names = names_kept(store, id->size ? id : &store->running);
		return names ? names : names_new(DSO_HIDDEN);
	}
	names = names_kept(store, id);
	if (names)
		return names;
	if (store->options.symfs)
		return names_below_symfs(store);
	return names_new(store->options.other_machine ? DSO_MISSING : DSO_MISMATCH);
}

/* The list of the recorded kernel, read once for the kernel and all its modules. */
static const struct kernel_names *listed_names(struct symbol_store *store)
{
	pthread_mutex_lock(&store->kernel_lock);
	if (!store->listed)
		store->listed = find_list(store, &store->recorded.build_id);
	pthread_mutex_unlock(&store->kernel_lock);
	return store->listed;
}

static void use_names(const struct dso *object, const struct kernel_names *names, struct reading *r)
{
	r->table = names->table;
	r->shared = true;
	r->state = names->state;
	r->source = names->source ? mem_strdup(names->source) : NULL;
	r->shift = names->table ? kernel_shift(&object->key, names->text, names->stext) : 0;
}

/* The list below its own folder, else the one that is for all guests. */
static struct kernel_names *find_guest_list(const struct guest_sources *from, uint32_t guest)
{
	struct kernel_names *names = NULL;
	char *path;

	if (from->mount && guest > 1) {
		path = mem_printf("%s/%u/proc/kallsyms", from->mount, guest - 1);
		names = names_of_list(path, KALLSYMS_KERNEL);
		free(path);
	}
	if ((!names || names->state == DSO_MISSING) && from->kallsyms) {
		kernel_names_free(names);
		names = names_of_list(from->kallsyms, KALLSYMS_KERNEL);
	}
	return names ? names : names_new(DSO_MISSING);
}

/* The list of a guest's kernel, read once for it and all its modules. */
static const struct kernel_names *guest_names(struct symbol_store *store,
					      struct guest_kernel *guest)
{
	pthread_mutex_lock(&store->kernel_lock);
	if (!guest->names)
		guest->names = find_guest_list(&store->options.guest, guest->guest);
	pthread_mutex_unlock(&store->kernel_lock);
	return guest->names;
}

static void read_guest_kernel(struct dso *object, struct reading *r)
{
	struct symbol_store *store = object->store;
	const struct guest_sources *from = &store->options.guest;
	const struct kernel_names *names = guest_names(store,
						       store_guest(store, object->key.guest));

	/* As perf: an image is taken before a list, but not for those that have files. */
	if (from->vmlinux && (object->key.guest == 1 || !names->table))
		vmlinux_read_given(object, from->vmlinux, r);
	else
		use_names(object, names, r);
}

void read_kernel_object(struct dso *object, struct reading *r)
{
	const struct symbol_options *options = &object->store->options;

	r->build_id = object->key.build_id;
	if (object->key.guest) {
		read_guest_kernel(object, r);
	} else if (options->vmlinux && !options->kallsyms) {
		vmlinux_read_given(object, options->vmlinux, r);
	} else if (options->kallsyms || options->ignore_vmlinux || !vmlinux_find(object, r)) {
		const struct kernel_names *names = listed_names(object->store);

		if (object->store->listed_is_running && !may_ask(&object->key))
			r->state = DSO_MISMATCH;
		else
			use_names(object, names, r);
		/* Hundreds of megabytes, so it is the last resort. */
		if (!r->table && !options->ignore_vmlinux)
			vmlinux_find_afar(object, r);
	}
}

/* A module's own file, with .text at the address where it was loaded. */
static void read_module_file(struct dso *object, struct reading *r)
{
	struct finder f = { .store = object->store,
			    .path = object->key.path,
			    .wanted = object->key.build_id,
			    .trouble = DSO_MISSING };
	struct symbol_sheet sheet = { 0 };
	struct elf_file elf;

	if (object->key.base && find_code(&f, &elf)) {
		elfsyms_add_module(&sheet, &elf, object->key.base);
		f.trouble = DSO_STRIPPED;
		elf_file_close(&elf);
	}
	r->state = f.trouble;
	if (sheet.rows.len) {
		r->table = table_build(&sheet, OVERLAP_INNERMOST);
		r->state = DSO_FULL;
		r->source = mem_strdup(buf_text(&f.source));
	}
	sheet_free(&sheet);
	buf_free(&f.source);
}

/*
 * Modules do not move with the kernel.  What runs tells where each is; of a list that was kept, the
 * kernel's own place tells whether it is of another boot.
 */
static bool has_moved(const struct dso *object, const struct kernel_names *names)
{
	const struct symbol_store *store = object->store;

	if (kernel_shift(&store->recorded, names->text, names->stext))
		return true;
	return store->listed_is_running && object->key.base &&
	       modules_base(object->key.path) != object->key.base;
}

static void read_guest_module(struct dso *object, struct reading *r)
{
	struct guest_kernel *guest = store_guest(object->store, object->key.guest);
	const struct kernel_names *names = guest_names(object->store, guest);

	r->state = names->table ? DSO_MISMATCH : names->state;
	if (names->table && !kernel_shift(&guest->recorded, names->text, names->stext)) {
		use_names(object, names, r);
		r->shift = 0;
	}
}

/* The kernel's list has the modules too, if they are where they were when recorded. */
void read_module_object(struct dso *object, struct reading *r)
{
	const struct kernel_names *names;

	if (object->key.guest) {
		read_guest_module(object, r);
		return;
	}
	names = listed_names(object->store);
	r->build_id = object->key.build_id;
	if (names->table && !has_moved(object, names)) {
		use_names(object, names, r);
		r->shift = 0;
		return;
	}
	read_module_file(object, r);
	if (!r->table && names->state == DSO_HIDDEN)
		r->state = DSO_HIDDEN;
}

void read_bpf_object(struct dso *object, struct reading *r)
{
	struct symbol_store *store = object->store;

	r->state = DSO_MISSING;
	if (store->options.other_machine || store->options.symfs)
		return;
	if (kallsyms_for_strangers()) /* nothing says that it was loaded then */
		return;
	pthread_mutex_lock(&store->kernel_lock);
	if (!store->bpf)
		store->bpf = names_of_list(KALLSYMS_RUNNING, KALLSYMS_BPF);
	pthread_mutex_unlock(&store->kernel_lock);
	use_names(object, store->bpf, r);
	r->shift = 0;
}
