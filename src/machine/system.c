// SPDX-License-Identifier: Apache-2.0
#include "machine/system.h"
#include "base/cursor.h"
#include "base/mem.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct system *system_new(struct process_numbers *numbers, struct object_list *objects,
			  uint32_t guest)
{
	struct system *system = mem_alloc(sizeof(*system));

	system->guest = system->objects.guest = guest;
	system->objects.all = objects;
	system->processes.numbers = numbers;
	system->processes.system = system;
	system->kernel = processes_new_maps(&system->processes);
	system->kernel_object = OBJECT_NONE;
	return system;
}

void system_free(struct system *system)
{
	if (!system)
		return;
	processes_free(&system->processes);
	maps_put(system->kernel);
	object_table_free(&system->objects);
	free(system);
}

struct thread *system_thread(struct system *system, uint32_t pid, uint32_t tid)
{
	struct processes *all = &system->processes;
	struct thread *thread = thread_find(all, tid);

	if (!thread)
		return thread_new(all, process_find(all, pid), tid);
	/* A sample may have told the thread before any record told its process. */
	if (thread->process->pid == UINT32_MAX && pid != UINT32_MAX)
		thread_move(all, thread, process_find(all, pid));
	return thread;
}

/* Whatever was remembered of this space by its number no longer holds. */
static void change_maps(struct system *system, struct maps *maps)
{
	maps->space = ++system->processes.numbers->spaces;
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
	uint32_t major, minor; /* of its device */
	uint64_t generation;
	const char *name;
};

uint32_t system_kernel(const struct system *system)
{
	return system->kernel_object == OBJECT_NONE ? object_find_kernel(&system->objects)
						    : system->kernel_object;
}

static uint32_t add_kernel(struct system *system)
{
	char name[48] = "[kernel.kallsyms]";

	system->kernel_object = system_kernel(system);
	if (system->kernel_object != OBJECT_NONE)
		return system->kernel_object;
	if (system->guest == GUEST_OF(0))
		snprintf(name, sizeof(name), "[guest.kernel.kallsyms]");
	else if (system->guest)
		snprintf(name, sizeof(name), "[guest.kernel.kallsyms.%d]",
			 (int)(system->guest - 1));
	system->kernel_object = object_add(&system->objects, name, OBJECT_KERNEL);
	return system->kernel_object;
}

void system_assume_kernel(struct system *system)
{
	struct mapping mapping = { .end = UINT64_MAX, .identity = true };

	mapping.object = add_kernel(system);
	maps_insert(system->kernel, &mapping);
	change_maps(system, system->kernel);
}

void system_add_module(struct system *system, const char *path, uint64_t start, uint64_t size)
{
	struct mapping mapping = { .start = start, .end = start + size, .identity = true };

	mapping.object = object_add_module(&system->objects, path);
	object_set_base(&system->objects, mapping.object, NULL, start);
	maps_insert(system->kernel, &mapping);
	change_maps(system, system->kernel);
}

static void map_kernel(struct system *system, struct mapping *mapping, const struct mmap_note *note)
{
	/* Records that were made in a guest name its kernel as the host's. */
	bool kernel = starts_with(note->name, "[kernel.kallsyms") ||
		      (system->guest && starts_with(note->name, "[guest.kernel.kallsyms"));
	const char *anchor = kernel ? strchr(note->name, ']') : NULL; /* "[kernel.kallsyms]_text" */

	mapping->identity = true;
	if (kernel)
		mapping->object = add_kernel(system);
	else if (note->name[0] == '/' || note->name[0] == '[')
		mapping->object = object_add_module(&system->objects, note->name);
	else
		return;
	object_set_build_id(&system->objects, mapping->object, note->build_id, note->build_id_size);
	object_set_base(&system->objects, mapping->object, anchor ? anchor + 1 : NULL,
			kernel ? mapping->offset : mapping->start);
	/* With kptr_restrict the kernel's place is not told: it may be anywhere. */
	if (kernel && !mapping->start && !mapping->end)
		mapping->end = UINT64_MAX;
	maps_insert(system->kernel, mapping);
	change_maps(system, system->kernel);
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

	return object_at(objects->all, index)->ambiguous && note->inode
		       ? object_add_inode(objects, index, note->inode)
		       : index;
}

