// SPDX-License-Identifier: Apache-2.0
#include "profile/frames.h"
#include "base/idmap.h"

#include <stdio.h>

#define DEFAULT_MAX_STACK 127 /* kernel.perf_event_max_stack */

static size_t host_max_stack(void)
{
	FILE *file = fopen("/proc/sys/kernel/perf_event_max_stack", "re");
	unsigned limit = 0;

	if (file && fscanf(file, "%u", &limit) != 1)
		limit = 0;
	if (file)
		fclose(file);
	return limit;
}

static uint32_t add_nowhere(struct profile *profile, enum profile_side side)
{
	uint32_t object = profile_object_at(profile, UNKNOWN_NAME, &(struct build_id){ 0 },
					    DSO_NONE, side);

	return profile_function(profile, UNKNOWN_NAME, object, FRAME_UNKNOWN);
}

static enum profile_side side_of_mode(uint8_t mode)
{
	switch (mode) {
	case PERF_RECORD_MISC_HYPERVISOR: /* no program of the machine's, either */
	case PERF_RECORD_MISC_KERNEL: return SIDE_KERNEL;
	case PERF_RECORD_MISC_GUEST_KERNEL: return SIDE_GUEST_KERNEL;
	case PERF_RECORD_MISC_GUEST_USER: return SIDE_GUEST_USER;
	default: return SIDE_HOST;
	}
}

static uint32_t nowhere_in(struct frames *frames, uint8_t mode)
{
	enum profile_side side = side_of_mode(mode);

	if (frames->nowhere[side] == NO_FUNCTION)
		frames->nowhere[side] = add_nowhere(frames->profile, side);
	return frames->nowhere[side];
}

void frames_init(struct frames *frames, struct profile *profile, struct machine *machine,
		 struct symbol_store *store, uint64_t samples)
{
	size_t recent = RECENT_LEAST;
	struct guest_sources guests = symbol_store_guests(store);

	*frames = (struct frames){ .profile = profile, .machine = machine };
	machine_use_guests(machine, &guests);
	naming_init(&frames->naming, machine, store);
	while (recent < RECENT_MOST && recent * 2 < samples)
		recent *= 2;
	frames->recent_mask = recent - 1;
	frames->places = mem_alloc(recent * sizeof(*frames->places));
	frames->stacks = mem_alloc(recent * sizeof(*frames->stacks));
	frames->names = mem_alloc(RECENT_NAMES * sizeof(*frames->names));
	for (int side = 0; side < SIDES; side++)
		frames->nowhere[side] = NO_FUNCTION;
	frames->nowhere[SIDE_HOST] = add_nowhere(profile, SIDE_HOST);
	frames->inlining = symbol_store_inlining(store);
	frames->host_limit = host_max_stack();
	vec_push(&frames->inlined); /* the list of nothing */
}

void frames_fini(struct frames *frames)
{
	naming_fini(&frames->naming);
	vec_free(&frames->objects);
	vec_free(&frames->begins);
	free(frames->places);
	free(frames->stacks);
	free(frames->names);
	vec_free(&frames->expansions);
	vec_free(&frames->inlined);
}

static enum profile_side side_of(const struct object *object)
{
	if (!object->guest)
		return SIDE_HOST;
	return object->kind == OBJECT_KERNEL || object->kind == OBJECT_MODULE ||
			       object->kind == OBJECT_KSYMBOL
		       ? SIDE_GUEST_KERNEL
		       : SIDE_GUEST_USER;
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
	known->id = profile_object_at(frames->profile, object->name, &id, naming_kind(object),
				      side_of(object));
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

enum { BEGINS = 1, IS_MAIN };

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

uint32_t frames_function(struct frames *frames, const char *name, uint32_t object,
			 enum frame_kind kind)
{
	uint32_t function = profile_function(frames->profile, name, object, kind);

