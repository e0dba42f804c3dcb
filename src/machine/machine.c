// SPDX-License-Identifier: Apache-2.0
#include "machine/machine.h"
#include "base/cursor.h"
#include "base/mem.h"
#include "machine/guests.h"
#include "perfdata/feature.h"
#include "perfdata/sample.h"

#include <stdlib.h>
#include <string.h>

struct machine {
	struct arena arena;
	struct process_numbers numbers;
	struct object_list objects;
	struct system *host;
	struct guests guests;
	struct map cgroups; /* by the bytes of their id */
	VEC(const char *) cgroup_paths;
};

struct thread *machine_thread(struct machine *machine, uint32_t pid, uint32_t tid)
{
	return system_thread(machine->host, pid, tid);
}

struct machine *machine_new(void)
{
	struct machine *machine = mem_alloc(sizeof(*machine));

	machine->host = system_new(&machine->numbers, &machine->objects, 0);
	guests_init(&machine->guests, &machine->numbers, &machine->objects);
	thread_set_comm(&machine->host->processes, machine_thread(machine, 0, 0), "swapper");
	return machine;
}

void machine_free(struct machine *machine)
{
	if (!machine)
		return;
	guests_fini(&machine->guests);
	system_free(machine->host);
	map_free(&machine->cgroups);
	vec_free(&machine->cgroup_paths);
	vec_free(&machine->objects.list);
	arena_free(&machine->arena);
	free(machine);
}

void machine_use_guests(struct machine *machine, const struct guest_sources *from)
{
	if (guest_sources_given(from))
		guests_use(&machine->guests, from);
}

struct thread *machine_sample_thread(struct machine *machine, const struct sample *sample)
{
	const struct guest_id *owner;

	if (!misc_is_of_guest(sample->misc))
		return machine_thread(machine, sample->pid, sample->tid);
	if (!machine->guests.taken)
		return NULL;
	owner = guests_of_id(&machine->guests, sample->id);
	return guests_thread(&machine->guests, machine->host, owner ? owner->pid : sample->pid,
			     sample->pid, sample->tid);
}

bool machine_guest(const struct machine *machine, uint64_t id, uint32_t *pid, uint32_t *vcpu)
{
	const struct guest_id *owner = guests_of_id(&machine->guests, id);

	if (owner) {
		*pid = owner->pid;
		*vcpu = owner->vcpu;
	}
	return owner;
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
	struct system *system = machine->host;

	/* A guest's table stands in the same place; its kernel is not this one. */
	if (misc_is_of_guest(mode)) {
		if (!machine->guests.taken)
			return;
		system = guests_find(&machine->guests, id->pid, true);
		mode -= PERF_RECORD_MISC_GUEST_KERNEL - PERF_RECORD_MISC_KERNEL;
	}
	if (mode == PERF_RECORD_MISC_KERNEL || mode == PERF_RECORD_MISC_USER)
		object_add_build_id(&system->objects, id->path, mode == PERF_RECORD_MISC_KERNEL,
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

static void take_cgroup(struct machine *machine, struct cursor *c)
{
	uint64_t id = cursor_u64(c), *key;
	const char *path = (const char *)c->at;
	uint32_t index;

	if (!cursor_left(c) || !memchr(path, 0, cursor_left(c)))
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

/*
 * Whose record it is.  Of a guest: of that whose events have the id at its end, else of the process
 * that comes first in all such records.  NULL: nobody wants to know.
 */
static struct system *system_of(struct machine *machine, const struct perf_event_header *header,
				size_t size)
{
	struct cursor c = cursor_of(header + 1, size - sizeof(*header));
	const struct guest_id *owner = NULL;
	uint64_t id;

	if (!misc_is_of_guest(header->misc))
		return machine->host;
	if (!machine->guests.taken)
		return NULL;
	if (header->size >= size + sizeof(id)) {
		memcpy(&id, (const char *)header + header->size - sizeof(id), sizeof(id));
		owner = guests_of_id(&machine->guests, id);
	}
	return guests_find(&machine->guests, owner ? owner->pid : cursor_u32(&c), owner);
}

void machine_take(struct machine *machine, const struct perf_event_header *header, size_t size)
{
	struct cursor c = cursor_of(header + 1, size - sizeof(*header));
	struct feature_build_id id;
	struct system *system;

	switch (header->type) {
	case PERF_RECORD_CGROUP: take_cgroup(machine, &c); break;
	case USER_RECORD_ID_INDEX: guests_take_index(&machine->guests, &c); break;
	case USER_RECORD_BUILD_ID:
		if (feature_parse_build_id(header, &id))
			take_build_id(machine, &id);
		break;
	default:
		system = system_of(machine, header, size);
		if (system)
			system_take(system, header, size);
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

/* Code that a hypervisor brings along is where it is in its own memory, whatever mode it runs in.
 */
static bool is_host_code(const struct machine *machine, uint64_t address)
{
	return machine->guests.from.code && !(address >> 63);
}

uint32_t machine_space(const struct machine *machine, const struct thread *thread, uint8_t cpumode)
{
	const struct process *process = thread->process;

	switch (cpumode) {
	case PERF_RECORD_MISC_GUEST_USER:
		if (process->system == machine->host)
			return 0;
		/* fall through */
	case PERF_RECORD_MISC_USER: return process->maps->space;
	case PERF_RECORD_MISC_GUEST_KERNEL:
		if (process->system == machine->host)
			return 0;
		/* fall through */
	case PERF_RECORD_MISC_KERNEL: return process->system->kernel->space;
	default: return 0;
	}
}

uint32_t machine_kernel(const struct thread *thread)
{
	return system_kernel(thread->process->system);
}

const struct mapping *machine_find(struct machine *machine, const struct thread *thread,
				   uint8_t cpumode, uint64_t address)
{
	const struct process *process = thread->process;

	switch (cpumode) {
	case PERF_RECORD_MISC_USER: return maps_find(process->maps, address);
	case PERF_RECORD_MISC_KERNEL: return maps_find(process->system->kernel, address);
	case PERF_RECORD_MISC_GUEST_USER:
		return process->system == machine->host ? NULL : maps_find(process->maps, address);
	case PERF_RECORD_MISC_GUEST_KERNEL:
		if (process->system == machine->host)
			return NULL;
		return maps_find(is_host_code(machine, address) ? process->maps
								: process->system->kernel,
				 address);
	default: return NULL;
	}
}
