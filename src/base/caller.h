/* SPDX-License-Identifier: Apache-2.0 */
/* Under sudo: the user who called it, whose the files are to be. */
#ifndef BASE_CALLER_H
#define BASE_CALLER_H

#include <stdbool.h>
#include <sys/types.h>

/* False if we are not root, or not by way of sudo. */
bool caller_of_sudo(uid_t *user, gid_t *group);

#endif
