/* SPDX-License-Identifier: Apache-2.0 */
/* A recording's profile: from its index where that is still right, else from its records. */
#ifndef CMD_REPORT_LOAD_H
#define CMD_REPORT_LOAD_H

#include "cmd/report_options.h"

int report_load(struct profile **profile, const struct report_args *args, const char *input,
		struct perf_reader *reader, struct err *err);

/* How many bytes of stack were copied with each sample, to be unwound; 0: none. */
uint32_t report_copy_size(const struct perf_reader *reader);

#endif
