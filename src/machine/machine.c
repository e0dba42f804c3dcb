// SPDX-License-Identifier: Apache-2.0
#include "machine/machine.h"
#include "base/cursor.h"
#include "base/mem.h"
#include "perfdata/feature.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Open addressing by a number; nothing is ever taken out. */
struct number_slot {
	uint32_t key;
	void *value; /* NULL: free */
};

struct number_map {
	struct number_slot *slots;
	size_t len, cap;
};

struct machine {
	struct arena arena;
	struct interner comms;
	struct object_table objects;
	struct number_map threads;   /* by tid */
	struct number_map processes; /* by pid: the present generation */
	VEC(struct process *) all_processes;
	struct maps *kernel;
	uint32_t kernel_object;
	uint32_t spaces;    /* the last number that one was given */
	struct map cgroups; /* by the bytes of their id */
	VEC(const char *) cgroup_paths;
};

static void *number_find(const struct number_map *map, uint32_t key, struct number_slot **place)
{
	size_t at = (key * 0x9e3779b1u) >> 7 & (map->cap - 1);

	while (map->slots[at].value && map->slots[at].key != key)
		at = (at + 1) & (map->cap - 1);
	*place = &map->slots[at];
	return map->slots[at].value;
}

/* The slot of a key, free or not; there is room to fill it. */
static struct number_slot *number_slot(struct number_map *map, uint32_t key)
{
	struct number_slot *slot, *old = map->slots;
	size_t old_cap = map->cap;

	if ((map->len + 1) * 2 > map->cap) {
		map->cap = old_cap ? old_cap * 2 : 256;
		map->slots = mem_alloc(map->cap * sizeof(*map->slots));
		for (size_t i = 0; i < old_cap; i++) {
			if (!old[i].value)
				continue;
			number_find(map, old[i].key, &slot);
			*slot = old[i];
		}
		free(old);
	}
	number_find(map, key, &slot);
	return slot;
}

static void number_put(struct number_map *map, struct number_slot *slot, uint32_t key, void *value)
{
	map->len += !slot->value;
	slot->key = key;
	slot->value = value;
}

/* Whatever was remembered of this space by its number no longer holds. */
static void change_maps(struct machine *machine, struct maps *maps)
{
	maps->space = ++machine->spaces;
}

static struct maps *new_maps(struct machine *machine)
{
	struct maps *maps = maps_new();

	change_maps(machine, maps);
	return maps;
}

static struct process *new_process(struct machine *machine, uint32_t pid, struct maps *maps)
{
	struct number_slot *slot = number_slot(&machine->processes, pid);
	const struct process *before = slot->value;
	struct process *process = arena_alloc(&machine->arena, sizeof(*process));

	process->pid = pid;
	process->generation = before ? before->generation + 1 : 0;
	process->id = (uint32_t)machine->all_processes.len;
	process->maps = maps;
	*vec_push(&machine->all_processes) = process;
	number_put(&machine->processes, slot, pid, process);
	return process;
}

static struct process *find_process(struct machine *machine, uint32_t pid)
{
	struct process *process = number_slot(&machine->processes, pid)->value;

	return process ? process : new_process(machine, pid, new_maps(machine));
}

static void set_comm(struct machine *machine, struct thread *thread, const char *comm)
{
	thread->comm = interner_text(&machine->comms, interner_add(&machine->comms, comm));
	thread->comm_known = true;
}

static struct thread *new_thread(struct machine *machine, struct process *process, uint32_t tid)
{
	struct thread *thread = arena_alloc(&machine->arena, sizeof(*thread));

	thread->tid = tid;
	thread->process = process;
	thread->comm = arena_printf(&machine->arena, ":%d", (int)tid);
	number_put(&machine->threads, number_slot(&machine->threads, tid), tid, thread);
	return thread;
}

struct thread *machine_thread(struct machine *machine, uint32_t pid, uint32_t tid)
{
	struct thread *thread = number_slot(&machine->threads, tid)->value;

