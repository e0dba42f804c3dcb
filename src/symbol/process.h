/* SPDX-License-Identifier: Apache-2.0 */
/* What /proc still tells of the processes of a recording. */
#ifndef SYMBOL_PROCESS_H
#define SYMBOL_PROCESS_H

#include "symbol/image.h"
#include <stdbool.h>
#include <sys/types.h>

struct buf;

/* Whether the process sees other files than we do: another root or mount namespace. */
bool process_is_apart(pid_t pid);

/* Its number in its own pid namespace; 0 if it is gone. */
pid_t process_own_pid(pid_t pid);

/*
 * A file that it has mapped under that path, also when it was deleted or replaced since.  0 or a
 * negative errno value; *source tells where it was found.
 */
int process_open_mapped(pid_t pid, const char *path, struct image *image, struct buf *source);

#endif
