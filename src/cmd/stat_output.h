/* SPDX-License-Identifier: Apache-2.0 */
/* Where the counts of `stat` go.  A table is collected and leaves with one write(2), so that a
 * reader of a pipe sees whole ticks and a tick costs one system call. */
#ifndef CMD_STAT_OUTPUT_H
#define CMD_STAT_OUTPUT_H

#include "base/buf.h"
#include <stdbool.h>

struct err;
struct stat_options;

struct output {
	int fd;
	bool own;      /* opened by us */
	bool terminal; /* asked once: a tick is to cost one system call */
	const char *name;
	struct buf buf; /* what was not written yet */
};

int output_open(struct output *output, const struct stat_options *options, struct err *err);
int output_flush(struct output *output, struct err *err);
/* Closes it; what stands in the buffer is lost. */
int output_close(struct output *output, struct err *err);

/* Columns of the terminal that it is; INT_MAX where it is none and lines may be of any length. */
int output_width(const struct output *output);

/* Adds a line of words, on a terminal broken between them. */
void output_sentence(struct output *output, const char *text);

/* Whether this is where a person reads messages too, so that notes need not go elsewhere. */
bool output_is_stderr(const struct output *output);

#endif
