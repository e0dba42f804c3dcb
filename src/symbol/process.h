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
 * Whether its effective user is that one, now, and it had begun by the time `until` (since 1970;
 * 0: at any time): what bears its number since is another one.
 */
bool process_is_of_user(pid_t pid, uid_t user, int64_t until_ns);

/*
 * A JIT's list of functions lies in /tmp, where anybody can put a file under any process's name. It
 * is believed if it is root's, our own or that of the process's user, if others may not write to it
 * and if it has no other name.
 */
bool process_wrote(pid_t pid, const struct image *list, int64_t until_ns);

/*
 * A file that it has mapped under that path, also when it was deleted or replaced since.  0 or a
 * negative errno value; *source tells where it was found.
 */
int process_open_mapped(pid_t pid, const char *path, struct image *image, struct buf *source);

#endif
