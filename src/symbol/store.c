// SPDX-License-Identifier: Apache-2.0
#include "symbol/store.h"
#include "base/clock.h"
#include "base/file.h"
#include "dwarf/dwarf.h"
#include "symbol/process.h"
#include "symbol/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CACHE_LIMIT    (1ull << 30)
#define APART_AGAIN_NS NS_PER_SEC
#define PIDS_MAX       16 /* that are kept of those that mapped a file: any of them may still live */

static const char *copy(struct symbol_store *store, const char *text)
{
	return text ? arena_strdup(&store->arena, text) : NULL;
}

static void set_folders(struct symbol_store *store, const struct symbol_options *options)
{
	const char *home = getenv("HOME");

	if (options->buildid_dir)
		store->buildid_dir = copy(store, options->buildid_dir);
	else if (home && home[0] == '/')
		store->buildid_dir = arena_printf(&store->arena, "%s/.debug", home);
	store->cache.limit = options->cache_limit ? options->cache_limit : CACHE_LIMIT;
	if (!options->cache_dir)
		store->cache.dir = dir_user_cache("symbols");
	else if (options->cache_dir[0])
		store->cache.dir = mem_strdup(options->cache_dir);
}

enum inlining symbol_store_inlining(const struct symbol_store *store)
{
	return store ? store->options.inlining : INLINE_NONE;
}

struct guest_sources symbol_store_guests(const struct symbol_store *store)
{
	return store ? store->options.guest : (struct guest_sources){ 0 };
}

bool symbol_store_wants_lines(const struct symbol_store *store)
{
	return store && store->options.lines;
}

bool symbol_store_wants_modules(const struct symbol_store *store)
{
	return !store || !store->options.no_modules;
}

bool symbol_store_wants_paths(const struct symbol_store *store)
{
	return store && store->options.full_paths;
}

struct symbol_store *symbol_store_new(const struct symbol_options *options)
{
	struct symbol_store *store = mem_alloc(sizeof(*store));
	struct symbol_options *own = &store->options;

	*own = *options;
	own->symfs = options->symfs && options->symfs[0] ? copy(store, options->symfs) : NULL;
	own->kallsyms = copy(store, options->kallsyms);
	own->vmlinux = copy(store, options->vmlinux);
	own->guest.kallsyms = copy(store, options->guest.kallsyms);
	own->guest.vmlinux = copy(store, options->guest.vmlinux);
	own->guest.modules = copy(store, options->guest.modules);
	own->guest.mount = copy(store, options->guest.mount);
	own->release = copy(store, options->release);
	if (options->hot) {
		own->hot = arena_alloc(&store->arena, (own->hot_count + 1) * sizeof(*own->hot));
		memcpy((struct build_id *)own->hot, options->hot,
		       own->hot_count * sizeof(*own->hot));
	}
	store->asking = (struct debuginfod_asking){
		.left_ns = own->fetch_limit_ns ? own->fetch_limit_ns : FETCH_LIMIT_NS,
		.fetching = own->fetching,
		.context = own->fetching_context,
	};
	own->buildid_dir = own->cache_dir = NULL;
	set_folders(store, options);
	if (!own->other_machine)
		build_id_of_kernel(&store->running);
	pthread_mutex_init(&store->lock, NULL);
	pthread_mutex_init(&store->kernel_lock, NULL);
	return store;
}

static void reading_free(struct reading *reading)
{
	if (!reading)
		return;
	if (!reading->shared)
		table_free(reading->table);
	free(reading->source);
	free(reading->reused);
	free(reading);
}

static void dso_free(struct dso *object)
{
	reading_free(object->reading);
	vec_each (reading, &object->past)
		reading_free(*reading);
	vec_free(&object->past);
	table_free(object->extra);
	vec_each (table, &object->retired)
		table_free(*table);
	vec_free(&object->retired);
	vec_free(&object->added);
	vec_free(&object->pids);
	arena_free(&object->arena);
	source_lines_close(object->lines, &object->store->cache);
	pthread_mutex_destroy(&object->lock);
	free(object);
}

void symbol_store_free(struct symbol_store *store)
{
	if (!store)
		return;
	vec_each (object, &store->objects)
		dso_free(*object);
	vec_free(&store->objects);
	vec_free(&store->processes);
	vec_each (guest, &store->guests)
		kernel_names_free((*guest)->names);
	vec_free(&store->guests);
	map_free(&store->by_key);
	kernel_names_free(store->listed);
	kernel_names_free(store->bpf);
	free(store->cache.dir);
	free(store->options.fetching_context);
	pthread_mutex_destroy(&store->lock);
	pthread_mutex_destroy(&store->kernel_lock);
	arena_free(&store->arena);
	free(store);
}

static struct process_note *note_of(struct symbol_store *store, pid_t pid)
{
	struct process_note *added;

