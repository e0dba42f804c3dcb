/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples that carry a copy of the stack (--call-graph dwarf) get the call chain that it holds.
 *
 * Give it each sample before anybody looks at its chain.  Who can wait begins with many and ends
 * them in the same order: threads unwind meanwhile, as many as there are CPUs.  They only look:
 * what needs a file that was not opened before is left to who ends the sample, so that everything
 * comes out as if one sample had been taken after the other.  Between a sample's beginning and end
 * the machine takes no records.
 */
#ifndef MACHINE_UNWINDING_H
#define MACHINE_UNWINDING_H

#include "base/pool.h"
#include "machine/naming.h"
#include "unwind/unwind.h"

struct perf_reader;
struct sample;
struct unwinding_batch;
struct unwinding_catalog;

/* One sample on its way; the caller's to keep, zeroed at first, and to give back. */
struct unwinding_job {
	const struct thread *thread;
	struct maps *maps;
	struct unwind_input input;
	uint64_t kernel; /* how many entries of the chain come before the user's part */
	bool unwinds;	 /* there is something to unwind */
	struct unwinding_batch *batch; /* NULL: nobody else was asked */
	struct unwound unwound;
	VEC(uint64_t) chain;
};

struct unwinding {
	struct naming *naming; /* without a store nothing is unwound */
	struct perf_reader *reader;
	size_t limit;	  /* frames of a stack at most; 0: as many as are unwound */
	bool needs_file;  /* as perf: no user frame at all if the innermost one is of no file */
	unsigned workers; /* at most so many threads with the caller's; 0: one for each CPU */
	struct unwinder *unwinder; /* NULL: none was needed yet */
	char *machine;		   /* the recorded one's, as uname says it; NULL: not told */
	struct unwinding_job single;
	/* What follows is of machine/unwindpool.h. */
	struct pool *pool;
	struct unwinder *followers[POOL_WORKERS_MAX];
	struct maps_hints hints[POOL_WORKERS_MAX];
	struct unwinding_catalog *catalog;
	bool catalog_is_old;
	struct unwinding_batch *filling;
	VEC(struct unwinding_batch *) unused, all;
};

void unwinding_init(struct unwinding *unwinding, struct naming *naming, struct perf_reader *reader);
/* Whatever was begun has been ended. */
void unwinding_fini(struct unwinding *unwinding);

/* Looks at the sample's registers and stack, which must stay where they are until its end. */
void unwinding_begin(struct unwinding *unwinding, struct unwinding_job *job,
		     const struct thread *thread, const struct sample *sample);
/*
 * If the sample has registers and a piece of stack, puts another chain into it, which holds until
 * the job is used again: the kernel's part as it was, then the unwound frames in place of the
 * user's, each but the first and interrupted ones with the address of its call's last byte, as perf
 * has them.  False if there is nothing to unwind.
 */
bool unwinding_end(struct unwinding *unwinding, struct unwinding_job *job, struct sample *sample);
void unwinding_job_free(struct unwinding_job *job);

/* Whether a frame pointer leads from code of an object to its caller, as far as its file tells. */
enum unwind_pointer unwinding_pointer(struct unwinding *unwinding, struct dso *dso,
				      uint64_t file_off, bool called);
/* Whether copied stacks could not be followed from there, by what its file has. */
bool unwinding_lacks_rules(struct unwinding *unwinding, struct dso *dso, uint64_t file_off);

/* Both at once. */
bool unwinding_apply(struct unwinding *unwinding, const struct thread *thread,
		     struct sample *sample);

#endif
