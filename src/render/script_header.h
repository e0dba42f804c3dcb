/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a recording tells about itself, as `perf script --header` prints it.
 */
#ifndef RENDER_SCRIPT_HEADER_H
#define RENDER_SCRIPT_HEADER_H

#include "perfdata/format.h"
#include <stdbool.h>

struct outbuf;
struct perf_reader;

/* The whole, or of a pipe its frame: there the features come one by one.  `full` is -I. */
void script_header(struct outbuf *out, struct perf_reader *reader, const char *path, bool full);

/* One feature, as it arrives in a pipe. */
void script_header_feature(struct outbuf *out, struct perf_reader *reader,
			   enum perf_feature feature, bool full);

#endif