	if (!thread)
		return new_thread(machine, find_process(machine, pid), tid);
	/* A sample may have told the thread before any record told its process. */
	if (thread->process->pid == UINT32_MAX && pid != UINT32_MAX)
		thread->process = find_process(machine, pid);
	return thread;
}

struct machine *machine_new(void)
{
	struct machine *machine = mem_alloc(sizeof(*machine));

	machine->kernel = new_maps(machine);
	machine->kernel_object = OBJECT_NONE;
	set_comm(machine, machine_thread(machine, 0, 0), "swapper");
	return machine;
}

void machine_free(struct machine *machine)
{
	if (!machine)
		return;
	vec_each (process, &machine->all_processes)
		maps_put((*process)->maps);
	vec_free(&machine->all_processes);
	free(machine->threads.slots);
	free(machine->processes.slots);
	maps_put(machine->kernel);
	map_free(&machine->cgroups);
	vec_free(&machine->cgroup_paths);
	object_table_free(&machine->objects);
	interner_free(&machine->comms);
	arena_free(&machine->arena);
	free(machine);
}

const struct object *machine_object(const struct machine *machine, uint32_t index)
{
	return object_at(&machine->objects, index);
}

static void take_build_id(struct machine *machine, const struct feature_build_id *id)
{
	uint16_t mode = id->misc & PERF_RECORD_MISC_CPUMODE_MASK;

	/* A guest's table stands in the same place; its kernel is not this one. */
	if (mode == PERF_RECORD_MISC_KERNEL || mode == PERF_RECORD_MISC_USER)
		object_add_build_id(&machine->objects, id->path, mode == PERF_RECORD_MISC_KERNEL,
				    id->bytes, id->size);
}

void machine_take_build_ids(struct machine *machine, struct perf_reader *reader)
{
	struct perf_env env = { 0 };

	feature_load_build_ids(&env, reader);
	for (uint32_t i = 0; i < env.build_ids.count; i++)
		take_build_id(machine, &env.build_ids.data[i]);
	perf_env_free(&env);
}

/* A name that ends within the record. */
static const char *take_name(struct cursor *c)
{
	size_t left = cursor_left(c);

	if (!left || !memchr(c->at, 0, left))
		return NULL;
	return (const char *)c->at;
}

