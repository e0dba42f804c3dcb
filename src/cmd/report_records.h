/* SPDX-License-Identifier: Apache-2.0 */
/* What `report` tells of a recording's records themselves: --stats, --tasks, --mmaps, -D, -T. */
#ifndef CMD_REPORT_RECORDS_H
#define CMD_REPORT_RECORDS_H

#include "cmd/report_options.h"

struct outbuf;

/* Whether one of the options that replace the usual rows is given (--stats, --tasks, -D ...). */
bool report_is_of_records(const struct report_args *args);
int report_records(const struct report_args *args, struct perf_reader *reader, const char *input,
		   struct outbuf *out, struct err *err);
/* -T: what each thread counted until its end, as READ records tell it; read once more from input.
 */
int report_counters(const struct report_args *args, const char *input, struct outbuf *out,
		    struct err *err);

#endif
