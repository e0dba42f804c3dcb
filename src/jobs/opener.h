/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process beside an analyser that opens files for it, to read, and parses none.
 *
 * Landlock keeps the analyser from the data folder by allowing whatever lies beside it (see
 * sandbox_files.c), and so from all that is made there later: the list of a JIT in /tmp, a program
 * that is built during the run.  It also keeps it from /proc/PID/root and /proc/PID/exe of
 * everybody else, where the files of containers and deleted programs are.  The opener is the same
 * user, has no Landlock, and gives away neither what lies in the data folder nor what /proc makes
 * up, such as the memory of others.
 */
#ifndef JOBS_OPENER_H
#define JOBS_OPENER_H

struct err;
struct sandbox;

/*
 * Before the caller enters a sandbox of its own, whose user the opener takes too.  Returns the
 * caller's end, which the opener ends with, or a negative errno value.
 */
int opener_start(const struct sandbox *sandbox, struct err *err);

/*
 * From now on `fd` is asked for files that symbol/image.h can't open, but for those below
 * `forbidden` (NULL: none), which can't be changed any more.  0 or a negative errno value.
 */
int opener_use(int fd, const char *forbidden, struct err *err);

#endif
