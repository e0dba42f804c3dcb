/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The callers of a thread, out of its registers and a copy of its stack.
 *
 * Which object an address belongs to is asked of the caller, who knows the mappings at that moment;
 * rules come from unwind/object.h, once for each object.
 *
 * An unwinder belongs to one thread.  Other threads have unwinders that follow it: they are told
 * which objects it has opened, and leave to it (UNWIND_LATER) what needs another one.
 */
#ifndef UNWIND_UNWIND_H
#define UNWIND_UNWIND_H

#include "unwind/step.h"

struct dso;
struct unwind_share;
struct unwinder;

#define UNWIND_FRAMES_MAX 1024

/* What a pc lies in. */
struct unwind_place {
	struct dso *dso;   /* NULL: no file, as a JIT's code */
	uint64_t file_off; /* in the object's file */
	/* For an unwinder that follows, in place of dso: what it was told, and a number for it. */
	const struct unwind_share *share;
	uint32_t number;
	bool later; /* it was not told yet */
	bool data;  /* nothing there can run */
};

struct unwind_space {
	bool (*find)(void *context, uint64_t pc, struct unwind_place *place);
	void *context;
};

struct unwind_input {
	enum unwind_arch arch;
	uint64_t mask; /* of registers, in perf's numbers */
	const uint64_t *values;
	const void *stack;
	uint64_t stack_size;
	/* The return addresses that the kernel followed by frame pointers, leaf first, if any. */
	const uint64_t *chain;
	uint64_t chain_len;
};

enum unwind_how {
	UNWIND_BY_RULES,   /* the first frame too */
	UNWIND_BY_POINTER, /* its callee has no rules, but a frame pointer */
	UNWIND_SPLICED,	   /* from the kernel's chain, where the copy had ended */
};

struct unwind_frame {
	/*
	 * Where its code was: the sampled or interrupted instruction, else the last byte of the
	 * call, since what follows a call may be another function.
	 */
	uint64_t address;
	uint8_t how; /* enum unwind_how */
};

struct unwound {
	struct unwind_frame frames[UNWIND_FRAMES_MAX];
	size_t count;
	enum unwind_result end; /* why there are no more; never UNWIND_STEPPED */
};

struct unwinder *unwinder_new(void);
void unwinder_free(struct unwinder *unwinder);

/* What others may know of an object by now; false if there is nothing yet, or no file. */
bool unwinder_share(const struct unwinder *unwinder, const struct dso *dso,
		    struct unwind_share *share);
/* Another number after every change of what that tells. */
unsigned unwinder_changes(const struct unwinder *unwinder);

/* Whether a frame pointer leads from code to its caller. */
enum unwind_pointer {
	POINTER_UNASKED,
	POINTER_UNKNOWN, /* nothing tells */
	POINTER_SET,
	POINTER_ROOT,	 /* it has no caller, and its rules say so */
	POINTER_NOT_SET, /* what it holds there is still the caller's own, or no frame pointer */
};

/*
 * The same for a place of an object, by its unwinding rules; by its instructions where those do not
 * tell.  called: it is the last byte of a call, else an instruction begins there.
 */
enum unwind_pointer unwinder_pointer(struct unwinder *unwinder, struct dso *dso, uint64_t file_off,
				     bool called);

/* Whether its file is there, and has no unwinding rules for that place. */
bool unwinder_lacks_rules(struct unwinder *unwinder, struct dso *dso, uint64_t file_off);

/* At least the frame of the registers themselves comes out, unless they have no pc. */
void unwinder_run(struct unwinder *unwinder, const struct unwind_input *input,
		  const struct unwind_space *space, struct unwound *unwound);

/*
 * The architecture of a sample's registers, by the recorded machine's name ("aarch64"; NULL: this
 * one's) and their ABI (PERF_SAMPLE_REGS_ABI_32, _64).  False if it is one that is not unwound.
 */
bool unwind_arch_of(const char *machine, uint64_t abi, enum unwind_arch *arch);

#endif
