/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the sandbox; jobs/sandbox.h is the door. */
#ifndef JOBS_SANDBOX_INSIDE_H
#define JOBS_SANDBOX_INSIDE_H

#include "jobs/sandbox.h"

/*
 * Files by Landlock: 0, or -ENOSYS where the kernel has none.  What an older kernel can't refuse
 * goes into *missing.
 */
int landlock_web(const char *folder, bool network, struct buf *missing, struct err *err);
int landlock_analyser(const struct sandbox_files *files, struct buf *missing, struct err *err);

/* System calls, in the same way. */
int seccomp_measuring(struct err *err);
int seccomp_role(const struct sandbox *sandbox, struct err *err);
/* Files can be opened for reading only: in place of Landlock. */
int seccomp_reading(struct err *err);
int seccomp_no_names(struct err *err);

#endif
