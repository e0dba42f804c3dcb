/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Manual pages: the prose is docs/man/perfolio-COMMAND.md; name, synopsis and options come from the
 * command table, so that they cannot differ from what the program takes.
 */
#ifndef CMD_MANPAGE_H
#define CMD_MANPAGE_H

#include <stdio.h>

struct command;

/* The page of a command, or with NULL the overview perfolio(1), in roff. */
void manpage_write(FILE *out, const struct command *command, const char *prose);

#endif
