/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one model that every view asks: samples as columns, stacks as a trie, everything interned.
 *
 * Stacks are keyed by (parent, function, inlined), not by address: most addresses of frame-pointer
 * stacks are garbage.  A node's parent always has a smaller id, so sums up the tree are one pass
 * from the last node to the first.  Two events are never added.  A profile grows while it is built
 * (live) and is plain arrays: it can be written to an index file and mapped back (profile/index.h).
 */
#ifndef PROFILE_PROFILE_H
#define PROFILE_PROFILE_H

#include "base/interner.h"
#include "base/vec.h"
#include "profile/budget.h"
#include "symbol/symbol.h"
#include <stdbool.h>
#include <stdint.h>

#define STACK_ROOT  0u /* the node of an empty stack, in every profile */
#define NO_FUNCTION UINT32_MAX

enum frame_kind {
	FRAME_USER,
	FRAME_LIBRARY, /* user code outside the program's own file */
	FRAME_KERNEL,
	FRAME_JIT,
	FRAME_UNKNOWN,
};

/*
 * Where code ran: in the recorded system, or in a virtual machine's kernel or programs.  Of the
 * recorded system the kind of the object tells kernel and programs apart; SIDE_KERNEL is the
 * kernel where nothing but the sample's mode says so, since no mapping holds the address.
 */
enum profile_side { SIDE_HOST, SIDE_GUEST_KERNEL, SIDE_GUEST_USER, SIDE_KERNEL, SIDES };

struct profile_object {
	uint32_t path; /* string */
	uint32_t name; /* string: what tables show, "libc.so.6", and of modules "[ext4]" */
	struct build_id build_id;
	uint8_t kind;  /* enum dso_kind */
	uint8_t state; /* enum dso_state */
	uint8_t side;  /* enum profile_side */
};

struct profile_function {
	uint32_t name; /* string: mangled; UNKNOWN_NAME for none */
	uint32_t object;
	uint8_t kind; /* enum frame_kind */
};

enum stack_flags {
	STACK_INLINED = 1 << 0, /* this frame was inlined into its parent */
	STACK_RECURSIVE =
		1 << 1,	    /* an ancestor is the same function: not counted twice in totals */
	STACK_CUT = 1 << 2, /* below it the stack could not be followed */
	/* for want of unwinding rules; of one that frame pointers did not lead through: unwinding
	 * would not, either */
	STACK_NO_TABLE = 1 << 3,
	STACK_SHORT_COPY = 1 << 4, /* since the copy of the stack ended */
	STACK_SPLICED =
		1 << 5, /* its outer frames are those that the kernel found by frame pointers */
	STACK_TOO_DEEP = 1 << 6, /* cut where the longest recorded chain ends */
	/* Followed by frame pointers, and this code had not set up its own: the next frame is its
	 * caller's caller. */
	STACK_SKIPS = 1 << 7,
};

/* The generation of a thread of which nobody said to which process it belongs; pid is its tid. */
#define GENERATION_UNKNOWN UINT32_MAX

struct profile_thread {
	uint32_t pid, tid;
	uint32_t generation; /* of the process: new at fork and exec */
	uint32_t comm;	     /* string; a thread that renames itself has a row for each name */
};

struct weight_pair {
	uint64_t samples, weight;
};

struct profile_event {
	uint32_t name, unit; /* strings */
	double scale;
	uint64_t samples, weight; /* totals */
	uint64_t lost;		  /* samples that found no room; of several events only where the
				     recording tells them apart */
	/* What the event itself came to while it was sampled, in the unit of weight; 0: unknown. */
	uint64_t counted;
	/* Of virtual machines, which nobody asked for: they are no rows, but part of the whole. */
	uint64_t guest_samples, guest_weight;
	uint64_t scope;		   /* enum profile_scope, as bits */
	struct weight_pair reused; /* at an address that a JIT gave to several functions */
	/* of our own processes, whose stacks are not copied where others' are (record/tuck.h) */
	struct weight_pair left_out;
	/* string: what `samples` counts where it is no samples: "alloc_objects"; "" for samples */
	uint64_t noun;
};

/*
 * An event's samples whose stack is whole but for a caller of the object's code: see STACK_SKIPS.
 * Stacks are kept by function, of which one sample may skip and another not: they are counted one
 * by one.
 */
struct profile_skips {
	uint32_t object, event;
	struct weight_pair sum;
	struct weight_pair tableless; /* of these: that code has no unwinding rules, either */
	struct weight_pair unclear;   /* besides: nothing tells whether they lack one */
};

