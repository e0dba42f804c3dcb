/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples with a copied stack have the user's call chain too, which goes on where a copy ends too
 * early.  perf would show it beside the frames that it unwinds itself: every one twice.  So on its
 * way to the file the chain is tucked away behind the copy, in room that is told to be for the
 * stack and is not used by it (struct sample: user_chain).  What the kernel left empty of the
 * copy's own room goes: of large copies only the stack that there was takes space in the file.
 *
 * The kernel lets nobody write to a ring's records, so they are copied to a buffer first, which is
 * small enough to stay in the CPU's cache until it is written.
 */
#ifndef RECORD_TUCK_H
#define RECORD_TUCK_H

#include "perfdata/writer.h"
#include "record/ring.h"

struct tuck;

/* NULL if no event has both; freeing that is fine. */
struct tuck *tuck_new(const struct perf_writer_attr *attrs, size_t count);
void tuck_free(struct tuck *tuck);

/*
 * Some of the records from position *at on, as they are to be written; *at moves on.  False at the
 * view's end.  What *part leads to holds until the next call.
 */
bool tuck_next(struct tuck *tuck, const struct ring_view *view, uint64_t *at, struct iovec *part);

/* Changes records in a piece of memory; their new size, which is no larger. */
size_t tuck_records(struct tuck *tuck, void *records, size_t size);

#endif
