/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples to unwind, in batches for a pool of threads; a part of machine/unwinding.h.
 *
 * A batch brings along what its threads may know: the mappings, which do not change meanwhile, and
 * a catalogue of the objects that are open by then.
 */
#ifndef MACHINE_UNWINDPOOL_H
#define MACHINE_UNWINDPOOL_H

struct unwinding;
struct unwinding_job;

/* Puts it into a batch, and that to the pool once it is full. */
void unwindpool_add(struct unwinding *unwinding, struct unwinding_job *job);
/* Returns with the job done. */
void unwindpool_take(struct unwinding *unwinding, struct unwinding_job *job);
void unwindpool_fini(struct unwinding *unwinding);

/* In this thread, with everything that it takes. */
void unwinding_run(struct unwinding *unwinding, struct unwinding_job *job);

#endif
