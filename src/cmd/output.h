/* SPDX-License-Identifier: Apache-2.0 */
/* The end of what a command prints. */
#ifndef CMD_OUTPUT_H
#define CMD_OUTPUT_H

struct err;
struct outbuf;

/*
 * Writes what is left for standard output.  rc, if the command had failed already; else a failure
 * to write: with words, but for a reader that went away (`| head`), which is EXIT_FAILED alone.
 */
int output_end(struct outbuf *out, int rc, struct err *err);
/* The same for another file, by the name that errors have for it. */
int output_end_as(struct outbuf *out, const char *name, int rc, struct err *err);

#endif
