/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process around the supervisor.  It does nothing but wait: when the supervisor ends, in
 * whatever way, all that it had started is ended too.  What loses its parent becomes the guard's
 * child, so nothing gets away.  If the guard is killed, the supervisor notices and ends, with
 * everything else, in order: whoever started us has seen us go, and may start another server on the
 * same folder.
 */
#ifndef JOBS_GUARD_H
#define JOBS_GUARD_H

struct err;
struct jobgroup;

/*
 * Forks.  In the new process it calls inside(user), and that one's exit status is returned here
 * after everything has ended.  group: of the runs, to be removed.
 */
int guard_run(int (*inside)(void *user), void *user, struct jobgroup *group, struct err *err);

/* Kills all that descends from us, again and again until none is left. */
void guard_sweep(void);

#endif
