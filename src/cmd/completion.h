/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Completion scripts for shells, made from the command table.
 */
#ifndef CMD_COMPLETION_H
#define CMD_COMPLETION_H

#include <stdio.h>

struct err;

/* Writes the script for `shell`: "bash" or "zsh"; -EINVAL for another. */
int completion_write(FILE *out, const char *shell, struct err *err);

#endif