	vec_each (note, &store->processes)
		if (note->pid == pid)
			return note;
	added = vec_push(&store->processes);
	*added = (struct process_note){ .pid = pid, .looked_ns = INT64_MIN };
	return added;
}

static bool is_apart(struct symbol_store *store, pid_t pid)
{
	struct process_note *note;
	int64_t now;

	if (!pid || store->options.other_machine || store->options.symfs)
		return false;
	note = note_of(store, pid);
	now = clock_now_ns();
	if (!note->apart && now - APART_AGAIN_NS > note->looked_ns) {
		note->looked_ns = now;
		note->apart = process_is_apart(pid);
	}
	return note->apart;
}

bool store_root_of(struct symbol_store *store, pid_t pid, char *into, size_t room)
{
	bool apart;

	pthread_mutex_lock(&store->lock);
	apart = is_apart(store, pid);
	pthread_mutex_unlock(&store->lock);
	snprintf(into, room, "/proc/%d/root", pid);
	return apart;
}

/* Whose files an object is of: a build-id says it all, and most processes see what we see. */
static pid_t owner_of(struct symbol_store *store, const struct dso_key *key)
{
	switch (key->kind) {
	case DSO_JIT:
	case DSO_NONE: return key->pid;
	case DSO_FILE: return !key->build_id.size && is_apart(store, key->pid) ? key->pid : 0;
	default: return 0;
	}
}

static size_t write_key(char *into, const struct dso_key *key, pid_t owner)
{
	char *at = into;
	int numbers[3] = { key->kind, owner, (int)key->guest };
	uint64_t base = key->kind == DSO_FILE ? key->inode : key->base;

	memcpy(at, numbers, sizeof(numbers));
	at += sizeof(numbers);
	memcpy(at, &base, sizeof(base));
	at += sizeof(base);
	*at++ = (char)key->build_id.size;
	memcpy(at, key->build_id.bytes, key->build_id.size);
	at += key->build_id.size;
	memcpy(at, key->path, strlen(key->path));
	return (size_t)(at - into) + strlen(key->path);
}

static struct guest_kernel *guest_kernel(struct symbol_store *store, uint32_t guest)
{
	struct guest_kernel *kernel;

	vec_each (known, &store->guests)
		if ((*known)->guest == guest)
			return *known;
	kernel = arena_alloc(&store->arena, sizeof(*kernel));
	kernel->guest = guest;
	*vec_push(&store->guests) = kernel;
	return kernel;
}

struct guest_kernel *store_guest(struct symbol_store *store, uint32_t guest)
{
	struct guest_kernel *kernel;

	pthread_mutex_lock(&store->lock);
	kernel = guest_kernel(store, guest);
	pthread_mutex_unlock(&store->lock);
	return kernel;
}

struct dso *store_object(struct symbol_store *store, size_t number)
{
	struct dso *object;

	pthread_mutex_lock(&store->lock);
	object = number < store->objects.len ? store->objects.data[number] : NULL;
	pthread_mutex_unlock(&store->lock);
	return object;
}

static struct dso *add_object(struct symbol_store *store, const struct dso_key *key)
{
	struct dso *object = mem_alloc(sizeof(*object));

	object->store = store;
	object->key = *key;
	object->key.path = copy(store, key->path);
	object->key.anchor = copy(store, key->anchor);
	pthread_mutex_init(&object->lock, NULL);
	*vec_push(&store->objects) = object;
	if (key->kind == DSO_KERNEL) {
		struct dso_key *recorded = key->guest ? &guest_kernel(store, key->guest)->recorded
						      : &store->recorded;

		if (!recorded->path)
			*recorded = object->key;
	}
	return object;
}

/* Another process that has the file mapped, in case the first is gone, or was when we looked. */
static void remember_pid(struct dso *object, pid_t pid)
{
	enum dso_state state = dso_state(object);

	if (!pid || (state != DSO_UNREAD && state != DSO_MISSING))
		return;
	pthread_mutex_lock(&object->lock);
	vec_each (known, &object->pids)
		if (*known == pid)
			pid = 0;
	if (pid && object->pids.len < PIDS_MAX) {
		*vec_push(&object->pids) = pid;
		object->again = true;
	}
	pthread_mutex_unlock(&object->lock);
}

struct dso *symbol_dso(struct symbol_store *store, const struct dso_key *key)
{
	char *bytes = mem_alloc(strlen(key->path) + 64);
	struct dso *object;
	size_t size;
	uint32_t at;

	pthread_mutex_lock(&store->lock);
	size = write_key(bytes, key, owner_of(store, key));
	at = map_find(&store->by_key, bytes, size);
	if (at == MAP_NONE) {
		object = add_object(store, key);
		map_add(&store->by_key, memcpy(arena_alloc(&store->arena, size), bytes, size), size,
			(uint32_t)store->objects.len - 1);
	} else {
		object = store->objects.data[at];
	}
	pthread_mutex_unlock(&store->lock);
	remember_pid(object, key->pid);
	free(bytes);
	return object;
}
