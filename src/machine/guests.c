// SPDX-License-Identifier: Apache-2.0
#include "machine/guests.h"
#include "base/cursor.h"
#include "base/file.h"
#include "symbol/modules.h"

#include <stdio.h>

#define APART_MAX 1024 /* no host runs so many; a damaged file may say so */

void guests_init(struct guests *g, struct process_numbers *numbers, struct object_list *objects)
{
	*g = (struct guests){ .numbers = numbers, .objects = objects };
}

void guests_fini(struct guests *g)
{
	vec_each (system, &g->systems)
		system_free(*system);
	vec_free(&g->systems);
	vec_free(&g->notes);
	vec_free(&g->id_rows);
	idmap_free(&g->ids);
	idmap_free(&g->pids);
	arena_free(&g->arena);
}

static const char *copy(struct guests *g, const char *text)
{
	return text ? arena_strdup(&g->arena, text) : NULL;
}

void guests_use(struct guests *g, const struct guest_sources *from)
{
	g->taken = true;
	g->from = (struct guest_sources){
		.kallsyms = copy(g, from->kallsyms),
		.vmlinux = copy(g, from->vmlinux),
		.modules = copy(g, from->modules),
		.mount = copy(g, from->mount),
		.code = from->code,
	};
}

static const struct guest_note *note_of(struct guests *g, uint32_t pid)
{
	uint32_t row = idmap_find(&g->pids, pid);

	return row == IDMAP_NONE ? NULL : &g->notes.data[row];
}

static void set_note(struct guests *g, uint32_t pid, struct system *system)
{
	uint32_t row = idmap_add(&g->pids, pid, (uint32_t)g->notes.len);

	if (row == g->notes.len)
		vec_push(&g->notes);
	g->notes.data[row] = (struct guest_note){ pid, system };
}

/* The thread that the guest runs in is named after it, as perf does. */
static struct system *add_system(struct guests *g, uint32_t pid)
{
	struct system *system = system_new(g->numbers, g->objects, GUEST_OF(pid));
	char comm[32];

	*vec_push(&g->systems) = system;
	snprintf(comm, sizeof(comm), "[guest/%d]", (int)pid);
	thread_set_comm(&system->processes, system_thread(system, UINT32_MAX, pid), comm);
	return system;
}

static bool has_files(const struct guests *g, uint32_t pid)
{
	return g->from.mount && file_exists("%s/%u", g->from.mount, pid);
}

struct system *guests_find(struct guests *g, uint32_t pid, bool apart)
{
	const struct guest_note *note;
	struct system *system;

	if (pid == UINT32_MAX)
		pid = 0;
	note = note_of(g, pid);
	if (note && (!apart || note->system->guest == GUEST_OF(pid)))
		return note->system;
	if (!pid || (g->systems.len < APART_MAX && (apart || g->from.code || has_files(g, pid))))
		system = add_system(g, pid);
	else
		system = guests_find(g, 0, false);
	set_note(g, pid, system);
	return system;
}

void guests_take_index(struct guests *g, struct cursor *c)
{
	uint64_t count = cursor_u64(c);
	struct cursor owners = *c;

	/* What was recorded on one machine lacks the second half. */
	if (count > cursor_left(c) / 48)
		return;
	cursor_bytes(&owners, count * 32);
	for (uint64_t i = 0; i < count; i++) {
		uint64_t id = cursor_u64(c), pid = cursor_u64(&owners);
		struct guest_id row = { (uint32_t)pid, (uint32_t)cursor_u64(&owners) };
		struct system *system;

		cursor_bytes(c, 24); /* its place, CPU and thread */
		if (!pid || id == UINT64_MAX)
			continue;
		g->taken = true;
		system = guests_find(g, row.pid, true);
		thread_set_comm(&system->processes, system_thread(system, 0, 0), "swapper");
		idmap_add(&g->ids, id, (uint32_t)g->id_rows.len);
		*vec_push(&g->id_rows) = row;
	}
}

const struct guest_id *guests_of_id(const struct guests *g, uint64_t id)
{
	uint32_t row = id == UINT64_MAX ? IDMAP_NONE : idmap_find(&g->ids, id);

	return row == IDMAP_NONE ? NULL : &g->id_rows.data[row];
}

static void add_module(void *system, const char *name, uint64_t start, uint64_t size)
{
	char path[80];

	snprintf(path, sizeof(path), "[%s]", name);
	system_add_module(system, path, start, size);
}

/*
 * A recording that was not told of the guest's files has no mappings of its kernel, and needs none:
 * the files know where everything is.
 */
static void settle(const struct guests *g, struct system *system)
{
	const char *modules = g->from.modules;
	char path[4096];

	system->settled = true;
	if (system->kernel->list.len)
		return;
	if (system->guest != GUEST_OF(0)) {
		if (!g->from.mount)
			return;
		snprintf(path, sizeof(path), "%s/%u/proc/modules", g->from.mount,
			 system->guest - 1);
		modules = path;
	} else if (!g->from.kallsyms && !g->from.vmlinux && !modules) {
		return;
	}
	system_assume_kernel(system);
	if (modules)
		modules_each(modules, add_module, system);
}

/* Its process has the guest's code in its own memory, at the same addresses. */
static struct thread *thread_of_code(struct system *system, struct system *host, uint32_t pid)
{
	struct thread *thread = system_thread(system, pid, pid);
	struct process *process = thread->process;
	const struct thread *known = thread_find(&host->processes, pid);

	if (!process->maps->list.len && known) {
		maps_put(process->maps);
		process->maps = maps_get(known->process->maps);
	}
	return thread;
}

struct thread *guests_thread(struct guests *g, struct system *host, uint32_t guest, uint32_t pid,
			     uint32_t tid)
{
	struct system *system = guests_find(g, guest, false);

	if (!system->settled)
		settle(g, system);
	return g->from.code ? thread_of_code(system, host, pid) : system_thread(system, pid, tid);
}
