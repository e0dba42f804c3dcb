// SPDX-License-Identifier: Apache-2.0
#include "profile/frames.h"
#include "base/idmap.h"

#include <stdio.h>

struct address {
	uint64_t address;
	uint8_t mode; /* PERF_RECORD_MISC_* */
};

void frames_init(struct frames *frames, struct profile *profile, struct machine *machine,
		 struct symbol_store *store)
{
	uint32_t object = profile_object(profile, UNKNOWN_NAME, &(struct build_id){ 0 }, DSO_NONE);

	*frames = (struct frames){ .profile = profile, .machine = machine };
	naming_init(&frames->naming, machine, store);
	frames->recent = mem_alloc(RECENT_ADDRESSES * sizeof(*frames->recent));
	frames->nowhere = profile_function(profile, UNKNOWN_NAME, object, FRAME_UNKNOWN);
}

void frames_fini(struct frames *frames)
{
	naming_fini(&frames->naming);
	vec_free(&frames->objects);
	vec_free(&frames->begins);
	free(frames->recent);
	vec_free(&frames->named);
}

static struct frame_object *object_of(struct frames *frames, const struct mapping *mapping,
				      const struct thread *thread)
{
	const struct object *object;
	struct frame_object *known;
	struct build_id id = { 0 };

	while (frames->objects.len <= mapping->object)
		vec_push(&frames->objects);
	known = &frames->objects.data[mapping->object];
	if (known->known)
		return known;
	object = machine_object(frames->machine, mapping->object);
	id.size = object->build_id_size;
	memcpy(id.bytes, object->build_id, sizeof(object->build_id));
	known->known = true;
	known->id = profile_object(frames->profile, object->name, &id, naming_kind(object));
	known->unknown = NO_FUNCTION;
	known->dso = naming_dso(&frames->naming, mapping, thread);
	return known;
}

static enum frame_kind frame_kind(const struct object *object)
{
	switch (object->kind) {
	case OBJECT_KERNEL:
	case OBJECT_MODULE:
	case OBJECT_KSYMBOL: return FRAME_KERNEL;
	case OBJECT_ANON: return FRAME_JIT;
	case OBJECT_VDSO: return FRAME_LIBRARY;
	case OBJECT_FILE: break;
	}
	return strstr(object->name, ".so") ? FRAME_LIBRARY : FRAME_USER;
}

