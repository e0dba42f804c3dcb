/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples with a copied stack have the user's call chain too, which goes on where a copy ends too
 * early.  perf would show it beside the frames that it unwinds itself: every one twice.  So on its
 * way to the file the chain is tucked away behind the copy, in room that is told to be for the
 * stack and is not used by it (struct sample: user_chain).  What the kernel left empty of the
 * copy's own room goes: of large copies only the stack that there was takes space in the file.
 *
 * Samples of perfolio's own processes (record/ownproc.h) lose here what was copied of their memory:
 * the stack, registers and raw data.  They look then as those of kernel threads do, of which the
 * kernel has neither.
 *
 * The kernel lets nobody write to a ring's records, so they are copied to a buffer first, which is
 * small enough to stay in the CPU's cache until it is written.
 */
#ifndef RECORD_TUCK_H
#define RECORD_TUCK_H

#include "perfdata/writer.h"
#include "record/ownproc.h"
#include "record/ring.h"

struct tuck;

/* Whether samples of these events hold anything of a process's memory. */
bool tuck_holds_memory(const struct perf_writer_attr *attrs, size_t count);

/* NULL if nothing has to be changed; freeing that is fine.  own may be NULL: nobody is left out. */
struct tuck *tuck_new(const struct perf_writer_attr *attrs, size_t count, struct ownproc *own);
void tuck_free(struct tuck *tuck);

/* How many samples lost their copies. */
uint64_t tuck_blanked(const struct tuck *tuck);

/*
 * Some of the records from position *at on, as they are to be written; *at moves on.  How many
 * parts they are, 0 at the view's end.  What these lead to holds until the next call.
 */
int tuck_next(struct tuck *tuck, const struct ring_view *view, uint64_t *at, struct iovec parts[2]);

/* Changes records in a piece of memory; their new size, which is no larger. */
size_t tuck_records(struct tuck *tuck, void *records, size_t size);

#endif