static bool starts_with(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

static void map_kernel(struct machine *machine, struct mapping *mapping, const char *name)
{
	mapping->identity = true;
	if (starts_with(name, "[kernel.kallsyms")) {
		if (machine->kernel_object == OBJECT_NONE)
			machine->kernel_object = object_find_kernel(&machine->objects);
		if (machine->kernel_object == OBJECT_NONE)
			machine->kernel_object = object_add(&machine->objects, "[kernel.kallsyms]",
							    OBJECT_KERNEL);
		mapping->object = machine->kernel_object;
		object_set_base(&machine->objects, mapping->object,
				strchr(name, ']') ? strchr(name, ']') + 1 : NULL, mapping->offset);
		/* With kptr_restrict the kernel's place is not told: it may be anywhere. */
		if (!mapping->start && !mapping->end)
			mapping->end = UINT64_MAX;
	} else if (*name == '/' || *name == '[') {
		mapping->object = object_add_module(&machine->objects, name);
		object_set_base(&machine->objects, mapping->object, NULL, mapping->start);
	} else {
		return;
	}
	maps_insert(machine->kernel, mapping);
	change_maps(machine, machine->kernel);
}

static bool is_anon(const char *name, uint32_t flags)
{
	return flags & MAP_HUGETLB || !strcmp(name, "//anon") || starts_with(name, "/dev/zero") ||
	       starts_with(name, "/anon_hugepage") || starts_with(name, "[stack") ||
	       starts_with(name, "/SYSV") || !strcmp(name, "[heap]");
}

static void map_user(struct machine *machine, uint32_t pid, uint32_t tid, struct mapping *mapping,
		     const char *name, uint32_t prot, uint32_t flags)
{
	struct process *process = machine_thread(machine, pid, tid)->process;
	char jit[48];

	if (!strcmp(name, "[vdso]")) {
		mapping->offset = 0;
		mapping->object = object_add(&machine->objects, name, OBJECT_VDSO);
	} else if (is_anon(name, flags)) {
		mapping->identity = true;
		/* Code without a file: the JIT that made it may have left a list of its functions.
		 */
		if (prot & PROT_EXEC && pid) {
			snprintf(jit, sizeof(jit), "/tmp/perf-%d.map", (int)pid);
			name = jit;
		}
		mapping->object = object_add(&machine->objects, name, OBJECT_ANON);
	} else {
		mapping->object = object_add(&machine->objects, name, OBJECT_FILE);
	}
	process->maps = maps_own(process->maps);
	maps_insert(process->maps, mapping);
	change_maps(machine, process->maps);
}

static void take_mmap(struct machine *machine, const struct perf_event_header *header,
		      struct cursor *c)
{
	uint16_t mode = header->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	uint32_t pid = cursor_u32(c), tid = cursor_u32(c);
	struct mapping mapping = { .start = cursor_u64(c), .object = OBJECT_NONE };
	uint64_t length = cursor_u64(c);
	/* MMAP tells of code unless it says otherwise. */
	uint32_t prot = header->misc & PERF_RECORD_MISC_MMAP_DATA ? 0 : PROT_EXEC, flags = 0;
	const uint8_t *identity = NULL;
	const char *name;

	mapping.offset = cursor_u64(c);
	mapping.end = mapping.start + length;
	if (header->type == PERF_RECORD_MMAP2) {
		identity = cursor_bytes(c, 24); /* device and inode, or the build-id */
		prot = cursor_u32(c);
		flags = cursor_u32(c);
	}
	name = take_name(c);
	if (!name)
		return;
	if (mode == PERF_RECORD_MISC_KERNEL)
		map_kernel(machine, &mapping, name);
	else if (mode != PERF_RECORD_MISC_GUEST_KERNEL)
		map_user(machine, pid, tid, &mapping, name, prot, flags);
	else
		return;
	if (identity && header->misc & PERF_RECORD_MISC_MMAP_BUILD_ID &&
	    mapping.object != OBJECT_NONE)
		object_set_build_id(&machine->objects, mapping.object, identity + 4, identity[0]);
}

static void take_comm(struct machine *machine, const struct perf_event_header *header,
		      struct cursor *c)
{
	uint32_t pid = cursor_u32(c), tid = cursor_u32(c);
	const char *comm = take_name(c);
	struct thread *thread;

	if (!comm)
		return;
	thread = machine_thread(machine, pid, tid);
	set_comm(machine, thread, comm);
	/* The old mappings stay until new ones cover them: the kernel is still on its way out of
	 * the old program's execve, and its samples show that program's stack. */
	if (header->misc & PERF_RECORD_MISC_COMM_EXEC)
		thread->process = new_process(machine, pid, maps_get(thread->process->maps));
}

/*
 * Records can be lost, so a thread that is said to fork may be unknown, or known as somebody
 * else's: then that was another one, and this one begins anew.
 */
static void take_fork(struct machine *machine, const struct perf_event_header *header,
		      struct cursor *c)
{
	uint32_t pid = cursor_u32(c), ppid = cursor_u32(c);
	uint32_t tid = cursor_u32(c), ptid = cursor_u32(c);
	struct thread *parent, *child;
	struct process *process;

	if (c->broken)
		return;
	parent = machine_thread(machine, ppid, ptid);
	if (parent->process->pid != ppid)
		parent = new_thread(machine, find_process(machine, ppid), ptid);
	if (pid == ppid) {
		process = parent->process;
	} else if (pid == tid) {
		/* FORK_EXEC marks those that the recorder made up for running processes: their
		 * mappings are told one by one. */
		process = new_process(machine, pid,
				      header->misc & PERF_RECORD_MISC_FORK_EXEC
					      ? new_maps(machine)
					      : maps_get(parent->process->maps));
	} else {
		process = find_process(machine, pid);
	}
	child = new_thread(machine, process, tid);
	if (parent->comm_known)
		set_comm(machine, child, parent->comm);
}

static void take_ksymbol(struct machine *machine, struct cursor *c)
{
	struct mapping mapping = { .start = cursor_u64(c), .identity = true };
	uint32_t length = cursor_u32(c), kind_and_flags = cursor_u32(c);
	const char *name = take_name(c);

	mapping.end = mapping.start + length;
	if (!name)
		return;
	if (kind_and_flags >> 16 & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER) {
		const struct mapping *old = maps_find(machine->kernel, mapping.start);

		if (old && object_at(&machine->objects, old->object)->kind == OBJECT_KSYMBOL)
			maps_remove(machine->kernel, old->start, old->end);
		change_maps(machine, machine->kernel);
		return;
	}
	if (maps_find(machine->kernel, mapping.start))
		return;
	mapping.object = object_add(&machine->objects, name, OBJECT_KSYMBOL);
	maps_insert(machine->kernel, &mapping);
	change_maps(machine, machine->kernel);
}

static void take_cgroup(struct machine *machine, struct cursor *c)
{
	uint64_t id = cursor_u64(c), *key;
	const char *path = take_name(c);
	uint32_t index;

	if (!path)
		return;
	index = map_find(&machine->cgroups, (const char *)&id, sizeof(id));
	if (index == MAP_NONE) {
		key = arena_alloc(&machine->arena, sizeof(*key));
		*key = id;
		index = map_add(&machine->cgroups, (const char *)key, sizeof(*key),
				(uint32_t)machine->cgroup_paths.len);
		vec_push(&machine->cgroup_paths);
	}
	machine->cgroup_paths.data[index] = arena_strdup(&machine->arena, path);
}

const char *machine_cgroup(const struct machine *machine, uint64_t id)
{
	uint32_t index = map_find(&machine->cgroups, (const char *)&id, sizeof(id));

	return index == MAP_NONE ? NULL : machine->cgroup_paths.data[index];
}

void machine_take(struct machine *machine, const struct perf_event_header *header, size_t size)
{
	struct cursor c = cursor_of(header + 1, size - sizeof(*header));
	struct feature_build_id id;

	switch (header->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2: take_mmap(machine, header, &c); break;
	case PERF_RECORD_COMM: take_comm(machine, header, &c); break;
	case PERF_RECORD_FORK: take_fork(machine, header, &c); break;
	case PERF_RECORD_KSYMBOL: take_ksymbol(machine, &c); break;
	case PERF_RECORD_CGROUP: take_cgroup(machine, &c); break;
	case USER_RECORD_BUILD_ID:
		if (feature_parse_build_id(header, &id))
			take_build_id(machine, &id);
		break;
	default: break;
	}
}

uint32_t machine_space(const struct machine *machine, const struct thread *thread, uint8_t cpumode)
{
	switch (cpumode) {
	case PERF_RECORD_MISC_USER: return thread->process->maps->space;
	case PERF_RECORD_MISC_KERNEL: return machine->kernel->space;
	default: return 0;
	}
}

uint32_t machine_kernel(const struct machine *machine)
{
	return machine->kernel_object;
}

const struct mapping *machine_find(struct machine *machine, const struct thread *thread,
				   uint8_t cpumode, uint64_t address)
{
	switch (cpumode) {
	case PERF_RECORD_MISC_USER: return maps_find(thread->process->maps, address);
	case PERF_RECORD_MISC_KERNEL: return maps_find(machine->kernel, address);
	default: return NULL;
	}
}
