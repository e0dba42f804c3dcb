// SPDX-License-Identifier: Apache-2.0
#include "machine/machine.h"
#include "base/cursor.h"
#include "base/mem.h"
#include "perfdata/feature.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct machine {
	struct arena arena;
	struct processes processes;
	struct object_table objects;
	struct maps *kernel;
	uint32_t kernel_object;
	struct map cgroups; /* by the bytes of their id */
	VEC(const char *) cgroup_paths;
};

/* Whatever was remembered of this space by its number no longer holds. */
static void change_maps(struct machine *machine, struct maps *maps)
{
	maps->space = ++machine->processes.spaces;
}

struct thread *machine_thread(struct machine *machine, uint32_t pid, uint32_t tid)
{
	struct processes *all = &machine->processes;
	struct thread *thread = thread_find(all, tid);

	if (!thread)
		return thread_new(all, process_find(all, pid), tid);
	/* A sample may have told the thread before any record told its process. */
	if (thread->process->pid == UINT32_MAX && pid != UINT32_MAX)
		thread_move(all, thread, process_find(all, pid));
	return thread;
}

struct machine *machine_new(void)
{
	struct machine *machine = mem_alloc(sizeof(*machine));

	machine->kernel = processes_new_maps(&machine->processes);
	machine->kernel_object = OBJECT_NONE;
	thread_set_comm(&machine->processes, machine_thread(machine, 0, 0), "swapper");
	return machine;
}

void machine_free(struct machine *machine)
{
	if (!machine)
		return;
	processes_free(&machine->processes);
	maps_put(machine->kernel);
	map_free(&machine->cgroups);
	vec_free(&machine->cgroup_paths);
	object_table_free(&machine->objects);
	arena_free(&machine->arena);
	free(machine);
}

const struct object *machine_object(const struct machine *machine, uint32_t index)
{
	return object_at(&machine->objects, index);
}