static void map_user(struct system *system, struct mapping *mapping, const struct mmap_note *note)
{
	struct process *process = system_thread(system, note->pid, note->tid)->process;
	const char *name = note->name;
	char jit[48];

	if (!strcmp(name, "[vdso]")) {
		mapping->offset = 0;
		mapping->object = object_add(&system->objects, name, OBJECT_VDSO);
	} else if (is_anon(name, note->flags)) {
		mapping->identity = true;
		/* Code without a file: the JIT that made it may have left a list of its functions.
		 */
		if (note->prot & PROT_EXEC && note->pid) {
			snprintf(jit, sizeof(jit), "/tmp/perf-%d.map", (int)note->pid);
			name = jit;
		}
		mapping->object = object_add(&system->objects, name, OBJECT_ANON);
	} else {
		mapping->object = add_file(&system->objects, note);
		if (note->prot & PROT_EXEC)
			object_set_mapped(&system->objects, mapping->object,
					  &(struct dso_mapped){
						  .offset = mapping->offset,
						  .size = mapping->end - mapping->start,
						  .inode = note->inode,
						  .major = note->major,
						  .minor = note->minor,
						  .generation = note->generation,
					  });
	}
	process->maps = maps_own(process->maps);
	maps_insert(process->maps, mapping);
	change_maps(system, process->maps);
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
		memcpy(&note->major, bytes, sizeof(note->major));
		memcpy(&note->minor, bytes + 4, sizeof(note->minor));
		memcpy(&note->inode, bytes + 8, sizeof(note->inode));
		memcpy(&note->generation, bytes + 16, sizeof(note->generation));
	}
	note->prot = cursor_u32(c);
	note->flags = cursor_u32(c);
}

static void take_mmap(struct system *system, const struct perf_event_header *header,
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
	mapping.data = header->misc & PERF_RECORD_MISC_MMAP_DATA;
	if (header->type == PERF_RECORD_MMAP2)
		take_file(&note, header->misc, c);
	note.name = take_name(c);
	if (!note.name)
		return;
	if (mode == PERF_RECORD_MISC_KERNEL || mode == PERF_RECORD_MISC_GUEST_KERNEL)
		map_kernel(system, &mapping, &note);
	else
		map_user(system, &mapping, &note);
}

static void take_comm(struct system *system, const struct perf_event_header *header,
		      struct cursor *c)
{
	uint32_t pid = cursor_u32(c), tid = cursor_u32(c);
	const char *comm = take_name(c);
	struct thread *thread;

	if (!comm)
		return;
	thread = system_thread(system, pid, tid);
	thread_set_comm(&system->processes, thread, comm);
	/* The old mappings stay until new ones cover them: the kernel is still on its way out of
	 * the old program's execve, and its samples show that program's stack. */
	if (header->misc & PERF_RECORD_MISC_COMM_EXEC)
		thread_move(&system->processes, thread,
			    process_new(&system->processes, pid, maps_get(thread->process->maps)));
}

/*
 * Records can be lost, so a thread that is said to fork may be unknown, or known as somebody
 * else's: then that was another one, and this one begins anew.
 */
static void take_fork(struct system *system, const struct perf_event_header *header,
		      struct cursor *c)
{
	uint32_t pid = cursor_u32(c), ppid = cursor_u32(c);
	uint32_t tid = cursor_u32(c), ptid = cursor_u32(c);
	struct processes *all = &system->processes;
	struct thread *parent, *child;
	struct process *process;

	if (c->broken)
		return;
	parent = system_thread(system, ppid, ptid);
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

static void take_exit(struct system *system, struct cursor *c)
{
	uint32_t pid = cursor_u32(c), tid;
	struct thread *thread;

	cursor_u32(c); /* the parent's */
	tid = cursor_u32(c);
	thread = c->broken ? NULL : thread_find(&system->processes, tid);
	if (thread && thread->process->pid == pid)
		thread_end(&system->processes, thread);
}

static void take_ksymbol(struct system *system, struct cursor *c)
{
	struct mapping mapping = { .start = cursor_u64(c), .identity = true };
	uint32_t length = cursor_u32(c), kind_and_flags = cursor_u32(c);
	const char *name = take_name(c);

	mapping.end = mapping.start + length;
	if (!name)
		return;
	if (kind_and_flags >> 16 & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER) {
		const struct mapping *old = maps_find(system->kernel, mapping.start);

		if (old && object_at(system->objects.all, old->object)->kind == OBJECT_KSYMBOL)
			maps_remove(system->kernel, old->start, old->end);
		change_maps(system, system->kernel);
		return;
	}
	if (maps_find(system->kernel, mapping.start))
		return;
	mapping.object = object_add(&system->objects, name, OBJECT_KSYMBOL);
	maps_insert(system->kernel, &mapping);
	change_maps(system, system->kernel);
}

void system_take(struct system *system, const struct perf_event_header *header, size_t size)
{
	struct cursor c = cursor_of(header + 1, size - sizeof(*header));

	switch (header->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2: take_mmap(system, header, &c); break;
	case PERF_RECORD_COMM: take_comm(system, header, &c); break;
	case PERF_RECORD_FORK: take_fork(system, header, &c); break;
	case PERF_RECORD_EXIT: take_exit(system, &c); break;
	case PERF_RECORD_KSYMBOL: take_ksymbol(system, &c); break;
	default: break;
	}
}
