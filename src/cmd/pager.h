/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Long output on a terminal goes through the user's pager: $PERFOLIO_PAGER, $PAGER, or `less -R`,
 * which ends by itself where everything fits on the screen.  Nothing happens in a pipe or a file.
 */
#ifndef CMD_PAGER_H
#define CMD_PAGER_H

#include <stdbool.h>

/* Standard output, and standard error if it is the terminal too, go to a pager from now on. */
void pager_start(void);
/* Waits until the user has left it; no more can be written then.  False if it could not be
 * started, so that nobody saw anything; true where there is none. */
bool pager_end(void);
/* Whether there is one: that its reader went away is then no failure, the user has seen enough. */
bool pager_is_used(void);

#endif