size_t machine_object_count(const struct machine *machine)
{
	return machine->objects.list.len;
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

/* What a record says of a mapping beside its place. */
struct mmap_note {
	uint32_t pid, tid, prot, flags;
	const uint8_t *build_id;
	uint8_t build_id_size; /* 0: not told */
	uint64_t inode;	       /* likewise */
	const char *name;
};

static uint32_t add_kernel(struct machine *machine)
{
	machine->kernel_object = machine_kernel(machine);
	if (machine->kernel_object == OBJECT_NONE)
		machine->kernel_object = object_add(&machine->objects, "[kernel.kallsyms]",
						    OBJECT_KERNEL);
	return machine->kernel_object;
}

static void map_kernel(struct machine *machine, struct mapping *mapping,
		       const struct mmap_note *note)
{
	bool kernel = starts_with(note->name, "[kernel.kallsyms");
	const char *anchor = kernel ? strchr(note->name, ']') : NULL; /* "[kernel.kallsyms]_text" */

	mapping->identity = true;
	if (kernel)
		mapping->object = add_kernel(machine);
	else if (note->name[0] == '/' || note->name[0] == '[')
		mapping->object = object_add_module(&machine->objects, note->name);
	else
		return;
	object_set_build_id(&machine->objects, mapping->object, note->build_id,
			    note->build_id_size);
	object_set_base(&machine->objects, mapping->object, anchor ? anchor + 1 : NULL,
			kernel ? mapping->offset : mapping->start);
	/* With kptr_restrict the kernel's place is not told: it may be anywhere. */
	if (kernel && !mapping->start && !mapping->end)
		mapping->end = UINT64_MAX;
	maps_insert(machine->kernel, mapping);
	change_maps(machine, machine->kernel);
}

static bool is_anon(const char *name, uint32_t flags)
{
	return flags & MAP_HUGETLB || !strcmp(name, "//anon") || starts_with(name, "/dev/zero") ||
	       starts_with(name, "/anon_hugepage") || starts_with(name, "[stack") ||
	       starts_with(name, "/SYSV") || !strcmp(name, "[heap]");
}

static uint32_t add_file(struct object_table *objects, const struct mmap_note *note)
{
	uint32_t index = object_add_build(objects, note->name, OBJECT_FILE, note->build_id,
					  note->build_id_size);

	return objects->list.data[index].ambiguous && note->inode
		       ? object_add_inode(objects, index, note->inode)
		       : index;
}

static void map_user(struct machine *machine, struct mapping *mapping, const struct mmap_note *note)
{
	struct process *process = machine_thread(machine, note->pid, note->tid)->process;
	const char *name = note->name;
	char jit[48];

	if (!strcmp(name, "[vdso]")) {
		mapping->offset = 0;
		mapping->object = object_add(&machine->objects, name, OBJECT_VDSO);
	} else if (is_anon(name, note->flags)) {
		mapping->identity = true;
		/* Code without a file: the JIT that made it may have left a list of its functions.
		 */
		if (note->prot & PROT_EXEC && note->pid) {
			snprintf(jit, sizeof(jit), "/tmp/perf-%d.map", (int)note->pid);
			name = jit;
		}
		mapping->object = object_add(&machine->objects, name, OBJECT_ANON);
	} else {
		mapping->object = add_file(&machine->objects, note);
	}
	process->maps = maps_own(process->maps);
	maps_insert(process->maps, mapping);
	change_maps(machine, process->maps);
}

/*
 * While another recorder asks for build-ids, the kernel (6.18) marks our records as well, though
 * they hold a device: its major and minor number of 32 bits each, where a build-id has its size,
 * three zeros and its first bytes.
 */
static bool is_build_id(const uint8_t *bytes)
{
	if (!bytes[0] || bytes[0] > 20 || bytes[1] || bytes[2] || bytes[3])
		return false;
	return bytes[0] >= 16 || bytes[5] || bytes[6] || bytes[7];
}

/* Device and inode, or instead of them the build-id. */
static void take_file(struct mmap_note *note, uint16_t misc, struct cursor *c)
{
	const uint8_t *bytes = cursor_bytes(c, 24);

	if (bytes && misc & PERF_RECORD_MISC_MMAP_BUILD_ID && is_build_id(bytes)) {
		note->build_id_size = bytes[0];
		note->build_id = bytes + 4;
	} else if (bytes) {
		memcpy(&note->inode, bytes + 8, sizeof(note->inode));
	}
	note->prot = cursor_u32(c);
	note->flags = cursor_u32(c);
}

static void take_mmap(struct machine *machine, const struct perf_event_header *header,
		      struct cursor *c)
{
	uint16_t mode = header->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	/* MMAP tells of code unless it says otherwise. */
	struct mmap_note note = {
		.prot = header->misc & PERF_RECORD_MISC_MMAP_DATA ? 0 : PROT_EXEC,
	};
	struct mapping mapping = { 0 };
	uint64_t length;

	note.pid = cursor_u32(c);
	note.tid = cursor_u32(c);
	mapping.start = cursor_u64(c);
	length = cursor_u64(c);
	mapping.offset = cursor_u64(c);
	mapping.end = mapping.start + length;
	if (header->type == PERF_RECORD_MMAP2)
		take_file(&note, header->misc, c);
	note.name = take_name(c);
	if (!note.name)
		return;
	if (mode == PERF_RECORD_MISC_KERNEL)
		map_kernel(machine, &mapping, &note);
	else if (mode != PERF_RECORD_MISC_GUEST_KERNEL && mode != PERF_RECORD_MISC_GUEST_USER)
		map_user(machine, &mapping, &note);
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
	thread_set_comm(&machine->processes, thread, comm);
	/* The old mappings stay until new ones cover them: the kernel is still on its way out of
	 * the old program's execve, and its samples show that program's stack. */
	if (header->misc & PERF_RECORD_MISC_COMM_EXEC)
		thread_move(&machine->processes, thread,
			    process_new(&machine->processes, pid, maps_get(thread->process->maps)));
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
	struct processes *all = &machine->processes;
	struct thread *parent, *child;
	struct process *process;

	if (c->broken)
		return;
	parent = machine_thread(machine, ppid, ptid);
	if (parent->process->pid != ppid)
		parent = thread_new(all, process_find(all, ppid), ptid);
	if (pid == ppid) {
		process = parent->process;
	} else if (pid == tid) {
		/* FORK_EXEC marks those that the recorder made up for running processes: their
		 * mappings are told one by one. */
		process = process_new(all, pid,
				      header->misc & PERF_RECORD_MISC_FORK_EXEC
					      ? processes_new_maps(all)
					      : maps_get(parent->process->maps));
	} else {
		process = process_find(all, pid);
	}
	child = thread_new(all, process, tid);
	if (parent->comm_known)
		thread_set_comm(all, child, parent->comm);
}

static void take_exit(struct machine *machine, struct cursor *c)
{
	uint32_t pid = cursor_u32(c), tid;
	struct thread *thread;

	cursor_u32(c); /* the parent's */
	tid = cursor_u32(c);
	thread = c->broken ? NULL : thread_find(&machine->processes, tid);
	if (thread && thread->process->pid == pid)
		thread_end(&machine->processes, thread);
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
	case PERF_RECORD_EXIT: take_exit(machine, &c); break;
	case PERF_RECORD_KSYMBOL: take_ksymbol(machine, &c); break;
	case PERF_RECORD_CGROUP: take_cgroup(machine, &c); break;
	case USER_RECORD_BUILD_ID:
		if (feature_parse_build_id(header, &id))
			take_build_id(machine, &id);
		break;
	default: break;
	}
}

bool machine_passes_over(uint32_t type)
{
	switch (type) {
	case PERF_RECORD_SAMPLE:
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
	case USER_RECORD_FINISHED_ROUND: return true;
	default: return false;
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
	return machine->kernel_object == OBJECT_NONE ? object_find_kernel(&machine->objects)
						     : machine->kernel_object;
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
