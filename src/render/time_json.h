/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples over time as JSON for pictures: heatmaps, lanes, single samples, flame charts.
 * docs/api/parts/results.json has the schemas.
 */
#ifndef RENDER_TIME_JSON_H
#define RENDER_TIME_JSON_H

#include "profile/chart.h"
#include "profile/lanes.h"

struct outbuf;

struct time_subject {
	int64_t run;
	const struct profile *profile;
	struct profile_span span; /* what pictures show; times count from its start */
};

/* Each gives 0, or -EINVAL or -ENOENT with words and nothing written. */
int time_heatmap_json(const struct time_subject *subject, const struct profile_filter *filter,
		      uint32_t parts, struct outbuf *out, struct err *err);
int time_lanes_json(const struct time_subject *subject, const struct lanes_options *options,
		    struct outbuf *out, struct err *err);
int time_samples_json(const struct time_subject *subject, const struct profile_filter *filter,
		      uint32_t columns, struct outbuf *out, struct err *err);
int time_chart_json(const struct time_subject *subject, const struct chart_options *options,
		    struct outbuf *out, struct err *err);

#endif
