/* SPDX-License-Identifier: Apache-2.0 */
/* Answers about counters as JSON; docs/api/parts/results.json has their schemas. */
#ifndef RENDER_SERIES_JSON_H
#define RENDER_SERIES_JSON_H

#include "render/series_plot.h"

struct outbuf;

struct series_subject {
	int64_t run;
	const struct series *series;
	bool running; /* more may come */
};

void series_plot_json(const struct series_subject *subject, const struct series_question *question,
		      struct outbuf *out);

/* Rows [after, ...) of those of a range. */
void series_raw_json(const struct series_subject *subject, uint64_t from_ns, uint64_t to_ns,
		     uint64_t after, uint64_t limit, struct outbuf *out);

struct series_bars {
	uint32_t event;
	int32_t cpu; /* -1: all */
	uint64_t from_ns, to_ns;
	uint32_t bins;
	bool log;
};
#define SERIES_BINS_MAX 2000
void series_histogram_json(const struct series_subject *subject, const struct series_bars *bars,
			   struct outbuf *out);

#endif
