/* SPDX-License-Identifier: Apache-2.0 */
/* Where the output of a command goes: standard output, or a file that is whole or not there. */
#ifndef CMD_OUTPUT_H
#define CMD_OUTPUT_H

#include "base/packer.h"

#include <stdbool.h>

struct err;
struct outbuf;

/*
 * Writes what is left for standard output.  rc, if the command had failed already; else a failure
 * to write: with words, but for a reader that went away (`| head`), which is EXIT_FAILED alone.
 */
int output_end(struct outbuf *out, int rc, struct err *err);
/* The same for another file, by the name that errors have for it. */
int output_end_as(struct outbuf *out, const char *name, int rc, struct err *err);

/* Whether it is standard output ("-"), a device or a pipe: written in place, nothing lies beside
 * it. */
bool output_is_special(const char *path);

/* Refuses to write a file that is read from ("-": standard input), whatever their names are. */
int output_check_apart(const char *output, const char *input, struct err *err);

/*
 * Has `write` fill the file at path ("-": standard output).  A new file takes the place of the old
 * one only when it is whole, and is then named on stderr; a device or a pipe is written in place.
 */
int output_file(const char *path, enum packing packing,
		int (*write)(void *user, struct outbuf *out, struct err *err), void *user,
		struct err *err);

#endif
