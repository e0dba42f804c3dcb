/* SPDX-License-Identifier: Apache-2.0 */
/* Passwords from whoever sits there, or from a pipe. */
#ifndef CMD_PASSWORD_H
#define CMD_PASSWORD_H

#include <stddef.h>

struct err;

#define PASSWORD_ROOM 1024

/*
 * From a terminal it is asked for twice, without showing it; otherwise it is the first line of
 * standard input.  The caller wipes it.
 */
int password_read(char into[static PASSWORD_ROOM], struct err *err);
void password_wipe(char into[static PASSWORD_ROOM]);

#endif