/* What was left out of the samples on purpose, or for want of permission. */
enum profile_scope {
	SCOPE_NO_KERNEL = 1 << 0,
	SCOPE_NO_USER = 1 << 1,
	/* Nothing left out, but sampled at a rate: the kernel guessed each sample's period. */
	SCOPE_BY_RATE = 1 << 2,
	SCOPE_VOID = 1 << 3, /* it happens only where it was not sampled */
	/* Nothing left out either: it may not happen at all, however long a program runs. */
	SCOPE_SELDOM = 1 << 4,
	SCOPE_FIRST = 1 << 5, /* the first time that it happens gives a sample */
	SCOPE_PROBE = 1 << 6, /* a probe that processes inherit, unless it is of whole CPUs */
	SCOPE_KERNEL_CHAINS = 1 << 8, /* stacks were asked for without their user part */
	SCOPE_ON_EXEC = 1 << 7,	      /* it began with the program: it is not of whole CPUs */
};

/* Samples, a row each; the columns have the same length. */
struct profile_samples {
	size_t len, cap;
	uint64_t *time;	 /* ns, never falling */
	uint32_t *stack; /* leaf node */
	uint32_t *thread;
	uint32_t *leaf;	  /* into leaves: the sampled address itself */
	uint64_t *weight; /* period */
	uint64_t *count;  /* samples that a row stands for; NULL: one each */
	uint16_t *cpu, *event;
};

struct profile_leaf {
	uint32_t object;
	uint32_t function; /* NO_FUNCTION until it is named */
	uint64_t offset;
};

/* Where the source of a leaf is, as strings: "file.c:12", "file.c" and "/src/file.c". */
struct profile_line {
	uint32_t place, file, path;
};

/* The trie's columns; row 0 is STACK_ROOT, its own parent. */
struct profile_stacks {
	size_t len, cap;
	uint32_t *parent, *function;
	uint8_t *flags;
};

/* Names and stacks of an import are those that its file has; nobody knows what it lacks. */
enum profile_origin {
	ORIGIN_RECORDING,
	ORIGIN_SAMPLES,
	ORIGIN_VALUES, /* its events are several values of the same samples */
};

/* What did not come through; all are counts, mostly of samples. */
struct profile_quality {
	uint64_t lost;		  /* samples that found no room in the rings, each counted once */
	uint64_t lost_records;	  /* records of all kinds that found none (LOST) */
	uint64_t lost_samples;	  /* as LOST_SAMPLES tells; mostly the same ones again */
	uint64_t throttled;	  /* times that an event was stopped for coming too often */
	uint64_t out_of_order;	  /* records that came behind younger ones */
	uint64_t damaged;	  /* that do not fit their event's description */
	uint64_t unknown_records; /* of a type or an event that nothing describes */
	uint64_t cut_stacks;	  /* whose stack was not followed to where it begins */
	uint64_t unknown_leaves;  /* whose own function has no name */
	uint64_t stack_copies;	  /* that came with a copy of their stack, to be unwound */
	uint64_t forks;		  /* processes that were started meanwhile, sampled or not */
	uint64_t spawns;	  /* and threads */
	uint64_t damage;	  /* string: what is wrong with the file; "" for nothing */
	uint64_t records_cut;	  /* 1: records are missing because of it */
	/* Of a damaged file's data, as far as that is known; with records not understood. */
	uint64_t bytes_missing;
	uint64_t bytes_all;
	uint64_t cpus_sampled, cpus_online; /* 0: not known */
	uint64_t is_filtered;		    /* tracepoints with --filter */
	uint64_t origin;		    /* enum profile_origin */
	uint64_t without_stack;		    /* that its file has no stack for */
	uint64_t off_map;		    /* with an address of a program that no mapping holds */
	uint64_t mapless;		    /* of those: the process has no mapping at all */
};

/*
 * The CPU time that there was to be sampled, as the recorder counted it; samples times period
 * should come to it.  Recordings of others don't have it.
 */
struct profile_coverage {
	bool known;	  /* cpu_ns is */
	bool idle_known;  /* whole CPUs were sampled, and idle_ns is known */
	bool inherited;	  /* every new process began a period anew, so that short ones are missed */
	bool full;	  /* the file reached its size, and the recording ended with that */
	bool ended;	  /* the program did, by itself: */
	int wait_status;  /* so, by wait(2) */
	uint64_t cpu_ns;  /* of the threads; of whole CPUs all of their time, idle or not */
	uint64_t idle_ns; /* of that, CPUs without work */
};

struct profile {
	struct interner strings;
	VEC(struct profile_object) objects;
	VEC(struct profile_function) functions;
	VEC(struct profile_thread) threads;
	VEC(struct profile_event) events;
	VEC(struct profile_leaf) leaves; /* all addresses that were named, callers' too */
	VEC(struct profile_line) lines;	 /* of the leaves, if they were wanted */
	VEC(struct profile_skips) skips; /* where there are any */
	struct profile_stacks stacks;
	struct profile_samples samples;
	/* What few questions want to know of rows: strings, trait_count of them a row. */
	VEC(uint32_t) traits;
	size_t trait_count;
	struct profile_quality quality;
	struct profile_coverage coverage;
	uint64_t budget[BUDGET_WORDS]; /* as budget_unpack() takes it: also "there is none" */
	struct profile_lookup *lookup; /* what building needs to find things again */
	struct profile_ready *ready;   /* profile/ready.h, or NULL */
	struct profile_file *file;     /* the mapped index that columns lie in, or NULL */
};