	if (function >= frames->begins.len) { /* a new one */
		while (frames->begins.len <= function)
			vec_push(&frames->begins);
		frames->begins.data[function] = begins_stacks(name)	? BEGINS
						: !strcmp(name, "main") ? IS_MAIN
									: 0;
	}
	return function;
}

/* The function of a symbol; many addresses in turn are of one. */
static uint32_t function_of(struct frames *frames, const struct object *object, uint32_t id,
			    const char *name)
{
	struct recent_name *recent =
		&frames->names[idmap_hash((uintptr_t)name) & (RECENT_NAMES - 1)];

	if (recent->name != name || recent->object != id)
		*recent = (struct recent_name){
			.name = name,
			.object = id,
			.function = frames_function(frames, name, id, frame_kind(object)),
		};
	return recent->function;
}

static uint32_t name_place(struct frames *frames, const struct mapping *mapping,
			   struct frame_object *known, uint64_t offset)
{
	const struct object *object = machine_object(frames->machine, mapping->object);
	struct symbol symbol;

	if (object->kind == OBJECT_KSYMBOL)
		return frames_function(frames, object->name, known->id, FRAME_KERNEL);
	if (known->dso && dso_find(known->dso, offset, &symbol))
		return function_of(frames, object, known->id, symbol.name);
	if (known->unknown == NO_FUNCTION)
		known->unknown = frames_function(frames, UNKNOWN_NAME, known->id, FRAME_UNKNOWN);
	return known->unknown;
}

/* Whether what has no name by now will never have one (symbol/symbol.h). */
static bool is_final(const struct frames *frames, const struct mapping *mapping,
		     const struct frame_object *known)
{
	return !known->dso ||
	       (dso_state(known->dso) != DSO_MISSING &&
		machine_object(frames->machine, mapping->object)->kind != OBJECT_ANON);
}

/* The function at a place, named when it is first met. */
static void fill_place(struct frames *frames, const struct thread *thread, const struct address *at)
{
	struct frame_object *known = object_of(frames, at->mapping, thread);
	size_t before = frames->profile->leaves.len;
	uint32_t leaf = profile_leaf(frames->profile, known->id, at->offset);
	uint32_t function = frames->profile->leaves.data[leaf].function;
	uint32_t nameless_in = 0;

	if (function == NO_FUNCTION) {
		naming_dso(&frames->naming, at->mapping, thread); /* it may reach a missing file */
		function = name_place(frames, at->mapping, known, at->offset);
		if (function != known->unknown || is_final(frames, at->mapping, known))
			frames->profile->leaves.data[leaf].function = function;
		else
			nameless_in = machine_space(frames->machine, thread, at->mode);
		frames->unsettled |= nameless_in != 0;
		frames->late |= leaf < before && function != known->unknown;
	}
	if (!nameless_in && function == known->unknown)
		nameless_in = NAMELESS_EVERYWHERE;
	*at->place = (struct recent_place){
		.offset = at->offset,
		.object = at->mapping->object + 1,
		.leaf = leaf,
		.function = function,
		.nameless_in = nameless_in,
		.reused = machine_object(frames->machine, at->mapping->object)->kind ==
				  OBJECT_ANON &&
			  known->dso && dso_is_reused(known->dso, at->offset),
	};
}

static bool is_at(const struct recent_place *place, const struct address *at)
{
	return place->offset == at->offset && place->object == at->mapping->object + 1;
}

/* What has no name now may have one when another process meets it (symbol/symbol.h). */
static bool is_known(const struct frames *frames, const struct thread *thread,
		     const struct address *at)
{
	uint32_t nameless_in = at->place->nameless_in;

	return is_at(at->place, at) &&
	       (!nameless_in || nameless_in == NAMELESS_EVERYWHERE ||
		nameless_in == machine_space(frames->machine, thread, at->mode));
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
 * part that it is in (user stacks only), or begin beside it (precise events).  As perf does, an
 * unwound part is limited for itself: so many frames of the kernel and so many of the program.
 */
static void gather(const struct sample *sample, struct frames_walk *walk)
{
	struct address *into = walk->addresses;
	bool apart = sample->chain_origin.unwound;
	size_t count = 0, part = 0, limit = apart ? 2 * FRAMES_MAX : FRAMES_MAX;
	uint8_t mode = sample->cpumode;

	for (uint64_t i = 0; i < sample->chain_len && count < limit; i++) {
		uint64_t address = sample->chain[i];

		if (address >= (uint64_t)PERF_CONTEXT_MAX) {
			mode = mode_of_context(address, mode);
			part = apart ? 0 : part;
			continue;
		}
		if (part == FRAMES_MAX)
			continue;
		if (!count && sample->ip && mode != sample->cpumode)
			into[count++] = (struct address){ .address = sample->ip,
							  .mode = sample->cpumode };
		else if (!count && sample->ip)
			address = sample->ip;
		into[count++] = (struct address){ .address = address, .mode = mode };
		part++;
	}
	if (!count)
		into[count++] = (struct address){ .address = sample->ip, .mode = sample->cpumode };
	walk->count = count;
}

/*
 * Whether the kernel stopped at the most that it records.  What it was then is seldom in the file
 * (sample_max_stack); else it is the default, or what this machine has.
 */
static bool is_at_limit(const struct frames *frames, const struct sample *sample)
{
	uint64_t addresses = 0;

	for (uint64_t i = 0; i < sample->chain_len; i++)
		addresses += sample->chain[i] < (uint64_t)PERF_CONTEXT_MAX;
	return addresses > FRAMES_MAX ||
	       (frames->stack_limit ? addresses == frames->stack_limit
				    : addresses == DEFAULT_MAX_STACK ||
					      (addresses && addresses == frames->host_limit));
}

void frames_begin(struct frames *frames, struct frames_walk *walk, const struct sample *sample,
		  const struct thread *thread)
{
	gather(sample, walk);
	walk->unwound = sample->chain_origin.unwound;
	walk->deep = walk->unwound ? sample->chain_origin.deep : is_at_limit(frames, sample);
	walk->expands = frames->inlining == INLINE_ALL ||
			(frames->inlining == INLINE_UNWOUND && walk->unwound);
	for (size_t i = 0; i < walk->count; i++) {
		struct address *at = &walk->addresses[i];

		at->mapping = naming_mapping(&frames->naming, thread, at->mode, at->address);
		if (!at->mapping)
			continue;
		at->offset = mapping_offset(at->mapping, at->address);
		at->place = &frames->places[idmap_hash(at->offset ^ (uint64_t)at->mapping->object
									    << 40) &
					    frames->recent_mask];
		__builtin_prefetch(at->place);
	}
	/* A frame that points to itself is followed to the limit, and yet the stack is not deep. */
	if (!walk->unwound && !walk->addresses[walk->count - 1].mapping)
		walk->deep = false;
}

/* Asks for one step on the way to those that were not met lately. */
static void prefetch_leaves(const struct frames *frames, const struct frames_walk *walk,
			    void (*prefetch)(const struct profile *, uint32_t, uint64_t))
{
	for (size_t i = 0; i < walk->count; i++) {
		const struct address *at = &walk->addresses[i];

		if (at->mapping && !is_at(at->place, at) &&
		    at->mapping->object < frames->objects.len)
			prefetch(frames->profile, frames->objects.data[at->mapping->object].id,
				 at->offset);
	}
}

void frames_look(const struct frames *frames, const struct frames_walk *walk)
{
	prefetch_leaves(frames, walk, profile_leaf_prefetch);
}

void frames_look_closer(const struct frames *frames, const struct frames_walk *walk)
{
	prefetch_leaves(frames, walk, profile_leaf_prefetch_row);
}

/* What is known of an address; NULL if it is in no mapping. */
static const struct recent_place *look_up(struct frames *frames, const struct thread *thread,
					  const struct address *at)
{
	if (!at->mapping)
		return NULL;
	if (!is_known(frames, thread, at))
		fill_place(frames, thread, at);
	return at->place;
}

/* Where a sample fell, which is kept even if it is in no mapping. */
static uint32_t leaf_of(struct frames *frames, const struct recent_place *place,
			const struct address *at)
{
	uint32_t nowhere;

	if (place)
		return place->leaf;
	nowhere = nowhere_in(frames, at->mode);
	return profile_leaf(frames->profile, frames->profile->functions.data[nowhere].object,
			    at->address);
}

static void mark(uint8_t *flags, bool cut, bool deep, const struct chain_origin *origin)
{
	if (cut && deep)
		*flags |= STACK_TOO_DEEP;
	if (origin->spliced)
		*flags |= STACK_SPLICED;
	if (cut)
		*flags |= STACK_CUT;
	if (cut && origin->short_copy)
		*flags |= STACK_SHORT_COPY;
	if (cut && origin->no_rules)
		*flags |= STACK_NO_TABLE;
}

static struct recent_stack *recent_stack(const struct frames *frames, uint64_t hash)
{
	return &frames->stacks[hash >> 40 & frames->recent_mask];
}

/* Only what user programs run is unwound; the kernel's part is walked. */
static bool expands(const struct frames *frames, const struct frames_walk *walk, size_t i)
{
	if (walk->addresses[i].mode == PERF_RECORD_MISC_USER)
		return walk->expands;
	return walk->addresses[i].mode == PERF_RECORD_MISC_KERNEL && frames->inlining == INLINE_ALL;
}

/* Whether it is behind the call and not the call itself. */
static bool is_returned_to(const struct frames_walk *walk, size_t i)
{
	return i && (!walk->unwound || walk->addresses[i].mode == PERF_RECORD_MISC_KERNEL);
}

void frames_name(struct frames *frames, struct frames_walk *walk, const struct thread *thread)
{
	uint64_t hash = 0;
	size_t kept = 0, first;

	walk->lost_way = false;
	for (size_t i = 0; i < walk->count; i++) {
		const struct recent_place *place = look_up(frames, thread, &walk->addresses[i]);
		uint32_t nowhere;

		if (!i) {
			walk->result.leaf = leaf_of(frames, place, &walk->addresses[0]);
			walk->result.unknown = !place || place->nameless_in;
			walk->result.reused = place && place->reused;
		}
		/* Where the kernel hides its mapping, its own walk was right all the same. */
		walk->lost_way |= !place && walk->addresses[i].mode != PERF_RECORD_MISC_KERNEL;
		walk->result.mapless = walk->lost_way && !thread->process->maps->list.len;
		/* Addresses that lead nowhere, one after another, are one unknown frame. */
		nowhere = place ? NO_FUNCTION : nowhere_in(frames, walk->addresses[i].mode);
		walk->addresses[i].kept = (uint16_t)(kept ? kept - 1 : 0);
		if (!place && kept && walk->functions[kept - 1] == nowhere)
			continue;
		first = kept;
		if (place && expands(frames, walk, i))
			kept = frames_expand(frames, place, is_returned_to(walk, i),
					     walk->functions, kept);
		walk->addresses[i].kept = (uint16_t)kept;
		walk->functions[kept++] = place ? place->function : nowhere;
		for (; first < kept; first++)
			hash = ((hash << 27 | hash >> 37) ^ walk->functions[first]) *
			       0x9e3779b97f4a7c15u;
	}
	walk->kept = kept;
	walk->hash = (hash ^ hash >> 32 ^ kept) | 1;
	__builtin_prefetch(recent_stack(frames, walk->hash));
}

/* The stack of the functions. */
static uint32_t stack_of(struct frames *frames, const struct frames_walk *walk)
{
	struct recent_stack *recent = recent_stack(frames, walk->hash);

	if (recent->hash != walk->hash) {
		uint32_t stack = STACK_ROOT;

		for (size_t i = walk->kept; i-- > 0;)
			stack = profile_stack(frames->profile, stack,
					      walk->functions[i] & ~FUNCTION_INLINED,
					      walk->functions[i] & FUNCTION_INLINED);
		*recent = (struct recent_stack){ walk->hash, stack };
	}
	return recent->stack;
}

/* What its file says of an address of a program, each asked for once. */
static enum unwind_pointer pointer_at(struct frames *frames, const struct address *at, bool called)
{
	const struct frame_object *object = &frames->objects.data[at->mapping->object];
	bool kept = is_at(at->place, at);
	uint8_t *known = called ? &at->place->called_pointer : &at->place->pointer;
	enum unwind_pointer pointer;

	if (kept && *known)
		return *known;
	pointer = object->dso ? unwinding_pointer(frames->unwinding, object->dso,
						  at->offset - called, called)
			      : POINTER_UNKNOWN;
	if (kept)
		*known = (uint8_t)pointer;
	return pointer;
}

/* Whether an unwinder could not go on from there, either. */
static bool lacks_rules(const struct frames *frames, const struct address *at, bool called)
{
	struct dso *dso = frames->objects.data[at->mapping->object].dso;

	return dso && unwinding_lacks_rules(frames->unwinding, dso, at->offset - called);
}

static void mark_skip(struct frames *frames, const struct address *at, bool called, uint32_t stack,
		      struct frames_stack *result)
{
	frames->profile->stacks.flags[stack] |= STACK_SKIPS;
	if (result->skips)
		return;
	result->skip_object =
		frames->profile->functions.data[frames->profile->stacks.function[stack]].object;
	result->tableless = lacks_rules(frames, at, called);
	result->skips = true;
	result->unclear = false;
}

/* A program's file can be looked into, if it is there; what a runtime makes nobody keeps. */
static void note_unclear(const struct frames *frames, const struct address *at,
			 struct frames_stack *result)
{
	if (result->skips || result->unclear ||
	    machine_object(frames->machine, at->mapping->object)->kind != OBJECT_FILE)
		return;
	result->unclear = true;
	result->skip_object = frames->objects.data[at->mapping->object].id;
}

/*
 * The kernel takes the return address beside the frame pointer for the caller's.  Code that has not
 * set up its own (a leaf function without a frame, a prologue, a library that was built without)
 * still has its caller's there, and so the caller itself is missing.  Marks such frames.
 */
static void mark_skips(struct frames *frames, const struct frames_walk *walk,
		       struct frames_stack *result)
{
	uint32_t stack = result->stack;
	bool called = false;
	enum unwind_pointer pointer;
	size_t kept = 0;

	for (size_t i = 0; i + 1 < walk->count; i++) {
		const struct address *at = &walk->addresses[i];

		if (at->mode != PERF_RECORD_MISC_USER)
			continue;
		if (!at->mapping ||
		    frames->begins.data[walk->functions[at->kept] & ~FUNCTION_INLINED] == BEGINS)
			break;
		pointer = pointer_at(frames, at, called);
		if (pointer == POINTER_NOT_SET) {
			for (; kept < at->kept; kept++)
				stack = frames->profile->stacks.parent[stack];
			mark_skip(frames, at, called, stack, result);
		} else if (pointer == POINTER_UNKNOWN) {
			note_unclear(frames, at, result);
		}
		called = true;
	}
}

/*
 * Whether a stack that was followed by frame pointers has come to where programs begin, although
 * that has no name: rules say that nobody calls it, or what it called is main.
 */
static bool begins_unnamed(struct frames *frames, const struct frames_walk *walk)
{
	const struct address *last = &walk->addresses[walk->count - 1];

	if (!last->mapping || walk->unwound || !frames->unwinding ||
	    frames->profile->functions.data[walk->functions[walk->kept - 1]].kind != FRAME_UNKNOWN)
		return false;
	return (walk->kept > 1 &&
		frames->begins.data[walk->functions[walk->kept - 2] & ~FUNCTION_INLINED] ==
			IS_MAIN) ||
	       pointer_at(frames, last, walk->count > 1) == POINTER_ROOT;
}

/* Whether the frame lacks rules where the way was lost: before the first address that leads
 * nowhere, or at the last one. */
static bool lost_without_rules(const struct frames *frames, const struct frames_walk *walk)
{
	const struct address *at = NULL;
	bool called = false;

	for (size_t i = 0; i < walk->count && (walk->addresses[i].mapping || !at); i++)
		if (walk->addresses[i].mode == PERF_RECORD_MISC_USER &&
		    walk->addresses[i].mapping) {
			called = at != NULL;
			at = &walk->addresses[i];
		}
	return at && lacks_rules(frames, at, called);
}

/* Whether it has come to where programs begin, whatever the registers held there: no library keeps
 * a frame pointer for what comes before. */
static bool has_begun(const struct frames *frames, const struct frames_walk *walk)
{
	for (size_t i = 0; i < walk->count; i++) {
		const struct address *at = &walk->addresses[i];

		if (at->mode == PERF_RECORD_MISC_KERNEL)
			continue;
		if (!at->mapping)
			return false;
		if (frames->begins.data[walk->functions[at->kept] & ~FUNCTION_INLINED] == BEGINS)
			return true;
	}
	return false;
}

struct frames_stack frames_end(struct frames *frames, const struct frames_walk *walk,
			       const struct sample *sample)
{
	const struct chain_origin *origin = &sample->chain_origin;
	struct frames_stack result = walk->result;
	bool user = walk->addresses[walk->count - 1].mode == PERF_RECORD_MISC_USER;

	/* In a stripped program _start has no name, but its rules say that nobody calls it. */
	result.cut = sample->chain &&
		     (walk->lost_way ||
		      (user && !origin->whole && !begins_unnamed(frames, walk))) &&
		     !has_begun(frames, walk) && !origin->left_out && !origin->kernel_only;
	result.off_map = walk->lost_way;
	result.stack = stack_of(frames, walk);
	mark(&frames->profile->stacks.flags[result.stack], result.cut, walk->deep, origin);
	if (!sample->chain || walk->unwound || !frames->unwinding || origin->left_out ||
	    origin->kernel_only)
		return result;
	if (!result.cut)
		mark_skips(frames, walk, &result);
	else if (!walk->deep && lost_without_rules(frames, walk))
		frames->profile->stacks.flags[result.stack] |= STACK_NO_TABLE;
	return result;
}

bool frames_ask_again(struct frames *frames)
{
	if (!frames->unsettled)
		return false;
	frames->unsettled = false;
	for (size_t i = 0; i <= frames->recent_mask; i++)
		if (frames->places[i].nameless_in &&
		    frames->places[i].nameless_in != NAMELESS_EVERYWHERE)
			frames->places[i].object = 0;
	return true;
}

/* Leaves without a function of one of these, asked for once more. */
static bool has_name_now(const struct profile *profile, const struct frame_object *object)
{
	struct symbol symbol;

	vec_each (leaf, &profile->leaves)
		if (leaf->function == NO_FUNCTION && leaf->object == object->id &&
		    dso_find(object->dso, leaf->offset, &symbol))
			return true;
	return false;
}

bool frames_named_late(struct frames *frames)
{
	vec_each (object, &frames->objects) {
		if (frames->late)
			break;
		if (!object->known || !object->dso || dso_kind(object->dso) != DSO_JIT)
			continue;
		dso_look_again(object->dso);
		frames->late = has_name_now(frames->profile, object);
	}
	return frames->late;
}

void frames_update_states(struct frames *frames)
{
	vec_each (object, &frames->objects)
		if (object->known && object->dso)
			frames->profile->objects.data[object->id].state =
				(uint8_t)dso_state(object->dso);
}
