// SPDX-License-Identifier: Apache-2.0
#include "machine/naming.h"

#include <string.h>

#define TRIES 16 /* to find a missing file through processes that have it mapped */

void naming_init(struct naming *naming, struct machine *machine, struct symbol_store *store)
{
	*naming = (struct naming){ .machine = machine, .store = store };
}

void naming_fini(struct naming *naming)
{
	vec_free(&naming->objects);
}

enum dso_kind naming_kind(const struct object *object)
{
	switch (object->kind) {
	case OBJECT_FILE: return DSO_FILE;
	case OBJECT_VDSO: return DSO_VDSO;
	case OBJECT_KERNEL: return DSO_KERNEL;
	case OBJECT_MODULE: return DSO_MODULE;
	case OBJECT_KSYMBOL: return DSO_BPF;
	case OBJECT_ANON: break;
	}
	return strncmp(object->name, "/tmp/perf-", 10) ? DSO_NONE : DSO_JIT;
}

static struct dso *find_dso(struct naming *naming, uint32_t index, const struct thread *thread)
{
	const struct object *object = machine_object(naming->machine, index);
	uint32_t kernel = machine_kernel(thread);
	struct dso_key key = {
		.kind = naming_kind(object),
		.path = object->path,
		.pid = object->guest ? 0 : (pid_t)thread->process->pid,
		.guest = object->guest,
		.build_id.size = object->build_id_size,
		.anchor = object->anchor,
		.base = object->base,
		.inode = object->inode,
		.mapped = object->mapped,
	};

	if (!naming->store || key.kind == DSO_NONE || key.kind == DSO_BPF)
		return NULL;
	/* The list that names modules is the kernel's: the store must know which one first. */
	if (key.kind == DSO_MODULE && kernel != OBJECT_NONE)
		find_dso(naming, kernel, thread);
	memcpy(key.build_id.bytes, object->build_id, sizeof(object->build_id));
	return symbol_dso(naming->store, &key);
}

struct dso *naming_dso(struct naming *naming, const struct mapping *mapping,
		       const struct thread *thread)
{
	uint32_t pid = thread->process->pid;
	struct naming_object *known;

	while (naming->objects.len <= mapping->object)
		vec_push(&naming->objects);
	known = &naming->objects.data[mapping->object];
	if (!known->known) {
		if (machine_object(naming->machine, mapping->object)->kind != OBJECT_MODULE ||
		    symbol_store_wants_modules(naming->store))
			known->dso = find_dso(naming, mapping->object, thread);
		known->pid = pid;
		known->known = true;
	} else if (known->pid != pid && known->dso && known->tries < TRIES &&
		   dso_state(known->dso) == DSO_MISSING) {
		find_dso(naming, mapping->object, thread);
		known->pid = pid;
		known->tries++;
	}
	return known->dso;
}

static const struct mapping *find_beyond(struct naming *naming, const struct thread *thread,
					 uint64_t address)
{
	uint32_t kernel = machine_kernel(thread);
	struct symbol symbol;
	struct dso *dso;

	if (kernel >= naming->objects.len)
		return NULL;
	dso = naming->objects.data[kernel].dso;
	if (!dso || dso_state(dso) == DSO_UNREAD || !dso_find(dso, address, &symbol))
		return NULL;
	naming->beyond = (struct mapping){
		.start = symbol.start, .end = symbol.end, .object = kernel, .identity = true
	};
	return &naming->beyond;
}

const struct mapping *naming_mapping(struct naming *naming, const struct thread *thread,
				     uint8_t cpumode, uint64_t address)
{
	const struct mapping *mapping = machine_find(naming->machine, thread, cpumode, address);

	if (mapping ||
	    (cpumode != PERF_RECORD_MISC_KERNEL && cpumode != PERF_RECORD_MISC_GUEST_KERNEL))
		return mapping;
	return find_beyond(naming, thread, address);
}

struct place naming_place(struct naming *naming, const struct mapping *mapping,
			  const struct thread *thread, uint64_t address)
{
	struct place place = { .address = address };
	struct symbol symbol;

	if (!mapping)
		return place;
	place.object = machine_object(naming->machine, mapping->object);
	place.address = mapping_offset(mapping, address);
	if (place.object->kind == OBJECT_KSYMBOL) {
		place.symbol = place.object->name;
		place.offset = address - mapping->start;
		return place;
	}
	place.dso = naming_dso(naming, mapping, thread);
	if (place.dso && dso_find(place.dso, place.address, &symbol)) {
		place.symbol = symbol.name;
		place.offset = place.address - symbol.start;
	}
	return place;
}