#define NO_STACK_NAME "[no stack]" /* in its place, where a file has samples without one */
#define UNKNOWN_NAME  "[unknown]"  /* of a function that has none, and of no object */

/* From when to when: `last` is the last moment of it. */
struct profile_span {
	uint64_t start, last; /* ns */
};

struct profile *profile_new(void);
struct profile *profile_new_bare(void); /* without any row, for those who bring all of them */
void profile_free(struct profile *profile);

/* Each gives the id of what may be there already. */
uint32_t profile_object(struct profile *profile, const char *path, const struct build_id *build_id,
			enum dso_kind kind);
uint32_t profile_object_at(struct profile *profile, const char *path,
			   const struct build_id *build_id, enum dso_kind kind,
			   enum profile_side side);
uint32_t profile_function(struct profile *profile, const char *name, uint32_t object,
			  enum frame_kind kind);
uint32_t profile_thread(struct profile *profile, const struct profile_thread *thread);
uint32_t profile_leaf(struct profile *profile, uint32_t object, uint64_t offset);
/* Soon it will be asked for; first the one, then the other. */
void profile_leaf_prefetch(const struct profile *profile, uint32_t object, uint64_t offset);
void profile_leaf_prefetch_row(const struct profile *profile, uint32_t object, uint64_t offset);

/*
 * The stack that calls `function` from `parent`.  Nothing is inlined into the root, whatever a file
 * says: what is inlined belongs to its parent's figures, and there is none.
 */
uint32_t profile_stack(struct profile *profile, uint32_t parent, uint32_t function, bool inlined);

/* So many rows may come: columns that grow are copied. */
void profile_reserve(struct profile *profile, uint64_t rows);
/* Makes room for about so many; more may come, and fewer. */
void profile_expect(struct profile *profile, size_t functions, size_t stacks, size_t rows);

struct profile_row {
	uint64_t time, weight;
	uint32_t stack, thread, leaf;
	uint16_t cpu, event;
	uint64_t count; /* samples; 0 stands for 1 */
};

/* Rows come in order of time. */
void profile_add(struct profile *profile, const struct profile_row *row);
/* The same for rows that do not; profile_sort puts them in order before anybody asks. */
void profile_add_unsorted(struct profile *profile, const struct profile_row *row);
void profile_sort(struct profile *profile);
/* More samples that differ from those of a row in nothing that is kept. */
void profile_add_to(struct profile *profile, size_t row, uint64_t count, uint64_t weight);

static inline uint64_t profile_row_count(const struct profile_samples *rows, size_t row)
{
	return rows->count ? rows->count[row] : 1;
}

/* Whether a function stands for the stack that a file does not have. */
bool profile_is_no_stack(const struct profile *profile, uint32_t function);

/* Whether it is of the recorded system's kernel, named and mapped or not. */
static inline bool profile_object_is_kernel(const struct profile_object *object)
{
	return object->side == SIDE_KERNEL ||
	       (object->side == SIDE_HOST &&
		(object->kind == DSO_KERNEL || object->kind == DSO_MODULE ||
		 object->kind == DSO_BPF));
}

/* What an event's `samples` are: "samples", or what an import counts in their place. */
const char *profile_noun(const struct profile *profile, size_t event);
/* Of a text that doesn't say what it counts. */
#define UNTOLD_NOUN "counts"

/* The only part of the system that an event was sampled in: "user", "kernel"; NULL: all of it. */
const char *profile_event_sampled(const struct profile_event *event);

/* Whether an event is called so; "cycles" is "cycles:u", too. */
bool profile_event_is(const struct profile *profile, size_t event, const char *name);

/* Whether what it counts is time. */
bool profile_event_is_time(const struct profile *profile, size_t event);

/* The one that is meant where none is named: the first that has samples. */
uint16_t profile_main_event(const struct profile *profile);

static inline const char *profile_text(const struct profile *profile, uint32_t string)
{
	return interner_text(&profile->strings, string);
}

static inline const char *profile_function_name(const struct profile *profile, uint32_t function)
{
	return profile_text(profile, profile->functions.data[function].name);
}

/*
 * What a picture over time shows: from the run's start to its end, by the samples' clock, or from
 * the first sample to the last where those are not known (0) or not of that clock.
 */
struct profile_span profile_span(const struct profile *profile, uint64_t start, uint64_t end);

#endif
