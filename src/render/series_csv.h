/* SPDX-License-Identifier: Apache-2.0 */
/* Counters as lines with commas; the first names the columns. */
#ifndef RENDER_SERIES_CSV_H
#define RENDER_SERIES_CSV_H

#include <stdbool.h>
#include <stdint.h>

struct outbuf;
struct series;

/* Whether a spreadsheet would take a name for a formula: it gets an apostrophe before it. */
bool csv_is_formula(const char *name);

/* Of [from_ns, to_ns) by the series' own clock; to_ns 0: no end. */
void series_csv(const struct series *series, uint64_t from_ns, uint64_t to_ns, struct outbuf *out);

#endif
