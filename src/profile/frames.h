/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From raw addresses to functions of a profile: the part of building that knows mappings and names.
 */
#ifndef PROFILE_FRAMES_H
#define PROFILE_FRAMES_H

#include "machine/unwinding.h"
#include "perfdata/sample.h"
#include "profile/profile.h"

/*
 * What lies further out than this is not looked at.  perf looks at as many as the kernel records,
 * kernel.perf_event_max_stack, of which 127 is the default: who raised that wants to see more.
 */
#define FRAMES_MAX 1024

/* An object of the machine, as the profile and the symbols know it. */
struct frame_object {
	struct dso *dso;  /* NULL: nothing names its code */
	uint32_t id;	  /* in the profile */
	uint32_t unknown; /* its function without a name; NO_FUNCTION: not made yet */
	bool known;	  /* all of the above is set */
};

/* A place in an object that was met lately. */
struct recent_place {
	uint64_t offset;
	uint32_t object; /* the machine's index and 1 more; 0: empty */
	uint32_t function, leaf;
	uint32_t nameless_in; /* the space of mappings that gave it no name; 0: it has one */
	uint8_t pointer; /* enum unwind_pointer: of the code there, and of where it was called */
	uint8_t called_pointer;
	bool reused; /* a JIT had several functions there */
};

/* A stack that was met lately, by a hash of its functions. */
struct recent_stack {
	uint64_t hash; /* 0: empty */
	uint32_t stack;
};

#define NAMELESS_EVERYWHERE UINT32_MAX /* and it never will have one */

/* A name that a function was found by lately: the address of the text is as good as the text. */
struct recent_name {
	const char *name;
	uint32_t object, function;
};

#define RECENT_NAMES (1u << 12)
#define RECENT_MOST  (1u << 14) /* places and stacks each */
#define RECENT_LEAST (1u << 10)

struct frames {
	struct profile *profile;
	struct machine *machine;
	struct naming naming;
	struct unwinding *unwinding; /* knows where code has its frame pointer set up; or NULL */
	size_t stack_limit; /* addresses that the recorder allowed a chain to have; 0: not known */
	size_t host_limit;  /* and those that this machine allows */
	VEC(struct frame_object) objects; /* by the machine's index */
	size_t recent_mask; /* one less than there are of both of these, a power of two */
	struct recent_place *places;
	struct recent_stack *stacks;
	struct recent_name *names;
	bool unsettled;		 /* some have no name that may have one later */
	bool late;		 /* some got theirs after samples had been counted without it */
	VEC(uint8_t) begins;	 /* for each function: a stack may begin with it */
	uint32_t nowhere[SIDES]; /* the function of unmapped addresses, by enum profile_side */
	enum inlining inlining;
	/* For each leaf, as sampled and as where a call returns to: 1 + where its list begins. */
	VEC(uint32_t) expansions;
	VEC(uint32_t) inlined; /* lists: a length, and functions, the innermost first */
};

struct frames_stack {
	uint32_t stack, leaf;
	bool cut, unknown;    /* not followed to its beginning; the leaf has no name */
	bool skips;	      /* a caller is missing: STACK_SKIPS */
	bool tableless;	      /* then: its code has no unwinding rules, either */
	bool unclear;	      /* none is known to be, and of some code nothing tells */
	uint32_t skip_object; /* of both: the object of that code, the innermost where several */
	bool reused;	      /* the leaf's address was that of several functions */
	bool off_map;	      /* an address of the program is in no mapping */
	bool mapless;	      /* nor is any other: its process has none */
};

/* An address of a stack, on its way to a name. */
struct address {
	uint64_t address;
	uint8_t mode;		       /* PERF_RECORD_MISC_* */
	uint16_t kept;		       /* which of the functions it became */
	const struct mapping *mapping; /* NULL: in none */
	uint64_t offset;	       /* in the mapping's object */
	struct recent_place *place;    /* where it is to be found, if it was met lately */
};

#define FUNCTION_INLINED (1u << 31)		/* ids have 31 bits */
#define KEPT_MAX	 (2 * FRAMES_MAX + 258) /* frames with what is inlined in them */

struct frames_walk {
	size_t count, kept;
	struct address addresses[2 * FRAMES_MAX + 1]; /* leaf first */
	uint32_t functions[KEPT_MAX];		      /* so many are kept; with FUNCTION_INLINED */
	bool expands, unwound;			      /* inlined functions are asked for */
	uint64_t hash;				      /* of those */
	bool lost_way;				      /* some of a program lead nowhere */
	bool deep; /* as many addresses as the kernel takes: there may have been more */
	struct frames_stack result;
};

/* For about so many samples. */
void frames_init(struct frames *frames, struct profile *profile, struct machine *machine,
		 struct symbol_store *store, uint64_t samples);
void frames_fini(struct frames *frames);

/*
 * The stack of a sample, new frames added to the profile.  In five steps, since each waits for
 * memory that the one before has asked for: whoever has many samples begins with the next ones
 * meanwhile.  No mapping may change between them.
 */
void frames_begin(struct frames *frames, struct frames_walk *walk, const struct sample *sample,
		  const struct thread *thread);
void frames_look(const struct frames *frames, const struct frames_walk *walk);
void frames_look_closer(const struct frames *frames, const struct frames_walk *walk);
void frames_name(struct frames *frames, struct frames_walk *walk, const struct thread *thread);
struct frames_stack frames_end(struct frames *frames, const struct frames_walk *walk,
			       const struct sample *sample);

/* A function of an object of the profile. */
uint32_t frames_function(struct frames *frames, const char *name, uint32_t object,
			 enum frame_kind kind);

/*
 * Puts what is inlined at a place behind the `kept` functions, and gives their number then.  Where
 * a call has returned to its own code has ended, so the byte before is asked for; unwound addresses
 * are that already.
 */
size_t frames_expand(struct frames *frames, const struct recent_place *place, bool returned,
		     uint32_t *functions, size_t kept);

/*
 * What had no name that it may have by now (a JIT's list has grown) will be asked for again.  True
 * if there was such: stacks that were remembered may have more names then.
 */
bool frames_ask_again(struct frames *frames);

/*
 * Whether some had no name when they were first met and have one by now: reading all of it again
 * with the same symbols would name those, too.
 */
bool frames_named_late(struct frames *frames);

/* Gives the leaves their source lines, if the symbols' options want that. */
void frames_find_lines(struct frames *frames);

/* Tells the profile how reading each object went. */
void frames_update_states(struct frames *frames);

#endif
