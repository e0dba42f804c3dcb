/* SPDX-License-Identifier: Apache-2.0 */
/* Counters as lines with commas; the first names the columns. */
#ifndef RENDER_SERIES_CSV_H
#define RENDER_SERIES_CSV_H

struct outbuf;
struct series;

void series_csv(const struct series *series, struct outbuf *out);

#endif
