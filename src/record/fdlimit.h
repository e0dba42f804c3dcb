/* SPDX-License-Identifier: Apache-2.0 */
/* How many descriptors this process may hold: counting threads takes one an event and thread. */
#ifndef RECORD_FDLIMIT_H
#define RECORD_FDLIMIT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Makes room for `more` descriptors beyond those open: up to the hard limit, and past it where we
 * may.  False if the limit did not change.
 */
bool fdlimit_raise(size_t more);
size_t fdlimit_now(void);

/* In a child before its exec: a program that we start has the limits that we were started with. */
void fdlimit_restore(void);

#endif
