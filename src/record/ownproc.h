/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which processes are perfolio's own: a server's guard, supervisor, web side, analysers and
 * recorders, whoever started them.  Their memory holds passwords and sessions, so no recording may
 * take copies of it (record/tuck leaves those out).
 *
 * A process is ours while its program is called perfolio, is the same file as ours, or while it
 * calls itself so (prctl).  A name can be faked, but that only leaves somebody out.  What runs
 * already is looked up in /proc; then FORK, COMM and MMAP records tell, which the kernel writes
 * before the task runs on, though perhaps into another CPU's ring.  So before samples are judged,
 * all rings are looked through for such records, and what they say holds from their time on: a
 * child of ours that has become another program was still ours before.
 *
 * Who records a perfolio command on purpose (-p, or as the program) gets copies of it, but never of
 * a server's processes.
 */
#ifndef RECORD_OWNPROC_H
#define RECORD_OWNPROC_H

#include "perfdata/writer.h"
#include "record/ring.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct ownproc;

struct ownproc_options {
	const char *proc; /* NULL: /proc */
	bool asked_for;	  /* recorded on purpose: only a server's processes count as ours */
};

struct ownproc *ownproc_new(const struct ownproc_options *options,
			    const struct perf_writer_attr *attrs, size_t count);
void ownproc_free(struct ownproc *own);

/* Learns what runs at present; without it, each is looked up when its first sample comes. */
void ownproc_scan(struct ownproc *own);

/* Learns what all rings tell of so far. */
void ownproc_look(struct ownproc *own, const struct ring *rings, size_t count);

/* Whether it is a server's at present. */
bool ownproc_is_servers(pid_t pid);

/* Whether the process was ours then; time 0: at any time.  Who can't be told is ours. */
bool ownproc_was(struct ownproc *own, pid_t pid, uint64_t time);

/* Two threads may judge samples: each holds the lock meanwhile.  ownproc_look takes it itself. */
void ownproc_lock(struct ownproc *own);
void ownproc_unlock(struct ownproc *own);

#endif
