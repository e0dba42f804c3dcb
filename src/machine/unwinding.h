/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples that carry a copy of the stack (--call-graph dwarf) get the call chain that it holds.
 *
 * Give it each sample before anybody looks at its chain; ask as of now, like the machine itself.
 */
#ifndef MACHINE_UNWINDING_H
#define MACHINE_UNWINDING_H

#include "machine/naming.h"
#include "unwind/unwind.h"

struct perf_reader;
struct sample;

struct unwinding {
	struct naming *naming; /* without a store nothing is unwound */
	struct perf_reader *reader;
	bool needs_file; /* as perf: no user frame at all if the innermost one is of no file */
	struct unwinder *unwinder; /* NULL: none was needed yet */
	char *machine;		   /* the recorded one's, as uname says it; NULL: not told */
	VEC(uint64_t) chain;
	struct unwound unwound;
};

void unwinding_init(struct unwinding *unwinding, struct naming *naming, struct perf_reader *reader);
void unwinding_fini(struct unwinding *unwinding);

/*
 * If the sample has registers and a piece of stack, puts another chain into it, which holds until
 * the next call: the kernel's part as it was, then the unwound frames in place of the user's, each
 * but the first and interrupted ones with the address of its call's last byte, as perf has them.
 * False if there is nothing to unwind.
 */
bool unwinding_apply(struct unwinding *unwinding, const struct thread *thread,
		     struct sample *sample);

#endif
