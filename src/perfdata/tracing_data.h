/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a reader needs to take tracepoints' raw data apart: their formats, as tracefs tells them.
 */
#ifndef PERFDATA_TRACING_DATA_H
#define PERFDATA_TRACING_DATA_H

#include "base/buf.h"
#include <stddef.h>

struct err;

/*
 * Makes the TRACING_DATA payload for tracepoints named "system:event" from tracefs mounted at
 * `tracefs`; names that are no tracepoint's are passed over.  Nothing is added if none is left.
 */
int tracing_data_make(const char *tracefs, const char *const *names, size_t count, struct buf *into,
		      struct err *err);

#endif
