/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From raw addresses to functions of a profile: the part of building that knows mappings and names.
 */
#ifndef PROFILE_FRAMES_H
#define PROFILE_FRAMES_H

#include "machine/naming.h"
#include "perfdata/sample.h"
#include "profile/profile.h"

/* As perf: what lies further out than this is not looked at. */
#define FRAMES_MAX 127

/* An object of the machine, as the profile and the symbols know it. */
struct frame_object {
	struct dso *dso;  /* NULL: nothing names its code */
	uint32_t id;	  /* in the profile */
	uint32_t unknown; /* its function without a name; NO_FUNCTION: not made yet */
	bool known;	  /* all of the above is set */
};

/* An address of a process, or of the kernel, that was met lately. */
struct recent_address {
	uint64_t address;
	uint32_t space; /* whose, and since which change of its mappings */
	uint32_t function, leaf;
};

#define RECENT_ADDRESSES (1u << 14)

struct frames {
	struct profile *profile;
	struct machine *machine;
	struct naming naming;
	VEC(struct frame_object) objects; /* by the machine's index */
	VEC(uint32_t) named; /* for each of the profile's leaves its function, or NO_FUNCTION */
	struct recent_address *recent;
	VEC(uint8_t) begins; /* for each function: a stack may begin with it */
	uint32_t nowhere;    /* the function of unmapped addresses */
};

struct frames_stack {
	uint32_t stack, leaf;
	bool cut, unknown; /* not followed to its beginning; the leaf has no name */
};

void frames_init(struct frames *frames, struct profile *profile, struct machine *machine,
		 struct symbol_store *store);
void frames_fini(struct frames *frames);

/*
 * The stack of a sample, new frames added to the profile.  The spaces are numbers, never 0, that
 * change whenever a mapping of the thread's process or of the kernel does.
 */
struct frames_stack frames_resolve(struct frames *frames, const struct sample *sample,
				   const struct thread *thread, uint32_t user_space,
				   uint32_t kernel_space);

/* Tells the profile how reading each object went. */
void frames_update_states(struct frames *frames);

#endif