/* The functions that user code and threads begin with: a stack that ends there is whole. */
static bool begins_stacks(const char *name)
{
	static const char *const names[] = {
		"_start",	  "_dl_start_user", "__clone",
		"__clone3",	  "clone",	    "clone3",
		"thread_start",	  "_start_c",	    "_rt0_amd64_linux",
		"runtime.goexit", "runtime.mstart", "start_thread",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return !strncmp(name, "__libc_start_", 13) || !strncmp(name, "runtime.goexit", 14);
}

static uint32_t add_function(struct frames *frames, const char *name, uint32_t object,
			     enum frame_kind kind)
{
	uint32_t function = profile_function(frames->profile, name, object, kind);

	while (frames->begins.len <= function)
		vec_push(&frames->begins);
	frames->begins.data[function] = begins_stacks(name);
	return function;
}

static uint32_t name_place(struct frames *frames, const struct mapping *mapping,
			   struct frame_object *known, uint64_t offset)
{
	const struct object *object = machine_object(frames->machine, mapping->object);
	struct symbol symbol;

	if (object->kind == OBJECT_KSYMBOL)
		return add_function(frames, object->name, known->id, FRAME_KERNEL);
	if (known->dso && dso_find(known->dso, offset, &symbol))
		return add_function(frames, symbol.name, known->id, frame_kind(object));
	if (known->unknown == NO_FUNCTION)
		known->unknown = add_function(frames, UNKNOWN_NAME, known->id, FRAME_UNKNOWN);
	return known->unknown;
}

/* The function at an address, named when it is first met; *leaf is where that is. */
static uint32_t function_at(struct frames *frames, const struct thread *thread,
			    const struct address *at, uint32_t *leaf)
{
	const struct mapping *mapping = naming_mapping(&frames->naming, thread, at->mode,
						       at->address);
	struct frame_object *known;
	uint32_t function;
	uint64_t offset;

	if (!mapping)
		return frames->nowhere;
	known = object_of(frames, mapping, thread);
	offset = mapping_offset(mapping, at->address);
	*leaf = profile_leaf(frames->profile, known->id, offset);
	while (frames->named.len <= *leaf)
		*vec_push(&frames->named) = NO_FUNCTION;
	function = frames->named.data[*leaf];
	if (function != NO_FUNCTION)
		return function;
	naming_dso(&frames->naming, mapping, thread); /* this process may reach a missing file */
	function = name_place(frames, mapping, known, offset);
	/* What has no name now may have one when it is met again (symbol/symbol.h). */
	if (function != known->unknown)
		frames->named.data[*leaf] = function;
	return function;
}

/* What is known of an address: most were met a moment ago. */
static const struct recent_address *look_up(struct frames *frames, const struct thread *thread,
					    const struct address *at, uint32_t space)
{
	uint64_t hash = idmap_hash(at->address ^ (uint64_t)space << 48);
	struct recent_address *recent = &frames->recent[hash & (RECENT_ADDRESSES - 1)];

	if (recent->address != at->address || recent->space != space) {
		recent->function = function_at(frames, thread, at, &recent->leaf);
		recent->address = at->address;
		recent->space = space;
	}
	return recent;
}

/* Where a sample fell, which is kept even if it is in no mapping. */
static uint32_t leaf_of(struct frames *frames, const struct recent_address *found)
{
	const struct profile_function *nowhere = &frames->profile->functions.data[frames->nowhere];

	return found->function == frames->nowhere
		       ? profile_leaf(frames->profile, nowhere->object, found->address)
		       : found->leaf;
}

static uint8_t mode_of_context(uint64_t context, uint8_t mode)
{
	switch (context) {
	case PERF_CONTEXT_KERNEL: return PERF_RECORD_MISC_KERNEL;
	case PERF_CONTEXT_USER: return PERF_RECORD_MISC_USER;
	case PERF_CONTEXT_HV: return PERF_RECORD_MISC_HYPERVISOR;
	case PERF_CONTEXT_GUEST_KERNEL: return PERF_RECORD_MISC_GUEST_KERNEL;
	case PERF_CONTEXT_GUEST_USER: return PERF_RECORD_MISC_GUEST_USER;
	default: return mode;
	}
}

/*
 * The addresses of a sample, leaf first.  The sampled one always comes first: a chain may lack the
 * part that it is in (user stacks only), or begin beside it (precise events).
 */
static size_t gather(const struct sample *sample, struct address *into)
{
	uint8_t mode = sample->cpumode;
	size_t count = 0;

	for (uint64_t i = 0; i < sample->chain_len && count < FRAMES_MAX; i++) {
		uint64_t address = sample->chain[i];

		if (address >= (uint64_t)PERF_CONTEXT_MAX) {
			mode = mode_of_context(address, mode);
			continue;
		}
		if (!count && sample->ip && mode != sample->cpumode)
			into[count++] = (struct address){ sample->ip, sample->cpumode };
		else if (!count && sample->ip)
			address = sample->ip;
		into[count++] = (struct address){ address, mode };
	}
	if (!count)
		into[count++] = (struct address){ sample->ip, sample->cpumode };
	return count;
}

struct frames_stack frames_resolve(struct frames *frames, const struct sample *sample,
				   const struct thread *thread, uint32_t user_space,
				   uint32_t kernel_space)
{
	struct frames_stack result = { .stack = STACK_ROOT };
	struct address addresses[FRAMES_MAX + 1];
	uint32_t functions[FRAMES_MAX + 1];
	size_t count = gather(sample, addresses), kept = 0;
	bool lost_way = false;

	for (size_t i = 0; i < count; i++) {
		bool user = addresses[i].mode == PERF_RECORD_MISC_USER;
		const struct recent_address *found = look_up(frames, thread, &addresses[i],
							     user ? user_space : kernel_space);

		functions[kept] = found->function;
		if (!i)
			result.leaf = leaf_of(frames, found);
		lost_way |= functions[kept] == frames->nowhere;
		/* Addresses that lead nowhere, one after another, are one unknown frame. */
		if (!kept || functions[kept] != frames->nowhere ||
		    functions[kept - 1] != frames->nowhere)
			kept++;
	}
	result.unknown = frames->profile->functions.data[functions[0]].kind == FRAME_UNKNOWN;
	result.cut = sample->chain &&
		     (lost_way || (addresses[count - 1].mode == PERF_RECORD_MISC_USER &&
				   !frames->begins.data[functions[kept - 1]]));
	while (kept--)
		result.stack = profile_stack(frames->profile, result.stack, functions[kept], false);
	if (result.cut)
		frames->profile->stacks.flags[result.stack] |= STACK_CUT;
	return result;
}

void frames_update_states(struct frames *frames)
{
	vec_each (object, &frames->objects)
		if (object->known && object->dso)
			frames->profile->objects.data[object->id].state =
				(uint8_t)dso_state(object->dso);
}
